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


@pytest.mark.parametrize(
    ("reference", "answer", "share"),
    [
        ("two million", "2,000,000", 1.0),
        ("Twenty-five.", "25", 1.0),
        ("Seven", "eight", 0.0),
        # Vague, part of a sentence, or a fraction: nothing is expected.
        ("one", "1", None),
        ("two of the men", "2", None),
        ("one third", "33.3%", None),
        # Cents are hundredths of any money; a bare number may be in either.
        ("$0.40", "40 cents", 1.0),
        ("52 cents", "$0.52", 1.0),
        ("52 cents", "52", 1.0),
        ("52 cents", "$60", 0.0),
        ("€1.577bn", "1 577 million euros", 1.0),
    ],
)
def test_numbers_in_words_and_cents(reference, answer, share):
    assert match_numbers("How many?", [reference], answer).share == share
