"""Rows of conversations as rows of their turns: each has its question, answer, calls, and what is right for it."""

import itertools
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import cast

from ragauge.conversations.exports import exported
from ragauge.conversations.tool_calls import (
    TranscriptError,
    is_object,
    list_of,
    mapping_of,
    n_turns_listed,
    read_expected,
)
from ragauge.conversations.transcript import (
    ROLES,
    messages_in,
    read_transcript,
    role_of,
    says_calls,
)
from ragauge.errors import Problem
from ragauge.loaders.mapping import field_of, folded
from ragauge.loaders.table import Table, UnreadableError, listed, printed_list
from ragauge.report.plain import counted, some
from ragauge.samples.fields import MEASURED, Row

CHATS = (
    "messages", "turns", "conversation", "conversations", "chat", "dialogue", "dialog", "transcript",
    "user_input", "input", "traj", "trajectory", "contents", "mapping",
)  # fmt: skip
OF_TURN = ("references", "relevant", "answerable", "contexts", "context_ids", "gold_contexts")
AT_END = {"state": "final_state", "final_state": "final_state", "expected_state": "expected_state"}
OF_CALLS = ("expected_calls", "tools", "expected_state")
BY_TURN_OR_END = (*OF_TURN, *OF_CALLS, *AT_END, "system")
"""Fields of which an empty cell of CSV says nothing."""
OF_CONVERSATION = ("conversation", "turn", "whole_conversation", "conversation_before")
SPOKEN = ("question", "answer")
REPLIES = ("output", "response", "choices", "completion", "reply")  # of a chat API
_SPEAKERS = "|".join(name for name, role in ROLES.items() if role != "tool")
_SPEAKER = re.compile(rf"^[ \t>*_-]*({_SPEAKERS})[*_]*:[*_]*[ \t]*", re.MULTILINE | re.IGNORECASE)
REWRITTEN = ("rewritten_query", "rewritten_question", "standalone_question", "search_query")
IDS = ("conversation_id", "session_id", "thread_id", "dialogue_id", "dialog_id")
"""Names of a conversation's id, in rows that have a `turn` too."""
BY_TURN = "as conversations, a row for each of"
NAMED = 5  # most conversations that a note names
MAX_BEFORE = 6_000  # characters of what was said before a turn, which a judge reads
Values = dict[str, object]


def recognised(table: Table, keep: Collection[str] = ()) -> Table:
    """The table with a row for each turn of a conversation; other rows as they are.

    A chat of one question and answer without calls is a row of them, which keeps its messages. A longer one with a single
    reference is no conversation: that is for its last answer. A chat that ends with the question that its row is about is
    what was said before.
    """
    present = {*table.columns} - {*keep}
    columns = [name for name in CHATS if name in present]
    columns += ["messages"] if columns and "messages" not in present else []
    numbered = next((name for name in present if folded(name) == "turn"), None)
    id_column = next((name for name in present if folded(name) in IDS), None) if numbered else None
    if not columns and not id_column:
        return table
    rows, problems = list[Row](), list[Problem]()
    n_turns: dict[str, int] = {}
    silent: list[str] = []
    read, other_parts = dict[str, None](), dict[str, None]()
    for number, row in enumerate(table.rows, 1):
        values = row.values
        if id_column and numbered and (turn := _as_turn(values, id_column, numbered)):
            values = turn
            read[f"{id_column!r} as conversation"] = None
        current = values.get("current_node")  # of ChatGPT's export
        given = {each: json_in(values[each]) for each in columns if values.get(each) is not None}
        chats = {each: chat for each in given if (chat := _paired(given[each], current))}
        unread = {each: values[each] for each in given if each not in chats}
        values = {**values, **given, **chats}
        joined = next((found for each in columns if (found := _with_reply(values, each))), None)
        values = values if joined is None else joined
        name = next((each for each in columns if _is_conversation(values, each)), None)
        is_single = name is None
        name = name or next((each for each in columns if _is_single(values, each)), None)
        if name is None:
            if any(_says_nothing(values, each) for each in columns):
                silent.append(repr(str(values.get("id") or number)))
            if name := next((each for each in columns if _asks_last(values, each)), None):
                values = _asked_last(values, name)
                read[f"the last message of {name!r} as question"] = None
            as_given = {each: unread[each] for each in unread if each in values}
            rows.append(replace(row, values={**values, **as_given}))
            continue
        id, repeat = values.get("id"), values.get("repeat", values.get("trial"))
        if id is not None and str(repeat).isdecimal() and "repeat_of" not in values:
            id, values = f"{id}#{repeat}", {**values, "repeat_of": str(id), "repeat": repeat}
        try:
            turns = list(_turns(values, name, str(id or number), other_parts))
        except TranscriptError as error:
            own = None if id is None else str(id)
            problems.append(Problem(str(error), row.source, row.line, name, own))
            continue
        has_calls = any(map(says_calls, list_of(values[name]) or ()))
        if not has_calls and not any(turn["answer"] for turn in turns):
            silent.append(repr(str(values.get("id") or number)))
        if is_single:
            turns = [{key: turns[0][key] for key in turns[0] if key not in OF_CONVERSATION}]
            read |= {f"the last {field} of {name!r} as {field}": None for field in SPOKEN}
        else:
            n_turns[name] = n_turns.get(name, 0) + len(turns)
        for values in turns:
            if table.all_text and "turn" in values:
                values["turn"] = str(values["turn"])
            rows.append(replace(row, values=values))
    if not n_turns and not problems and not read:
        return table
    notes = [*table.notes, *notes_on(n_turns), *([f"read {listed(list(read))}"] if read else [])]
    if silent and len(silent) < len(table.rows):
        n = counted(len(silent), "conversation")
        notes.append(f"the system says nothing in {n}, left without scores: {some(silent, NAMED)}")
    if other_parts:
        notes.append(f"only texts are scored; the messages also have {listed(list(other_parts))}")
    problems = (*table.problems, *problems)
    return replace(table, rows=tuple(rows), notes=tuple(notes), problems=problems)


