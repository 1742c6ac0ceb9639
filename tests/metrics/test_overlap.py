import re
import string
from collections import Counter

import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx
from rapidfuzz import fuzz

import ragauge as rg
from ragauge.metrics.overlap import exact_match, fuzzy_match, token_f1
from ragauge.score import Status

WORDS = st.text("ab c.,THEthe an'1", max_size=30)


@cases(
    ("The  Premium\n\tis $604 ", "the premium is $604", "lower_ws", 1.0),
    ("The premium is $604.", "the premium is $604", "lower_ws", 0.0),
    ("cafe\u0301", "CAFÉ", "lower_ws", 1.0),
    ("", "  ", "lower_ws", 1.0),
    ("", "a", "lower_ws", 0.0),
    ("The hut.", "hut", "squad", 1.0),
    ("a  b", "a b", "strip_lower", 0.0),
    ("A", "a", "none", 0.0),
)
def test_exact_match_forgives_case_and_whitespace_or_what_is_named(
    answer, reference, normalize, value
):
    assert exact_match(answer, reference, normalize=normalize).value == value


@cases(
    # {cat: 1, sat: 1} and {cat: 2, sat: 1, down: 1}: 2 shared of 2 and of 4; F1 = 2 · 2 / 6.
    ("cat sat", "cat cat sat down", "multiset", 4 / 6),
    # {cat, sat} and {cat, sat, down}: F1 = 2 · 2 / 5.
    ("cat sat", "cat cat sat down", "set", 4 / 5),
    ("the", "an.", "multiset", 1),
    ("", "hut", "multiset", 0),
    ("hut", "", "multiset", 0),
)
def test_token_f1_of_bags_of_sets_and_of_empty_texts(answer, reference, count, value):
    assert token_f1(answer, reference, count=count).value == approx(value)


def squad_f1(answer: str, reference: str) -> float:
    """The formula of Rajpurkar et al. 2016, with precision and recall written out."""

    def words(text: str) -> list[str]:
        kept = "".join(one for one in text.lower() if one not in string.punctuation)
        return re.sub(r"\b(a|an|the)\b", " ", kept).split()

    left, right = words(answer), words(reference)
    if not left or not right:
        return float(left == right)
    n_same = sum((Counter(left) & Counter(right)).values())
    if n_same == 0:
        return 0.0
    precision, recall = n_same / len(left), n_same / len(right)
    return 2 * precision * recall / (precision + recall)


@given(WORDS, WORDS)
def test_token_f1_is_squads(answer, reference):
    assert token_f1(answer, reference).value == approx(squad_f1(answer, reference))
    assert token_f1(answer, answer).value == 1.0


@cases(
    # Contained, by whole words and numbers.
    ("It was opened by Ida Merrow in 1970.", "ida  merrow", 1.0),
    *((text, "5", 1.0) for text in ("5", "There were 5.", "4, 5, 6")),
    *((f"{number} people", "5", 0.0) for number in ("15", "51", "5.3", "3.5")),
    ("1,500 people", "500", 0.0),
    *(("It costs $604.", "$604", 1.0), ("It costs $6,604.", "604", 0.0)),
    ("unknown soldiers", "known", 0.0),
    ("the hut-keeper", "hut", 1.0),
    # Scripts without spaces between words.
    ("保险费为一百元", "一百元", 1.0),
    ("保险费为一百元", "二百元", 0.0),
    ("料金は604円です", "604", 1.0),
    # Nearly.
    ("It was Willhelm Conrad Röntgen.", "Wilhelm Conrad Röntgen", 1.0),
    ("It was Marie Curie.", "Wilhelm Conrad Röntgen", 0.0),
    ("Territory 118", "Territory 117", 0.0),  # ratio 92.3, but a digit is no misprint
    ("", "hut", 0.0),
    ("hut", "the hut is above the village", 1.0),  # the shorter text in the longer
    ("the", "the hut is above the village", 0.0),  # but not of stop words alone
    ("15 million people", "5 million", 0.0),  # ratio 94.7, of another number
)
def test_fuzzy_match(answer, reference, value):
    assert fuzzy_match(answer, reference).value == value


def test_the_ratio_is_evidence_and_the_threshold_decides():
    # "conrad" for "konrad": one letter out and one in, of twelve: 100 · (1 - 2 / 12) = 83.3.
    score = fuzzy_match("by Conrad, 1895", "konrad")
    assert score.evidence["ratio"] == approx(100 * (1 - 2 / 12))
    assert score.evidence["matched"] == "conrad"
    assert score.value == 0.0
    assert fuzzy_match("by Conrad, 1895", "konrad", threshold=80).value == 1.0
    assert fuzzy_match("hut", " \n").status is Status.UNDEFINED


@pytest.mark.parametrize("scorer", ["ratio", "token_sort_ratio", "token_set_ratio", "WRatio"])
def test_the_other_scorers_are_rapidfuzzs_on_the_whole_texts(scorer):
    found = fuzzy_match("Hut, the red one", "the red huts", scorer=scorer)
    expected = getattr(fuzz, scorer)("the red huts", "hut, the red one")
    assert found.evidence["ratio"] == approx(expected)


LONG = " ".join(f"word{number} {number * number}" for number in range(300))
"""A reference of over 4,000 characters."""


def test_a_long_reference_is_found_wherever_it_stands_with_a_few_words_changed():
    changed = LONG.replace("word10 ", "Wort10 ").replace("word250", "wrd250")
    before = " ".join(f"other{number}" for number in range(977))
    assert fuzzy_match(f"{before} {changed} {before}", LONG).value == 1.0
    assert fuzzy_match(f"{before} {changed[: len(changed) // 2]} {before}", LONG).value == 0.0


def test_the_ratio_of_a_long_reference_is_close_to_rapidfuzzs():
    changed = LONG.replace("word1", "Wort7")
    before = "many other words stand here " * 40
    ours = fuzzy_match(before + changed + before, LONG).evidence["ratio"]
    theirs = fuzz.partial_ratio(LONG, (before + changed + before).lower())
    assert ours == approx(theirs, abs=1)


@cases(
    *(("a" * 100_000, "a" * 50_000), ("ab " * 10_000, "ab " * 5_000 + "a")),
    *((LONG * 20, LONG[::-1]), ("1" * 100_000, "1"), ("1,1" * 30_000, "1")),
)
def test_no_text_takes_fuzzy_match_long(answer, reference, assert_quick):
    assert_quick(lambda: fuzzy_match(answer, reference), 2)


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
