"""German, French, Spanish and Chinese questions from sentences of a few safe forms, without a model."""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

LANGUAGES: dict[str, dict[str, Any]] = tomllib.loads(
    (resources.files("ragauge.questions") / "translated.toml").read_text("utf-8")
)
PARTS: dict[str, str] = LANGUAGES.pop("parts")
CELL: dict[str, str] = {language: known["cell"] for language, known in LANGUAGES.items()}
STARTS = re.compile(r"(?:Im|Am|In|An|Auf|Bei|Mit|Nach|Seit|Vor|Für|Zu|Wenn|Als|Ob|Wer|Was|Wie|En|Dans|Pour|Avec|Si|Quand|Au|Aux|Par|Sur|Con|Para|Por|Desde|Cuando|Sin|Hay)\b|[当如若在]")  # fmt: skip
MAX_SUBJECT_WORDS = 7


class Form(NamedTuple):
    """A form of a sentence, its question and answer as templates, and what is asked."""

    pattern: str
    question: str
    answer: str
    question_type: str
    worth: float = 3.0


@cache
def forms_of(language: str) -> list[Form]:
    """The forms of a language, with the parts of their patterns in place."""
    parts = {**PARTS, "S": LANGUAGES[language]["S"]}
    return [
        Form(re.sub("%([A-Z]+)", lambda part: parts[part[1]], pattern), *form)
        for pattern, *form in LANGUAGES[language]["forms"]
    ]


def questions_in(language: str, sentence: str) -> Iterator[tuple[str, str, Form, str]]:
    """The questions that a sentence answers: question, reference, form and subject."""
    text = sentence.rstrip(".。 ")
    if language not in LANGUAGES or STARTS.match(text):
        return
    known = LANGUAGES[language]
    pointing = known["pointing"] if language == "zh" else rf"\b(?:{known['pointing']})\b"
    if re.search(pointing, text, re.IGNORECASE):
        return
    for form in forms_of(language):
        found = re.fullmatch(form.pattern, text)
        if found is None or len(found["S"].split()) > MAX_SUBJECT_WORDS:
            continue
        parts = {name: value or "" for name, value in found.groupdict().items()}
        has_article = re.match(known["articles"], parts["S"])
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
