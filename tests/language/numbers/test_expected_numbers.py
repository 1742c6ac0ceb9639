import pytest

from ragauge.language.numbers.expected_numbers import conclusions, says_no_number, wants_no_number


def test_a_reference_may_want_no_number_and_an_answer_say_so():
    assert all(map(wants_no_number, ("nm", "N/M", "Not meaningful.")))
    assert not any(map(wants_no_number, ("500 nm", "n/a")))
    said = {"It is not meaningful.": "not meaningful", "nm": "nm", "5 nm": "", "12.5": ""}
    assert {answer: says_no_number(answer) for answer in said} == said


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
