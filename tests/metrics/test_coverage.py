import pytest
from pytest import approx

import ragauge as rg
from ragauge.score import Status

EXPECTED = "Territory 118 has a rate change of 0.305%"
GENERATED = "The rate change for Territory 118 is 0.305%"


def test_the_published_example_of_keyword_coverage_is_covered_whole():
    score = rg.score("keyword_coverage", answer=GENERATED, reference=EXPECTED)
    assert score.value == 1.0
    assert {"Territory 118", "0.305%"} <= set(score.evidence["matched"])
    # By the regular expressions: {118, 0.305%, territory, rate, change}, all of them.
    score = rg.score('keyword_coverage(extractor="regex")', answer=GENERATED, reference=EXPECTED)
    assert score.value == 1.0
    assert score.evidence["matched"] == ["0.305%", "118", "change", "rate", "territory"]


def test_half_of_the_keywords_are_half_of_the_coverage():
    # Of the reference's {Base Rates, base, rates, 293} the answer has {base, rates} and 294.
    score = rg.score("keyword_coverage", answer="base rates of 294", reference="Base Rates: 293")
    assert score.evidence == {
        "matched": ["base", "rates"],
        "unmatched": ["293", "Base Rates"],
    }
    assert score.value == 0.5


def test_the_published_example_of_number_match():
    assert rg.score("number_match", answer="The premium is $604", reference="$604").value == 1.0
    label = 'number_match(extractor="regex")'
    assert rg.score(label, answer="The premium is $604", reference="$604").value == 1.0


@pytest.mark.parametrize(
    ("reference", "answer", "value"),
    [
        ("$1,000", "1000.0 dollars", 1.0),
        ("5%", "5", 0.0),
        ("-0.133", "it fell by 0.133", 0.0),
        ("5,000,000", "5 million", 1.0),
        ("604 and 293", "$604", 0.5),
        ("604, 604 and 604", "604", 1.0),
        ("On 5 March 2021 it was 7", "7", 1.0),
        ("1. Fee: $60\n2. Beds: 12", "60 pounds, 12 beds", 1.0),
    ],
)
def test_numbers_are_compared_by_value(reference, answer, value):
    assert rg.score("number_match", answer=answer, reference=reference).value == value


@pytest.mark.parametrize(
    ("reference", "answer", "value"),
    [
        ("1,000", "1000", 0.0),  # {1, 000} against {1000}
        ("1,000", "1,000", 1.0),
        ("-0.133%", "0.133", 1.0),  # sign and percent sign are ignored
        ("604.", "604", 0.0),  # {604.} against {604}
        ("5 million", "5,000,000", 1.0),  # {5} of {5, 000, 000}
    ],
)
def test_numbers_of_the_regular_expression_are_compared_as_text(reference, answer, value):
    label = 'number_match(extractor="regex")'
    assert rg.score(label, answer=answer, reference=reference).value == value


@pytest.mark.parametrize("name", ["keyword_coverage", "number_match", "answer_completeness"])
@pytest.mark.parametrize("extractor", ["default", "regex"])
def test_where_nothing_is_expected_the_setting_decides(name, extractor):
    fields = {"answer": "7 words", "reference": "is it"}
    plain = rg.score(f'{name}(extractor="{extractor}")', **fields)
    assert plain.status is Status.UNDEFINED
    # answer_completeness: two words of two, and coverage 1.
    given = rg.score(f'{name}(extractor="{extractor}",on_nothing_expected=1)', **fields)
    assert given.value == 1.0


def test_completeness_is_the_mean_of_length_and_coverage():
    # 3 of 4 words; {premium} of {premium, monthly}: (3/4 + 1/2) / 2.
    score = rg.score(
        "answer_completeness", answer="the premium is", reference="the premium is monthly"
    )
    assert score.value == approx((3 / 4 + 1 / 2) / 2)


def test_an_answer_longer_than_the_reference_is_no_more_than_complete():
    score = rg.score("answer_completeness", answer="premium " * 9, reference="premium")
    assert score.value == 1.0


def test_an_empty_answer_covers_nothing_and_an_empty_reference_expects_nothing():
    assert rg.score("answer_completeness", answer="", reference="premium").value == 0.0
    assert rg.score("answer_completeness", answer="x", reference="").status is Status.UNDEFINED
    full = rg.score("answer_completeness(on_nothing_expected=1)", answer="x", reference="")
    assert full.value == 1.0


@pytest.mark.parametrize(
    ("fields", "value"),
    [
        ({"references": ["$604"]}, 0.5),
        ({"contexts": ["604 dollars", "seven"]}, 1.0),
        ({"references": ["604"], "contexts": ["7"]}, 1.0),
        ({"references": ["604"], "contexts": []}, 0.5),
        ({"contexts": []}, 0.0),  # searched and found nothing
    ],
)
def test_number_precision_is_the_share_of_numbers_that_stand_somewhere(fields, value):
    score = rg.score("number_precision", answer="It costs $604, not $604 or $7.", **fields)
    assert score.value == value


def test_number_precision_without_numbers_or_without_anything_to_compare_with():
    none = rg.score("number_precision", answer="It costs little.", references=["604"])
    assert none.status is Status.UNDEFINED
    assert rg.score("number_precision", answer="$604").status is Status.MISSING
    nowhere = rg.score("number_precision", answer="$604", references=[])
    assert nowhere.status is Status.UNDEFINED


def test_the_best_reference_counts():
    score = rg.score("number_match", answer="604", references=["605", "604"])
    assert (score.value, score.evidence["best_reference"]) == (1.0, 1)
