"""What judges are asked: that prompts, schemas and readers agree, and that N asked are N read."""

import asyncio
import json
import re

import pytest
from cases import cases

import ragauge as rg
from ragauge.judges import questions
from ragauge.judges.prompts import Prompts
from ragauge.judges.questions import Criterion, GeneratedQuestion, Graded, Relevance
from ragauge.judges.replies.finding import read_json
from ragauge.judges.session import JudgeSession
from ragauge.score import Score

CONTEXTS = ["Lantern Hut has 12 beds. The fee is $5.", "Dogs sleep in the shed."]


def grading(*steps, low=1, high=5, **texts):
    fields = dict.fromkeys(("question", "answer", "references", "contexts"))
    return questions.grade("Is it polite?", steps, fields | texts, low, high)


EVERY = {
    "claims": questions.claims("What is the fee?", ["It is $5.", "Dogs are free."]),
    "support": questions.support(CONTEXTS, ["The fee is $5", "Dogs are free"]),
    "relevance": questions.relevance("What is the fee?", CONTEXTS, ["It is $5."]),
    "questions": questions.questions("It is $5.", 3),
    "rubric": questions.rubric("What is the fee?", "It is $5."),
    "accuracy": questions.accuracy("What is the fee?", "It is $5.", "It is $6."),
    "verdict": questions.verdict("What is the fee?", ["It is $5."], "It is $6."),
    "criteria": questions.criteria("What is the fee?", "It is $5.", "It is $6."),
    "g_eval_steps": questions.steps("Is it polite?", 1, 5),
    "g_eval": grading("Read.", answer="Hi."),
}


def ask(question, *replies):
    """What comes of the question when the judge says these one after the other, and its requests."""
    judge = rg.ScriptedJudge(list(replies))
    answered = asyncio.run(JudgeSession(judge).ask(question))
    return answered if isinstance(answered, Score) else answered.value, judge.requests


def read(question, reply):
    """What is read of a first reply that is right."""
    value, requests = ask(question, reply)
    assert len(requests) == 1
    return value


def assert_refused(question, wrong, right, problem):
    """The wrong reply is asked to be mended with the problem told, the right one then counts; two
    wrong ones are a failure that shows both."""
    value, requests = ask(question, wrong, right)
    assert not isinstance(value, Score)
    roles = [one.role for one in requests[1].messages]
    assert (len(requests), roles) == (2, ["system", "user", "assistant", "user"])
    assert problem in requests[1].messages[-1].content
    failed, requests = ask(question, wrong, wrong)
    assert (failed.value, failed.status, len(requests)) == (None, "failed", 2)
    assert problem in failed.reason and question.prompt in failed.reason
    (call,) = failed.evidence["calls"]
    said = wrong if isinstance(wrong, str) else json.dumps(wrong, ensure_ascii=False)
    assert call["reply"] == said and problem in call["wrong"]


@pytest.mark.parametrize("name", EVERY)
def test_a_reply_as_it_might_come_can_be_read_and_the_prompt_shows_its_fields(name):
    question = EVERY[name]
    question.read(read_json(json.dumps(question.stand_in), question.schema))
    text = Prompts().by_name[name].text
    for field in _fields(question.schema):
        assert f'"{field}":' in text


def _fields(schema):
    if schema["type"] == "array":
        yield from _fields(schema["items"])
    for name, inner in schema.get("properties", {}).items():
        yield name
        yield from _fields(inner)


def sentence(number, *claims, free=False):
    return {"sentence": number, "claims": list(claims), "claim_free": free}


CLAIMS_READ = {"sentences": [sentence(1, "The fee is $5"), sentence(2, free=True)]}


def verdict_on(claim, supported, quote="", context=0):
    verdict = {"claim": claim, "reason": "because", "supported": supported}
    return {**verdict, "context": context, "quote": quote}


SUPPORT_READ = {"verdicts": [verdict_on(1, True, "The fee is $5", 1), verdict_on(2, False)]}


