"""The first letters of words, by which patterns are skipped that cannot match."""

import re

from ragauge.language.word_beginnings import beginnings_of, first_letters, may_match


def test_letters_that_patterns_take_for_others_hide_no_match():
    """`re` takes ſ for s and ı for i where it ignores case, so other texts than ASCII are always tried."""
    assert re.search("miss", "miſs", re.IGNORECASE)
    assert may_match("miſs", first_letters("miss"))
    assert may_match("Straße", first_letters("miss"))
    assert not may_match("Strasse", first_letters("miss"))


def test_words_begin_where_letters_do():
    assert beginnings_of("10-Ks of_it, O'Neill's") == {"ks", "of", "it", "o", "neil", "s"}
