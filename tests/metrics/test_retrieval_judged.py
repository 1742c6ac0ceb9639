"""Context precision and recall, worked out by hand over the replies of a scripted judge."""

import json

from cases import cases
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

import ragauge as rg
from ragauge.features.judged import RelevantContexts
from ragauge.judges.questions import Relevance
from ragauge.metrics.relevance import context_precision

QUESTION = "What is the fee?"
CONTEXTS = ["The fee is $5.", "Dogs sleep.", "It was $4 once."]


def relevant(*flags):
    rows = enumerate(flags, 1)
    return {"verdicts": [{"context": n, "reason": f"reason {n}", "relevant": r} for n, r in rows]}


def score(label, script, **fields):
    """The score, and the requests that were made for it."""
    judge = rg.ScriptedJudge(script)
    found = rg.score(label, judge=judge, **{"question": QUESTION, "contexts": CONTEXTS, **fields})
    return found, judge.requests


def prompts(requests):
    return [one.prompt for one in requests]


# Context precision.

AVERAGES = ["context_precision", 'context_precision(average="ap")']


@cases(
    ((True, True, True), 1.0, 1.0),
    ((True, False, False), 1 / 3, 1.0),
    ((False, False, True), 1 / 3, 1 / 3),
    ((False, True, True), 2 / 3, (1 / 2 + 2 / 3) / 2),
    ((True, False, True), 2 / 3, (1 + 2 / 3) / 2),
    ((False, False, False), 0.0, 0.0),
)
def test_relevant_contexts_of_all_and_by_their_ranks(flags, mean, ap):
    for label, value in zip(AVERAGES, (mean, ap), strict=True):
        found, requests = score(label, {"relevance": relevant(*flags)})
        assert found.value == approx(value, abs=1e-15)
        assert prompts(requests) == ["relevance"]
        expected = [{"relevant": flag, "reason": f"reason {n}"} for n, flag in enumerate(flags, 1)]
        assert found.evidence["contexts"] == expected
        assert found.evidence["calls"][0]["prompt"] == "relevance"
        json.dumps(found.evidence)


@cases(
    ("context_precision", "context_precision(on_no_contexts=0)"),
    ('context_precision(average="ap")', 'context_precision(average="ap",on_no_contexts=0)'),
)
def test_nothing_retrieved_has_no_value_or_the_one_that_is_set(label, with_value):
    found, requests = score(label, {}, contexts=[])
    assert (found.value, found.status, requests) == (None, "undefined", [])
    found, requests = score(with_value, {}, contexts=[])
    assert (found.value, requests) == (0.0, [])


def test_mean_and_ap_of_one_run_share_the_call():
    judge = rg.ScriptedJudge({"relevance": relevant(False, True, True)})
    row = {"id": "1", "question": QUESTION, "contexts": CONTEXTS}
    run = rg.evaluate([row], AVERAGES, judge=judge)
    assert run.scores["value"].to_list() == approx([2 / 3, 7 / 12])
    assert len(judge.requests) == 1


def test_ragas_adds_a_little_to_the_count():
    label = 'context_precision(variant="ragas-0.4")'
    found, _ = score(label, {"relevance": relevant(True, False, False)})
    assert found.value == 1 / (1 + 1e-10)
    assert score(label, {"relevance": relevant(False, False, False)})[0].value == 0
    assert score(label, {}, contexts=[])[0].status == "undefined"


def verdicts(flags):
    return RelevantContexts(tuple(Relevance(flag, "") for flag in flags))


FLAGS = st.lists(st.booleans(), min_size=1, max_size=30)


@given(FLAGS)
def test_ap_is_what_counting_at_every_rank_gives(flags):
    value = context_precision(verdicts(flags), judge=None, average="ap").value
    at_ranks = [sum(flags[: rank + 1]) / (rank + 1) for rank in range(len(flags)) if flags[rank]]
    assert value == approx(sum(at_ranks) / len(at_ranks) if at_ranks else 0.0, abs=1e-12)
    assert 0 <= value <= 1


@given(FLAGS, st.randoms())
def test_the_order_changes_ap_alone_and_the_best_order_is_relevant_ones_first(flags, chance):
    other = chance.sample(flags, len(flags))
    means = {context_precision(verdicts(each), judge=None).value for each in (flags, other)}
    assert means == {sum(flags) / len(flags)}
    best = context_precision(verdicts(sorted(flags)[::-1]), judge=None, average="ap").value
    assert best == (1.0 if any(flags) else 0.0)
    assert context_precision(verdicts(other), judge=None, average="ap").value <= best


# Context recall.


def by_reference(request):
    """A statement a reference; those that say $5 are found, those that greet make none."""
    text = request.messages[1].content
    if request.prompt == "claims":
        made = [] if "Hello" in text else ["$5" if "$5" in text else "$9"]
        return {"sentences": [{"sentence": 1, "claims": made, "claim_free": not made}]}
    is_found = "$5" in text.partition("<claims")[2]
    row = {"reason": "r", "context": 0, "quote": ""}
    return {"verdicts": [{"claim": 1, "supported": is_found, **row}]}


def several(label, *references):
    return score(label, by_reference, references=references, contexts=["The fee is so."])[0]


def test_the_best_reference_counts():
    found = several("context_recall", "It is $9.", "It is $5.")
    assert (found.value, found.evidence["best_reference"]) == (1.0, 1)
    assert several("context_recall", "It is $9.", "It was $9.").value == 0.0
    assert several("context_recall", "Hello!", "It is $9.").value == 0.0


def test_a_reference_without_statements_is_no_way_to_full_recall():
    label = "context_recall(on_no_statements=1)"
    for nothing in ("Hello!", ""):
        for references in ((nothing, "It is $9."), ("It is $9.", nothing)):
            assert several(label, *references).value == 0.0
        assert several(label, nothing, "It is $5.").value == 1.0
        assert several(label, nothing, nothing).value == 1.0
