from decimal import Decimal

from cases import cases
from hypothesis import given
from hypothesis import strategies as st

from ragauge.language.numbers.agreement import Agreement, agreement, stated
from ragauge.language.numbers.index import NumberIndex
from ragauge.language.numbers.numbers import quantities
from ragauge.language.numbers.units import in_units


def agree(expected, answer, scales=()):
    (left,), (right,) = quantities(expected), quantities(answer)
    one, other = stated(left, expected, scales, expected=True), stated(right, answer, scales)
    return agreement(one, other, Agreement())


@cases(
    ("1577", "1577.0", (), "exact"),
    ("1.58%", "1.577%", (), "rounding"),
    ("1.577%", "1.58%", (), "rounding"),
    ("1.577%", "1.58", (), None),
    ("$1.577 billion", "1577", (), "scale"),
    ("five", "5", (), "exact"),
    ("five", "5 million", (), None),
    ("65 years", "65 thousand", (), None),
    ("-5", "5", (), None),
    ("-5", "(5)", (), "sign"),
    ("1e300", "1e300", (), "exact"),
    ("1e300", "1e-300", (), None),
    # An expected number that includes the scale is known by its zeros.
    ("1577000000", "$1.577bn", (6,), "exact"),
    ("1577", "$1,577", (6,), "exact"),
    ("1577", "1.577 thousand", (6,), None),
)
def test_how_two_numbers_agree(expected, answer, scales, how):
    assert agree(expected, answer, scales) == how


@given(st.decimals(-(10**9), 10**9, places=3), st.integers(-3, 2))
def test_a_number_rounded_to_two_decimals_agrees_with_its_reference_form(value, decimals):
    text = f"{value:f}"
    rounded = f"{value.quantize(Decimal('0.01'), 'ROUND_HALF_UP'):f}"
    assert agree(rounded, text) or not Decimal(rounded)


FORMS = (
    *("{}", "about {}00", "~{}0", "{}%", "${}.50", "0.{}", "{}.0", "{} million", "-{}", "({})"),
    *("nearly {}000", "{} bp", "{} cents", "{} °F", "{} °C", "-{} °C", "{} K", "{}.5 °F"),
    *("{} lb", "{} kg", "{}0 g", "{} oz", "{}.5 kg", "{} m", "{} miles", "{} km", "{}.2 km"),
    *("{} ft", "{} cm", "{} minutes", "{} hours", "{}.5 hours", "{} years", "{} months"),
)
NUMBER = st.tuples(st.sampled_from(FORMS), st.integers(0, 1_200))


@given(
    st.lists(NUMBER, min_size=1, max_size=20),
    NUMBER,
    st.sampled_from(
        [Agreement(), *(Agreement(**each) for each in ({"asks_percentage": True}, {"rtol": 0.2}))]
    ),
    st.sampled_from([(), (3,), (6,)]),
)
def test_the_index_finds_every_form_that_comparing_all_finds(numbers, sought, rules, scales):
    """A converted measure may be rounded in its own unit."""
    text = "; ".join(form.format(number) for form, number in numbers)
    only = sought[0].format(sought[1])
    for quantity in quantities(only):
        known = [*quantities(text), *in_units(quantities(text), {quantity.unit})]
        others = [stated(each, text, scales) for each in known]
        number = stated(quantity, only, scales, expected=True)
        found = {each.number for each in NumberIndex(others).find(number, rules)}
        assert found == {each for each in others if agreement(number, each, rules)}


def stated_of(text):
    return stated(quantities(text)[0], text)


def test_among_many_numbers_the_equal_ones_are_found_whatever_is_near():
    """Of 3,000 numbers within a few percent, each is compared with the nearest only."""
    numbers = [stated_of(str(10_000 + at)) for at in range(3_000)]
    index = NumberIndex(numbers)
    for at in (0, 1, 1_500, 2_999):
        found = index.find(numbers[at], Agreement())
        assert [one.number.value for one in found if one.how == "exact"] == [10_000 + at]


def test_among_many_numbers_those_within_the_tolerance_are_found():
    numbers = [stated_of(f"{at}.5") for at in range(3_000)]
    index = NumberIndex(numbers)
    found = index.find(stated_of("2000.4"), Agreement(atol=0.5, rounding="none"))
    assert sorted(one.number.value for one in found) == [2000.5]
    assert index.find(stated_of("0"), Agreement(atol=0.1)) == []
    assert [one.number.value for one in index.find(stated_of("0"), Agreement(atol=0.5))] == [0.5]