def _paired(given: object, current: object) -> Sequence[object]:
    """The messages of an export, `[{"user": …, "assistant": …}]`, `[[question, answer]]` or `User: …`; empty for anything else."""
    if isinstance(given, str) and not given.lstrip().startswith(("[", "{")):
        _, *said = _SPEAKER.split(given)
        roles = [ROLES[name.lower()] for name in said[::2]]
        spoken = zip(roles, said[1::2], strict=True)
        messages = [{"role": role, "content": text.strip()} for role, text in spoken]
        return messages if {"user", "assistant"} <= {*roles} else []
    if messages := exported(given, current):
        return messages
    items = list_of(given) or []
    spoken = [dict(zip(("role", "content"), list_of(item) or (), strict=False)) for item in items]
    if spoken and all(len(each) == 2 and role_of(each) for each in spoken):
        return spoken  # of LangChain: `[["user", "Hello"]]`
    by_field = {"question": "user", "answer": "assistant"}
    pairs: list[object] = []
    for item in items:
        pair = list_of(item)
        values: Values = dict(mapping_of(item))
        values |= zip(("question", "answer"), pair or (), strict=False)
        by_speaker = {
            ROLES.get(name.lower()) or by_field.get(field_of(name) or ""): name for name in values
        }
        asked, answered = by_speaker.get("user"), by_speaker.get("assistant")
        if asked is None or answered is None or len(pair or (1, 2)) != 2:
            return []
        kept = {name: value for name, value in values.items() if name not in (asked, answered)}
        said = {**kept, "role": "assistant", "content": values[answered] or ""}
        pairs += [{"role": "user", "content": values[asked]}, said]
    return pairs


def _with_reply(values: Mapping[str, object], name: str) -> Values | None:
    """A row whose messages have the reply of an API in another column, as one list; None if it is none, or a text."""
    given = values.get(name)
    is_text = isinstance(given, str)
    said: list[object] = [{"role": "user", "content": given}] if is_text else list_of(given) or []
    for column in REPLIES if said and all(map(is_object, said)) else ():
        reply = json_in(values.get(column))
        replied = messages_in({column: reply} if column == "choices" else reply)
        if replied and any(map(says_calls, replied)):
            kept = {each: value for each, value in values.items() if each not in (name, column)}
            return {**kept, "messages": [*said, *replied]}
    return None


