"""Map columns to fields, by the names that tools use, also rarer ones and those in other languages, and by the user's choice; the others are extra fields."""

import dataclasses
import difflib
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache

from ragauge.errors import did_you_mean
from ragauge.loaders.table import listed
from ragauge.samples.fields import CLUSTERS, FIELDS, MEASURED, OF_SYSTEM, Row

MAX_COLUMNS = 1_000
MAX_NAMES = 20 * MAX_COLUMNS  # no more are collected: a source with over MAX_COLUMNS is refused
NEAR = 0.8  # similarity of names from which a note suggests the field
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_GAP = re.compile(r"[\s\-.]+")

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
    "goal": "expected_outcome",
    "expected_calls": "expected_tool_calls reference_tool_calls expected_tools",
    "tools": "available_tools tool_schemas",
    **dict.fromkeys(MEASURED, ""),
}
NEGATED = ("is_impossible", "is_unanswerable", "unanswerable", "no_answer")  # for `answerable`
_RARER_NAMES = {  # that count only where no column has one of the usual names of the field
    "id": "q_id financebench_id interaction_id test_case_id case_id dataset_item_id no #",
    "system": "generation_model_name generator_model answer_model",
    "question": "user_said user_query user_question user_request problem evaluated_model_input input_question reference_question main_input input_text query_string inputs instruction request questions queries",
    "answer": "pred pred_answer prediction_text generated_text generated_texts model_prediction agent_answer "
    "bot_said bot_answer ai_answer ai_response bot_response chatbot_answer llm_response llm_output outputs "
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
_TRANSLATED_NAMES = {  # as people write them in spreadsheets, in eight languages
    "id": "nr lfd_nr lfdnr laufnummer frage_nr fragennummer frage_id n° numéro número nummer 编号 番号",
    "system": "modell modèle modelo modello 模型 モデル",
    "question": "frage testfrage nutzerfrage fragestellung pregunta domanda pergunta vraag 问题 質問",
    "answer": "antwort modellantwort systemantwort ki_antwort antwort_ki antwort_der_ki "
    "antwort_des_systems antwort_des_modells antwort_system antwort_modell antwort_bot "
    "antwort_des_bots antwort_des_chatbots chatbot_antwort bot_antwort generierte_antwort réponse "
    "réponse_générée réponse_du_modèle réponse_du_système réponse_de_l'ia réponse_ia "
    "réponse_du_chatbot respuesta_del_sistema respuesta_de_la_ia respuesta_del_chatbot respuesta_del_bot respuesta_del_asistente risposta_del_chatbot resposta_do_chatbot risposta_del_sistema risposta_dell'ia "
    "resposta_do_sistema resposta_da_ia antwoord_van_het_systeem antwoord_model respuesta respuesta_generada respuesta_del_modelo risposta "
    "risposta_generata risposta_del_modello resposta resposta_gerada resposta_do_modelo antwoord 回答",
    "references": "erwartete_antwort musterlösung soll antwort_soll sollantwort "
    "goldantwort gold_antwort antwort_experte expertenantwort antwort_erwartet musterantwort referenzantwort richtige_antwort korrekte_antwort "
    "soll_antwort referenz réponse_attendue réponse_correcte bonne_réponse réponse_de_référence "
    "référence respuesta_esperada respuesta_correcta respuesta_de_referencia referencia "
    "risposta_attesa risposta_corretta risposta_di_riferimento riferimento resposta_esperada "
    "resposta_correta resposta_de_referência referência verwacht_antwoord juist_antwoord 参考答案 "
    "标准答案 正解",
    "contexts": "fundstelle fundstellen textstelle textstellen textabschnitt textabschnitte "
    "abschnitt abschnitte "
    "extrait extraits fragmento fragmentos frammento frammenti trecho trechos fragment fragmenten "
    "kontext kontexte contexte contextes contexto contextos contesto contesti 上下文 "
    "コンテキスト",
}  # fmt: skip


def _with_plain_letters(names: str) -> list[str]:
    """The names, and those with accents also without them."""
    accented = [unicodedata.normalize("NFD", name) for name in names.split()]
    plain = ["".join(letter for letter in name if letter.isascii()) for name in accented]
    latin = [name for name in plain if name and (len(name) > 2 or name == "nr")]
    return [*names.split(), *latin]


def _by_alias(names: Mapping[str, str]) -> dict[str, str]:
    return {alias: field for field, aliases in names.items() for alias in [field, *aliases.split()]}


_TRANSLATED = {
    name: field for field, names in _TRANSLATED_NAMES.items() for name in _with_plain_letters(names)
}
_USUAL = _by_alias(_NAMES)
ALIASES = _by_alias(_RARER_NAMES) | _TRANSLATED | _USUAL  # folded
RARER = frozenset(ALIASES.keys() - _USUAL.keys())
_OPEN = (  # names of answers; an answer beside any other one, of PREDICTIONS, is the expected one
    "ai_answer ai_response assistant_answer assistant_response bot_response chatbot_answer chatbot_response "
    "evaluated_model_output generated_answers generated_texts main_output outputs predicted_answers task_output"
)
PREDICTIONS = {*_NAMES["answer"].split(), *_RARER_NAMES["answer"].split()} - {*_OPEN.split()}
EITHER = frozenset(["response"])  # beside a column named answer, the user chooses
WHOLE_PROMPT = "prompt"  # gives way to others: beside them it often holds what the model was sent
GIVEN_BY_ANSWERS = (  # fields that come from the answers and never from the gold
    *("system", *OF_SYSTEM, *MEASURED),
    *("messages", "conversation_before", "whole_conversation", "final_state"),
)
_EXPECTED = {"answer": "references", "contexts": "gold_contexts"}
ALIASES_IN_GOLD = {  # in a gold file a column named answer holds the correct answer
    **{alias: field for alias, field in ALIASES.items() if field not in GIVEN_BY_ANSWERS},
    **{name: _EXPECTED[field] for name, field in _TRANSLATED.items() if field in _EXPECTED},
    **dict.fromkeys(("answer", "answers"), "references"),
    **dict.fromkeys(("context", "contexts"), "gold_contexts"),
}


@dataclasses.dataclass(frozen=True, slots=True)
class Naming:
    """The field of each column, columns left out, notes, problems; `spare` columns replace references or answerable that are null."""

    fields: Mapping[str, str]
    left_out: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    spare: Mapping[str, Sequence[str]] = dataclasses.field(default_factory=dict[str, Sequence[str]])


@lru_cache(maxsize=4096)
def folded(name: str) -> str:
    """A name without case, spaces, hyphens, dots and camelCase: `actualOutput` is `actual_output`."""
    composed = unicodedata.normalize("NFC", name.strip())
    return _GAP.sub("_", _CAMEL.sub("_", composed)).casefold().rstrip("_")


def field_of(column: str, aliases: Mapping[str, str] = ALIASES) -> str | None:
    """The field that a column's name means, or None."""
    return aliases.get(folded(column))


def check_chosen(chosen: Mapping[str, str]) -> tuple[str, ...]:
    """The problems of the user's mapping that do not depend on the data."""
    problems = [
        f"--map: unknown field {field!r}{did_you_mean(field, FIELDS)}; fields: {', '.join(FIELDS)}"
        for field in chosen
        if field not in FIELDS
    ]
    twice = [name for name, n in Counter(chosen.values()).items() if n > 1]
    return (*problems, *(f"--map: column {name!r} is mapped to two fields" for name in twice))


def absent(field: str, column: str, columns: Sequence[str]) -> str:
    """The message for a chosen column that does not exist."""
    there = listed([repr(name) for name in columns], most=30)
    hint = did_you_mean(column, columns)
    rest = f" The columns are {there}" if hint else f"; the columns are {there}"
    return f"has no column {column!r} for {field}{hint}{rest}"


def name_columns(
    columns: Sequence[str],
    chosen: Mapping[str, str],
    *,
    aliases: Mapping[str, str] | None = None,
    settled: Collection[str] = (),
    has_gold: bool = False,
) -> Naming:
    """The field of each column: first from `chosen` (field to column), then by name; two that could be one are a problem.

    Of a field in `settled`, which is given elsewhere, only a column of exactly that name counts. Without
    references, here or in gold (`has_gold`), a column named answer beside a prediction holds the expected answer.
    """
    if unusable := _unusable(columns):
        return Naming({}, problems=tuple(unusable))
    fields = {column: field for field, column in chosen.items() if column in columns}
    problems: list[str] = []
    notes: list[str] = []
    spare: dict[str, Sequence[str]] = {}
    is_open = not has_gold and "references" not in map(field_of, columns)
    if not {"answer", "references"} & chosen.keys():
        predictions = [name for name in columns if folded(name) in PREDICTIONS]
        answers = [name for name in columns if folded(name) in ("answer", "ans")]
        either = [name for name in predictions if folded(name) in EITHER]
        is_sure = len(predictions) == len(answers) == 1 and not either
        if is_open and is_sure and aliases is None:
            fields |= {predictions[0]: "answer", answers[0]: "references"}
        elif either and answers and (is_open or aliases is None):
            which = "the system's answer or the expected one" if is_open else "the system's answer"
            other = f" --map references={answers[0]}, or the other way round" if is_open else ""
            problems.append(
                f"{' and '.join(map(repr, [*answers, *either]))} could each be {which}; say which: "
                f"--map answer={either[0]}{other or f' or --map answer={answers[0]}'}"
            )
    for field, names in _candidates(columns, fields, aliases).items():
        best = next((name for name in names if name == field), None)
        spelled = [name for name in names if folded(name) == field]
        if best is None:
            best = next((some[0] for some in (spelled, names) if len(some) == 1), None)
        if field == "answerable":
            best = best or names[0]
        several = " and ".join(map(repr, names))
        if best is not None and field not in fields.values():
            if best == field or field not in settled:
                fields[best] = field
        elif best is None and field == "system":
            notes.append(f"{several} could each be the system; none is used")
        elif best is None and field not in fields.values():
            problems.append(f"{several} could each be {field}; choose one: --map {field}=COLUMN")
        read = next((column for column, named in fields.items() if named == field), None)
        # What else could have been the field.
        rest = [name for name in names if name not in fields]
        if field == read == "references" or (field == "answerable" and field not in chosen):
            spare[field] = rest
        others = [repr(name) for name in rest if name not in FIELDS]
        if others and read is not None and field not in ("id", "system"):
            apart = " and ".join(others)
            notes.append(
                f"read {read!r}, and where it is null {apart}, as {field}"
                if field in spare
                else f"read {read!r} as {field}, not {apart}; --map {field}=COLUMN changes it"
            )
    left_out = [name for name in columns if name in FIELDS and name not in fields]
    if not problems and not {*fields.values()} - {"system", "answerable"}:
        there = listed([repr(name) for name in columns])
        options = "--map question=COLUMN --map answer=COLUMN --map references=COLUMN --map contexts=COLUMN"
        problems = [f"has no known field; its columns are {there}; say which is which: {options}"]
    renamed = [
        f"{column!r} as {'not ' if is_negated(column, field) else ''}{field}"
        for column, field in fields.items()
        if column != field
    ]
    read = {field: f"{column!r} is read as {field}" for column, field in fields.items()}
    unused = (
        f"left out column {name!r}: {read.get(name, 'it belongs to the answers')}"
        for name in left_out
    )
    notes = [*([f"read {', '.join(renamed)}"] if renamed else ()), *unused, *notes]
    free = [field for field in FIELDS if field not in fields.values()]
    for name in columns:
        if name not in fields and name not in CLUSTERS and field_of(name) is None:
            for near in difflib.get_close_matches(folded(name), free, n=1, cutoff=NEAR):
                notes.append(f"{name!r} is kept as an extra field; did you mean {near!r}?")
    return Naming(fields, frozenset(left_out), tuple(notes), tuple(problems), spare)


def _unusable(columns: Sequence[str]) -> list[str]:
    if len(columns) > MAX_COLUMNS:
        n = f"{len(columns):,} columns, more than {MAX_COLUMNS:,}"
        return [f"has {n}; are ids used as column names?"]
    problems: list[str] = []
    for name in columns:
        if any("\ud800" <= sign <= "\udfff" for sign in name):
            problems.append(f"has a column name that is not valid Unicode: {name!a}")
        if not name.strip():
            problems.append("has a column without a name; name it or remove it")
    return problems


def _candidates(
    columns: Sequence[str], fields: Mapping[str, str], aliases: Mapping[str, str] | None
) -> dict[str, list[str]]:
    """The columns, of those not yet used, that each field could be by their names."""
    names = {column: folded(column) for column in columns}
    found = {*names.values()}
    if aliases is None:  # in DeepEval `context` is gold, elsewhere it was retrieved
        in_deepeval = found & {"retrieval_context", "actual_output", "expected_output"}
        aliases = ALIASES | ({"context": "gold_contexts"} if in_deepeval else {})
    if {"q", "a"} <= found:  # each alone may be anything
        aliases = {**aliases, "q": aliases["question"], "a": aliases["answer"]}
    candidates: dict[str, list[str]] = {}
    for column, name in names.items():
        field = aliases.get(name)
        if field is not None and column not in fields:
            candidates.setdefault(field, []).append(column)
    for field, given in candidates.items():
        # In gold, `answer` is the expected one only where no other column is.
        sure = [column for column in given if ALIASES.get(names[column], field) == field] or given
        usual = [column for column in sure if names[column] not in RARER]
        plain = [column for column in usual if names[column] != WHOLE_PROMPT]
        candidates[field] = plain or usual or sure
    return candidates


def is_negated(column: str, field: str | None) -> bool:
    """Whether a column says that a question has no answer."""
    return field == "answerable" and folded(column) in NEGATED


def learn_columns(columns: dict[str, None], rows: Iterable[Row]) -> bool:
    """Add the names of the rows' columns; whether there are new ones."""
    n_before = len(columns)
    if n_before < MAX_NAMES:
        for row in rows:
            if row.values.keys() - columns.keys():
                columns |= dict.fromkeys(row.values)
    return len(columns) > n_before
