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
from ragauge.conversations.transcript import read_transcript, role_of, says_calls
from ragauge.errors import Problem
from ragauge.loaders.mapping import field_of
from ragauge.loaders.table import Table
from ragauge.report.plain import counted
from ragauge.samples.samples import MEASURED, Row

CHATS = (
    "messages", "turns", "conversation", "conversations", "chat", "user_input", "input", "traj",
    "trajectory",
)  # fmt: skip
OF_TURN = ("references", "relevant", "answerable", "contexts", "context_ids", "gold_contexts")
"""Fields that a conversation may give as a list over its turns."""
AT_END = {"state": "final_state", "final_state": "final_state", "expected_state": "expected_state"}
"""Columns about the end of a conversation, and their fields."""
OF_CALLS = ("expected_calls", "tools", "expected_state")
MAX_BEFORE = 6_000
"""Most characters that are kept of what was said before a turn: a judge reads it with each question."""
Values = dict[str, object]


def recognised(table: Table, keep: Collection[str] = ()) -> Table:
    """The table with a row for each turn of a conversation; other rows as they are.

    A chat of one question and answer without calls is no conversation, and neither is one with a single reference:
    that is for its last answer.
    """
    columns = [name for name in CHATS if name in table.columns() and name not in keep]
    if not columns:
        return table
    rows: list[Row] = []
    problems: list[Problem] = []
    n_turns: dict[str, int] = {}
    for number, row in enumerate(table.rows, 1):
        name = next((each for each in columns if _is_conversation(row.values, each)), None)
        if name is None:
            rows.append(row)
            continue
        id = row.values.get("id")
        try:
            turns = list(_turns(row.values, name, str(id or number)))
        except TranscriptError as error:
            place = (row.source, row.line, name, None if id is None else str(id))
            problems.append(Problem(str(error), *place))
            continue
        n_turns[name] = n_turns.get(name, 0) + len(turns)
        if table.all_text:
            turns = [values | {"turn": str(values["turn"])} for values in turns]
        rows += [replace(row, values=values) for values in turns]
    if not n_turns and not problems:
        return table
    notes = (*table.notes, *notes_on(n_turns))
    return replace(table, rows=tuple(rows), notes=notes, problems=(*table.problems, *problems))


def notes_on(n_turns: Mapping[str, int]) -> list[str]:
    """What is announced of columns that were read as conversations, with the numbers of their turns."""
    return [
        f"read {name!r} as conversations, a row for each of {counted(n, 'turn')}"
        for name, n in n_turns.items()
    ]


def _is_conversation(values: Mapping[str, object], name: str) -> bool:
    """Whether a column is to be read by turn: it has several turns, or calls, or something is expected of them."""
    messages = values.get(name)
    if isinstance(messages, str) and messages.lstrip().startswith("[{"):
        messages = _parsed(messages)
    items = list_of(messages)
    if not items or not all(map(is_object, items)):
        return False
    fields = {each: field_of(each) for each in values if each != name}
    roles = [role_of(item) for item in items]
    if {"question", "answer"} & {*fields.values()} or not {"user", "assistant", "system"} & {
        *roles
    }:
        return False
    if {*fields.values()} & {*OF_CALLS} or any(map(says_calls, items)):
        return True
    n_answers = roles.count("assistant")
    given = [(field, values[each]) for each, field in fields.items() if field in OF_TURN]
    if any(_is_by_turn(value) for _, value in given):
        return n_answers + (roles[-1] == "user") > 1
    # As many references as turns may be those of the turns, or all of the last answer.
    is_ambiguous = any(
        field == "references" and len(list_of(_parsed(value)) or ()) == n_answers
        for field, value in given
    )
    return n_answers > 1 and (not given or is_ambiguous)


def _is_by_turn(value: object) -> bool:
    """Whether a value is a list over turns: of lists, objects, flags or nulls."""
    items = list_of(_parsed(value)) or []
    return any(item is None or isinstance(item, list | Mapping | bool) for item in items)


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
    own = {
        each: _parsed(value) for each, value in values.items() if each != name and value is not None
    }
    fields = {each: field_of(each) for each in own}
    calls = next((each for each, field in fields.items() if field == "expected_calls"), None)
    tools = next((each for each, field in fields.items() if field == "tools"), None)
    by_turn = [each for each, field in fields.items() if field in OF_TURN]
    listed = [len(list_of(own[each]) or ()) for each in by_turn if _is_by_turn(own[each])]
    listed += [] if calls is None else [n_turns_listed(own[calls]) or 0]
    turns = read_transcript(given).turns(max(listed, default=0))
    if not turns:
        raise TranscriptError("the system says nothing in this conversation")
    of_turn = {each: _by_turn(each, own.pop(each), len(turns)) for each in by_turn}
    expected = [None] * len(turns) if calls is None else _expected(own.pop(calls), len(turns))
    schemas = None if tools is None else own.pop(tools)
    # What a whole conversation cost counts once, so that sums are right.
    end: Values = {each: own.pop(each) for each in list(own) if fields[each] in MEASURED}
    if "expected_state" in own:
        end |= {field: own.pop(each) for each, field in AT_END.items() if each in own}
    before = ""
    for turn, wanted in zip(turns, expected, strict=True):
        row: Values = own | {
            "id": id if len(turns) == 1 else f"{id}#{turn.number}",
            "conversation": id,
            "turn": turn.number,
            "question": turn.question,
            "answer": turn.answer,
        }
        row |= {} if turn.contexts is None else {"contexts": turn.contexts}
        row |= {each: items[turn.number - 1] for each, items in of_turn.items()}
        row |= {} if calls is None else {"expected_calls": wanted}
        row |= {} if tools is None else {"tools": schemas if turn.calls or wanted else None}
        row["messages"] = given[turn.start : turn.stop]
        row["conversation_before"] = before or None
        texts = [("user", turn.question), ("assistant", turn.answer)]
        lines = [before, *(f"{who}: {text}" for who, text in texts if text)]
        before = "\n".join(lines).lstrip("\n")
        before = before if len(before) <= MAX_BEFORE else f"… {before[-MAX_BEFORE:]}"
        yield row | end | {"whole_conversation": given} if turn.number == len(turns) else row


def _by_turn(name: str, value: object, n_turns: int) -> list[object]:
    """A field's value for each turn; what is not a list over several turns is an error."""
    items = list_of(value) or []
    if n_turns == 1:
        is_nested = len(items) == 1 and _is_by_turn(value)
        is_judgement = is_nested and {*mapping_of(items[0])} == {"id", "grade"}
        return items if is_nested and not is_judgement else [value]
    if not _is_by_turn(value):
        example = "one value or null for each"
        example = '[["Paris"], null]' if field_of(name) == "references" else example
        raise TranscriptError(f"{name!r} must be a list over the {n_turns} turns: {example}")
    if len(items) != n_turns:
        raise TranscriptError(f"{name!r} has {len(items)} turns, the conversation {n_turns}")
    return items


def _expected(value: object, n_turns: int) -> list[object]:
    """By turn the expected calls, as a list over that one turn; None where nothing is said."""
    read_expected(value, n_turns)
    items = cast("list[object]", value)
    if n_turns == 1:
        is_flat = all(map(is_object, items))
        return [[items]] if not is_flat and len(items) != 1 else [items or [[]]]
    return [None if item is None else [item] for item in items] if items else [[[]]] * n_turns
