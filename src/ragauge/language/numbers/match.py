"""Which of the expected numbers an answer states: those of a reference that the question does not state."""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from operator import attrgetter
from typing import NamedTuple

from ragauge.language.keywords import by_value
from ragauge.language.numbers.agreement import Agreement, Stated, agreement, stated
from ragauge.language.numbers.counted import (
    CountedNumbers,
    asked_things,
    count_other_things,
    each_thing_once,
)
from ragauge.language.numbers.index import Found, NumberIndex
from ragauge.language.numbers.named_numbers import in_all_forms, other_readings, with_names
from ragauge.language.numbers.numbers import quantities
from ragauge.language.numbers.other_forms import (
    Measure,
    as_measures,
    in_other_forms,
    quarters,
    shares_out_of,
    times_in_words,
)
from ragauge.language.numbers.quantity import Quantity
from ragauge.language.numbers.question_numbers import (
    asked_direction,
    asks_for_a_percentage,
    given_scales,
    in_asked_unit,
    in_one_direction,
    named_scale,
    opposite,
    rules_for,
    says_no_number,
    wants_no_number,
)
from ragauge.language.numbers.units import has_size
from ragauge.language.reading_cache import ReadingCache

IN_WORKING = 0.5
"""The credit of a number that the answer states among its steps, when its conclusion states another."""
MANY = 100
"""In a reference with more numbers than this, a number and its rounded form count as two."""
_NOT = re.compile(r"(?:(?<!\w)not|n['’]t) $", re.IGNORECASE)
_BASE = re.compile(r"\s?(?::|to|-to-)\s?")
MAX_WORDS = 6
"""The most words of a reference whose number in words is what is wanted."""
_NAME_AFTER = re.compile(r"[a-z][\s-]+[A-Z]")


class ExpectedNumber(NamedTuple):
    """A number of the reference, the answer's number that agrees with it, and how; "" if none does.

    `value`: the number by its value, 1577000000 for `$1,577 million`.
    `credit`: 1; 0.5 if the answer has it among its steps and concludes with another number; 0 without it.
    `opposite`: if only its direction keeps the answer's number from agreeing, what the answer states and what is
    expected: "3.4% is a rise, a fall is expected". `other_thing`: the answer's equal number, if it counts something else.
    `start`: where the reference has it.
    """

    number: str
    value: str
    matched_by: str = ""
    how: str = ""
    credit: float = 0.0
    opposite: str = ""
    other_thing: Quantity | None = None
    start: int = 0

    def stated_by(self, found: Found, credit: float) -> "ExpectedNumber":
        return self._replace(matched_by=found.number.quantity.text, how=found.how, credit=credit)


@dataclass(frozen=True, slots=True)
class NumberMatch:
    """The expected numbers of the best reference, found or not; none if no reference has numbers."""

    expected: tuple[ExpectedNumber, ...]

    @property
    def matched(self) -> tuple[ExpectedNumber, ...]:
        return tuple(each for each in self.expected if each.how)

    @property
    def unmatched(self) -> tuple[ExpectedNumber, ...]:
        return tuple(each for each in self.expected if not each.how)

    @property
    def share(self) -> float | None:
        """The share of the expected numbers that the answer states; None if nothing is expected."""
        n = len(self.expected)
        return sum(each.credit for each in self.expected) / n if n else None


def match_numbers(
    question: str | None,
    references: Sequence[str],
    answer: str,
    rules: Agreement = Agreement(),  # noqa: B008 - frozen
) -> NumberMatch:
    """The numbers that the answer shares with the reference with which it shares the most.

    >>> found = match_numbers("What was capex (in USD millions)?", ["1577"], "It was $1.577 billion.")
    >>> found.expected[0].matched_by, found.expected[0].how
    ('$1.577 billion', 'scale')
    """
    asked, given = quantities(question or ""), quantities(answer)
    matches = [
        match_quantities(question, asked, reference, quantities(reference), answer, given, rules)
        for reference in references
    ]
    return max(matches, key=lambda match: match.share or 0, default=NumberMatch(()))


