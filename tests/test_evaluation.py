import json
import random
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from cases import cases

import ragauge as rg
from ragauge.errors import MetricError, PlanError, RagaugeError
from ragauge.evaluation.evaluation import Evaluation
from ragauge.label import Label
from ragauge.metric import feature, metric
from ragauge.runs.store import RunFolder
from ragauge.suite import shipped_suites

ALL_SUITES = list(shipped_suites())
HANDBOOK = Path(__file__).parents[1] / "examples" / "handbook" / "answers.jsonl"


def sorted_scores(run):
    return run.scores.sort("id", "system", "metric")


# One sample


@cases(
    ({"answer": "x", "reference": "X"}, 1.0),
    ({"answer": "x", "references": "X"}, 1.0),
    *(
        ({"answer": "x", name: kind(["y", "X"])}, 1.0)
        for name in ("reference", "references")
        for kind in (list, tuple)
    ),
    ({"answer": "", "reference": "x"}, 0.0),
    ({"answer": "x", "reference": []}, "undefined"),
    ({"answer": "x"}, "missing"),
    ({"answer": None, "reference": "x"}, "missing"),
)
def test_score_takes_one_reference_or_several_and_tells_missing_from_undefined_from_zero(
    fields, expected
):
    found = rg.score("exact_match", **fields)
    assert expected in (found.value, found.status)
    if isinstance(fields.get("reference"), list | tuple) and found.value:
        assert found.evidence["best_reference"] == 1


def test_score_takes_relevant_ids_or_their_grades():
    by_id = rg.score("ndcg@10", context_ids=["b", "a"], relevant=["a"])
    assert by_id == rg.score("ndcg@10", context_ids=["b", "a"], relevant={"a": 1})
    assert rg.score("keyword_coverage", answer="Old Town", reference=["Bay", "Old Town"]).value == 1


@cases(
    ("ndgc@10", {}, "did you mean 'ndcg'"),
    ("ndcg(k=", {}, "expected a value"),
    ("precision@k", {}, "did you mean 'precision@10'"),
    ("ndcg(kk=1)", {"context_ids": []}, "no setting 'kk'"),
    ("number-match", {"answer": "x"}, "did you mean 'number_match'"),
    ("faithfulness", {"answer": "x"}, "faithfulness needs a judge; give one with --judge"),
    ("exact_match", {"answr": "x"}, "does not read the field 'answr'; did you mean 'answer'"),
    ("exact_match", {"answer": ["x"]}, "must be text"),
    ("exact_match", {"answer": "\ud800"}, "lone surrogate"),
    ("ndcg", {"context_ids": ["a"], "relevant": {"a": float("nan")}}, "whole number"),
    ("ndcg", {"context_ids": ["a"], "relevant": ["a", "a"]}, "twice"),
    ("exact_match", {"answer": float("inf"), "reference": "x"}, "finite"),
    ("exact_match", {"answer": "", "reference": ["x", None]}, "'reference': item 2 must be t"),
    ("exact_match", {"answer": "x", "reference": {"a": "x"}}, "'reference': must be a list"),
    ("exact_match", {"reference": "x", "references": ["x"]}, "references, not both"),
)
def test_what_score_cannot_do_is_said(label, fields, problem):
    with pytest.raises(RagaugeError) as caught:
        rg.score(label, **fields)
    assert problem in str(caught.value)


def test_score_of_a_metric_of_ones_own_by_label_or_function(own_metrics):
    @rg.feature
    def n_words(answer: str) -> int:
        return len(answer.split())

    @rg.metric
    def brevity(n_words: int, *, enough: int = 5) -> float:
        return min(enough / n_words, 1)

    assert rg.score("brevity(enough=2)", answer="one two three four").value == 0.5
    assert rg.score(brevity, answer="one two three four").value == 1.0


def test_a_name_that_a_suite_gives_is_a_label_too():
    fields = {"context_ids": ["a"], "relevant": ["a", "b"]}
    assert rg.score("modified_precision", **fields) == rg.score("recall", **fields)
    assert rg.score("has_yes", answer="Yes.").value == 1.0


# Many samples


def test_all_that_can_be_asked_for_can_be_asked_for_together(own_metrics):
    @rg.metric
    def shout(answer: str) -> bool:
        return answer.isupper()

    samples = [{"id": "q", "answer": "X", "reference": "x"}]
    asking = ["answer-quality", "exact_match", Label("token_f1"), shout, rg.Suite.of(["rouge1"])]
    asked = {one.metric for one in rg.evaluate(samples, asking).metrics}
    assert {"exact_match", "token_f1", "shout", "rouge1", "citation_quality"} <= asked


