"""`correct`: the probability that people would call an answer correct."""

import re
from math import exp

import numpy as np
import pytest
from pytest import approx

import ragauge as rg
from ragauge.features.correctness import FEATURES, Likeness, _features
from ragauge.features.matches import ALIKE, Nearest, Side, TokenMatch
from ragauge.language.references.match import ReferenceMatch, match_reference
from ragauge.metrics.estimated_correctness import correct, weights
from ragauge.score import Status

Q = "Who wrote Emma?"
R = "Jane Austen"


def score(answer: str, reference: str = R, question: str | None = Q) -> rg.Score:
    return rg.score("correct", question=question, reference=reference, answer=answer)


def test_the_value_is_the_logistic_of_the_contributions_by_hand():
    found = score("It is by Miss Austen.")
    features, added = found.evidence["features"], found.evidence["contributions"]
    # "austen" of "jane", "austen"; of the answer's new words ("miss", "austen") one is shared.
    assert features["new_words"] == 0.5
    assert features["shared"] == 0.5
    assert features["verbatim"] == features["refusal"] == features["contradiction"] == 0
    assert features["answer_length"] == pytest.approx(1.791759)  # log(1 + 5 words)
    # Two words: only the weights of short references count.
    by_hand = weights().of_short["intercept"] + sum(
        weights().of_short[name] * features[name] for name in FEATURES
    )
    assert sum(added.values()) == pytest.approx(by_hand, abs=1e-5)
    assert found.value == pytest.approx(1 / (1 + exp(-by_hand)), abs=1e-5)


def test_a_reference_between_short_and_long_mixes_both_weights():
    features = dict.fromkeys(FEATURES, 1.0)
    known = weights()
    middle = (known.short + known.long) / 2
    mixed = known.contributions(features, middle)
    for name in (*FEATURES, "intercept"):
        assert mixed[name] == pytest.approx((known.of_short[name] + known.of_long[name]) / 2)
    assert known.contributions(features, 1)["meaning"] == known.of_short["meaning"]
    assert known.contributions(features, 99)["meaning"] == known.of_long["meaning"]


def test_no_weight_makes_a_better_match_worse():
    for table in (weights().of_short, weights().of_long):
        for name in ("new_words", "meaning", "recall", "verbatim", "shared"):
            assert table[name] >= 0, name
        for name in ("contradiction", "refusal"):
            assert table[name] <= 0, name


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("It is by Jane Austen.", "It is by Miss Austen."),
        ("It is by Miss Austen.", "It is by Mary Shelley."),
        ("It is by Jane Austen.", "I do not know who wrote it."),
        ("Jane Austen", "Jane Austen or Mary Shelley or Ann Radcliffe"),
    ],
)
def test_answers_are_ordered_as_people_order_them(better, worse):
    assert score(better).value > score(worse).value


@pytest.mark.parametrize(
    ("question", "reference", "answer", "is_right"),
    [
        ("How long does a refund take?", "10 days", "A refund takes 10 business days.", False),
        ("How many requests are allowed?", "100 per second", "You may send 100 per minute.", False),
        ("How many goals did each score?", "Anna 2, Ben 3", "Anna scored 3 and Ben scored 2.", False),
        ("Which release fixed it?", "2.1", "It was fixed in release 2.10.", False),
        ("Which release is the latest?", "v3.12", "Version 3.12.0", True),
        ("When does it open?", "9:30", "It opens at half past nine.", True),
    ],
)  # fmt: skip
def test_a_number_counts_only_with_what_it_counts(question, reference, answer, is_right):
    found = score(answer, reference, question)
    assert found.value > 0.5 if is_right else found.value <= 0.2
    if question.startswith("How many requests"):
        assert "may send 100 per minute where the reference has 100 per second" in found.evidence["why"]


def test_correct_and_wrong_answers_are_told_apart():
    right = [
        ("Capex of 2018 (in USD millions)?", "1577", "Capital expenditure was $1.577 billion."),
        ("When was it signed?", "July 2, 1776", "They signed it on 2 July 1776."),
        ("How often has she won?", "3", "She won for the third time in 2010."),
        ("Where is it made?", "in the town of Jena", "Most of it is made in Jena."),
    ]
    wrong = [
        ("Capex of 2018 (in USD millions)?", "1577", "Capital expenditure was $2.1 billion."),
        ("When was it signed?", "July 2, 1776", "It was signed on 19 May 1798."),
        ("How often has she won?", "3", "She has won 7 titles."),
        ("Where is it made?", "in the town of Jena", "Most of it is made in Sweden."),
    ]
    assert all(score(answer, reference, asked).value > 0.7 for asked, reference, answer in right)
    assert all(score(answer, reference, asked).value < 0.3 for asked, reference, answer in wrong)


