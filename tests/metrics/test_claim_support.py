"""Faithfulness, context recall and factual correctness, worked out by hand over the replies of a scripted judge."""

import json
from dataclasses import replace

import pytest
from cases import cases
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx

import ragauge as rg
from ragauge.errors import LabelError
from ragauge.features.judged import Claims, Supports
from ragauge.judges.questions import Support
from ragauge.metrics.claim_support import factual_correctness, faithfulness, ngrams
from ragauge.metrics.relevance import context_recall

QUESTION = "What is the fee?"
ANSWER = "It is $5. Dogs are free. Cats pay. Welcome!"
CONTEXTS = ["Lantern Hut asks a fee of $5.", "Dogs stay for free."]
CLAIMS = ["The fee is $5", "Dogs are free", "Cats pay"]


def claims(*texts):
    """Each sentence makes one claim; None marks one that makes none."""
    rows = [{"claims": [text] if text else [], "claim_free": not text} for text in texts]
    return {"sentences": [{"sentence": place, **row} for place, row in enumerate(rows, 1)]}


def verdicts(*supported, quote="", context=0):
    row = {"reason": "r", "context": context, "quote": quote}
    rows = [{"claim": n, "supported": one, **row} for n, one in enumerate(supported, 1)]
    return {"verdicts": rows}


def score(script, label="faithfulness", **fields):
    """The score, and the prompts of what was asked for it."""
    judge = rg.ScriptedJudge(script)
    given = {"question": QUESTION, "answer": ANSWER, "contexts": CONTEXTS} | fields
    found = rg.score(label, judge=judge, **given)
    return found, [one.prompt for one in judge.requests]


ALL_CLAIMS = claims(*CLAIMS, None)


# What is read for each label, and its setting for a text that makes no claim.
SUPPORT = pytest.mark.parametrize(
    ("label", "field", "setting"),
    [
        ("faithfulness", "answer", "on_no_claims"),
        ("context_recall", "reference", "on_no_statements"),
    ],
)


@SUPPORT
def test_claims_supported_of_claims_asked(label, field, setting):
    for n_supported in range(4):
        flags = [at < n_supported for at in range(3)]
        script = {"claims": ALL_CLAIMS, "support": verdicts(*flags)}
        found, asked = score(script, label, **{field: ANSWER})
        assert found.value == approx(n_supported / 3)
        assert asked == ["claims", "support"]
        assert [one["supported"] for one in found.evidence["claims"]] == flags
        assert found.evidence["claim_free"] == ["Welcome!"]


@SUPPORT
def test_a_text_without_claims_has_no_value_or_the_one_that_is_set(label, field, setting):
    free = {"claims": claims(None, None, None, None)}
    for contexts in (CONTEXTS, []):
        fields = {field: ANSWER, "contexts": contexts}
        found, asked = score(free, label, **fields)
        assert (found.value, found.status, asked) == (None, "undefined", ["claims"])
        assert len(found.evidence["claim_free"]) == 4
        for value in (0, 0.5, 1):
            found, asked = score(free, f"{label}({setting}={value})", **fields)
            assert (found.value, asked) == (value, ["claims"])


@SUPPORT
def test_a_blank_text_makes_no_claim_and_no_judge_is_asked(label, field, setting):
    for text in ("", " \n", "\u200b"):
        found, asked = score({}, label, **{field: text})
        assert (found.status, asked) == ("undefined", [])
        for contexts in (CONTEXTS, []):
            fields = {field: text, "contexts": contexts}
            assert score({}, f"{label}({setting}=1)", **fields)[0].value == 1.0


@SUPPORT
def test_claims_without_any_context_are_unsupported(label, field, setting):
    for name in (label, f"{label}({setting}=1)"):
        found, asked = score({"claims": ALL_CLAIMS}, name, contexts=[], **{field: ANSWER})
        assert (found.value, asked) == (0.0, ["claims"])
        assert [one["supported"] for one in found.evidence["claims"]] == [False] * 3


def test_statements_and_claims_of_the_same_text_are_asked_once():
    judge = rg.ScriptedJudge({"claims": ALL_CLAIMS, "support": verdicts(True, False, False)})
    row = {"id": "1", "question": QUESTION, "answer": ANSWER, "reference": ANSWER}
    labels = ["faithfulness", "context_recall"]
    run = rg.evaluate([{**row, "contexts": CONTEXTS}], labels, judge=judge)
    assert run.scores["value"].to_list() == [1 / 3, 1 / 3]
    assert len(judge.requests) == 2


