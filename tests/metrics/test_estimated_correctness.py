"""`correct`: the probability that people would call an answer correct."""

import json
import re
from math import exp

import numpy as np
import pytest
from cases import cases
from pytest import approx

import ragauge as rg
from ragauge.features.correctness import FEATURES, Likeness, _features
from ragauge.features.matches import ALIKE, Nearest, Side, TokenMatch
from ragauge.language.references.match import ReferenceMatch, match_reference
from ragauge.metrics.estimated_correctness import correct, weights
from ragauge.score import Status

Q = "Who wrote Emma?"
R = "Jane Austen"
TREES = "Which three trees grow there?"
OAKS = "Oak, ash and elm"
FEE = "What is the fee?"
CAPEX = "Capex of 2018 (in USD millions)?"
STATED = "that the reference adds to the question"
NO_FOR_YES = "states no where the reference has yes*"
SUGAR = "Warum soll man Rhabarber erst kurz vor dem Backen zuckern?"
SIGNED, WON, MADE = "When was it signed?", "How often has she won?", "Where is it made?"
JULY, MAY, JENA = "July 2, 1776", "May 9, 1811", "in the town of Jena"
NOVEL = "Yes, it is a novel"
PAID = "It maintained 0.01$ a share."
LIST = "alpha beta gamma delta epsilon zeta eta theta iota kappa"
LONG = (
    "Sales rose by 12% to $4.2 billion in 2021, because the company sold more engines to "
    "shipyards in Asia and raised its prices twice, while the weak dollar helped as well."
)
ROWS = [
    # Question, reference, answer, the least and the most that it is worth, and why.
    (Q, R, "It is by Jane Austen.", 0.5, 1, "contains the reference word for word"),
    (Q, R, "Austen, Jane", 0.5, 1, f"states all words {STATED}"),
    (Q, R, "It is by Miss Austen.", 0, 1, f"states 1 of the 2 words {STATED}; lacks 'Jane'"),
    (Q, R, "Mary Shelley", 0, 0.5, "lacks 'Jane' and 'Austen'"),
    (Q, R, "I do not know.", 0, 0.5, "refuses: 'I do not know'; lacks 'Jane' and 'Austen'"),
    *((Q, R, blank, 0, 0, "the answer is blank") for blank in ("", " \n")),
    (Q, LIST, "Nothing of it.", 0, 0.5, "lacks 'alpha', *'theta' and 2 more"),
    # Numbers and dates, in any form.
    (CAPEX, "1577", "Capital expenditure was $1.577 billion.", 0.7, 1),
    (CAPEX, "1577", "Capital expenditure was $2.1 billion.", 0, 0.3),
    (CAPEX, "1577", "In FY2018 it was $1,577 million.", 0.7, 1),
    ("Name the winner.", "No one won the race.", "No idea about the runners.", 0, 0.5),
    (
        "How heavy may it be?",
        "Up to 8 kilograms.",
        "Eight pounds at most.",
        0,
        0.2,
        "states at most Eight pounds where the reference has at most 8 kilograms",
    ),
    (SIGNED, JULY, "They signed it on 2 July 1776.", 0.7, 1),
    (SIGNED, JULY, "It was signed on 19 May 1798.", 0, 0.3),
    (WON, "3", "She has won 7 titles.", 0, 0.3),
    (
        "Is water included?",
        "No, water is charged.",
        "No, it's extra.",
        0.5,
        1,
        "says no, as the reference does",
    ),
    (
        "How many residents left?",
        "63 residents had to leave their homes.",
        "Sixty-three",
        0.5,
        1,
        "states what the reference adds to the question: 63",
    ),
    (Q, "1,577 million", "It cost $1.577 billion.", 0, 1, "states 1,577 million as $1.577 billion"),
    (Q, "-3.7", "The result was 9.2.", 0, 0.5, "states 9.2 where the reference has -3.7"),
    (Q, "It is -3.7%", "It fell.", 0, 0.5, "lacks '-3.7%'"),
    (Q, "90 days", "It took 60\ndays.", 0, 0.5, "states 60 days where the reference has 90 days"),
    (Q, PAID, "It paid $0.01 a share.", 0, 1, "states 2 of the 3 words*; lacks 'maintained'"),
    (Q, MAY, "On May 2, 1811.", 0, 0.5, f"states May 2, 1811 where the reference has {MAY}"),
    (Q, "two weeks", "four weeks", 0, 0.5),
    # Words.
    (MADE, JENA, "Most of it is made in Jena.", 0.7, 1),
    (MADE, JENA, "Most of it is made in Sweden.", 0, 0.3),
    (None, R, "Jane Austen wrote Emma", 0.9, 1),
    # A refusal is not correct unless the reference refuses too.
    (FEE, "$5", "The report does not give the fee.", 0, 0.05),
    (FEE, "The report does not state the fee.", "The report does not give the fee.", 0.5, 1),
    # No for yes, in five languages.
    (Q, "No", "Yes, she did.", 0, 0.5, "states yes where the reference has no"),
    (Q, NOVEL, "No. Although some call it a novel, it is a play.", 0, 0.5),
    ("Is it free?", "Yes, for members.", "No, members pay as well.", 0, 0.1, NO_FOR_YES),
    ("Ist es frei?", "Ja, für Mitglieder.", "Nein, auch sie zahlen.", 0, 0.1, NO_FOR_YES),
    ("C'est gratuit ?", "Oui, pour les membres.", "Non, ils paient aussi.", 0, 0.1, NO_FOR_YES),
    ("¿Es gratis?", "Sí, para socios.", "No, los socios también pagan.", 0, 0.1, NO_FOR_YES),
    ("会员免费吗？", "是的，会员免费。", "不，会员也要付费。", 0, 0.1, NO_FOR_YES),
    # Function words of other languages are no words of the reference.
    (SUGAR, "Weil er sonst Wasser zieht.", "Er zieht Wasser.", 0.9, 1, "states all words*"),
    # A complete list is right in any order.
    (TREES, OAKS, "Oak, ash and elm", 0.8, 1),
    (TREES, OAKS, "elm, ash, oak", 0.8, 1),
    (TREES, OAKS, "There are elms, oaks and ashes.", 0.8, 1),
    (TREES, OAKS, "Oak and ash grow there.", 0, 0.5, "leaves out 'elm'; states 2*; lacks 'elm'"),
    (TREES, OAKS, "Oak, ash and pine grow there.", 0, 0.3),
    # An answer equal to its reference.
    *(
        ("What?", text, text, 0.9, 1)
        for text in ("Paris", "5", "Yes", "東京", "12 March 1999", LONG)
    ),
]


