import json
from pathlib import Path

import pytest

from ragauge.language.refusals import find_refusals


def refuses(question: str, answer: str) -> bool:
    return any(found.decides for found in find_refusals(answer, question))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Why was it rejected?", "The bank rejected it because she had not provided documents."),
        ("What are the gaps?", "No data on children are available, and costs are missing."),
        ("Is it advised?", "It is not advised: there is not enough data on children."),
        ("Where can I find the list?", "The list is not in the handbook; it's on the intranet."),
        ("How much did it grow, and what is expected?", "It grew 8%. The report has no outlook."),
        ("What is the fine?", "$210. The text does not say whether it may be waived."),
        ("Which error is shown?", "`no file was found in the text provided` and then a line."),
        ("What was found?", "Two groups differ; smoking was not reported for 12% of patients."),
        ("Does it list any fees?", "No fees are listed in the table."),
        ("Is it in default?", "Not yet. No notice has been served."),
        ("Who owns it?", "A foundation whose owners are not disclosed."),
        ("Why was it refused?", "The agency said the data were not sufficient to decide."),
        ("Why is the field empty?", "It is empty because the source does not give a value."),
        ("Who pays?", "The buyer. Nothing is said about repairs."),
        ("Who may not use it?", "Children may not use it. There's not enough data on adults."),
        ("What would a ratio be, for example?", "With 4 and 2 it is 2. These figures are made up."),
    ],
)
def test_the_words_of_a_refusal_can_answer_the_question(question: str, answer: str):
    assert not refuses(question, answer)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many came?", "Six streets were closed. How many came is not reported."),
        ("How much is the deposit at most?", "The lease is long. No upper amount is stated."),
        ("What was the Q4 profit?", "- Q1: $1m\n- Q2: $2m\n- Q4: not disclosed"),
        ("Who succeeded her?", "The text says that she left in 2017. The successor is not named."),
        ("Why did they part?", "The text says that they parted. It doesn't give reasons."),
        (
            "What is the power of the XR-20?",
            "The sheet covers the XR-10 (2 kW). The XR-20 isn't in it.",
        ),
        ("Who painted it?", "The text is on the frame. It's silent on who painted it."),
        (
            "What was the DIO?",
            "It is inventory by costs. The costs are $5.1 million. DIO can't be computed.",
        ),
        ("When is the meeting?", 'The letter says the date of the meeting is "to be announced".'),
        (
            "How many came in May?",
            "In April 1.2 million came, in June 1.4. There's no figure for May.",
        ),
        ("How much is needed?", "The text asks for a lot without putting a number on it."),
    ],
)
def test_what_the_question_asks_for_is_missing(question: str, answer: str):
    assert refuses(question, answer)


@pytest.mark.parametrize(
    ("kept", "n", "recall", "precision"), [("read", 338, 0.93, 0.98), ("held out", 74, 0.82, 0.94)]
)
def test_refusals_in_the_manner_of_assistants(kept: str, n: int, recall: float, precision: float):
    """Half refusals, half answers that tempt, for which the rules were changed ("read") or not ("held out").

    With the rules before, recall and precision were .59 and .85 on those held out. Two times 60 of those read were
    written after changes of the rules: .77 and .96, .80 and .86 at first sight; .60 and .90, .60 and .78 before.
    """
    lines = (Path(__file__).parent / "assistant_refusals.jsonl").read_text("utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if row["kept"] == kept]
    found = [(row["refuses"], refuses(row["question"], row["answer"])) for row in rows]
    hits = found.count((True, True))

    assert len(found) == n
    assert hits / sum(is_refusal for is_refusal, _ in found) >= recall
    assert hits / sum(is_found for _, is_found in found) >= precision


@pytest.mark.parametrize(
    "unit",
    [
        "check the report ",
        "A = B / C\n",
        "there is nothing on it ",
        "He left because ",
        "it is unknown whether ",
        "it mentions a witness but ",
        "used, but ",
        "You should see the ",
        "10. ",
        "Q4: not disclosed\n",
    ],
)
def test_a_long_answer_is_read_in_linear_time_with_a_question(unit: str, assert_linear_time):
    assert_linear_time(
        lambda answer: find_refusals(answer, "How much was the Q4 fee of the report?"),
        lambda n: unit * (n // len(unit)),
        10_000,
    )
