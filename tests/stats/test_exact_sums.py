import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ragauge.stats.normal_intervals import ExactSum

FINITE = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300)


def exact_sum(*pieces: object) -> float:
    total = ExactSum()
    for piece in pieces:
        total.add(np.array(piece, dtype=np.float64))
    return total.value


@given(st.lists(FINITE, max_size=60), st.integers(0, 60))
def test_the_sum_is_that_of_fsum_whatever_the_pieces(values: list[float], cut: int):
    assert exact_sum(values[:cut], values[cut:]) == math.fsum(values)


def test_the_order_changes_no_digit():
    values = np.random.default_rng(0).random(10_000) ** 9
    assert exact_sum(values) == exact_sum(values[::-1]) == math.fsum(values.tolist())


def test_a_million_values_do_not_overflow():
    assert exact_sum(np.full(1_000_000, 1 - 2**-53)) == 1_000_000 * (1 - 2**-53)


def test_the_smallest_numbers_count():
    assert exact_sum([5e-324, 5e-324, -0.0]) == 1e-323
