"""What an answer states of a reference: its words, numbers and dates, and what contradicts them."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple

from rapidfuzz import fuzz, process

from ragauge.language.detection import language_of
from ragauge.language.facts.alignment import Alignment, align
from ragauge.language.facts.differences import Difference
from ragauge.language.numbers.agreement import Agreement
from ragauge.language.numbers.match import (
    NumberMatch,
    match_quantities,
)
from ragauge.language.references.compared_text import (
    ComparedText,
    abbreviated,
    read_text,
    without_accents,
)
from ragauge.language.references.contradictions import (
    denial,
    is_negated,
    quantities_of,
    said_to,
    stated_instead,
)
from ragauge.language.spans import SpanSet
from ragauge.language.stems import Word

MIN_LETTERS = 5
"""Shorter words are not compared by spelling: `Iran` and `Iraq` are two countries."""
SAME_SPELLING = 84
"""The lowest similarity of two spellings of one name, of 100; `Tchaikovsky` and `Chaikovsky` have 95."""
MAX_LISTED = 500
"""Characters; a longer reference is a text and not a list of names."""
GLUED = re.compile(r"(?<=[a-z]{3})(?=\d{1,3}\b)|(?<=[a-z])(?=[A-Z][a-z])|(?<=[a-z]{2})(?=\d)")
"""Where a footnote or a lost space joins two words: `Carrey1`, `byThe`, `in126`."""
MAY_BE_GLUED = re.compile(r"[a-z][A-Z\d]")
"""What is on both sides of such a place; the places themselves are looked for at every character."""
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
    "exact" (the stems are equal), "spelling", "initials", "number", "meaning" (`fell` for `declined`) or, without
    credit, "denied", "other" (the answer has another number or date there) or "". `is_new`: the question does not have it.
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
    the reference, and of what; None if nothing. `differences`: the details that it contradicts.
    """

    words: Sequence[ReferenceWord]
    n_words: int
    n_answer_words: int
    is_contained: bool
    n_new: int
    n_new_shared: int
    numbers: NumberMatch
    contradiction: tuple[str, str] | None
    differences: Sequence[Difference] = ()

    @property
    def is_in_numbers(self) -> bool:
        """Whether the reference is numbers only, and the answer states them all in another form."""
        return bool(self.words) and all(word.how == "number" for word in self.words)

    @property
    def is_in_other_words(self) -> bool:
        """Whether the answer says the yes or no that the reference is, or has a name in other letters."""
        if len(self.words) == 1 == self.n_words and self.words[0].how == "meaning":
            return True
        are_all_stated = all(word.credit == 1 for word in self.words)
        return are_all_stated and any(word.how == "initials" for word in self.words)

    @property
    def is_denied(self) -> bool:
        """Whether the answer denies the reference, or gives something else in its place."""
        return bool(self.words) and all(word.how == "denied" for word in self.words)

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
    texts = _read(question, reference, answer)
    expected, given, numbers = texts.expected, texts.given, texts.numbers
    is_contained = _contains(given, expected)
    denied = _denied(given, expected, texts.asked) if is_contained else None
    said = said_to(texts.question, texts.asked, expected, texts.answer, given)
    agrees = bool(said) and said == expected.words[0].lowered
    short, spelled = map(SpanSet, abbreviated(reference, expected.words, texts.answer, given.words))
    facts = align(texts.answer, reference, texts.question)
    words = _credited_words(texts, short, facts)
    if agrees:
        words = _all(words, 1.0, "meaning")
    contradiction = (f"{denied} {reference}", reference) if denied else None
    contradiction = contradiction or stated_instead(
        texts.question, reference, texts.answer, numbers
    )
    if said and not agrees:
        contradiction = said, expected.words[0].lowered
    if denied or (contradiction and contradiction[0] in ("yes", "no")):
        words = _all(words, 0.0, "denied")
    elif contradiction:
        words = _replaced(words, reference, contradiction[1])
    # `-5 °C` has `5 °C` word for word, and `5 million` has `5`.
    is_other_number = bool(contradiction and numbers.expected and not numbers.matched)
    ours = {word.stem for word in given.content} - texts.asked.stems
    same = {word.stem for word in given.content if word.start in spelled}
    return ReferenceMatch(
        words=words,
        n_words=len(expected.words),
        n_answer_words=len(given.words),
        is_contained=is_contained and not is_other_number and not denied,
        n_new=len(ours),
        n_new_shared=len(ours & (expected.stems | same)),
        numbers=numbers,
        contradiction=contradiction,
        differences=facts.differences,
    )