@cases(
    (verdict_on(1, True, "The fee is $5", 1), "The fee is $5"),
    *((verdict_on(1, True, "fee is $5", named), "fee is $5") for named in (0, 2, 3, -7, 10**9)),
    (verdict_on(1, True, "The fee is $50", 1), None),
    (verdict_on(1, False, "The fee is $5", 1), None),
)
def test_a_quote_is_looked_up_in_the_context_that_is_named_and_then_in_the_others(verdict, found):
    said = [verdict, verdict_on(2, False)]
    stated, other = read(EVERY["support"], {"verdicts": said})
    assert read(EVERY["support"], json.dumps(said)) == (stated, other), "the array alone"
    assert (stated.claim, stated.supported) == ("The fee is $5", verdict["supported"])
    assert (other.supported, other.context, other.start, other.quote) == (False, None, None, "")
    own = {"claim": "The fee is $5", "supported": verdict["supported"], "reason": "because"}
    if found:
        assert stated.context == 0
        assert CONTEXTS[0][stated.start : stated.end] == found
    else:
        quote = {"quote": verdict["quote"], "quote_found": False} if verdict["supported"] else {}
        assert (stated.is_quoted, stated.context) == (False, None)
        assert stated.as_data() == own | quote


def test_a_quote_that_stands_twice_is_taken_from_the_context_that_is_named():
    twice = questions.support(["The fee is $5.", "Yes: the fee is $5."], ["It is $5"])
    (stated,) = read(twice, {"verdicts": [verdict_on(1, True, "fee is $5", 2)]})
    assert stated.context == 1


def relevant(*flags, start=1):
    return {
        "verdicts": [
            {"context": place, "reason": "…", "relevant": flag}
            for place, flag in enumerate(flags, start)
        ]
    }


def test_references_are_shown_where_there_are_some():
    for references in (None, []):
        assert questions.relevance("Q?", CONTEXTS, references).texts["references"] is None
    assert questions.relevance("Q?", CONTEXTS, ["a", "b"]).texts["references"] == ["a", "b"]


def asked_back(*texts, noncommittal=False):
    return {"questions": [{"question": text, "noncommittal": noncommittal} for text in texts]}


@pytest.mark.parametrize("n", [1, 5])
def test_as_many_questions_as_are_wanted(n):
    question = questions.questions("It is $5.", n)
    right = asked_back(*(f"question {place}?" for place in range(n)))
    assert len(read(question, right)) == n
    assert re.search(rf"\b{n}\b", _told(question).partition("</answer")[2])
    more = asked_back(*["more?"] * (n + 1))
    assert_refused(question, more, right, f"must have {n} entries")


def _told(question):
    return Prompts().messages(question.prompt, question.texts, question.words)[1].content


def accuracies(correctness=80, completeness=80, consistency=80, **others):
    scores = {"correctness": correctness, "completeness": completeness, "consistency": consistency}
    return {name: {"reason": name, "score": score} for name, score in scores.items()} | others


def criteria_said(*verdicts):
    return {
        "criteria": [
            {"criterion": place, "reason": "…", "verdict": verdict}
            for place, verdict in enumerate(verdicts, 1)
        ]
    }


FIVE = ("met", "met", "not met", "met", "not applicable")


def test_the_steps_stand_numbered_in_the_prompt():
    question = grading("Read.", "Grade.", low=0, high=3, answer="Hi.")
    told = _told(question)
    assert question.wants_logprobs
    assert re.search(r"\b0\b.*\b3\b", told.partition("</answer")[2])
    assert "Is it polite?" in told
    assert "1. Read.\n2. Grade.\n" in told


def graded(score):
    return {"reason": "r", "score": score}


def judged(verdict):
    return {"reason": "r", "verdict": verdict}


@cases(
    ("claims", CLAIMS_READ, (("The fee is $5",), ())),
    ("claims", {"sentences": CLAIMS_READ["sentences"][::-1]}, (("The fee is $5",), ())),
    (
        "claims",
        {"sentences": [sentence(1, "It is $5", " It is $5 ", "So"), sentence(2, free=True)]},
        (("It is $5", "So"), ()),
    ),
    ("relevance", relevant(True, False), (Relevance(True, "…"), Relevance(False, "…"))),
    (
        "questions",
        asked_back("a?", "b?", " c? "),
        tuple(GeneratedQuestion(f"{x}?", False) for x in "abc"),
    ),
    ("questions", asked_back(), ()),
    *(("rubric", graded(score), Graded(float(score), "r")) for score in (0, 0.25, 1, 1.0, "0.75")),
    ("g_eval", graded(1), Graded(1.0, "r")),
    ("g_eval", graded(5), Graded(5.0, "r")),
    *(
        ("verdict", said, Criterion("CORRECT", ""))
        for said in ("CORRECT", "correct", "  **Correct**.\n", '"CORRECT"')
    ),
    ("verdict", judged("wrong."), Criterion("WRONG", "r")),
    ("verdict", f"```json\n{json.dumps(judged('WRONG'))}\n```", Criterion("WRONG", "r")),
    ("criteria", criteria_said(*FIVE), tuple(Criterion(one, "…") for one in FIVE)),
    (
        "accuracy",
        accuracies(0, 100, 62.5, final_score=100),
        {
            "correctness": Graded(0.0, "correctness"),
            "completeness": Graded(100.0, "completeness"),
            "consistency": Graded(62.5, "consistency"),
        },
    ),
)
def test_a_reply_is_read_as_what_it_says(name, said, expected):
    assert read(EVERY[name], said) == expected


