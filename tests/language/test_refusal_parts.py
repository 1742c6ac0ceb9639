"""Answers to a part of the question, quoted refusals, figures of examples, and what would be needed."""

import pytest

from ragauge.metrics.refusal import dont_know

REFUSALS = [
    (
        "What is our customer acquisition cost?",
        "CAC = marketing spend / new customers. If you had spent 10,000 and won 200 customers, it would be 50.",
    ),
    (
        "What is the gross margin of the hat division?",
        "Gross margin = (sales − cost of goods sold) / sales. With sales of 100 and costs of 60, you'd get 40 %.",
    ),
    (
        "What is the asset turnover of the brewery?",
        "Asset turnover is revenue divided by average assets. If it had revenue of 10 million, it would be 0.5.",
    ),
    (
        "When does the warranty of the pump expire?",
        "The manual leaves it to the certificate, which would be needed to give you a date.",
    ),
    (
        "What is the score of the match?",
        "Live results are out of reach for me. Sports apps usually show them.",
    ),
    ("Will the merger be approved?", "It is too early to say; the review has only just begun."),
    ("Who broke the vase?", "That can't be settled: two blame the cat, one blames the draught."),
    (
        "Who signed the lease?",
        "The lease names the rent. The last page is not with it. Therefore the signatory remains unidentified.",
    ),
    (
        "Which supplier delivered the batch?",
        "The log names the batch and leaves the supplier's field empty.",
    ),
]
ANSWERS = [
    (
        "What does the bot reply without data?",
        "It replies: 'I'm sorry, I don't have that information', and offers to call.",
    ),
    ("What did she say?", "She said: ‘I can't tell you, it was too dark.’"),
    (
        "What does the policy say about remote work and travel?",
        "Remote work is allowed. Travel isn't covered by this policy.",
    ),
    (
        "Who are the three founders?",
        "Two of the founders are named: Ida Holm and Per Lund. The third is not mentioned.",
    ),
    (
        "What caused the blackout?",
        "The exact cause is still unknown; investigators suspect a failed transformer.",
    ),
    ("How many seats does the small hall have?", "120. The plan of the large hall is missing."),
    (
        "What is the boiling point of the mixture?",
        "Between 78 and 100 °C, depending on the proportions, which are not stated.",
    ),
    (
        "What is our customer acquisition cost?",
        "CAC = marketing spend / new customers = 84,000 / 1,050 = 80 euros.",
    ),
    ("How old is the oak?", "It is hard to say. It is probably around 350 years old."),
    (
        "Where are tight junctions found?",
        "They are required for adhesion and lie in the epithelia of the body.",
    ),
]


@pytest.mark.parametrize(("question", "answer"), REFUSALS)
def test_refusals(question: str, answer: str):
    assert dont_know(answer, question).value == 1


@pytest.mark.parametrize(("question", "answer"), ANSWERS)
def test_answers(question: str, answer: str):
    assert dont_know(answer, question).value == 0
