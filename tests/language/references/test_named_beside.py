"""Answers that name the reference only beside another answer."""

import pytest

from ragauge.language.references.compared_text import read_text
from ragauge.language.references.match import match_reference
from ragauge.language.references.named_beside import MAX_PLACES, named_beside


def beside(question: str, reference: str, answer: str) -> str | None:
    return named_beside(
        question, read_text(question), read_text(reference), answer, read_text(answer)
    )


@pytest.mark.parametrize(
    ("question", "reference", "answer", "other"),
    [
        (
            "What is the capital of Brazil?",
            "Brasília",
            "Brasília is new, but the capital is Rio.",
            "Rio",
        ),
        (
            "Who painted Guernica?",
            "Picasso",
            "Although Picasso was famous, Guernica was painted by Miró.",
            "Miró",
        ),
        (
            "Which lake is deepest?",
            "Baikal",
            "Tanganyika is deepest, ahead of Baikal.",
            "Tanganyika",
        ),
        ("Which is the only even prime?", "2", "The only even prime is 4, followed by 2.", "4"),
        (
            "Who wrote Mathilda?",
            "Mary Shelley",
            "It was written by Percy, the husband of Mary Shelley.",
            "Percy",
        ),
        ("Who won the final?", "Spain", "Italy won, beating Spain on penalties.", "Italy"),
        ("Who is the chair?", "Ida Lund", "Jan Holm, who succeeded Ida Lund in May.", "Jan Holm"),
        (
            "Who reached the pole first?",
            "Amundsen",
            "Scott was the one who reached the pole first; Amundsen followed him.",
            "Scott",
        ),
    ],
)
def test_another_answer_is_given(question: str, reference: str, answer: str, other: str):
    assert beside(question, reference, answer) == other
    match = match_reference(question, reference, answer)
    assert match.contradiction == (other, reference)
    assert match.is_denied
    assert not match.is_contained


@pytest.mark.parametrize(
    ("question", "reference", "answer"),
    [
        (
            "What is the capital of Brazil?",
            "Brasília",
            "The capital is Brasília, but Rio is larger.",
        ),
        (
            "What is the capital of Brazil?",
            "Brasília",
            "While Rio is larger, the capital is Brasília.",
        ),
        # The clause before `but` answers, and the one after it adds something.
        (
            "Who was cast as Kim?",
            "Lori Rom",
            "Lori Rom was cast as Kim, but Alyssa Hill took over.",
        ),
        ("Which lake is deepest?", "Baikal", "Baikal is deepest, ahead of Tanganyika."),
        # The question asks for what is behind the words.
        ("Which lake is second deepest?", "Tanganyika", "Baikal is deepest, ahead of Tanganyika."),
        ("Who was beaten by Italy in the final?", "Spain", "Italy won, beating Spain."),
        ("Who was the wife of Percy?", "Mary Shelley", "Percy was the husband of Mary Shelley."),
        ("Who was the previous chair?", "Ida Lund", "Jan Holm, who succeeded Ida Lund in May."),
        # Named once more without such words.
        (
            "Which lake is deepest?",
            "Baikal",
            "Tanganyika is ahead of Baikal in length. Baikal is deepest.",
        ),
        # Another name for it.
        ("Who sang Roxanne?", "Sting", "Gordon Sumner, better known as Sting."),
        ("Which lake is deepest?", "Baikal", "It is not known."),
    ],
)
def test_the_reference_is_the_answer(question: str, reference: str, answer: str):
    assert beside(question, reference, answer) is None


def test_an_answer_that_names_the_reference_often_gives_it():
    answer = "Tanganyika is deepest, ahead of Baikal. " * (MAX_PLACES + 1)
    assert beside("Which lake is deepest?", "Baikal", answer) is None