def test_the_evidence_has_claims_reasons_quotes_and_calls():
    said = verdicts(True, False, False, quote="fee of $5", context=1)
    found, _ = score({"claims": ALL_CLAIMS, "support": said})
    first, second, _ = found.evidence["claims"]
    start = CONTEXTS[0].index("fee of")
    said = {"claim": "The fee is $5", "supported": True, "reason": "r", "quote": "fee of $5"}
    place = {"quote_found": True, "context": 0, "start": start, "end": start + len("fee of $5")}
    assert first == said | place
    assert second == {"claim": "Dogs are free", "supported": False, "reason": "r"}
    assert [one["prompt"] for one in found.evidence["calls"]] == ["claims", "support"]
    assert "needs_review" not in found.evidence
    json.dumps(found.evidence)


def test_a_quote_that_was_made_up_asks_for_review_and_does_not_change_the_value():
    said = verdicts(True, False, False, quote="Dogs stay for free, always", context=2)
    found, _ = score({"claims": ALL_CLAIMS, "support": said})
    assert found.value == approx(1 / 3)
    assert (found.evidence["needs_review"], found.evidence["quotes_not_found"]) == (True, 1)


def supports(*flags):
    return Supports(tuple(Support("…", one, "") for one in flags), Claims(()))


@given(st.lists(st.booleans(), min_size=1), st.integers(0, 100))
def test_a_supported_claim_more_never_lowers_it_and_the_order_is_all_one(flags, at):
    def value(flags):
        shares = {
            share(supports(*flags), judge=None).value for share in (faithfulness, context_recall)
        }
        assert len(shares) == 1
        return shares.pop()

    assert (
        0 <= value([*flags, False]) <= value(flags) <= value([*flags[:at], True, *flags[at:]]) <= 1
    )
    assert value(flags[::-1]) == value(flags)


def correctness(label="factual_correctness", **script):
    """An answer of three claims and a reference of two: two of the answer's, one of the reference's
    are supported by the other side."""
    stages = {"answer": ALL_CLAIMS, "reference": claims("The fee is $5", "Boots stay outside")}
    support = {"answer": verdicts(True, True, False), "reference": verdicts(True, False)}
    parts = {"claims": stages, "support": support}

    def reply(request):
        text = request.messages[1].content
        of_reference = "Boots" in (
            text if request.prompt == "claims" else text.partition("<claims")[2]
        )
        side = "reference" if of_reference else "answer"
        return script.get(f"{side}_{request.prompt}", parts[request.prompt][side])

    return score(reply, label, contexts=None, reference="It is $5. Boots stay outside.")


@cases(
    # precision 2/3, recall 1/2, F1 = 2 · 2/3 · 1/2 / (2/3 + 1/2) = 4/7
    ("factual_correctness", 4 / 7),
    ('factual_correctness(of="precision")', 2 / 3),
    ('factual_correctness(of="recall")', 1 / 2),
    # tp 2, fp 1, fn 1: tp / (tp + (fp + fn) / 2) = 2/3; tp / (tp + fp); tp / (tp + fn)
    ('factual_correctness(variant="ragas-0.4")', 0.67),
    ('factual_correctness(of="precision",variant="ragas-0.4")', 0.67),
    ('factual_correctness(of="recall",variant="ragas-0.4")', 0.67),
)
def test_precision_and_recall_have_claims_of_their_own(label, value):
    found, asked = correctness(label)
    assert found.value == approx(value)
    assert sorted(asked) == ["claims", "claims", "support", "support"]


def test_nothing_shared_is_0_and_not_a_division_by_it():
    none = {"answer_support": verdicts(*[False] * 3), "reference_support": verdicts(False, False)}
    for options in ("", '(of="precision")', '(variant="ragas-0.4")'):
        assert correctness(f"factual_correctness{options}", **none)[0].value == 0


@cases(
    *(("answer", "f1", None), ("answer", "precision", None), ("answer", "recall", 1 / 2)),
    *(
        ("reference", "f1", None),
        ("reference", "precision", 2 / 3),
        ("reference", "recall", None),
    ),
)
def test_a_side_without_claims_has_no_share_of_them(side, of, value):
    none = claims(*[None] * (4 if side == "answer" else 2))
    found, _ = correctness(f'factual_correctness(of="{of}")', **{f"{side}_claims": none})
    assert found.value == (value and approx(value))
    if value is None:
        assert (found.status, found.reason) == ("undefined", f"the {side} makes no claim")


