from hypothesis import given
from hypothesis import strategies as st

from ragauge.language.text import SpanSet

PLACES = st.integers(0, 20)
SPANS = st.lists(st.tuples(PLACES, PLACES).map(sorted).map(tuple), max_size=6)


@given(SPANS)
def test_a_place_is_covered_if_one_of_the_spans_has_it(spans):
    covered = SpanSet(spans)
    for place in range(22):
        assert (place in covered) == any(start <= place < end for start, end in spans)
