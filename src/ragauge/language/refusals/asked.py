"""What a question asks for, against what its answer gives and what it says is missing.

"The vitamins are cut off" refuses if the question asks for vitamins and no sentence gives them; "It opens at 10. I found no
closing time" answers when it opens; "The report contains no evidence of fraud" answers whether it contains any.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ragauge.language.detection import function_words
from ragauge.language.refusals.polarity import has, plays, role
from ragauge.language.refusals.sentences import Sentence, without_long_gaps
from ragauge.language.stems import stemmed
from ragauge.language.stop_words import is_content_word

MAX_COMPARED = 10_000
"""Characters of a question in which an answer's numbers and names are looked for, each by itself."""
MAX_SENTENCES = 200
"""A longer answer gives something; each of its sentences would be compared with all others."""
_MOST = 0.6
"""The share of the question's words by which a sentence speaks of what it asks."""
_FUNCTION_WORDS = function_words("de", "es", "fr")
_FEW = 4
"""Sentences of an answer that says nothing but that it has no answer."""
_SAME_BEGINNING = 5
"""Letters; words of one family begin with the same: a "successor" is one who "succeeded"."""
_PRICE = frozenset(("price", "cost"))
"""What costs $9 has a price."""
_SHORT = 6
"""Words of an answer that needs no sentence: "6 months.", "Deloitte."."""
_KINDS = (
    ("asks_who", "name names author person identity"),
    ("asks_when", "date year time day month hour hours"),
    ("asks_where", "place location city address country"),
    ("asks_how_many", "number count figure amount total sum percentage share price cost"),
    ("asks_why", "reason reasons cause causes"),
    ("asks_how_far", "height depth length age distance size area width weight speed duration"),
)
"""Ways to ask, and the words for what they ask for."""
_NUMBER = re.compile(r"(?<![\w.\[])(?!(?:10-?[KQ]|8-?K|20-?F)\b)[$€£]?-?\d[\d,.]*%?")
_YEAR = re.compile(r"(?:fy)?(?:19|20)\d\d\Z", re.IGNORECASE)
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][A-Za-z]+")
CONSTANTS = frozenset(("1", "2", "3", "4", "5", "12", "52", "100", "100%", "360", "365"))
"""Numbers of formulas."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks for, as stems of words.

    `content` are its content words, `specific` those of them that are names or have digits ("XR-20", "Q4"), `kind` the nouns
    for the answer ("date" of a question with "when"), `phrases` the words that ask. `wants_value` is False for
    questions that want yes or no, or ask about what is missing.
    """

    text: str
    content: frozenset[str]
    specific: frozenset[str]
    kind: frozenset[str]
    phrases: tuple[str, ...]
    is_yes_no: bool
    is_on_absence: bool
    wants_number: bool

    @property
    def wants_value(self) -> bool:
        return not (self.is_yes_no or self.is_on_absence or has("asks_for_place", self.text))

    @property
    def is_typed(self) -> bool:
        """Whether it wants a number, a name, a time or a place."""
        return self.wants_number or bool(self.kind) or has("asks_which", self.text)


@lru_cache(maxsize=4_096)
def asked_by(question: str) -> Asked:
    """What the question asks for.

    >>> asked = asked_by("How tall is the tower of Ulm?")
    >>> sorted(asked.content), sorted(asked.specific), "height" in asked.kind, asked.wants_value
    (['tall', 'tower', 'ulm'], ['ulm'], True, True)
    >>> asked_by("What is missing from the form?").wants_value
    False
    """
    question = without_long_gaps(question)
    words = [word for word in stemmed(question) if is_content_word(word.lowered)]
    is_name = [
        any(map(str.isdigit, word.lowered)) or (word.start > 0 and question[word.start].isupper())
        for word in words
    ]
    asking = [
        (found[0].lower(), nouns)
        for name, nouns in _KINDS
        if (found := role(name).search(question))
    ]
    return Asked(
        question,
        frozenset(word.stem for word in words),
        frozenset(word.stem for word, is_it in zip(words, is_name, strict=True) if is_it),
        frozenset(word.stem for _, nouns in asking for word in stemmed(nouns)),
        tuple(phrase for phrase, _ in asking),
        plays("asks_yes_or_no", question.strip()),
        has("asks_for_absence", question),
        has("asks_number", question),
    )


