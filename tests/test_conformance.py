"""What holds of every metric that this package registers, without being said for each."""

import json
import math
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin

import numpy as np
import pytest
from pytest import approx

from ragauge import catalog
from ragauge.encoders.embedded import MiniLM
from ragauge.engine.graph import Plan
from ragauge.engine.measure import evidence_json, measure
from ragauge.engine.plan import make_plan
from ragauge.engine.resources import Resources, of_corpus
from ragauge.errors import LabelError, MissingExtraError, PlanError
from ragauge.label import Label
from ragauge.metric import Metric
from ragauge.metrics.ngram import corpus_chrf
from ragauge.rankings.hits import MEASURES, Hits
from ragauge.samples.fields import FIELDS
from ragauge.score import Score, Status
from ragauge.suite import Suite

OURS = {
    name: metric
    for name, metric in catalog.metrics().items()
    if metric.function.__module__.startswith("ragauge.")
}
LOCAL = {name: metric for name, metric in OURS.items() if "judge" not in metric.resources}
"""Those that need no judge."""
ENCODER = MiniLM()

TEXT_COLUMNS = ("question", "answer")
LIST_COLUMNS = ("references", "contexts", "gold_contexts")

ROWS = [
    {
        "question": "What is the yearly fee of Lantern Hut?",
        "answer": "The yearly fee is $1,604.50, according to page 4. It was 5% less in 2021.",
        "references": ["The yearly fee of Lantern Hut is $1,604.50.", "* Fee\n* Rule C-1"],
        "contexts": ["Lantern Hut: the yearly fee is $1,604.50.", "Other huts cost less.", ""],
        "context_ids": ["d1", "d2", "d3"],
        "context_scores": [3.0, 2.0, 1.0],
        "gold_contexts": ["lantern hut: the yearly  fee is $1,604.50."],
        "relevant": {"d1": 2, "d9": 1, "d3": 0},
    },
    {
        "question": "Which rules hold?",
        "answer": "* Fee\n* Rule C-1\n- Beds",
        "references": ["* Fee\n* Rule C-1\n* Boots"],
        "contexts": ["Rule C-1 is about beds.", "Beds cost 12 pounds."],
        "context_ids": ["d2", "d2"],
        "context_scores": [1.0, 1.0],
        "gold_contexts": ["Boots are left outside.", "Rule C-1 is about beds."],
        "relevant": {"d1": 1, "d2": 1},
        "answerable": False,
    },
    {
        "question": "Who opened it?",
        "answer": "The context does not provide this.",
        "references": ["Ida Merrow"],
        "contexts": [],
        "context_ids": [],
        "context_scores": [],
        "gold_contexts": ["Ida Merrow opened it in 1970."],
        "relevant": {"d1": 1},
    },
    {
        "question": "How far is it?",
        "answer": "It is 7 km.",
        "references": ["It is 7 km.", "seven kilometres"],
        "contexts": ["The way is 7 km long."],
        "context_ids": ["d4"],
        "context_scores": [0.5],
        "gold_contexts": ["The way is 7 km long."],
        "relevant": {"d4": 3},
    },
    {
        "question": "",
        "answer": "",
        "references": ["", "7"],
        "contexts": [""],
        "context_ids": ["d5"],
        "context_scores": [0.5],
        "gold_contexts": [""],
        "relevant": {},
    },
    dict.fromkeys((*TEXT_COLUMNS, *LIST_COLUMNS, "context_ids", "relevant")),
]
PARTS = sorted({part.name for one in LOCAL.values() for part in one.columns if part.takes_score})
"""Parts of composites: given as columns of their own, the fourth row without any."""
CALL = {"id": "c", "function": {"name": "find", "arguments": '{"q": "fee"}'}}
CHAT = [
    {"role": "user", "content": "What is the fee?"},
    {"role": "assistant", "content": "", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c", "content": "Error: no such page"},
    {"role": "assistant", "content": "I cannot find the fee in these pages."},
]
FOLLOW_UP = [
    {"role": "user", "content": "And when is it due?"},
    {"role": "assistant", "content": "It is due in May."},
]
CONVERSATION = {
    "messages": json.dumps(CHAT),
    "expected_calls": json.dumps([{"name": "find", "arguments": {"q": ["fee", "cost"]}}]),
    "tools": '[{"name": "find", "parameters": {"properties": {"q": {"type": "string"}}}}]',
    "final_state": '{"fee": 3}',
    "expected_state": '{"fee": 3, "paid": true}',
    "whole_conversation": json.dumps([*CHAT, *CHAT, *FOLLOW_UP]),
}
MEASURED = {
    "latency_s": 0.7,
    "first_token_s": 0.1,
    "input_tokens": 90,
    "output_tokens": 9,
    "cost_usd": 0.01,
}
for place, row in enumerate(ROWS):
    row |= dict.fromkeys(MEASURED) if row is ROWS[-1] else MEASURED
    row |= dict.fromkeys(CONVERSATION) if row is ROWS[-1] else CONVERSATION
    row |= {"id": f"q{place}", "system": "s", "context_scores": row.get("context_scores")}
    row |= {"answerable": row.get("answerable")}
    row |= dict.fromkeys(PARTS, None if place == 3 else place % 3 / 2)

USEFUL = {
    "contains": 'contains(text="fee")',
    "not_contains": 'not_contains(text="fee")',
    "contains_any": 'contains_any(texts=["fee","×"])',
    "regex": r'regex(pattern="\\brule c-\\d")',
    "number": 'number(value="7")',
    "list_coverage": r'list_coverage(codes="Rule C-\\d+")',
}
"""Labels of metrics whose defaults ask for nothing."""


def other_value(name: str, kind: object, default: object) -> object:
    """Another legal value of a setting, by its type."""
    if name in ("layer", "baseline"):
        return {"layer": 3, "baseline": (0.3, 0.2, 0.1)}[name]
    if get_origin(kind) is Literal:
        return next(choice for choice in reversed(get_args(kind)) if choice != default)
    if get_origin(kind) is Annotated:
        return other_value(name, get_args(kind)[0], default)
    choices = [one for one in get_args(kind) if one is not NoneType]
    if get_origin(kind) in (tuple, Sequence):
        return ("fee", "7")
    if get_origin(kind) in (dict, Mapping):
        return dict.fromkeys(list(default)[:2], 0.5)
    if choices:
        return other_value(name, choices[0], default)
    if kind is bool:
        return not default
    if kind is int:
        return (default or 0) + 2
    if kind is float:
        return 0.25 if default is None else default / 2
    return {"codes": "C-[0-9]", "value": "7", "model": ENCODER.name}.get(name, "fee")


NEEDS = {"baseline": {"rescale": True}}
"""Settings that say nothing without another one."""


def labels_of(metric: Metric) -> list[str]:
    """Its default label, a useful one where the default asks for nothing, each setting changed."""
    changed = [
        {one.name: other_value(one.name, one.type, one.default), **NEEDS.get(one.name, {})}
        for one in metric.settings
        if one.name != "parts"  # which parts there are is what it follows from
    ]
    useful = [USEFUL[metric.name]] if metric.name in USEFUL else []
    return [metric.name, *(str(metric.label(settings)) for settings in changed), *useful]


FROM_EXTRAS = ("spacy", "pipeline", "nltk", "bleu", "chrf")
"""Words in labels that ask for something which may not be installed."""

LABELS = [label for metric in LOCAL.values() for label in labels_of(metric)]


def to_columns(rows):
    return {name: [row.get(name) for row in rows] for name in rows[0]}


def plan_of(label: str) -> Plan:
    return make_plan([Suite.of([label])], list(ROWS[0]), Resources(ENCODER).defaults())


@cache
def plans() -> Mapping[str, Plan]:
    """The plan of each label that works here."""
    found = {}
    for label in (*LABELS, *USEFUL.values()):
        try:
            found[label] = plan_of(label)
            if any(word in label for word in FROM_EXTRAS):
                measured(ROWS[:1], {label: found[label]})
        except (MissingExtraError, PlanError, LabelError):
            if not any(word in label for word in FROM_EXTRAS):
                raise
            found.pop(label, None)
    return found


def measured(rows, chosen: Mapping[str, Plan]) -> dict[str, list[Score]]:
    """The scores of the rows by label: all plans as one, so that shared work is done once."""
    columns = to_columns(rows)
    resources = Resources(ENCODER)  # a new one each time: it remembers what was encoded
    nodes = {node.key: node for plan in chosen.values() for node in plan.nodes}
    for node in nodes.values():
        if node.definition.corpus:
            whole = [to_columns(ROWS)[one.column] for one in node.inputs]
            resources.corpus[node.key] = of_corpus(node, whole, resources)
    planned = [metric for plan in chosen.values() for metric in plan.metrics]
    assert len(planned) == len(chosen)
    together = Plan("conformance", tuple(nodes.values()), tuple(planned), ())
    found = dict(zip(chosen, measure(together, columns, resources), strict=True))
    assert all(len(scores) == len(rows) for scores in found.values())
    return found


@cache
def of_all_rows() -> dict[str, list[Score]]:
    return measured(ROWS, plans())


def each(labels, rows, check) -> None:
    """Run a check on the scores that each label gives the rows."""
    chosen = {label: plans()[label] for label in labels if label in plans()}
    found = of_all_rows() if rows is ROWS else measured(rows, chosen)
    failures = []
    for label in chosen:
        try:
            check(label, found[label])
        except AssertionError as error:
            error.add_note(f"of {label}")
            failures.append(error)
    if failures:
        raise ExceptionGroup(f"{len(failures)} of {len(chosen)} labels fail", failures)


def each_metric(names, rows, check) -> None:
    """The same for metrics by name, with labels that ask for something."""
    labels = [USEFUL.get(name, name) for name in names]
    each(labels, rows, lambda label, found: check(Label.parse(label).name, found))


def as_data(found: list[Score]) -> list[tuple[object, ...]]:
    return [(one.value, one.status, one.reason, evidence_json(one.evidence)) for one in found]


def assert_sound(label: str, found: list[Score]) -> None:
    """Every score is a finite number within bounds, or has a status that is not ok and a reason."""
    metric, _ = catalog.find(Label.parse(label))
    for one in found:
        if one.value is None:
            assert one.status is not Status.OK
            assert one.reason
        else:
            assert one.status is Status.OK
            assert math.isfinite(one.value)
            assert metric.low is None or one.value >= metric.low
            assert metric.high is None or one.value <= metric.high
        text = evidence_json(one.evidence)
        if text is not None:
            json.loads(text, parse_constant=pytest.fail)


def test_every_metric_says_what_it_is_where_it_comes_from_and_its_version():
    for name, metric in OURS.items():
        documentation = metric.function.__doc__ or ""
        assert "Source:" in documentation, name
        assert metric.summary.endswith("."), name
        assert len(metric.summary) <= 160, name
        assert metric.lower_is_better or "lower is better" not in documentation.lower(), name
        # ragas itself is not among what the tests install.
        assert ">>>" in documentation or name.startswith("ragas:"), name
        assert type(metric.version) is int, name
        assert metric.version >= 1, name


def test_every_label_is_read_back_as_it_is_printed():
    for label in LABELS:
        metric, settings = catalog.find(Label.parse(label))
        canonical = str(metric.label(settings))
        again, settings_again = catalog.find(Label.parse(canonical))
        assert (again, settings_again) == (metric, settings), label
        assert str(again.label(settings_again)) == canonical


@pytest.mark.parametrize("label", [one for one in LABELS if any(x in one for x in FROM_EXTRAS)])
def test_every_label_that_needs_an_extra_has_a_plan_or_says_what_to_install(label):
    if is_installed(label):
        assert label in plans()
        return
    missing = (MissingExtraError, PlanError, LabelError)
    with pytest.raises(missing, match=r"install|download|give the name of an installed"):
        measured(ROWS[:1], {label: plan_of(label)})


def is_installed(label: str) -> bool:
    """Whether the package that the label asks for is installed, and the model that it reads."""
    package = next((one for one in ("nltk", "spacy") if one in label), "sacrebleu")
    if "pipeline" in label or find_spec(package) is None:
        return False  # no pipeline has the name that the label gives
    if package == "nltk":
        from nltk.data import find

        try:
            return bool(find("tokenizers/punkt_tab"))
        except LookupError:
            return False
    if "extractor" in label:
        from spacy.util import get_installed_models

        return any(name.startswith("en") for name in get_installed_models())
    return True


def test_no_score_depends_on_batch_size_or_order_or_on_other_rows():
    chosen = {label: plan for label, plan in plans().items() if label in LABELS}
    alone = [measured([row], chosen) for row in ROWS]
    backwards = measured(ROWS[::-1], chosen)

    def check(label, found):
        together = as_data(found)
        assert together == [as_data(part[label])[0] for part in alone]
        assert together == as_data(backwards[label])[::-1]

    each(LABELS, ROWS, check)


@pytest.mark.slow
def test_the_scores_of_a_label_are_the_same_with_and_without_the_other_labels():
    def check(label, found):
        assert as_data(found) == as_data(measured(ROWS, {label: plan_of(label)})[label])

    each(LABELS, ROWS, check)


def test_scores_are_sound_on_the_sample_rows():
    each(LABELS, ROWS, assert_sound)


def test_every_metric_has_a_value_somewhere_and_every_value_evidence():
    def check(name, found):
        assert any(one.status is Status.OK for one in found), "no sample row has a value"
        is_given = name in MEASURED  # the sample has the value itself
        has_evidence = all(score.value is None or score.evidence for score in found)
        assert is_given or has_evidence, "a value has no evidence: Score(value, evidence={…})"

    each_metric(LOCAL, ROWS, check)


def columns_read(metric: Metric) -> dict[str, bool]:
    """The sample columns it reads, itself or by its features; True where null may be handled."""
    read: dict[str, bool] = {}
    for column in metric.columns:
        feature = catalog.features().get(column.name)
        if feature and not column.takes_score:
            for name, handled in columns_read(feature).items():
                read[name] = handled or column.nullable or read.get(name, False)
        elif column.name in (*FIELDS, "reference"):
            name = "references" if column.name == "reference" else column.name
            read[name] = column.nullable or read.get(name, False)
    return read


COLUMNS_READ = {name: columns_read(metric) for name, metric in LOCAL.items()}


@pytest.mark.parametrize("column", sorted({one for read in COLUMNS_READ.values() for one in read}))
def test_null_in_a_column_it_reads_makes_a_score_missing_unless_it_is_handled(column):
    def check(name, found):
        assert_sound(name, found)
        if not COLUMNS_READ[name][column]:
            assert {one.status for one in found} == {Status.MISSING}
            assert all(column in (one.reason or "") for one in found)

    reading = [name for name, read in COLUMNS_READ.items() if column in read]
    each_metric(reading, [row | {column: None} for row in ROWS[:4]], check)


def test_where_every_column_it_reads_is_null_no_metric_has_a_value():
    def check(_, found):
        assert {one.status for one in found} <= {Status.MISSING, Status.UNDEFINED}
        assert all(one.reason for one in found)

    for columns in {frozenset(one) for one in COLUMNS_READ.values()}:
        names = [name for name, read in COLUMNS_READ.items() if {*read} == columns]
        null = dict.fromkeys((*columns, *PARTS))
        each_metric(names, [row | null for row in ROWS], check)


def test_empty_texts_and_lists_give_a_value_or_undefined_and_never_break():
    empty = {"question": "", "answer": "", "references": [""], "relevant": {}}
    empty |= {name: [] for name in ("contexts", "context_ids", "gold_contexts")}
    rows = [row | {name: value} for row in ROWS[:4] for name, value in empty.items()]
    rows += [row | {"references": []} for row in ROWS[:4]]
    rows += [row | {"contexts": ["", "  "], "gold_contexts": [""]} for row in ROWS[:4]]
    rows += [ROWS[0] | empty, ROWS[0] | empty | {"references": []}]
    rows = [row | dict.fromkeys(PARTS, 0.5) for row in rows]

    def check(label, found):
        assert_sound(label, found)
        assert {one.status for one in found} <= {Status.OK, Status.UNDEFINED}

    each(LABELS, rows, check)


STRANGE = {
    "chinese": "保险费为604美元，领土118。费用为293 × 2.061。",
    "arabic": "القسط هو ٦٠٤ دولارًا، أي 5٪ أكثر.",
    "emoji": "The fee 👨‍👩‍👧 is 💰604 🇬🇧🇬🇧 ✅",
    "full_width": "Ｔｈｅ　ｆｅｅ　ｉｓ　＄６０４．５０，　５％",
    "combining": "e\u0301" * 40 + " 6\u03050\u03054 " + "\u0301" * 3,
    "bidi": "\u202eeef ehT\u202c \u2066604\u2069 \u200f$5",
    "controls": "a\x00b\x1b[31mred\x1b[0m\r\n\u2028\ufeff\x85 604",
    "surrogate": "half \ud800 a character 604",
    "digits": "9" * 5000 + " " + "1," * 2000 + " 1e999 NaN -inf ½ ² ௧ 𝟨𝟢𝟦",
    "marks": "$$$ %%% ((( [[[ *** ... --- ''' \"\"\" \\ \\1 {0} %s <b> </script>",
    "spaces": " \t\n\u00a0\u3000" * 200,
    "one_word": "a" * 50_000,
}


@pytest.mark.slow
def test_text_of_any_script_gives_a_sound_score():
    rows = []
    for text in STRANGE.values():
        same = {"question": text, "answer": text, "references": [text], "gold_contexts": [text]}
        same |= {"contexts": [text, "fee"], "context_ids": [text, "d1"]}
        rows += [ROWS[0] | same, ROWS[0] | {"answer": text}]
        rows += [ROWS[0] | {"references": [text, "fee"], "contexts": [text, text]}]
    each(LABELS, rows, assert_sound)


@pytest.mark.slow
@pytest.mark.parametrize("has_model", [False, True])
def test_a_text_of_200_kb_gives_a_sound_score(has_model):
    names = [name for name, metric in LOCAL.items() if bool(metric.resources) is has_model]
    times = 290 if has_model else 2900  # a model takes its time
    long = "The yearly fee of Lantern Hut is $1,604.50 (5% more), says Rule C-1. " * times
    short = [ROWS[0] | {"answer": long, "contexts": [long] * 2, "context_ids": ["d1", "d2"]}]
    both = [short[0] | {"question": long, "references": [long[:-9]], "gold_contexts": [long]}]
    each_metric(names, short + both, assert_sound)


@pytest.mark.slow
def test_scores_are_the_same_whatever_seed_python_hashes_with():
    script = (
        "import runpy, sys, hashlib; sys.argv = ['']\n"
        f"test = runpy.run_path({__file__!r})\n"
        "labels = [test['USEFUL'].get(name, name) for name in test['LOCAL']]\n"
        "plans = {label: test['plan_of'](label) for label in labels}\n"
        "for label, scores in test['measured'](test['ROWS'], plans).items():\n"
        "    print(label, test['as_data'](scores))\n"
    )
    command, printed = [sys.executable, "-c", script], set()
    for seed in ("0", "1", "31337"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        printed.add(subprocess.check_output(command, env=environment, text=True))
    assert len(printed) == 1
    assert printed.pop().count("\n") == len(LOCAL)


def share(part, *others):
    total = len(part) + sum(map(len, others))
    return len(part) / total


def weighted(side):
    return np.average(side["best"], weights=side["weights"])


def support_of(e):
    weights = {
        "coverage": 1.6,
        "precision": 1.9,
        "best_sentence": 0.7,
        "missing": -0.5,
        "reader": 0.3,
    }
    values = [
        1 / (1 + math.exp(2.65 - sum(weight * each[part] for part, weight in weights.items())))
        for each in e["best_sentences"]
    ]
    words = [each["n_content_words"] for each in e["best_sentences"]]
    return (0.2 if e["differences"] else 1) * math.exp(np.average(np.log(values), weights=words))


def discounted(ranked):
    return sum(grade / math.log2(rank + 1) for rank, grade in ranked)


RECOMPUTED = {
    "answer_completeness": lambda e: (min(e["n_answer_words"] / e["n_reference_words"], 1) + share(e["matched"], e["unmatched"])) / 2,
    "answer_match": lambda e: max(e[part] for part in ("fuzzy_match", "gpt_score") if e[part] is not None),
    "bertscore": lambda e: 2 * e["precision"] * e["recall"] / (e["precision"] + e["recall"]) if "f1" in e else 0,
    "bertscore_precision": lambda e: weighted(e["answer"]) if "answer" in e else 0,
    "bertscore_recall": lambda e: weighted(e["reference"]) if "reference" in e else 0,
    "chrf": lambda e: corpus_chrf([e["parts"]])[0],
    "citation_quality": lambda e: min(len(e["found"]) / e["enough"], 1),
    "contains": lambda e: bool(e["found"]),
    "contains_any": lambda e: bool(e["found"]),
    "dont_know": lambda e: any(one["decides"] for one in e["matches"]),
    "exact_match": lambda e: "both" in e,
    "fuzzy_match": lambda e: e["contained"] or (e["ratio"] >= 90 and not e["numbers_that_differ"]),
    "hallucination": lambda e: max(e["n_unsupported"] / e["n_anchors"] if e["n_anchors"] else 0, e["topic_drift"]),
    "hybrid_relevance": lambda e: (e["cosine"] + e["jaccard"]) / 2,
    "keyword_coverage": lambda e: share(e["matched"], e["unmatched"]),
    "list_coverage": lambda e: share(e["found"], e["not_found"]),
    "list_found": lambda e: len(e["found"]),
    "list_total": lambda e: len(e["found"]) + len(e["not_found"]),
    "ndcg": lambda e: discounted((hit["rank"], hit["grade"]) for hit in e["hits"]) / discounted(enumerate(e["judged"], 1)),
    "not_contains": lambda e: not e["found"],
    "number": lambda e: bool(e["found"]),
    "number_match": lambda e: sum(one["credit"] for one in e["matches"]) / (len(e["matched"]) + len(e["unmatched"])),
    "number_precision": lambda e: share(e["supported"], e["invented"]),
    "passage_exact_match": lambda e: e["matched_gold"] is not None,
    "precision": lambda e: len(e["hits"]) / e["n_places"] if e["n_places"] else 0,
    "question_coverage": lambda e: share(e["matched"], e["missing"]) if e["matched"] or e["missing"] else 1,
    "ragas_score": lambda e: sum(e["parts"][name] * weight for name, weight in e["weights"].items()),
    "recall": lambda e: e["n_found"] / e["n_relevant"],
    "regex": lambda e: bool(e["found"]),
    "semantic_similarity": lambda e: min(1, max(0, e["cosine"])),
    "sentence_coverage": lambda e: min(max(column) for column in zip(*e["matrix"], strict=True)),
    "sentences_covered": lambda e: e["sentence_coverage"] > e["threshold"],
    "support": lambda e: support_of(e) if "best_sentences" in e else 0,
    "token_f1": lambda e: 2 * sum(e["shared"].values()) / (e["n_answer"] + e["n_reference"]) if e["n_answer"] or e["n_reference"] else 1,
    "topic_drift": lambda e: 0.2 if e["overlap"] is not None and e["overlap"] < 0.2 else 0,
}  # fmt: skip
"""From a score's evidence alone to its value."""


def from_hits(name: str) -> Callable[[Mapping[str, Any]], float]:
    """A ranking measure's value, from a table of hits made of nothing but the evidence."""

    def recomputed(e: Mapping[str, Any]) -> float:
        hits = [(0, hit["rank"], hit["grade"], hit.get("n_new", 1)) for hit in e["hits"]]
        query, rank, grade, n_new = np.array(hits, np.int64).reshape(-1, 4).T
        judged = np.array(e["judged"], np.int64)
        table = Hits(np.array([e["n_retrieved"]]), query, rank, grade, n_new, 0 * judged, judged)
        return MEASURES[name].values(table, {}).value[0]

    return recomputed


RECOMPUTED = {name: from_hits(name) for name in MEASURES} | RECOMPUTED


def test_the_evidence_is_enough_to_recompute_the_value():
    def check(name, found):
        scored = [score for score in found[:4] if score.value is not None]
        assert scored
        for score in scored:
            evidence = json.loads(evidence_json(score.evidence))
            rounded = 2e-6 if LOCAL[name].resources else None  # cosines have six digits there
            assert float(RECOMPUTED[name](evidence)) == approx(score.value, abs=rounded)

    each_metric([name for name in LOCAL if name in RECOMPUTED], ROWS, check)
