"""Which of the answer's numbers occur in its sources, the references and contexts."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from decimal import Decimal
from functools import cached_property
from itertools import chain
from operator import attrgetter
from typing import NamedTuple

from ragauge.language.keywords import by_value
from ragauge.language.numbers.agreement import Agreement, Stated, stated
from ragauge.language.numbers.counted import CountedNumbers, count_other_things, each_thing_once
from ragauge.language.numbers.index import MAX_COMPARED, Found, NumberIndex, may_agree
from ragauge.language.numbers.named_numbers import in_all_forms, other_readings, with_names
from ragauge.language.numbers.other_forms import measures
from ragauge.language.numbers.quantity import NAMED, Quantity
from ragauge.language.numbers.question_numbers import (
    given_scales,
    heading_scale,
    in_asked_unit,
    named_scale,
    rules_for,
)
from ragauge.language.numbers.units import is_measure

FEW = 200
"""Up to this many numbers are looked through before an index of them is made; more would take quadratic time."""


class NumberSource(NamedTuple):
    """A reference or context with its quantities."""

    text: str
    quantities: Sequence[Quantity]
    is_reference: bool


class SourcedNumber(NamedTuple):
    """A number of the answer, its value, the source's number that agrees with it, and how; "" if none does."""

    number: str
    value: str
    matched_by: str = ""
    how: str = ""


def source_numbers(
    question: str | None,
    asked: Sequence[Quantity],
    answer: str,
    given: Sequence[Quantity],
    sources: Sequence[NumberSource],
    rules: Agreement,
) -> list[SourcedNumber]:
    """The answer's distinct numbers that the question does not state, each with its source."""
    sources = [
        NumberSource(
            text,
            with_names(text, in_asked_unit(question if is_reference else None, found), question),
            is_reference,
        )
        for text, found, is_reference in sources
    ]
    asked = with_names(question, asked) if question else asked
    known = {quantity.number for quantity in asked}
    given = with_names(answer, in_asked_unit(question, given), question)
    counts = CountedNumbers(answer, given)
    # The quantities, with `1 h 30 min` as one.
    whole = measures(answer, given)
    inside = {part.start for measure in whole for part in measure.parts}
    found = [each for each in given if each.start not in inside]
    found = sorted([*found, *(measure.quantity for measure in whole)], key=attrgetter("start"))
    stating = (each for each in found if each.counts and each.number not in known)
    own = each_thing_once(stating, counts)
    by_number: dict[tuple[Decimal, str], list[tuple[str, Quantity]]] = defaultdict(list)
    for source in sources:
        for quantity in source.quantities:
            by_number[quantity.number].append((source.text, quantity))
    others = {each.text: CountedNumbers(each.text, each.quantities) for each in sources}
    units = {
        quantity.unit for quantity in own if is_measure(quantity.unit) or quantity.unit in NAMED
    }
    among = _Sources(sources, named_scale(question) if question else 0, units)
    scales = given_scales(answer, among.scale)
    rules = rules_for(question, rules)
    rows: list[SourcedNumber] = []
    for quantity in own:
        equal = (
            Found(Stated(each, each.value, 0, False, False, (), text), "exact")
            for text, each in reversed(by_number.get(quantity.number, [])[-MAX_COMPARED:])
            if each.unit == quantity.unit or not (each.unit and quantity.unit)
        )
        near = (
            each
            for form in (quantity, *other_readings(quantity))
            for each in among.find(stated(form, answer, scales), rules)
        )
        row = SourcedNumber(quantity.text, by_value(quantity))
        for source, how in chain(equal, near):
            if not count_other_things(quantity, counts, source.quantity, others[source.text]):
                row = row._replace(matched_by=source.quantity.text, how=how)
                break
        rows.append(row)
    return rows


class _Sources:
    """The numbers of the sources, for finding those that agree with one of the answer.

    Most numbers that no source has are not near any of them either, which takes less time to see than to
    prepare all for a comparison. `scale`: the power of ten in which the question wants its numbers. `units`: those of
    the answer's measures.
    """

    def __init__(self, sources: Sequence[NumberSource], scale: int, units: Collection[str]) -> None:
        self._sources, self._units, self.scale = sources, units, scale

    @cached_property
    def _quantities(self) -> list[tuple[NumberSource, list[Quantity]]]:
        """Each source with its quantities, also in other forms and units."""
        return [
            (each, in_all_forms(each.text, each.quantities, self._units)) for each in self._sources
        ]

    @cached_property
    def _numbers(self) -> list[Quantity]:
        """One number of each value and unit in which it is stated."""
        numbers = [quantity for _, found in self._quantities for quantity in found]
        return [*{(number.value, number.converted_from): number for number in numbers}.values()]

    @cached_property
    def _index(self) -> NumberIndex:
        """The numbers of references in the scale that the question names; of contexts in that of their table."""
        numbers: list[Stated] = []
        for (text, _, is_reference), found in self._quantities:
            scale = self.scale if is_reference else heading_scale(text)
            scales = (scale,) if scale else ()
            numbers += [stated(each, text, scales, expected=is_reference) for each in found]
        return NumberIndex(numbers)

    def find(self, sought: Stated, rules: Agreement) -> list[Found]:
        """The numbers that agree with the answer's, the most exact first."""
        needs_all = rules.rtol or rules.atol or not sought.value or len(self._numbers) > FEW
        if not needs_all and not may_agree(sought, self._numbers):
            return []
        return self._index.find(sought, rules, among_expected=True)
