"""Numbers in words."""

import pytest

from ragauge.language.numbers.numbers import quantities
from ragauge.language.numbers.quantity import Quantity


def only(text: str) -> Quantity:
    (one,) = quantities(text)
    return one


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("five", "5"),
        ("twenty-three", "23"),
        ("Two hundred and five", "205"),
        ("one million", "1000000"),
        ("a hundred", "100"),
        ("three hundred thousand", "300000"),
        ("FORTY", "40"),
    ],
)
def test_numbers_in_words_are_there_to_be_matched(text: str, value: str):
    one = only(text)
    assert (one.plain_value, one.spelled, one.counts) == (value, True, False)


@pytest.mark.parametrize(
    "text", ["No one came", "dozens", "often", "twofold", "attention", "someone"]
)
def test_words_that_only_look_like_numbers_are_none(text: str):
    assert quantities(text) == ()


def test_spelled_numbers_have_units_and_do_not_run_together():
    found = quantities("five percent, six or seven hours")
    assert [(one.plain_value, one.unit) for one in found] == [("5", "%"), ("6", ""), ("7", "h")]


@pytest.mark.parametrize(
    ("text", "value"),
    [("one", "1"), ("One day", "1"), ("a dozen eggs", "12"), ("half a dozen", "6")],
)
def test_vague_numbers_are_there_to_be_matched_and_are_no_anchors(text: str, value: str):
    one = only(text)
    assert (one.plain_value, one.counts, one.is_anchor) == (value, False, False)


def test_one_before_hundred_and_a_number_of_dozens_are_anchors():
    assert [(one.plain_value, one.is_anchor) for one in quantities("one hundred, two dozen")] == [
        ("100", True),
        ("24", True),
    ]


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("two-thirds", "2/3"),
        ("two thirds of it", "2/3"),
        ("Three-Quarters", "3/4"),
        ("one-fifth", "1/5"),
        ("one third of it", "1/3"),
        ("seven hundredths", "7/100"),
        ("two and a half", "2 1/2"),
        ("two and a half million", "2500000"),
    ],
)
def test_fractions_in_words_have_the_value_of_those_in_digits(text: str, digits: str):
    assert only(text).value == only(digits).value
    assert only(text).is_anchor


@pytest.mark.parametrize(
    "text",
    ["seventy-fifth", "75th", "the twenty-first", "two hundred and fifth", "two hundredth"],
)
def test_ordinals_are_no_quantities(text: str):
    assert quantities(text) == ()


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("two third graders", "2", ""),
        ("three quarters", "3", ""),
        ("a two-second delay", "2", "s"),
    ],
)
def test_a_rank_after_a_number_in_words_need_not_belong_to_it(text: str, value: str, unit: str):
    assert (only(text).plain_value, only(text).unit) == (value, unit)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("minus five", ["-5"]),
        ("Negative twenty-five degrees", ["-25"]),
        ("minus one", ["-1"]),
        ("ten minus five", ["10", "5"]),
        ("ten minus 5", ["10", "5"]),
        ("10 minus five", ["10", "5"]),
    ],
)
def test_numbers_in_words_have_a_sign_too(text: str, found: list[str]):
    assert [one.plain_value for one in quantities(text)] == found


def test_the_sign_belongs_to_the_text_of_a_number_in_words():
    assert only("it is minus five km").text == "minus five km"


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("half a million people", ["500000"]),
        ("a half billion", ["500000000"]),
        ("a quarter of a million", ["250000"]),
        ("three quarters of a million", ["750000"]),
        ("Half of it", ["0.5"]),
        ("an eighth of it", ["0.125"]),
        ("half a dozen", ["6"]),
        ("two and a half", ["2.5"]),
        # Ordinals, halves of a year and parts of other words are no shares.
        ("a third party", []),
        ("in the second half", []),
        ("a quarter later, half-heartedly, on behalf of us", []),
    ],
)
def test_shares_in_words(text, values):
    assert [one.plain_value for one in quantities(text)] == values


def test_a_share_is_vague_and_an_amount_is_not():
    assert [one.is_anchor for one in quantities("half of them, half a million")] == [False, True]
