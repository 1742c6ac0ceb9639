import json
from pathlib import Path

import pytest

from ragauge.language.refusals.question import asked_by
from ragauge.language.refusals.refusals import find_refusals


def refuses(question: str | None, answer: str) -> bool:
    return any(found.decides for found in find_refusals(answer, question))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How much vitamin C is in it?", "Fat: 1 g. Sugar: 9 g. The vitamins are cut off."),
        ("What grade did she get in chemistry?", "Maths is an A. The chemistry row is blank."),
        ("How old is the applicant?", "Date of birth: [redacted]. How old: left blank."),
        ("Which actor voiced the dragon?", "The director is credited, the voice cast is not."),
        ("When does the museum open on Sundays?", "Sunday hours are not listed."),
        ("How many copies were printed?", "The second run is known (3,000). The first isn't."),
        (
            "What does clause 14 say?",
            "Clauses 1 to 13 were uploaded. Clause 14 starts on the next page.",
        ),
        ("How tall is the tower?", "Height isn't given, only the number of floors."),
    ],
)
def test_what_is_asked_for_is_missing(question: str, answer: str):
    assert refuses(question, answer)
    assert not refuses(None, answer)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What was the net debt?", "Net debt isn't shown as a line. Adding 420 and 80 gives 500."),
        ("How much sugar is in it?", "It has 9 g of sugar. The vitamins are cut off."),
        ("Which year is missing in the chart?", "2009 is missing."),
        ("Where is it found?", "It is found in the mucosa and is not present in lymph nodes."),
        ("Who wrote it?", "It was published without a name, but historians name Jonas Harte."),
        (
            "What tool came with Windows?",
            "Tools of Windows included Easy Transfer. However, the tool is not included today.",
        ),
        ("Is a pool listed?", "The row for pools is blank, so no."),
    ],
)
def test_what_is_asked_for_is_given(question: str, answer: str):
    assert not refuses(question, answer)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Why did he resign?", "Because the minutes did not mention his vote."),
        (
            "Is there any evidence of fraud in the report?",
            "The report contains no evidence of fraud.",
        ),
        (
            "Does the filing disclose the number of users?",
            "The filing does not disclose the number of users.",
        ),
        ("Does the text say who painted it?", "The text does not say who painted it."),
    ],
)
def test_words_of_a_refusal_can_answer_the_question(question: str, answer: str):
    assert refuses(None, answer)
    assert not refuses(question, answer)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (
            "How many vehicles were recalled?",
            "A recall took place in May. However, none of the articles states how many vehicles were recalled.",
        ),
        (
            "What was the churn in Q3?",
            "Churn for Q1 and Q2 was 2.1% and 2.4%. The Q3 churn is not included in the data provided.",
        ),
        (
            "How much did capex rise?",
            "Capex was $210 million in 2021. To work out the rise I'd need the 2020 figure, which is not part of the extract.",
        ),
    ],
)
def test_a_plain_refusal_of_what_is_asked_for_refuses_after_other_figures(question, answer):
    assert refuses(question, answer)


def test_what_others_say_that_they_do_not_know_is_an_answer():
    answer = "The senator said she does not have enough information to answer."
    assert not refuses("What did the senator say?", answer)


def test_a_question_asks_for_its_words_without_names_and_for_a_kind():
    asked = asked_by("When did Ada Lind open the second mill in May 1912?")

    assert asked.thing == {"open", "second", "mill", "1912"}
    assert "date" in asked.kind
    assert asked.wants_value


@pytest.mark.parametrize("question", ["Did she win?", "In 1912, was it open?", "What is missing?"])
def test_yes_no_questions_and_questions_about_what_is_missing_want_no_value(question: str):
    assert not asked_by(question).wants_value


def test_most_of_two_hundred_hard_texts_are_read_as_their_writer_meant_them():
    """Written before the rules that read the question, in wordings that the other rules did not know.

    The first 50 refusals and answers of every other line were kept aside: at first sight recall was .32
    and precision .84 on them, with the rules before .12 and .60.
    """
    lines = (Path(__file__).parent / "asked_refusals.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    found = [(row["refuses"], refuses(row["question"], row["answer"])) for row in rows]
    hits = found.count((True, True))

    assert len(found) == 200
    assert hits / 100 >= 0.6
    assert hits / sum(is_found for _, is_found in found) >= 0.93