def _as_turn(values: Mapping[str, object], id: str, number: str) -> Values | None:
    """A row that names its conversation and its turn, as MTRAG's tasks do, with our names of both; None for others."""
    conversation, turn = values.get(id), str(values.get(number))
    if conversation is None or not turn.isdecimal() or "conversation" in values:
        return None
    kept: Values = {}
    for name, value in values.items():
        items = list_of(value) or []
        if field_of(name) is None and len(items) == 1 and isinstance(items[0], str):
            value = items[0]
        is_nan = isinstance(value, float) and value != value  # as pandas writes null
        if name not in (id, number) and not is_nan:
            kept[name] = value
    if not any(field_of(name) == "id" for name in kept):
        kept = {"id": kept.pop("task_id", None) or f"{conversation}#{turn}", **kept}
    return kept | {"conversation": str(conversation), "turn": int(turn)}


def notes_on(n_turns: Mapping[str, int]) -> list[str]:
    """What is announced of columns that were read as conversations, with the numbers of their turns."""
    return [f"read {name!r} {BY_TURN} {counted(n, 'turn')}" for name, n in n_turns.items()]


def _is_conversation(values: Mapping[str, object], name: str) -> bool:
    """Whether a column is to be read by turn: it has several turns, or calls, or something is expected of them."""
    items = list_of(values.get(name))
    if not items or not all(map(is_object, items)):
        return False
    given = [(field_of(each), value) for each, value in values.items() if each != name]
    fields = {field for field, _ in given}
    roles = [role_of(item) for item in items]
    if fields & {"question", "answer"} or not {"user", "assistant", "system"} & {*roles}:
        return False
    if fields & {*OF_CALLS} or any(map(says_calls, items)):
        return True
    if roles[-1] == "user" and _asks_last(values, name):
        return False
    n_answers = roles.count("assistant") + roles.count(None)  # unknown roles are a problem later
    given = [(field, value) for field, value in given if field in OF_TURN]
    if any(is_over_turns(*each) for each in given):
        return "user" in roles
    # As many references as turns may be those of the turns, or all of the last answer.
    is_ambiguous = any(
        field == "references" and len(list_of(json_in(value)) or ()) == n_answers
        for field, value in given
    )
    return n_answers > 1 and (not given or is_ambiguous)


def _says_nothing(values: Mapping[str, object], name: str) -> bool:
    """Whether only the user speaks in a chat, and no other column is an answer."""
    roles = {*map(role_of, list_of(values.get(name)) or ())}
    is_of_user = "user" in roles and roles <= {"user", "system"}
    return is_of_user and "answer" not in map(field_of, values)


def _is_single(values: Mapping[str, object], name: str) -> bool:
    """Whether a column is a chat with one answer, that is not read by turn."""
    roles = [*map(role_of, list_of(values.get(name)) or ())]
    is_chat = roles.count("assistant") == 1 and (name == "messages" or None not in roles)
    asks_last = bool(roles) and roles[-1] == "user"
    return is_chat and not asks_last and not {*map(field_of, values)} & {*SPOKEN}


def is_over_turns(field: str | None, value: object) -> bool:
    """Whether a value is a list over turns: of lists, flags or nulls, of objects that are no documents."""
    items = list_of(json_in(value)) or []
    kinds = (list, bool, Mapping) if field == "relevant" else (list, bool)
    return any(item is None or isinstance(item, kinds) for item in items)


def _asks_last(values: Mapping[str, object], name: str) -> bool:
    """Whether a chat ends with a question of the user, and other columns say something of that question alone."""
    roles = [*map(role_of, list_of(values.get(name)) or ())]
    if not roles or None in roles or roles[-1] != "user":
        return False
    given = [(field_of(each), value) for each, value in values.items() if each != name]
    of_last = [
        field == "answer" or (field in OF_TURN and not is_over_turns(field, value))
        for field, value in given
        if value is not None
    ]
    return any(of_last) and not any(field in ("question", *OF_CALLS) for field, _ in given)


