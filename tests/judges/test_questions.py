"""What judges are asked: that prompts, schemas and readers agree, and that N asked are N read."""

import asyncio
import json
import re

import pytest

import ragauge as rg
from ragauge.judges import questions
from ragauge.judges.prompts import Prompts
from ragauge.judges.protocol import Reply
from ragauge.judges.questions import GeneratedQuestion, Graded
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
WITHOUT_OPTIONS = {
    "claims": questions.claims(None, ["It is $5."]),
    "relevance": questions.relevance("What is the fee?", CONTEXTS, None),
    "accuracy": questions.accuracy(None, "It is $5.", "It is $6."),
    "verdict": questions.verdict(None, ["It is $5."], "It is $6."),
    "criteria": questions.criteria(None, "It is $5.", "It is $6."),
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
    assert len(requests) == 2
    roles = [one.role for one in requests[1].messages]
    assert roles == ["system", "user", "assistant", "user"]
    assert problem in requests[1].messages[-1].content
    failed, requests = ask(question, wrong, wrong)
    assert isinstance(failed, Score)
    assert (failed.value, failed.status, len(requests)) == (None, "failed", 2)
    assert problem in failed.reason
    assert question.prompt in failed.reason
    (call,) = failed.evidence["calls"]
    said = wrong if isinstance(wrong, str) else json.dumps(wrong, ensure_ascii=False)
    assert call["reply"] == said
    assert problem in call["wrong"]


# Prompts, schemas and readers.


@pytest.mark.parametrize("name", EVERY)
def test_a_reply_as_it_might_come_is_one_that_can_be_read(name):
    question = EVERY[name]
    question.read(read_json(json.dumps(question.stand_in), question.schema))


@pytest.mark.parametrize("question", [*EVERY.values(), *WITHOUT_OPTIONS.values()])
def test_a_prompt_has_a_place_for_each_text_and_a_text_for_each_place(question):
    system, user = Prompts().messages(question.prompt, question.texts, question.words)
    assert (system.role, user.role) == ("system", "user")
    assert not re.search(r"\{\{\w+\}\}|\[\[\w+\]\]", user.content)
    for name, text in question.texts.items():
        assert (f"<{name} id=" in user.content) is (text is not None)


@pytest.mark.parametrize("name", EVERY)
def test_the_prompt_shows_every_field_that_the_reply_must_have(name):
    text = Prompts().by_name[name].text
    for field in _fields(EVERY[name].schema):
        assert f'"{field}":' in text


def _fields(schema):
    if schema["type"] == "array":
        yield from _fields(schema["items"])
    for name, inner in schema.get("properties", {}).items():
        yield name
        yield from _fields(inner)


def test_the_prompts_with_contexts_begin_with_the_same_bytes():
    asked = [
        EVERY["support"],
        EVERY["relevance"],
        grading("Read.", contexts=CONTEXTS, answer="$5."),
    ]
    written = [Prompts().messages(one.prompt, one.texts, one.words) for one in asked]
    assert len({system.content for system, _ in written}) == 1
    users = [user.content for _, user in written]
    end = re.search(r"</contexts id=\w+>\n", users[0]).end()
    assert CONTEXTS[1] in users[0][:end]
    assert len({user[:end] for user in users}) == 1


def test_no_question_back_is_made_with_sight_of_the_question():
    assert set(EVERY["questions"].texts) == {"answer"}


# Claims.


def sentence(number, *claims, free=False):
    return {"sentence": number, "claims": list(claims), "claim_free": free}


CLAIMS_READ = {"sentences": [sentence(1, "The fee is $5"), sentence(2, free=True)]}


def test_each_sentence_has_its_claims_or_is_free_of_them():
    assert read(EVERY["claims"], CLAIMS_READ) == (("The fee is $5",), ())


def test_sentences_are_known_by_their_number_not_by_their_place():
    turned = {"sentences": CLAIMS_READ["sentences"][::-1]}
    assert read(EVERY["claims"], turned) == (("The fee is $5",), ())


def test_a_claim_that_a_sentence_makes_twice_counts_once():
    said = {
        "sentences": [sentence(1, "It is $5", " It is $5 ", "It is new"), sentence(2, free=True)]
    }
    assert read(EVERY["claims"], said) == (("It is $5", "It is new"), ())


@pytest.mark.parametrize(
    ("sentences", "problem"),
    [
        ([], "1 and 2 are missing"),
        ([sentence(1, "a")], "2 is missing"),
        ([sentence(1, "a"), sentence(1, "b")], "2 is missing, 1 is there more than once"),
        ([sentence(1, "a"), sentence(2, "b"), sentence(2, "b")], "2 is there more than once"),
        ([sentence(1, "a"), sentence(2, "b"), sentence(3, "c")], "3 is not asked for"),
        ([sentence(0, "a"), sentence(1, "b")], "2 is missing, 0 is not asked for"),
        ([sentence(1, "a"), sentence(2)], "sentence 2 has no claim and is not marked claim_free"),
        ([sentence(1, "a", free=True), sentence(2, "b")], "has claims and is marked claim_free"),
        ([sentence(1, "a", " "), sentence(2, "b")], "sentence 1 has an empty claim"),
        ([sentence(1, "a"), {"sentence": 2, "claim_free": True}], "claims is missing"),
        ([sentence(1, "a"), {**sentence(2), "claims": "b"}], "claims must be an array"),
        ([sentence(1, "a"), {**sentence(2), "claims": [7]}], "must be a text, got 7"),
        ([sentence(1, "a"), sentence("two", "b")], "must be a whole number"),
    ],
)
def test_claims_that_do_not_cover_each_sentence_once_are_not_read(sentences, problem):
    assert_refused(EVERY["claims"], {"sentences": sentences}, CLAIMS_READ, problem)


# Support.


def verdict_on(claim, supported, quote="", context=0):
    return {
        "claim": claim,
        "reason": "because",
        "supported": supported,
        "context": context,
        "quote": quote,
    }


SUPPORT_READ = {"verdicts": [verdict_on(1, True, "The fee is $5", 1), verdict_on(2, False)]}


def test_a_quote_has_its_place_in_the_context_that_is_named():
    stated, other = read(EVERY["support"], SUPPORT_READ)
    assert (stated.claim, stated.supported, stated.context) == ("The fee is $5", True, 0)
    assert CONTEXTS[0][stated.start : stated.end] == "The fee is $5"
    assert (other.supported, other.context, other.start, other.quote) == (False, None, None, "")


@pytest.mark.parametrize("named", [0, 2, 3, -7, 10**9])
def test_a_quote_is_looked_up_in_the_other_contexts_too(named):
    said = {"verdicts": [verdict_on(1, True, "fee is $5", named), verdict_on(2, False)]}
    stated, _ = read(EVERY["support"], said)
    assert stated.context == 0
    assert CONTEXTS[0][stated.start : stated.end] == "fee is $5"


def test_a_quote_that_stands_twice_is_taken_from_the_context_that_is_named():
    twice = questions.support(["The fee is $5.", "Yes: the fee is $5."], ["It is $5"])
    (stated,) = read(twice, {"verdicts": [verdict_on(1, True, "fee is $5", 2)]})
    assert stated.context == 1


def test_a_quote_that_stands_nowhere_has_no_place():
    said = {"verdicts": [verdict_on(1, True, "The fee is $50", 1), verdict_on(2, False)]}
    stated, _ = read(EVERY["support"], said)
    assert (stated.supported, stated.is_quoted, stated.context) == (True, False, None)
    assert stated.as_data()["quote_found"] is False


def test_what_is_quoted_beside_no_support_is_not_a_quote():
    said = {"verdicts": [verdict_on(1, False, "The fee is $5", 1), verdict_on(2, False)]}
    assert read(EVERY["support"], said)[0].as_data() == {
        "claim": "The fee is $5",
        "supported": False,
        "reason": "because",
    }


@pytest.mark.parametrize(
    ("verdicts", "problem"),
    [
        ([], "1 and 2 are missing"),
        ([verdict_on(1, True)], "2 is missing"),
        ([verdict_on(2, True), verdict_on(2, True)], "1 is missing, 2 is there more than once"),
        ([verdict_on(n, True) for n in (1, 2, 3)], "3 is not asked for"),
        ([verdict_on(1, True), verdict_on(2, "partly")], "must be true or false, got"),
        ([verdict_on(1, True), verdict_on(2, None)], "must be true or false, got null"),
        ([verdict_on(1, True), verdict_on(2, 2)], "must be true or false, got 2"),
        ([verdict_on(1, True), {"claim": 2, "supported": True}], "reason is missing"),
    ],
)
def test_verdicts_that_are_not_one_for_each_claim_are_not_read(verdicts, problem):
    assert_refused(EVERY["support"], {"verdicts": verdicts}, SUPPORT_READ, problem)


def test_a_judge_that_gives_the_array_alone_is_understood():
    assert [
        one.supported for one in read(EVERY["support"], json.dumps(SUPPORT_READ["verdicts"]))
    ] == [
        True,
        False,
    ]


# Relevance.


def relevant(*flags, start=1):
    return {
        "verdicts": [
            {"context": place, "reason": "…", "relevant": flag}
            for place, flag in enumerate(flags, start)
        ]
    }


def test_each_context_has_its_verdict():
    found = read(EVERY["relevance"], relevant(True, False))
    assert [one.relevant for one in found] == [True, False]


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        (relevant(True), "2 is missing"),
        (relevant(True, False, True), "3 is not asked for"),
        (relevant(True, False, start=0), "2 is missing, 0 is not asked for"),
        (relevant(True, "yes"), "must be true or false"),
    ],
)
def test_relevance_is_read_for_each_context_or_not_at_all(said, problem):
    assert_refused(EVERY["relevance"], said, relevant(True, False), problem)


