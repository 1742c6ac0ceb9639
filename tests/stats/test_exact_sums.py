import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ragauge.stats.exact_sums import ExactSum, exact_sums

FINITE = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300)


@given(st.lists(FINITE, max_size=60), st.integers(0, 60))
def test_the_sum_is_that_of_fsum_whatever_the_pieces(values: list[float], cut: int):
    total = ExactSum()
    total.add(np.array(values[:cut], dtype=np.float64))
    total.add(np.array(values[cut:], dtype=np.float64))
    assert total.value == math.fsum(values)


def test_the_order_changes_no_digit():
    values = np.random.default_rng(0).random(10_000) ** 9
    (first,) = exact_sums([values])
    (other,) = exact_sums([values[::-1].copy()])
    assert first == other == math.fsum(values.tolist())


def test_a_million_values_do_not_overflow():
    (total,) = exact_sums([np.full(1_000_000, 1 - 2**-53)])
    assert total == 1_000_000 * (1 - 2**-53)


def test_the_smallest_numbers_count():
    (total,) = exact_sums([np.array([5e-324, 5e-324, -0.0])])
    assert total == 1e-323
