"""Tool calls against expectations: worked examples, the modes of agentevals, faults of systems as numbers."""

import json

from cases import cases
from pytest import approx

import ragauge as rg
from ragauge.score import Status


def chat(*calls, text="Done."):
    """A turn with these calls, each `(name, arguments)` or `(name, arguments, result)`."""
    messages = [{"role": "user", "content": "Go"}]
    for number, (name, arguments, *result) in enumerate(calls):
        given = arguments if isinstance(arguments, str) else json.dumps(arguments)
        call = {"id": str(number), "function": {"name": name, "arguments": given}}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": str(number), "content": "".join(result)})
    return [*messages, {"role": "assistant", "content": text}]


def wanted(*calls):
    return [{"name": name, "arguments": arguments} for name, arguments in calls]


A, B, STOP = ("search", {"q": "a"}), ("search", {"q": "b"}), ("stop", {})


MODES = ("strict", "unordered", "subset", "superset")


@cases(
    ([A, STOP], [A, STOP], 1, 1, 1, 1, MODES),
    ([STOP, A], [A, STOP], 0, 1, 1, 1, MODES[1:]),
    ([A, B, STOP], [A, STOP], 0, 0, 2 / 3, 1, ("superset",)),
    ([A, B], [A, STOP], 0, 0, 1 / 2, 1 / 2, ()),
    ([A], [A, STOP], 0, 0, 1, 1 / 2, ("subset",)),
    ([B], [A], 0, 0, 0, 0, ()),
    ([A, A], [A], 0, 0, 1 / 2, 1, ("superset",)),
    ([], [], 1, 1, None, None, MODES),
    ([A], [], 0, 0, 0, None, ("superset",)),
    ([], [A], 0, 0, None, 0, ("subset",)),
)
def test_calls_of_a_turn(made, expected, same, any_order, precision, recall, modes):
    fields = {"messages": chat(*made), "expected_calls": wanted(*expected)}
    assert rg.score("tool_call_match", **fields).value == same
    assert rg.score('tool_call_match(order="any")', **fields).value == any_order
    assert rg.score("tool_precision", **fields).value == (precision and approx(precision))
    assert rg.score("tool_recall", **fields).value == (recall and approx(recall))
    n = len(made) + len(expected)
    f1 = rg.score("tool_f1", **fields)
    assert f1.status == (Status.OK if n else Status.UNDEFINED)
    if n:
        assert f1.value == approx(2 * len(made) * (precision or 0) / n)
    for mode in MODES:
        score = rg.score(f'trajectory_match(mode="{mode}")', **fields)
        assert score.value == (mode in modes), mode


def test_edits_of_a_trajectory_are_levenshteins():
    made, expected = chat(A, B, STOP), wanted(A, STOP, STOP, B)
    edits = 'trajectory_match(mode="edits")'
    assert rg.score(edits, messages=made, expected_calls=expected).value == 1 - 2 / 4
    assert rg.score(edits, messages=chat(), expected_calls=[]).value == 1


@cases(
    ([B], [A], 'calls search with q "b", not "a"'),
    ([("search", {})], [A], "calls search without q"),
    ([("search", {"q": "a", "n": 3})], [A], "calls search with n 3, which is not expected"),
    ([A], [A, STOP], "does not call stop"),
    ([A, STOP], [A], "calls stop, which is not expected"),
    ([STOP, A], [A, STOP], "calls stop, search in place of search, stop"),
    ([A], [A], None),
)
def test_the_evidence_says_in_a_sentence_what_differs(made, expected, why):
    score = rg.score("tool_call_match", messages=chat(*made), expected_calls=wanted(*expected))
    assert score.evidence.get("why") == why
    (turn,) = score.evidence["turns"]
    assert "turn" not in turn
    if (made, expected) == ([B], [A]):  # no surplus as well
        assert [each["kind"] for each in turn["differences"]] == ["differs"]


