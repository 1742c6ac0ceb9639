"""The shapes of tools and published data sets: COLUMNS, SHAPES and LATER have an entry for each that a path can describe."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import cast

from ragauge.errors import PlanError
from ragauge.loaders.documents import TEXT_KEYS
from ragauge.loaders.mapping import field_of
from ragauge.loaders.shapes.reader import (
    Columns,
    Shape,
    Values,
    found,
    has_field,
    read_rows,
    texts_in,
)
from ragauge.loaders.table import ANSWERING, ASKING, Table, items_in, last_text, mapping_in
from ragauge.plugins import load, offered
from ragauge.samples.fields import Row

CHATS = ("messages", "conversation", "conversations", "chat", "turns", "user_input", "input")
FURTHER = ("alt_ans", "answer_aliases", "answer_alias", "aliases")  # spellings of the right answer
ANSWER_COLUMNS = ("answers", "answer", "ans", "output", "gold_answers", "targets")
ANSWER_KEYS = ("text", "answer", "value", "aliases", "normalized_value")
GPT_ROLES = {"human": "user", "gpt": "assistant"}
EVIDENCE = ("evidence_list", "evidence", "evidences")
EVIDENCE_TEXT = "fact | evidence_text | text | content | sentence: text"

COLUMNS = (
    Columns(  # Vectara's HHEM and other checks of summaries: elsewhere `source` is a file's name
        needs=frozenset({"source", "summary"}),
        names={"source": "contexts", "summary": "answer"},
        texts="source",
    ),
    Columns(  # BERGEN: elsewhere `label` is a verdict
        needs=frozenset({"question", "instruction", "response", "label"}),
        names={"label": "references"},
        texts="label",
    ),
    Columns(  # Cohere's chat, with its documents
        needs=frozenset({"message", "text", "documents"}),
        names={"message": "question", "text": "answer"},
    ),
    Columns(  # RAGTruth: `id` is the response's, so that no two systems share one
        needs=frozenset({"id", "source_id", "model", "response"}), names={"source_id": "id"}
    ),
)


def _of_turn(path: str) -> str:
    """A path in Amazon Bedrock's turn: in results the record is inside, in data sets it is the turn."""
    return f"conversationTurns[0].inputRecord.{path} | conversationTurns[0].{path}"


