import pytest
from cases import cases
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
        "why": "has 2 of the reference's 4 keywords; lacks '293', 'Base Rates'",
    }
    assert score.value == 0.5


@cases(
    ("Goethe", "lacks 'goethe'"), ("the lost Goethe", "has none of the reference's 2 keywords: ")
)
def test_the_reason_names_the_keywords_where_the_answer_has_none(reference, why):
    score = rg.score("keyword_coverage", answer="Rubens", reference=reference)
    assert score.evidence["why"].startswith(why)


@pytest.mark.parametrize("name", ["keyword_coverage", "number_match", "answer_completeness"])
@pytest.mark.parametrize("extractor", ["default", "regex"])
def test_where_nothing_is_expected_the_setting_decides(name, extractor):
    fields = {"answer": "7 words", "reference": "is it"}
    plain = rg.score(f'{name}(extractor="{extractor}")', **fields)
    assert plain.status is Status.UNDEFINED
    # answer_completeness: two words of two, and coverage 1.
    given = rg.score(f'{name}(extractor="{extractor}",on_nothing_expected=1)', **fields)
    assert given.value == 1.0


@cases(
    # 3 of 4 words; {premium} of {premium, monthly}: (3/4 + 1/2) / 2.
    ("", "the premium is", "the premium is monthly", (3 / 4 + 1 / 2) / 2),
    ("", "premium " * 9, "premium", 1),
    ("", "", "premium", 0),
    ("", "x", "", None),
    ("(on_nothing_expected=1)", "x", "", 1),
)
def test_completeness_is_the_mean_of_length_and_coverage(settings, answer, reference, value):
    score = rg.score(f"answer_completeness{settings}", answer=answer, reference=reference)
    assert score.value == (value if value is None else approx(value))