def test_references_are_shown_where_there_are_some():
    for references in (None, []):
        assert questions.relevance("Q?", CONTEXTS, references).texts["references"] is None
    assert questions.relevance("Q?", CONTEXTS, ["a", "b"]).texts["references"] == ["a", "b"]


# Questions back, and the rubric.


def asked_back(*texts, noncommittal=False):
    return {"questions": [{"question": text, "noncommittal": noncommittal} for text in texts]}


def test_three_questions_means_three():
    found = read(EVERY["questions"], asked_back("a?", "b?", " c? "))
    assert found == tuple(GeneratedQuestion(text, False) for text in ("a?", "b?", "c?"))


def test_none_at_all_is_an_answer_too():
    assert read(EVERY["questions"], asked_back()) == ()


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        (asked_back("a?", "b?"), "must have 3 entries, or none; it has 2"),
        (asked_back("a?", "b?", "c?", "d?"), "must have 3 entries, or none; it has 4"),
        (asked_back("a?", "b?", " "), "a question is empty"),
        ({"questions": ["a?", "b?", "c?"]}, "must be an object"),
        ({"questions": [{"question": "a?"}]}, "noncommittal is missing"),
    ],
)
def test_another_number_of_questions_is_not_read(said, problem):
    assert_refused(EVERY["questions"], said, asked_back("a?", "b?", "c?"), problem)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_as_many_questions_as_are_wanted(n):
    question = questions.questions("It is $5.", n)
    texts = [f"question {place}?" for place in range(n)]
    assert len(read(question, asked_back(*texts))) == n
    assert re.search(rf"\b{n}\b", _told(question).partition("</answer")[2])
    assert_refused(
        question, asked_back(*texts, "more?"), asked_back(*texts), f"must have {n} entries"
    )


