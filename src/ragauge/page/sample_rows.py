"""The samples of a run in the page's order: by question and system, one column or some questions at a time.

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
class SampleRows:
    """The samples of a run; `people`, what they say of answers, is a field too if it is not empty."""

    samples: Samples
    columns: ScoreColumns
    people: Mapping[tuple[str, str], str]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The fields without id and system."""
        own = tuple(name for name in self.samples.columns if name not in ID_FIELDS)
        return (*own, PEOPLE) if self.people else own

    @cached_property
    def schema(self) -> Mapping[str, pl.DataType]:
        """The types of the fields, as frames have them."""
        found = dict(_with_texts(self.samples.scan()).collect_schema())
        return {**found, PEOPLE: pl.String()} if self.people else found

    @cached_property
    def shared(self) -> frozenset[str]:
        """The fields that have the same value for all systems of every question; all but the answer of a single system.

        Found by the digests of a question's values, so that no texts are kept.
        """
        if len(self.columns.systems) < 2:
            return frozenset(name for name in self.names if name != "answer")
        lazy = _with_texts(self.samples.scan())
        same: list[str] = []
        for name in self.names[: len(self.names) - bool(self.people)]:
            values = lazy.select("id", digest=pl.struct(name).struct.json_encode().hash())
            ends = values.group_by("id").agg(
                low=pl.col("digest").min(), high=pl.col("digest").max()
            )
            differ = ends.select((pl.col("low") != pl.col("high")).any())
            if not differ.collect(engine="streaming").item():
                same.append(name)
        return frozenset(same)

    def column(self, *names: str) -> pl.DataFrame:
        """q, s and these fields of all samples."""
        own = [name for name in names if name != PEOPLE or not self.people]
        values = _with_texts(self.samples.scan().select(own)).collect()
        return self._placed(self._order, values, names)

    def between(self, start: int, end: int) -> pl.DataFrame:
        """All fields of the samples of questions `start` to `end`."""
        order, rows = self._of_questions(start, end), self.rows_of(start, end)
        ends = np.flatnonzero(np.diff(rows) != 1) + 1
        ranges = np.split(rows, ends) if len(rows) else []
        if 0 < len(ranges) <= MAX_RANGES:
            parts = [self.samples.part(int(each[0]), int(each[-1]) + 1) for each in ranges]
            found = pl.concat(parts).lazy()
        else:
            found = self.samples.scan().filter(pl.col("id").is_in(self.columns.ids[start:end]))
        # Both have the rows in the order of the samples.
        places = np.searchsorted(rows, order["row"].to_numpy())
        order = order.with_columns(row=pl.Series(places, dtype=pl.UInt32))
        return self._placed(order, _with_texts(found).collect(), self.names)

    def rows_of(self, start: int, end: int) -> "np.ndarray[Any, Any]":
        """Where the samples of questions `start` to `end` are, ascending."""
        return np.sort(self._of_questions(start, end)["row"].to_numpy())

    def _of_questions(self, start: int, end: int) -> pl.DataFrame:
        first, last = (int(self._order["q"].search_sorted(q)) for q in (start, end))
        return self._order[first:last]

    @cached_property
    def _order(self) -> pl.DataFrame:
        """The question, system and place of each sample, sorted by both."""
        questions, systems = self.columns.grid
        placed = [
            piece.join(questions, on="id", maintain_order="left")
            .join(systems, on="system", maintain_order="left")
            .select("q", "s")
            for piece in self.samples.pieces(list(ID_FIELDS))
        ]
        return pl.concat(placed).with_row_index("row").sort("q", "s")

    def _placed(
        self, order: pl.DataFrame, values: pl.DataFrame, names: Sequence[str]
    ) -> pl.DataFrame:
        """These fields, with their place and in its order."""
        placed = order
        if values.width:
            placed = pl.concat([order, values[order["row"]]], how="horizontal")
        if PEOPLE in names and self.people:
            questions, systems = self.columns.grid
            rows = [(*answer, says) for answer, says in self.people.items()]
            said = pl.DataFrame(rows, schema=[*ID_FIELDS, PEOPLE], orient="row")
            said = said.join(questions, on="id").join(systems, on="system")
            placed = placed.join(
                said.select("q", "s", PEOPLE), on=["q", "s"], how="left", maintain_order="left"
            )
        return placed.select("q", "s", *names)


def _with_texts(lazy: pl.LazyFrame) -> pl.LazyFrame:
    """The samples, with values that JSON does not have as texts."""
    return lazy.with_columns(
        pl.col(name).cast(pl.String)
        for name, dtype in lazy.collect_schema().items()
        if dtype.is_temporal() or dtype.is_decimal() or isinstance(dtype, pl.Categorical | pl.Enum)
    )
