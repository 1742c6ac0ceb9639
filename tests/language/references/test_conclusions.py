import pytest

from ragauge.language.numbers.expected_numbers import conclusions


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It has 5. Therefore, 6.", ["Therefore, 6"]),
        ("Thus 5. So 6!", ["So 6", "Thus 5"]),
        ("It has 5, so it is odd.", []),
        ("- **Final answer:** 3.5 km\n\nNotes", ["Final answer:** 3.5 km"]),
        ("Soy has 5.", []),
        ("", []),
    ],
)
def test_sentences_that_state_the_result(text, found):
    assert [text[start:end] for start, end in conclusions(text)] == found
