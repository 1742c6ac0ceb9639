from decimal import Decimal

import pytest

from ragauge.language.numbers.match import match_numbers
from ragauge.language.numbers.unit_conversion import converted


@pytest.mark.parametrize(
    ("value", "unit", "to", "expected"),
    [
        ("212", "°F", "°C", "100"),
        ("37", "°C", "°F", "98.6"),
        ("0", "K", "°C", "-273.15"),
        ("1", "tbsp", "tsp", "3"),
        ("6", "ft", "inch", "72"),
        ("100", "km/h", "m/s", "27.77777777777777777777777777777778"),
        ("2", "fortnight", "day", "28"),
    ],
)
def test_measures_are_converted(value: str, unit: str, to: str, expected: str):
    assert converted(Decimal(value), unit, to) == Decimal(expected)


@pytest.mark.parametrize(("unit", "to"), [("km", "kg"), ("month", "day"), ("km", "km"), ("x", "h")])
def test_measures_of_other_kinds_are_not_converted(unit: str, to: str):
    assert converted(Decimal(1), unit, to) is None


@pytest.mark.parametrize(
    ("reference", "answer", "share"),
    [
        ("212 °F", "100 °C", 1.0),
        ("212 °F", "100 °F", 0.0),
        ("-10 °C", "14 °F", 1.0),
        ("350 °F", "177 °C", 1.0),  # 176.7 °C
        ("350 °F", "180 °C", 1.0),  # zeros at the end may round in another unit
        ("350 °F", "190 °C", 0.0),
        ("42.195 km", "26.2 miles", 1.0),
        ("42.195 km", "26.4 miles", 0.0),
        ("1,776 feet", "541 m", 1.0),
        ("1 lb", "about 450 g", 1.0),
        ("120 km/h", "75 mph", 1.0),
        ("100 km", "100 miles", 0.0),
        ("2 tsp", "2 tablespoons", 0.0),
        ("500 nm", "0.5 µm", 1.0),
        ("500 nm", "500 µm", 0.0),
        ("2 hours", "100 minutes", 0.0),  # times are not rounded at their zeros
        ("100 km²", "38.6 square miles", 1.0),
        # A text that gives both units is taken at its word.
        ("12.9 km", "8 miles (12.8 km)", 0.0),
        ("12.9 km", "8 miles", 1.0),
    ],
)
def test_measures_in_other_units_match(reference: str, answer: str, share: float):
    assert match_numbers(None, [reference], answer).share == share


def test_the_match_says_that_the_unit_is_another_one():
    (row,) = match_numbers(None, ["350 °F"], "177 °C").expected
    assert row.how == "unit and rounding"
