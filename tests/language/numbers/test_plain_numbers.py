"""Plain numbers: the short reading finds what the full one finds, and leaves the rest to it."""

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragauge.language.numbers.numerals import any_number
from ragauge.language.numbers.plain_numbers import plain_number
from ragauge.language.numbers.quantity import Reading

BEFORE = (
    *("after ", "for $", "costs $", "minus ", "five ", "Rs ", "dollars ", "the S&P ", "on page "),
    *("", " ", ", ", "; ", "question ", "Question ", ". ", ".", "-", "B", "C-", "(", "$(", "US$", "\n"),
    *("Nasdaq ", "Fortune ", "Rs. ", "Rs, ", "negative ", "a ", "\u017f ", "minu\u017f ", "'", "é "),
)  # fmt: skip
NUMBERS = (
    "5",
    "12",
    "2021",
    "1,234",
    "1,50,000",
    "12.5",
    "1.234",
    "0.05",
    "500",
    "30",
    "3",
    "007",
    "5,00",
)
AFTER = (
    *(" days", " members", " Members", "%", "%$", "$", " $", ".", ".5", ",", ",5", ":30", ": x", ") ", ")%"),
    *(" million", " Million", " millions", " hundred", "M", "k", "K", " k", " m", " t.", " mil millones"),
    *(" mıllion", " millón", " metric tons", " square km", " u.s. dollars", " percentage points", " x 10^3"),
    *(" km per hour", " km/h", " mg a day", " days a week", " a", "/4", " 1/2", "½", " 000", " 000 euros"),
    *("-10", " - 10", " to 10", "(k)", " (in thousands)", "e5", "x2", "_", "\n", " kg\n", " Kg ", " USD"),
    *(" cm^2", " m2 ", " km²", " dollars", " Dollars", " cents", " °C", "'234", "\\%", " \\times", ""),
    *(" Mrd ", " Mio.", " crore", " lakhs", " people", " s ", " S&P", " percent", " pct.", "st", "."),
)  # fmt: skip
WORDS = (" and ", " for", "", " ", ". The fee", " per day", " x", "5")


@given(*map(st.sampled_from, (("", "It is", "the", "Step"), BEFORE, NUMBERS, AFTER, WORDS)))
@settings(max_examples=1_000)
def test_a_plain_number_is_what_the_full_reading_finds(start, before, number, after, rest):
    text = f"{start}{before}{number}{after}{rest}"
    at = len(start) + len(before)
    reading = plain_number(text, at)
    if reading is not None:
        assert (reading, reading.end) == any_number(text, at)


@given(st.text(st.sampled_from("abekmsuvx MSR $%.,;:()-/'0123456789\n"), max_size=14))
@settings(max_examples=1_000)
def test_in_any_text_too(text):
    for at in [at for at, sign in enumerate(text) if sign.isdigit()]:
        if at and text[at - 1] in "0123456789":
            continue
        reading = plain_number(text, at)
        if reading is not None:
            assert (reading, reading.end) == any_number(text, at)


@pytest.mark.parametrize(
    ("before", "rest", "value", "unit"),
    [
        ("after ", "12 days", "12", "day"),
        ("for $", "5,000 once", "5000", "USD"),
        ("by ", "12.5%.", "12.5", "%"),
        ("", "3 cars", "3", ""),
    ],
)
def test_common_numbers_are_read_at_once(before, rest, value, unit):
    reading = plain_number(before + rest, len(before))
    assert isinstance(reading, Reading)
    assert (reading.value, reading.unit) == (Decimal(value), unit)


@pytest.mark.parametrize(
    "rest", ["5 million", "5-10", "5 km/h", "5x2", "5 metric tons", "500 rose"]
)
def test_what_words_and_signs_change_is_left_to_the_full_reading(rest):
    before = "the S&P " if rest.startswith("500") else "after "
    assert plain_number(before + rest, len(before)) is None