def _told(question):
    return Prompts().messages(question.prompt, question.texts, question.words)[1].content


@pytest.mark.parametrize("score", [0, 0.25, 0.5, 0.75, 1, 1.0, "0.75"])
def test_the_rubric_has_five_grades(score):
    found = read(EVERY["rubric"], {"reason": "r", "score": score})
    assert found == Graded(float(score), "r")


@pytest.mark.parametrize("score", [0.6, 75, -0.25, 2, True, None, "high", "75%"])
def test_and_no_others(score):
    right = {"reason": "r", "score": 0.5}
    assert_refused(EVERY["rubric"], {"reason": "r", "score": score}, right, "score must be")


# Accuracy.


def accuracies(correctness=80, completeness=80, consistency=80, **others):
    scores = {
        "correctness": correctness,
        "completeness": completeness,
        "consistency": consistency,
    }
    return {name: {"reason": name, "score": score} for name, score in scores.items()} | others


def test_the_bounds_of_a_criterion_are_in_it():
    found = read(EVERY["accuracy"], accuracies(0, 100, 62.5))
    assert {name: one.score for name, one in found.items()} == {
        "correctness": 0,
        "completeness": 100,
        "consistency": 62.5,
    }


def test_a_final_score_that_the_judge_offers_is_not_read():
    offered = read(EVERY["accuracy"], accuracies(final_score=100, confidence=100))
    assert offered == read(EVERY["accuracy"], accuracies())


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        (accuracies(101), "correctness: score must be from 0 to 100, got 101"),
        (accuracies(consistency=-0.5), "consistency: score must be from 0 to 100, got -0.5"),
        (accuracies(completeness="80%"), "completeness.score must be a number"),
        (accuracies(completeness="NaN"), "completeness.score must be a number"),
        (accuracies(correctness=True), "correctness.score must be a number"),
        ({**accuracies(), "consistency": 80}, "consistency must be an object"),
        ({"correctness": {"reason": "", "score": 80}}, "completeness is missing"),
        ({"final_score": 80}, "correctness is missing"),
    ],
)
def test_a_criterion_off_its_scale_is_a_failure_and_no_default(said, problem):
    assert_refused(EVERY["accuracy"], said, accuracies(), problem)


# CORRECT or WRONG.


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ("CORRECT", "CORRECT"),
        ("wrong", "WRONG"),
        ("  **Correct**.\n", "CORRECT"),
        ('"WRONG"', "WRONG"),
        ({"reason": "r", "verdict": "CORRECT"}, "CORRECT"),
        ({"reason": "r", "verdict": "wrong."}, "WRONG"),
        ('```json\n{"reason": "r", "verdict": "WRONG"}\n```', "WRONG"),
    ],
)
def test_a_verdict_is_a_whole_word(said, word):
    assert read(EVERY["verdict"], said).verdict == word


