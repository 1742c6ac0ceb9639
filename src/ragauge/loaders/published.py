"""Read the rows of published data sets and benchmarks, whose answers and contexts are nested.

SQuAD, KILT, Natural Questions and TriviaQA nest their answers; HotpotQA and MS MARCO their contexts;
chats and Bedrock's evaluations hold question and answer as messages.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import cast

from ragauge.errors import Problem
from ragauge.loaders.documents import TEXT_KEYS
from ragauge.loaders.mapping import field_of
from ragauge.loaders.messages import ANSWERING, ASKING, last_text, text_of
from ragauge.loaders.table import Table, listed
from ragauge.sample import Row

Values = dict[str, object]
CHATS = ("messages", "conversation", "conversations", "chat", "turns", "user_input", "input")
"""Columns that may hold a chat; the last two only if it ends with the answer."""
FURTHER = ("alt_ans", "answer_aliases", "answer_alias", "aliases")
"""More spellings of the right answer."""
ANSWER_COLUMNS = ("answers", "answer", "ans", "output", "gold_answers")
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
    if not notes and not problems:
        return table
    return replace(
        table,
        rows=rows,
        notes=(*table.notes, f"read {listed(list(notes))}") if notes else table.notes,
        problems=(*table.problems, *problems),
    )


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


def _nested_answers(values: Values, names: Sequence[str], notes: dict[str, None]) -> None:
    """Answers as SQuAD, KILT and TriviaQA nest them become references."""
    for name in names:
        given = values.get(name)
        texts = None if isinstance(given, str) else _answer_texts(given)
        if name == "output" and _texts(given) is not None:  # a system's, in several parts
            continue
        if not texts or _has(values, "references", but=name):
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
            found += [part] if isinstance(part, str) else _texts(part) or []
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
    if not isinstance(_at(first, "data"), str) or _has(values, "answer"):
        return
    del values["answers"]
    values["answer"] = _at(first, "data")
    notes["the first of 'answers' as answer"] = None
    if _at(first, "documents") and not _has(values, "contexts"):
        values["contexts"] = _at(first, "documents")
        notes["its documents as contexts"] = None


def _further_answers(values: Values, notes: dict[str, None]) -> None:
    """Other spellings of the answer join the references."""
    name = next((each for each in FURTHER if _texts(values.get(each))), None)
    if name is None:
        return
    holder = next((each for each in values if field_of(each) == "references"), None)
    if holder is None and _has_prediction(values) and isinstance(values.get("answer"), str):
        holder = "answer"
    given = values.get(holder) if holder is not None else None
    texts = [given] if isinstance(given, str) else _texts(given)
    if holder is None or not texts:
        return
    more = _texts(values.pop(name)) or []
    del values[holder]
    values["references"] = list(dict.fromkeys([*texts, *more]))
    notes[f"{holder!r} and {name!r} as references"] = None


def _titled_contexts(values: Values, notes: dict[str, None]) -> None:
    """HotpotQA's paragraphs: a title and sentences each; supporting facts name the titles."""
    paragraphs = _paragraphs(values.get("context"))
    if paragraphs is None or _has(values, "contexts", but="context"):
        return
    del values["context"]
    values["contexts"] = [" ".join(part.strip() for part in parts) for _, parts in paragraphs]
    values["context_ids"] = [title for title, _ in paragraphs]
    notes["'context' as contexts, with the titles as context_ids"] = None
    facts = values.get("supporting_facts")
    titles = (
        _texts(cast(Mapping[str, object], facts).get("title"))
        if isinstance(facts, Mapping)
        else _titles(facts)
    )
    if titles and not _has(values, "relevant"):
        del values["supporting_facts"]
        values["relevant"] = dict.fromkeys(titles, 1)
        notes["'supporting_facts' as relevant"] = None


def _paragraphs(context: object) -> list[tuple[str, list[str]]] | None:
    if isinstance(context, Mapping):
        named = cast(Mapping[str, object], context)
        titles, sentences = _texts(named.get("title")), named.get("sentences")
        if titles is None or not isinstance(sentences, list | tuple):
            return None
        pairs: Sequence[object] = list(zip(titles, cast(Sequence[object], sentences), strict=False))
    elif isinstance(context, list | tuple):
        pairs = cast(Sequence[object], context)
    else:
        return None
    found: list[tuple[str, list[str]]] = []
    for pair in pairs:
        if not isinstance(pair, list | tuple) or len(cast(Sequence[object], pair)) != 2:
            return None
        title, parts = cast(Sequence[object], pair)
        texts = _texts(parts)
        if not isinstance(title, str) or texts is None:
            return None
        found.append((title, texts))
    return found or None


