"""One call answers the questions about a conversation; each verdict has its turn and a quote that is looked up."""

import pytest
from cases import cases

import ragauge as rg
from ragauge.score import Status

CHAT = [
    {"role": "system", "content": "You are a polite waiter."},
    {"role": "user", "content": "A table for two, I am Ann."},
    {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "book", "arguments": '{"n": 2}'}}]},
    {"role": "tool", "tool_call_id": "1", "content": "table 7"},
    {"role": "assistant", "content": "Table 7 is booked for you."},
    {"role": "user", "content": "Thanks"},
    {"role": "assistant", "content": "What is your name?"},
]  # fmt: skip
NAMES = ("goal_reached", "role_kept", "topic_kept", "knowledge_kept")


def said(question, verdict, turn, quote):
    entry = {"question": question, "reason": "words", "verdict": verdict}
    return {**entry, "turn": turn, "quote": quote}


VERDICTS = [
    said(1, "met", 1, "Table 7 is booked for you"),
    said(2, "not applicable", 0, ""),
    said(3, "met", 1, "this is in no turn"),
    said(4, "not met", 1, "What is your name?"),
]


def test_one_call_gives_the_four_scores_with_the_turn_that_shows_each():
    judge = rg.ScriptedJudge({"conversation": {"verdicts": VERDICTS}})
    row = {"id": "c", "messages": CHAT, "goal": "a table"}
    run = rg.evaluate(rg.load([row]), list(NAMES), judge=judge)
    scores = {
        (row["id"], row["metric"].split("(")[0]): row for row in run.scores.iter_rows(named=True)
    }
    assert [scores["c#2", name]["value"] for name in NAMES] == [1, None, 1, 0]
    assert {scores["c#1", name]["status"] for name in NAMES} == {"undefined"}
    assert len(judge.requests) == 1
    shown = judge.requests[0].messages[1].content
    for text in ("You are a polite waiter.", "a table", "call: book", "table 7", "user: Thanks"):
        assert text in shown


@cases(("goal_reached", 1, True), ("topic_kept", 1, False), ("knowledge_kept", 2, True))
def test_a_quote_is_looked_up_in_its_turn_first_and_then_in_the_others(name, turn, found):
    judge = rg.ScriptedJudge({"conversation": {"verdicts": VERDICTS}})
    evidence = rg.score(name, messages=CHAT, judge=judge).evidence
    assert (evidence["turn"], evidence["quote_found"]) == (turn, found)
    assert evidence.get("needs_review", False) is not found  # each by its own quote


@pytest.mark.parametrize(
    "wrong",
    [
        VERDICTS[:3],
        [*VERDICTS[:3], said(4, "met", 3, "")],
        [*VERDICTS[:3], said(4, "perhaps", 1, "")],
    ],
    ids=["a question is left out", "a turn that is not there", "another verdict"],
)
def test_what_cannot_be_read_is_asked_again_and_then_failed(wrong):
    judge = rg.ScriptedJudge([{"verdicts": wrong}, {"verdicts": wrong}])
    assert rg.score("goal_reached", messages=CHAT, judge=judge).status is Status.FAILED
    assert len(judge.requests) == 2


def test_a_conversation_is_graded_by_own_criteria_in_one_call():
    grades = [
        {"criterion": 2, "reason": "curt", "score": 2, "turn": 2, "quote": "What is your name?"},
        {"criterion": 1, "reason": "kind", "score": 5, "turn": 0, "quote": ""},
    ]
    judge = rg.ScriptedJudge({"conversation_grades": {"grades": grades}})
    label = 'conversation_g_eval(criteria=["Is it kind?", "Does it remember the name?"])'
    score = rg.score(label, messages=CHAT, judge=judge)
    assert score.value == (1 + 0.25) / 2
    found = [(each["criterion"], each.get("turn")) for each in score.evidence["grades"]]
    assert found == [("Is it kind?", None), ("Does it remember the name?", 2)]
    assert "1. Is it kind?\n2. Does it remember the name?" in judge.requests[0].messages[1].content


@cases(
    ("conversation_g_eval", "needs criteria"),
    ('conversation_g_eval(criteria=["a", " "])', "needs criteria"),
    ('conversation_g_eval(criteria=["Is {{it}} kind?"])', "must not contain"),
    ('conversation_g_eval(criteria=["a"], low=5, high=5)', "low must be below high"),
)
def test_settings_that_cannot_be_asked_are_refused_before_the_judge_is(label, problem):
    judge = rg.ScriptedJudge([])
    with pytest.raises(rg.RagaugeError, match=problem):
        rg.score(label, messages=CHAT, judge=judge)


def test_of_a_conversation_that_does_not_fit_the_last_turns_are_shown():
    turn = [{"role": "user", "content": "word " * 600}]
    turn += [{"role": "assistant", "content": "ok " * 600}]
    verdicts = [said(n, "met", 1, "") for n in (1, 2, 3, 4)]
    judge = rg.ScriptedJudge({"conversation": {"verdicts": verdicts}})
    judging = rg.JudgeConfig(judges=[judge], window=8_000)
    score = rg.score("goal_reached", messages=turn * 9, judge=judging)
    assert score.evidence["turn"] == score.evidence["first_turn_shown"] > 1
