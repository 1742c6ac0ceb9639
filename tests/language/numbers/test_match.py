from pathlib import Path

import pytest

from ragauge.language.numbers.agreement import Agreement
from ragauge.language.numbers.match import match_numbers

# Question, reference, and the share of the reference's numbers that each answer states.
SHARES = [
    # Numbers in words, cents and rounded numbers.
    ("How many?", "two million", {"2,000,000": 1}),
    ("How many?", "Twenty-five.", {"25": 1}),
    ("How many?", "Seven", {"eight": 0}),
    # Vague, or part of a sentence: nothing is expected. One quarter may be three months.
    ("How many?", "one", {"1": None}),
    ("How many?", "two of the men", {"2": None}),
    ("How many?", "one quarter", {"25%": None}),
    ("How many?", "one third", {"33.3%": 1}),
    ("How many?", "about two-thirds", {"67 percent": 1}),
    ("How many?", "two thirds", {"60%": 0}),
    ("How many?", "25%", {"a quarter of it": 1}),
    ("How many?", "half", {"50%": 1}),
    ("How many?", "a dozen", {"12 units": 1}),
    ("How many?", "half a million", {"500,000": 1}),
    ("How many?", "1,500", {"1.5 K": 1}),
    ("How many?", "1,234.5", {"1.234,5": 1}),
    ("How many?", "2,5 Mio. Euro", {"2.5 million euros": 1}),
    # The 1 of a ratio is not expected.
    ("How many?", "1.5 to 1", {"1.5": 1}),
    # After "about", zeros at the end round; what may be a year never does.
    ("How many?", "4,735", {"roughly 4,700 stores": 1, "4,700 stores": 0}),
    ("How many?", "4,735", {"roughly 4,000 stores": 0}),
    ("How many?", "216", {"over 220 countries": 0}),
    ("How many?", "21,196", {"over 21,000 km": 1}),
    ("How many?", "1780", {"circa 1800": 0}),
    # Cents are hundredths of any money; a bare number may be in either.
    ("How many?", "$0.40", {"40 cents": 1}),
    ("How many?", "52 cents", {"$0.52": 1, "52": 1, "$60": 0, "52 euros": 0, "5200 cents": 0}),
    ("How many?", "£0.50", {"50 pence": 1, "50 cents": 1, "50 centimes": 1, "5 pence": 0}),
    ("How many?", "€1.577bn", {"1 577 million euros": 1}),
    # A fall is not a rise.
    ("What was the growth?", "-3.4%", {"a decline of 3.4%": 1}),
    ("What was the growth?", "3.4%", {"a decline of 3.4%": 0}),
    ("What was the growth?", "3.4%", {"It declined 3.4% year over year.": 0}),
    ("What was the growth?", "3.4%", {"Costs declined, but sales increased by 3.4%.": 1}),
    ("What was the growth?", "(3.4)%", {"down 3.4%": 1}),
    (None, "-5%", {"It decreased by 5%.": 1, "It increased by 5%.": 0}),
    (None, "Costs fell by 5%", {"a change of -5%": 1}),
    (None, "$(389) million", {"-$389 million": 1}),
    (None, "-389", {"Dividends (389)": 1}),
    ("How did it change?", "It rose 8%.", {"It was 8% lower.": 0, "It was 8%.": 1}),
    ("How did it change?", "It cut its debt by $2bn.", {"It decreased its debt by $2bn.": 1}),
    # A level is no change.
    ("What was net income?", "$1.1bn", {"Net income declined to $1.1bn.": 1}),
    ("What was net income?", "$1.1bn", {"Net income was $1.1bn, after a net loss of $2bn.": 1}),
    ("What was net income?", "$1.1bn", {"It had a net loss of $1.1bn.": 0}),
    ("What was net income?", "(1,577)", {"a net loss of 1,577": 1}),
    ("What was the gain or loss?", "a gain of $12m", {"a loss of $12m": 0}),
    ("What was the gain or loss?", "a loss of $12m", {"-$12m": 1}),
    # A question for a loss or a fall leaves the sign open; a yes-or-no question says nothing.
    ("What was the operating loss?", "$45m", {"-$45m": 1}),
    ("How much did costs fall?", "4.5%", {"They rose by 4.5%.": 0}),
    ("Has the debt increased?", "$2bn", {"a decrease of $2bn": 1}),
    # What a reference wants: the only number in words of a short one.
    ("How did profit change?", "It doubled.", {"It rose by 100%.": 1, "It rose by 50%.": 0}),
    ("How did profit change?", "halved", {"It fell by half.": 1}),
    ("How often did they win?", "twice", {"They won 2 times.": 1}),
    ("How often did they win?", "three times", {"They won twice.": 0}),
    ("Which majority?", "a two-thirds majority", {"66.7% of the votes": 1}),
    ("In which season?", "season four", {"in the fourth season": 1}),
    ("In which season?", "the fourth season", {"in season 5": 0}),
    ("How many?", "five starters", {"6": 0}),
    # A share, if one is asked for. Beside numbers in digits, measures in words.
    ("What share is it?", "three quarters", {"75%": 1, "25%": 0}),
    ("When did it grow?", "in three quarters", {"75%": None}),
    ("What is the penalty?", "five years and £500", {"Two years and £500.": 0.5}),
    # Names, people and vague numbers.
    ("Which film?", "Six Degrees of Separation", {"Six Degrees of Separation": None}),
    ("Which seas?", "the Four Seas", {"4": None}),
    ("Who?", "one of them", {"1": None}),
    ("What?", "a pronoun of more words than six, such as two", {"2": None}),
    # Nothing, and no number.
    ("What was the dividend?", "nil", {"It was $0.": 1, "It was 12 cents.": 0}),
    ("What was the ratio?", "nm", {"It is not meaningful.": 1}),
    ("What was the ratio?", "n/m", {"It was 12.5.": 0}),
    # In German, the point before Mio. separates thousands.
    ("Umsatz?", "2.300 Mio. Euro", {"2,3 Milliarden Euro": 1, "2.3 million euros": 0}),
    # A number that the answer denies is not stated.
    (None, "5 islands", {"There are 6, not 5.": 0}),
    (None, "6 islands", {"There are 6, not 5.": 1}),
    (None, "£76", {"It is £60 instead of £76.": 1}),
    (None, "5", {"not only 5 but all 5": 1, "It cannot 5": 1}),
    # Other forms.
    (None, "20%", {"One in five left.": 1}),
    (None, "25%", {"One in five left.": 0}),
    (None, "2 in 10 left", {"20% left": 1, "30% left": 0}),
    (None, "8 out of 10", {"8 of the 10 left": 1}),
    (None, "Sales rose 100%", {"Sales doubled.": 1}),
    (None, "Sales rose 200%", {"Sales doubled.": 0}),
    (None, "2x", {"Sales doubled.": 1}),
    (None, "Sales fell 50%", {"Sales halved.": 1}),
    (None, "Sales rose 50%", {"Sales halved.": 0}),
    (None, "90 minutes", {"1.5 hours": 1}),
    (None, "2 hours", {"120 min": 1, "2 days": 0, "100 minutes": 0}),
    (None, "1 week", {"7 days": 1}),
    (None, "2 years", {"24 months": 1}),
    (None, "5 mg/L", {"5,000 µg/L": 1, "5 µg/L": 0}),
    (None, "30%", {"3 of 10 came": 1}),
    (None, "$(0.45)", {"earnings of 45 cents a share": 0}),
    (None, "5 km", {"5,000 m": 1, "5 m": 0, "5 kg": 0}),
    (None, "250 mg", {"0.25 g": 1, "0.25 mg": 0}),
    (None, "1.5 GB", {"1,500 MB": 1, "1.5 MB": 0}),
    (None, "1.58 km", {"1,577 m": 1}),
    (None, "£10", {"10 days": 0, "10": 1}),
    (None, "5 m", {"$5": 1}),  # m may be million
    (None, "1,228 km", {"1,228 km/h": 1}),
    (None, "120 km/h", {"2 hours": 0}),  # which is 120 min
    (None, "120", {"2 hours": 0}),
    (None, "12.345 (thousand)", {"$12,345": 1}),
    (None, "$12,345 (in thousands)", {"$12.3 million": 1, "$12.3 billion": 0}),
    (None, "1,2 Milliarden Euro", {"1.200 Millionen Euro": 1}),
    (None, "3.400 millones", {"€3.4 billion": 1}),
    (None, "2,5 milliards d'euros", {"2 500 millions d'euros": 1}),
    ("By how many basis points did it widen?", "120", {"It widened by 1.2 percentage points.": 1}),
    ("By how many basis points did it widen?", "120", {"It widened by 120.": 1}),
    ("By how many basis points did it widen?", "45", {"45%": 0}),
    # Measures of several words.
    (None, "1 h 30 min", {"90 minutes": 1, "1.5 hours": 1, "1 hour and 30 minutes": 1}),
    (None, "1 h 30 min", {"1 hour and 50 minutes": 0, "1 hour and 30": 1}),
    (None, "45 minutes", {"three quarters of an hour": 1, "half an hour": 0}),
    (None, "500 g", {"half a kilo": 1}),
    (None, "5 feet 7 inches", {"5'7\"": 1}),
    (None, "2 hours 11 minutes 53 seconds", {"She won in 2:11:53.": 1, "2:11:54": 0}),
    (None, "2 hours 11 minutes 53 seconds", {"It began at 2:11:53.": 0, "2:11:53 pm": 0}),
    (None, "14 days", {"a fortnight": 1}),
    (None, "22 days", {"one fortnight": 0}),
    # Measures in other units.
    (None, "212 °F", {"100 °C": 1, "100 °F": 0}),
    (None, "-10 °C", {"14 °F": 1}),
    # 176.7 °C; zeros at the end may round in another unit, those of times may not.
    (None, "350 °F", {"177 °C": 1, "180 °C": 1, "190 °C": 0}),
    (None, "42.195 km", {"26.2 miles": 1, "26.4 miles": 0}),
    (None, "1,776 feet", {"541 m": 1}),
    (None, "1 lb", {"about 450 g": 1}),
    (None, "120 km/h", {"75 mph": 1}),
    (None, "100 km", {"100 miles": 0}),
    (None, "2 tsp", {"2 tablespoons": 0}),
    (None, "500 nm", {"0.5 µm": 1, "500 µm": 0}),
    (None, "100 km²", {"38.6 square miles": 1}),
    # A text that gives both units is taken at its word.
    (None, "12.9 km", {"8 miles (12.8 km)": 0, "8 miles": 1}),
    # Names are compared by what they name.
    ("Which comes at 17:00?", "v2 at 5 pm", {"v2": 1}),
    ("Is it v2 at 5 pm?", "v2 at 5 pm", {"v2": 0.5}),
    ("Which version?", "3.10", {"3.1": 0}),
    ("How many litres?", "3.10", {"3.1": 1}),
    ("What is it?", "v2", {"2 of them": 1}),
    ("When?", "9:30", {"9:30 pm": 1}),
    ("When?", "9:30 am", {"9:30 pm": 0, "570": 0}),
    ("When?", "midnight", {"0:00": 1}),
]


