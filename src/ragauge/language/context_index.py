"""ContextIndex: the contexts of a sample, and where they bear an answer's anchors out."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import accumulate

from ragauge.language.anchors import Anchor
from ragauge.language.claims import Claim
from ragauge.language.dates import Date, implied, lower_letters, readings, supports
from ragauge.language.numbers import Quantity, same_quantity
from ragauge.language.text import ASCII_WORDS, composed

NEAR = 300
"""How many characters may stand between the subject and the object that bear out a claim."""
FEW = 50
"""Dates up to which each is compared instead of looked up."""
SHORT = 5_000
"""How many characters a context may have to be searched for each word that is wanted."""
SPREAD = 100
"""How many characters may stand between two words of one phrase."""


Place = tuple[int, int]
"""Where something starts and ends, as in text[start:end]."""


@dataclass(frozen=True, slots=True)
class Support:
    """Where a context bears an anchor out: `text` is contexts[context][start:end]."""

    context: int
    start: int
    end: int
    text: str


_WORD = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
    r"|(?:(?![\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])[\w\u0300-\u036f])+"
)


def words(text: str) -> list[str]:
    """The lower-cased words of a text without punctuation; each kanji, hanzi and kana is one.

    >>> words("Don't panic: 東京 has U.S. maps")
    ['don', 't', 'panic', '東', '京', 'has', 'u', 's', 'maps']
    """
    if text.isascii():
        return text.translate(ASCII_WORDS).split()
    return _WORD.findall(composed(lower_letters(text)))


class Passage:
    """One context, and its words, as claims are looked up in it."""

    def __init__(self, text: str, words: Iterable[str]) -> None:
        self.text = text
        self._words = words
        self._looked_up: dict[str, list[Place]] = {}
        # an ASCII text with a space before it and after it, and one for each sign between words
        self._spaced = f" {text.translate(ASCII_WORDS)} " if text.isascii() else ""
        self._is_short = 0 < len(self._spaced) < SHORT

    @cached_property
    def words(self) -> frozenset[str]:
        """The distinct words."""
        return frozenset(self._words)

    def places(self, word: str) -> list[Place]:
        """Where the word stands."""
        found = self._looked_up.get(word)
        if found is None:
            # a short text is searched in less time than the set of its words takes to make
            is_there = self._is_short or word in self.words
            found = self._looked_up[word] = self._find(word) if is_there else []
        return found

    @cached_property
    def _all_places(self) -> dict[str, list[Place]]:
        places: dict[str, list[Place]] = {}
        for found in _WORD.finditer(lower_letters(self.text)):
            places.setdefault(composed(found[0]), []).append(found.span())
        return places

    def _find(self, word: str) -> list[Place]:
        if not self._spaced:
            return self._all_places.get(word, [])
        places: list[Place] = []
        whole_word = f" {word} "
        at = self._spaced.find(whole_word)
        while at >= 0:
            end = at + len(word)
            places.append((at, end))
            at = self._spaced.find(whole_word, end + 1)
        return places

    def spans(self, phrase: Sequence[str]) -> list[Place]:
        """Where all words of the phrase stand together, in any order, by their start."""
        places: list[list[Place]] = []
        for word in phrase:
            if not (there := self.places(word)):
                return []
            places.append(there)
        if len(places) < 2:
            return places[0] if places else []
        found: list[Place] = []
        for at, _ in min(places, key=len):
            near = [one[0] if len(one) == 1 else _nearest(one, at) for one in places]
            first, last = min(near)[0], max(near)[0]
            if last - at <= SPREAD and at - first <= SPREAD:
                found.append((first, max([end for _, end in near])))
        return sorted(found)


def _nearest(places: Sequence[Place], at: int) -> Place:
    after = bisect_left(places, (at, 0))
    return min(places[max(0, after - 1) : after + 1], key=lambda place: abs(place[0] - at))


class ContextIndex:
    """All contexts of a sample, as anchors are looked up in them."""

    def __init__(
        self,
        contexts: Sequence[str],
        words: Sequence[Sequence[str]],
        quantities: Sequence[Sequence[Quantity]],
        dates: Sequence[Sequence[Date]],
    ) -> None:
        self.contexts = contexts
        self.words = words
        self.quantities = quantities
        self.dates = dates

    @cached_property
    def passages(self) -> tuple[Passage, ...]:
        """The contexts with their words."""
        return tuple(map(Passage, self.contexts, self.words))

    @cached_property
    def numbers(self) -> dict[Decimal, list[tuple[int, Quantity]]]:
        """The quantities of all contexts by value, each unit once."""
        table: dict[Decimal, dict[tuple[str, bool], tuple[int, Quantity]]] = {}
        for context, found in enumerate(self.quantities):
            for one in found:
                table.setdefault(one.value, {}).setdefault((one.unit, one.is_year), (context, one))
        return {value: list(units.values()) for value, units in table.items()}

    @cached_property
    def few_dates(self) -> list[tuple[int, Date]] | None:
        """The dates of all contexts with the context of each, unless they are many."""
        if sum(map(len, self.dates)) > FEW:
            return None
        return [(context, date) for context, found in enumerate(self.dates) for date in found]

    @cached_property
    def distinct_dates(self) -> list[tuple[int, Date]]:
        """The dates of all contexts with the context of each, equal dates once."""
        known: dict[tuple[frozenset[tuple[str, int | str]], bool], tuple[int, Date]] = {}
        for context, found in enumerate(self.dates):
            for date in found:
                stated = frozenset(date.parts.items()), date.either_order
                known.setdefault(stated, (context, date))
        return list(known.values())

    @cached_property
    def parts(self) -> dict[tuple[str, int | str], list[tuple[int, Date]]]:
        """The distinct dates by each part that they state or imply."""
        table: dict[tuple[str, int | str], list[tuple[int, Date]]] = {}
        for context, date in self.distinct_dates:
            for reading in readings(date):
                for part in implied(reading).items():
                    table.setdefault(part, []).append((context, date))
        return table

    def dates_like(self, stated: Date) -> Sequence[tuple[int, Date]]:
        """The dates among which one must stand that bears this one out."""
        if self.few_dates is not None:
            return self.few_dates
        if len(self.distinct_dates) <= FEW:
            return self.distinct_dates
        rarest = (
            min((self.parts.get(part, ()) for part in reading.items()), key=len, default=())
            for reading in readings(stated)
        )
        return [one for found in rarest for one in found]


def support(anchor: Anchor, context_index: ContextIndex) -> Support | None:
    """Where the contexts bear the anchor out first; None where they do not.

    A number: the same value, with the same unit when it has one, and never a percentage for a plain
    number. A date: one date with all its stated parts. A claim: all words of its subject and all of
    its object, at most 300 characters apart in one context, whatever stands between.
    """
    if isinstance(anchor, Quantity):
        return _number_support(anchor, context_index)
    if isinstance(anchor, Date):
        return _date_support(anchor, context_index)
    return _claim_support(anchor, context_index)


def _number_support(stated: Quantity, context_index: ContextIndex) -> Support | None:
    for context, given in context_index.numbers.get(stated.value, ()):
        if same_quantity(stated, given, unit=True):
            return _at(context_index, context, given.start, given.end)
    return None


def _date_support(stated: Date, context_index: ContextIndex) -> Support | None:
    for context, given in context_index.dates_like(stated):
        if supports(given, stated):
            return _at(context_index, context, given.start, given.end)
    return _bare_year_support(stated, context_index)


def _bare_year_support(stated: Date, context_index: ContextIndex) -> Support | None:
    """`in 2021` is borne out by `the 2021 report`, where nothing says that 2021 is a year."""
    if stated.year is None or len(stated.parts) > 1:
        return None
    for context, given in context_index.numbers.get(Decimal(stated.year), ()):
        if not given.unit and not given.spelled:
            return _at(context_index, context, given.start, given.end)
    return None


def _claim_support(claim: Claim, context_index: ContextIndex) -> Support | None:
    subject, object = _content(claim.subject), _content(claim.object)
    for context, passage in enumerate(context_index.passages):
        subjects = passage.spans(subject)
        objects = passage.spans(object) if subjects else []
        found = _nearest_pair(subjects, objects) if objects else None
        if found:
            return _at(context_index, context, *found)
    return None


def _content(phrase: str) -> list[str]:
    """The words of a phrase that must stand in a context: all but articles and `of`."""
    found = words(phrase)
    return [word for word in found if word not in _NO_CONTENT] or found


_NO_CONTENT = frozenset(("a", "an", "the", "of", "s"))


def _nearest_pair(subjects: Sequence[Place], objects: Sequence[Place]) -> Place | None:
    """The hull of the first subject that has an object near it; both are sorted by start."""
    starts = [start for start, _ in objects]
    last_ends = list(accumulate([end for _, end in objects], max))
    for start, end in subjects:
        after = bisect_right(starts, start)
        if after and start - last_ends[after - 1] <= NEAR:
            before = max(objects[:after], key=lambda span: span[1])
            return min(start, before[0]), max(end, before[1])
        if after < len(objects) and starts[after] - end <= NEAR:
            return start, max(end, objects[after][1])
    return None


def _at(context_index: ContextIndex, context: int, start: int, end: int) -> Support:
    return Support(context, start, end, context_index.contexts[context][start:end])
