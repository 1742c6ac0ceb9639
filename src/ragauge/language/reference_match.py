"""What an answer states of a reference: its words, numbers and dates, and what contradicts them."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple

from rapidfuzz import fuzz, process

from ragauge.language.content_words import is_content_word
from ragauge.language.date_parts import Date, readings, supports
from ragauge.language.dates import dates
from ragauge.language.keywords import by_value
from ragauge.language.number_agreement import Agreement
from ragauge.language.number_match import ExpectedNumber, NumberMatch, match_quantities
from ragauge.language.numbers import quantities
from ragauge.language.quantity import Quantity
from ragauge.language.stems import Word, stemmed
from ragauge.language.units import MONEY
from ragauge.normal_form import normal_form

MIN_LETTERS = 5
"""Shorter words are not compared by spelling: `Iran` and `Iraq` are two countries."""
SAME_SPELLING = 84
"""The lowest similarity of two spellings of one name, of 100; `Tchaikovsky` and `Chaikovsky` have 95."""
MAX_LISTED = 500
"""Characters; a longer reference is a text and not a list of names."""
ARTICLES = frozenset(("a", "an", "the"))
YES_OR_NO = re.compile(r"\W*(yes|no)\b(?!\.\s?\d)", re.IGNORECASE)
GLUED = re.compile(r"(?<=[a-z]{3})(?=\d{1,3}\b)|(?<=[a-z])(?=[A-Z][a-z])|(?<=[a-z]{2})(?=\d)")
"""Where a footnote or a lost space joins two words: `Carrey1`, `byThe`, `in126`."""
OTHER_SIGN = " with the other sign"
FISCAL_YEAR = re.compile(r"fy((?:20|19)?[0-9]{2})")
ORDINALS = {
    word: str(number)
    for number, words in enumerate(
        (
            *("first once", "second twice", "third thrice", "fourth", "fifth", "sixth", "seventh"),
            *("eighth", "ninth", "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth"),
            *("fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth", "twentieth"),
        ),
        1,
    )
    for word in words.split()
}


class ReferenceWord(NamedTuple):
    """A content word of the reference, and how far the answer states it.

    `credit` is 1 if it states the word, 0 if not, and between for a number of its working. `how` is
    "exact" (the stems are equal), "spelling", "number" or "". `is_new`: the question does not have it.
    """

    text: str
    start: int
    end: int
    is_new: bool
    credit: float
    how: str


@dataclass(frozen=True, slots=True)
class ReferenceMatch:
    """What an answer states of a reference, without a model.

    `is_contained`: the answer has the reference word for word, apart from articles, and does not call
    a fall what the reference calls a rise. `n_new`: the distinct
    content words of the answer that the question does not have; `n_new_shared`: those of them that
    the reference has. `contradiction`: what the answer states in place of a number, date, yes or no of
    the reference, and of what; None if nothing.
    """

    words: Sequence[ReferenceWord]
    n_words: int
    n_answer_words: int
    is_contained: bool
    n_new: int
    n_new_shared: int
    numbers: NumberMatch
    contradiction: tuple[str, str] | None

    @property
    def is_in_numbers(self) -> bool:
        """Whether the reference is numbers only, and the answer states them all in another form."""
        return bool(self.words) and all(word.how == "number" for word in self.words)

    @property
    def wanted(self) -> Sequence[ReferenceWord]:
        """The words that the question lacks; all of them if it has them all."""
        return [word for word in self.words if word.is_new] or self.words


def alternatives(reference: str) -> tuple[str, ...]:
    """The reference, and the names that it lists with slashes between them.

    Each part must begin with a capital letter or a digit, have a letter or four digits, and at least
    three characters: `AC/DC`, `km/h`, `and/or`, `1/2` and `3/5/2021` stay whole.

    >>> alternatives("George Orwell/Eric Blair")
    ('George Orwell/Eric Blair', 'George Orwell', 'Eric Blair')
    >>> alternatives("and/or")
    ('and/or',)
    """
    if "/" not in reference or len(reference) > MAX_LISTED:
        return (reference,)
    parts = [part.strip() for part in reference.split("/")]
    if len(parts) < 2 or not all(map(_is_name, parts)):
        return (reference,)
    return (reference, *dict.fromkeys(parts))


def _is_name(part: str) -> bool:
    begins = part[:1].isupper() or part[:1].isdigit()
    has_word = any(map(str.isalpha, part)) or sum(map(str.isdigit, part)) >= 4
    return begins and has_word and len(part) >= 3


def match_reference(question: str | None, reference: str, answer: str) -> ReferenceMatch:
    """Compare an answer with a reference, given the question.

    >>> match = match_reference("Who wrote Emma?", "Jane Austen", "Emma is by Miss Austen.")
    >>> [(word.text, word.how) for word in match.wanted]
    [('jane', ''), ('austen', 'exact')]
    """
    asked = _read(question or "")
    expected, given = _read(reference), _read(answer)
    parted = GLUED.sub(" ", answer)
    if len(parted) > len(answer):
        given, answer = given.also(_read(parted)), parted
    numbers = match_quantities(
        question,
        _quantities(question or ""),
        reference,
        _quantities(reference),
        answer,
        _quantities(answer),
        Agreement(),
    )
    words = tuple(_words(expected, given, asked, _number_credits(reference, numbers)))
    ours = {word.stem for word in given.content} - asked.stems
    contradiction = _contradiction(question or "", reference, answer, numbers)
    has_other_sign = contradiction is not None and contradiction[0].endswith(OTHER_SIGN)
    return ReferenceMatch(
        words=words,
        n_words=len(expected.words),
        n_answer_words=len(given.words),
        is_contained=not has_other_sign and _contains(given.words, expected.words),
        n_new=len(ours),
        n_new_shared=len(ours & expected.stems),
        numbers=numbers,
        contradiction=contradiction,
    )


@dataclass(frozen=True, slots=True)
class _Text:
    """The words of a text, its content words, and their stems, plain and without accents."""

    words: Sequence[Word]
    content: Sequence[Word]
    stems: frozenset[str]
    plain: frozenset[str]

    def also(self, parted: "_Text") -> "_Text":
        """With the words of the same text after glued words were parted."""
        stems, plain = self.stems | parted.stems, self.plain | parted.plain
        return _Text(parted.words, parted.content, stems, plain)


@lru_cache(maxsize=4_096)
def _read(text: str) -> _Text:
    words = stemmed(text)
    content = [
        word for word in words if is_content_word(word.lowered) or _is_named(word, text)
    ] or words
    plain = frozenset(map(_without_accents, {word.lowered for word in words}))
    fiscal = _fiscal_years(words)
    return _Text(words, content, frozenset(word.stem for word in words) | fiscal, plain | fiscal)


def _fiscal_years(words: Sequence[Word]) -> frozenset[str]:
    """The other spellings of the text's fiscal years: of `FY2023` also `fy` and `2023`, and back."""
    found: set[str] = set()
    # Few words begin so, and this is read for every word of every answer.
    for at in [at for at, word in enumerate(words) if word.lowered.startswith("fy")]:
        if year := FISCAL_YEAR.fullmatch(words[at].lowered):
            found |= {"fy", year[1]}
        if words[at].lowered == "fy" and at + 1 < len(words):
            following = words[at + 1].lowered
            if not FISCAL_YEAR.fullmatch(following):
                found.add(f"fy{following}")
    return frozenset(found)


