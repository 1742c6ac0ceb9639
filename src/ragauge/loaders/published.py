"""Read the rows of published data sets and benchmarks, whose answers and contexts are nested.

SQuAD, KILT, Natural Questions and TriviaQA nest their answers; chats and Bedrock's evaluations hold question and answer as messages.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import cast

from ragauge.errors import Problem
from ragauge.loaders.dataset_contexts import (
    columns_of_passages,
    grouped_ids,
    has_field,
    texts_in,
    titled_contexts,
)
from ragauge.loaders.mapping import field_of
from ragauge.loaders.messages import ANSWERING, ASKING, last_text, text_of
from ragauge.loaders.table import Table, listed
from ragauge.samples.samples import Row

Values = dict[str, object]
CHATS = ("messages", "conversation", "conversations", "chat", "turns", "user_input", "input")
"""Columns that may hold a chat; the last two only if it ends with the answer."""
FURTHER = ("alt_ans", "answer_aliases", "answer_alias", "aliases")
"""More spellings of the right answer."""
ANSWER_COLUMNS = ("answers", "answer", "ans", "output", "gold_answers", "targets")
ANSWER_KEYS = ("text", "answer", "value", "aliases", "normalized_value")
NESTED = (
    *ANSWER_COLUMNS,
    *CHATS,
    *FURTHER,
    "context",
    "passages",
    "retrieval_gt",
    "filtered_resps",
    "predictions",
    "source_documents",
    "conversationTurns",
    "response",
    "result",
)
"""Columns that may be nested; a table where none of them is stays as it is."""
GPT_ROLES = {"human": "user", "gpt": "assistant", "user": "user", "assistant": "assistant"}


def recognised(table: Table, keep: Collection[str] = ()) -> Table:
    """The table with nested answers, contexts and chats as the fields that they are.

    Columns in `keep` stay as they are, and answers that are texts in other rows.
    """
    if not _has_nested(table, keep):
        return table
    nested = [
        name
        for name in ANSWER_COLUMNS
        if not any(isinstance(row.values.get(name), str) for row in table.rows)
    ]
    notes: dict[str, None] = {}
    problems: list[Problem] = []
    rows = tuple(_read(row, keep, nested, notes, problems) for row in table.rows)
    if "answer" not in keep:
        rows = _expected_everywhere(table.rows, rows)
    if not notes and not problems:
        return table
    return replace(
        table,
        rows=rows,
        notes=(*table.notes, f"read {listed(list(notes))}") if notes else table.notes,
        problems=(*table.problems, *problems),
    )


def _expected_everywhere(before: Sequence[Row], after: Sequence[Row]) -> tuple[Row, ...]:
    """The rows with the column `answer` as references in all of them, if it is so in some.

    A row without further answers, or without a result, would give its expected answer as the system's.
    """
    is_expected = [
        "answer" in old.values
        and "references" in new.values
        and "references" not in old.values
        and new.values.get("answer") != old.values["answer"]
        for old, new in zip(before, after, strict=True)
    ]
    if not any(is_expected):
        return tuple(after)
    return tuple(
        row if known or not _is_answer_only(row.values) else _with_expected(row)
        for row, known in zip(after, is_expected, strict=True)
    )


def _is_answer_only(values: Mapping[str, object]) -> bool:
    return values.get("answer") is not None and values.get("references") is None


def _with_expected(row: Row) -> Row:
    kept = {
        name: value for name, value in row.values.items() if name not in ("answer", "references")
    }
    return Row({**kept, "references": row.values["answer"]}, row.source, row.line)


def _has_nested(table: Table, keep: Collection[str]) -> bool:
    """Whether a column that a data set nests holds a list or an object."""
    columns = set(table.columns())
    names = [name for name in NESTED if name in columns and name not in keep]
    return any(
        not isinstance(value, str) and isinstance(value, list | tuple | Mapping)
        for name in names
        for row in table.rows
        if (value := row.values.get(name)) is not None
    )


def _read(
    row: Row,
    keep: Collection[str],
    nested: Sequence[str],
    notes: dict[str, None],
    problems: list[Problem],
) -> Row:
    if not any(isinstance(value, list | tuple | Mapping) for value in row.values.values()):
        return row
    kept = {name: value for name, value in row.values.items() if name in keep}
    values = {name: value for name, value in row.values.items() if name not in keep}
    _no_answers(values, notes)
    _generated_answers(values, notes)
    _further_answers(values, notes)
    _nested_answers(values, nested, notes)
    for step in _STEPS:
        step(values, notes)
    turns = values.get("conversationTurns")
    if isinstance(turns, list):
        _bedrock(values, cast(list[object], turns), row, notes, problems)
    values |= kept
    return row if values == row.values else Row(values, row.source, row.line)


def _no_answers(values: Values, notes: dict[str, None]) -> None:
    """SQuAD's empty answers: the paragraph does not answer the question."""
    given = values.get("answers")
    is_empty = _at(given, "text") == [] and _at(given, "answer_start") == []
    says_so = has_field(values, "answerable")
    if has_field(values, "references") or not (is_empty or (given == [] and says_so)):
        return
    del values["answers"]
    values |= {"references": []} if says_so else {"references": [], "answerable": False}
    notes["empty 'answers' as not answerable"] = None


