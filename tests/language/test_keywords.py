from cases import cases
from hypothesis import given
from hypothesis import strategies as st

from ragauge.language.keywords import by_value, keywords
from ragauge.language.numbers.numbers import quantities


@cases(
    # Examples from the evaluation behind the suite answer-quality.
    ("Territory 118", {"Territory 118", "118", "territory"}),
    ("Rule C-1", {"Rule C-1", "rule"}),
    *(("293", {"293"}), ("0.305%", {"0.305%"}), ("$604", {"604"}), ("604", {"604"})),
    ("Base Rates", {"Base Rates", "base", "rates"}),
    # Where text meets number and sentence.
    *(("$1,604.50", {"1604.5"}), ("-0.133%", {"-0.133%"})),
    ("The Base Rates", {"Base Rates", "base", "rates"}),
    *(("In March", {"march"}), ("this and that with from", set())),
    *(("fee", set()), ("fees", {"fees"}), ("cafe\u0301s", {"cafés"})),
    ("Élan Vital", {"Élan Vital", "élan", "vital"}),
    *(("", set()), ("   \n", set())),
    # The phrase is case-sensitive, the word is not.
    *(("base rates", {"base", "rates"}), ("BASE RATES", {"BASE RATES", "base", "rates"})),
)
def test_keywords(text, found):
    assert keywords(text) == found


@cases(
    # phrases \b[A-Z][a-z]+(?:\s+[A-Z][a-z]+)+\b, numbers \d+\.?\d*%?, words \b[a-z]{4,}\b
    ("Base Rates are 293.", {"Base Rates", "293.", "base", "rates"}),
    ("Territory 118 has 0.305%", {"118", "0.305%", "territory"}),
    *(("$1,000", {"1", "000"}), ("this was from that", set())),
    ("which", {"which"}),  # not one of the pattern's stop words
    *(("Rule C-1", {"1", "rule"}), ("The Rate", {"The Rate", "rate"})),
)
def test_the_keywords_of_the_regular_expressions(text, found):
    assert keywords(text, "regex") == found


@given(st.text() | st.text("Aa Bé1,.$%-\t保", max_size=30))
def test_saying_a_text_twice_adds_no_keyword(text):
    found = keywords(text)
    assert all(one.strip() for one in found)
    assert keywords(f"{text}\n\n{text}") == found


def test_a_number_is_known_by_its_value_and_percent_sign():
    (found,) = zip(
        *(quantities(text) for text in ("$1,000", "1000.0", "5%", "-0.133")), strict=True
    )
    assert [by_value(each) for each in found] == ["1000", "1000", "5%", "-0.133"]