def _is_named(word: Word, text: str) -> bool:
    """Whether a function word may be a name: `May 2019`, `The Who`."""
    if not text[word.start].isupper() or word.lowered in ARTICLES or word.end - word.start < 3:
        return False
    opens_sentence = text[: word.start].rstrip(" \"'“‘(*").endswith((".", "!", "?", ":", "\n"))
    return (word.start > 0 and not opens_sentence) or text[word.end : word.end + 2].lstrip(" ")[
        :1
    ].isdigit()


@lru_cache(maxsize=4_096)
def _quantities(text: str) -> tuple[Quantity, ...]:
    return tuple(quantities(text))


def _without_accents(lowered: str) -> str:
    """The word without its accents."""
    if lowered.isascii():
        return lowered
    parts = normal_form("NFKD", lowered)
    return "".join(sign for sign in parts if not unicodedata.combining(sign))


def _words(
    expected: _Text, given: _Text, asked: _Text, credits: Sequence[tuple[int, int, float]]
) -> Iterator[ReferenceWord]:
    ordinals = {ORDINALS[word] for word in given.plain if word in ORDINALS}
    for word in expected.content:
        start, end, lowered, stem = word
        credit, how = _credit(word, given, ordinals, credits)
        yield ReferenceWord(lowered, start, end, stem not in asked.stems, credit, how)