@pytest.mark.parametrize(("question", "reference", "shares"), SHARES)
def test_the_share_of_expected_numbers_that_an_answer_states(question, reference, shares):
    found = {answer: match_numbers(question, [reference], answer).share for answer in shares}
    assert found == shares


def test_number_match_agrees_with_a_person_on_most_pairs():
    """Pairs from finance, science, law, recipes, sports and travel."""
    lines = Path(__file__).with_name("number_pairs.txt").read_text("utf-8").splitlines()
    rows = [line.split("|") for line in lines if not line.startswith("#")]
    agreed = 0
    for question, reference, answer, label in rows:
        share = match_numbers(question, [reference], answer).share
        agreed += share is not None and (share == 1) == (label == "1")
    assert len(rows) == 76
    assert agreed >= 68


def test_the_reference_with_most_of_its_numbers_counts():
    match = match_numbers(None, ["5 and 6", "7"], "5 or 7")
    assert ([each.number for each in match.matched], match.share) == (["7"], 1.0)


def test_a_number_and_its_rounded_form_are_one_and_nothing_is_expected_without_numbers():
    match = match_numbers(None, ["2.774729, so $2.77"], "2.774729")
    assert [each.number for each in match.expected] == ["2.774729"]
    assert match_numbers(None, [], "5").share is None
    assert match_numbers("How many?", ["none"], "5").expected == ()


@pytest.mark.parametrize(
    ("question", "reference", "answer", "matched_by", "how"),
    [
        *(
            ("Capex in USD millions?", "1577", *row)
            for row in [
                ("1577 or $1.6bn", "1577", "exact"),
                ("$1.577bn, $1.6bn", "$1.577bn", "scale"),
                ("$1.6bn", "$1.6bn", "scale and rounding"),
                ("It fell by 1577.", "1577", "exact"),
                ("-1577 (a loss)", "", ""),
                ("(1577.2)", "1577.2", "rounding"),
            ]
        ),
        (None, "350 °F", "177 °C", "177 °C", "unit and rounding"),
    ],
)
def test_the_most_exact_number_matches(question, reference, answer, matched_by, how):
    (row,) = match_numbers(question, [reference], answer).expected
    assert (row.matched_by, row.how) == (matched_by, how)


def test_rules_can_be_given():
    exact = Agreement(rounding="none")
    assert match_numbers(None, ["1.58"], "1.577", exact).share == 0.0
    assert match_numbers(None, ["1.58"], "1.577").share == 1.0
