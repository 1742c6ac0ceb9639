"""Dates in text: what counts as one, and the parts it states."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragauge.language.dates.dates import dates
from ragauge.language.dates.parts import Date


def only(text: str) -> Date:
    (one,) = dates(text)
    return one


def day(year: int, month: int, day: int) -> dict[str, int]:
    return {"year": year, "month": month, "day": day}


@pytest.mark.parametrize(
    "text",
    [
        *(
            "2021-03-05",
            "2021/03/05",
            "2021.03.05",
            "5 March 2021",
            "5th of March, 2021",
            "5 Mar 2021",
        ),
        *("March 5, 2021", "March 5th 2021", "Mar. 5, 2021", "march 5, 2021", "MARCH 5, 2021"),
        *(
            "05-Mar-2021",
            "5.3.2021",
            "2021年3月5日",
            "２０２１-０３-０５",
            "5 March 2021 ",
            "2021‑03‑05",
        ),
    ],
)
def test_one_day_has_the_same_parts_however_it_is_written(text: str):
    assert only(text).parts == day(2021, 3, 5)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("March 2021", {"year": 2021, "month": 3}),
        ("2021-03", {"year": 2021, "month": 3}),
        ("03/2021", {"year": 2021, "month": 3}),
        ("due 3/2021.", {"year": 2021, "month": 3}),
        ("on March 5", {"month": 3, "day": 5}),
        ("in March", {"month": 3}),
        ("in 2021", {"year": 2021}),
        ("Since 1776,", {"year": 1776}),
        ("by 2030", {"year": 2030}),
        ("(2021)", {"year": 2021}),
        ("FY2022", {"year": 2022}),
        ("FY22", {"year": 2022}),
        ("fiscal year 2022", {"year": 2022}),
        ("Q3 2021", {"quarter": 3, "year": 2021}),
        ("Q3 FY21", {"quarter": 3, "year": 2021}),
        ("2021 Q3", {"quarter": 3, "year": 2021}),
        ("the third quarter of 2021", {"quarter": 3, "year": 2021}),
        ("summer of 2021", {"year": 2021, "season": "summer"}),
        ("Fall 2021", {"year": 2021, "season": "autumn"}),
        ("the 1990s", {"decade": 1990}),
        ("the late 90s", {"decade": 1990}),
        ("20th-century", {"century": 20}),
        ("the nineteenth century", {"century": 19}),
        ("44 BC", {"year": -44}),
        ("since 3500 bc", {"year": -3500}),
        ("AD 79", {"year": 79}),
        ("9:30", {"hour": 9, "minute": 30}),
        ("09:30", {"hour": 9, "minute": 30, "half": "am"}),
        ("21:30:15", {"hour": 9, "minute": 30, "second": 15, "half": "pm"}),
        ("5 p.m.", {"hour": 5, "minute": 0, "half": "pm"}),
        ("12am", {"hour": 12, "minute": 0, "half": "am"}),
        ("0:15", {"hour": 12, "minute": 15, "half": "am"}),
        ("noon", {"hour": 12, "minute": 0, "half": "pm"}),
        ("on Mondays", {"weekday": 1}),
        ("13/05/2021", day(2021, 5, 13)),
        ("5/13/21", day(2021, 5, 13)),
    ],
)
def test_the_parts_are_those_that_are_stated(text: str, parts: dict[str, object]):
    assert only(text).parts == parts


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("from 1962 to 1971", ["1962", "1971"]),
        ("2019–2021", ["2019", "2021"]),
        ("2018–19", ["2018", "19"]),
        ("11/2020–03/2021", ["11/2020", "03/2021"]),
        ("in 2019, 2020 and 2021", ["2019", "2020", "2021"]),
        ("March 5-7, 2021", ["March 5", "7, 2021"]),
        ("5–7 March 2021", ["5", "7 March 2021"]),
        ("2021-03-05T09:30:00Z", ["2021-03-05", "09:30:00"]),
        ("(June 12, 1931 – August 9, 1987)", ["June 12, 1931", "August 9, 1987"]),
        ("Monday, 5 March 2021 at 5 pm", ["Monday", "5 March 2021", "5 pm"]),
    ],
)
def test_ranges_and_lists_are_several_dates(text: str, found: list[str]):
    assert [one.text for one in dates(text)] == found


def test_both_ends_of_a_range_of_days_have_its_month_and_year():
    assert [one.parts for one in dates("March 5-7, 2021")] == [day(2021, 3, 5), day(2021, 3, 7)]


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "2021",
            "2021 employees",
            "a total of 2021 people",
            "by 2030%",
            "in 2000 cases",
            "$2021",
            "13/2021",
            "0/2021",
            "3/1800",
            "3/2021%",
            "5/2000 cases",
            "$3/2021",
            "1.3/2021",
        ),
        *(
            "It may rain",
            "we march on",
            "you may 5 times",
            "the dec vax",
            "second quarter-final x"[:6],
        ),
        *("1.2.3", "10.0.0.1", "in 3000", "in 2,021", "in 2021.5", "32/13/2021", "2021-13-45"),
        *("in his 30s", "B2021", "MAR", "Sunflower", "model 90s", "3:75", "1:2:3:4"),
    ],
)
def test_what_only_looks_like_a_date_is_none(text: str):
    assert dates(text) == ()


def test_offsets_point_at_the_text():
    text = "İ ß “in 2021” – ２０２１年３月５日"
    assert [text[one.start : one.end] for one in dates(text)] == ["2021", "２０２１年３月５日"]


@pytest.mark.parametrize(
    "piece", ["may ", "2021, ", "1/", "9:", "day", "in 2021-", "5 March ", "Q1 ", "年", "mar1 "]
)
def test_a_long_text_is_read_in_linear_time(piece: str, assert_linear_time):
    assert_linear_time(dates, lambda n: piece * n, 3_000)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("cut by \n2020", ["2020"]),
        ("cut in\n2020", ["2020"]),
        ("©2020", ["2020"]),
        ("5 \nMarch 2020", ["5 \nMarch 2020"]),
        ("5 of March 2020", ["5 of March 2020"]),
        ("paid in FY 22 at 5 pm", ["FY 22", "5 pm"]),
    ],
)
def test_the_quick_looks_at_the_signs_before_miss_nothing(text: str, found: list[str]):
    assert [date.text for date in dates(text)] == found


@given(st.dates())
def test_every_iso_date_is_read_back(when):
    assert only(f"{when.isoformat()}").parts == day(when.year, when.month, when.day)


@given(st.text(max_size=60))
def test_every_text_gives_dates_in_order_without_overlap(text: str):
    end = 0
    for one in dates(text):
        assert end <= one.start < one.end
        assert text[one.start : one.end] == one.text
        end = one.end