def _asked_last(values: Mapping[str, object], name: str) -> Values:
    """The last question of a chat, with what was said before it."""
    items = list_of(values[name]) or []
    spoken = [at for at, item in enumerate(items) if role_of(item) == "assistant"]
    start = spoken[-1] + 1 if spoken else 0
    asked = read_transcript([item for item in items[start:] if role_of(item) == "user"]).messages
    before = ""
    for turn in read_transcript(items[:start]).turns():
        before = with_turn(before, turn.question, turn.answer)
    kept = {each: value for each, value in values.items() if each != name}
    question = "\n".join(message.text for message in asked)
    said = {"question": question, "conversation_before": before or None}
    return kept | said | _of_messages(items[start:], values)


def with_turn(before: str, question: str | None, answer: str | None) -> str:
    """What was said up to the end of a turn; of a long conversation its end."""
    texts = [("user", question), ("assistant", answer)]
    lines = [before, *(f"{who}: {text}" for who, text in texts if text)]
    before = "\n".join(lines).lstrip("\n")
    return before if len(before) <= MAX_BEFORE else f"… {before[-MAX_BEFORE:]}"


def _of_messages(messages: Sequence[object], values: Mapping[str, object]) -> Values:
    """What the messages of a turn say of it: what was retrieved, the rewritten query, MTRAG's remarks of people."""
    row: Values = {}
    for message in map(mapping_of, messages):
        given = {field_of(name): value for name, value in message.items() if value is not None}
        if message.get("type") == "file_search_call":  # of OpenAI
            given["contexts"] = message.get("results")
        for field in (*OF_TURN, "expected_calls"):
            found = given.get(field)
            found = [found] if field == "references" and isinstance(found, str) else list_of(found)
            if isinstance(given.get(field), bool):
                row[field] = given[field]
            elif found is not None:
                row[field] = [*(list_of(row.get(field)) or ()), *found]
        if query := next((message[each] for each in REWRITTEN if message.get(each)), None):
            row[REWRITTEN[0]] = query
        for name, remark in mapping_of(message.get("enrichments")).items():
            remarks = list_of(remark)
            row[name] = remarks[0] if remarks and len(remarks) == 1 else remark
    if "expected_calls" in row:
        (row["expected_calls"],) = _expected(row["expected_calls"], 1)
    people = [str(values[name]) for name in ("editor", "author") if values.get(name)]
    is_judged, relevant = False, dict[str, None]()
    for document in map(mapping_of, list_of(row.get("contexts")) or ()):
        said = mapping_of(mapping_of(document.get("feedback")).get("relevant"))
        name = next((each for each in people if each in said), next(iter(said), None))
        is_judged |= name is not None
        id = str(document.get("document_id") or "")
        if name is not None and mapping_of(said[name]).get("value") == "yes" and id:
            relevant[id] = None
    return row | {"relevant": list(relevant)} if is_judged else row


