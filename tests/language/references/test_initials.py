"""Names and their initials."""

from cases import cases

from ragauge.language.references.compared_text import abbreviations, initials
from ragauge.language.references.match import match_reference
from ragauge.language.stems import stemmed


@cases(
    ("the U.S.A. and the UK", ["USA", "UK"]),
    ("NATO", ["NATO"]),
    ("A B", []),
    ("X.", []),
    ("INTERNATIONAL", []),
    ("IT WAS HE", []),
    ("iPhone, McDonald", []),
    ("", []),
)
def test_abbreviations(text, letters):
    assert [found for found, _ in abbreviations(text)] == letters


def test_initials_leave_small_words_out_and_end_at_commas():
    text = "United States of America, John F. Kennedy"
    found = initials(stemmed(text), text)
    assert {"US", "USA", "SA", "JFK"} <= found.keys()
    assert "AJ" not in found
    start, end = found["USA"]
    assert text[start:end] == "United States of America"


@cases(
    ("John F. Kennedy", "It was JFK.", True),
    ("United States", "the U.S.", True),
    ("U.S.", "the United States", True),
    ("U.S.", "in the US", True),
    ("WHO", "the World Health Organization", True),
    ("WHO", "the World Trade Organization", False),
    ("United Kingdom", "the UAE", False),
    ("Ivan Turgenev", "IT WAS HE", False),
    ("Ivan Turgenev", "it", False),
)
def test_a_name_and_its_initials_are_one(reference, answer, is_stated):
    match = match_reference("Who or where?", reference, answer)
    assert match.is_in_other_words is is_stated
    assert all(word.credit for word in match.wanted) is is_stated