@settings(max_examples=settings.default.max_examples // 2)
@given(st.lists(st.booleans(), min_size=1), st.lists(st.booleans(), min_size=1))
def test_f1_lies_between_precision_and_recall(ours, theirs):
    sides = supports(*ours), supports(*theirs)
    precision, recall, f1 = (
        factual_correctness(*sides, judge=None, of=of).value for of in ("precision", "recall", "f1")
    )
    assert precision == sum(ours) / len(ours)
    assert recall == sum(theirs) / len(theirs)
    assert min(precision, recall) - 1e-9 <= f1 <= max(precision, recall) + 1e-9
    assert factual_correctness(*sides[::-1], judge=None).value == approx(f1)


def test_evidence_of_both_sides_is_shown():
    sides = supports(True, False), replace(supports(True), n_pieces=3)
    evidence = factual_correctness(*sides, judge=None).evidence
    assert (evidence["precision"], evidence["recall"]) == (0.5, 1.0)
    assert evidence["reference"]["contexts_shown_in"] == 3


# Claims found and judged in one call: `merged=true`.


def judged(text, *, supported, quote=""):
    place = 1 if supported else 0
    return {"claim": text, "reason": "…", "supported": supported, "context": place, "quote": quote}


def sentence(number, *claims):
    return {"sentence": number, "claims": list(claims), "claim_free": not claims}


FEE = judged("It is $5", supported=True, quote="a fee of $5")
GOOD = {"sentences": [sentence(1, FEE, judged("Dogs are free", supported=False)), sentence(2)]}
TWO = "It is $5 and dogs are free. Have a nice day!"
MERGED = "faithfulness(merged=true)"


def test_one_call_finds_the_claims_and_judges_them():
    found, asked = score({"support_at_once": GOOD}, MERGED, answer=TWO)
    assert (found.value, asked) == (1 / 2, ["support_at_once"])
    first, second = found.evidence["claims"]
    assert (first["context"], first["start"], first["end"]) == (0, 17, 28)
    assert second == {"claim": "Dogs are free", "supported": False, "reason": "…"}
    assert found.evidence["claim_free"] == ["Have a nice day!"]
    recall = score({"support_at_once": GOOD}, "context_recall(merged=true)", reference=TWO)[0]
    assert recall.value == 1 / 2


def test_without_contexts_the_claims_alone_are_asked_for():
    script = {"claims": claims("It is $5")}
    assert score(script, MERGED, answer="It is $5.", contexts=[])[0].value == 0
    assert score({}, MERGED, answer=" ")[0].status == "undefined"


def test_what_does_not_fit_the_window_takes_two_calls():
    script = {"claims": claims("It is $5"), "support": verdicts(False)}
    judge = rg.JudgeConfig([rg.ScriptedJudge(script)], window=3_000)
    long = ["It rains in the hills. " * 800]
    rows = [{"id": "1", "question": "q", "answer": "It is $5.", "contexts": long}]
    run = rg.evaluate(rows, MERGED, judge=judge)
    assert run.scores["value"].to_list() == [0.0]
    assert run.scores["metric"][0].startswith("faithfulness(merged=true,judge=")


@pytest.mark.parametrize(
    "wrong",
    [
        GOOD["sentences"][:1],
        [GOOD["sentences"][0], GOOD["sentences"][0]],
        [sentence(1, *[judged("It is $5", supported=True)] * 2), sentence(2)],
        [{"sentence": 1, "claims": [], "claim_free": False}, sentence(2)],
        [{**GOOD["sentences"][0], "claim_free": True}, sentence(2)],
    ],
)
def test_what_is_not_one_entry_a_sentence_with_claims_or_a_mark_is_no_verdict(wrong):
    wrong = {"sentences": wrong}
    found, asked = score({"support_at_once": [wrong, wrong]}, MERGED, answer=TWO)
    assert (found.status, found.value, len(asked)) == ("failed", None, 2)
    assert score({"support_at_once": [wrong, GOOD]}, MERGED, answer=TWO)[0].value == 1 / 2


def hallucination(answer: str, contexts: list[str], settings: str = 'extractor="embedded"'):
    return rg.score(f"hallucination({settings})", answer=answer, contexts=contexts)


def drift(answer: str, contexts: list[str], label: str = "topic_drift"):
    return rg.score(label, answer=answer, contexts=contexts)


def test_half_of_two_anchors_unsupported_is_a_half():
    # $5 is there; 2021 is not, only 2020. Overlap 2 of 5 words (5, in): no drift.
    score = hallucination("It cost $5 in 2021.", ["$5 in 2020"])
    assert score.value == 0.5
    assert (score.evidence["n_anchors"], score.evidence["n_unsupported"]) == (2, 1)
    assert score.evidence["overlap"] == 2 / 5


KINDS = "Acme bought Initech in March 2021 for $5 million, a gain of 12%."


@cases(
    ("Acme released the Pear phone in 2016 for $649.", "In 2016, Acme released the Pear phone; it cost $649.", 0),
    ("Acme released the Pear phone.", "Globex released the Pear phone.", 1),
    ("There is 1 dog", "There is one dog", 0),
    ("Revenue reached $3.2bn.", "$3.2bn revenue reached", 0),
    # claim: no; March 2021: no; $5 million: yes; 12%: no → 3 of 4
    (KINDS, "Globex bought Initech in March 2020 for a price of $5,000,000, a gain of 12.", 3 / 4),
    # Each mention counts: 7 twice, 8 once; only the 8 stands in the context.
    ("It is 7, yes 7, not 8", "it is not 8, yes", 2 / 3),
    # Without anchors only the drift counts.
    ("It may rain in the hills", "unrelated", 0.2),
    ("It may rain in the hills", "rain in the hills", 0),
    ("", "anything", 0),
    ("…!?", "", 0),
)  # fmt: skip
def test_the_share_of_anchors_that_no_context_supports(answer, context, value):
    assert hallucination(answer, [context]).value == value


def test_drift_is_the_least_when_few_anchors_are_unsupported():
    # 1 of 10 numbers unsupported (0.1); words found: the nine numbers of 10 + 40 others < 0.2
    numbers = " ".join(f"{n};" for n in range(10, 20))
    others = " ".join(f"w{letter}x" for letter in "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrst")
    answer = f"{numbers} {others} {' '.join(f'q{n}q' for n in range(20))}"
    context = " ".join(f"{n};" for n in range(10, 19))
    score = hallucination(answer, [context])
    assert score.evidence["n_unsupported"] == 1
    assert score.evidence["overlap"] == 9 / (10 + 26 + 20)
    assert score.value == 0.2


def test_each_anchor_in_the_evidence_says_where_it_stands_and_what_bears_it_out():
    contexts = ["none", "Price: 1000 dollars (2021-03-05)"]
    score = hallucination("It cost $1,000 on 5 March 2021.", contexts)
    price, date = "1000 dollars", "2021-03-05"
    assert score.evidence["anchors"] == [
        {"kind": "number", "value": "1000", "unit": "USD", "text": "$1,000", "start": 8, "end": 14, "supported": True, "by": {"context": 1, "start": 7, "end": 19, "text": price}},
        {"kind": "date", "parts": {"year": 2021, "month": 3, "day": 5}, "text": "5 March 2021", "start": 18, "end": 30, "supported": True, "by": {"context": 1, "start": 21, "end": 31, "text": date}},
    ]  # fmt: skip
    assert score.evidence["extractor"] == "embedded"


def test_the_evidence_of_very_many_anchors_is_cut_and_says_so():
    score = hallucination("7. " * 1_500, ["8"])
    assert (score.evidence["n_anchors"], score.evidence["n_anchors_cut"]) == (1_500, 500)
    assert score.value == 1


@cases(
    *(("a b c d e", ["a"], 0.0), ("a b c d e f", ["a"], 0.2)),  # 1/5 is not below 0.2, 1/6 is
    ("a a a a a b", ["b"], 0.0),  # distinct: 1/2
    *(("The CAT!", ["the, cat"], 0.0), ("", ["a"], 0.0), ("?!", ["a"], 0.0)),
    *(("a", [], 0.2), ("a", [""], 0.2)),
    *(("北京是首都", ["中国的首都是北京"], 0.0), ("北京是首都", ["上海"], 0.2)),
)
def test_fewer_than_a_fifth_of_the_words_found_is_drift(answer, contexts, value):
    assert drift(answer, contexts).value == value


def test_bigrams_do_not_reach_from_one_context_into_the_next():
    # bigrams of the answer: "a b", "b c"; "a b" spans two contexts, "b c" is in the second
    score = drift("a b c", ["x a", "b c"], "topic_drift(n=2)")
    assert score.evidence["overlap"] == 1 / 2
    assert score.evidence["ngrams_missing"] == ["a b"]
    assert drift("a b c", ["a", "b", "c"], "topic_drift(n=2)").value == 0.2
    assert drift("a", ["b"], "topic_drift(n=2)").value == 0


def test_hallucination_takes_its_n_from_its_label():
    answer, contexts = "pears grow here", ["here grow pears"]
    assert hallucination(answer, contexts).value == 0
    assert hallucination(answer, contexts, 'extractor="embedded",n=2').value == 0.2
    with pytest.raises(LabelError, match="n must be at least 1, got 0"):
        ngrams(["a"], 0)


@given(st.text(max_size=60), st.lists(st.text(max_size=60), max_size=3))
def test_one_more_context_never_makes_it_worse(answer: str, contexts: list[str]):
    fewer = hallucination(answer, contexts).value
    more = hallucination(answer, [*contexts, answer]).value
    assert fewer is not None
    assert more == 0 <= fewer <= 1
