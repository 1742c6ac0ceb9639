"""German, French, Spanish and Chinese questions from sentences of a few safe forms, without a model.

A form is a pattern of a whole sentence with its question. `S` is the subject, `N` a number, `U` what it
counts, `P` a participle, `D` a date, `R` the rest.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

NUMBER = r"(?P<N>[$€£]?\d[\d.,\u00a0\u202f ]*\d|\d)"
SUBJECT = r"(?P<S>[^,;:.!?0-9（），、]{2,60}?)"
DE_DATE = r"(?P<D>(?:im Jahr(?:e)? |im \w+ |am \d{1,2}\. \w+ )?(?:1[1-9]|20)\d\d)"
FR_DATE = r"(?P<D>(?:en (?:\w+ )?|le \d{1,2}(?:er)? \w+ )(?:1[1-9]|20)\d\d)"
ES_DATE = r"(?P<D>(?:en (?:\w+ de )?|el \d{1,2} de \w+ de )(?:1[1-9]|20)\d\d)"
REST = r"(?P<R>(?: (?!und\b|oder\b|et\b|ou\b|y\b|o\b)[^,;:.!?0-9]+)?)"


class Form(NamedTuple):
    """A form of a sentence, its question and answer as templates, and what is asked."""

    pattern: str
    question: str
    answer: str
    question_type: str
    worth: float = 3.0


FORMS = {
    "de": (
        Form(rf"{SUBJECT} (?P<V>ist|war) (?P<A>eine? [^,;:]+)", "Was {V} {S}?", "{A}", "single fact"),
        Form(rf"{SUBJECT} kostet {NUMBER} (?P<U>Euro|Franken|Dollar|€|Kronen){REST}", "Wie viel kostet {S}{R}?", "{N} {U}", "number"),
        Form(rf"{SUBJECT} (?P<V>hat|besitzt|umfasst|enthält|zählt|bietet|fasst) {NUMBER} (?P<U>(?:[a-zäöü]+en )?[A-ZÄÖÜ]\w+){REST}", "Wie viele {U} {V} {S}{R}?", "{N} {U}", "number"),
        Form(rf"{SUBJECT} dauert {NUMBER} (?P<U>\w+){REST}", "Wie lange dauert {S}{R}?", "{N} {U}", "number"),
        Form(rf"{SUBJECT} (?P<V>wurden?) {DE_DATE}(?P<R>[^,;:]* \w+(?:t|en))", "Wann {V} {S}{R}?", "{D}", "temporal"),
        Form(rf"{SUBJECT} (?P<V>hat|ist|kostet|enthält|umfasst|bietet|dauert) (?P<A>[^,;:]{{8,80}})", "{V} {S} {A}?", "Ja", "yes/no", 1.0),
    ),
    "fr": (
        Form(rf"{SUBJECT} (?P<V>est|était) (?P<A>une? [^,;:]+)", "Qu’est-ce que {S} ?", "{A}", "single fact"),
        Form(rf"{SUBJECT} coûte {NUMBER} (?P<U>euros?|francs?|dollars?|€|couronnes){REST}", "Combien coûte {S}{R} ?", "{N} {U}", "number"),
        Form(rf"{SUBJECT} (?P<V>compte|possède|comprend|contient|offre|propose) {NUMBER} (?P<U>\w+s){REST}", "Combien de {U} {V} {S}{R} ?", "{N} {U}", "number"),
        Form(rf"{SUBJECT} dure {NUMBER} (?P<U>\w+){REST}", "Combien de temps dure {S}{R} ?", "{N} {U}", "number"),
        Form(rf"{SUBJECT} a été (?P<P>\w+ée?s?) {FR_DATE}{REST}", "Quand est-ce que {S} a été {P}{R} ?", "{D}", "temporal"),
        Form(rf"{SUBJECT} (?P<V>est|coûte|comprend|possède|contient|dure|compte) (?P<A>[^,;:]{{8,80}})", "Est-ce que {S} {V} {A} ?", "Oui", "yes/no", 1.0),
    ),
    "es": (
        Form(rf"{SUBJECT} (?P<V>es|era) (?P<A>una? [^,;:]+)", "¿Qué {V} {S}?", "{A}", "single fact"),
        Form(rf"{SUBJECT} cuesta {NUMBER} (?P<U>euros?|dólares|pesos|€|coronas){REST}", "¿Cuánto cuesta {S}{R}?", "{N} {U}", "number"),
        Form(rf"{SUBJECT} (?P<V>tiene|posee|incluye|contiene|ofrece) {NUMBER} (?P<U>\w+[ao]s|\w+es){REST}", "¿Cuánt{gender}s {U} {V} {S}{R}?", "{N} {U}", "number"),
        Form(rf"{SUBJECT} dura {NUMBER} (?P<U>\w+){REST}", "¿Cuánto tiempo dura {S}{R}?", "{N} {U}", "number"),
        Form(rf"{SUBJECT} fue (?P<P>\w+[ao]) {ES_DATE}{REST}", "¿Cuándo fue {P} {S}{R}?", "{D}", "temporal"),
        Form(rf"{SUBJECT} (?P<V>es|tiene|cuesta|incluye|contiene|dura|ofrece) (?P<A>[^,;:]{{8,80}})", "¿{S} {V} {A}?", "Sí", "yes/no", 1.0),
    ),
    "zh": (
        Form(r"(?P<S>[^，。；：、]{2,20}?)是(?P<A>一(?:种|个|座|家|款|项|条|所)[^，。；：]{3,50})", "{S}是什么？", "{A}", "single fact"),
        Form(r"(?P<S>[^，。；：、]{2,20}?)是(?P<A>一(?:位|名)[^，。；：]{3,50})", "{S}是谁？", "{A}", "single fact"),
        Form(r"(?P<S>[^，。；：、0-9]{2,30}?)(?!\d{4}年)(?P<N>\d[\d,.]*\s?万?)(?P<U>[张个名人元座台家间米公里小天年本辆岁页层平度][^，。；：0-9]{0,20})", "{S}多少{U}？", "{N}{U}", "number"),
        Form(r"(?P<S>[^，。；：、0-9]{2,20}?)(?P<V>[于在]?)(?P<D>(?:1[1-9]|20)\d\d年(?:\d{1,2}月(?:\d{1,2}日)?)?)(?P<R>[^，。；：0-9]{2,30})", "{S}{V}什么时候{R}？", "{D}", "temporal"),
        Form(r"(?P<S>[^，。；：、]{2,20}?)(?P<V>是|有|位于|成立于|需要)(?P<A>[^，。；：]{4,40})", "{S}{V}{A}吗？", "是", "yes/no", 1.0),
    ),
}  # fmt: skip
POINTING = {
    "de": r"er|sie|es|dies\w*|jene\w*|ihr\w*|sein\w*|wir|ich|hier|man|uns\w*|dort|da|das|dabei|dazu|damit|diese\w*|folgend\w*|solche\w*",
    "fr": r"il|elle|ils|elles|ce|cet|cette|ces|celui|celle|nous|on|notre|nos|leur|leurs|son|sa|ses|ici|je|qui|que|y|suivant\w*",
    "es": r"él|ella|ello|este|esta|estos|estas|ese|esa|eso|esto|nosotros|su|sus|nuestr\w+|aquí|yo|que|quien|lo|siguiente\w*",
    "zh": r"[他她它这那此我你您本该其]|以下|以上|如下",
}
"""Words that point outside of the sentence."""
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
        if (
            form.question_type == "single fact"
            and language != "zh"
            and not has_article
            and " " in parts["S"]
        ):
            continue  # perhaps a person
        is_bare = has_article and len(parts["S"].split()) < 3 and form.question_type == "yes/no"
        if (is_bare and language != "de") or re.search(r" (?:und|et|y) ", parts.get("A", "")):
            continue
        if has_article:
            parts["S"] = parts["S"][0].lower() + parts["S"][1:]
        gender = "a" if parts.get("U", "").endswith("as") else "o"
        question = form.question.format(gender=gender, **parts)
        question = (
            re.sub(r"\b(que|de) (?=[aeiouéèêâhAEIOU])", lambda word: f"{word[1][:-1]}’", question)
            if language == "fr"
            else question
        )
        reference = form.answer.format(**parts)
        question = re.sub(r"^¿?\w", lambda first: first[0].upper(), question)
        yield question, reference, form, found["S"]
