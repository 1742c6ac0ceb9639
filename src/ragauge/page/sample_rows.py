"""The samples of a run in the page's order: by question and system, in memory or read from their file.

A frame of them has `q` and `s`, the positions of the question and of the system, and is sorted by both.
Values that JSON does not have, such as dates, are texts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from ragauge.page.score_columns import ScoreColumns
from ragauge.people.review_verdicts import PEOPLE
from ragauge.samples.samples import Samples

ID_FIELDS = ("id", "system")
MAX_RANGES = 12
"""Ranges of rows that are read one by one; the rows of a block that are in more are searched by id."""


@dataclass(frozen=True)
class _Rows:
    samples: Samples
    columns: ScoreColumns
    people: Mapping[tuple[str, str], str]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The fields without id and system."""
        own = tuple(name for name in self.samples.columns if name not in ID_FIELDS)
        return (*own, PEOPLE) if self.people else own

    @cached_property
    def schema(self) -> "Mapping[str, pl.DataType]":
        """The types of the fields, as frames have them."""
        found = dict(self._with_texts(self.samples.scan()).collect_schema())
        if self.people:
            import polars as pl

            found[PEOPLE] = pl.String()
        return found

    def _with_texts(self, lazy: "pl.LazyFrame") -> "pl.LazyFrame":
        """The samples, with values that JSON does not have as texts."""
        return lazy.with_columns(
            pl.col(name).cast(pl.String)
            for name, dtype in lazy.collect_schema().items()
            if dtype.is_temporal()
            or dtype.is_decimal()
            or isinstance(dtype, pl.Categorical | pl.Enum)
        )

    def _placed(self, lazy: "pl.LazyFrame", names: Sequence[str]) -> "pl.DataFrame":
        """These fields of samples, with their place and in its order."""
        questions, systems = self.columns.grid
        own = [name for name in names if name != PEOPLE or not self.people]
        placed = self._with_texts(lazy.select(*ID_FIELDS, *own))
        placed = placed.join(questions.lazy(), on="id").join(systems.lazy(), on="system")
        if len(own) < len(names):
            rows = [(*answer, says) for answer, says in self.people.items()]
            said = pl.DataFrame(rows, schema=[*ID_FIELDS, PEOPLE], orient="row")
            placed = placed.join(said.lazy(), on=ID_FIELDS, how="left")
        return placed.select("q", "s", *names).sort("q", "s").collect()

    def _only_system(self) -> "frozenset[str] | None":
        """The shared fields of a single system: all but its answer; None for several systems."""
        if len(self.columns.systems) > 1:
            return None
        return frozenset(name for name in self.names if name != "answer")


class RowsInMemory(_Rows):
    """All samples in one frame."""

    @cached_property
    def frame(self) -> "pl.DataFrame":
        return self._placed(self.samples.scan(), self.names)

    @cached_property
    def shared(self) -> frozenset[str]:
        """The fields that have the same value for all systems of every question."""
        if (found := self._only_system()) is not None:
            return found
        rows = self.frame.select(
            "q", *(pl.struct(name).struct.json_encode().alias(name) for name in self.names)
        )
        same = rows.group_by("q").agg(pl.col(name).n_unique() == 1 for name in self.names)
        return frozenset(name for name in self.names if same[name].all())

    def column(self, name: str) -> "pl.DataFrame":
        """q, s and one field of all samples."""
        return self.frame.select("q", "s", name)

    def places(self) -> "pl.DataFrame":
        """q and s of all samples."""
        return self.frame.select("q", "s")

    def between(self, start: int, end: int) -> "pl.DataFrame":
        """All fields of the samples of questions `start` to `end`."""
        first, last = (int(self.frame["q"].search_sorted(q)) for q in (start, end))
        return self.frame[first:last]


class RowsInFile(_Rows):
    """The samples of a large run: of the file, one column or some questions are in memory at a time."""

    @cached_property
    def shared(self) -> frozenset[str]:
        """As in memory, by the digests of a question's values, so that no texts are kept."""
        if (found := self._only_system()) is not None:
            return found
        lazy = self._with_texts(self.samples.scan())
        same: list[str] = []
        for name in self.names:
            if name == PEOPLE and self.people:
                continue
            values = lazy.select("id", digest=pl.struct(name).struct.json_encode().hash())
            ends = values.group_by("id").agg(
                low=pl.col("digest").min(), high=pl.col("digest").max()
            )
            differ = ends.select((pl.col("low") != pl.col("high")).any())
            if not differ.collect(engine="streaming").item():
                same.append(name)
        return frozenset(same)

    def column(self, name: str) -> "pl.DataFrame":
        return self._placed(self.samples.scan(), [name])

    def places(self) -> "pl.DataFrame":
        return self._placed(self.samples.scan(), [])

    def between(self, start: int, end: int) -> "pl.DataFrame":
        ranges = ranges_of(self.rows_of(start, end))
        if len(ranges) > MAX_RANGES:
            ids = self.columns.ids[start:end]
            found = self.samples.scan().filter(pl.col("id").is_in(ids))
        else:
            found = pl.concat([self.samples.part(first, last) for first, last in ranges]).lazy()
        return self._placed(found, self.names)

    def rows_of(self, start: int, end: int) -> "np.ndarray[Any, Any]":
        """Where the samples of questions `start` to `end` are in the file, ascending."""
        questions, rows = self._order
        first, last = np.searchsorted(questions, [start, end])
        return np.sort(rows[first:last])

    @cached_property
    def _order(self) -> "tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]":
        """The questions of all rows, sorted, and where in the file each row is."""
        questions, _ = self.columns.grid
        pieces = self.samples.pieces(["id"])
        of_row = np.concatenate(
            [piece.join(questions, on="id", maintain_order="left")["q"].cast(pl.UInt32).to_numpy() for piece in pieces]
        )  # fmt: skip
        rows = np.argsort(of_row, kind="stable").astype(np.uint32)
        return of_row[rows], rows


def ranges_of(rows: "np.ndarray[Any, Any]") -> list[tuple[int, int]]:
    """Ascending places as ranges of consecutive ones, each with its end after the last.

    >>> import numpy as np
    >>> ranges_of(np.array([3, 4, 5, 9]))
    [(3, 6), (9, 10)]
    """
    if not len(rows):
        return []
    breaks = np.flatnonzero(np.diff(rows) != 1) + 1
    return [(int(part[0]), int(part[-1]) + 1) for part in np.split(rows, breaks)]


SampleRows = RowsInMemory | RowsInFile


def sample_rows(
    samples: Samples, columns: ScoreColumns, people: Mapping[tuple[str, str], str]
) -> SampleRows:
    """The samples in memory, or in their file if they are too large; `people` is a field of them if not empty."""
    return (RowsInFile if samples.is_file else RowsInMemory)(samples, columns, people)
