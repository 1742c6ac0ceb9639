"""Encoders opened once for a run, named by labels, and carried to other processes."""

import pickle

import numpy as np
import pytest
from cases import cases

import ragauge as rg
from ragauge import catalog
from ragauge.encoders.embedded import MiniLM
from ragauge.engine.executors import in_processes
from ragauge.engine.measure import in_process, score_frame
from ragauge.engine.plan import make_plan
from ragauge.engine.resources import Resources, of_corpus
from ragauge.errors import EncoderError, MetricError, PlanError
from ragauge.label import Label
from ragauge.metric import feature, metric
from ragauge.storage.cache import Cache
from ragauge.suite import Suite

ROWS = [
    {"id": str(at), "answer": f"The fee is ${at}.", "references": [f"It costs ${at % 3}."]}
    for at in range(9)
]


def test_nothing_given_is_the_embedded_encoder():
    assert Resources().defaults() == {"encoder": {"model": "all-MiniLM-L6-v2", "precision": "fp32"}}
    assert Resources().encoder_of({}).name == "all-MiniLM-L6-v2"


def test_the_precision_is_a_fact_of_the_run_and_no_part_of_the_label():
    for precision in ("fp32", "int8"):
        assert Resources(MiniLM(precision)).defaults()["encoder"]["precision"] == precision
        run = rg.evaluate(ROWS[:1], ["semantic_similarity"], encoder=MiniLM(precision))
        assert run.metrics[0].metric == 'semantic_similarity(model="all-MiniLM-L6-v2")'
        assert run.manifest.code["models"][0]["precision"] == precision
        (node,) = run.manifest.plan["nodes"]
        assert node["settings"]["precision"] == precision


@cases(
    ("correct", {}, "fp32"),
    (["rag", "semantic_similarity"], {}, "fp32"),
    ('correct(model="all-MiniLM-L6-v2")', {}, "fp32"),
    ('correct(precision="int8")', {}, "int8"),
    ('correct(model="all-MiniLM-L6-v2")', {"encoder": MiniLM("int8")}, "int8"),
)
def test_whoever_names_no_precision_gets_the_same_one(metrics, options, precision):
    run = rg.evaluate(ROWS[:1], metrics, **options)
    assert {model["precision"] for model in run.manifest.code["models"]} == {precision}
    assert 'correct(layer=6,model="all-MiniLM-L6-v2")' in {one.metric for one in run.metrics}


def test_settings_name_another_encoder_and_each_is_opened_once():
    resources = Resources()
    one = resources.encoder_of({"model": None, "precision": "fp32"})
    assert resources.encoder_of({"model": "all-MiniLM-L6-v2"}) is one
    assert resources.encoder_of({"precision": "int8"}).identity["precision"] == "int8"


def test_two_precisions_are_two_runs(tmp_path):
    label, cache = 'semantic_similarity(precision="{}")', tmp_path / "cache"
    samples = rg.load(ROWS)
    runs = [rg.evaluate(samples, label.format(each), cache=cache) for each in ("fp32", "int8")]
    given = [
        rg.evaluate(samples, "semantic_similarity", cache=cache, encoder=each)
        for each in ("all-MiniLM-L6-v2", MiniLM("int8"))
    ]
    assert runs[0].manifest.key != runs[1].manifest.key
    assert given[0].manifest.key == rg.evaluate(samples, "semantic_similarity").manifest.key
    assert given[0].manifest.key != given[1].manifest.key
    single, whole = (run.scores["value"].to_numpy() for run in runs)
    assert single == pytest.approx(whole, abs=0.05)
    assert not np.array_equal(single, whole)
    with pytest.raises(PlanError, match=r"is wanted in fp32 and in int8, .* evaluate two runs"):
        rg.evaluate(ROWS, ["semantic_similarity", label.format("int8")])


def test_the_functions_settings_hold_no_names_of_resources():
    found, settings = catalog.find(Label.parse("semantic_similarity"))
    arguments = Resources().arguments(found, settings)
    assert set(arguments) == {"encoder", "long_text", "on_empty"}


def test_a_copy_in_another_process_opens_its_own(tmp_path):
    resources = Resources(cache=tmp_path / "cache")
    resources.encoder_of({}).vectors(["fee"])
    resources.corpus["node"] = {"fee": 1.0}
    copy = pickle.loads(pickle.dumps(resources))
    assert copy.corpus == {"node": {"fee": 1.0}}
    assert copy.encoder_of({}).vectors(["fee"])["fee"].vector.shape == (384,)
    assert copy.encoder_of({}).n_encoded == 0
    assert resources.is_portable()


def test_an_encoder_that_cannot_be_copied_keeps_the_run_in_this_process():
    encoder = MiniLM()
    encoder.callback = lambda: None
    assert not Resources(encoder).is_portable()


class Own(MiniLM):
    """An encoder with a name of its own."""

    def __init__(self):
        super().__init__()
        self.name = "own"


LABELS = ["semantic_similarity", "bertscore(idf=true)", "sentence_coverage", "exact_match"]


def frame_of(measured, plan, columns, *options):
    batches = [(0, part(columns, 0, 4)), (1, part(columns, 4, 9))]
    parts = dict(measured(plan, batches, *options))
    return [row for number in (0, 1) for row in parts[number].iter_rows()]


