"""Rises and falls beside numbers."""

import pytest

from ragauge.language.numbers.directions import asked_direction, stated_direction


@pytest.mark.parametrize(
    ("text", "direction"),
    [
        ("Sales fell by about 5%.", "a fall"),
        ("a decline in net sales of 5%", "a fall"),
        ("decreased its debt by 5%", "a fall"),
        ("a 5% year-over-year decrease", "a fall"),
        ("It grew 5%", "a rise"),
        ("5% higher", "a rise"),
        ("Net income declined 5%", "a fall"),
        ("The net loss was 5%", "a loss"),
        ("a loss per share of 5%", "a loss"),
        ("net income of 5%", "a gain"),
        ("It fell to 5%", ""),
        ("It fell from 5% to 4%", ""),
        ("net income (loss) of 5%", ""),
        ("the 5% notes", ""),
    ],
)
def test_the_words_beside_a_number_say_its_direction(text, direction):
    at = text.index("5%")
    assert stated_direction(text, at, at + 2) == direction


@pytest.mark.parametrize(
    ("question", "direction"),
    [
        ("Did sales grow?", ""),
        ("What was the change?", ""),
        ("What was the increase or decrease?", ""),
        ("Why?", ""),
        ("What was the gain?", "a gain"),
        ("How much did it lose, the net loss?", "a loss"),
    ],
)
def test_a_question_may_leave_the_direction_open(question, direction):
    assert asked_direction(question) == direction
