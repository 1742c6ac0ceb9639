from hypothesis import given
from hypothesis import strategies as st

from ragauge.features.matches import TokenPlaces

PLACES = st.integers(0, 12)
SPAN = st.tuples(PLACES, PLACES).map(sorted).map(tuple)


@given(st.lists(SPAN, max_size=8), SPAN)
def test_the_tokens_of_a_span_share_a_character_with_it_whatever_their_order(spans, wanted):
    """As `[CLS]` at (0, 0), several tokens of one emoji at the same span, and tokens that overlap."""
    start, end = wanted
    inside = [
        at
        for at, (first, last) in enumerate(spans)
        if first < end and last > start and last > first
    ]
    places = TokenPlaces(spans)
    assert places.of(start, end) == inside
    assert places.all == [at for at, (first, last) in enumerate(spans) if last > first]
