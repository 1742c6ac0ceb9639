"""What a pattern needs is in every text that it matches, so that looking for it first changes no result."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragauge.language.late_pattern import LatePattern
from ragauge.language.refusals import asked as refusal_asked
from ragauge.language.refusals import languages as refusal_languages
from ragauge.language.refusals import structure as refusal_structure
from ragauge.language.refusals.refusals import find_refusals
from ragauge.language.refusals.rules import ABOUT_THE_SOURCE
from ragauge.language.refusals.sentence_kinds import (
    A_MEASURE,
    ADVICE,
    ADVICE_NEEDS,
    BEFORE_RESULT,
    CALCULATED,
    DEFINITION,
    DEFINITION_NEEDS,
    IS_NO_MEASURE,
    IS_THEREFORE,
    PAPER_OR_THEY,
    THEREFORE,
)
from ragauge.language.word_beginnings import beginnings_of, first_letters, may_match


def _compiled(pattern: re.Pattern[str] | LatePattern) -> re.Pattern[str]:
    return re.compile(pattern.pattern, pattern.flags)


def _at_the_start(pattern: LatePattern) -> re.Pattern[str]:
    return re.compile(rf"\A(?:{pattern.pattern})", pattern.flags)


NEEDED = {
    "advice": (ADVICE, ADVICE_NEEDS),
    "definition": (DEFINITION, DEFINITION_NEEDS),
    "no measure": (IS_NO_MEASURE, A_MEASURE),
    "therefore": (IS_THEREFORE, THEREFORE),
    "about the source": (_at_the_start(ABOUT_THE_SOURCE), PAPER_OR_THEY),
    "negative": (refusal_structure._NEGATIVE, refusal_structure._NEGATIVE_NEEDS),
    "number in words": (refusal_asked._NUMBER_IN_WORDS, refusal_asked._NUMBER_WORDS),
    "another language": (refusal_languages._CUES, refusal_languages._ASCII_CUES),
}


@pytest.mark.parametrize("name", NEEDED)
@settings(max_examples=150)
@given(data=st.data())
def test_what_a_pattern_matches_has_what_it_needs(name: str, data: st.DataObject):
    pattern, needed = NEEDED[name]
    alphabet = st.characters(codec="ascii")
    text = data.draw(st.from_regex(_compiled(pattern), alphabet=alphabet))
    assert may_match(text, needed)


@settings(max_examples=300)
@given(st.from_regex(CALCULATED, alphabet=st.characters(exclude_categories=["Cs"])))
def test_before_a_calculated_result_is_one_of_its_signs(text: str):
    assert any(sign in text for sign in BEFORE_RESULT)


def test_letters_that_patterns_take_for_others_hide_no_match():
    """`re` takes ſ for s and ı for i where it ignores case, so other texts than ASCII are always tried."""
    assert re.search("miss", "miſs", re.IGNORECASE)
    assert may_match("miſs", first_letters("miss"))
    assert may_match("Straße", first_letters("miss"))
    assert not may_match("Strasse", first_letters("miss"))


def test_words_begin_where_letters_do():
    assert beginnings_of("10-Ks of_it, O'Neill's") == {"ks", "of", "it", "o", "neil", "s"}


def test_an_answer_is_read_again_for_another_question():
    answer = "Fat: 1 g. The vitamins are cut off."
    refuses = [
        any(match.decides for match in find_refusals(answer, question))
        for question in ("How much vitamin C is in it?", "How much fat is in it?") * 2
    ]
    assert refuses == [True, False, True, False]
