"""Read the rows of published data sets and benchmarks, whose answers and contexts are nested.

CITED and SHAPES have an entry for each shape that a path can describe; SQuAD's, KILT's, Natural Questions' and
TriviaQA's answers, and chats, are functions.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import cast

from ragauge.errors import PlanError
from ragauge.loaders.documents import TEXT_KEYS
from ragauge.loaders.mapping import field_of
from ragauge.loaders.messages import ANSWERING, ASKING, last_text
from ragauge.loaders.shapes.reader import Shape, Values, found, has_field, read_rows, texts_in
from ragauge.loaders.table import Table
from ragauge.plugins import load, offered
from ragauge.samples.samples import Row

CHATS = ("messages", "conversation", "conversations", "chat", "turns", "user_input", "input")
"""Columns that may hold a chat; the last two only if it ends with the answer."""
FURTHER = ("alt_ans", "answer_aliases", "answer_alias", "aliases")
"""More spellings of the right answer."""
ANSWER_COLUMNS = ("answers", "answer", "ans", "output", "gold_answers", "targets")
ANSWER_KEYS = ("text", "answer", "value", "aliases", "normalized_value")
GPT_ROLES = {"human": "user", "gpt": "assistant", "user": "user", "assistant": "assistant"}

EVIDENCE = ("evidence_list", "evidence", "evidences")
EVIDENCE_TEXTS = ("fact", "evidence_text", "text", "content", "sentence")

CITED = (
    Shape(  # MuSiQue
        takes={
            "contexts": "paragraphs[].paragraph_text",
            "gold_contexts": "paragraphs[is_supporting].paragraph_text",
        },
        note="'paragraphs' as contexts, those that support the answer as gold_contexts",
    ),
    Shape(  # TREC's RAG track: the cited documents are those that were retrieved
        takes={"answer": "answer[].text: sentences"},
        also={
            "context_ids": "references: list",
            "id": "topic_id",
            "question": "topic",
            "system": "run_id",
        },
        needs=("answer[].citations",),
        unless=(),
        note="the sentences of 'answer' as one text, without their citations",
        notes={"context_ids": "the cited 'references' as context_ids"},
    ),
)
"""Shapes whose `answer` would be read as references."""
SHAPES = (
    Shape(  # Haystack's generated answers, with the documents behind them
        takes={"answer": "answers[0].data: text"},
        also={"contexts": "answers[0].documents: filled"},
        note="the first of 'answers' as answer",
        notes={"contexts": "its documents as contexts"},
    ),
    Shape(  # HotpotQA, as its file and as Hugging Face have it; the facts name the titles
        takes={
            "contexts": "context[][1] | context{}.sentences: lists of sentences",
            "context_ids": "context[][0] | context{}.title: texts",
        },
        also={"relevant": "supporting_facts[][0] | supporting_facts{}.title: ids"},
        unless=("contexts",),
        note="'context' as contexts, with the titles as context_ids",
    ),
    Shape(  # MS MARCO
        takes={"contexts": f"{' | '.join(f'passages{{}}.{key}' for key in TEXT_KEYS)}: texts"},
        also={"gold_contexts": " | ".join(f"passages{{is_selected}}.{key}" for key in TEXT_KEYS)},
        note="the texts of 'passages' as contexts",
        notes={"gold_contexts": "the selected ones as gold_contexts"},
    ),
    Shape(takes={"relevant": "retrieval_gt[][]: ids"}),  # AutoRAG
    Shape(  # batches of OpenAI and of Anthropic
        takes={"answer": "response.body | result.message: message", "id": "custom_id"},
        unless=("answer",),
        note="the batch's replies as answer, 'custom_id' as id",
    ),
    Shape(  # LangChain's chains, beside which the answer is what a data set expects
        takes={"answer": "result: text", "references": "answer: only text"},
        also={"question": "query", "contexts": "source_documents"},
        needs=("query",),
    ),
    Shape(  # DPR's reader and MTRAG; `answer` beside it is the expected one
        takes={
            "prediction": "predictions[0] | predictions[0].prediction.text | predictions[0].text: text"
        },
        unless=("answer",),
        beside=("answer",),
        note="the first of 'predictions'",
    ),
    Shape(  # lm-evaluation-harness
        takes={"answer": "filtered_resps[0]: text"},
        drops=("resps", "arguments"),
        note="the first of 'filtered_resps' as answer",
    ),
    Shape(  # Amazon Bedrock: in results the record is inside, in data sets it is the turn
        takes={},
        also={
            "question": "prompt.content[?].text: first text",
            "answer": "output.text: text",
            "references": "referenceResponses[?].content[?].text: texts",
            "contexts": "output.retrievedPassages.retrievalResults[?].content[?].text: texts",
            "system": "output.modelIdentifier",
        },
        needs=("conversationTurns: list",),
        drops=("conversationTurns",),
        within=("conversationTurns[0].inputRecord", "conversationTurns[0]"),
        single="conversationTurns",
        note="'conversationTurns' as question, answer, references and contexts",
        notes=dict.fromkeys(("question", "answer", "references", "contexts", "system"), ""),
    ),
)
"""All others, in this order."""


def recognised(table: Table, keep: Collection[str] = ()) -> Table:
    """The table with nested answers, contexts and chats as the fields that they are.

    Columns in `keep` stay as they are, and answers that are texts in other rows.
    """
    table = read_rows(_with_evidence(table, keep), CITED, keep)
    columns = {*ANSWER_COLUMNS, *CHATS, *FURTHER, "source_documents"}
    shapes = [*_of_plug_ins(), *SHAPES]
    columns = columns.union(*(shape.columns() for shape in shapes)) & set(table.columns())
    if not any(
        isinstance(row.values.get(name), list | tuple | Mapping)
        for name in columns - set(keep)
        for row in table.rows
    ):
        return table
    nested = [
        name
        for name in ANSWER_COLUMNS
        if not any(isinstance(row.values.get(name), str) for row in table.rows)
    ]
    answers = partial(_nested_answers, nested)
    read = read_rows(table, (_no_answers, _further_answers, answers, _chat, *shapes), keep)
    if read is table or "answer" in keep:
        return read
    return replace(read, rows=_expected_everywhere(table.rows, read.rows))


def _of_plug_ins() -> list[Shape]:
    """The shapes that installed packages offer, which come before ours."""
    shapes = [load("loaders", name) for name in offered("loaders")]
    for shape, entry in zip(shapes, offered("loaders").values(), strict=True):
        if not isinstance(shape, Shape):
            raise PlanError(
                [f"the entry point {entry.value} of ragauge.loaders is {shape!r:.60}, not a Shape"]
            )
    return shapes


def _with_evidence(table: Table, keep: Collection[str]) -> Table:
    """The table with the passages behind the expected answer as gold contexts.

    MultiHop-RAG, FinanceBench and GraphRAG-Bench keep them as evidence, which elsewhere is anything.
    """
    columns = table.columns()
    if any(field_of(name) == "gold_contexts" for name in columns):
        return table
    for name in EVIDENCE:
        cells = [row.values.get(name) for row in table.rows] if name in columns else []
        given = [cell for cell in cells if cell is not None and cell != []]
        if name not in keep and given and all(_passages(cell) for cell in given):
            read = [
                {
                    "gold_contexts" if key == name else key: _passages(value)
                    if key == name
                    else value
                    for key, value in row.values.items()
                }
                for row in table.rows
            ]
            return table.with_values(read, f"read {name!r} as gold_contexts")
    return table


def _passages(cell: object) -> list[str]:
    """The texts of a list of passages; empty for anything else."""
    items = cast(Sequence[object], cell) if isinstance(cell, list | tuple) else ()
    path = f"{' | '.join(EVIDENCE_TEXTS)}: text"
    texts = [item if isinstance(item, str) else found(item, path) for item in items]
    return cast(list[str], texts) if all(texts) else []


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
        row
        if known or row.values.get("answer") is None or row.values.get("references") is not None
        else _with_expected(row)
        for row, known in zip(after, is_expected, strict=True)
    )


def _with_expected(row: Row) -> Row:
    kept = {
        name: value for name, value in row.values.items() if name not in ("answer", "references")
    }
    return Row({**kept, "references": row.values["answer"]}, row.source, row.line)


def _no_answers(values: Values, notes: dict[str, None]) -> None:
    """SQuAD's empty answers: the paragraph does not answer the question."""
    given = values.get("answers")
    is_empty = found(given, "text") == [] and found(given, "answer_start") == []
    says_so = has_field(values, "answerable")
    if has_field(values, "references") or not (is_empty or (given == [] and says_so)):
        return
    del values["answers"]
    values |= {"references": []} if says_so else {"references": [], "answerable": False}
    notes["empty 'answers' as not answerable"] = None


