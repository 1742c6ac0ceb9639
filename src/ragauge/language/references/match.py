"""What an answer states of a reference: its words, numbers and dates, and what contradicts them."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple

from rapidfuzz import fuzz, process

from ragauge.language.detection import language_of
from ragauge.language.facts.alignment import align
from ragauge.language.facts.differences import Difference
from ragauge.language.facts.facts import Part
from ragauge.language.numbers.agreement import Agreement
from ragauge.language.numbers.match import NumberMatch, match_quantities
from ragauge.language.numbers.named_numbers import asks_for_version
from ragauge.language.numbers.other_languages import quantities_of
from ragauge.language.references.compared_text import (
    ComparedText,
    abbreviated,
    forms,
    read_text,
    without_accents,
)
from ragauge.language.references.contradictions import (
    agrees,
    denial,
    is_negated,
    said_to,
    stated_instead,
)
from ragauge.language.stems import Word
from ragauge.language.text import SpanSet

MIN_LETTERS = 5
"""Shorter words are not compared by spelling: `Iran` and `Iraq` are two countries."""
SAME_SPELLING = 84
"""The lowest similarity of two spellings of one name, of 100; `Tchaikovsky` and `Chaikovsky` have 95."""
MAX_LISTED = 500
"""Characters; a longer reference is a text and not a list of names."""
GLUED = re.compile(r"(?<=[a-z]{3})(?=\d{1,3}\b)|(?<=[a-z])(?=[A-Z][a-z])|(?<=[a-z]{2})(?=\d)")
"""Where a footnote or a lost space joins two words: `Carrey1`, `byThe`, `in126`."""
_WORDS_BEFORE = re.compile(r"(?:\w+ ){0,2}$")
_WORDS_AFTER = re.compile(r"(?:[ /]\w+){0,2}")


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
    the reference, and of what; None if nothing. `agreed`: the yes or no of the reference
    that it says, or the facts that the reference adds to the question, if it is these and no more. `differences`: the details that it contradicts.
    """

    words: Sequence[ReferenceWord]
    n_words: int
    n_answer_words: int
    is_contained: bool
    n_new: int
    n_new_shared: int
    numbers: NumberMatch
    contradiction: tuple[str, str] | None
    agreed: str = ""
    differences: Sequence[Difference] = ()

    @property
    def is_in_numbers(self) -> bool:
        """Whether the reference is numbers only, and the answer states them all in another form."""
        return bool(self.words) and all(word.how == "number" for word in self.words)

    @property
    def is_in_other_words(self) -> bool:
        """Whether the answer says the yes or no that the reference is, or has a name in other letters."""
        if self.agreed or (len(self.words) == 1 == self.n_words and self.words[0].how == "meaning"):
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
    """
    if "/" not in reference or len(reference) > MAX_LISTED:
        return (reference,)
    parts = [part.strip() for part in reference.split("/")]
    are_names = all(
        (part[:1].isupper() or part[:1].isdigit())
        and (any(map(str.isalpha, part)) or sum(map(str.isdigit, part)) >= 4)
        and len(part) >= 3
        for part in parts
    )
    return (reference, *dict.fromkeys(parts)) if are_names else (reference,)


def match_reference(question: str | None, reference: str, answer: str) -> ReferenceMatch:
    """Compare an answer with a reference, given the question.

    >>> match = match_reference("Who wrote Emma?", "Jane Austen", "Emma is by Miss Austen.")
    >>> [(word.text, word.how) for word in match.wanted]
    [('jane', ''), ('austen', 'exact')]
    """
    about = question or ""
    language = language_of("\n".join((about, reference, answer)))
    asked, expected, given = (read_text(text, language) for text in (about, reference, answer))
    if (parted := GLUED.sub(" ", answer)) != answer:
        whole, answer = given, parted
        given = read_text(parted, language)
        given = replace(given, stems=given.stems | whole.stems, plain=given.plain | whole.plain)
    counts, wanted, stated = map(quantities_of, (about, reference, answer))
    rules = Agreement(named=asks_for_version(question))
    numbers = match_quantities(question, counts, reference, wanted, answer, stated, rules)
    facts = align(answer, reference, about)
    short, spelled = map(SpanSet, abbreviated(reference, expected.words, answer, given.words))
    forms = (SpanSet(facts.stated), "number"), (SpanSet(facts.in_other_words), "meaning")
    words = list(_words(expected, given, asked, numbers, (*forms, (short, "initials"))))
    is_contained = bool(expected.sequence) and f"{expected.sequence} " in f"{given.sequence} "
    # A question with a negation asks for what is denied.
    may_deny = is_contained and not is_negated([word.lowered for word in asked.words])
    denied = denial(given.sequence, expected.sequence, asked.stems) if may_deny else None
    said = said_to(about, asked, expected, answer, given)
    if denied:
        contradiction = f"{denied} {reference}", reference
    else:
        contradiction = stated_instead(about, reference, answer, numbers)
    agreed = ""
    if said and said != expected.words[0].lowered:
        contradiction = said, expected.words[0].lowered
    elif said:
        agreed = said
        words = [word._replace(credit=1.0, how="meaning") for word in words]
    elif not (contradiction or facts.differences):
        agreed = agrees(about, reference, answer)
        agreed = agreed or facts.agreed
    if denied or (contradiction and contradiction[0] in ("yes", "no")):
        words = [word._replace(credit=0.0, how="denied") for word in words]
    elif contradiction:
        # Month and year of another day count only beside other words of the reference.
        at = reference.find(contradiction[1])
        place = range(at, at + len(contradiction[1])) if at >= 0 else range(0)
        is_all = all(word.start in place for word in words)
        words = [
            word._replace(credit=0.0, how="other")
            if word.start in place and (is_all or not word.credit)
            else word
            for word in words
        ]
    # `-5 °C` has `5 °C` word for word, and `5 million` has `5`.
    is_other_number = bool(contradiction and numbers.expected and not numbers.matched)
    ours = {word.stem for word in given.content} - asked.stems
    same = {word.stem for word in given.content if word.start in spelled}
    return ReferenceMatch(
        words=tuple(words),
        n_words=len(expected.words),
        n_answer_words=len(given.words),
        is_contained=is_contained and not is_other_number and not denied,
        n_new=len(ours),
        n_new_shared=len(ours & (expected.stems | same)),
        numbers=numbers,
        contradiction=contradiction,
        agreed=agreed,
        differences=(*facts.differences, *_other_things(numbers, reference, answer)),
    )


def _other_things(numbers: NumberMatch, reference: str, answer: str) -> Iterator[Difference]:
    """The numbers of the reference that the answer states of other things, each with two words before and after it."""
    for row in numbers.expected:
        if row.other_thing is None:
            continue
        places = (
            (answer, row.other_thing.start, row.other_thing.end),
            (reference, row.start, row.start + len(row.number)),
        )
        sides: list[Part] = []
        for text, start, end in places:
            before, after = _WORDS_BEFORE.search(text, 0, start), _WORDS_AFTER.match(text, end)
            assert before and after
            start, end = before.start(), after.end()
            sides.append(Part(text[start:end], start, end))
        yield Difference("counted", sides[0], sides[1])


def _words(
    expected: ComparedText,
    given: ComparedText,
    asked: ComparedText,
    numbers: NumberMatch,
    forms: Sequence[tuple[SpanSet, str]],
) -> Iterator[ReferenceWord]:
    """The reference's words with their credit; `forms`: where the answer has what it says in another form, and how."""
    credits = sorted((n.start, n.start + len(n.number), n.credit) for n in numbers.expected)
    for word in expected.content:
        at = bisect_right(credits, word.start, key=itemgetter(0)) - 1
        if at >= 0 and word.end <= credits[at][1]:
            credit = credits[at][2]
            how = "number" if credit else ""
        else:
            how = _how(word, given)
            credit = 1.0 if how else 0.0
        found = None if credit else next((how for at, how in forms if word.start in at), None)
        if found:
            credit, how = 1.0, found
        is_new = word.stem not in asked.stems
        yield ReferenceWord(word.lowered, word.start, word.end, is_new, credit, how)


def _how(word: Word, given: ComparedText) -> str:
    """How the answer states the word."""
    plain, parts = without_accents(word.lowered), forms(word)
    if word.stem in given.stems or plain in given.plain or (parts and given.plain >= {*parts}):
        return "exact"
    if len(plain) < MIN_LETTERS or not plain.isalpha():
        return ""
    by_shape, lengths = _by_shape(given.plain), range(len(plain) - 2, len(plain) + 3)
    alike = [other for length in lengths for other in by_shape.get((plain[0], length), ())]
    found = process.extractOne(plain, alike, scorer=fuzz.ratio, score_cutoff=SAME_SPELLING)
    return "spelling" if found else ""


@lru_cache(maxsize=1_024)
def _by_shape(words: frozenset[str]) -> dict[tuple[str, int], list[str]]:
    """The words by first letter and length."""
    found: dict[tuple[str, int], list[str]] = {}
    for word in sorted(words):
        found.setdefault((word[:1], len(word)), []).append(word)
    return found
