import pytest

from ragauge.language.references.items import MissingItems, reference_items
from ragauge.language.references.match import match_reference


def items(reference: str) -> list[str]:
    return [reference[start:end] for start, end in reference_items(reference)]


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("Oak, ash and elm", ["Oak", "ash", "elm"]),
        ("Oak, ash, and elm.", ["Oak", "ash", "elm"]),
        ("oak & ash", ["oak", "ash"]),
        ("The trees are: oak, ash", ["oak", "ash"]),
        ("1. oak\n2. ash and elm\n", ["oak", "ash and elm"]),
        ("- oak\n- ash", ["oak", "ash"]),
        ("Ann Lee; Bo Chen; Cy Diaz", ["Ann Lee", "Bo Chen", "Cy Diaz"]),
        ("Fiji, Peru, and Trinidad and Tobago", ["Fiji", "Peru", "Trinidad and Tobago"]),
        ("Dr. Wu, Prof. Oduya and Ms. Holm", ["Dr. Wu", "Prof. Oduya", "Ms. Holm"]),
    ],
)
def test_items_of_a_list(reference: str, expected: list[str]):
    assert items(reference) == expected


@pytest.mark.parametrize(
    "reference",
    [
        "",
        "oak",
        "May 5, 1999",
        "oak or ash",
        "AC/DC",
        "US; USA; United States",
        "United States, US",
        "3 and 7",
        "Hay, (not alfalfa)",
        "It grew, because sales rose and costs fell",
        "Oak, ash and elm. In the north there are firs, too.",
        "Oak, ash, " * 100,
    ],
)
def test_no_list(reference: str):
    assert items(reference) == []


def missing(question: str, reference: str, answer: str) -> MissingItems | None:
    return match_reference(question, reference, answer).missing_items


@pytest.mark.parametrize(
    ("question", "reference", "answer", "expected"),
    [
        ("Which three trees?", "Oak, ash and elm", "Oaks and elms.", ("ash",)),
        ("Which two men?", "Tom Reed and Ann Lee", "It was Reed.", ("Ann Lee",)),
        ("Name the trees.", "oak; ash", "- oak\n- fir", ("ash",)),
        (
            "What are the parts?",
            "left door, left window, right door, right window",
            "The left door, the right door and the right window.",
            ("left window",),
        ),
        ("Which are its parts?", "Book A, Book B and Book C", "Book A and Book C", ("Book B",)),
    ],
)
def test_missing_items(question: str, reference: str, answer: str, expected: tuple[str, ...]):
    found = missing(question, reference, answer)
    assert found is not None
    assert found.texts == expected
    assert found.n_missing == 1


@pytest.mark.parametrize(
    ("question", "reference", "answer"),
    [
        ("Which three trees?", "Oak, ash and elm", "elm, oak & ash"),
        ("Which three trees?", "Oak, ash and elm", "- oak\n- ash\n- elm"),
        ("Which three trees?", "Oak, ash and elm", "Oak, ash, elm and fir"),
        ("Name two trees.", "Oak, ash and elm", "Elm and oak."),  # two are enough
        ("Which trees?", "Oak, ash and elm", "Pines."),  # states none, which the words say
        ("Who planted it?", "Tom Reed and Ann Lee", "Tom Reed"),  # does not ask for two
        ("Which two states?", "the United States and the Soviet Union", "The USA and the USSR"),
        ("Which three men?", "Tom Reed, Ann Reed and Al Reed", "Tom, Ann and Al Reed"),
    ],
)
def test_nothing_is_missing(question: str, reference: str, answer: str):
    assert missing(question, reference, answer) is None


def test_the_share_is_of_the_wanted_items():
    found = missing("Name three trees.", "Oak, ash, elm and fir", "An oak.")
    assert found is not None
    # Three are wanted, one is stated; any two of the others are missing.
    assert (found.n_missing, found.n_wanted, len(found.texts)) == (2, 3, 3)
    assert found.share == pytest.approx(2 / 3)