def _credit(
    word: Word, given: _Text, ordinals: set[str], credits: Sequence[tuple[int, int, float]]
) -> tuple[float, str]:
    at = bisect_right(credits, word.start, key=itemgetter(0)) - 1
    if at >= 0 and word.end <= credits[at][1]:
        credit = 1.0 if word.stem in ordinals else credits[at][2]
        return credit, "number" if credit else ""
    plain = _without_accents(word.lowered)
    if word.stem in given.stems or plain in given.plain:
        return 1.0, "exact"
    if ORDINALS.get(word.lowered, word.stem) in given.stems | ordinals:
        return 1.0, "number"
    if len(plain) >= MIN_LETTERS and plain.isalpha() and _is_spelled(plain, given.plain):
        return 1.0, "spelling"
    return 0.0, ""


def _is_spelled(word: str, words: frozenset[str]) -> bool:
    by_shape = _by_shape(words)
    lengths = range(len(word) - 2, len(word) + 3)
    alike = [other for length in lengths for other in by_shape.get((word[0], length), ())]
    return (
        process.extractOne(word, alike, scorer=fuzz.ratio, score_cutoff=SAME_SPELLING) is not None
    )


@lru_cache(maxsize=1_024)
def _by_shape(words: frozenset[str]) -> dict[tuple[str, int], list[str]]:
    """The words by first letter and length."""
    found: dict[tuple[str, int], list[str]] = {}
    for word in sorted(words):
        found.setdefault((word[:1], len(word)), []).append(word)
    return found


def _number_credits(reference: str, numbers: NumberMatch) -> list[tuple[int, int, float]]:
    """The spans of the expected numbers in the reference, with their credits."""
    found: list[tuple[int, int, float]] = []
    at = 0
    for number in numbers.expected:
        start = reference.find(number.number, at)
        if start < 0:
            start = reference.find(number.number)
        if start >= 0:
            at = start + len(number.number)
            found.append((start, at, number.credit))
    return sorted(found)


def _contains(words: Sequence[Word], part: Sequence[Word]) -> bool:
    """Whether the words of `part` follow one another in `words`, apart from articles."""
    wanted, there = (
        "".join(f" {word.lowered}" for word in text if word.lowered not in ARTICLES)
        for text in (part, words)
    )
    return bool(wanted) and f"{wanted} " in f"{there} "


def _contradiction(
    question: str, reference: str, answer: str, numbers: NumberMatch
) -> tuple[str, str] | None:
    """What the answer states in place of what the reference states."""
    expected, given = YES_OR_NO.match(reference), YES_OR_NO.match(answer)
    if expected and given and expected[1].lower() != given[1].lower():
        return given[1].lower(), expected[1].lower()
    asked = dates(question)
    wanted = _new_dates(dates(reference), asked)
    stated = dates(answer) if wanted else ()
    # A date that repeats the question's is not meant for the reference's.
    new = _new_dates(stated, asked)
    if new and not any(_agree(ours, date) for ours in stated for date in wanted):
        return new[0].text, wanted[0].text
    if numbers.expected and not numbers.matched:
        return _other_number(question, reference, answer, numbers.expected[0])
    return None


def _new_dates(found: Sequence[Date], asked: Sequence[Date]) -> list[Date]:
    """The dates that the question does not have."""
    return [date for date in found if not any(supports(other, date) for other in asked)]


def _other_number(
    question: str, reference: str, answer: str, expected: ExpectedNumber
) -> tuple[str, str] | None:
    """The last number of the answer that could be the expected one, and the expected one.

    The expected number itself if the answer says that it fell where the reference says that it rose.
    """
    known = {quantity.number for quantity in _quantities(question)}
    wanted = {each.unit for each in _quantities(reference) if each.text == expected.number}
    stated = [
        each
        for each in _quantities(answer)
        if each.counts
        and each.number not in known
        and (not wanted or any(_is_of_kind(each.unit, unit) for unit in wanted))
    ]
    if not stated:
        return None
    same = [each.text for each in stated if by_value(each) == expected.value]
    ours = f"{same[-1]}{OTHER_SIGN}" if same else stated[-1].text
    return ours, expected.number


def _is_of_kind(unit: str, wanted: str) -> bool:
    """Whether a number with this unit can be meant for one with the other: neither `$5` nor `note 5` for `5%`."""
    return not wanted or unit == wanted or (unit in MONEY and wanted in MONEY)


def _agree(one: Date, other: Date) -> bool:
    """Whether two dates share a part and differ in none that both state."""
    return any(
        ours.keys() & theirs.keys()
        and all(ours[name] == theirs[name] for name in ours.keys() & theirs.keys())
        for ours in readings(one)
        for theirs in readings(other)
    )
