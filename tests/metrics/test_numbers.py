import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

import ragauge as rg
from ragauge.errors import PlanError
from ragauge.score import Status

RENT = "What rent did Alder Foods pay in FY2019 (in USD millions)?"
STORES = "Did the 12 stores of Alder sell more in 2018 than in 2017?"
WORKING = "Gross rent is $52.4 million, less $3.1 million. Therefore, rent was $49.3 million."
REGEX = 'extractor="regex"'
ROWS = [
    # Question, reference, settings, and the value of each answer.
    # By value.
    (None, "$1,000", "", {"1000.0 dollars": 1}),
    (None, "-0.133", "", {"it rose by 0.133": 0, "it fell by 0.133": 1}),
    (None, "604 and 293", "", {"$604": 0.5}),
    (None, "604, 604 and 604", "", {"604": 1}),
    (None, "1. Fee: $60\n2. Beds: 12", "", {"60 pounds, 12 beds": 1}),
    # In the scale that the question names.
    (RENT, "2384", "", {"$2,384 million": 1, "$2.384 billion": 1, "$2,384,000,000": 1}),
    (RENT, "2384", "", {"$2.4 billion": 1}),  # 2384 to two digits
    (RENT, "$2,384,000,000", "", {"2,384": 1}),
    (RENT, "2384", "", {"$2 billion": 0}),  # 2384 to one digit differs by 16%
    (RENT, "2384", "", {"$2,384": 1}),  # bare: in millions, as the question wants it
    (RENT, "2384", "", {"$2,384 thousand": 0, "$2,385 million": 0, "23.84%": 0}),
    (RENT, "2384", "", {"It paid no rent in FY2019.": 0}),
    # In percent.
    ("What share of sales is rent?", "0.308", "", {"30.8%": 1}),
    ("What is the margin in percent?", "30.8", "", {"30.8%": 1}),
    ("What is the margin?", "30.8%", "", {"0.308": 1}),
    ("What is the margin?", "0.308", "", {"30.8": 1}),
    ("How long is it?", "0.308", "", {"30.8%": 0}),
    (None, "0.308", "", {"30.8%": 0}),
    (None, "0.05", 'percent="as_fraction"', {"5%": 1}),
    (None, "5", 'percent="as_fraction"', {"5%": 0}),
    ("What is the margin?", "0.308", 'percent="distinct"', {"30.8%": 0}),
    (None, "0.2%", "", {"20 basis points": 1}),
    ("What is the ratio?", "0.02", "", {"the mean is the sum / 2": 0}),
    (None, "Two owners:\n-60% family\n-40% staff", "", {"60% and 40%": 1}),
    # A small number in words is no rounded one.
    (None, "0.96", "", {"It rounds to one decimal.": 0}),
    # A bare number of three digits may be in a scale that nothing names.
    ("What was the rent?", "2384", "", {"$2.384 billion": 1}),
    ("What was the rent?", "$2.384 billion", "", {"2384": 1}),
    ("How many cooks were there?", "24", "", {"24 million": 0}),
    ("How many cooks were there?", "2400", "", {"2.4 million": 0}),  # two digits, 2 and 4
    ("How many were there?", "2384", "", {"2384000": 0}),  # neither has a scale word
    # In a scale that the answer names.
    (None, "$447,489,000", "", {"Sales were 447,489 (in thousands).": 1}),
    (RENT, "447", "", {"Rent was 447,489 (in thousands).": 1}),
    # Numbers that the question states are not expected, if there are others.
    (STORES, "Yes, the 12 stores sold 31 tons in 2018", "", {"31 tons": 1}),
    (STORES, "12", "", {"12 stores": 1}),
    # A number before a conclusion with another one counts half.
    (RENT, "52.4", "", {WORKING: 0.5}),
    (RENT, "49.3", "", {WORKING: 1}),
    (RENT, "52.4", "", {f"{WORKING} Before rebates, it was $52.4 million.": 1}),
    (RENT, "52.4", "", {"It was $52.4 million. So Alder paid rent in FY2019.": 1}),
    (RENT, "52.4 and 3.1", "", {WORKING: 1}),  # of two expected numbers, an answer may conclude with one
    # Within a tolerance.
    (None, "93.86", "", {"93.89": 0}),
    (None, "93.86", "rtol=0.001", {"93.89": 1}),  # 0.03 <= 0.09386
    (None, "93.86", "atol=0.03", {"93.89": 1}),
    (None, "93.86", "atol=0.02", {"93.89": 0}),
    (None, "0", "atol=0.02", {"0.01": 1}),
    # As text, by the regular expression.
    (None, "1,000", REGEX, {"1000": 0}),  # {1, 000} against {1000}
    (None, "1,000", REGEX, {"1,000": 1}),
    (None, "-0.133%", REGEX, {"0.133": 1}),  # sign and percent sign are ignored
    (None, "604.", REGEX, {"604": 0}),  # {604.} against {604}
    (None, "5 million", REGEX, {"5,000,000": 1}),  # {5} of {5, 000, 000}
]  # fmt: skip


