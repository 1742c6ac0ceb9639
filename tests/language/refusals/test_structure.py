import json
from pathlib import Path

import pytest

from ragauge.language.refusals.refusals import find_refusals

TEXTS = Path(__file__).with_name("refusals_of_many_models.jsonl")
PLAIN = Path(__file__).with_name("plain_refusals.jsonl")


def refuses(answer: str, question: str) -> bool:
    return any(match.decides for match in find_refusals(answer, question))


@pytest.mark.parametrize(
    ("kept", "n", "recall", "precision"), [("read", 119, 0.9, 0.96), ("held out", 46, 0.72, 0.88)]
)
def test_refusals_in_the_voices_of_many_models(kept: str, n: int, recall: float, precision: float):
    """Labelled before they were run; with the rules before, .63 and .87 of those read, .68 and .88 of those held out."""
    rows = [json.loads(line) for line in TEXTS.read_text("utf-8").splitlines()]
    rows = [row for row in rows if row["kept"] == kept]
    found = [(row["refuses"], refuses(row["answer"], row["question"])) for row in rows]
    assert len(found) == n
    hits = sum(is_refusal and is_found for is_refusal, is_found in found)
    assert hits / sum(is_refusal for is_refusal, _ in found) >= recall
    assert hits / sum(is_found for _, is_found in found) >= precision


@pytest.mark.parametrize(
    ("question", "answer", "expected"),
    [
        # The speaker opens with what it lacks, and all else is general or advice.
        (
            "Which shell does my laptop use?",
            "Your laptop is closed to me: I can see nothing of it. Most ship with bash or zsh. Run echo $SHELL.",
            True,
        ),
        (
            "Who hosts the show?",
            "I have no eyes on live television. However, Nora Lind has hosted it since 2012.",
            False,
        ),
        # A source lacks the number, time or name that is asked for.
        (
            "How many rooms has the inn?",
            "The leaflet praises the inn's garden. How many rooms it has is nothing the leaflet bothers with.",
            True,
        ),
        (
            "How many rooms has the inn?",
            "The leaflet has no word on the garden. The inn has 14 rooms.",
            False,
        ),
        # The question, and something else.
        (
            "What is the melting point of the alloy?",
            "The question calls for the melting point. The data sheet has hardness and colour.",
            True,
        ),
        (
            "What is the melting point of the alloy?",
            "The question calls for the melting point. The data sheet has 840 °C.",
            False,
        ),
        # A made-up example after a gap.
        (
            "What was the dividend yield of Orla?",
            "Orla's dividend isn't in the excerpt. As a purely hypothetical case, $2 on $50 would be 4%.",
            True,
        ),
        # What is asked was given before, in a word or with its value.
        ("Who leads the firm?", "Ida Holm. I found nothing on how long she has done so.", False),
        (
            "What was the gross margin?",
            "The gross margin was 31%. Overheads aren't shown on this page, so I can't say what was left after tax.",
            False,
        ),
        # What is wrong with something, and why something could not be done.
        (
            "What are the drawbacks of the test?",
            "It is slow, and the sample was too short to tell more.",
            False,
        ),
        (
            "Why could the sum not be computed?",
            "It could not be computed because a row was lost.",
            False,
        ),
    ],
)
def test_the_structure_of_the_whole_answer_decides(question: str, answer: str, expected: bool):
    assert refuses(answer, question) is expected


@pytest.mark.parametrize(
    "unit", ["I lack it. ", "No number there is. ", "Where it is not ", "Nothing. "]
)
def test_a_long_answer_is_read_in_linear_time(unit: str, assert_linear_time):
    assert_linear_time(
        lambda text: refuses(text, "How many rooms has the inn?"),
        lambda n: (unit * n)[:n],
        8_000,
    )


@pytest.mark.parametrize(("kept", "n", "recall"), [("read", 120, 0.98), ("kept", 60, 0.92)])
def test_refusals_in_plain_words_are_found(kept: str, n: int, recall: float):
    """As assistants refuse beside retrieved texts; the rows `kept` were written after the last rule and changed none."""
    rows = [json.loads(line) for line in PLAIN.read_text("utf-8").splitlines()]
    found = [
        (row["refuses"], refuses(row["answer"], row["question"]))
        for row in rows
        if row["kept"] == kept
    ]
    assert len(found) == n
    hits = sum(is_refusal and is_found for is_refusal, is_found in found)
    assert hits / sum(is_refusal for is_refusal, _ in found) >= recall
    assert hits / sum(is_found for _, is_found in found) >= 0.96


@pytest.mark.parametrize(
    ("question", "answer", "expected"),
    [
        # What somebody says, when asked for what he says.
        ("What did the jury find?", "The jury found that there was not enough evidence.", False),
        ("What did the jury find?", "There is not enough information on the jury.", True),
        # What follows from a lack in the world.
        (
            "Can I give it to my horse?",
            "There are no data on horses, so it should be given by a vet only.",
            False,
        ),
        (
            "Can I give it to my horse?",
            "There are no data on horses, so it is not possible to say.",
            True,
        ),
        # What costs 9 euros has a price.
        (
            "What is the price?",
            "A day ticket costs 9 euros. Prices for groups are not listed.",
            False,
        ),
        ("What is the price?", "The ship has 9 decks. Prices are not listed.", True),
        (
            "What are the limits of the tool?",
            "There is no information on dates after 2020 in its tables.",
            False,
        ),
    ],
)
def test_a_lack_that_is_the_answer_is_no_refusal(question: str, answer: str, expected: bool):
    assert refuses(answer, question) is expected
