"""Which of the answer's numbers occur in its sources, the references and contexts."""

from collections.abc import Collection, Iterator, Sequence
from decimal import Decimal
from operator import attrgetter
from typing import NamedTuple

from ragauge.language.asked_numbers import heading_scale, in_asked_unit, named_scale
from ragauge.language.keywords import by_value
from ragauge.language.measures import measures
from ragauge.language.number_agreement import Agreement, Stated, stated
from ragauge.language.number_index import NumberIndex
from ragauge.language.number_match import given_scales, rules_for
from ragauge.language.other_forms import in_other_forms
from ragauge.language.quantity import Quantity
from ragauge.language.unit_conversion import in_units, is_measure


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
    given = in_asked_unit(question, given)
    sources = [
        source._replace(quantities=in_asked_unit(question, source.quantities))
        if source.is_reference
        else source
        for source in sources
    ]
    known = {quantity.number for quantity in asked}
    own: dict[tuple[Decimal, bool], Quantity] = {}
    for quantity in _with_whole_measures(answer, given):
        if quantity.counts and quantity.number not in known:
            own.setdefault(quantity.number, quantity)
    by_number = {quantity.number: quantity for source in sources for quantity in source.quantities}
    rows: list[SourcedNumber] = []
    index: NumberIndex | None = None
    scale = named_scale(question) if question else 0
    scales = given_scales(answer, scale)
    rules = rules_for(question, rules)
    for number, quantity in own.items():
        equal = by_number.get(number)
        if equal and (equal.unit == quantity.unit or not (equal.unit and quantity.unit)):
            rows.append(SourcedNumber(quantity.text, by_value(quantity), equal.text, "exact"))
            continue
        if index is None:
            units = {each.unit for each in own.values() if is_measure(each.unit)}
            index = NumberIndex(_of_sources(sources, scale, units))
        found = index.find(stated(quantity, answer, scales), rules, among_expected=True)
        rows.append(
            SourcedNumber(
                quantity.text, by_value(quantity), found[0].number.quantity.text, found[0].how
            )
            if found
            else SourcedNumber(quantity.text, by_value(quantity))
        )
    return rows


def _with_whole_measures(text: str, found: Sequence[Quantity]) -> list[Quantity]:
    """The quantities, with `1 h 30 min` as one."""
    whole = measures(text, found)
    inside = {part.start for measure in whole for part in measure.parts}
    kept = [each for each in found if each.start not in inside]
    return sorted([*kept, *(measure.quantity for measure in whole)], key=attrgetter("start"))


def _of_sources(
    sources: Sequence[NumberSource], asked: int, units: Collection[str]
) -> Iterator[Stated]:
    """The numbers of references in the scale that the question names; of contexts in that of their table.

    Measures are also converted to these units.
    """
    for source in sources:
        scale = asked if source.is_reference else heading_scale(source.text)
        scales = (scale,) if scale else ()
        found = [*source.quantities, *in_other_forms(source.text, source.quantities)]
        if units:
            found += [measure.quantity for measure in measures(source.text, source.quantities)]
            found += list(in_units(found, units))
        for quantity in found:
            yield stated(quantity, source.text, scales, expected=source.is_reference)