RIGHT = {
    "claims": CLAIMS_READ,
    "support": SUPPORT_READ,
    "relevance": relevant(True, False),
    "questions": asked_back("a?", "b?", "c?"),
    "rubric": graded(0.5),
    "accuracy": accuracies(),
    "verdict": "WRONG",
    "criteria": criteria_said(*FIVE),
    "g_eval_steps": {"steps": ["Read."]},
    "g_eval": graded(4),
}


def sentences(*entries):
    return {"sentences": list(entries)}


def verdicts(*entries):
    return {"verdicts": list(entries)}


ONE, TWO = sentence(1, "a"), sentence(2, "b")
YES = verdict_on(1, True)


@cases(
    ("claims", sentences(), "1 and 2 are missing"),
    ("claims", sentences(ONE), "2 is missing"),
    ("claims", sentences(ONE, ONE), "2 is missing, 1 is there more than once"),
    ("claims", sentences(ONE, TWO, sentence(3, "c")), "3 is not asked for"),
    ("claims", sentences(sentence(0, "a"), ONE), "2 is missing, 0 is not asked for"),
    ("claims", sentences(ONE, sentence(2)), "sentence 2 has no claim and is not marked claim_free"),
    ("claims", sentences(sentence(1, "a", free=True), TWO), "has claims and is marked claim_free"),
    ("claims", sentences(sentence(1, "a", " "), TWO), "sentence 1 has an empty claim"),
    ("claims", sentences(ONE, {"sentence": 2, "claim_free": True}), "claims is missing"),
    ("support", verdicts(YES), "2 is missing"),
    ("support", verdicts(YES, verdict_on(2, "partly")), "must be true or false, got"),
    ("support", verdicts(YES, {"claim": 2, "supported": True}), "reason is missing"),
    ("relevance", relevant(True, False, True), "3 is not asked for"),
    ("questions", asked_back("a?", "b?"), "must have 3 entries, or none; it has 2"),
    ("questions", asked_back(*"abcd"), "must have 3 entries, or none; it has 4"),
    ("questions", asked_back("a?", "b?", " "), "a question is empty"),
    *(("rubric", graded(wrong), "score must be") for wrong in (0.6, 75, -0.25, 2, True, None, "75%")),
    ("accuracy", accuracies(101), "correctness: score must be from 0 to 100, got 101"),
    ("accuracy", accuracies(consistency=-0.5), "consistency: score must be from 0 to 100, got -0.5"),
    ("accuracy", {"final_score": 80}, "correctness is missing"),
    *(
        ("verdict", said, "the reply")
        for said in (
            *("INCORRECT", "Not CORRECT", "CORRECT or WRONG", "CORRECT\nWRONG", "CORRECTLY"),
            *("It is CORRECT", "", "1", f"{json.dumps(judged('WRONG'))} {json.dumps(judged('CORRECT'))}"),
        )
    ),
    *(("verdict", judged(said), "verdict") for said in ("INCORRECT", "CORRECT or WRONG", ["CORRECT"], True)),
    ("verdict", {"reason": "CORRECT"}, "verdict is missing"),
    ("criteria", criteria_said(*FIVE[:4]), "5 is missing"),
    ("criteria", criteria_said(*FIVE, "met"), "6 is not asked for"),
    ("criteria", criteria_said(*FIVE[:4], "unmet"), "must be one of"),
    ("g_eval_steps", {"steps": []}, "at least one"),
    ("g_eval_steps", {"steps": ["Read.", " "]}, "none of them empty"),
    *(("g_eval", graded(wrong), "must be") for wrong in (0, 6, 4.5, "four", True, None)),
)  # fmt: skip
def test_a_reply_that_is_not_what_was_asked_is_shown_to_the_judge_and_then_a_failure(
    name, said, problem
):
    assert_refused(EVERY[name], said, RIGHT[name], problem)
