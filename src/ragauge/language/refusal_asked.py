"""What the question asks for, against what the answer says is missing.

"The vitamins are cut off" refuses if the question asks for vitamins and no sentence gives them: before
it, a sentence with a number or name gives them only if it speaks of all that the refusal speaks of
("Sugar and fat are 9 g and 1 g; the vitamins are cut off"); after it, any number or name counts. Yes-no
questions, and questions about what is missing, are left to the other rules.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ragauge.language.content_words import is_content_word
from ragauge.language.refusal_sentences import Sentence
from ragauge.language.refusal_words import GIVEN, HELD, SAID, TELLS, TOLD, pattern
from ragauge.language.stems import stemmed

_YES_NO = pattern(
    r"(?:[^?]*[,:] )?(?:is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|should|may|must|might"
    r"|isn't|aren't|doesn't|don't|didn't)\b"
)
_ABOUT_ABSENCE = pattern(
    r"\b(?:not|no|never|none|nothing|nobody|without|missing|lack(?:s|ing)?|left? out|leaves? out|leave out|omit(?:s|ted)?"
    r"|unknown|undisclosed|unstated|undefined|absent|silent|blank|empty|gaps?|leaves? open|fail(?:s|ed)?|unable|cannot"
    r"|redacted|excluded?|exclusions?|limitations?|limits of|unclear|unresolved|critici[sz]\w*|criticisms?|weakness(?:es)?|problems?|anonymous"
    r"|n/a|mean|means)\b|n't\b"
)
_WHY = pattern(r"\bwhy\b")
_BECAUSE = pattern(r"\W*(?:because|since|due to|for lack of|owing to|there (?:was|were))\b(?! i\b)")
_ASKS_FOR = (
    (pattern(r"\bwho(?:se|m)?\b"), "name names author person identity"),
    (pattern(r"\bwhen\b|\bwhat (?:year|date|day|time)\b"), "date year time day month hour hours"),
    (pattern(r"\bwhere\b"), "place location city address country"),
    (
        pattern(r"\bhow (?:many|much)\b"),
        "number count figure amount total sum percentage share price cost",
    ),
    (pattern(r"\bwhy\b"), "reason reasons cause causes"),
    (
        pattern(r"\bhow (?:tall|high|deep|long|old|far|big|large|wide|heavy|fast)\b"),
        "height depth length age distance size area width weight speed duration",
    ),
)
"""Questions, with the words for what they ask for."""
_TOLD = pattern(
    rf"\b(?:{GIVEN}|{TOLD}|{HELD}|{SAID}|{TELLS}|mentioned|credited|known|there|here|yes|has|have)\b"
)
_YEAR = re.compile(r"(?:fy)?(?:19|20)\d\d\Z", re.IGNORECASE)
_TIME = re.compile(
    r"(?:fy|q|h)?\d+\Z|(?:mon|tues|wednes|thurs|fri|satur|sun)days?\Z|(?:janu|febru)ary\Z|march\Z|april\Z|june\Z"
    r"|july\Z|august\Z|(?:septem|octo|novem|decem)ber\Z"
)
"""Years, quarters, weekdays and months: parts of what is asked for, unlike other names."""
_NUMBER = re.compile(r"(?<![\w.])[$€£]?-?\d[\d,.]*\d*%?")
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]+")
_DENIES = pattern(
    r"(?:mention|disclos|specif|report|stat|provid|contain|includ|list|discuss|evidence|indicat|break|address|cover"
    r"|say|name|tell|give|show)"
)
"""The beginnings of verbs with which a question asks what a source tells."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks for, as stems of words.

    `thing` are the content words that are no names; `kind` the nouns for the answer ("date" of a question
    with "when"); `content` the same with names. `wants_value` is False for yes-no questions and questions about
    what is missing.
    """

    text: str
    thing: frozenset[str]
    kind: frozenset[str]
    content: frozenset[str]
    wants_value: bool
    is_yes_no: bool


@lru_cache(maxsize=256)
def asked_by(question: str) -> Asked:
    """What the question asks for.

    >>> asked = asked_by("How tall is the tower?")
    >>> sorted(asked.thing), "height" in asked.kind, asked.wants_value
    (['tall', 'tower'], True, True)
    >>> asked_by("What is missing from the form?").wants_value
    False
    """
    words = stemmed(question)
    thing = frozenset(
        word.stem
        for word in words
        if is_content_word(word.lowered)
        and (word.start == 0 or not question[word.start].isupper() or _TIME.match(word.lowered))
    )
    kind = " ".join(nouns for asks, nouns in _ASKS_FOR if asks.search(question))
    is_yes_no = _YES_NO.match(question.strip()) is not None
    return Asked(
        question,
        thing,
        frozenset(word.stem for word in stemmed(kind)),
        frozenset(word.stem for word in words if is_content_word(word.lowered)),
        not is_yes_no and _ABOUT_ABSENCE.search(question) is None,
        is_yes_no,
    )


def asked_gap(sentences: Sequence[Sentence], asked: Asked) -> int | None:
    """The index of the sentence that says that what is asked for is missing, if no sentence gives it."""
    if not asked.wants_value:
        return None
    for index, sentence in enumerate(sentences):
        if sentence.asked_refusals and _refuses_one_thing(sentences, index, asked):
            return index
        if not sentence.asked_gaps:
            continue
        label = index - (index > 0 and sentences[index - 1].text.endswith(":"))
        contrasts = _contrasts(sentences, index)
        named = _named(sentence, asked) | _named(sentences[label], asked)
        others = [
            (at < index, each)
            for at, each in enumerate(sentences)
            if at not in (label, index) and not (contrasts and at == index - 1)
        ]
        if (named or contrasts) and not _is_given(others, named, asked):
            return index
    return None


def _refuses_one_thing(sentences: Sequence[Sentence], index: int, asked: Asked) -> bool:
    """Whether a plain refusal names a part of the question, and no sentence with that part gives a value.

    "Dates are listed for the EU (2014). There is no entry for Japan." refuses if the question is on Japan.
    """
    named = _stems(sentences[index].text) & asked.content
    if not named:
        return False
    before = (each for each in sentences[:index] if not each.certain)
    return not any(
        each.answers_yes_or_no
        or each.states_a_conclusion
        or (named <= _stems(each.text) and _has_value(each, asked) and not each.prepares)
        for each in before
    ) and not any(
        each.answers_yes_or_no or each.answers or _gives_after(each, asked)
        for each in sentences[index + 1 :]
        if not each.certain
    )


def _named(sentence: Sentence, asked: Asked) -> frozenset[str]:
    """The stems with which the sentence names what is asked for."""
    return _stems(sentence.text) & (asked.thing | asked.kind)


@lru_cache(maxsize=64)
def _stems(text: str) -> frozenset[str]:
    return frozenset(word.stem for word in stemmed(text))


def _contrasts(sentences: Sequence[Sentence], index: int) -> bool:
    """Whether "its outcome is not." follows "A census is mentioned;"."""
    gap = sentences[index].text.rstrip(" .!")
    return (
        index > 0
        and len(gap) <= 80
        and gap.endswith((" not", "n't"))
        and _TOLD.search(sentences[index - 1].text) is not None
    )


def _is_given(others: Sequence[tuple[bool, Sentence]], named: frozenset[str], asked: Asked) -> bool:
    """Whether another sentence, before (True) or after the gap, gives what the gap says is missing."""
    for is_before, each in others:
        if each.answers_yes_or_no:
            return True
        if each.certain or each.asked_gaps:
            continue
        if is_before:
            if each.states_a_conclusion or _gives(each, named, asked):
                return True
        elif each.answers or _gives_after(each, asked):
            return True
    return False


def _gives(sentence: Sentence, named: frozenset[str], asked: Asked) -> bool:
    """Whether a sentence gives what a later one calls missing: it speaks of it, or of more, with a value."""
    if sentence.prepares:
        return False
    ours = _named(sentence, asked)
    if named - asked.kind and ours < named:
        return False
    return _has_value(sentence, asked) or (
        len(ours) > 1 and not (sentence.accompanies_gap or sentence.speaks_of_source)
    )


def _gives_after(sentence: Sentence, asked: Asked) -> bool:
    """Whether a sentence after the one that calls something missing gives a value after all."""
    if sentence.prepares or sentence.advises:
        return False
    return _has_number(sentence, asked) or (
        _has_name(sentence, asked) and not sentence.is_afterthought
    )


def _has_value(sentence: Sentence, asked: Asked) -> bool:
    return _has_number(sentence, asked) or _has_name(sentence, asked)


def _has_number(sentence: Sentence, asked: Asked) -> bool:
    """Whether it has a number that the question does not have; a year only where a time is asked for."""
    numbers = [each.strip("$€£%.,") for each in _NUMBER.findall(sentence.text)]
    return any(
        number not in asked.text and ("date" in asked.kind or not _YEAR.match(number))
        for number in numbers
    )


def _has_name(sentence: Sentence, asked: Asked) -> bool:
    """Whether it has a capitalized word, not its first, that the question does not have."""
    return any(name not in asked.text for name in _NAME.findall(sentence.text))


def answers_the_question(sentence: Sentence, asked: Asked) -> bool:
    """Whether what looks like a refusal answers this very question.

    "Because the data were missing" answers why; "The report contains no evidence of fraud" answers
    whether it contains any.
    """
    if _WHY.search(asked.text) and _BECAUSE.match(sentence.text):
        return True
    if not asked.is_yes_no:
        return False
    question = asked.text[: asked.text.find("?")] if "?" in asked.text else asked.text
    told = {found[0].lower() for found in _DENIES.finditer(question)}
    wanted = frozenset(word.stem for word in stemmed(question) if is_content_word(word.lowered))
    return len(wanted & _stems(sentence.text)) >= 0.6 * len(wanted) and any(
        beginning
        in sentence.text[found.start - sentence.start : found.end - sentence.start].lower()
        for beginning in told
        for found in sentence.certain
        if not found.rule.closes
    )
