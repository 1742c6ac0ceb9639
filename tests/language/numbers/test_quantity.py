"""Quantities compared by value and unit."""

from ragauge.language.numbers.numbers import quantities
from ragauge.language.numbers.quantity import Quantity, same_quantity


def read(text: str) -> list[tuple[str, str]]:
    """Value and unit of each quantity stated in digits."""
    return [(one.plain_value, one.unit) for one in quantities(text) if one.counts]


def values(text: str) -> list[str]:
    return [value for value, _ in read(text)]


def only(text: str) -> Quantity:
    (one,) = quantities(text)
    return one


def test_the_same_unit_is_needed_only_when_one_is_stated():
    cost, bare, weight = only("$5"), only("5"), only("5 kg")
    assert same_quantity(bare, cost, unit=True)
    assert not same_quantity(cost, bare, unit=True)
    assert not same_quantity(cost, weight, unit=True)
    assert same_quantity(cost, weight, unit=False)
    assert same_quantity(only("5 pounds"), only("£5"), unit=True)
    assert same_quantity(only("5 lb"), only("5 pounds"), unit=True)
    assert not same_quantity(only("5 lb"), only("£5"), unit=True)


def test_values_are_compared_exactly():
    assert only("0.1").value + only("0.2").value == only("0.3").value
    assert only("9007199254740993").value != only("9007199254740992").value
    assert only("$0.10").number == only("0.1").number


def test_a_huge_exponent_is_finite_and_has_one_text():
    one = only("1e999")
    assert one.value.is_finite()
    assert one.plain_value == only("10e998").plain_value == "1E+999"
    assert values("1e9999999") == []  # more than six digits of exponent are a name


def test_a_run_of_more_than_400_digits_is_no_number():
    assert values("9" * 400) == [only("9" * 400).plain_value]
    assert values("9" * 401) == []


def test_zero_has_one_text():
    assert values("0 and 0.00 and -0") == ["0", "0", "0"]