def _nested_answers(names: Sequence[str], values: Values, notes: dict[str, None]) -> None:
    """Answers as SQuAD, KILT and TriviaQA nest them become references."""
    for name in names:
        given = values.get(name)
        texts = None if isinstance(given, str) else _answer_texts(given)
        if name == "output" and texts_in(given) is not None:  # a system's, in several parts
            continue
        if not texts or has_field(values, "references", but=[name]):
            continue
        del values[name]
        values["references"] = texts
        notes[f"{name!r} as references"] = None
        return


def _answer_texts(given: object) -> list[str] | None:
    """The texts of nested answers, each once; None if they are something else."""
    if isinstance(given, Mapping):
        texts: list[str] = []
        for key in ANSWER_KEYS:
            part = cast(Mapping[str, object], given).get(key)
            texts += [part] if isinstance(part, str) else texts_in(part) or []
        return list(dict.fromkeys(texts)) or None
    if not isinstance(given, list | tuple):
        return None
    items = cast(Sequence[object], given)
    if items and all(isinstance(item, str) for item in items):
        return cast(list[str], list(items))
    texts = []
    for item in items:
        if not isinstance(item, Mapping) or not {"answer", "text", "value"} & item.keys():
            return None
        item = cast(Mapping[str, object], item)
        if "role" in item or "documents" in item or any(field_of(key) == "system" for key in item):
            return None
        texts += _answer_texts(cast(object, item)) or []
    return list(dict.fromkeys(texts)) or None


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
    if name is None or has_field(values, "question", but=[name]) or has_field(values, "answer"):
        return
    if "conversation" in values and "turn" in values:  # a turn without texts
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


def _has_prediction(values: Mapping[str, object]) -> bool:
    return any(name != "answer" and field_of(name) == "answer" for name in values)