@lru_cache(maxsize=64)
def _stems(text: str) -> frozenset[str]:
    return frozenset(word.stem for word in stemmed(text))


def _named(text: str, asked: Asked) -> frozenset[str]:
    """The words of the question that the text has, in this form or another."""
    beginnings = {stem[:_SAME_BEGINNING] for stem in _stems(text)}
    if not beginnings.isdisjoint(_PRICE):
        beginnings |= _PRICE
    return frozenset(stem for stem in asked.content if stem[:_SAME_BEGINNING] in beginnings)


def _missing(sentence: Sentence, asked: Asked) -> frozenset[str]:
    """The stems that name what the sentence misses: those of the clause of its refusal, without words of refusing."""
    if not sentence.found:
        return frozenset()
    last = max(sentence.found, key=lambda each: each.end)
    ends = [each.start() for each in role("clause_end").finditer(sentence.text)]
    begin = max((end for end in ends if end < last.start), default=0)
    end = min((end for end in ends if end >= last.end), default=len(sentence.text))
    return frozenset(
        word.stem
        for word in stemmed(sentence.text[begin:end])
        if is_content_word(word.lowered)
        and not word.lowered.endswith("ly")
        and (word.stem in asked.content or not role("of_refusals").fullmatch(word.lowered))
    )


def has_value(sentence: Sentence, asked: Asked, apart_from: frozenset[str] = frozenset()) -> bool:
    """Whether the sentence has a value of the kind that is asked for, which the question does not have itself.

    A number, in digits or words; a year only where a time is asked for; a name only where no number is.
    """
    question = asked.text[:MAX_COMPARED].lower()
    are_times = not asked.kind.isdisjoint(("date", "durat"))
    numbers = (each.strip(".,") for each in _NUMBER.findall(sentence.text))
    if any(
        number.lower() not in question
        and number not in apart_from
        and (are_times or not _YEAR.match(number))
        for number in numbers
    ):
        return True
    if has("number_in_words", sentence.text) or (are_times and has("month", sentence.text)):
        return True
    return not asked.wants_number and any(
        name.lower() not in question for name in _NAME.findall(sentence.text)
    )


def answers_beside(sentences: Sequence[Sentence], index: int, asked: Asked) -> bool:
    """Whether the answer answers although the sentence refuses: its words do, or an earlier sentence did."""
    return _answers_by_its_words(sentences[index], asked) or _is_on_a_detail(
        sentences, index, asked
    )


def _answers_by_its_words(sentence: Sentence, asked: Asked) -> bool:
    """Whether what looks like a refusal answers this very question.

    "Because the data were missing" answers why; "The report contains no evidence of fraud" whether it contains any.
    """
    if asked.wants_number and plays("is_value", sentence.text) and has_value(sentence, asked):
        return not plays("of_many", sentence.text)
    if sentence.makes_up and has("wants_example", asked.text):
        return True
    if has("asks_why", asked.text) and _gives_a_reason(sentence, asked):
        return True
    if has("asks_for_lacks", asked.text) and _missing(sentence, asked) - asked.content:
        return not has("of_speaker", sentence.text)
    if asked.is_on_absence and not any(each.rule.closes for each in sentence.certain):
        return all(
            each.rule.kind in ("no information", "facts not given") for each in sentence.certain
        )
    if not asked.is_yes_no:
        return False
    told = {found[0].lower() for found in role("verb_of_telling").finditer(asked.text)}
    others: frozenset[str] = frozenset()
    if foreign := {found[0].lower() for found in role("foreign_telling").finditer(asked.text)}:
        told |= foreign
        verbs = (stem for stem in asked.content if stem.startswith((*foreign,)))
        others = _FUNCTION_WORDS.union(verbs)
    if len(_named(sentence.text, asked) - others) < _MOST * len(asked.content - others):
        return False
    return any(
        beginning in sentence.text[each.start : each.end].lower().rpartition(",")[2]
        for beginning in told
        for each in sentence.own
        if not each.rule.closes
    )