def part(columns, start, stop):
    return {name: cells[start:stop] for name, cells in columns.items()}


def test_worker_processes_give_the_same_to_the_last_bit(tmp_path):
    columns = {name: [row[name] for row in ROWS] for name in ROWS[0]}
    columns["system"] = ["s"] * len(ROWS)
    resources = Resources(cache=tmp_path / "cache")
    plan = make_plan([Suite.of(LABELS)], list(columns), resources.defaults())
    for node in plan.nodes:
        if node.definition.corpus:
            cells = [columns[one.column] for one in node.inputs]
            resources.corpus[node.key] = of_corpus(node, cells, resources)
    here = frame_of(in_process, plan, columns, resources)
    assert frame_of(in_processes, plan, columns, resources, 2) == here
    assert list(score_frame(plan, columns, resources).iter_rows()) == here


def test_a_run_from_the_cache_is_the_same_and_encodes_nothing(tmp_path):
    first = rg.evaluate(ROWS, LABELS, cache=tmp_path / "cache")
    kept = Cache(tmp_path / "cache").counts()

    class Idle(MiniLM):
        """An encoder that must not be asked."""

        def hidden(self, ids, layer):
            raise AssertionError("asked")

    again = rg.evaluate(ROWS, LABELS, cache=tmp_path / "cache", encoder=Idle())
    assert again.scores.equals(first.scores)
    assert sum(n for n, _ in kept.values()) > 0


def test_the_run_says_whose_numbers_they_are_and_what_a_threshold_means():
    run = rg.evaluate(ROWS, ["bertscore", "sentences_covered", "exact_match"])
    by_model, threshold = run.manifest.models
    assert by_model.startswith("by all-MiniLM-L6-v2: bertscore (layer 6), ")
    assert "the threshold 0.85 is applied to all-MiniLM-L6-v2" in threshold
    assert rg.evaluate(ROWS, ["exact_match"]).manifest.models == ()


def test_a_corpus_feature_sees_every_question_once_and_every_row_has_its_value(own_metrics):
    @feature(corpus=True)
    def longest_answer(answer):
        return max(len(text) for text in answer if text is not None)

    @metric(high=None)
    def share_of_longest(answer: str, longest_answer: int) -> float:
        return len(answer) / longest_answer

    rows = [
        {"id": id, "system": system, "answer": text}
        for id, text in (("1", "a" * 8), ("2", "bb"), ("3", None))
        for system in ("x", "y")
    ]
    run = rg.evaluate(rows, ["share_of_longest"], batch_size=2)
    assert run.scores["value"].to_list() == [1, 1, 0.25, 0.25, None, None]
    alone = rg.score("share_of_longest", answer="bb")
    assert alone.value == 1


def test_a_corpus_feature_that_breaks_is_named(own_metrics):
    @feature(corpus=True)
    def broken_table(answer):
        raise ValueError("no table")

    @metric
    def with_table(answer: str, broken_table: int) -> float:
        return 1.0

    with pytest.raises(MetricError, match=r"feature broken_table raised .* on the corpus"):
        rg.evaluate(ROWS, ["with_table"])


@cases(
    ('semantic_similarity(precision="bf16")', None, "fp32 and int8, not 'bf16'"),
    ('semantic_similarity(precision="int8")', Own(), "names own in int8, but the encoder given has"),
    ("semantic_similarity", 5, "a model's name or an encoder, got 5, which has no name"),
)  # fmt: skip
def test_what_is_no_encoder_and_another_precision_are_refused(label, encoder, says):
    with pytest.raises(EncoderError, match=says):
        rg.score(label, answer="a", reference="b", encoder=encoder)


class Moody(MiniLM):
    """An encoder that is down for some texts until it is mended."""

    is_down = True

    def encode(self, texts, *, long_text="cut"):
        self.asked = [*getattr(self, "asked", ()), *texts]
        if self.is_down and any("$7" in text for text in texts):
            raise EncoderError("no sevens today")
        return super().encode(texts, long_text=long_text)


def test_running_again_tries_what_failed_and_only_that(tmp_path):
    moody = Moody()
    options = {"encoder": moody, "folder": tmp_path / "run", "batch_size": 3}
    first = rg.evaluate(ROWS, ["semantic_similarity"], **options)
    assert first.scores["status"].to_list().count("failed") == 1
    assert first.manifest.finished
    moody.asked = []
    again = rg.evaluate(ROWS, ["semantic_similarity"], **options)
    assert again.scores.equals(first.scores)
    assert set(moody.asked) <= {
        text for row in ROWS[6:] for text in (row["answer"], *row["references"])
    }
    moody.is_down = False
    mended = rg.evaluate(ROWS, ["semantic_similarity"], **options)
    assert mended.scores["status"].to_list() == ["ok"] * len(ROWS)
    whole = rg.evaluate(ROWS, ["semantic_similarity"], encoder=MiniLM())
    assert mended.scores.equals(whole.scores)
    assert rg.open_run(tmp_path / "run").scores.equals(whole.scores)
    moody.asked = []
    rg.evaluate(ROWS, ["semantic_similarity"], **options)
    assert moody.asked == []
