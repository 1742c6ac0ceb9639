"""Other people and things of the same name."""

import pytest

from ragauge.language.references.compared_text import read_text
from ragauge.language.references.match import match_reference
from ragauge.language.references.other_names import other_name


def other(reference: str, answer: str, question: str = "Which one was it?") -> str | None:
    return other_name(
        read_text(question), reference, read_text(reference), answer, read_text(answer)
    )


@pytest.mark.parametrize(
    ("reference", "answer", "name"),
    [
        ("Charlotte Brontë", "It was Emily Brontë.", "Emily Brontë"),
        ("Andrew Johnson", "Lyndon B. Johnson", "Lyndon B. Johnson"),
        ("Johann Strauss", "Richard Strauss, and Strauss only", "Richard Strauss"),
        ("Johann Sebastian Bach", "Johann Christian Bach", "Johann Christian Bach"),
        ("Gupta Empire", "the Kushan Empire", "Kushan Empire"),
        ("North Korea", "South Korea", "South Korea"),
        ("Edward VIII", "King Edward VII of England", "Edward VII"),
        ("World War I", "World War II", "World War II"),
    ],
)
def test_another_of_the_same_name_is_named(reference: str, answer: str, name: str):
    assert (other(reference, answer) or "").endswith(name.split(maxsplit=1)[-1])
    match = match_reference("Which one was it?", reference, answer)
    assert match.is_denied
    assert match.contradiction is not None


@pytest.mark.parametrize(
    ("reference", "answer"),
    [
        ("Charlotte Brontë", "Miss Brontë"),
        ("Charlotte Brontë", "Brontë"),
        ("Charlotte Brontë", "C. Brontë"),
        ("Charlotte Brontë", "Emily and Charlotte Brontë"),
        ("Charlotte Brontë", "Charlotte Brontë, the sister of Emily Brontë"),
        ("William Clinton", "Bill Clinton"),  # forms of one first name
        ("Michael Jagger", "Mick Jagger"),
        ("B. R. Ambedkar", "Bhimrao Ramji Ambedkar"),
        ("John Ernest Crawford", "Johnny Crawford"),
        ("Jerome Powell", "Fed Chair Powell"),
        ("Tim Cook", "Apple CEO Cook"),
        ("Vincent van Gogh", "Van Gogh"),
        ("Winston Churchill", "Prime Minister Churchill"),
        ("Edward VIII", "Edward"),
        ("Edward VIII", "Edward VIII, who followed George V"),
        ("World War I", "the First World War"),
        ("Norwegian forest cat", "a Siamese cat"),  # no name
        ("Emily Brontë, Anne Brontë", "Charlotte Brontë"),  # a list
    ],
)
def test_the_same_name_in_another_form_is_no_other(reference: str, answer: str):
    assert other(reference, answer) is None


def test_a_name_of_the_question_decides_nothing():
    assert other("Robert Kennedy", "John Kennedy", "Which Kennedy was it?") is None
    assert other("Henry VII", "Henry VIII", "Who was the father of Henry VIII?") is None
