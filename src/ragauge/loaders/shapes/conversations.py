"""Rows of conversations as rows of their turns: each has its question, answer, calls, and what is right for it."""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import cast

from ragauge.conversations.tool_calls import (
    TranscriptError,
    is_object,
    list_of,
    mapping_of,
    n_turns_listed,
    read_expected,
)
from ragauge.conversations.transcript import Turn, read_transcript, role_of, says_calls
from ragauge.errors import Problem
from ragauge.loaders.mapping import field_of
from ragauge.loaders.table import Table
from ragauge.report.plain import counted
from ragauge.samples.samples import MEASURED, Row

CHATS = (
    "messages",
    "turns",
    "conversation",
    "conversations",
    "chat",
    "user_input",
    "input",
    "traj",
    "trajectory",
)
OF_TURN = ("references", "relevant", "answerable", "contexts", "context_ids", "gold_contexts")
"""Fields that a conversation may give as a list over its turns."""
AT_END = {"state": "final_state", "final_state": "final_state", "expected_state": "expected_state"}
"""What is said of the end of a conversation, and its field."""
OF_CALLS = ("expected_calls", "tools", "expected_state")
MAX_BEFORE = 6_000
"""Most characters that are kept of what was said before a turn: a judge reads it with each question."""
Values = dict[str, object]


def recognised(table: Table, keep: Collection[str] = ()) -> Table:
    """The table with a row for each turn of a conversation; other rows as they are.

    A chat of one question and answer without calls is no conversation, and neither is one with a single reference:
    that is for its last answer.
    """
    if not set(CHATS) & set(table.columns()) - set(keep):
        return table
    rows: list[Row] = []
    problems: list[Problem] = []
    names: dict[str, int] = {}
    for number, row in enumerate(table.rows, 1):
        name = next(
            (each for each in CHATS if _chat_in(row.values, each) and each not in keep), None
        )
        if name is None:
            rows.append(row)
            continue
        try:
            turns = list(_turns(row.values, name, str(row.values.get("id") or number)))
        except TranscriptError as error:
            id = row.values.get("id")
            problems.append(
                Problem(str(error), row.source, row.line, name, None if id is None else str(id))
            )
            continue
        names[name] = names.get(name, 0) + len(turns)
        if table.all_text:
            turns = [values | {"turn": str(values["turn"])} for values in turns]
        rows += [replace(row, values=values) for values in turns]
    if not names and not problems:
        return table
    notes = (*table.notes, *notes_on(names))
    return replace(table, rows=tuple(rows), notes=notes, problems=(*table.problems, *problems))


def notes_on(n_turns: Mapping[str, int]) -> list[str]:
    """What is announced of columns that were read as conversations, with the numbers of their turns."""
    return [
        f"read {name!r} as conversations, a row for each of {counted(n, 'turn')}"
        for name, n in n_turns.items()
    ]


def _chat_in(values: Mapping[str, object], name: str) -> bool:
    """Whether a column is a conversation to be read by turn: of several turns, or with calls or a state."""
    messages = values.get(name)
    if isinstance(messages, str) and messages.lstrip().startswith("[{"):
        messages = _parsed(messages)
    items = list_of(messages)
    if not items or not all(map(is_object, items)):
        return False
    fields = {field_of(each) for each in values if each != name}
    roles = [role_of(item) for item in items]
    if {"question", "answer"} & fields or not {"user", "assistant", "system"} & {*roles}:
        return False
    if fields & {*OF_CALLS} or any(map(says_calls, items)):
        return True
    n_answers = roles.count("assistant")
    given = [value for each, value in values.items() if each != name and field_of(each) in OF_TURN]
    if any(_is_by_turn(value) for value in given):
        return n_answers + (roles[-1] == "user") > 1
    return n_answers > 1 and (not given or _is_ambiguous(values, name, n_answers))


def _is_by_turn(value: object) -> bool:
    """Whether a value is a list over turns: of lists, objects, flags or nulls."""
    items = list_of(_parsed(value)) or []
    return any(item is None or isinstance(item, list | Mapping | bool) for item in items)


def _is_ambiguous(values: Mapping[str, object], name: str, n_turns: int) -> bool:
    """Whether the references are as many texts as there are turns: by turn, or all for the last answer?"""
    found = [
        value for each, value in values.items() if each != name and field_of(each) == "references"
    ]
    return any(len(list_of(_parsed(value)) or ()) == n_turns for value in found)


