"""Which of the answer's numbers occur in its sources, the references and contexts."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import cache
from typing import NamedTuple

from ragauge.language.keywords import by_value
from ragauge.language.numbers.agreement import Agreement, Stated, stated
from ragauge.language.numbers.counted import CountedNumbers, count_other_things, each_thing_once
from ragauge.language.numbers.index import MAX_COMPARED, NumberIndex
from ragauge.language.numbers.named_numbers import in_all_forms, other_readings, with_names
from ragauge.language.numbers.other_forms import as_measures
from ragauge.language.numbers.quantity import NAMED, Quantity
from ragauge.language.numbers.question_numbers import (
    given_scales,
    heading_scale,
    in_asked_unit,
    named_scale,
    rules_for,
)
from ragauge.language.numbers.units import is_measure


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
    found = [each.quantity for each in as_measures(answer, given)]
    own = each_thing_once((one for one in found if one.counts and one.number not in known), counts)
    by_number: dict[tuple[Decimal, str], list[tuple[str, Quantity]]] = defaultdict(list)
    for source in sources:
        for quantity in source.quantities:
            by_number[quantity.number].append((source.text, quantity))
    others = {each.text: CountedNumbers(each.text, each.quantities) for each in sources}
    asked_scale = named_scale(question) if question else 0
    scales = given_scales(answer, asked_scale)
    rules = rules_for(question, rules)

    @cache
    def index() -> NumberIndex:
        """The numbers of references in the scale that the question names; of contexts in that of their table."""
        units = {each.unit for each in own if is_measure(each.unit) or each.unit in NAMED}
        numbers: list[Stated] = []
        for text, found, is_reference in sources:
            scale = asked_scale if is_reference else heading_scale(text)
            numbers += [
                stated(each, text, (scale,) if scale else (), expected=is_reference)
                for each in in_all_forms(text, found, units)
            ]
        return NumberIndex(numbers)

    def agreeing(quantity: Quantity) -> Iterator[tuple[str, Quantity, str]]:
        """The sources' numbers that agree, with their text and how: equal ones first, the last before the others."""
        for text, each in reversed(by_number.get(quantity.number, [])[-MAX_COMPARED:]):
            if each.unit == quantity.unit or not (each.unit and quantity.unit):
                yield text, each, "exact"
        for form in (quantity, *other_readings(quantity)):
            sought = stated(form, answer, scales)
            for number, how in index().find(sought, rules, among_expected=True):
                yield number.text, number.quantity, how

    rows: list[SourcedNumber] = []
    for quantity in own:
        row = SourcedNumber(quantity.text, by_value(quantity))
        for text, source, how in agreeing(quantity):
            if not count_other_things(quantity, counts, source, others[text]):
                row = row._replace(matched_by=source.text, how=how)
                break
        rows.append(row)
    return rows