def _gives_a_reason(sentence: Sentence, asked: Asked) -> bool:
    """Whether it says because of what, and refuses nothing before that."""
    if asked.is_on_absence and has("because", sentence.text):
        return True
    because = role("reason").match(sentence.text)
    return because is not None and all(each.start >= because.end() for each in sentence.certain)


def _is_on_a_detail(sentences: Sequence[Sentence], index: int, asked: Asked) -> bool:
    """Whether the sentence misses what the question does not ask for, after one that gives what it asks.

    "It opens at 10 on Sundays. I couldn't find the closing time" answers when it opens.
    """
    refusing = sentences[index]
    if asked.is_yes_no or not index:
        return False
    missing = _missing(refusing, asked)
    asks_for = _named(" ".join(missing), asked)
    is_value = asked.is_typed and plays("is_value", sentences[0].text)
    if (is_value or _is_short_answer(sentences[0], asked)) and not _named(refusing.text, asked):
        return True
    if (
        refusing.concludes
        or missing & asked.specific
        or len(missing) < 2 * len(asks_for)
        or not missing - asks_for
    ):
        return False
    return any(
        not (each.found or each.supposes or each.speaks_of_source or each.text.endswith((":", "?")))
        and _named(each.text, asked)
        and (has_value(each, asked) or not (asked.is_typed or each.accompanies))
        for each in sentences[:index]
    )


def _is_short_answer(sentence: Sentence, asked: Asked) -> bool:
    """Whether it is a value and little else: "6 months." before "I have no information on extended ones"."""
    if sentence.found or sentence.is_idle or len(sentence.text.split()) > _SHORT:
        return False
    if asked.wants_number:
        return has_value(sentence, asked)
    return plays("short_answer", sentence.text)


def what_is_lacked(sentences: Sequence[Sentence], asked: Asked) -> tuple[int, str] | None:
    """The index of the sentence that shows that no value is given which the question asks for, and in what way."""
    if not asked.wants_value or len(sentences) > MAX_SENTENCES:
        return None
    if any(each.says_yes_or_no for each in sentences):
        return None
    for index in range(len(sentences)):
        if (
            _lacks(sentences, index, asked)
            and not _is_given(sentences, index, asked)
            and not answers_beside(sentences, index, asked)
        ):
            return index, "not given, though asked for"
    if not asked.is_typed or any(
        (each.answers and not each.advises)
        or (has_value(each, asked, CONSTANTS) and not each.supposes)
        for each in sentences
    ):
        return None
    if has("wants_method", asked.text):
        return None
    for index, each in enumerate(sentences):
        if has("refers_elsewhere", each.text):
            return index, "refers elsewhere"
        if asked.wants_number and (
            has("uses_method", each.text) or ("=" in each.text and plays("method", each.text))
        ):
            return index, "only a method"
        if has("needs_more", each.text):
            return index, "more is needed"
    return None


