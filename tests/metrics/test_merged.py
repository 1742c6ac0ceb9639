"""Claims found and judged in one call: `merged=true`."""

import pytest

import ragauge as rg
from ragauge.judges.config import JudgeConfig

ANSWER = "It is $5 and dogs are free. Have a nice day!"
CONTEXTS = ["Nothing here.", "The fee is $5 a year."]


def claim(text, *, supported, quote=""):
    place = 2 if supported else 0
    return {"claim": text, "reason": "…", "supported": supported, "context": place, "quote": quote}


def sentence(number, *claims):
    return {"sentence": number, "claims": list(claims), "claim_free": not claims}


FEE = claim("It is $5", supported=True, quote="fee is $5")
GOOD = {"sentences": [sentence(1, FEE, claim("Dogs are free", supported=False)), sentence(2)]}


def scored(judge, label="faithfulness(merged=true)", **fields):
    fields = {"question": "What is the fee?", "answer": ANSWER, "contexts": CONTEXTS, **fields}
    return rg.score(label, judge=judge, **fields)


def test_one_call_finds_the_claims_and_judges_them():
    judge = rg.ScriptedJudge({"support_at_once": GOOD})
    found = scored(judge)
    assert found.value == 1 / 2
    assert [one.prompt for one in judge.requests] == ["support_at_once"]
    first, second = found.evidence["claims"]
    assert (first["context"], first["start"], first["end"]) == (1, 4, 13)
    assert second == {"claim": "Dogs are free", "supported": False, "reason": "…"}
    assert found.evidence["claim_free"] == ["Have a nice day!"]


def test_of_a_reference_it_is_the_recall():
    judge = rg.ScriptedJudge({"support_at_once": GOOD})
    fields = {"question": "What is the fee?", "reference": ANSWER, "contexts": CONTEXTS}
    assert rg.score("context_recall(merged=true)", judge=judge, **fields).value == 1 / 2


def test_without_contexts_the_claims_alone_are_asked_for():
    claims = {"sentences": [{"sentence": 1, "claims": ["It is $5"], "claim_free": False}]}
    judge = rg.ScriptedJudge({"claims": claims})
    assert scored(judge, answer="It is $5.", contexts=[]).value == 0
    assert scored(rg.ScriptedJudge({}), answer=" ").status == "undefined"


def test_what_does_not_fit_the_window_takes_two_calls():
    def script(request):
        assert request.prompt != "support_at_once"
        if request.prompt == "claims":
            return {"sentences": [{"sentence": 1, "claims": ["It is $5"], "claim_free": False}]}
        return {"verdicts": [{**claim("", supported=False), "claim": 1}]}

    judge = JudgeConfig([rg.ScriptedJudge(script)], window=3_000)
    long = ["It rains in the hills. " * 800]
    rows = [{"id": "1", "question": "q", "answer": "It is $5.", "contexts": long}]
    run = rg.evaluate(rows, "faithfulness(merged=true)", judge=judge)
    assert run.scores["value"].to_list() == [0.0]
    assert run.scores["metric"][0].startswith("faithfulness(merged=true,judge=")


@pytest.mark.parametrize(
    "wrong",
    [
        {"sentences": GOOD["sentences"][:1]},
        {"sentences": [GOOD["sentences"][0], GOOD["sentences"][0]]},
        {"sentences": [sentence(1, *[claim("It is $5", supported=True)] * 2), sentence(2)]},
        {"sentences": [{"sentence": 1, "claims": [], "claim_free": False}, sentence(2)]},
        {"sentences": [{**GOOD["sentences"][0], "claim_free": True}, sentence(2)]},
    ],
)
def test_what_is_not_one_entry_a_sentence_with_claims_or_a_mark_is_no_verdict(wrong):
    judge = rg.ScriptedJudge({"support_at_once": [wrong, wrong]})
    found = scored(judge)
    assert (found.status, found.value, len(judge.requests)) == ("failed", None, 2)
    assert scored(rg.ScriptedJudge({"support_at_once": [wrong, GOOD]})).value == 1 / 2
