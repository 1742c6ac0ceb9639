"""Dates in text: what counts as one, and the parts it states."""

from cases import cases
from hypothesis import given
from hypothesis import strategies as st

from ragauge.language.dates.dates import dates
from ragauge.language.dates.parts import Date


def only(text: str) -> Date:
    (one,) = dates(text)
    return one


def day(year: int, month: int, day: int) -> dict[str, int]:
    return {"year": year, "month": month, "day": day}


DAY = (
    *("2021-03-05", "2021/03/05", "2021.03.05", "5 March 2021", "5th of March, 2021", "5 Mar 2021"),
    *("March 5, 2021", "March 5th 2021", "Mar. 5, 2021", "march 5, 2021", "MARCH 5, 2021"),
    *("05-Mar-2021", "5.3.2021", "2021年3月5日", "２０２１-０３-０５", "2021‑03‑05"),
    *("5 \nMarch 2021", "5 of March 2021"),
)


@cases(
    (day(2021, 3, 5), DAY),
    (day(2021, 5, 13), ("13/05/2021", "5/13/21")),
    ({"year": 2021, "month": 3}, ("March 2021", "2021-03", "03/2021", "due 3/2021.")),
    ({"month": 3, "day": 5}, ("on March 5",)),
    ({"month": 3}, ("in March",)),
    ({"year": 2021}, ("in 2021", "(2021)", "cut by \n2021", "cut in\n2021", "©2021")),
    *(({"year": 1776}, ("Since 1776,",)), ({"year": 2030}, ("by 2030",))),
    ({"year": 2022}, ("FY2022", "FY22", "FY 22", "fiscal year 2022")),
    ({"quarter": 3, "year": 2021}, ("Q3 2021", "Q3 FY21", "2021 Q3")),
    ({"quarter": 3, "year": 2021}, ("the third quarter of 2021",)),
    ({"year": 2021, "season": "summer"}, ("summer of 2021",)),
    ({"year": 2021, "season": "autumn"}, ("Fall 2021",)),
    *(({"decade": 1990}, ("the 1990s", "the late 90s")),),
    *(({"century": 20}, ("20th-century",)), ({"century": 19}, ("the nineteenth century",))),
    *(({"year": -44}, ("44 BC",)), ({"year": -3500}, ("since 3500 bc",))),
    ({"year": 79}, ("AD 79",)),
    ({"hour": 9, "minute": 30}, ("9:30",)),
    ({"hour": 9, "minute": 30, "half": "am"}, ("09:30",)),
    ({"hour": 9, "minute": 30, "second": 15, "half": "pm"}, ("21:30:15",)),
    ({"hour": 5, "minute": 0, "half": "pm"}, ("5 p.m.", "at 5 pm")),
    ({"hour": 12, "minute": 0, "half": "am"}, ("12am",)),
    ({"hour": 12, "minute": 15, "half": "am"}, ("0:15",)),
    ({"hour": 12, "minute": 0, "half": "pm"}, ("noon",)),
    ({"weekday": 1}, ("on Mondays",)),
)
def test_the_parts_are_those_that_are_stated(parts: dict[str, object], texts: tuple[str, ...]):
    assert {text: only(text).parts for text in texts} == dict.fromkeys(texts, parts)


@cases(
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
    ("paid in FY 22 at 5 pm", ["FY 22", "5 pm"]),
    ("İ ß “in 2021” – ２０２１年３月５日", ["2021", "２０２１年３月５日"]),
)
def test_ranges_and_lists_are_several_dates(text: str, found: list[str]):
    assert [one.text for one in dates(text)] == found
    assert [text[one.start : one.end] for one in dates(text)] == found


def test_both_ends_of_a_range_of_days_have_its_month_and_year():
    assert [one.parts for one in dates("March 5-7, 2021")] == [day(2021, 3, 5), day(2021, 3, 7)]


NO_DATES = (
    *("", "2021", "2021 employees", "a total of 2021 people", "by 2030%", "in 2000 cases", "$2021"),
    *("13/2021", "0/2021", "3/1800", "3/2021%", "5/2000 cases", "$3/2021", "1.3/2021", "second"),
    *("It may rain", "we march on", "you may 5 times", "the dec vax", "model 90s", "3:75"),
    *("1.2.3", "10.0.0.1", "in 3000", "in 2,021", "in 2021.5", "32/13/2021", "2021-13-45"),
    *("in his 30s", "B2021", "MAR", "Sunflower", "1:2:3:4"),
)


def test_what_only_looks_like_a_date_is_none():
    assert {text: dates(text) for text in NO_DATES} == dict.fromkeys(NO_DATES, ())


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