def test_several_right_lists_and_numbers_within_a_tolerance():
    made = chat(("pay", {"amount": 9.99}))
    either = [[wanted(("pay", {"amount": 10})), wanted(STOP)]]
    assert rg.score("tool_call_match", messages=made, expected_calls=either).value == 0
    assert rg.score("tool_call_match(atol=0.1)", messages=made, expected_calls=either).value == 1
    assert rg.score("tool_recall(rtol=0.01)", messages=made, expected_calls=either).value == 1


def test_a_conversation_of_several_turns_is_the_share_of_its_turns():
    messages = [*chat(A), *chat(B), *chat()]
    fields = {"messages": messages, "expected_calls": [wanted(A), None, wanted(A)]}
    score = rg.score("tool_call_match", **fields)
    assert score.value == 0.5
    assert score.evidence["why"] == "turn 3: does not call search"
    call = {"name": "search", "arguments": {"q": "a"}}
    missing = {"call": 1, "kind": "missing", "expected": call}
    third = {"turn": 3, "expected": [call], "found": [], "differences": [missing]}
    assert score.evidence["turns"][1] == third
    assert rg.score("tool_recall", **fields).value == 0.5


@cases(
    ("tool_call_match", {"expected_calls": [wanted(A)] * 3}, "expected_calls has 3 turns, the conversation 2"),
    ("tool_call_match", {"expected_calls": [None, None]}, "no turn has expected calls"),
    ("tool_recall", {"expected_calls": "none"}, "the expected_calls are no JSON"),
    ("invalid_calls", {"tools": "none"}, "the tools are no JSON"),
    ("steps", {"messages": [{"role": "tool", "content": "x"}]}, "message 1 is a tool result without a call"),
    ("steps", {"messages": "Hello there"}, "messages are no JSON"),
)  # fmt: skip
def test_what_cannot_be_read_or_does_not_fit_is_missing_with_its_reason(label, fields, reason):
    score = rg.score(label, **{"messages": [*chat(A), *chat(B)], **fields})
    assert score.status is Status.MISSING
    assert reason in score.reason


def test_broken_arguments_are_the_systems_fault():
    tools = [
        {
            "name": "search",
            "parameters": {"properties": {"q": {"type": "string"}}, "required": ["q"]},
        },
        {"name": "stop", "parameters": {}},
    ]
    made = chat(
        ("search", '{"q": '), ("search", '{"q": 1e999}'), ("search", {"q": 3}), ("seek", {}), A
    )
    score = rg.score("invalid_calls", messages=made, tools=tools)
    assert score.value == 4
    assert [each["call"] for each in score.evidence["invalid"]] == [1, 2, 3, 4]
    assert score.evidence["invalid"][3]["problem"] == "there is no tool 'seek'"
    assert "unusable_schemas" not in score.evidence
    expected = wanted(A)
    assert rg.score("tool_precision", messages=made, expected_calls=expected).value == approx(1 / 5)
    match = rg.score("tool_call_match", messages=chat(("search", "{")), expected_calls=expected)
    assert match.evidence["why"].startswith("calls search: the arguments are no JSON: ")


def test_a_schema_that_cannot_be_used_is_named():
    score = rg.score("invalid_calls", messages=chat(A), tools={"search": {"type": "objekt"}})
    assert (score.value, score.evidence["unusable_schemas"]) == (0, ["search"])


def test_counts_of_a_turn():
    made = chat((*A, "Error: down"), (*A, "found"), (*A, "found"), (*B, '{"error": "no"}'))
    assert rg.score("steps", messages=made).value == 4
    assert rg.score("tool_errors", messages=made).value == 2
    repeated = rg.score("repeated_calls", messages=made)
    assert (repeated.value, [each["call"] for each in repeated.evidence["repeated"]]) == (1, [3])
    assert rg.score("error_recovery", messages=made).value == 0
    assert rg.score("error_recovery", messages=chat((*A, "Error"), (*B, "found"))).value == 1
    assert rg.score("error_recovery", messages=chat(A)).status is Status.UNDEFINED
    assert rg.score("tool_errors", messages=chat()).status is Status.UNDEFINED
    silent = rg.score("tool_call_match", messages=chat()[:1], expected_calls=[])
    assert silent.status is Status.UNDEFINED
