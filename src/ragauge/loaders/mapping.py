"""Map columns to fields, by the names that common tools use and by the user's choice.

A field's own name wins over every alias; two columns that could both be a field are an error, never
a guess. Names are compared ignoring case, spaces, hyphens and camelCase.
"""

import difflib
import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from ragauge.errors import did_you_mean
from ragauge.loaders.table import listed
from ragauge.loaders.translated_names import TRANSLATED
from ragauge.samples.fields import MEASURED, OF_SYSTEM
from ragauge.samples.samples import FIELDS, FieldError, Row, read_value

MAX_COLUMNS = 1_000
NEAR = 0.8
"""Similarity of names from which a note suggests the field."""

_NAMES = {
    "id": "question_id query_id sample_id example_id record_id qid _id uid uuid",
    "system": "system_name model_name model method",
    "question": "user_input query input prompt question_text query_text",
    "answer": "response actual_output prediction predicted_answer generated_answer model_answer "
    "model_output model_response system_answer llm_answer rag_answer generation completion output",
    "references": "reference reference_answer reference_answers ground_truth ground_truths "
    "expected expected_output expected_answer expected_answers golden_answer golden_answers "
    "gold_answer gold_answers gold correct_answer correct_answers ideal_answer target_answer "
    "target truth",
    "contexts": "retrieved_contexts retrieval_context retrieved_passages retrieved_documents "
    "retrieved_docs retrieved_chunks retrieved_texts source_documents context passages",
    "context_ids": "retrieved_context_ids retrieved_ids retrieved_doc_ids retrieved_document_ids",
    "context_scores": "retrieved_context_scores retrieval_scores retrieved_scores",
    "gold_contexts": "reference_contexts gold_context golden_context golden_contexts gold_passages "
    "golden_passages ground_truth_contexts ground_truth_context expected_contexts",
    "relevant": "reference_context_ids qrels gold_ids relevant_ids relevant_doc_ids relevant_docs "
    "relevant_document_ids gold_context_ids",
    "answerable": "is_answerable answerability is_impossible is_unanswerable unanswerable no_answer",
    "messages": "",
    "conversation_before": "",
    "whole_conversation": "",
    "final_state": "",
    "expected_state": "",
    "expected_calls": "expected_tool_calls reference_tool_calls expected_tools",
    "tools": "available_tools tool_schemas",
    **dict.fromkeys(MEASURED, ""),
}
_NEGATED = ("is_impossible", "is_unanswerable", "unanswerable", "no_answer")
"""Names of the opposite of `answerable`."""
_RARER_NAMES = {
    "id": "q_id financebench_id interaction_id test_case_id case_id dataset_item_id no #",
    "system": "generation_model_name generator_model answer_model",
    "question": "user_query user_question user_request problem evaluated_model_input input_question reference_question main_input input_text query_string inputs instruction request questions queries",
    "answer": "pred pred_answer prediction_text generated_text generated_texts model_prediction agent_answer "
    "bot_answer ai_answer ai_response bot_response chatbot_answer llm_response llm_output outputs "
    "predicted predictions preds pred_text predicted_text predicted_response predicted_output hypothesis "
    "system_output system_response model_generation model_completion evaluated_model_output task_output predicted_answers generated_answers main_output generated "
    "generated_response chatbot_response assistant_answer assistant_response",
    "references": "targets evaluated_model_gold_answer gt gt_answer gt_answers ground_truth_answer ground_truth_answers ideal ref_answer "
    "reference_text reference_response expected_response true_answer standard_answer "
    "generation_gt possible_answers example_answer right_answer reference_output",
    "contexts": "retrieved_context evaluated_model_retrieved_context context_document llm_context retrieved_contents retrieved_nodes retrieval_result "
    "retrieval_results search_results context_list llm_context_list document documents docs ctxs "
    "chunks top_k_chunks retrieved_sources",
    "gold_contexts": "reference_context",
}
"""Names that count only where no column has one of the usual names of the field."""


_RARER = {
    field: " ".join([_RARER_NAMES.get(field, ""), TRANSLATED.get(field, "")])
    for field in (*_RARER_NAMES, "system")
}


def _by_alias(names: Mapping[str, str]) -> dict[str, str]:
    return {alias: field for field, aliases in names.items() for alias in [field, *aliases.split()]}


