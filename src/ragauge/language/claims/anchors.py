"""Anchors: statements of an answer that are definite enough to check against a context.

There are three kinds: numbers with their unit, dates and times, and claims. This is the built-in,
rule-based extractor; `anchors_spacy` uses a dependency parser, and `context_index` looks anchors up.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter

from ragauge.language.claims.claims import Claim, Stated, claims
from ragauge.language.dates.parts import Date
from ragauge.language.numbers.quantity import Quantity

Anchor = Quantity | Date | Claim


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

    >>> from ragauge.features.dates import dates
    >>> from ragauge.features.numbers import quantities
    >>> text = "Microsoft released the Pixel phone in 2016 for $649. It may rain."
    >>> [one.text for one in embedded_anchors(text, quantities(text), dates(text))]
    ['Microsoft released the Pixel phone', '2016', '$649']
    """
    numbers = [quantity for quantity in quantities if quantity.is_anchor]
    return in_order((*numbers, *dates, *claims(text, Stated((*numbers, *dates)))))


def in_order(anchors: Iterable[Anchor]) -> tuple[Anchor, ...]:
    """The anchors sorted by position."""
    return tuple(sorted(anchors, key=_PLACE))


_PLACE = attrgetter("start", "end")
