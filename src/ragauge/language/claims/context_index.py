"""ContextIndex: the contexts of a sample, and where they support an answer's anchors."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from itertools import islice
from operator import attrgetter, itemgetter
from typing import NamedTuple

from ragauge.language.characters import lower_letters
from ragauge.language.claims.claims import Claim, claims
from ragauge.language.dates.parts import Date, DateIndex
from ragauge.language.numbers.quantity import Quantity, same_quantity
from ragauge.language.text import Span, SpanSet, composed
from ragauge.language.words import WORD, Words, words

NEAR = 300
"""The largest distance in characters of subject and object in a context that supports a claim."""
SHORT = 5_000
"""Contexts shorter than this are searched for each word, without a set of their words."""
SPREAD = 100
"""The largest distance in characters of two words of a phrase."""
Anchor = Quantity | Date | Claim
_NO_CONTENT = frozenset(("a", "an", "the", "of", "s"))


@dataclass(frozen=True, slots=True)
class Anchors:
    """The anchors of a text in order, and the extractor that found them."""

    found: tuple[Anchor, ...]
    extractor: str


def embedded_anchors(
    text: str, quantities: Sequence[Quantity], dates: Sequence[Date]
) -> tuple[Anchor, ...]:
    """The anchors of the text, given its quantities and dates; numbers in words are anchors too.

    A claim whose object is only an amount or a date is omitted, because that is an anchor itself.

    >>> from ragauge.features.texts import dates, quantities
    >>> text = "Microsoft released the Pixel phone in 2016 for $649. It may rain."
    >>> [one.text for one in embedded_anchors(text, quantities(text), dates(text))]
    ['Microsoft released the Pixel phone', '2016', '$649']
    """
    numbers = [quantity for quantity in quantities if quantity.is_anchor]
    stated = [*numbers, *dates]
    return in_order((*stated, *claims(text, SpanSet((each.start, each.end) for each in stated))))


def in_order(anchors: Iterable[Anchor]) -> tuple[Anchor, ...]:
    """The anchors sorted by position."""
    return tuple(sorted(anchors, key=attrgetter("start", "end")))


class Support(NamedTuple):
    """The place that supports an anchor: `text` is contexts[context][start:end]."""

    context: int
    start: int
    end: int
    text: str


class Passage:
    """One context and its words, for looking up claims."""

    def __init__(self, text: str, words: Words) -> None:
        self.text = text
        self._words, self._spaced = words, words.spaced
        # Searching a short text takes less time than building the set of its words.
        self._is_short = 0 < len(self._spaced) < SHORT
        self._looked_up: dict[str, list[Span]] = {}

    @cached_property
    def _distinct(self) -> frozenset[str]:
        return frozenset(self._words.listed)

    def has(self, phrase: Sequence[str]) -> bool:
        """Whether all words of the phrase occur."""
        if not self._is_short:
            return self._distinct.issuperset(phrase)
        for word in phrase:  # noqa: SIM110, a generator takes longer
            if f" {word} " not in self._spaced:
                return False
        return True

    def places(self, word: str) -> list[Span]:
        """Where the word, one of the passage's, occurs."""
        found = self._looked_up.get(word)
        if found is None:
            found = [] if self._spaced else self._all_places.get(word, [])
            whole_word = f" {word} "
            at = self._spaced.find(whole_word)
            while at >= 0:
                found.append((at, at + len(word)))
                at = self._spaced.find(whole_word, at + len(word) + 1)
            self._looked_up[word] = found
        return found

    @cached_property
    def _all_places(self) -> dict[str, list[Span]]:
        places: dict[str, list[Span]] = {}
        for found in WORD.finditer(lower_letters(self.text)):
            places.setdefault(composed(found[0]), []).append(found.span())
        return places

    def spans(self, phrase: Sequence[str]) -> Iterator[Span]:
        """Where all words of the phrase occur close together, in any order; sorted by start."""
        places = [self.places(word) for word in phrase]
        if len(places) < 2:
            return iter(places[0] if places else ())
        rarest = min(places, key=len)
        return iter(sorted(filter(None, (_together(places, at) for at, _ in rarest))))


def _together(places: Sequence[Sequence[Span]], at: int) -> Span | None:
    """The span of the places nearest to `at`, one of each word; None if they are far apart."""
    near: list[Span] = []
    for each in places:
        after = bisect_left(each, (at, 0))
        is_before = after == len(each) or (after and at - each[after - 1][0] <= each[after][0] - at)
        near.append(each[after - 1 if is_before else after])  # of two equally near ones the first
    first, last = min(near)[0], max(near)[0]
    if last - at > SPREAD or at - first > SPREAD:
        return None
    return first, max(end for _, end in near)


