"""Where conversations go wrong."""

import ragauge as rg
from ragauge.runs.steadiness import wrong_turns


def chats(**said):
    """Conversations, of which "Paris" is right at every turn."""
    rows = []
    for id, answers in said.items():
        messages = []
        for answer in answers:
            messages += [{"role": "user", "content": "?"}, {"role": "assistant", "content": answer}]
        rows.append({"id": id, "messages": messages, "references": [["Paris"]] * len(answers)})
    return rows


def test_the_first_wrong_turn_of_each_conversation_is_named():
    said = {"a": ["Paris", "Paris", "Rome"], "b": ["Rome", "Paris"], "c": ["Paris", "Paris"]}
    run = rg.evaluate(chats(**said), ["repetition", "exact_match"])
    found = wrong_turns(run, run.metrics)
    assert (
        found is not None and found.metric.name == "exact_match"
    )  # repetition is of the last turn
    assert found.n_conversations == {"default": 3}
    assert [(each.id, each.says) for each in found.first] == [
        ("a#3", "right until turn 2"),
        ("b#1", "wrong from turn 1"),
    ]
    says = "2 of 3 conversations of several turns wrong by exact_match, the latest at turn 3"
    _, worst = str(run).split("worst found\n")
    assert says in worst.splitlines()[0]


def test_a_run_without_conversations_has_none():
    run = rg.evaluate([{"id": "q", "answer": "Rome", "reference": "Paris"}], "exact_match")
    assert wrong_turns(run, run.metrics) is None


def test_turns_that_are_not_numbers_are_no_order():
    rows = [
        {"id": str(turn), "conversation": "c", "turn": turn, "answer": "Rome", "reference": "Paris"}
        for turn in ("first", "2")
    ]
    run = rg.evaluate(rows, "exact_match")
    assert wrong_turns(run, run.metrics) is None