def _nested_answers(values: Values, names: Sequence[str], notes: dict[str, None]) -> None:
    """Answers as SQuAD, KILT and TriviaQA nest them become references."""
    for name in names:
        given = values.get(name)
        texts = None if isinstance(given, str) else _answer_texts(given)
        if name == "output" and texts_in(given) is not None:  # a system's, in several parts
            continue
        if not texts or has_field(values, "references", but=name):
            continue
        del values[name]
        values["references"] = texts
        notes[f"{name!r} as references"] = None
        return


def _answer_texts(given: object) -> list[str] | None:
    """The texts of nested answers, each once; None if they are something else."""
    if isinstance(given, Mapping):
        found: list[str] = []
        for key in ANSWER_KEYS:
            part = cast(Mapping[str, object], given).get(key)
            found += [part] if isinstance(part, str) else texts_in(part) or []
        return list(dict.fromkeys(found)) or None
    if not isinstance(given, list | tuple):
        return None
    items = cast(Sequence[object], given)
    if items and all(isinstance(item, str) for item in items):
        return cast(list[str], list(items))
    found = []
    for item in items:
        if not isinstance(item, Mapping) or not {"answer", "text", "value"} & item.keys():
            return None
        item = cast(Mapping[str, object], item)
        if "role" in item or "documents" in item or any(field_of(key) == "system" for key in item):
            return None
        found += _answer_texts(cast(object, item)) or []
    return list(dict.fromkeys(found)) or None


def _generated_answers(values: Values, notes: dict[str, None]) -> None:
    """Haystack's answers: generated texts with the documents behind them; the first is taken."""
    given = values.get("answers")
    first: object = cast(list[object], given)[0] if isinstance(given, list) and given else None
    if not isinstance(_at(first, "data"), str) or has_field(values, "answer"):
        return
    del values["answers"]
    values["answer"] = _at(first, "data")
    notes["the first of 'answers' as answer"] = None
    if _at(first, "documents") and not has_field(values, "contexts"):
        values["contexts"] = _at(first, "documents")
        notes["its documents as contexts"] = None


def _further_answers(values: Values, notes: dict[str, None]) -> None:
    """Other spellings of the answer join the references."""
    name = next((each for each in FURTHER if texts_in(values.get(each))), None)
    if name is None:
        return
    holder = next((each for each in values if field_of(each) == "references"), None)
    if holder is None and _has_prediction(values) and isinstance(values.get("answer"), str):
        holder = "answer"
    given = values.get(holder) if holder is not None else None
    texts = [given] if isinstance(given, str) else texts_in(given)
    if holder is None or not texts:
        return
    more = texts_in(values.pop(name)) or []
    del values[holder]
    values["references"] = list(dict.fromkeys([*texts, *more]))
    notes[f"{holder!r} and {name!r} as references"] = None


def _chat(values: Values, notes: dict[str, None]) -> None:
    """The last question and answer of a chat, of a row that has neither beside it."""
    name = next((each for each in CHATS if isinstance(values.get(each), list)), None)
    if name is None or has_field(values, "question", but=name) or has_field(values, "answer"):
        return
    messages = [_message(item) for item in cast(list[object], values[name])]
    question, answer = last_text(messages, ASKING), last_text(messages, ANSWERING)
    if question is None and answer is None:
        return
    if field_of(name) == "question" and last_text(messages[-1:], ANSWERING) is None:
        return
    del values[name]
    for field, text in (("question", question), ("answer", answer)):
        if text is not None:
            values[field] = text
            notes[f"the last {field} of {name!r} as {field}"] = None


