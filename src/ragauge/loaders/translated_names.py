"""Names of columns in other languages, as people write them in the headers of spreadsheets."""

import unicodedata

_NAMES = {
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


def _with_plain_letters(names: str) -> str:
    """The names, and those with accents also without them."""
    accented = [unicodedata.normalize("NFD", name) for name in names.split()]
    plain = ["".join(letter for letter in name if letter.isascii()) for name in accented]
    latin = [name for name in plain if name and (len(name) > 2 or name == "nr")]
    return " ".join(dict.fromkeys([*names.split(), *latin]))


TRANSLATED = {field: _with_plain_letters(names) for field, names in _NAMES.items()}
"""For each field its names in German, French, Spanish, Italian, Portuguese, Dutch, Chinese, Japanese."""
