from ragauge.language.numbers.expected_numbers import says_no_number, wants_no_number


def test_a_reference_may_want_no_number_and_an_answer_say_so():
    assert all(map(wants_no_number, ("nm", "N/M", "Not meaningful.")))
    assert not any(map(wants_no_number, ("500 nm", "n/a")))
    said = {"It is not meaningful.": "not meaningful", "nm": "nm", "5 nm": "", "12.5": ""}
    assert {answer: says_no_number(answer) for answer in said} == said
