import pytest

from ragauge.language.numbers.quantity import UNITS
from ragauge.language.numbers.unit_conversion import are_of_one_kind, power_between


@pytest.mark.parametrize(
    ("one", "other", "power"),
    [("km", "m", 3), ("mg", "kg", -6), ("ml", "l", -3), ("GWh", "kWh", 6), ("km", "g", None)],
)
def test_metric_units_are_powers_of_ten_of_each_other(one: str, other: str, power: int | None):
    assert power_between(one, other) == power


@pytest.mark.parametrize(
    ("one", "other"), [("km", "mi"), ("kg", "lb"), ("l", "gallon"), ("°C", "°F"), ("USD", "EUR")]
)
def test_units_of_one_kind_without_a_power_are_not_the_same_number(one: str, other: str):
    assert are_of_one_kind(one, other)
    assert power_between(one, other) is None


@pytest.mark.parametrize(
    ("one", "other"), [("USD", "CAD"), ("cent", "EUR"), ("pound", "GBP"), ("pound", "USD")]
)
def test_money_that_may_be_the_same_is_not_told_apart(one: str, other: str):
    assert not are_of_one_kind(one, other)


def test_times_are_of_one_kind_without_a_power():
    assert are_of_one_kind("min", "day")
    assert power_between("min", "day") is None
    assert not are_of_one_kind("min", "")


def test_the_units_are_those_that_texts_are_read_with():
    for unit in (
        "µm",
        "mm",
        "cm",
        "m",
        "km",
        "µg",
        "mg",
        "g",
        "kg",
        "t",
        "ml",
        "cl",
        "l",
        "ms",
        "s",
    ):
        assert unit in UNITS.values()
        assert are_of_one_kind(unit, unit)
