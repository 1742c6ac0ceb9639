from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragauge.language.numbers.agreement import Agreement, agreement, stated
from ragauge.language.numbers.index import NumberIndex, may_agree
from ragauge.language.numbers.numbers import quantities
from ragauge.language.numbers.units import in_units


def agree(expected, answer, scales=()):
    (left,), (right,) = quantities(expected), quantities(answer)
    one, other = stated(left, expected, scales, expected=True), stated(right, answer, scales)
    return agreement(one, other, Agreement())


@pytest.mark.parametrize(
    ("expected", "answer", "scales", "how"),
    [
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
    ],
)
def test_how_two_numbers_agree(expected, answer, scales, how):
    assert agree(expected, answer, scales) == how


@given(st.decimals(-(10**9), 10**9, places=3), st.integers(-3, 2))
def test_a_number_rounded_to_two_decimals_agrees_with_its_reference_form(value, decimals):
    text = f"{value:f}"
    rounded = f"{value.quantize(Decimal('0.01'), 'ROUND_HALF_UP'):f}"
    assert agree(rounded, text) or not Decimal(rounded)


@given(st.lists(st.integers(1, 10**7), min_size=1, max_size=30), st.integers(1, 10**7))
def test_the_index_finds_what_comparing_all_finds(numbers, sought):
    text = "; ".join(map(str, numbers))
    all_stated = [stated(each, text) for each in quantities(text)]
    (expected,) = (stated(each, str(sought)) for each in quantities(str(sought)))
    rules = Agreement()
    found = {each.number for each in NumberIndex(all_stated).find(expected, rules)}
    assert found == {each for each in all_stated if agreement(expected, each, rules)}


FORMS = (
    *("{}", "about {}00", "~{}0", "{}%", "${}.50", "0.{}", "{}.0", "{} million", "-{}", "({})"),
    "nearly {}000",
)


@given(
    st.lists(st.tuples(st.sampled_from(FORMS), st.integers(0, 1_200)), min_size=1, max_size=20),
    st.tuples(st.sampled_from(FORMS), st.integers(0, 1_200)),
    st.sampled_from([Agreement(), Agreement(asks_percentage=True), Agreement(rtol=0.2)]),
)
def test_the_index_finds_every_rounded_form(numbers, sought, rules):
    text = "; ".join(form.format(number) for form, number in numbers)
    all_stated = [stated(each, text) for each in quantities(text)]
    only = sought[0].format(sought[1])
    for expected in (stated(each, only, expected=True) for each in quantities(only)):
        found = {each.number for each in NumberIndex(all_stated).find(expected, rules)}
        assert found == {each for each in all_stated if agreement(expected, each, rules)}


@given(
    st.lists(
        st.tuples(st.sampled_from((*FORMS, "{} bp", "{} cents", "{} km")), st.integers(0, 1_200)),
        min_size=1,
        max_size=4,
    ),
    st.tuples(st.sampled_from((*FORMS, "{} bp", "{} cents", "{} m")), st.integers(1, 1_200)),
    st.sampled_from([Agreement(), Agreement(asks_percentage=True), Agreement(rounding="none")]),
    st.sampled_from([(), (3,), (6,)]),
)
def test_values_that_are_not_near_never_agree(numbers, sought, rules, scales):
    """The index is made only where `may_agree` says so."""
    text = "; ".join(form.format(number) for form, number in numbers)
    given_text = sought[0].format(sought[1])
    expected = quantities(text)
    index = NumberIndex(stated(each, text, scales, expected=True) for each in expected)
    for each in quantities(given_text):
        number = stated(each, given_text, scales)
        if number.value and not may_agree(number, expected):
            assert index.find(number, rules, among_expected=True) == []


MEASURES = [
    *("{} °F", "{} °C", "-{} °C", "{} K", "{}.5 °F"),
    *("{} lb", "{} kg", "{}0 g", "{} oz", "{}.5 kg"),
    *("{} miles", "{} km", "{}.2 km", "{} ft", "{} cm"),
    *("{} minutes", "{} hours", "{}.5 hours", "{} years", "{} months"),
]


@given(
    st.lists(st.tuples(st.sampled_from(MEASURES), st.integers(1, 400)), min_size=1, max_size=4),
    st.tuples(st.sampled_from(MEASURES), st.integers(1, 400)),
)
def test_measures_that_are_not_near_in_the_other_unit_never_agree(numbers, sought):
    """A converted measure may be rounded in its own unit, so its reach is the wider of the two."""
    text = "; ".join(form.format(number) for form, number in numbers)
    given_text = sought[0].format(sought[1])
    (quantity,) = quantities(given_text)
    expected = quantities(text)
    expected = [*expected, *in_units(expected, {quantity.unit})]
    index = NumberIndex(stated(each, text, expected=True) for each in expected)
    number = stated(quantity, given_text)
    if not may_agree(number, expected):
        assert index.find(number, Agreement(), among_expected=True) == []


@pytest.mark.parametrize(
    ("sought", "text", "may"),
    [
        ("177 °C", "350 °F", True),
        ("180 °C", "350 °F", True),  # the zero rounds it
        ("190 °C", "350 °F", False),
        ("5 km", "3 miles", True),  # 4.8 km
        ("6 km", "3 miles", False),
        ("12 days", "after 45 days", False),
    ],
)
def test_only_measures_near_one_in_their_own_unit_are_compared(sought, text, may):
    (quantity,) = quantities(sought)
    found = quantities(text)
    converted = list(in_units(found, {quantity.unit})) or found
    assert may_agree(stated(quantity, sought), converted) is may


def stated_of(text):
    (quantity,) = quantities(text)
    return stated(quantity, text)


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
