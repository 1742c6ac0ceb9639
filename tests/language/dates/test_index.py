import itertools

import pytest

from ragauge.language.dates.dates import dates
from ragauge.language.dates.parts import Date, DateIndex, readings, supports

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
