"""Dates compared by the parts that they state or imply."""

import pytest

from ragauge.language.dates.dates import dates
from ragauge.language.dates.parts import Date, implied, supports


def only(text: str) -> Date:
    (one,) = dates(text)
    return one


@pytest.mark.parametrize(
    ("stated", "given"),
    [
        ("in 2021", "March 2021"),
        ("2021-03-05", "5 March 2021"),
        ("March 2021", "on 5 March 2021"),
        ("March 5", "2021-03-05"),
        ("the 1990s", "in 1994"),
        ("20th century", "in 1994"),
        ("20th century", "the 1990s"),
        ("Q1 2021", "March 2021"),
        ("Friday", "5 March 2021"),
        ("9:30", "9:30 pm"),
        ("9:30 pm", "21:30"),
        ("5 pm", "17:00"),
        ("03/05/2021", "5 March 2021"),
        ("03/05/2021", "3 May 2021"),
        ("5 March 2021", "03/05/2021"),
        ("03/05/2021", "3/5/2021"),
    ],
)
def test_a_date_with_all_the_stated_parts_supports_it(stated: str, given: str):
    assert supports(only(given), only(stated))


@pytest.mark.parametrize(
    ("stated", "given"),
    [
        ("March 2021", "March 2020"),
        ("March 2021", "in 2021"),
        ("March 2021", "in March"),
        ("5 March 2021", "March 2021"),
        ("2021-03-05", "2021-03-06"),
        ("Q2 2021", "March 2021"),
        ("Monday", "5 March 2021"),
        ("9:30 pm", "9:30"),
        ("9:30 am", "21:30"),
        ("5 pm", "5:30 pm"),
        ("03/05/2021", "05/03/2021"),
        ("03/05/2021", "4 May 2021"),
        ("in 1900", "19th century"),
        ("44 BC", "AD 44"),
        ("summer of 2021", "in 2021"),
    ],
)
def test_a_date_with_another_or_a_missing_part_does_not(stated: str, given: str):
    assert not supports(only(given), only(stated))


def test_the_thirtieth_of_february_has_no_weekday():
    assert "weekday" not in implied(only("30 February 2021").parts)
    assert implied(only("5 March 2021").parts)["weekday"] == 5  # a Friday