def test_every_problem_is_said_before_any_work_is_done(own_metrics, tmp_path):
    @metric
    def never_called(answer: str) -> float:
        raise AssertionError

    asking = ["never_called", "ndgc", "exact_mach", "graphrg"]
    with pytest.raises(PlanError) as caught:
        rg.evaluate([{"id": "q", "answer": "x"}], asking, folder=tmp_path / "run")
    assert len(caught.value.problems) == 3
    asking = ["never_called", "exact_match(a=1)", "ndcg@0"]
    with pytest.raises(PlanError) as caught:
        rg.evaluate([{"id": "q", "answer": "x"}], asking, folder=tmp_path / "run")
    assert len(caught.value.problems) == 2
    assert not (tmp_path / "run").exists()


@cases(
    *({"batch_size": 0}, {"batch_size": 1.5}, {"seed": -1}, {"seed": None}),
    *({"workers": 0}, {"folder": ""}),
)
def test_options_that_make_no_sense_are_refused_before_any_work(options, tmp_path):
    with pytest.raises(PlanError, match=next(iter(options))):
        rg.evaluate(
            [{"id": "q", "answer": "x"}], "dont_know", **{"folder": tmp_path / "r", **options}
        )
    assert not (tmp_path / "r").exists()


def test_no_cache_by_its_name_makes_no_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [{"question": "q", "answer": "Paris", "reference": "Paris"}]
    rg.evaluate(rows, ["semantic_similarity"], cache="none")
    assert not list(tmp_path.iterdir())


def test_nothing_asked_for_or_something_that_is_no_metric_is_refused():
    for asking, said in (
        ([], "no metrics given"),
        (len, "put @metric above"),
        ([5], "5 is not a metric"),
    ):
        with pytest.raises(RagaugeError, match=said):
            rg.evaluate([{"id": "q", "answer": "x"}], asking)


PRICED = {"id": "a", "answer": "x", "price": 1.5}


def test_a_column_of_ones_own_is_read_and_a_missing_one_refused(own_metrics):
    @metric
    def is_cheap(price: float, *, below: float = 2.0) -> bool:
        return price < below

    run = rg.evaluate([PRICED, PRICED | {"id": "b", "price": None}], is_cheap)
    assert run.scores["value"].to_list() == [1.0, None]
    assert run.scores["status"].to_list() == ["ok", "missing"]
    with pytest.raises(PlanError, match="needs the column 'price'; did you mean 'prize'"):
        rg.evaluate([{"id": "a", "answer": "x", "prize": 1.5}], is_cheap)


def test_a_bug_in_a_metric_names_it_and_its_sample_and_system_and_keeps_what_was_done(
    own_metrics, tmp_path
):
    @feature
    def buggy(answer: str) -> int:
        return 1 // (answer != "bad")

    @metric
    def uses_buggy(buggy: int) -> float:
        return 1.0

    samples = [{"id": f"q{n}", "system": "s", "answer": "fine"} for n in range(4)]
    samples[3]["answer"] = "bad"
    with pytest.raises(MetricError, match=r"feature buggy raised .* on sample 'q3' of system 's'"):
        rg.evaluate(samples, uses_buggy, folder=tmp_path / "run", batch_size=2)
    assert [one.name for one in (tmp_path / "run" / "scores").iterdir()] == ["000000.parquet"]


def test_the_metrics_of_a_suite_whose_resource_is_not_there_are_skipped_with_the_reason():
    run = rg.evaluate([{"id": "q", "answer": "x", "reference": "x"}], "graphrag")
    rows = {row["metric"]: row for row in run.scores.iter_rows(named=True)}
    skipped = [row for row in rows.values() if row["status"] == "skipped"]
    assert {row["value"] for row in skipped} == {None}
    assert all("judge" in row["reason"] or "encoder" in row["reason"] for row in skipped)
    assert rows["ragas_score"]["status"] == "undefined"
    assert any("needs a judge" in note for note in run.manifest.notes)


# The same numbers, however they are made