_USUAL = _by_alias(_NAMES)
RARER = frozenset(_by_alias(_RARER)) - _USUAL.keys()
ALIASES = _by_alias(_RARER) | _USUAL
"""Every name and alias with its field, folded."""
PREDICTIONS = frozenset(
    [
        "prediction",
        "predictions",
        "predicted",
        "pred",
        "preds",
        "pred_text",
        "predicted_text",
        "predicted_response",
        "predicted_output",
        "hypothesis",
        "system_output",
        "system_response",
        "model_generation",
        "model_completion",
        "pred_answer",
        "predicted_answer",
        "prediction_text",
        "model_answer",
        "model_output",
        "model_response",
        "model_prediction",
        "system_answer",
        "agent_answer",
        "bot_answer",
        "generated_answer",
        "llm_answer",
        "llm_response",
        "llm_output",
        "rag_answer",
        "actual_output",
        "response",
        "output",
        "generation",
        "completion",
        "generated_text",
        "generated",
        "generated_response",
    ]
)
"""Names that only a system's answer has; an answer beside one of them is the expected one."""
EITHER = frozenset(["response"])
"""Names that a system's answer has as often as another one: beside a column named answer, the user chooses."""
WHOLE_PROMPT = "prompt"
"""A name of the question that gives way to others: beside them it often holds what the model was sent."""
GIVEN_BY_ANSWERS = (
    *("system", *OF_SYSTEM, *MEASURED),
    *("messages", "conversation_before", "whole_conversation", "final_state"),
)
"""Fields that come from the answers and never from the gold."""
ALIASES_IN_GOLD = {
    alias: field for alias, field in ALIASES.items() if field not in GIVEN_BY_ANSWERS
} | {
    "answer": "references",
    "answers": "references",
    "context": "gold_contexts",
    "contexts": "gold_contexts",
    **dict.fromkeys(TRANSLATED["answer"].split(), "references"),
    **dict.fromkeys(TRANSLATED["contexts"].split(), "gold_contexts"),
}
"""In a gold file a column named answer holds the correct answer."""

_TO_MAP = ("question", "answer", "references", "contexts")
"""Fields that a message offers to map."""
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_GAP = re.compile(r"[\s\-.]+")


@dataclass(frozen=True, slots=True)
class Naming:
    """The field of each column that has one, the columns left out, notes and problems.

    `spare` are columns that replace `references` in rows where it is null.
    """

    fields: Mapping[str, str]
    left_out: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    spare: tuple[str, ...] = ()


def field_of(column: str, aliases: Mapping[str, str] = ALIASES) -> str | None:
    """The field that a column's name means, or None.

    >>> field_of("actualOutput"), field_of("Question"), field_of("topic")
    ('answer', 'question', None)
    """
    return aliases.get(folded(column))


def name_columns(
    columns: Sequence[str],
    chosen: Mapping[str, str],
    *,
    aliases: Mapping[str, str] | None = None,
    settled: Collection[str] = (),
    has_gold: bool = False,
) -> Naming:
    """The field of each column: first from `chosen` (field to column), then by name.

    For a field in `settled`, which is given elsewhere, only a column of exactly that name counts. Without
    references, here or in a gold source (`has_gold`), a column named answer beside one such as prediction
    holds the expected answer, as in data sets to which a system's predictions were added.
    """
    problems = _unusable(columns)
    if problems:
        return Naming({}, problems=problems)
    fields = {column: field for field, column in chosen.items() if column in columns}
    notes: list[str] = []
    if aliases is None and not has_gold and not {"answer", "references"} & chosen.keys():
        fields |= _predicted(columns)
    problems = (*problems, *_two_answers(columns, fields, chosen, settled, has_gold=has_gold))
    spare: tuple[str, ...] = ()
    for field, names in _candidates(
        columns, fields, _with_letters(columns, aliases or _usual(columns))
    ).items():
        best = _best(field, names)
        if best is not None and field not in fields.values():
            if best == field or field not in settled:
                fields[best] = field
        elif best is None and field == "system":
            notes.append(f"{_quoted(names)} could each be the system; none is used")
        elif best is None and field not in fields.values():
            problem = f"{_quoted(names)} could each be {field}; choose one: --map {field}=COLUMN"
            problems = (*problems, problem)
        if field == "references" and fields.get(field) == field:
            spare = tuple(name for name in names if name not in fields)
        notes += _beside(field, names, fields)
    left_out = [name for name in columns if name in FIELDS and name not in fields]
    if not problems and not {*fields.values()} - {"system", "answerable"}:
        problems = (_nothing_known(columns),)
    notes = [*_read_as(fields), *_left_out(left_out, fields), *notes]
    notes += _near_misses(columns, fields)
    return Naming(fields, frozenset(left_out), tuple(notes), problems, spare)


