"""Rises and falls beside numbers."""

import pytest

from ragauge.language.numbers.directions import are_opposite, asked_direction, stated_direction


@pytest.mark.parametrize(
    ("text", "kind", "sign"),
    [
        ("Sales fell by about 5%.", "change", -1),
        ("a decline in net sales of 5%", "change", -1),
        ("decreased its debt by 5%", "change", -1),
        ("a 5% year-over-year decrease", "change", -1),
        ("It grew 5%", "change", 1),
        ("5% higher", "change", 1),
        ("The net loss was 5%", "result", -1),
        ("a loss per share of 5%", "result", -1),
        ("net income of 5%", "result", 1),
    ],
)
def test_the_words_beside_a_number_say_its_direction(text, kind, sign):
    at = text.index("5%")
    assert stated_direction(text, at, at + 2, is_negative=False) == (kind, sign)


@pytest.mark.parametrize(
    "text", ["It fell to 5%", "It fell from 5% to 4%", "net income (loss) of 5%", "the 5% notes"]
)
def test_a_level_has_no_direction(text):
    at = text.index("5%")
    assert stated_direction(text, at, at + 2, is_negative=False) is None


@pytest.mark.parametrize(
    "question",
    ["Did sales grow?", "What was the change?", "What was the increase or decrease?", "Why?"],
)
def test_a_question_may_leave_the_direction_open(question):
    assert asked_direction(question) is None


def test_a_minus_is_the_opposite_of_any_rise_or_gain():
    minus = stated_direction("-5%", 0, 3, is_negative=True)
    assert are_opposite(minus, asked_direction("What was the growth?"))
    assert are_opposite(minus, asked_direction("What was the net income?"))
    gain, growth = asked_direction("What was the gain?"), asked_direction("What was the growth?")
    assert not are_opposite(gain, growth)