def score(answer: str, reference: str = R, question: str | None = Q, **fields: object) -> rg.Score:
    return rg.score("correct", question=question, reference=reference, answer=answer, **fields)


@pytest.fixture(scope="module")
def found() -> list[dict[str, object]]:
    """The scores of the rows, made together."""
    rows = [
        {"id": f"{at:02}", "question": question, "reference": reference, "answer": answer}
        for at, (question, reference, answer, *_) in enumerate(ROWS)
    ]
    return rg.evaluate(rows, "correct").scores.sort("id").to_dicts()


@pytest.mark.parametrize("at", range(len(ROWS)), ids=[row[2][:30] for row in ROWS])
def test_right_and_wrong_answers_are_told_apart_with_a_reason(found, at):
    least, most, *reasons = ROWS[at][3:]
    assert least <= found[at]["value"] <= most
    for why in reasons:
        beginning, _, end = why.partition("*")
        said = json.loads(found[at]["evidence"])["why"]
        assert said.startswith(beginning) and said.endswith(end if "*" in why else beginning)


def test_the_value_is_the_logistic_of_the_contributions_by_hand():
    found = score("It is by Miss Austen.")
    features, added = found.evidence["features"], found.evidence["contributions"]
    # "austen" of "jane", "austen"; of the answer's new words ("miss", "austen") one is shared.
    assert features["new_words"] == 0.5
    assert features["shared"] == 0.5
    assert features["verbatim"] == features["refusal"] == features["contradiction"] == 0
    assert features["answer_length"] == approx(1.791759)  # log(1 + 5 words)
    # Two words: only the weights of short references count.
    short = weights().of_short
    by_hand = short["intercept"] + sum(short[name] * features[name] for name in FEATURES)
    assert sum(added.values()) == approx(by_hand, abs=1e-5)
    assert found.value == approx(1 / (1 + exp(-by_hand)), abs=1e-5)


def test_a_reference_between_short_and_long_mixes_both_weights():
    features = dict.fromkeys((*FEATURES, "reader"), 1.0)
    known = weights()
    middle = (known.short + known.long) / 2
    mixed = known.contributions(features, middle)
    for name in (*FEATURES, "intercept"):
        assert mixed[name] == approx((known.of_short[name] + known.of_long[name]) / 2)
    assert mixed["reader"] == known.of_reader
    assert known.contributions(features, 1)["meaning"] == known.of_short["meaning"]
    assert known.contributions(features, 99)["meaning"] == known.of_long["meaning"]


def test_the_reader_reads_references_that_are_more_than_a_name():
    asked = {"question": "Which seats are included?", "answer": "Three seats are included."}
    name = rg.score("correct", reference="three", **asked)
    assert name.evidence["features"]["reader"] == 0
    same = rg.score("correct", reference="The plan includes three seats for the team.", **asked)
    other = rg.score("correct", reference="The plan includes eight rooms for the team.", **asked)
    assert same.evidence["features"]["reader"] > 0 > other.evidence["features"]["reader"]
    assert same.value > other.value


def test_no_weight_makes_a_better_match_worse():
    for table in (weights().of_short, weights().of_long):
        assert all(
            table[name] >= 0 for name in ("new_words", "meaning", "recall", "verbatim", "shared")
        )
        assert all(table[name] <= 0 for name in ("contradiction", "refusal"))


