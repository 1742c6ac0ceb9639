"""Negations and words without exception, compared with other sentences."""

import pytest

from ragauge.language.claims.nearest_sentences import absolutes, denials
from ragauge.language.stems import stemmed

OTHERS = ["The hut opens in May.", "Dogs bark, cats don't bite.", "It takes both cash and cards."]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The hut does not open in May.", ["not open"]),
        ("The hut never opens.", ["never opens"]),
        ("It can't take cash.", ["can't take cash"]),
        ("It fails to open in May.", ["fails to open"]),
        ("Not only dogs bark.", []),
        ("Cats never bite.", []),  # denied there too
        ("Not long after the end of the winter it opens.", []),  # too far from the negator
        ("I do not open cards.", []),
        ("It opens.", []),
        ("not", []),
        ("t open", []),
        ("", []),
    ],
)
def test_a_negation_counts_if_another_sentence_affirms_the_word(text, found):
    spans = denials(stemmed(text), [stemmed(other) for other in OTHERS])
    assert [text[start:end] for start, end in spans] == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It always opens in every May.", ["always", "every"]),
        ("Only dogs bark.", ["Only"]),
        ("No, dogs bark.", []),
        ("Dogs make no noise.", ["no"]),
        ("We take all cards.", []),
        ("", []),
    ],
)
def test_a_word_without_exception_counts_if_no_other_sentence_has_it(text, found):
    spans = absolutes(stemmed(text), [stemmed(other) for other in OTHERS])
    assert [text[start:end] for start, end in spans] == found


def test_without_other_sentences_nothing_is_affirmed():
    words = stemmed("Dogs never bark.")
    assert denials(words, []) == []
    assert len(absolutes(words, [])) == 1
