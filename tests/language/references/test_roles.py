import pytest

from ragauge.language.references.compared_text import read_text
from ragauge.language.references.match import match_reference
from ragauge.language.references.roles import swapped


@pytest.mark.parametrize(
    ("reference", "answer", "is_swapped"),
    [
        ("Rome beat Carthage", "Carthage beat Rome", True),
        ("The company sued the union", "The union sued the company.", True),
        ("Rome beat Carthage", "Rome beat Carthage.", False),
        ("Rome beat Carthage", "Carthage was beaten by Rome", False),
        ("Tom married Ann", "Ann married Tom", False),  # both married
        ("Apple, Google and Amazon", "Amazon, Google and Apple", False),
        ("red white blue", "blue white red", False),
        ("Rome beat Carthage", "Carthage beat Gaul", False),
    ],
)
def test_sides_of_a_statement_the_other_way_round(reference: str, answer: str, is_swapped: bool):
    found = swapped(reference, read_text(reference), answer, read_text(answer))
    assert (found is not None) is is_swapped


def test_swapped_sides_contradict_the_reference():
    match = match_reference("Who beat whom?", "Rome beat Carthage", "Carthage beat Rome")
    assert match.contradiction == ("Carthage beat Rome", "Rome beat Carthage")
    assert all(word.credit == 0 for word in match.words)


def test_a_score_behind_the_sides_is_no_side():
    assert swapped(
        "Rome beat Carthage 3-0",
        read_text("Rome beat Carthage 3-0"),
        "Carthage beat Rome 3-0",
        read_text("Carthage beat Rome 3-0"),
    )
