"""Where the words of a phrase are close together, beside the plain slow way."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

import ragauge as rg
from ragauge.language.claims.context_index import SPREAD, Passage
from ragauge.language.words import words_of

VOCABULARY = st.sampled_from(["fee", "may", "due", "x" * 60, "é"])
TEXTS = st.lists(VOCABULARY, min_size=1, max_size=30).map(" ".join)


def plain_spans(text: str, phrase: list[str]) -> list[tuple[int, int]]:
    """For each place of the rarest word the nearest one of each word, if they are close together."""
    places = [list(Passage(text, words_of(text)).places(word)) for word in phrase]
    if len(places) == 1 or not all(places):
        return places[0] if all(places) else []
    found = []
    for at, _ in min(places, key=len):
        near = [min(each, key=lambda place: (abs(place[0] - at), place[0])) for each in places]
        starts = [start for start, _ in near]
        if max(starts) - at <= SPREAD and at - min(starts) <= SPREAD:
            found.append((min(starts), max(end for _, end in near)))
    return sorted(found)


@given(TEXTS, st.lists(VOCABULARY, min_size=1, max_size=3))
def test_spans_are_found_in_order_and_none_is_lost(text, phrase):
    assert list(Passage(text, words_of(text)).spans(phrase)) == plain_spans(text, phrase)


def test_many_claims_of_the_words_of_a_long_context_take_linear_time(assert_linear_time):
    pairs = list(product(["John", "Mary", "fee", "bank", "May"], ["high", "due", "small", "late"]))

    def text_of(n: int) -> str:
        claims = (pairs[at * 7 % 20] + pairs[at * 3 % 20] for at in range(n))
        return " ".join(f"The {a} {c} is {b} {d}." for a, b, c, d in claims)

    assert_linear_time(
        lambda text: rg.score("hallucination", answer=text, contexts=[text]), text_of, 1_000
    )
