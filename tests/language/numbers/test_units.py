from decimal import Decimal

from cases import cases

from ragauge.language.numbers.units import are_of_one_kind, converted, power_between


@cases(
    ("212", "°F", "°C", "100"),
    ("37", "°C", "°F", "98.6"),
    ("0", "K", "°C", "-273.15"),
    ("1", "tbsp", "tsp", "3"),
    ("6", "ft", "inch", "72"),
    ("100", "km/h", "m/s", "27.77777777777777777777777777777778"),
    ("2", "fortnight", "day", "28"),
    # Measures of other kinds.
    *(("1", "km", "kg", None), ("1", "month", "day", None)),
    *(("1", "km", "km", None), ("1", "x", "h", None)),
)
def test_measures_of_one_kind_are_converted(value: str, unit: str, to: str, expected: str | None):
    assert converted(Decimal(value), unit, to) == (None if expected is None else Decimal(expected))


@cases(
    # Metric units are powers of ten of each other.
    *(("km", "m", True, 3), ("mg", "kg", True, -6), ("ml", "l", True, -3)),
    *(("GWh", "kWh", True, 6), ("km", "g", False, None)),
    # Units of one kind without a power are not the same number.
    *(("km", "mi", True, None), ("kg", "lb", True, None), ("l", "gallon", True, None)),
    *(("°C", "°F", True, None), ("USD", "EUR", True, None), ("min", "day", True, None)),
    ("min", "", False, None),
    # Money that may be the same is not told apart.
    *(("USD", "CAD", False, None), ("cent", "EUR", False, None)),
    *(("pound", "GBP", False, None), ("pound", "USD", False, None)),
)
def test_units_of_one_kind_may_be_powers_of_ten_of_each_other(one, other, is_one_kind, power):
    assert are_of_one_kind(one, other) is is_one_kind
    assert power_between(one, other) == power