def _message(item: object) -> object:
    """A message with role and content; ShareGPT calls them from and value."""
    if isinstance(item, Mapping) and {"from", "value"} <= item.keys():
        named = cast(Mapping[str, object], item)
        role = GPT_ROLES.get(str(named["from"]), str(named["from"]))
        return {"role": role, "content": named["value"]}
    return cast(object, item)


def _batch_reply(values: Values, notes: dict[str, None]) -> None:
    """A reply of OpenAI's or Anthropic's batches: custom_id, and the completion in response or result."""
    if "custom_id" not in values or has_field(values, "answer", but="response"):
        return
    reply = _at(values.get("response"), "body") or _at(values.get("result"), "message")
    text = text_of(reply)
    if text is None:
        return
    for name in ("response", "result"):
        values.pop(name, None)
    values |= {"id": values.pop("custom_id"), "answer": text}
    notes["the batch's replies as answer, 'custom_id' as id"] = None


def _chain_answers(values: Values, notes: dict[str, None]) -> None:
    """LangChain's chains return `result` beside the query, and what a data set expects is its answer."""
    expected, result = values.get("answer"), values.get("result")
    if not isinstance(expected, str) or not isinstance(result, str) or "query" not in values:
        return
    if has_field(values, "references") or _has_prediction(values):
        return
    del values["result"]
    values |= {"answer": result, "references": [expected]}
    notes["'result' as answer, 'answer' as references"] = None


def _reader_answers(values: Values, notes: dict[str, None]) -> None:
    """DPR's reader and MTRAG keep a list of answers, the best first; DPR's with the passage of each."""
    given = values.get("predictions")
    best = cast(list[object], given)[0] if isinstance(given, list) and given else None
    text = best if isinstance(best, str) else _at(_at(best, "prediction") or best, "text")
    others = {field_of(name) for name in values if name not in ("predictions", "answer")}
    if not isinstance(text, str) or "answer" in others:
        return
    del values["predictions"]
    values["prediction"] = text  # `answer` beside it is the expected one
    notes["the first of 'predictions'"] = None


def _filtered_replies(values: Values, notes: dict[str, None]) -> None:
    """lm-evaluation-harness keeps a list of replies."""
    replies = texts_in(values.get("filtered_resps"))
    if not replies or has_field(values, "answer"):
        return
    for name in ("filtered_resps", "resps", "arguments"):
        values.pop(name, None)
    values["answer"] = replies[0]
    notes["the first of 'filtered_resps' as answer"] = None


_STEPS: tuple[Callable[[Values, dict[str, None]], None], ...] = (
    titled_contexts,
    columns_of_passages,
    grouped_ids,
    _chat,
    _batch_reply,
    _chain_answers,
    _reader_answers,
    _filtered_replies,
)


def _bedrock(
    values: Values,
    turns: list[object],
    row: Row,
    notes: dict[str, None],
    problems: list[Problem],
) -> None:
    """A conversation of one turn, as Amazon Bedrock's evaluations have it."""
    if len(turns) != 1:
        problem = f"has {len(turns)} turns; give one question and answer per row"
        problems.append(Problem(problem, row.source, row.line, "conversationTurns"))
        return
    turn = turns[0]
    given = _at(turn, "inputRecord") or turn  # in results; in data sets the turn itself
    texts = _contents(_at(given, "referenceResponses"))
    asked, output = _contents(_at(given, "prompt")), _at(given, "output") or _at(turn, "output")
    retrieved = _at(_at(output, "retrievedPassages"), "retrievalResults")
    found = {
        "question": asked[0] if asked else None,
        "answer": _at(output, "text"),
        "references": texts or None,
        "contexts": _contents(retrieved) or None,
        "system": _at(output, "modelIdentifier"),
    }
    del values["conversationTurns"]
    values |= {name: value for name, value in found.items() if value is not None}
    notes["'conversationTurns' as question, answer, references and contexts"] = None


def _at(value: object, key: str) -> object:
    return cast(Mapping[str, object], value).get(key) if isinstance(value, Mapping) else None


def _contents(value: object) -> list[str]:
    """The texts under content: of an object, or of each object of a list."""
    holders = cast(list[object], value) if isinstance(value, list) else [value]
    found: list[str] = []
    for holder in holders:
        content = _at(holder, "content")
        parts = cast(list[object], content) if isinstance(content, list) else [content]
        found += [text for part in parts if isinstance(text := _at(part, "text"), str)]
    return found


def _has_prediction(values: Mapping[str, object]) -> bool:
    return any(name != "answer" and field_of(name) == "answer" for name in values)
