import pytest

from ragauge.language.unit_powers import are_of_one_kind, power_between
from ragauge.language.units import UNITS


@pytest.mark.parametrize(
    ("one", "other", "power"),
    [("km", "m", 3), ("mg", "kg", -6), ("ml", "l", -3), ("GWh", "kWh", 6), ("km", "g", None)],
)
def test_metric_units_are_powers_of_ten_of_each_other(one: str, other: str, power: int | None):
    assert power_between(one, other) == power


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