def match_quantities(
    question: str | None,
    asked: Sequence[Quantity],
    reference: str,
    expected: Sequence[Quantity],
    answer: str,
    given: Sequence[Quantity],
    rules: Agreement,
) -> NumberMatch:
    """The same for one reference, with the quantities of the three texts."""
    if wants_no_number(reference):
        said = says_no_number(answer)
        how = ("exact", 1.0) if said else ("", 0.0)
        return NumberMatch((ExpectedNumber(reference.strip(), "not meaningful", said, *how),))
    expected = in_asked_unit(question, expected)
    if rules.named:
        asked = with_names(question, asked) if question else asked
        expected = with_names(reference, expected, question)
    wanted = expected_numbers(reference, question, expected)
    known = {quantity.number for quantity in asked}
    if known:  # without what the question states, unless it states all
        wanted = [each for each in wanted if each.quantity.number not in known] or wanted
    if not wanted:
        return NumberMatch(())
    given = in_asked_unit(question, given)
    if rules.named:
        given = with_names(answer, given, question)
    rules = rules_for(question, rules)
    scale = named_scale(question) if question else 0
    index = _index_of(question, answer, given, scale, wanted)
    by_start = {each.quantity.start: each for each in wanted}
    of_wanted = [each.quantity for each in wanted]
    counts = CountedNumbers(
        reference, of_wanted, asked_things(question) if len(wanted) == 1 else ()
    )
    others = CountedNumbers(answer, given)
    scales = (scale,) if scale else ()
    numbers = [stated(each, reference, scales, expected=True) for each in of_wanted]
    distinct = _distinct(numbers, rules, counts)
    asked_for = asked_direction(question) if question else ""
    rows: list[ExpectedNumber] = []
    for number in distinct:
        equal = _found(number, by_start[number.quantity.start], index, rules)
        same = [
            each
            for each in equal
            if not count_other_things(number.quantity, counts, each.number.quantity, others)
        ]
        found = in_one_direction(number, same, asked_for)
        own = number.quantity
        row = ExpectedNumber(own.text, by_value(own), start=own.start)
        if found:
            only = len(distinct) == 1 and _concludes_otherwise(answer, given, known, found)
            row = row.stated_by(found[0], IN_WORKING if only else 1.0)
        elif equal and not same:
            other = equal[0].number.quantity
            row = row._replace(opposite=f"{other.text} counts something else", other_thing=other)
        else:
            either = same or index.find(number, replace(rules, asks_fall=True))
            row = row._replace(opposite=opposite(number, either, asked_for))
        rows.append(row)
    for part, whole, share in shares_out_of(reference, expected):
        # Both numbers of `2 in 10` are found if the answer states 20%.
        both = [at for at, row in enumerate(rows) if row.number in (part.text, whole.text)]
        if len(both) == 2 and not all(rows[at].how for at in both):
            for found in index.find(stated(share, reference), rules)[:1]:
                for at in both:
                    rows[at] = rows[at].stated_by(found, 1.0)
    return NumberMatch(tuple(rows))


def _index_of(
    question: str | None,
    answer: str,
    given: Sequence[Quantity],
    scale: int,
    wanted: Sequence[Measure],
) -> NumberIndex:
    """The numbers of the answer, those in other forms, and its measures in the units that are wanted."""
    units = {each.unit for one in wanted for each in (one.quantity, *one.parts)}
    given = [each for each in given if not is_denied(answer, each.start)]
    found = in_all_forms(answer, given, units)
    if any(unit.partition("/")[0] == "x" for unit in units):
        found += times_in_words(answer)
    if question and asks_for_a_percentage(question):
        found += quarters(answer)
    in_scales = given_scales(answer, scale)
    return NumberIndex([stated(number, answer, in_scales) for number in found])


def is_denied(answer: str, start: int) -> bool:
    """Whether a "not" right before a number denies it: `6, not 5`, `isn't 5`; in `6 instead of 5` both may be true."""
    return _NOT.search(answer, max(0, start - 5), start) is not None


def _found(
    number: Stated, wanted: Measure, index: NumberIndex, rules: Agreement
) -> Sequence[Found]:
    """The numbers that agree with the expected one, one of its other forms, or all of its parts."""
    if found := index.find(number, rules):
        return found
    for form in (*wanted.forms, *other_readings(wanted.quantity)):
        if found := index.find(stated(form, number.text), rules):
            return found
    parts = [index.find(stated(part, number.text), rules) for part in wanted.parts]
    return parts[-1] if parts and all(parts) else ()