SHAPES = (  # read before all that is read by general names
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
        needs=("answer[0].citations | run_id",),  # a system that abstains has no sentence
        unless=(),
        note="the sentences of 'answer' as one text, without their citations",
        notes={"context_ids": "the cited 'references' as context_ids"},
    ),
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
    Shape(takes={"relevant": "retrieval_gt[][]: ids"}),  # AutoRAG
    Shape(  # batches of OpenAI and of Anthropic
        takes={"answer": "response.body | result.message: message", "id": "custom_id"},
        unless=("answer",),
        note="the batch's replies as answer, 'custom_id' as id",
    ),
    Shape(  # Amazon Bedrock
        takes={},
        also={
            "question": f"{_of_turn('prompt.content[?].text')}: first text",
            "answer": f"{_of_turn('output.text')}: text",
            "references": f"{_of_turn('referenceResponses[?].content[?].text')}: texts",
            "contexts": f"{_of_turn('output.retrievedPassages.retrievalResults[?].content[?].text')}: texts",
            "system": _of_turn("output.modelIdentifier"),
        },
        needs=("conversationTurns: list",),
        drops=("conversationTurns",),
        single="conversationTurns",
        note="'conversationTurns' as question, answer, references and contexts",
        notes=dict.fromkeys(("question", "answer", "references", "contexts", "system"), ""),
    ),
)
LATER = (  # the same, where a general name beside them is read first, such as `answers` as references
    Shape(  # MS MARCO
        takes={"contexts": f"{' | '.join(f'passages{{}}.{key}' for key in TEXT_KEYS)}: texts"},
        also={"gold_contexts": " | ".join(f"passages{{is_selected}}.{key}" for key in TEXT_KEYS)},
        note="the texts of 'passages' as contexts",
        notes={"gold_contexts": "the selected ones as gold_contexts"},
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
)


def with_field_names(table: Table, keep: Collection[str] = ()) -> Table:
    """The table with the columns of the first known tool under their fields' names, but those in `keep`."""
    read = (entry.read(table, keep) for entry in COLUMNS)
    return next((each for each in read if each is not table), table)


def recognised(table: Table, keep: Collection[str] = ()) -> Table:
    """The table with rows of the shapes of packages and of SHAPES as the fields that they are, but columns in `keep`."""
    shapes: list[Shape] = []
    for name, entry in offered("loaders").items():
        if not isinstance(shape := load("loaders", name), Shape):
            where = f"the entry point {entry.value} of ragauge.loaders"
            raise PlanError([f"{where} is {shape!r:.60}, not a Shape"])
        shapes.append(shape)
    return read_rows(table, (*shapes, *SHAPES), keep)


def with_nested_fields(table: Table, keep: Collection[str] = ()) -> Table:
    """The table with nested evidence, answers, contexts and chats as the fields that they are, but columns in `keep`."""
    table = _with_evidence(table, keep)
    columns = {*ANSWER_COLUMNS, *CHATS, *FURTHER, "source_documents"}
    columns = columns.union(*(shape.columns() for shape in LATER)) & {*table.columns} - {*keep}
    cells = (row.values.get(name) for name in columns for row in table.rows)
    if not any(isinstance(cell, list | tuple | Mapping) for cell in cells):
        return table
    nested = [
        name
        for name in ANSWER_COLUMNS
        if not any(isinstance(row.values.get(name), str) for row in table.rows)
    ]
    answers = partial(_nested_answers, nested)
    read = read_rows(table, (_further_answers, answers, _chat, *LATER), keep)
    if read is table or "answer" in keep:
        return read
    return replace(read, rows=_expected_everywhere(table.rows, read.rows))


def _with_evidence(table: Table, keep: Collection[str]) -> Table:
    """The table with MultiHop-RAG's, FinanceBench's or GraphRAG-Bench's evidence, of the expected answer, as gold contexts."""
    given = () if "gold_contexts" in map(field_of, table.columns) else table.columns
    for name in (name for name in EVIDENCE if name in given and name not in keep):
        rows: list[Values] = []
        n_given = 0
        for row in table.rows:
            items = items_in(cell := row.values.get(name))
            texts = [
                each if isinstance(each, str) else found(each, EVIDENCE_TEXT) for each in items
            ]
            texts = texts if all(texts) else []
            if cell not in (None, []) and not texts:
                break
            n_given += bool(texts)
            new = {name: ("gold_contexts", texts)}
            rows.append(dict(new.get(key, (key, value)) for key, value in row.values.items()))
        if n_given and len(rows) == len(table.rows):
            return table.with_values(rows, f"read {name!r} as gold_contexts")
    return table


def _expected_everywhere(before: Sequence[Row], after: Sequence[Row]) -> tuple[Row, ...]:
    """The rows with the column `answer` as references in all of them, if it is so in some."""
    is_expected = [
        "answer" in old.values
        and "references" in new.values.keys() - old.values.keys()
        and new.values.get("answer") != old.values["answer"]
        for old, new in zip(before, after, strict=True)
    ]
    rows: list[Row] = []
    for row, is_known in zip(after, is_expected, strict=True):
        answer, references = row.values.get("answer"), row.values.get("references")
        if any(is_expected) and not is_known and answer is not None and references is None:
            values = {name: value for name, value in row.values.items() if name != "answer"}
            row = Row(values | {"references": answer}, row.source, row.line)
        rows.append(row)
    return tuple(rows)


def _nested_answers(names: Sequence[str], values: Values, notes: dict[str, None]) -> None:
    """Answers as SQuAD, KILT and TriviaQA nest them become references; SQuAD's empty ones are no answer."""
    given = values.get("answers")
    is_empty = found(given, "text") == [] and found(given, "answer_start") == []
    says_so = has_field(values, "answerable")
    if (is_empty or (given == [] and says_so)) and not has_field(values, "references"):
        del values["answers"]
        values |= {"references": []} if says_so else {"references": [], "answerable": False}
        notes["empty 'answers' as not answerable"] = None
    for name in names:
        given = values.get(name)
        texts = None if isinstance(given, str) else _answer_texts(given)
        is_system = name == "output" and texts_in(given) is not None  # in several parts
        if texts and not is_system and not has_field(values, "references", but=[name]):
            del values[name]
            values["references"] = texts
            notes[f"{name!r} as references"] = None
            return


def _answer_texts(given: object) -> list[str] | None:
    """The texts of nested answers, each once; None if they are something else."""
    if (plain := texts_in(given)) is not None:
        return plain
    texts: list[str] = []
    if isinstance(given, Mapping):
        for key in ANSWER_KEYS:
            part = cast("Values", given).get(key)
            texts += [part] if isinstance(part, str) else texts_in(part) or []
    for item in map(mapping_in, items_in(cast("object", given))):
        if not {"answer", "text", "value"} & item.keys():
            return None
        if {"role", "documents"} & item.keys() or any(field_of(key) == "system" for key in item):
            return None
        texts += _answer_texts(item) or []
    return list(dict.fromkeys(texts)) or None


def _further_answers(values: Values, notes: dict[str, None]) -> None:
    """Other spellings of the answer join the references, or the answer beside a prediction."""
    name = next((each for each in FURTHER if texts_in(values.get(each))), None)
    fields = {column: field_of(column) for column in values if name is not None}
    holder = next((column for column, field in fields.items() if field == "references"), None)
    if holder is None and isinstance(values.get("answer"), str):
        others = [field for column, field in fields.items() if column != "answer"]
        holder = "answer" if "answer" in others else None
    given = None if holder is None else values[holder]
    texts = [given] if isinstance(given, str) else texts_in(given)
    if name is not None and holder is not None and texts:
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
    messages: list[object] = []
    for item in items_in(values[name]):
        message = mapping_in(item)
        if {"from", "value"} <= message.keys():  # ShareGPT
            role = str(message["from"])
            item = {"role": GPT_ROLES.get(role, role), "content": message["value"]}
        messages.append(item)
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
