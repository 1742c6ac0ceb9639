import pytest

from ragauge.language.numbers.question_numbers import (
    asks_for_a_percentage,
    heading_scale,
    named_scale,
)


@pytest.mark.parametrize(
    ("question", "scale"),
    [
        ("What was rent in USD millions?", 6),
        ("What was rent (in USD thousands)?", 3),
        ("What was rent? Answer in billions.", 9),
        ("What was rent, in $ millions?", 6),
        ("How many million dollars was rent?", 6),
        ("What was rent ($m)?", 6),
        ("What was rent (in '000)?", 3),
        ("What was rent in EUR mn?", 6),
        ("What was rent in INR crores?", 7),
        ("What was rent in 2000?", 0),
        ("Who paid 5 million?", 0),
        ("Who paid $5m?", 0),
        ("What was rent?", 0),
        ("", 0),
    ],
)
def test_the_scale_that_a_question_names(question, scale):
    assert named_scale(question) == scale


@pytest.mark.parametrize(
    ("text", "scale"),
    [
        ("447,489 (in thousands)", 3),
        ("in USD millions", 6),
        ("(in 000s)", 3),
        ("5 million in 2000", 0),
        ("in a million years", 0),
        ("the thousands of people", 0),
    ],
)
def test_only_the_heading_of_a_table_names_the_scale_of_a_text(text, scale):
    assert heading_scale(text) == scale


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("What was the gross margin?", True),
        ("By how many percent did it rise?", True),
        ("What % of staff left?", True),
        ("What was the quick ratio?", True),
        ("How many staff left?", False),
        ("Who rated it?", False),
    ],
)
def test_questions_for_a_percentage(question, asks):
    assert asks_for_a_percentage(question) is asks


def test_a_scale_with_a_foreign_letter_is_none():
    assert named_scale("Net income in $ mıllions?") == 0
    assert heading_scale("Sales in thousands, in mıllions") == 3
    assert heading_scale("Sales in mıllions, of thousands") == 0