def match(question, reference, answer, settings=""):
    label = f"number_match({settings})" if settings else "number_match"
    return rg.score(label, question=question, reference=reference, answer=answer).value


@pytest.mark.parametrize(("question", "reference", "settings", "values"), ROWS)
def test_which_numbers_match(question, reference, settings, values):
    assert {answer: match(question, reference, answer, settings) for answer in values} == values


OFFER = "In 12 shops: $2.4 billion or 7"


@cases(
    # The share of numbers that stand somewhere.
    ("It costs $604, not $604 or $7.", {"references": ["$604"]}, 0.5),
    ("It costs $604, not $604 or $7.", {"contexts": ["604 dollars", "seven"]}, 1.0),
    ("It costs $604, not $604 or $7.", {"references": ["604"], "contexts": ["7"]}, 1.0),
    ("It costs $604, not $604 or $7.", {"references": ["604"], "contexts": []}, 0.5),
    ("It costs $604, not $604 or $7.", {"contexts": []}, 0.0),  # searched and found nothing
    # 12 is the question's; of 2.4 billion and 7, the context has 2,384 million.
    (OFFER, {"question": "What did 12 shops pay?", "contexts": ["$2,384 million"]}, 0.5),
    ("$2,384 million", {"contexts": ["rent (in millions) 2,384"]}, 1.0),
    ("$2,384 million", {"contexts": ["rent (in thousands) 2,384"]}, 0.0),
    ("$2,384 million", {"contexts": ["rent 2,384"]}, 1.0),
    ("It fell by 5%.", {"contexts": ["a change of -5%"]}, 1.0),
    ("$1 billion", {"contexts": ["$1,384 million"]}, 0.0),
    ("49.3", {"references": ["49"], "contexts": ["none"]}, 1.0),
    # Only in a number of its kind; the first equal number is not the only one.
    ("It costs £10.", {"contexts": ["Cancel within 10 days; it costs £12."]}, 0.0),
    ("In 10 days.", {"contexts": ["Cancel within 10 days; it costs £12."]}, 1.0),
    ("At 120 km/h.", {"contexts": ["It takes two hours."]}, 0.0),
    ("It costs £10.", {"contexts": ["10 days", "It costs £10."]}, 1.0),
    # Without numbers of its own, or without anything to compare with.
    ("It costs little.", {"references": ["604"]}, "undefined"),
    ("12, because.", {"question": "Why 12?", "contexts": ["12"]}, "undefined"),
    ("$604", {"references": []}, "undefined"),
    ("$604", {}, "missing"),
)
def test_number_precision_is_the_share_of_numbers_that_stand_somewhere(answer, fields, value):
    score = rg.score("number_precision", answer=answer, **fields)
    assert (score.status if score.value is None else score.value) == value


@cases(
    ("8.7", "8.738", 1.0),
    ("8.738", "8.7", 1.0),  # differs by 0.4%
    ("2.61", "3", 1.0),  # differs by 0.39, at most 15% of 2.61 (0.3915)
    ("2.60", "3", 0.0),  # differs by 0.40, more than 15% of 2.60 (0.39)
    ("0.66", "0.7", 1.0),
    ("1.577", "2", 0.0),  # differs by 27%
    ("24.26", "24.25", 0.0),
    ("8.7", "8.75", 0.0),  # rounds to 8.8
    ("8.7", "8.65", 1.0),  # half away from zero
    ("-0.02", "-0.0153", 1.0),  # decimals show how precise the reference is
    ("-0.0153", "-0.02", 0.0),  # differs by 31%
    ("3%", "2.7%", 1.0),
    ("2.7%", "3%", 1.0),  # differs by 11%
    ("1423", "1", 0.0),
    ("1423", "1000", 0.0),
    ("1423", "1400", 0.0),  # states four digits
    ("1423", "1.4 thousand", 1.0),
    ("0", "0.3", 0.0),
    ("0.0%", "0.04%", 0.0),
    ("12", "12.4", 1.0),
    ("1", "1.4", 0.0),  # differs by 29%
    ("0.96", "1", 1.0),
)
def test_rounded_numbers(reference, answer, value):
    assert match(None, reference, answer) == value
    exact = float(float(reference.strip("%")) == float(answer.split()[0].strip("%")))
    assert match(None, reference, answer, 'rounding="none"') == exact


