"""A batch by reference: a range of rows of a Parquet file, which whoever measures it reads.

So samples need not pass through the process that hands out batches, and another machine can take a
batch from storage that both reach.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ragauge.samples.samples import Columns, SampleFile, to_columns


@dataclass(frozen=True, slots=True)
class RowRange:
    """Rows `start` to `stop` of a file of samples, of which `columns` are needed."""

    path: Path
    start: int
    stop: int
    columns: Sequence[str]

    def read(self) -> Columns:
        """The columns of these rows."""
        return to_columns(SampleFile(self.path).read(self.start, self.stop, self.columns))


def columns_of(batch: Columns | RowRange) -> Columns:
    """The columns of a batch, read if it is a reference."""
    return batch.read() if isinstance(batch, RowRange) else batch
