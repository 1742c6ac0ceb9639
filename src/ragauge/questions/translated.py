"""German, French, Spanish and Chinese questions from sentences of a few safe forms, without a model.

A form is a pattern of a whole sentence with its question. `S` is the subject, `N` a number, `U` what it
counts, `P` a participle, `D` a date, `R` the rest.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

NUMBER = r"(?P<N>[$€£]?\d[\d.,\u00a0\u202f ]*\d|\d)"
SUBJECT = r"(?P<S>[^,;:.!?0-9（），、]{2,60}?)"
YEAR = r"(?:1[1-9]|20)\d\d"
DE_DATE = rf"(?P<D>(?:im Jahr(?:e)? |im \w+ |am \d{{1,2}}\. \w+ )?{YEAR})"
FR_DATE = rf"(?P<D>(?:en (?:\w+ )?|le \d{{1,2}}(?:er)? \w+ ){YEAR})"
ES_DATE = rf"(?P<D>(?:en (?:\w+ de )?|el \d{{1,2}} de \w+ de ){YEAR})"
REST = r"(?P<R>(?: (?!und\b|oder\b|et\b|ou\b|y\b|o\b)[^,;:.!?0-9]+)?)"
ZH_SUBJECT = r"(?P<S>[^，。；：、]{2,20}?)"


class Form(NamedTuple):
    """A form of a sentence, its question and answer as templates, and what is asked."""

    pattern: str
    question: str
    answer: str
    question_type: str
    worth: float = 3.0


def _definition(verb: str, article: str, question: str) -> Form:
    return Form(
        rf"{SUBJECT} (?P<V>{verb}) (?P<A>{article} [^,;:]+)", question, "{A}", "single fact"
    )


def _amount(verb: str, unit: str, question: str) -> Form:
    pattern = rf"{SUBJECT} (?P<V>{verb}) {NUMBER} (?P<U>{unit}){REST}"
    return Form(pattern, question, "{N} {U}", "number")


def _date(pattern: str, question: str) -> Form:
    return Form(rf"{SUBJECT} {pattern}", question, "{D}", "temporal")


def _statement(verb: str, question: str, yes: str) -> Form:
    return Form(rf"{SUBJECT} (?P<V>{verb}) (?P<A>[^,;:]{{8,80}})", question, yes, "yes/no", 1.0)


FORMS = {
    "de": (
        _definition("ist|war", "eine?", "Was {V} {S}?"),
        _amount("kostet", "Euro|Franken|Dollar|€|Kronen", "Wie viel {V} {S}{R}?"),
        _amount("hat|besitzt|umfasst|enthält|zählt|bietet|fasst", r"(?:[a-zäöü]+en )?(?!Mill|Tausend)[A-ZÄÖÜ]\w+", "Wie viele {U} {V} {S}{R}?"),
        _amount("dauert", r"\w+", "Wie lange {V} {S}{R}?"),
        _date(rf"(?P<V>wurden?) {DE_DATE}(?P<R>[^,;:]* \w+(?:t|en))", "Wann {V} {S}{R}?"),
        _statement("hat|ist|kostet|enthält|umfasst|bietet|dauert", "{V} {S} {A}?", "Ja"),
    ),
    "fr": (
        _definition("est|était", "une?", "Qu’est-ce que {S} ?"),
        _amount("coûte", "euros?|francs?|dollars?|€|couronnes", "Combien {V} {S}{R} ?"),
        _amount("compte|possède|comprend|contient|offre|propose", r"\w+s", "Combien de {U} {V} {S}{R} ?"),
        _amount("dure", r"\w+", "Combien de temps {V} {S}{R} ?"),
        _date(rf"a été (?P<P>\w+ée?s?) {FR_DATE}{REST}", "Quand est-ce que {S} a été {P}{R} ?"),
        _statement("est|coûte|comprend|possède|contient|dure|compte", "Est-ce que {S} {V} {A} ?", "Oui"),
    ),
    "es": (
        _definition("es|era", "una?", "¿Qué {V} {S}?"),
        _amount("cuesta", "euros?|dólares|pesos|€|coronas", "¿Cuánto {V} {S}{R}?"),
        _amount("tiene|posee|incluye|contiene|ofrece", r"\w+[ao]s|\w+es", "¿Cuánt{gender}s {U} {V} {S}{R}?"),
        _amount("dura", r"\w+", "¿Cuánto tiempo {V} {S}{R}?"),
        _date(rf"fue (?P<P>\w+[ao]) {ES_DATE}{REST}", "¿Cuándo fue {P} {S}{R}?"),
        _statement("es|tiene|cuesta|incluye|contiene|dura|ofrece", "¿{S} {V} {A}?", "Sí"),
    ),
    "zh": (
        Form(ZH_SUBJECT + r"是(?P<A>一(?:种|个|座|家|款|项|条|所)[^，。；：]{3,50})", "{S}是什么？", "{A}", "single fact"),
        Form(ZH_SUBJECT + r"是(?P<A>一(?:位|名)[^，。；：]{3,50})", "{S}是谁？", "{A}", "single fact"),
        Form(r"(?P<S>[^，。；：、0-9]{2,30}?)(?!\d{4}年)(?P<N>\d[\d,.]*\s?万?)(?P<U>[张个名人元座台家间米公里小天年本辆岁页层平度][^，。；：0-9]{0,20})", "{S}多少{U}？", "{N}{U}", "number"),
        Form(rf"(?P<S>[^，。；：、0-9]{{2,20}}?)(?P<V>[于在]?)(?P<D>{YEAR}年(?:\d{{1,2}}月(?:\d{{1,2}}日)?)?)(?P<R>[^，。；：0-9]{{2,30}})", "{S}{V}什么时候{R}？", "{D}", "temporal"),
        Form(ZH_SUBJECT + r"(?P<V>是|有|位于|成立于|需要)(?P<A>[^，。；：]{4,40})", "{S}{V}{A}吗？", "是", "yes/no", 1.0),
    ),
}  # fmt: skip
CELL = {
    "de": "Was steht unter „{}“ bei „{}“?",
    "fr": "Que lit-on sous « {} » pour « {} » ?",
    "es": "¿Qué figura en «{}» para «{}»?",
    "zh": "“{1}”的“{0}”是什么？",
}
"""How a cell of a table is asked for: its column and its row, which have any gender."""
POINTING = {
    "de": r"er|sie|es|dies\w*|jene\w*|ihr\w*|sein\w*|wir|ich|hier|man|uns\w*|dort|da|das|dabei|dazu|damit|diese\w*|folgend\w*|solche\w*",
    "fr": r"il|elle|ils|elles|ce|cet|cette|ces|celui|celle|nous|on|notre|nos|leur|leurs|son|sa|ses|ici|je|qui|que|y|suivant\w*",
    "es": r"él|ella|ello|este|esta|estos|estas|ese|esa|eso|esto|nosotros|su|sus|nuestr\w+|aquí|yo|que|quien|lo|siguiente\w*",
    "zh": r"[他她它这那此我你您本该其]|以下|以上|如下",
}
ARTICLES = {"de": r"(?:Der|Die|Das|Eine?|Jede[rs]?)\b", "fr": r"(?:Le|La|Les|Une?|Chaque)\b|L['’]", "es": r"(?:El|La|Los|Las|Una?|Cada)\b", "zh": "$^"}  # fmt: skip
STARTS = re.compile(r"(?:Im|Am|In|An|Auf|Bei|Mit|Nach|Seit|Vor|Für|Zu|Wenn|Als|Ob|Wer|Was|Wie|En|Dans|Pour|Avec|Si|Quand|Au|Aux|Par|Sur|Con|Para|Por|Desde|Cuando|Sin|Hay)\b|[当如若在]")  # fmt: skip
MAX_SUBJECT_WORDS = 7


def questions_in(language: str, sentence: str) -> Iterator[tuple[str, str, Form, str]]:
    """The questions that a sentence answers: question, reference, form and subject."""
    text = sentence.rstrip(".。 ")
    if language not in FORMS or STARTS.match(text):
        return
    pointing = POINTING[language] if language == "zh" else rf"\b(?:{POINTING[language]})\b"
    if re.search(pointing, text, re.IGNORECASE):
        return
    for form in FORMS[language]:
        found = re.fullmatch(form.pattern, text)
        if found is None or len(found["S"].split()) > MAX_SUBJECT_WORDS:
            continue
        parts = {name: value or "" for name, value in found.groupdict().items()}
        has_article = re.match(ARTICLES[language], parts["S"])
        may_be_person = form.question_type == "single fact" and language != "zh"
        if may_be_person and not has_article and " " in parts["S"]:
            continue
        is_bare = has_article and len(parts["S"].split()) < 3 and form.question_type == "yes/no"
        if (is_bare and language != "de") or re.search(r" (?:und|et|y) ", parts.get("A", "")):
            continue
        if has_article:
            parts["S"] = parts["S"][0].lower() + parts["S"][1:]
        gender = "a" if parts.get("U", "").endswith("as") else "o"
        question = form.question.format(gender=gender, **parts)
        if language == "fr":
            question = re.sub(r"\b(qu|d)e (?=[aeiouéèêâhAEIOU])", r"\1’", question)
        question = re.sub(r"^¿?\w", lambda first: first[0].upper(), question)
        yield question, form.answer.format(**parts), form, found["S"]