def says_nothing_else(sentences: Sequence[Sentence], asked: Asked) -> int | None:
    """The index of the sentence that refuses, if the answer has no words but those of the question and of refusals.

    "An interest rate for late payments never comes up in the contract" refuses, however it is put.
    """
    if len(sentences) > _FEW or asked.is_on_absence:
        return None
    refusing = [
        index
        for index, each in enumerate(sentences)
        if (has("negative", each.text) or has("foreign", each.text))
        and (each.speaks_of_source or has("source_or_speaker", each.text))
    ]
    if not refusing or has("asks_what_is_told", asked.text):
        return None
    if asked.is_yes_no:
        if has("source", asked.text) or has("verb_of_telling", asked.text):
            return None
        candidates = [sentences[index] for index in refusing]
        if not any(
            each.speaks_of_source and has("verb_of_telling", each.text) for each in candidates
        ):
            return None
    for each in sentences:
        if each.says_yes_or_no or has("number_in_words", each.text):
            return None
        known = {stem[:_SAME_BEGINNING] for stem in _named(each.text, asked) | asked.kind}
        for word in stemmed(each.text):
            if word.stem[:_SAME_BEGINNING] not in known and not _is_of_refusals(word.lowered):
                return None
    return refusing[-1]


def _is_of_refusals(word: str) -> bool:
    return (
        not is_content_word(word)
        or word in _FUNCTION_WORDS
        or role("of_refusals").fullmatch(word) is not None
        or role("of_foreign_refusals").fullmatch(word) is not None
    )


def _lacks(sentences: Sequence[Sentence], index: int, asked: Asked) -> bool:
    """Whether the sentence says that what is asked for is missing."""
    sentence = sentences[index]
    text = _with_label(sentences, index)
    is_typed = asked.is_typed and not has("asks_why", asked.text)
    is_negative = is_typed and has("negative", text)
    if not (sentence.found or is_negative) or sentence.says_yes_or_no:
        return False
    names_it = (
        _named(text, asked)
        or not _stems(text).isdisjoint(asked.kind)
        or any(phrase in text.lower() for phrase in asked.phrases)
        or has("that", text)
    )
    if not names_it or (asked.wants_number and plays("zero", text)):
        return False
    names_all = asked.content <= _named(sentence.text, asked)
    if names_all and not sentence.certain and has_value(sentence, asked):
        return False
    if any(
        not each.is_aside
        and (
            each.rule.counts != "beside a source"
            or any(other.speaks_of_source for other in sentences)
        )
        for each in sentence.found
    ):
        return not sentence.answers_after(sentence.found)
    if not is_negative or has_value(sentence, asked):
        return False
    others = any(each.speaks_of_source for each in sentences if each is not sentence)
    return others and (sentence.speaks_of_source or has("there", text))


def _is_given(sentences: Sequence[Sentence], index: int, asked: Asked) -> bool:
    """Whether another sentence gives what this one says is missing."""
    for at, each in enumerate(sentences):
        if at == index or each.certain or each.supposes:
            continue
        if at < index and not _is_on_the_same(sentences, at, index, asked):
            continue
        if each.answers or each.states_a_conclusion:
            return True
        if each.found or each.advises:
            continue
        names_most = len(_named(each.text, asked)) >= _MOST * len(asked.content)
        is_free = not (each.accompanies or each.speaks_of_source)
        if has_value(each, asked) or (is_free and (names_most or not asked.is_typed)):
            return True
    return False


def _is_on_the_same(sentences: Sequence[Sentence], at: int, index: int, asked: Asked) -> bool:
    """Whether a sentence before a gap names as much of the question as the gap does, gives a bare value, or more than a narrower gap lacks."""
    missing = _named(_with_label(sentences, index), asked)
    given = _named(_with_label(sentences, at), asked)
    is_narrower = bool(_missing(sentences[index], asked) - asked.content)
    if missing <= given or (is_narrower and not asked.is_typed):
        return True
    if at == 0 and (plays("is_value", sentences[0].text) or _is_short_answer(sentences[0], asked)):
        return True
    return " and " in asked.text and bool(given - missing)


def _with_label(sentences: Sequence[Sentence], index: int) -> str:
    """The sentence, with what precedes it if that ends with a colon."""
    text = sentences[index].text
    label = sentences[index - 1].text if index else ""
    return f"{label} {text}" if label.endswith(":") else text
