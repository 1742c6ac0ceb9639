import pytest

from ragauge.language.named_numbers import expected_names, named_numbers
from ragauge.language.numbers import quantities


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("v1.3, version 1.30 and 2.0.1", [("1.3",), ("1.30",), ("2.0.1",)]),
        ("v1.3.0 is 1.3", [("1.3",)]),
        ("v2, V3.1; mp3 v4", [("2",), ("3.1",), ("4",)]),
        # A sum, a date, thousands with points, a grade and a verb are none.
        ("1.3 and 5.3.2021, 1.234.567, level 5, they release 4 songs", []),
        ("5 pm, 17:00 Uhr, 17.30 Uhr", [("5:00 pm",), ("5:00 pm",), ("5:30 pm",)]),
        ("um 9 Uhr", [("9:00 am", "9:00 pm")]),
        ("noon", [("12:00 pm",)]),
        # A place in a book, and what may be a duration.
        ("Acts 1:13, in 2:11:53", []),
    ],
)
def test_versions_and_times_of_day_are_found(text, names):
    assert sorted(each.keys for each in named_numbers(text, quantities(text))) == sorted(names)


def test_what_the_question_states_is_not_expected():
    def expected(question):
        return {each.text for each in expected_names(question, "At 5 pm, v2", ())}

    assert expected("Which comes at 17:00?") == {"v2"}
    assert expected("Is it v2 at 5 pm?") == {"v2", "5 pm"}, "all, where it states them all"


def test_where_a_version_is_asked_for_bare_numbers_are_versions():
    found = quantities("3.10 of 4")
    assert [each.text for each in expected_names("Which version?", "3.10 of 4", found)] == ["3.10"]
    assert expected_names("How many?", "3.10 of 4", found) == []