def json_in(value: object) -> object:
    """A value, of JSON text what it says, and of objects and lists of lists that Python printed: cells of CSV."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("[", "{"):
        return value
    try:
        return cast("object", json.loads(value))
    except (ValueError, RecursionError):
        is_nested = value.lstrip("[ ").startswith("{'") or value.lstrip().startswith("[[")
        with suppress(UnreadableError):
            return printed_list(value) if is_nested else value
        return value


def _turns(
    values: Mapping[str, object], name: str, id: str, other_parts: dict[str, None]
) -> Iterator[Values]:
    """The row of each turn, with the fields of the conversation that belong to it."""
    given = cast("list[object]", values[name])
    own = {
        each: json_in(value)
        for each, value in values.items()
        if each != name
        and value is not None
        and (value != "" or field_of(each) not in BY_TURN_OR_END)
    }
    if _is_prompt(own.get("system")):  # of Anthropic's requests
        given = [{"role": "system", "content": own.pop("system")}, *given]
    fields = {each: field_of(each) for each in own}
    calls, tools = (
        next((each for each, field in fields.items() if field == wanted), None)
        for wanted in ("expected_calls", "tools")
    )
    by_turn = [each for each, field in fields.items() if field in OF_TURN]
    lengths = [
        len(list_of(own[each]) or ()) for each in by_turn if is_over_turns(fields[each], own[each])
    ]
    lengths += [] if calls is None else [n_turns_listed(own[calls]) or 0]
    transcript = read_transcript(given)
    other_parts |= {each: None for message in transcript.messages for each in message.others}
    n_listed = max(lengths, default=0)
    turns = transcript.turns(n_listed)
    if len(turns) < n_listed == transcript.n_asked:  # an empty answer to each message without one
        roles = [*(message.role for message in transcript.messages), "user"]
        ignored = {
            place
            for at, place in enumerate(transcript.places)
            if roles[at] == "user" == roles[at + 1]
        }
        silence: list[object] = [{"role": "assistant", "content": ""}]
        said = ([item, *(silence if at in ignored else ())] for at, item in enumerate(given))
        given = [*itertools.chain.from_iterable(said)]
        turns = read_transcript(given).turns()
    if not turns:
        raise TranscriptError("the system says nothing in this conversation")
    n = len(turns)
    try:
        of_turn = {each: _by_turn(each, own.pop(each), n) for each in by_turn}
        if calls is not None:
            of_turn["expected_calls"] = _expected(own.pop(calls), n)
    except TranscriptError as error:
        if turns[0].question is not None:
            raise
        raise TranscriptError(f"{error}; the first is what the system says first") from None
    schemas = None if tools is None else own.pop(tools)
    slices = list_of(own.get("slices")) or []
    if any(map(is_object, slices)):
        own.pop("slices")
        if len(slices) != n:
            raise TranscriptError(f"'slices' has {len(slices)} turns, the conversation {n}")
    else:
        slices = [None] * n
    # What a whole conversation cost counts once, so that sums are right.
    end: Values = {each: own.pop(each) for each in list(own) if fields[each] in MEASURED}
    if "expected_state" in own:
        end |= {field: own.pop(each) for each, field in AT_END.items() if each in own}
    before = ""
    for at, turn in enumerate(turns):
        said = given[turn.start : turn.stop]
        row: Values = own | {
            "id": id if n == 1 else f"{id}#{turn.number}",
            "conversation": id,
            "turn": turn.number,
            "question": turn.question,
            "answer": turn.answer,
        }
        row |= {**_of_messages(said, values), **mapping_of(slices[at])}
        row |= {each: items[at] for each, items in of_turn.items()}
        if tools is not None:
            row["tools"] = schemas if turn.calls or row.get("expected_calls") else None
        row |= {"messages": said, "conversation_before": before or None}
        before = with_turn(before, turn.question, turn.answer)
        yield row | end | {"whole_conversation": given} if at == n - 1 else row


def _is_prompt(system: object) -> bool:
    """Whether a system is named by what it was told: blocks of text, several lines or a sentence."""
    lines = system.strip() if isinstance(system, str) else ""
    return isinstance(system, list) or "\n" in lines or lines.endswith((".", "!", "?"))


def _by_turn(name: str, value: object, n_turns: int) -> list[object]:
    """A field's value for each turn; what is not a list over several turns is an error."""
    items, field = list_of(value) or [], field_of(name)
    is_by_turn = is_over_turns(field, value)
    if n_turns == 1 and not (field == "references" and len(items) > 1 and is_by_turn):
        is_nested = len(items) == 1 and is_by_turn
        is_judgement = is_nested and {*mapping_of(items[0])} == {"id", "grade"}
        return items if is_nested and not is_judgement else [value]
    if is_by_turn and len(items) != n_turns:
        raise TranscriptError(f"{name!r} has {len(items)} turns, the conversation {n_turns}")
    if is_by_turn:
        return items
    if field == "references" and (isinstance(value, str) or len(items) == 1):
        return [*[None] * (n_turns - 1), value]  # it is for the last answer
    example = '[["Paris"], null]' if field == "references" else "one value or null for each"
    raise TranscriptError(f"{name!r} must be a list over the {n_turns} turns: {example}")


def _expected(value: object, n_turns: int) -> list[object]:
    """By turn the expected calls, as a list over that one turn, None where nothing is said; those of all at the last turn."""
    read_expected(value, n_turns)
    items = cast("list[object]", value)
    is_flat = all(map(is_object, items))
    if n_turns == 1:
        return [[items]] if not is_flat and len(items) != 1 else [items or [[]]]
    if items and is_flat:
        return [*[None] * (n_turns - 1), items]
    return [None if item is None else [item] for item in items] if items else [[[]]] * n_turns
