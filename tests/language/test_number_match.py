import pytest

from ragauge.language.number_agreement import Agreement
from ragauge.language.number_match import match_numbers


def test_the_reference_with_most_of_its_numbers_counts():
    match = match_numbers(None, ["5 and 6", "7"], "5 or 7")
    assert [each.number for each in match.matched] == ["7"]
    assert match.share == 1.0


def test_nothing_is_expected_without_numbers():
    assert match_numbers(None, [], "5").share is None
    assert match_numbers("How many?", ["none"], "5").expected == ()


def test_a_number_and_its_rounded_form_are_one():
    match = match_numbers(None, ["2.774729, so $2.77"], "2.774729")
    assert [each.number for each in match.expected] == ["2.774729"]


@pytest.mark.parametrize(
    ("answer", "matched_by", "how"),
    [
        ("1577 or $1.6bn", "1577", "exact"),
        ("$1.577bn, $1.6bn", "$1.577bn", "scale"),
        ("$1.6bn", "$1.6bn", "scale and rounding"),
        ("It fell by 1577.", "1577", "exact"),
        ("-1577 (a loss)", "-1577", ""),
        ("(1577.2)", "1577.2", "rounding"),
    ],
)
def test_the_most_exact_number_matches(answer, matched_by, how):
    (row,) = match_numbers("Capex in USD millions?", ["1577"], answer).expected
    assert (row.matched_by, row.how) == ((matched_by, how) if how else ("", ""))


def test_rules_can_be_given():
    exact = Agreement(rounding="none")
    assert match_numbers(None, ["1.58"], "1.577", exact).share == 0.0
    assert match_numbers(None, ["1.58"], "1.577").share == 1.0
