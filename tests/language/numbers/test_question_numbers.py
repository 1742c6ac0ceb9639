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
        *(("What was rent ($m)?", 6), ("What was rent in EUR mn?", 6)),
        ("What was rent (in '000)?", 3),
        ("What was rent in INR crores?", 7),
        *(("What was rent in 2000?", 0), ("What was rent?", 0), ("", 0)),
        *(("Who paid 5 million?", 0), ("Who paid $5m?", 0)),
        ("Net income in $ mıllions?", 0),  # a foreign letter
    ],
)
def test_the_scale_that_a_question_names(question, scale):
    assert named_scale(question) == scale


@pytest.mark.parametrize(
    ("text", "scale"),
    [
        *(("447,489 (in thousands)", 3), ("in USD millions", 6), ("(in 000s)", 3)),
        *(("5 million in 2000", 0), ("in a million years", 0), ("the thousands of people", 0)),
        *(("Sales in thousands, in mıllions", 3), ("Sales in mıllions, of thousands", 0)),
    ],
)
def test_only_the_heading_of_a_table_names_the_scale_of_a_text(text, scale):
    assert heading_scale(text) == scale


def test_questions_for_a_percentage():
    asking = ("What was the gross margin?", "By how many percent did it rise?")
    asking += ("What % of staff left?", "What was the quick ratio?")
    assert all(map(asks_for_a_percentage, asking))
    assert not any(map(asks_for_a_percentage, ("How many staff left?", "Who rated it?")))