def renamed_rows(rows: Sequence[Row], naming: Naming) -> Sequence[Row]:
    """The rows with columns renamed to fields; the same rows if the columns have the fields' names."""
    is_changed = (
        naming.spare
        or naming.left_out
        or any(column != name for column, name in naming.fields.items())
    )
    return [_renamed_row(row, naming) for row in rows] if is_changed else rows


def _renamed_row(row: Row, naming: Naming) -> Row:
    """The row with columns renamed to fields, and without those that are left out."""
    values = {
        naming.fields.get(name, name): _opposite(value)
        if _is_negated(name, naming.fields.get(name))
        else value
        for name, value in row.values.items()
        if name not in naming.left_out
    }
    if naming.spare and values.get("references") is None:
        given = (row.values.get(name) for name in naming.spare)
        values["references"] = next((value for value in given if value is not None), None)
    return Row(values, row.source, row.line)


def _is_negated(column: str, field: str | None) -> bool:
    """Whether a column says that a question has no answer: `is_impossible` is read as not answerable."""
    return field == "answerable" and folded(column) in _NEGATED


def _opposite(value: object) -> object:
    """The other truth value; what is none stays, and is reported as a value of its field."""
    try:
        read = read_value("answerable", value)
    except FieldError:
        return value
    return None if read is None else not read


def check_chosen(chosen: Mapping[str, str]) -> tuple[str, ...]:
    """The problems of the user's mapping that do not depend on the data."""
    unknown = [
        f"--map: unknown field {field!r}{did_you_mean(field, FIELDS)}; fields: {', '.join(FIELDS)}"
        for field in chosen
        if field not in FIELDS
    ]
    columns = list(chosen.values())
    twice = [name for name in dict.fromkeys(columns) if columns.count(name) > 1]
    return (*unknown, *(f"--map: column {name!r} is mapped to two fields" for name in twice))


def absent(field: str, column: str, columns: Sequence[str]) -> str:
    """The message for a chosen column that does not exist."""
    there = listed([repr(name) for name in columns], most=30)
    hint = did_you_mean(column, columns)
    return f"has no column {column!r} for {field}{hint}; the columns are {there}"


def folded(name: str) -> str:
    """A name without case, spaces, hyphens, dots and camelCase.

    >>> folded("actualOutput"), folded("Ground Truth")
    ('actual_output', 'ground_truth')
    """
    composed = unicodedata.normalize("NFC", name.strip())
    return _GAP.sub("_", _CAMEL.sub("_", composed)).casefold().rstrip("_")


def _unusable(columns: Sequence[str]) -> tuple[str, ...]:
    if len(columns) > MAX_COLUMNS:
        return (
            f"has {len(columns):,} columns, more than {MAX_COLUMNS:,}; are ids used as column names?",
        )
    problems: list[str] = []
    for name in columns:
        try:
            name.encode()
        except UnicodeEncodeError:
            problems.append(f"has a column name that is not valid Unicode: {name!a}")
        if not name.strip():
            problems.append("has a column without a name; name it or remove it")
    return tuple(problems)


def _usual(columns: Sequence[str]) -> Mapping[str, str]:
    """The aliases for these columns: in DeepEval `context` is gold, elsewhere it was retrieved."""
    if {folded(name) for name in columns} & {
        "retrieval_context",
        "actual_output",
        "expected_output",
    }:
        return ALIASES | {"context": "gold_contexts"}
    return ALIASES


def _with_letters(columns: Sequence[str], aliases: Mapping[str, str]) -> Mapping[str, str]:
    """The aliases, and Q and A where both are columns: each alone may be anything."""
    if not {"q", "a"} <= {folded(name) for name in columns}:
        return aliases
    return {**aliases, "q": aliases["question"], "a": aliases["answer"]}