_CUE = re.compile(
    r"(?:\A|[.!?:]\s|\n)[\s*_#>-]{0,8}(therefore|thus|hence|so|consequently|accordingly|in conclusion|to conclude"
    r"|in summary|to summari[sz]e|in short|overall|as a result|(?:the )?final (?:answer|result)|(?:the )?answer(?: is)?)\b",
    re.IGNORECASE,
)
_END = re.compile(r"[.!?](?=\s|\Z)|\n\s{0,8}\n")


def conclusions(text: str) -> Iterator[tuple[int, int]]:
    """The spans of the sentences that a word such as "therefore" marks as the result, the last first."""
    limit = len(text)
    for cue in reversed(list(_CUE.finditer(text))):
        end = _END.search(text, cue.end(), limit)
        yield cue.start(1), end.start() if end else limit
        limit = cue.start(1)


def _concludes_otherwise(
    answer: str, given: Sequence[Quantity], known: Collection[object], found: Sequence[Found]
) -> bool:
    """Whether the last conclusion with numbers follows all these numbers, and has none of them."""
    last = max(each.number.quantity.start for each in found)
    own = [each.start for each in given if each.counts and each.number not in known]
    for start, end in conclusions(answer):
        if last >= start:
            return False
        if bisect_left(own, start) < bisect_left(own, end):
            return True
    return False


def _distinct(numbers: Sequence[Stated], rules: Agreement, counts: CountedNumbers) -> list[Stated]:
    """Each number once, or once for each thing that it counts; of a number and its rounded form, the first."""
    first: dict[object, Stated] = {}
    for number in numbers:
        first.setdefault(number.quantity.number, number)
    if len(first) > MANY:
        return list(first.values())
    kept: list[Stated] = []
    for number in first.values():
        if not any(agreement(other, number, rules) for other in kept):
            kept.append(number)
    if len(first) == len(numbers):
        return kept
    values = {number.quantity.number for number in kept}
    again = [each for each in numbers if each.quantity.number in values]
    starts = {each.start for each in each_thing_once([each.quantity for each in again], counts)}
    return [each for each in again if each.quantity.start in starts]


@ReadingCache  # the answers of several systems are compared with one reference
def expected_numbers(
    reference: str, question: str | None, found: Sequence[Quantity]
) -> Sequence[Measure]:
    """The numbers that the reference wants, given its quantities: those in digits, else the one in words."""
    every = as_measures(reference, found)
    if not any(each.quantity.counts for each in every):
        return _in_words(question, reference, every)
    counted = [
        each
        for each in every
        # A number such as `five years` is as definite as one in digits.
        if each.quantity.counts
        or (
            each.quantity.spelled
            and not each.quantity.only_matches
            and has_size(each.quantity.unit)
        )
    ]
    base = {  # the 1 of a ratio such as `1.5 to 1` or `24:1`
        last.start
        for before, last in pairwise([each.quantity for each in counted])
        if last.text == "1" and _BASE.fullmatch(reference, before.end, last.start)
    }
    return tuple(each for each in counted if each.quantity.start not in base)


def _in_words(question: str | None, reference: str, found: Sequence[Measure]) -> Sequence[Measure]:
    """The only number in words of a short reference (`two million`, `It doubled.`) that is no part of a name (`Six Degrees`)."""
    if len(reference.split()) > MAX_WORDS:
        return ()
    in_words = [each for each in found if not each.quantity.is_year]
    if question and asks_for_a_percentage(question):
        shares = list(quarters(reference))
        starts = {each.start for each in shares}
        in_words = [each for each in in_words if each.quantity.start not in starts]
        in_words += map(Measure, shares)
    elif "quarter" in reference.lower():
        in_words = [each for each in in_words if each.quantity.unit]  # it may be three months
    in_forms = [*in_other_forms(reference, ()), *times_in_words(reference)]
    in_words += [
        Measure(first, forms=tuple(others))
        for _, (first, *others) in groupby(in_forms, attrgetter("start"))
    ]
    if len(in_words) != 1 or (number := in_words[0].quantity).value == 1:
        return ()
    before = reference[: number.start].strip(" \"'(")
    is_name = (before and number.text[0].isupper()) or _NAME_AFTER.search(reference[number.start :])
    of_some = number.value > 1 and reference.startswith(" of ", number.end)  # `two of the men`
    return in_words if number.text == reference.strip(" .") or not (is_name or of_some) else ()
