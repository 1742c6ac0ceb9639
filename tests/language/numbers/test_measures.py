import pytest

from ragauge.language.numbers.match import match_numbers
from ragauge.language.numbers.measures import measures
from ragauge.language.numbers.numbers import quantities


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1 h 30 min", ["90 min"]),
        ("2 hours, 11 minutes and 53 seconds", ["7913 s"]),
        ("two years and six months", ["30 month"]),
        ("1h30m", ["90 min"]),
        ("6'2\" tall", ["74 inch"]),
        ("6 ’ 2”, 5-foot-9-in, 5feet 1in", ["74 inch", "69 inch", "61 inch"]),
        ("2 hrs 5 mins 3 secs, 12 h 5 m", ["7503 s", "725 min"]),
        ("6 ft 2 in", ["74 inch"]),
        ("5 lbs 3 oz", ["83 oz"]),
        ("half a kilo", ["0.5 kg"]),
        ("three quarters of an hour", ["0.75 h"]),
        ("an hour and a half", ["1.5 h"]),
        ("A fortnight later", ["1 fortnight"]),
        ("1 hour 90 minutes", []),  # 90 minutes are no part of an hour
        ("2.5 hours 30 minutes", []),  # nobody writes so
        ("10-20 km", []),
        ("half of an answer", []),
    ],
)
def test_measures_of_several_words_are_one(text: str, found: list[str]):
    read = measures(text, quantities(text))
    assert [f"{each.quantity.plain_value} {each.quantity.unit}" for each in read] == found


@pytest.mark.parametrize(
    ("reference", "answer", "share"),
    [
        ("1 h 30 min", "90 minutes", 1.0),
        ("1 h 30 min", "1.5 hours", 1.0),
        ("1 h 30 min", "1 hour and 30 minutes", 1.0),
        ("1 h 30 min", "1 hour and 50 minutes", 0.0),
        ("1 h 30 min", "1 hour and 30", 1.0),
        ("45 minutes", "three quarters of an hour", 1.0),
        ("45 minutes", "half an hour", 0.0),
        ("500 g", "half a kilo", 1.0),
        ("5 feet 7 inches", "5'7\"", 1.0),
        ("2 hours 11 minutes 53 seconds", "She won in 2:11:53.", 1.0),
        ("2 hours 11 minutes 53 seconds", "2:11:54", 0.0),
        ("2 hours 11 minutes 53 seconds", "It began at 2:11:53.", 0.0),  # a time of day
        ("2 hours 11 minutes 53 seconds", "2:11:53 pm", 0.0),
        ("14 days", "a fortnight", 1.0),
        ("22 days", "one fortnight", 0.0),
    ],
)
def test_measures_of_several_words_match(reference: str, answer: str, share: float):
    assert match_numbers(None, [reference], answer).share == share


@pytest.mark.parametrize(
    "unit",
    ["1 h 30 min ", "2:11:53 ", "a fortnight ", "half an ", "5' 1", "a mile and a ", "1 h 3 m "],
)
def test_a_long_text_is_read_in_linear_time(unit: str, assert_linear_time):
    assert_linear_time(
        lambda text: match_numbers(None, ["2 h 30 min"], text),
        lambda n: (unit * n)[:n],
        10_000,
    )
