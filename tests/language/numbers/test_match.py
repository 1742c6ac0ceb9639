import pytest

from ragauge.language.numbers.agreement import Agreement
from ragauge.language.numbers.match import match_numbers


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
        # Vague, or part of a sentence: nothing is expected. One quarter may be three months.
        ("one", "1", None),
        ("two of the men", "2", None),
        ("one quarter", "25%", None),
        ("one third", "33.3%", 1.0),
        ("about two-thirds", "67 percent", 1.0),
        ("two thirds", "60%", 0.0),
        ("25%", "a quarter of it", 1.0),
        ("half", "50%", 1.0),
        ("a dozen", "12 units", 1.0),
        ("half a million", "500,000", 1.0),
        ("1,500", "1.5 K", 1.0),
        ("1,234.5", "1.234,5", 1.0),
        ("2,5 Mio. Euro", "2.5 million euros", 1.0),
        # The 1 of a ratio is not expected.
        ("1.5 to 1", "1.5", 1.0),
        # After "about", zeros at the end round; what may be a year never does.
        ("4,735", "roughly 4,700 stores", 1.0),
        ("4,735", "4,700 stores", 0.0),
        ("4,735", "roughly 4,000 stores", 0.0),
        ("216", "over 220 countries", 0.0),
        ("21,196", "over 21,000 km", 1.0),
        ("1780", "circa 1800", 0.0),
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


@pytest.mark.parametrize(
    ("question", "reference", "answer", "share"),
    [
        ("What was the growth?", "-3.4%", "a decline of 3.4%", 1.0),
        ("What was the growth?", "3.4%", "a decline of 3.4%", 0.0),
        ("What was the growth?", "3.4%", "It declined 3.4% year over year.", 0.0),
        ("What was the growth?", "(3.4)%", "down 3.4%", 1.0),
        ("What was the growth?", "3.4%", "Costs declined, but sales increased by 3.4%.", 1.0),
        ("How did it change?", "It rose 8%.", "It was 8% lower.", 0.0),
        ("How did it change?", "It rose 8%.", "It was 8%.", 1.0),
        ("How did it change?", "It cut its debt by $2bn.", "It decreased its debt by $2bn.", 1.0),
        # A level is no change.
        ("What was net income?", "$1.1bn", "Net income declined to $1.1bn.", 1.0),
        ("What was net income?", "$1.1bn", "Net income was $1.1bn, after a net loss of $2bn.", 1.0),
        ("What was net income?", "$1.1bn", "It had a net loss of $1.1bn.", 0.0),
        ("What was net income?", "(1,577)", "a net loss of 1,577", 1.0),
        ("What was the gain or loss?", "a gain of $12m", "a loss of $12m", 0.0),
        ("What was the gain or loss?", "a loss of $12m", "-$12m", 1.0),
        # A question for a loss or a fall leaves the sign open; a yes-or-no question says nothing.
        ("What was the operating loss?", "$45m", "-$45m", 1.0),
        ("How much did costs fall?", "4.5%", "They rose by 4.5%.", 0.0),
        ("Has the debt increased?", "$2bn", "a decrease of $2bn", 1.0),
    ],
)
def test_a_fall_is_not_a_rise(question, reference, answer, share):
    assert match_numbers(question, [reference], answer).share == share