@dataclass(eq=False, repr=False)
class ContextIndex:
    """All contexts of a sample, for looking up anchors.

    `claim_supports`: the support of each claim that was looked up, by the words of its subject and object.
    """

    contexts: Sequence[str]
    words: Sequence[Words]
    quantities: Sequence[Sequence[Quantity]]
    dates: Sequence[Sequence[Date]]
    claim_supports: dict[tuple[tuple[str, ...], tuple[str, ...]], Support | None] = field(
        init=False, default_factory=dict
    )

    @cached_property
    def passages(self) -> tuple[Passage, ...]:
        """The contexts with their words."""
        return tuple(map(Passage, self.contexts, self.words))

    @cached_property
    def numbers(self) -> dict[Decimal, dict[tuple[str, bool], tuple[int, Quantity]]]:
        """The quantities of all contexts by value, and by unit and whether they are years."""
        table: dict[Decimal, dict[tuple[str, bool], tuple[int, Quantity]]] = {}
        for context, found in enumerate(self.quantities):
            for quantity in found:
                units = table.setdefault(quantity.value, {})
                units.setdefault((quantity.unit, quantity.is_year), (context, quantity))
        return table

    @cached_property
    def _date_index(self) -> DateIndex:
        return DateIndex([date for found in self.dates for date in found])

    def date(self, stated: Date) -> tuple[int, Date] | None:
        """The first date that supports this one, and its context."""
        place = self._date_index.first(stated)
        if place is None:
            return None
        every = ((context, date) for context, found in enumerate(self.dates) for date in found)
        return next(islice(every, place, None))


def support(anchor: Anchor, context_index: ContextIndex) -> Support | None:
    """The first place in the contexts that supports the anchor; None if there is none.

    A number needs the same value, and the same unit if it has one; a percentage never supports a plain
    number. A date needs one date with all its stated parts. A claim needs all words of its subject and
    of its object, at most 300 characters apart in one context, whatever is between them.
    """
    if isinstance(anchor, Claim):
        stated = _content(anchor.subject), _content(anchor.object)
        # An answer may repeat a claim many times, and a context its words.
        known = context_index.claim_supports
        if stated not in known:
            known[stated] = _words_support(*stated, context_index)
        return known[stated]
    found: tuple[int, Quantity | Date] | None
    if isinstance(anchor, Quantity):
        given = context_index.numbers.get(anchor.value, {}).values()
        found = next((each for each in given if same_quantity(anchor, each[1], unit=True)), None)
    else:
        found = context_index.date(anchor)
        if not found and anchor.year is not None and len(anchor.parts) == 1:
            # `the 2021 report` supports `in 2021`, although nothing there marks 2021 as a year.
            given = context_index.numbers.get(Decimal(anchor.year), {}).values()
            found = next((each for each in given if not (each[1].unit or each[1].spelled)), None)
    return found and _at(context_index, found[0], found[1].start, found[1].end)


def _content(phrase: str) -> tuple[str, ...]:
    """The words of a phrase that a context must have: all but articles and `of`."""
    found = words(phrase)
    return tuple([word for word in found if word not in _NO_CONTENT] or found)


def _words_support(
    subject: Sequence[str], object: Sequence[str], context_index: ContextIndex
) -> Support | None:
    """The first place in a context with all words of the subject near all words of the object."""
    for context, passage in enumerate(context_index.passages):
        if not (passage.has(subject) and passage.has(object)):
            continue
        if found := _nearest_pair(passage.spans(subject), passage.spans(object)):
            return _at(context_index, context, *found)
    return None


def _nearest_pair(subjects: Iterator[Span], objects: Iterator[Span]) -> Span | None:
    """The span of the first subject with an object near it, and that object; both are sorted by start."""
    after = next(objects, None)
    # The object that ends last, of those that do not start after the subject.
    before: Span | None = None
    for start, end in subjects if after else ():
        while after is not None and after[0] <= start:
            before = after if before is None else max(before, after, key=itemgetter(1))
            after = next(objects, None)
        if before is not None and start - before[1] <= NEAR:
            return min(start, before[0]), max(end, before[1])
        if after is not None and after[0] - end <= NEAR:
            return start, max(end, after[1])
    return None


def _at(context_index: ContextIndex, context: int, start: int, end: int) -> Support:
    return Support(context, start, end, context_index.contexts[context][start:end])
