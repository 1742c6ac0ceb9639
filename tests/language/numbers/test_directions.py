"""Rises and falls beside numbers."""

import pytest

from ragauge.language.numbers.question_numbers import asked_direction, stated_direction


@pytest.mark.parametrize(
    ("direction", "texts"),
    [
        (
            "a fall",
            ["Sales fell by about 5%.", "a decline in net sales of 5%", "Net income declined 5%"],
        ),
        ("a fall", ["decreased its debt by 5%", "a 5% year-over-year decrease"]),
        ("a rise", ["It grew 5%", "5% higher"]),
        ("a loss", ["The net loss was 5%", "a loss per share of 5%"]),
        ("a gain", ["net income of 5%"]),
        ("", ["It fell to 5%", "It fell from 5% to 4%", "net income (loss) of 5%", "the 5% notes"]),
    ],
)
def test_the_words_beside_a_number_say_its_direction(direction: str, texts: list[str]):
    for text in texts:
        at = text.index("5%")
        assert stated_direction(text, at, at + 2) == direction, text


def test_a_question_may_leave_the_direction_open():
    asked = {"Did sales grow?": "", "What was the change?": "", "Why?": ""}
    asked |= {"What was the increase or decrease?": "", "What was the gain?": "a gain"}
    asked |= {"How much did it lose, the net loss?": "a loss"}
    assert {question: asked_direction(question) for question in asked} == asked
