"""Dates compared by the parts that they state or imply, one by one and by an index."""

import itertools

import pytest
from cases import cases

from ragauge.language.dates.dates import dates
from ragauge.language.dates.parts import Date, DateIndex, implied, readings, supports


def only(text: str) -> Date:
    (one,) = dates(text)
    return one


@cases(
    ("March 2021", ["in 2021", "Q1 2021"], ["March 2020", "5 March 2021", "Q2 2021"]),
    ("5 March 2021", ["2021-03-05", "March 2021", "Friday", "03/05/2021"], ["Monday"]),
    ("2021-03-05", ["March 5"], []),
    ("2021-03-06", [], ["2021-03-05"]),
    ("in 1994", ["the 1990s", "20th century"], []),
    ("the 1990s", ["20th century"], []),
    ("9:30 pm", ["9:30"], []),
    ("21:30", ["9:30 pm"], ["9:30 am"]),
    ("17:00", ["5 pm"], []),
    ("03/05/2021", ["5 March 2021"], []),
    ("3 May 2021", ["03/05/2021"], []),
    ("3/5/2021", ["03/05/2021"], []),
    # Another or a missing part.
    ("in 2021", [], ["March 2021", "summer of 2021"]),
    ("in March", [], ["March 2021"]),
    ("9:30", [], ["9:30 pm"]),
    ("5:30 pm", [], ["5 pm"]),
    ("05/03/2021", [], ["03/05/2021"]),
    ("4 May 2021", [], ["03/05/2021"]),
    ("19th century", [], ["in 1900"]),
    ("AD 44", [], ["44 BC"]),
)
def test_a_date_with_all_the_stated_parts_supports_it(given, supported, others):
    stated = [*supported, *others]
    assert [each for each in stated if supports(only(given), only(each))] == supported


def test_the_thirtieth_of_february_has_no_weekday():
    assert "weekday" not in implied(only("30 February 2021").parts)
    assert implied(only("5 March 2021").parts)["weekday"] == 5  # a Friday


TEXT = """
On 5 March 2021, in March 2021, in 2021, in the 2020s, in the 21st century, on 05/03/2021, on 03/05/2021,
on 2021-05-03, on 13/05/2021, in Q1 2021, in Q3 2019, on Friday, at 9:30, at 9:30 a.m., at 21:30, at 21:30:15,
in summer of 2021, in 44 BC, on March 5, on 5/3/21, in 1998, in the 1990s, in the 20th century, 2021-03-05T09:30,
3月5日, 2021年3月5日, in the 90s, in 03/2021, in spring of 2021, in the third quarter of 2019, at noon, FY2022.
"""
FOUND = dates(TEXT)


def share_parts(one: Date, other: Date) -> bool:
    """Whether they have a part in common and none of different values, in one of their readings."""
    return any(
        {name for name in ours.keys() & theirs.keys() if ours[name] == theirs[name]}
        == ours.keys() & theirs.keys()
        != set()
        for ours, theirs in itertools.product(readings(one), readings(other))
    )


def test_the_text_has_dates_of_many_forms():
    assert len({tuple(sorted(date.parts)) for date in FOUND}) >= 12
    assert sum(date.either_order for date in FOUND) == 3


@pytest.mark.parametrize("stated", FOUND, ids=lambda date: date.text)
def test_an_index_of_one_date_says_what_the_two_dates_say(stated):
    for given in FOUND:
        index = DateIndex([given])
        assert index.supports(stated) == supports(given, stated), given
        assert index.agrees(stated) == share_parts(given, stated), given


@pytest.mark.parametrize("n", [0, 3, 10, 30])
def test_an_index_of_several_dates_says_what_one_of_them_says(n):
    some = FOUND[::2][:n]
    index = DateIndex(some)
    for stated in FOUND:
        assert index.supports(stated) == any(supports(given, stated) for given in some)
        assert index.agrees(stated) == any(share_parts(given, stated) for given in some)