def _parsed(value: object) -> object:
    """A value, of JSON text what it says: cells of CSV."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        try:
            return cast("object", json.loads(value))
        except (ValueError, RecursionError):
            return value
    return value


def _turns(values: Mapping[str, object], name: str, id: str) -> Iterator[Values]:
    """The row of each turn, with the fields of the conversation that belong to it."""
    given = cast("list[object]", _parsed(values[name]))
    said = read_transcript(given)
    own = {
        each: _parsed(value) for each, value in values.items() if each != name and value is not None
    }
    turns = said.turns(_n_listed(own))
    if not turns:
        raise TranscriptError("the system says nothing in this conversation")
    of_turn = {
        each: _by_turn(each, own.pop(each), len(turns))
        for each in list(own)
        if field_of(each) in OF_TURN
    }
    calls = next((each for each in own if field_of(each) == "expected_calls"), None)
    expected = _expected(own.pop(calls), len(turns)) if calls else [None] * len(turns)
    tools = next((each for each in own if field_of(each) == "tools"), None)
    schemas = own.pop(tools) if tools else None
    # What a whole conversation cost counts once, so that sums are right.
    end: Values = {each: own.pop(each) for each in list(own) if field_of(each) in MEASURED}
    if "expected_state" in own:
        end |= {AT_END[each]: own.pop(each) for each in AT_END if each in own}
    before = ""
    for turn, wanted in zip(turns, expected, strict=True):
        is_last = turn.number == len(turns)
        row: Values = own | {
            "id": id if len(turns) == 1 else f"{id}#{turn.number}",
            "conversation": id,
            "turn": turn.number,
        }
        row |= _said(turn) | {each: by_turn[turn.number - 1] for each, by_turn in of_turn.items()}
        if calls:
            row["expected_calls"] = wanted
        if tools:
            row["tools"] = schemas if turn.calls or wanted else None
        row["messages"] = given[turn.start : turn.stop]
        row["conversation_before"] = before or None
        before = _with_turn(before, turn)
        yield row | end | {"whole_conversation": given} if is_last else row


def _with_turn(before: str, turn: Turn) -> str:
    """What was said up to and with this turn, of a long conversation the end."""
    said = [("user", turn.question), ("assistant", turn.answer)]
    text = "\n".join([before, *(f"{who}: {text}" for who, text in said if text)]).lstrip("\n")
    return text if len(text) <= MAX_BEFORE else f"… {text[-MAX_BEFORE:]}"


def _n_listed(own: Mapping[str, object]) -> int | None:
    """The number of turns that the fields list something for: the most of them."""
    listed = [
        n_turns_listed(value) if field_of(name) == "expected_calls" else len(list_of(value) or ())
        for name, value in own.items()
        if field_of(name) == "expected_calls" or (field_of(name) in OF_TURN and _is_by_turn(value))
    ]
    return max((n for n in listed if n is not None), default=None)


def _said(turn: Turn) -> Values:
    row: Values = {"question": turn.question, "answer": turn.answer}
    return row if turn.contexts is None else row | {"contexts": turn.contexts}


def _by_turn(name: str, value: object, n_turns: int) -> list[object]:
    """A field's value for each turn; what is not a list over several turns is an error."""
    items = list_of(value) or []
    if n_turns == 1:
        is_nested = len(items) == 1 and _is_by_turn(value)
        is_judgement = is_nested and {*mapping_of(items[0])} == {"id", "grade"}
        return items if is_nested and not is_judgement else [value]
    if _is_by_turn(value):
        if len(items) == n_turns:
            return items
        raise TranscriptError(f"{name!r} has {len(items)} turns, the conversation {n_turns}")
    example = (
        '[["Paris"], null]' if field_of(name) == "references" else "one value or null for each"
    )
    raise TranscriptError(f"{name!r} must be a list over the {n_turns} turns: {example}")


def _expected(value: object, n_turns: int) -> list[object]:
    """By turn the expected calls, as a list over that one turn; None where nothing is said."""
    read_expected(value, n_turns)
    items = cast("list[object]", value)
    is_flat = all(map(is_object, items))
    if n_turns == 1 and not is_flat and len(items) != 1:
        return [[items]]
    if n_turns == 1:
        return [items if items else [[]]]
    return [None if item is None else [item] for item in items] if items else [[[]]] * n_turns