def test_a_refusal_is_not_correct_unless_the_reference_refuses_too():
    refusal = "The report does not give the fee."
    assert score(refusal, "$5", "What is the fee?").value < 0.05
    assert score(refusal, "The report does not state the fee.", "What is the fee?").value > 0.5


@pytest.mark.parametrize(
    ("answer", "reference", "why"),
    [
        ("It is by Jane Austen.", R, "contains the reference word for word"),
        ("Austen, Jane", R, "states all words that the reference adds to the question"),
        ("It is by Miss Austen.", R, "states 1 of the 2 words that the reference adds to the question; lacks 'Jane'"),
        ("Mary Shelley", R, "lacks 'Jane' and 'Austen'"),
        ("I do not know.", R, "refuses: 'I do not know'; lacks 'Jane' and 'Austen'"),
        ("She won for the third time.", "3", "states the number of the reference in another form"),
        ("It cost $1.577 billion.", "1,577 million", "states 1,577 million as $1.577 billion"),
        ("Yes, she did.", "No", "states yes where the reference has no"),
        ("The result was 9.2.", "-3.7", "states 9.2 where the reference has -3.7"),
        ("It fell.", "It is -3.7%", "lacks '-3.7%'"),
        ("It took 60\ndays.", "90 days", "states 60 days where the reference has 90 days"),
        (
            "It paid $0.01 a share.",
            "It maintained 0.01$ a share.",
            "states 2 of the 3 words that the reference adds to the question; lacks 'maintained'",
        ),
        ("On May 2, 1811.", "May 9, 1811", "states May 2, 1811 where the reference has May 9, 1811"),
        ("", R, "the answer is blank"),
        (" \n", R, "the answer is blank"),
    ],
)  # fmt: skip
def test_a_sentence_says_why(answer, reference, why):
    assert score(answer, reference).evidence["why"] == why


def test_many_missing_words_are_counted():
    reference = "alpha beta gamma delta epsilon zeta eta theta iota kappa"
    found = score("Nothing of it.", reference)
    assert found.evidence["why"].endswith("'theta' and 2 more")


def test_the_best_of_several_references_counts_and_is_named():
    both = rg.score("correct", question=Q, answer="Jane Austen", references=["Mary Shelley", R])
    assert both.value == score("Jane Austen").value
    assert both.evidence["reference"] == R
    listed = score("Eric Blair", "George Orwell/Eric Blair")
    assert listed.evidence["reference"] == "Eric Blair"
    assert listed.value == score("Eric Blair", "Eric Blair").value


def test_without_a_question_all_words_of_the_reference_are_new():
    found = score("Jane Austen wrote Emma", "Jane Austen", None)
    assert found.value > 0.9
    assert (
        rg.score("correct", reference=R, answer="Jane Austen").value
        == score("Jane Austen", question=None).value
    )


@pytest.mark.parametrize("reference", ["", " \n", "?!", "—"])
def test_a_reference_without_words_is_undefined(reference):
    found = score("Jane Austen", reference)
    assert (found.status, found.reason) == (Status.UNDEFINED, "the reference has no words")


def test_an_answer_equal_to_its_reference_is_likely_correct():
    long = (
        "Sales rose by 12% to $4.2 billion in 2021, because the company sold more engines to "
        "shipyards in Asia and raised its prices twice, while the weak dollar helped as well."
    )
    for text in ("Paris", "5", "Yes", "the mitochondria", "東京", "12 March 1999", long):
        assert score(text, text, "What?").value > 0.9, text


def test_a_long_answer_is_read_to_its_end():
    answer = "There is much to say about the novels of that time. " * 100 + "Jane Austen wrote it."
    found = score(answer)
    assert found.evidence["features"]["verbatim"] == 1
    assert (
        found.evidence["features"]["recall"]
        > score("There is much to say.").evidence["features"]["recall"]
    )


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
        likeness = Likeness(reference, match, None, _features(match, tokens, None))
        assert likeness.features["recall"] == approx(0.75 if "-" not in form else 0.625, abs=0.01)
        assert correct([(likeness,)], encoder=None).value > 0

    assert_linear_time(work, compared, 1_500)