@dataclass(frozen=True, slots=True)
class _Texts:
    """A question, a reference and an answer with their words, and the reference's numbers in the answer."""

    question: str
    asked: ComparedText
    reference: str
    expected: ComparedText
    answer: str
    given: ComparedText
    numbers: NumberMatch


def _read(question: str | None, reference: str, answer: str) -> _Texts:
    language = language_of("\n".join((question or "", reference, answer)))
    given = read_text(answer, language)
    parted = GLUED.sub(" ", answer) if MAY_BE_GLUED.search(answer) else answer
    if len(parted) > len(answer):
        given, answer = given.also(read_text(parted, language)), parted
    numbers = match_quantities(
        question,
        quantities_of(question or ""),
        reference,
        quantities_of(reference),
        answer,
        quantities_of(answer),
        Agreement(counted=False),
    )
    asked, expected = read_text(question or "", language), read_text(reference, language)
    return _Texts(question or "", asked, reference, expected, answer, given, numbers)


def _credited_words(
    texts: _Texts, initials: SpanSet, facts: Alignment
) -> tuple[ReferenceWord, ...]:
    """The reference's words, with credit for words of the same sense, facts in other forms, and initials."""
    credits = _number_credits(texts.reference, texts.numbers)
    words = _words(texts.expected, texts.given, texts.asked, credits)
    for places, how in ((facts.stated, "number"), (facts.in_other_words, "meaning")):
        covered = SpanSet(places)
        words = [_credited_in(covered, word, how) for word in words]
    return tuple(_credited_in(initials, word, "initials") for word in words)


def _credited_in(places: SpanSet, word: ReferenceWord, how: str) -> ReferenceWord:
    if word.credit or word.start not in places:
        return word
    return word._replace(credit=1.0, how=how)


def _all(words: Iterable[ReferenceWord], credit: float, how: str) -> tuple[ReferenceWord, ...]:
    return tuple(word._replace(credit=credit, how=how) for word in words)


def _replaced(
    words: Sequence[ReferenceWord], reference: str, instead_of: str
) -> tuple[ReferenceWord, ...]:
    """Without credit for the words of a date or number in whose place the answer has another.

    Month and year of another day count only beside other words of the reference.
    """
    at = reference.find(instead_of)
    place = range(at, at + len(instead_of)) if at >= 0 else range(0)
    is_all = all(word.start in place for word in words)
    return tuple(
        word._replace(credit=0.0, how="other")
        if word.start in place and (is_all or not word.credit)
        else word
        for word in words
    )


def _words(
    expected: ComparedText,
    given: ComparedText,
    asked: ComparedText,
    credits: Sequence[tuple[int, int, float]],
) -> Iterator[ReferenceWord]:
    ordinals = {ORDINALS[word] for word in given.plain if word in ORDINALS}
    for word in expected.content:
        start, end, lowered, stem = word
        credit, how = _credit(word, given, ordinals, credits)
        yield ReferenceWord(lowered, start, end, stem not in asked.stems, credit, how)


def _credit(
    word: Word, given: ComparedText, ordinals: set[str], credits: Sequence[tuple[int, int, float]]
) -> tuple[float, str]:
    at = bisect_right(credits, word.start, key=itemgetter(0)) - 1
    if at >= 0 and word.end <= credits[at][1]:
        credit = 1.0 if word.stem in ordinals else credits[at][2]
        return credit, "number" if credit else ""
    plain = without_accents(word.lowered)
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


def _denied(given: ComparedText, expected: ComparedText, asked: ComparedText) -> str | None:
    """The words with which the answer denies the reference; a question with a negation asks for them."""
    if is_negated([word.lowered for word in asked.words]):
        return None
    return denial(given.sequence, expected.sequence, asked.stems)


def _contains(whole: ComparedText, part: ComparedText) -> bool:
    """Whether the words of `part` follow one another in `whole`, apart from articles."""
    wanted = part.sequence
    there = [whole.sequence]
    if part.letters and not whole.letters:  # `a type a car`: any may be the name
        there.append(whole.sequence_with_a)
    return bool(wanted) and any(f"{wanted} " in f"{each} " for each in there)