def _titles(facts: object) -> list[str] | None:
    if not isinstance(facts, list | tuple):
        return None
    titles = [
        cast(Sequence[object], fact)[0] if isinstance(fact, list | tuple) and fact else None
        for fact in cast(Sequence[object], facts)
    ]
    if not titles or not all(isinstance(title, str) for title in titles):
        return None
    return cast(list[str], titles)


def _columns_of_passages(values: Values, notes: dict[str, None]) -> None:
    """MS MARCO's passages: an object of columns; the selected ones are gold."""
    given = values.get("passages")
    if not isinstance(given, Mapping):
        return
    columns = cast(Mapping[str, object], given)
    texts = next((found for key in TEXT_KEYS if (found := _texts(columns.get(key)))), None)
    if texts is None or _has(values, "contexts", but="passages"):
        return
    del values["passages"]
    values["contexts"] = texts
    notes["the texts of 'passages' as contexts"] = None
    selected = columns.get("is_selected")
    marks = cast(list[object], selected) if isinstance(selected, list) else []
    if len(marks) == len(texts) and not _has(values, "gold_contexts"):
        values["gold_contexts"] = [text for text, mark in zip(texts, marks, strict=True) if mark]
        notes["the selected ones as gold_contexts"] = None


def _grouped_ids(values: Values, notes: dict[str, None]) -> None:
    """AutoRAG's retrieval_gt: groups of ids."""
    given = values.get("retrieval_gt")
    if not isinstance(given, list | tuple) or _has(values, "relevant"):
        return
    ids: list[str] = []
    for group in cast(Sequence[object], given):
        texts = [group] if isinstance(group, str) else _texts(group)
        if texts is None:
            return
        ids += texts
    del values["retrieval_gt"]
    values["relevant"] = list(dict.fromkeys(ids))
    notes["'retrieval_gt' as relevant"] = None


def _chat(values: Values, notes: dict[str, None]) -> None:
    """The last question and answer of a chat, of a row that has neither beside it."""
    name = next((each for each in CHATS if isinstance(values.get(each), list)), None)
    if name is None or _has(values, "question", but=name) or _has(values, "answer"):
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
    if "custom_id" not in values or _has(values, "answer", but="response"):
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
    if _has(values, "references") or _has_prediction(values):
        return
    del values["result"]
    values |= {"answer": result, "references": [expected]}
    notes["'result' as answer, 'answer' as references"] = None


def _reader_answers(values: Values, notes: dict[str, None]) -> None:
    """DPR's reader keeps its answers, the best first, with the passage of each."""
    given = values.get("predictions")
    best = (
        _at(cast(list[object], given)[0], "prediction")
        if isinstance(given, list) and given
        else None
    )
    text = _at(best, "text")
    if not isinstance(text, str) or _has(values, "answer"):
        return
    del values["predictions"]
    values["answer"] = text
    notes["the first of 'predictions' as answer"] = None


def _filtered_replies(values: Values, notes: dict[str, None]) -> None:
    """lm-evaluation-harness keeps a list of replies."""
    replies = _texts(values.get("filtered_resps"))
    if not replies or _has(values, "answer"):
        return
    for name in ("filtered_resps", "resps", "arguments"):
        values.pop(name, None)
    values["answer"] = replies[0]
    notes["the first of 'filtered_resps' as answer"] = None


_STEPS: tuple[Callable[[Values, dict[str, None]], None], ...] = (
    _titled_contexts,
    _columns_of_passages,
    _grouped_ids,
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


def _texts(value: object) -> list[str] | None:
    """A list of texts; None for anything else, and for an empty list."""
    if not isinstance(value, list | tuple) or not value:
        return None
    items = cast(Sequence[object], value)
    return cast(list[str], list(items)) if all(isinstance(item, str) for item in items) else None


def _has(values: Mapping[str, object], field: str, but: str = "") -> bool:
    """Whether another column gives the field a value."""
    return any(
        name != but and value is not None and field_of(name) == field
        for name, value in values.items()
    )


def _has_prediction(values: Mapping[str, object]) -> bool:
    return any(name != "answer" and field_of(name) == "answer" for name in values)
