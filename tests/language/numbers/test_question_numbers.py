from cases import cases

from ragauge.language.numbers.match import conclusions
from ragauge.language.numbers.question_numbers import (
    asked_direction,
    asks_for_a_percentage,
    heading_scale,
    named_scale,
    says_no_number,
    stated_direction,
    wants_no_number,
)


@cases(
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
)
def test_the_scale_that_a_question_names(question, scale):
    assert named_scale(question) == scale


@cases(
    *(("447,489 (in thousands)", 3), ("in USD millions", 6), ("(in 000s)", 3)),
    *(("5 million in 2000", 0), ("in a million years", 0), ("the thousands of people", 0)),
    *(("Sales in thousands, in mıllions", 3), ("Sales in mıllions, of thousands", 0)),
)
def test_only_the_heading_of_a_table_names_the_scale_of_a_text(text, scale):
    assert heading_scale(text) == scale


def test_questions_for_a_percentage():
    asking = ("What was the gross margin?", "By how many percent did it rise?")
    asking += ("What % of staff left?", "What was the quick ratio?")
    assert all(map(asks_for_a_percentage, asking))
    assert not any(map(asks_for_a_percentage, ("How many staff left?", "Who rated it?")))


@cases(
    (
        "a fall",
        ["Sales fell by about 5%.", "a decline in net sales of 5%", "Net income declined 5%"],
    ),
    ("a fall", ["decreased its debt by 5%", "a 5% year-over-year decrease"]),
    ("a rise", ["It grew 5%", "5% higher"]),
    ("a loss", ["The net loss was 5%", "a loss per share of 5%"]),
    ("a gain", ["net income of 5%"]),
    ("", ["It fell to 5%", "It fell from 5% to 4%", "net income (loss) of 5%", "the 5% notes"]),
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


def test_a_reference_may_want_no_number_and_an_answer_say_so():
    assert all(map(wants_no_number, ("nm", "N/M", "Not meaningful.")))
    assert not any(map(wants_no_number, ("500 nm", "n/a")))
    said = {"It is not meaningful.": "not meaningful", "nm": "nm", "5 nm": "", "12.5": ""}
    assert {answer: says_no_number(answer) for answer in said} == said


@cases(
    ("It has 5. Therefore, 6.", ["Therefore, 6"]),
    ("Thus 5. So 6!", ["So 6", "Thus 5"]),
    ("It has 5, so it is odd.", []),
    ("- **Final answer:** 3.5 km\n\nNotes", ["Final answer:** 3.5 km"]),
    ("Soy has 5.", []),
    ("", []),
)
def test_sentences_that_state_the_result(text, found):
    assert [text[start:end] for start, end in conclusions(text)] == found