@pytest.fixture(scope="module")
def rows():
    return [json.loads(line) for line in HANDBOOK.read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def whole(rows):
    return rg.evaluate(rows, ALL_SUITES)


@pytest.mark.slow
@cases({"batch_size": 7}, {"batch_size": 1}, {}, ids=["batches", "single rows", "another order"])
def test_batches_and_the_order_of_rows_and_columns_do_not_change_a_digit(options, rows, whole):
    if not options:
        rows = [dict(sorted(row.items(), reverse=True)) for row in rows]
        random.Random(5).shuffle(rows)
    run = rg.evaluate(rows, ALL_SUITES, **options)
    assert sorted_scores(run).equals(sorted_scores(whole))
    assert run.summary().equals(whole.summary())
    ours, expected = (each.summary("question_type") for each in (run, whole))
    if not options:  # groups come in the order of the rows
        keys = ("system", "question_type", "metric")
        ours, expected = ours.sort(*keys), expected.sort(*keys)
    assert ours.equals(expected)


def test_progress_is_told_as_batches_are_finished():
    told = []
    samples = [{"id": str(n), "answer": "x"} for n in range(5)]
    rg.evaluate(samples, "dont_know", batch_size=2, progress=lambda *of: told.append(of))
    assert told == [(2, 5), (4, 5), (5, 5)]


def test_a_run_is_known_by_data_plan_and_seed_and_not_by_its_source():
    def key_of(answer="x", label="exact_match", **options):
        samples = rg.load([{"id": "q", "answer": answer, "reference": "y"}])
        return Evaluation.prepare(samples, label, **options).manifest.key

    assert key_of() == key_of()
    others = ("token_f1", 'exact_match(normalize="none")')
    keys = [key_of(), key_of("z"), *(key_of(label=label) for label in others), key_of(seed=1)]
    assert len({*keys}) == 5


# Composites whose parts come from elsewhere


def test_a_suites_composite_takes_columns_for_the_parts_that_cannot_be_had():
    # The seed's three rows: 93.73, 24.98 and 82.29 on a scale of 100.
    names = ("faithfulness", "context_precision", "context_recall", "answer_relevance")
    values = ((1.0, None, 1.0, 0.8327), (0.0, 0.0, 0.0, 0.8327), (None, None, None, 0.8229))
    rows = [
        {"id": str(at), "answer": "x", **dict(zip(names, each, strict=True))}
        for at, each in enumerate(values)
    ]
    run = rg.evaluate(rows, "graphrag")
    scores = run.scores.filter(run.scores["metric"] == "ragas_score")
    assert [round(100 * value, 2) for value in scores["value"]] == [93.73, 24.98, 82.29]


def test_a_reference_that_expects_nothing_decides_only_when_all_do():
    label = "number_match(on_nothing_expected=1)"
    assert rg.score(label, answer="", references=["", "5 premiums"]).value == 0.0
    assert rg.score(label, answer="", references=["", "none"]).value == 1.0


def test_bounds_stay_within_the_scale_of_the_metric():
    rows = [{"id": "1", "answer": "x", "contexts": ["x"]}, {"id": "2", "answer": None}]
    (row,) = rg.evaluate(rows, "topic_drift").summary().iter_rows(named=True)
    # One row at 0; the other at most 0.2.
    assert (row["best"], row["worst"]) == (0.0, 0.1)


# What is left in a folder by somebody else


@cases(
    lambda part: part.select(a="value"),
    lambda part: part.head(0),
    lambda part: part.with_columns(id=pl.lit("other")),
)
def test_a_part_that_is_not_of_its_batch_is_computed_again(foreign, tmp_path):
    rows = [{"id": str(n), "answer": "a", "reference": "a"} for n in range(6)]
    whole = rg.evaluate(rows, "exact_match", folder=tmp_path, batch_size=2)
    RunFolder(tmp_path).reopen()
    part = tmp_path / "scores" / "000001.parquet"
    foreign(pl.read_parquet(part)).write_parquet(part)
    again = rg.evaluate(rows, "exact_match", folder=tmp_path, batch_size=2)
    assert again.scores.equals(whole.scores)


@cases("bertscore", pytest.param("sentence_coverage", marks=pytest.mark.slow))
def test_a_run_is_known_by_the_same_key_whatever_was_imported_before(asking, tmp_path):
    script = tmp_path / "twice.py"
    script.write_text(
        "import sys, ragauge as rg\n"
        "rows = [{'id': '1', 'answer': 'A cat sat.', 'reference': 'A cat was sitting.'}]\n"
        "for _ in range(2):\n"
        "    print(rg.evaluate(rows, sys.argv[1], folder='run').manifest.key)\n"
    )
    command = [sys.executable, str(script), asking]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len(set(done.stdout.split())) == 1


def test_evaluate_settles_differences_between_sources_as_load_does():
    both = {
        system: [{"id": "q1", "answer": "Paris", "reference": reference}]
        for system, reference in (("a", "Paris"), ("b", "Lyon"))
    }
    with pytest.raises(rg.DataError, match="prefer"):
        rg.evaluate(both, "exact_match")
    for prefer, values in (("first", [1.0, 1.0]), ("answers", [1.0, 0.0])):
        run = rg.evaluate(both, "exact_match", prefer=prefer)
        assert run.scores.sort("system")["value"].to_list() == values


def test_evaluate_takes_gold_and_pairs_by_place():
    gold = [{"id": "q1", "reference": "Paris"}, {"id": "q2", "reference": "Rome"}]
    answers = [{"answer": "Paris"}, {"answer": "Rome"}]
    run = rg.evaluate(answers, "exact_match", gold=gold, by_place=True)
    assert run.scores["value"].to_list() == [1.0, 1.0]
    run = rg.evaluate([{"id": "q2", "answer": "Rome"}], "exact_match", gold=gold)
    assert run.scores.sort("id")["status"].to_list() == ["missing", "ok"]


def test_samples_that_are_loaded_already_cannot_be_settled_again():
    samples = rg.load([{"id": "q1", "answer": "x", "reference": "x"}])
    with pytest.raises(rg.PlanError, match="loaded already; give gold, by_place to"):
        rg.evaluate(samples, "exact_match", gold=[{"id": "q1"}], by_place=True)