def test_names_with_digits_are_no_quantities():
    reference = (
        "3M's 10-K and 8-K for FY2018, Q3 and H1: COVID-19 hurt the S&P 500 and 401(k) plans."
    )
    assert rg.score("number_match", answer="7", reference=reference).status is Status.UNDEFINED


def test_a_tolerance_below_0_is_refused():
    with pytest.raises(PlanError, match="rtol must be"):
        match(None, "1", "1", "rtol=-1")


def test_the_evidence_says_how_each_number_matched():
    texts = {"question": RENT, "reference": "2384 and 16", "answer": "about $2.4 billion"}
    score = rg.score("number_match", **texts)
    found = {"number": "2384", "value": "2384", "matched_by": "$2.4 billion"}
    assert score.value == 0.5
    assert score.evidence == {
        "matched": ["2384"],
        "unmatched": ["16"],
        "matches": [{**found, "how": "scale and rounding", "credit": 1.0}],
        "why": "states 2384 as $2.4 billion; lacks 16",
    }
    halved = rg.score("number_match", question=RENT, reference="52.4", answer=WORKING)
    found = {"number": "52.4", "value": "52.4", "matched_by": "$52.4 million", "how": "scale"}
    assert halved.evidence["matches"] == [{**found, "credit": 0.5}]


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=8), st.lists(st.integers(0, 10**6)))
def test_more_numbers_in_the_answer_never_lower_the_match(expected, given_numbers):
    reference = "; ".join(map(str, expected))
    answer = "; ".join(map(str, given_numbers))
    before = match(None, reference, answer)
    after = match(None, reference, f"{answer}; {expected[0]}")
    assert 0 <= before <= after <= 1
    assert match(None, reference, f"{reference}; {answer}") == 1.0


def test_the_evidence_of_number_precision_names_the_sources():
    score = rg.score("number_precision", answer="9 or 1.4 km", contexts=["1.38 km"])
    assert score.evidence == {
        "supported": ["1.4"],
        "invented": ["9"],
        "matches": [
            {"number": "1.4 km", "value": "1.4", "matched_by": "1.38 km", "how": "rounding"}
        ],
        "why": "a context has 1.4 km; none has 9",
    }


def test_dates_are_named_where_there_are_no_other_numbers():
    texts = {"reference": "It opened on 3 May 2019.", "answer": "In 2019."}
    assert rg.score("number_match", **texts).reason == "the reference has no numbers but dates"
    said = "the answer states no numbers of its own but dates"
    assert rg.score("number_precision", **texts).reason == said


@pytest.mark.parametrize("text", ["3.1; ", "So: ", "1 (2) -", "so 5. ", "in millions $"])
def test_long_texts_take_linear_time(text, assert_linear_time):
    assert_linear_time(
        lambda part: match(part, part, part), lambda n: text * (n // len(text)), 4000
    )


@cases(
    (None, "declined 3.4%", "It grew 3.4%.", "3.4% is a rise, a fall is expected"),
    ("What was the growth?", "3.4%", "It fell 3.4%.", "3.4% is a fall, a rise is expected"),
    ("What was the growth?", "3.4%", "-3.4%", "-3.4% is negative, a rise is expected"),
    (None, "a loss of $5m", "a profit of $5m", "$5m is a gain, a loss is expected"),
    (None, "-0.133", "0.133", "0.133 is positive, negative is expected"),
    (None, "0.133", "-0.133", "-0.133 is negative"),
)
def test_the_evidence_names_a_number_in_the_opposite_direction(
    question, reference, answer, opposite
):
    score = rg.score("number_match", question=question, reference=reference, answer=answer)
    assert score.value == 0.0
    assert score.evidence["opposite"] == opposite


def test_only_the_direction_makes_a_number_opposite():
    score = rg.score("number_match", reference="declined 3.4%", answer="It grew 3.5%.")
    assert "opposite" not in score.evidence
    assert "opposite" not in rg.score("number_match", reference="-5", answer="-5").evidence
