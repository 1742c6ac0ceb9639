"""How the rows of a run are divided into batches."""

import polars as pl
from cases import cases

from ragauge.evaluation.evaluation import SHARED, usual_batch_size
from ragauge.samples.samples import Samples


@cases(
    (10, 1_000, 1),
    (4_000, 1_000, 4),
    (8_000, 1_000, 8),
    (8_001, 501, 16),  # 16 batches for 8,001 rows: 15 of 501 and one of 486
    (15_094, 944, 16),
    (200_000, 1_000, 200),
)
def test_workers_share_the_batches_of_a_long_table_evenly(n_rows, size, n_batches):
    rows = pl.DataFrame({"id": [f"q{at}" for at in range(n_rows)], "system": "a"})
    found = usual_batch_size(Samples(rows))
    assert (found, -(-n_rows // found)) == (size, n_batches)
    assert n_rows <= 4_000 or n_batches % SHARED == 0
