import pytest

from ragauge.language.numbers.expected_numbers import says_no_number, wants_no_number


@pytest.mark.parametrize(
    ("reference", "wants"),
    [("nm", True), ("N/M", True), ("Not meaningful.", True), ("500 nm", False), ("n/a", False)],
)
def test_references_that_want_no_number(reference: str, wants: bool):
    assert wants_no_number(reference) is wants


@pytest.mark.parametrize(
    ("answer", "said"),
    [("It is not meaningful.", "not meaningful"), ("nm", "nm"), ("5 nm", ""), ("12.5", "")],
)
def test_answers_that_say_so(answer: str, said: str):
    assert says_no_number(answer) == said
