"""Words without exception, compared with other sentences."""

import pytest

from ragauge.language.claims.nearest_sentences import absolutes
from ragauge.language.stems import stemmed

OTHERS = ["The hut opens in May.", "Dogs bark, cats don't bite.", "It takes both cash and cards."]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It always opens in every May.", ["always", "every"]),
        ("Only dogs bark.", ["Only"]),
        ("No, dogs bark.", []),
        ("Dogs make no noise.", ["no"]),
        ("We take all cards.", []),
        ("", []),
        ("Everyone brings neither.", ["Everyone", "neither"]),
    ],
)
def test_a_word_without_exception_counts_if_no_other_sentence_has_it(text, found):
    spans = absolutes(stemmed(text), [stemmed(other) for other in OTHERS])
    assert [text[start:end] for start, end in spans] == found