@pytest.mark.parametrize(
    "said",
    [
        "INCORRECT",
        "Not CORRECT",
        "CORRECT or WRONG",
        "CORRECT, WRONG",
        "CORRECT\nWRONG",
        "CORRECTLY",
        "partially CORRECT",
        "It is CORRECT",
        "",
        "1",
        {"reason": "r", "verdict": "INCORRECT"},
        {"reason": "r", "verdict": "not correct"},
        {"reason": "r", "verdict": "CORRECT or WRONG"},
        {"reason": "r", "verdict": ["CORRECT"]},
        {"reason": "r", "verdict": True},
        {"reason": "CORRECT"},
        '{"reason": "r", "verdict": "WRONG"} {"reason": "r", "verdict": "CORRECT"}',
    ],
)
def test_nothing_else_is_read_as_correct_or_wrong(said):
    problem = "the reply" if isinstance(said, str) else "verdict"
    assert_refused(EVERY["verdict"], said, "WRONG", problem)


# The criteria of the suite factual-qa.


def criteria_said(*verdicts):
    return {
        "criteria": [
            {"criterion": place, "reason": "…", "verdict": verdict}
            for place, verdict in enumerate(verdicts, 1)
        ]
    }


FIVE = ("met", "met", "not met", "met", "not applicable")


def test_each_of_the_five_criteria_has_its_verdict():
    assert tuple(one.verdict for one in read(EVERY["criteria"], criteria_said(*FIVE))) == FIVE


@pytest.mark.parametrize(
    ("verdicts", "problem"),
    [
        (FIVE[:4], "5 is missing"),
        ((*FIVE, "met"), "6 is not asked for"),
        ((*FIVE[:4], "partly met"), "must be one of"),
        ((*FIVE[:4], "unmet"), "must be one of"),
        ((*FIVE[:4], True), "must be one of"),
    ],
)
def test_criteria_off_the_menu_or_in_another_number_are_not_read(verdicts, problem):
    assert_refused(EVERY["criteria"], criteria_said(*verdicts), criteria_said(*FIVE), problem)


# G-Eval.


@pytest.mark.parametrize(
    ("steps", "problem"),
    [
        ([], "at least one"),
        (["Read.", " "], "none of them empty"),
        ("Read.", "steps must be an array"),
    ],
)
def test_steps_that_cannot_be_taken_are_not_read(steps, problem):
    assert_refused(EVERY["g_eval_steps"], {"steps": steps}, {"steps": ["Read."]}, problem)


def test_the_steps_stand_numbered_in_the_prompt():
    question = grading("Read.", "Grade.", low=0, high=3, answer="Hi.")
    told = _told(question)
    assert question.wants_logprobs
    assert re.search(r"\b0\b.*\b3\b", told.partition("</answer")[2])
    assert "Is it polite?" in told
    assert "1. Read.\n2. Grade.\n" in told


@pytest.mark.parametrize("score", [0, 6, 4.5, "four", True, None])
def test_a_grade_off_the_scale_is_not_read(score):
    assert_refused(
        EVERY["g_eval"], {"reason": "r", "score": score}, {"reason": "r", "score": 4}, "must be"
    )


# Repair.


def test_a_mended_reply_tells_what_it_mends():
    judge = rg.ScriptedJudge(["rubbish", SUPPORT_READ])
    answered = asyncio.run(JudgeSession(judge).ask(EVERY["support"]))
    assert answered.call["repaired"]["reply"] == "rubbish"
    assert "no JSON object" in answered.call["repaired"]["wrong"]


def test_a_reply_that_broke_off_is_asked_again_before_it_is_mended():
    cut = '{"verdicts": [{"claim": 1, "reason": "st'
    found, requests = ask(EVERY["support"], Reply(cut), SUPPORT_READ)
    assert [one.supported for one in found] == [True, False]
    assert [len(one.messages) for one in requests] == [2, 2]


def test_a_refusal_by_the_model_is_a_failure_that_says_so():
    refusal = Reply("I cannot help with that.", finish_reason="refusal")
    failed, requests = ask(EVERY["verdict"], refusal, refusal)
    assert (failed.status, failed.value, len(requests)) == ("failed", None, 2)
    assert "the model refused" in failed.reason


def test_a_judge_that_gives_no_reply_is_a_failure_with_its_words():
    failed, requests = ask(EVERY["verdict"], rg.JudgeError("the endpoint answered 401"))
    assert (failed.status, failed.reason) == ("failed", "the endpoint answered 401")
    assert len(requests) == 1