TREES = ("Which three trees grow there?", "Oak, ash and elm")


@pytest.mark.parametrize(
    "answer", ["Oak, ash and elm", "elm, ash, oak", "There are elms, oaks and ashes."]
)
def test_a_complete_list_in_any_order_is_right(answer: str):
    asked, reference = TREES
    assert score(answer, reference, asked).value > 0.8


def test_a_list_without_one_of_the_things_asked_for_is_rather_wrong():
    asked, reference = TREES
    found = score("Oak and ash grow there.", reference, asked)
    assert found.value < 0.5
    assert found.evidence["why"] == (
        "leaves out 'elm'; states 2 of the 3 words that the reference adds to the question; lacks 'elm'"
    )
    assert score("Oak, ash and pine grow there.", reference, asked).value < 0.3


def test_names_of_one_thing_are_no_list():
    for reference in ("US; USA; United States", "Kate Sheppard, Catherine Malcolm"):
        name = reference.replace(",", ";").split(";")[0]
        assert score(name, reference, "Who was it?").evidence["differences"] == []
    both = rg.score(
        "correct",
        question="Which two trees grow there?",
        references=["Oak", "Ash", "Oak and ash"],
        answer="Oak",
    )
    assert both.value > 0.8


def test_other_numbers_behind_the_same_yes_do_not_contradict():
    reference = "Yes. It pays 0.02$ a share each year."
    found = score("Yes, it paid $4 million in all.", reference, "Has it paid dividends?")
    assert found.evidence["features"]["contradiction"] == 0
    for answer, asked in (
        ("No, it paid $4 million in all.", "Has it paid dividends?"),
        ("Yes, it paid $4 a share.", "Did it pay, and how much a share?"),
    ):
        assert score(answer, reference, asked).evidence["features"]["contradiction"] == 1


@pytest.mark.parametrize(
    ("reference", "answer"),
    [
        ("May 9, 1811", "May 2, 1811"),
        ("Yes, it is a novel", "No. Although some call it a novel, it is a play."),
        ("two weeks", "four weeks"),
    ],
)
def test_what_an_answer_states_instead_makes_it_rather_wrong(reference: str, answer: str):
    assert score(answer, reference).value < 0.5


def test_a_single_score_in_a_language_without_measured_agreement_is_flagged():
    german = rg.score(
        "correct",
        question="Wie viele Gäste kamen zum Fest im Garten?",
        answer="Es waren ungefähr dreißig Gäste.",
        reference="Zum Fest kamen dreißig Gäste.",
    )
    english = rg.score(
        "correct", question="How many came?", answer="It was thirty.", reference="Thirty came."
    )
    assert (german.flags, english.flags) == (["language:de"], [])
    # Metrics without a note on agreement by language have no such flag.
    assert (
        rg.score("exact_match", answer="Es war der Hund.", reference="Es war der Hund.").flags == []
    )


@pytest.mark.parametrize(
    ("question", "reference", "answer"),
    [
        ("Is it free?", "Yes, for members.", "No, members pay as well."),
        ("Ist es kostenlos?", "Ja, für Mitglieder.", "Nein, Mitglieder zahlen auch."),
        ("C'est gratuit ?", "Oui, pour les membres.", "Non, les membres paient aussi."),
        ("¿Es gratis?", "Sí, para socios.", "No, los socios también pagan."),
        ("会员免费吗？", "是的，会员免费。", "不，会员也要付费。"),
    ],
)
def test_no_for_yes_is_wrong_in_five_languages(question, reference, answer):
    score = rg.score("correct", question=question, references=[reference], answer=answer)
    assert score.value < 0.1
    assert score.evidence["why"].startswith("states no where the reference has yes")


def test_function_words_of_other_languages_are_no_words_of_the_reference():
    question = "Warum soll man den Rhabarber erst kurz vor dem Backen zuckern?"
    score = rg.score(
        "correct",
        question=question,
        references=["Weil er sonst Wasser zieht."],
        answer="Er zieht Wasser.",
    )
    assert score.value > 0.9
    assert score.evidence["why"].startswith("states all words")