def _candidates(
    columns: Sequence[str], fields: Mapping[str, str], aliases: Mapping[str, str]
) -> dict[str, list[str]]:
    """The columns, of those not yet used, that each field could be by their names."""
    candidates: dict[str, list[str]] = {}
    for column in columns:
        field = field_of(column, aliases)
        if field is not None and column not in fields:
            candidates.setdefault(field, []).append(column)
    for field, names in candidates.items():
        usual = [name for name in names if folded(name) not in RARER]
        plain = [name for name in usual if folded(name) != WHOLE_PROMPT]
        candidates[field] = plain or usual or names
    return candidates


def _predicted(columns: Sequence[str]) -> dict[str, str]:
    """The fields of a prediction and of the expected answer beside it; none if references are given."""
    named = {column: field_of(column) for column in columns}
    predictions = [column for column in columns if folded(column) in PREDICTIONS]
    expected = [column for column in columns if folded(column) in ("answer", "ans")]
    if "references" in named.values() or len(predictions) != 1 or len(expected) != 1:
        return {}
    if folded(predictions[0]) in EITHER:
        return {}
    return {predictions[0]: "answer", expected[0]: "references"}


def _two_answers(
    columns: Sequence[str],
    fields: Mapping[str, str],
    chosen: Mapping[str, str],
    settled: Collection[str],
    *,
    has_gold: bool,
) -> tuple[str, ...]:
    """The problem of a column named answer beside one such as response, where nothing says which is the system's."""
    named = {field_of(column) for column in columns}
    if has_gold or "references" in named or {"answer", "references"} & {*chosen, *settled}:
        return ()
    either = [name for name in columns if folded(name) in EITHER and name not in fields]
    answers = [name for name in columns if folded(name) in ("answer", "ans") and name not in fields]
    if not either or not answers:
        return ()
    both = _quoted([*answers, *either])
    return (
        f"{both} could each be the system's answer or the expected one; say which: "
        f"--map answer={either[0]} --map references={answers[0]}, or the other way round",
    )


def _best(field: str, names: Sequence[str]) -> str | None:
    """The only name that fits the field, or None when several do."""
    if field in names:
        return field
    spellings = [name for name in names if folded(name) == field]
    for matches in (spellings, names):
        if len(matches) == 1:
            return matches[0]
    return None


def _beside(field: str, names: Sequence[str], fields: Mapping[str, str]) -> list[str]:
    """A note on other columns that could have been the field."""
    apart = [name for name in names if name not in fields and name not in FIELDS]
    read = next((column for column, named in fields.items() if named == field), None)
    if not apart or read is None or field in ("id", "system"):
        return []
    if field == read == "references":
        return [f"read {read!r}, and where it is null {_quoted(apart)}, as references"]
    return [f"read {read!r} as {field}, not {_quoted(apart)}; --map {field}=COLUMN changes it"]


def _nothing_known(columns: Sequence[str]) -> str:
    there = listed([repr(name) for name in columns])
    options = " ".join(f"--map {field}=COLUMN" for field in _TO_MAP)
    return f"has no known field; its columns are {there}; say which is which: {options}"


def _left_out(names: Sequence[str], fields: Mapping[str, str]) -> list[str]:
    read = {field: column for column, field in fields.items()}
    return [
        f"left out column {name!r}: "
        + (f"{read[name]!r} is read as {name}" if name in read else "it belongs to the answers")
        for name in names
    ]


def _read_as(fields: Mapping[str, str]) -> list[str]:
    renamed = [
        f"{column!r} as {'not ' if _is_negated(column, field) else ''}{field}"
        for column, field in fields.items()
        if column != field
    ]
    return [f"read {', '.join(renamed)}"] if renamed else []


def _near_misses(columns: Sequence[str], fields: Mapping[str, str]) -> list[str]:
    free = [field for field in FIELDS if field not in fields.values()]
    notes: list[str] = []
    for column in columns:
        if column in fields or field_of(column) is not None:
            continue
        near = difflib.get_close_matches(folded(column), free, n=1, cutoff=NEAR)
        notes += (
            [f"{column!r} is kept as an extra field; did you mean {near[0]!r}?"] if near else []
        )
    return notes


def _quoted(names: Sequence[str]) -> str:
    return " and ".join(map(repr, names))