def test_answers_are_ordered_as_people_order_them():
    best, right, vague, wrong, refusing = (
        score(answer).value
        for answer in (
            "Jane Austen",
            "It is by Jane Austen.",
            "It is by Miss Austen.",
            "It is by Mary Shelley.",
            "I do not know who wrote it.",
        )
    )
    assert right > vague > wrong
    assert right > refusing
    assert best > score("Jane Austen or Mary Shelley or Ann Radcliffe").value
    assert best == score("Jane Austen", question=None).value


def test_the_best_of_several_references_counts_and_is_named():
    both = rg.score("correct", question=Q, answer="Jane Austen", references=["Mary Shelley", R])
    assert both.value == score("Jane Austen").value
    assert both.evidence["reference"] == R
    listed = score("Eric Blair", "George Orwell/Eric Blair")
    assert listed.evidence["reference"] == "Eric Blair"
    assert listed.value == score("Eric Blair", "Eric Blair").value


@pytest.mark.parametrize("reference", ["", "?!"])
def test_a_reference_without_words_is_undefined(reference):
    found = score("Jane Austen", reference)
    assert (found.status, found.reason) == (Status.UNDEFINED, "the reference has no words")


def test_a_long_answer_is_read_to_its_end():
    long = score("There is much to say about the novels. " * 60 + "Jane Austen wrote it.")
    assert long.evidence["features"]["verbatim"] == 1
    short = score("There is much to say.")
    assert long.evidence["features"]["recall"] > short.evidence["features"]["recall"]


@pytest.mark.parametrize("form", ["{}", "{}.0", "- {}"])
def test_long_lists_of_numbers_in_another_form_take_linear_time(assert_linear_time, form):
    """Without the encoder: half of the reference's numbers are stated, half are missing."""

    def compared(n: int) -> tuple[str, ReferenceMatch, TokenMatch]:
        reference = "\n".join(form.format(at) for at in range(10_000, 10_000 + n))
        stated = ", ".join(f"{at:,}" for at in range(10_000, 10_000 + n, 2))
        spans = np.array([match.span() for match in re.finditer(r"\S+", reference)])
        ids, marks = np.ones(len(spans), int), np.zeros(len(spans), bool)
        tokens = Nearest(np.full(len(spans), 0.5, "f4"), ids, marks, spans, n, n)
        side = Side(reference, tokens, ALIKE.of(ids, marks))
        match = match_reference(None, reference, stated)
        return reference, match, TokenMatch(0.5, 0.5, 0.5, side, side)

    def work(given: tuple[str, ReferenceMatch, TokenMatch]) -> None:
        reference, match, tokens = given
        likeness = Likeness(reference, match, None, _features(match, tokens, None, 0.0))
        assert likeness.features["recall"] == approx(0.75 if "-" not in form else 0.625, abs=0.01)
        assert correct([(likeness,)], encoder=None).value > 0

    assert_linear_time(work, compared, 1_500)


def test_names_of_one_thing_are_no_list():
    for reference in ("US; USA; United States", "Kate Sheppard, Catherine Malcolm"):
        name = reference.replace(",", ";").split(";")[0]
        assert score(name, reference, "Who was it?").evidence["differences"] == []
    several = {"references": ["Oak", "Ash", "Oak and ash"], "answer": "Oak"}
    assert rg.score("correct", question="Which two trees grow there?", **several).value > 0.8


@cases(
    ("Yes, it paid $4 million in all.", "Has it paid dividends?", 0),
    ("No, it paid $4 million in all.", "Has it paid dividends?", 1),
    ("Yes, it paid $4 a share.", "Did it pay, and how much a share?", 1),
)
def test_other_numbers_behind_the_same_yes_do_not_contradict(answer, asked, contradiction):
    found = score(answer, "Yes. It pays 0.02$ a share each year.", asked)
    assert found.evidence["features"]["contradiction"] == contradiction


def test_a_single_score_in_a_language_without_measured_agreement_is_flagged():
    german = score(
        "Es waren ungefähr dreißig Gäste.",
        "Zum Fest kamen dreißig Gäste.",
        "Wie viele Gäste kamen zum Fest im Garten?",
    )
    assert german.flags == ["language:de"]
    assert score("It was thirty.", "Thirty came.", "How many came?").flags == []
    # Metrics without a note on agreement by language have no such flag.
    same = "Es war der Hund."
    assert rg.score("exact_match", answer=same, reference=same).flags == []


@cases(
    ("How long does a refund take?", "10 days", "A refund takes 10 business days.", False),
    ("How many requests are allowed?", "100 per second", "You may send 100 per minute.", False),
    ("How many goals did each score?", "Anna 2, Ben 3", "Anna scored 3 and Ben scored 2.", False),
    ("Which release fixed it?", "2.1", "It was fixed in release 2.10.", False),
    ("Which release is the latest?", "v3.12", "Version 3.12.0", True),
    ("When does it open?", "9:30", "It opens at half past nine.", True),
    ("When is salary paid?", "On the 25th of each month", "On the 15th of each month.", False),
    ("Which floor is it on?", "On the fifth floor", "On the 5th floor", True),
)  # fmt: skip
def test_a_number_counts_only_with_what_it_counts(question, reference, answer, is_right):
    value = score(answer, reference, question).value
    assert value > 0.5 if is_right else value <= 0.2
