"""The names of columns: for each field those that tools use, rarer ones, and those in other languages."""

import unicodedata
from collections.abc import Mapping

from ragauge.samples.fields import MEASURED, OF_SYSTEM

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
