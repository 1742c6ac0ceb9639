"""A run by question and system, in the page's order: its scores as arrays, its samples as frames sorted by both."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
import polars as pl

from ragauge.comparing.scores import numbered
from ragauge.errors import StoreError
from ragauge.people.review_verdicts import PEOPLE
from ragauge.runs.scored_run import ScoredRun
from ragauge.runs.scores import collected, score_pieces
from ragauge.samples.samples import Samples
from ragauge.score import Status

STATUSES = tuple(str(status) for status in Status)
CODES = {status: code for code, status in enumerate(STATUSES)}
NO_SCORE = 255  # the status code of an answer that the metric has no score for
MAX_REASONS = 65_535
ID_FIELDS = ("id", "system")
MAX_RANGES = 12  # of rows that are read one by one; the rows of more are searched by id


@dataclass(frozen=True, slots=True)
class ScoreColumn:
    """One metric's scores, each array of shape (questions, systems).

    `values` is NaN where there is no value. `statuses` are positions in STATUSES, or NO_SCORE.
    `reasons` are the numbers of `texts`, from 1; 0 is no reason.
    """

    values: "np.ndarray[Any, Any]"
    statuses: "np.ndarray[Any, Any]"
    reasons: "np.ndarray[Any, Any]"
    texts: dict[str, int]

    def add(self, scores: pl.DataFrame) -> None:
        """Add scores at their `place`, question by question."""
        place = scores["place"].to_numpy()
        values = scores["value"].cast(pl.Float64).fill_null(float("nan"))
        self.values.reshape(-1)[place] = values.to_numpy()
        statuses = scores["status"].replace_strict(CODES, return_dtype=pl.UInt8)
        self.statuses.reshape(-1)[place] = statuses.to_numpy()
        for text in scores["reason"].drop_nulls().unique(maintain_order=True).to_list():
            if len(self.texts) < MAX_REASONS:
                self.texts.setdefault(text, len(self.texts) + 1)
        numbers = scores["reason"].replace_strict(self.texts, default=0, return_dtype=pl.UInt16)
        self.reasons.reshape(-1)[place] = numbers.fill_null(0).to_numpy()

    def to_bytes(self) -> bytes:
        """Little-endian float64 values, uint16 reasons, uint8 statuses, then the reasons' texts as JSON."""
        arrays = (self.values.astype("<f8"), self.reasons.astype("<u2"), self.statuses)
        return b"".join(map(np.ndarray.tobytes, arrays)) + json.dumps([*self.texts]).encode()


@dataclass(frozen=True)
class ScoreColumns:
    """The scores of a run by metric label, for questions in the samples' order and these systems."""

    run: ScoredRun
    systems: Sequence[str]

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """The questions, in the order in which the samples first have them."""
        pieces = [piece["id"] for piece in self.run.samples.pieces(["id"])]
        return tuple(pl.concat(pieces).unique(maintain_order=True).to_list()) if pieces else ()

    @cached_property
    def grid(self) -> tuple[pl.DataFrame, pl.DataFrame]:
        """The position of each question (id, q) and of each system (system, s)."""
        questions = pl.DataFrame({"id": self.ids, "q": range(len(self.ids))})
        systems = pl.DataFrame({"system": list(self.systems), "s": range(len(self.systems))})
        return questions, systems

    @cached_property
    def by_metric(self) -> Mapping[str, ScoreColumn]:
        """The column of each metric that was scored, or tried, on some answer."""
        systems = {name: at for at, name in enumerate(self.systems)}
        wanted = {metric.metric for metric in self.run.metrics if not metric.unavailable}
        made: dict[str, ScoreColumn] = {}
        ids = pl.Series("id", self.ids, dtype=pl.String)
        order = ids.arg_sort().to_numpy()
        ids = ids.gather(order)
        names = ("id", "system", "metric", "value", "status", "reason")
        for piece in score_pieces(self.run, names):
            places = numbered(piece["id"], ids)  # among the sorted ids
            at = order[places["question"].to_numpy()].astype("uint64")
            places = places.with_columns(question=pl.Series(at, dtype=pl.UInt64))
            system = pl.col("system").replace_strict(systems, return_dtype=pl.UInt32)
            place = pl.col("question") * len(systems) + system
            placed = piece.lazy().join(places.lazy(), on="id").with_columns(place=place)
            found = collected(placed, self.run.folder)
            if found.height < piece.height:
                raise StoreError(
                    f"{self.run.folder}: is damaged: a score is of a question that the samples do not have; run it "
                    "again into another folder"
                )
            for (label,), scores in found.partition_by("metric", as_dict=True).items():
                metric = cast(str, label)
                if metric in wanted:
                    if metric not in made:
                        shape = (len(self.ids), len(systems))
                        empty = np.full(shape, np.nan), np.full(shape, NO_SCORE, np.uint8)
                        made[metric] = ScoreColumn(*empty, np.zeros(shape, np.uint16), {})
                    made[metric].add(scores)
        return made


@dataclass(frozen=True)
class SampleRows:
    """The samples of a run; `people`, what they say of answers, is a field too if it is not empty.

    A frame of them has `q` and `s`, the positions of the question and of the system, and is sorted by both.
    Values that JSON does not have, such as dates, are texts.
    """

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
        """The fields that have the same value for all systems of every question; all but the answer of a single system."""
        if len(self.columns.systems) < 2:
            return frozenset(name for name in self.names if name != "answer")
        lazy = _with_texts(self.samples.scan())

        def is_same(name: str) -> bool:
            """By the digests of a question's values, so that no texts are kept."""
            values = lazy.select("id", digest=pl.struct(name).struct.json_encode().hash())
            low, high = pl.col("digest").min(), pl.col("digest").max()
            differ = values.group_by("id").agg(differ=low != high).select(pl.col("differ").any())
            return not differ.collect(engine="streaming").item()

        return frozenset(filter(is_same, self.names[: len(self.names) - bool(self.people)]))

    def column(self, *names: str) -> pl.DataFrame:
        """q, s and these fields of all samples."""
        own = [name for name in names if name != PEOPLE or not self.people]
        values = _with_texts(self.samples.scan().select(own)).collect()
        return self._placed(self._order, values, names)

    def between(self, start: int, end: int) -> pl.DataFrame:
        """All fields of the samples of questions `start` to `end`."""
        order, rows = self._of_questions(start, end), self.rows_of(start, end)
        ranges = np.split(rows, np.flatnonzero(np.diff(rows) != 1) + 1) if len(rows) else []
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
            said = said.join(questions, on="id").join(systems, on="system").drop(ID_FIELDS)
            placed = placed.join(said, on=["q", "s"], how="left", maintain_order="left")
        return placed.select("q", "s", *names)


def _with_texts(lazy: pl.LazyFrame) -> pl.LazyFrame:
    return lazy.with_columns(
        pl.col(name).cast(pl.String)
        for name, dtype in lazy.collect_schema().items()
        if dtype.is_temporal() or dtype.is_decimal() or isinstance(dtype, pl.Categorical | pl.Enum)
    )


def json_bytes(value: object) -> bytes:
    """Strict JSON without blanks; a lone surrogate is escaped."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace")
