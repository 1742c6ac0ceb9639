"""Read a question by itself: is it a question, and does it mean something without the text it was written beside?"""

import re
import tomllib
from functools import cache
from importlib.resources import files

from ragauge.language.detection import function_words, language_of
from ragauge.language.refusals.refusals import find_refusals
from ragauge.language.stop_words import is_content_word
from ragauge.language.words import words

FEW = 3
"""Content words up to which a pronoun after which they come is not explained by them."""
MAX_KEYWORDS = 5
MAX_CALM = 0.5
"""The least share of distinct words in a question of some length; one with fewer repeats itself."""

MAX_REFUSAL = 20

_END = re.compile(r"[?？؟]\W*$")
_SENTENCE = re.compile(r"[.!。！]\W*$")
_AUXILIARY = r"(?:does|do|did|is|was|are|were|has|have|had|can|could|will|would|should|must|may)"
_ASKED_THING = re.compile(
    rf"\W*(?:(?:in|on|at|to|from|by|for|of|since|until) )?(?:how|what|which|when|where|why|who)\b"
    rf"(?:(?!\b(?:{_AUXILIARY}|and|or|but)\b)[^,;:])*\b{_AUXILIARY} \Z",
    re.IGNORECASE,
)
"""Up to the subject of a question: what it asks for is not what a pronoun stands for ("How many beds does it")."""


@cache
def _tables() -> dict[str, dict[str, tuple[re.Pattern[str], ...]]]:
    """The patterns of each language by what they find in a question; those of "any" hold of all at once."""
    text = files("ragauge.questions").joinpath("wording.toml").read_text("utf-8")
    tables: dict[str, dict[str, str | list[str]]] = tomllib.loads(text)

    def compiled(name: str, given: str | list[str]) -> tuple[re.Pattern[str], ...]:
        flags = re.NOFLAG if name == "pronoun" else re.I
        patterns = [given] if isinstance(given, str) else given
        return tuple(re.compile(each, flags) for each in patterns)

    return {
        language: {name: compiled(name, given) for name, given in table.items()}
        for language, table in tables.items()
    }


def pattern(name: str, language: str = "any") -> re.Pattern[str]:
    """The pattern of this name, of a language or of all of them at once."""
    return _tables()[language][name][0]


def _language(question: str) -> str:
    """English where it is none of the five."""
    if re.search(r"[\u4e00-\u9fff]", question):
        return "zh"
    language = "es" if "¿" in question else language_of(question) or "en"
    return language if language in _tables() else "en"


def why_malformed(question: str) -> str | None:
    """Why a text is not a question; None if it is one, be it in keywords.

    >>> why_malformed("Leave is 30 days a year.")
    'it is a statement, not a question'
    >>> why_malformed("leave days part time") is None
    True
    """
    text = question.strip()
    if not any(map(str.isalnum, text)):
        return "it is empty"
    if broken := pattern("broken").search(text):
        return f"it holds {broken[0].strip()!r}, which is no part of a question"
    found = words(text)
    is_calm = len(found) < 8 or len(set(found)) >= MAX_CALM * len(found)
    if not is_calm and not re.search(r"[\u3040-\u9fff]", text):
        return "it repeats itself"
    language = _language(text)
    first = pattern("asks", language).search(text)
    asks_first = bool(first and first.start() <= 2)
    if language == "en" and _SENTENCE.search(text) and pattern("stating", "en").match(text):
        asks_first = False  # `When the hut opens, a warden lives there.`
    if asks_first and not _END.search(text) and pattern("cut").search(text):
        return f"it ends in the middle: {text[-30:]!r}"
    sentences = re.split(r"(?<=[.!?])\s+", text)
    orders = pattern("orders", language)
    is_asked = asks_first or any(_END.search(each) or orders.search(each) for each in sentences)
    if _SENTENCE.search(text) and not is_asked and len(found) > MAX_KEYWORDS:
        return "it is a statement, not a question"
    return None


def why_not_standalone(question: str) -> str | None:
    """The words by which a question means nothing without a text or an earlier question; None if there are none.

    Rules in English, German, French, Spanish and Chinese; in other languages only what looks like one of them.

    >>> why_not_standalone("According to the text, when was it founded?")
    "'According to the text' points to a text beside the question"
    >>> why_not_standalone("When did he die?")
    "'he' stands for something that the question does not name"
    >>> why_not_standalone("When did Messi say that he would leave?") is None
    True
    """
    text = " ".join(question.split())
    language = _language(text)
    is_clear = language != "en" or language_of(text) == "en"
    languages = [language] if is_clear else [each for each in _tables() if each != "any"]
    for beside in (beside for each in languages for beside in _tables()[each]["beside"]):
        if found := beside.search(text):
            return f"{found[0]!r} points to a text beside the question"
    if found := pattern("opening", language).search(text):
        return f"{found[0].strip()!r} goes on from an earlier question"
    unnamed: list[re.Match[str]] = []
    for found in pattern("pronoun", language).finditer(text):
        near = max(0, found.start() - 12), found.end() + 24
        is_possible = pattern("expletive", language).search(text, *near)
        is_person = pattern("person").match(found[0])
        is_explained = not is_person and len(_content(text[found.end() :], language)) > FEW
        if not (is_possible or is_explained):
            unnamed.append(found)
    unnamed += [found] if (found := pattern("pointing", language).search(text)) else []
    for found in unnamed:
        if not _names(text[: found.start()], language):
            return f"{found[0]!r} stands for something that the question does not name"
    return None


def _names(before: str, language: str) -> bool:
    """Whether what stands before a word may name what the word stands for."""
    if _ASKED_THING.match(before):
        return False
    if language == "zh":
        return len(re.sub(r"\W|什么|哪|谁|多少|是|的|在|为何|为什么|何时|如何", "", before)) >= 2
    return bool(_content(before, language))


def _content(text: str, language: str) -> list[str]:
    """The words of a text that may name something."""
    others = function_words(language) if language in ("de", "fr", "es") else frozenset[str]()
    found = (word for word in words(text) if len(word) > 1 and is_content_word(word))
    return [word for word in found if word not in others and not pattern("asking").match(word)]


def is_refusal(reference: str) -> bool:
    """Whether a short answer only refuses; a long one says what can be said."""
    is_short = len(words(reference)) <= MAX_REFUSAL
    return is_short and any(found.decides for found in find_refusals(reference))


def why_type_differs(question: str, reference: str) -> str | None:
    """Why a short answer is not of the kind that the question asks for; None if it may be.

    >>> why_type_differs("How many days of leave are there?", "in Berlin")
    "it asks for a number, and the answer 'in Berlin' has none"
    """
    answer = reference.strip()
    if not answer or len(words(answer)) > 8:
        return None
    has_number = any(map(str.isdigit, answer)) or bool(pattern("number").search(answer))
    for name, kind in (("amount", "a number"), ("time", "a time")):
        if pattern(f"asks_{name}").search(question):
            if has_number or pattern(name).search(answer):
                return None
            return f"it asks for {kind}, and the answer {answer[:60]!r} has none"
    return None
