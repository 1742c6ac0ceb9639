import json
from pathlib import Path

import pytest

from ragauge.language.refusals.refusals import find_refusals


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
        ("When does it open?", "It opens at 10 am. I couldn't find the closing time."),
        ("What are the symptoms?", "Fever and a rash. The text does not describe late symptoms."),
        ("Who approves it?", "It is approved by Ada Lind. It doesn't say who acts in her absence."),
        ("When is it due?", "By 31 July. I have no details on extensions."),
        ("What are the height and weight of it?", "Height: 2 m. Weight: not specified."),
        ("What does the report not cover?", "The report does not contain data on water."),
        ("Is it transferable?", "Yes, once, and I have no details on the fee."),
        ("Is there a pool?", "The listing doesn't mention one, so there probably isn't."),
        ("Who built it?", "I think it was Ada Lind, but I can't be sure."),
        ("How many live there?", "Not sure — around 13,000."),
        ("What is the coverage?", "It can't be meaningfully computed since it has no debt."),
        ("Was kostet das Ticket?", "Das Ticket ist frei; weitere Angaben enthält das Blatt nicht."),
        ("Quelle est la durée ?", "Une durée de deux ans. Le texte ne précise pas la fin."),
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
        ("What was the outcome?", "Without the final report, the outcome remains unclear."),
        ("What is the limit?", "This isn't something that can be determined from the text."),
        ("How tall is it?", "[1] and [2] are on its bells. Neither reports its height."),
        ("What is the payload?", "I have the weight (2 t) on file, but not the payload."),
        ("What is the phone number?", "You can find it on the contact page of the website."),
        (
            "What is the half-life?",
            "I could not find the half-life. The sheet gives the dose (5%).",
        ),
        (
            "How long is it?",
            "Clause 9 has the length. Clause 9 was not among the clauses provided.",
        ),
        ("What is the area?", "Area: n/a"),
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
    ("kept", "n", "recall", "precision"),
    [("first", 120, 0.91, 0.93), ("second", 80, 0.9, 0.88), ("third", 81, 0.75, 0.95)],
)
def test_refusals_beside_answers_with_a_caveat(kept: str, n: int, recall: float, precision: float):
    """Three sets, each written before the rules were changed for it; "the height is 2 m; the weight is not given" answers.

    At first sight .79 and .77, .71 and .73, .68 and .93.
    """
    lines = (Path(__file__).parent / "answers_with_caveats.jsonl").read_text("utf-8").splitlines()
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
        "Yes, but I think ",
        "I have it on file but not ",
        "It is not shown. ",
        "I cannot decide that (",
        "The Q4 fee is not given. ",
    ],
)
def test_a_long_answer_is_read_in_linear_time_with_a_question(unit: str, assert_linear_time):
    assert_linear_time(
        lambda answer: find_refusals(answer, "How much was the Q4 fee of the report?"),
        lambda n: unit * (n // len(unit)),
        10_000,
    )


@pytest.mark.parametrize("at", [0, 1_000])
def test_the_ends_of_a_long_answer_refuse_what_the_question_asks_for(at: int):
    sentences = ["It is a report on huts." for _ in range(1_000)]
    sentences.insert(at, "The Q4 fee is not among them.")
    found = find_refusals(" ".join(sentences), "How much was the Q4 fee?")
    assert [match.sentence for match in found if match.decides] == [sentences[at]]


def test_a_refusal_is_found_anywhere_in_a_sentence_of_many_words():
    for n in (10, 1_000):
        (match,) = find_refusals("word " * n + "I do not know the fee")
        assert (match.words, match.start, match.decides) == ("I do not know the", 5 * n, True)
