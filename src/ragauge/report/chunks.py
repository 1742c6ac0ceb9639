"""The large parts of a page as compressed chunks, which the page decodes when it needs them.

    0.ids        the questions' ids, and which (question, system) pairs have no answer
    0.field.3    the values of a field
    0.score.2    the scores of a metric: see ScoreColumn.to_bytes
    0.block.7    texts and evidence of some consecutive questions

The first number is that of the run. A chunk is zlib-compressed JSON, except for scores.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, cast

from ragauge.report.overview import Overview
from ragauge.report.review_labels import PEOPLE, people_say
from ragauge.report.view import FieldView, RunView
from ragauge.runs.run import Run

if TYPE_CHECKING:
    import polars as pl

BLOCK_SIZE = 300_000
"""About how many bytes of texts and evidence a block has before compression; a question may have more."""
AT_ONCE = 64
"""Blocks that are made at a time: all at once would take several times the memory of the texts, and longer."""
ID_FIELDS = ("id", "system")


@dataclass(frozen=True)
class RunChunks:
    """The chunks of one run, `place` in the page. Without `evidence`, blocks have the texts only.

    `per_block` is the number of questions in a block, for blocks that are made one at a time; None for
    blocks of about the same size, whose bounds are known only once all of them are made. `people`: what
    people say of an answer in the review queue is a field of it.
    """

    overview: Overview
    place: int
    evidence: bool = True
    per_block: int | None = None
    people: bool = True

    @property
    def run(self) -> Run:
        return self.overview.run

    @property
    def finished(self) -> str:
        return self.run.manifest.finished or ""

    def view(self) -> RunView:
        """The run's view, with its fields and blocks."""
        return replace(
            self.overview.view(),
            fields=self.fields,
            blocks=self.starts,
            has_evidence=self.evidence,
        )

    @cached_property
    def samples(self) -> "pl.DataFrame":
        """The samples with the positions q and s of their question and system, in that order.

        Values that JSON does not have, such as dates, are texts.
        """
        import polars as pl

        questions, systems = self.overview.columns.grid
        frame = self.run.samples.frame
        texts = [
            pl.col(name).cast(pl.String)
            for name, dtype in frame.schema.items()
            if dtype.is_temporal()
            or dtype.is_decimal()
            or isinstance(dtype, pl.Categorical | pl.Enum)
        ]
        joined = frame.with_columns(texts).join(questions, on="id").join(systems, on="system")
        if self.has_people:
            rows = [(*answer, says) for answer, says in people_say(self.run).items()]
            names = ("id", "system", PEOPLE)
            said = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")
            joined = joined.join(said, on=["id", "system"], how="left")
        return joined.sort("q", "s")

    @cached_property
    def has_people(self) -> bool:
        """Whether there is a field with what people say."""
        return self.people and PEOPLE not in self.run.samples.columns and bool(people_say(self.run))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The fields of the samples, without id and system."""
        own = tuple(name for name in self.run.samples.columns if name not in ID_FIELDS)
        return (*own, PEOPLE) if self.has_people else own

    @cached_property
    def shared(self) -> frozenset[str]:
        """The fields that have the same value for all systems of every question."""
        import polars as pl

        if len(self.overview.systems) < 2:
            return frozenset(name for name in self.names if name != "answer")
        rows = self.samples.select(
            "q", *(pl.struct(name).struct.json_encode().alias(name) for name in self.names)
        )
        same = rows.group_by("q").agg(pl.col(name).n_unique() == 1 for name in self.names)
        return frozenset(name for name in self.names if same[name].all())

    @cached_property
    def fields(self) -> tuple[FieldView, ...]:
        """The fields, with their chunks; in a file lists have none, since the blocks have their texts.

        Lists with whole numbers and floats have one: in JSON nobody can tell 1 from 1.0.
        """
        schema = self.samples.schema
        is_file = self.per_block is None
        return tuple(
            FieldView(
                name,
                _kind(schema[name]),
                name in self.shared,
                _numbers_in(schema[name]) == {"float"},
                ""
                if is_file and schema[name].is_nested() and len(_numbers_in(schema[name])) < 2
                else f"{self.place}.field.{at}",
            )
            for at, name in enumerate(self.names)
        )

    def columns(self) -> Mapping[str, Callable[[], bytes]]:
        """The chunks that lists and filters need, by name: ids, scores and fields, not compressed yet."""
        by_metric = self.overview.columns.by_metric
        made: dict[str, Callable[[], bytes]] = {f"{self.place}.ids": lambda: _json(self._ids())}
        for at, label in enumerate(self.overview.column_order):
            made[f"{self.place}.score.{at}"] = by_metric[label].to_bytes
        for field in self.fields:
            if field.chunk:
                made[field.chunk] = partial(self._field_chunk, field)
        return made

    def blocks(self) -> Mapping[str, Callable[[], bytes]]:
        """The chunks with texts and evidence, by name."""
        return {
            f"{self.place}.block.{number}": partial(self._block, number)
            for number in range(len(self.starts))
        }

    def _field_chunk(self, field: FieldView) -> bytes:
        values = self._values(field)
        if field.kind == "list":
            values = [None if value is None else str(value) for value in values]
        return _json(values)

    def _ids(self) -> dict[str, object]:
        n_systems = len(self.overview.systems)
        known = set((self.samples["q"] * n_systems + self.samples["s"]).to_list())
        size = len(self.overview.columns.ids) * n_systems
        absent = [at for at in range(size) if at not in known] if len(known) < size else []
        return {"ids": self.overview.columns.ids, "absent": absent}

    def _values(self, field: FieldView) -> list[object]:
        """The field's values by question; one for each system too if they differ."""
        import polars as pl

        name = field.name
        if field.is_shared:
            return (
                self.samples.group_by("q", maintain_order=True)
                .agg(pl.col(name).first())[name]
                .to_list()
            )
        n_systems = len(self.overview.systems)
        values: list[object] = [None] * (len(self.overview.columns.ids) * n_systems)
        for q, s, value in self.samples.select("q", "s", name).iter_rows():
            values[q * n_systems + s] = value
        return values

    def _questions(self, start: int, end: int) -> list[str]:
        """Each of these questions as JSON: its shared fields, and by system the other fields and the evidence."""
        import polars as pl

        samples = _between(self.samples, start, end)
        own = [name for name in self.names if name not in self.shared]
        rows = samples.select("q", "s", _object(own).alias("fields"))
        rows = rows.join(
            self._evidence(start, end), on=["q", "s"], how="left", maintain_order="left"
        )
        row = _joined('{"s":', "s", ',"fields":', "fields", ',"evidence":[', "evidence", "]}")
        by_question = (
            rows.select("q", row=row)
            .group_by("q", maintain_order=True)
            .agg(pl.col("row").str.join(","))
        )
        shared = (
            samples.select("q", _object(sorted(self.shared)).alias("shared"))
            .group_by("q", maintain_order=True)
            .first()
        )
        return (
            shared.join(by_question, on="q", maintain_order="left")
            .select(_joined('{"shared":', "shared", ',"answers":[', "row", "]}"))
            .to_series()
            .to_list()
        )

    def _evidence(self, start: int, end: int) -> "pl.DataFrame":
        """The evidence of each answer to these questions: [the column of the metric, the evidence], joined by commas."""
        import polars as pl

        if self.per_block is None:
            stored = _between(self._all_evidence, start, end)
        else:
            stored = self._placed_evidence(self.overview.columns.ids[start:end])
        return (
            stored.select("q", "s", item=_joined("[", "k", ",", "evidence", "]"))
            .group_by("q", "s", maintain_order=True)
            .agg(pl.col("item").str.join(",").alias("evidence"))
        )

    @cached_property
    def _all_evidence(self) -> "pl.DataFrame":
        return self._placed_evidence(None)

    def _placed_evidence(self, ids: Sequence[str] | None) -> "pl.DataFrame":
        """The evidence of these questions, None for all, with its place: q, s, k, evidence, in this order."""
        import polars as pl

        if not self.evidence:
            types = {"q": pl.Int64, "s": pl.Int64, "k": pl.Int64, "evidence": pl.String}
            return pl.DataFrame(schema=types)
        order = self.overview.column_order
        metrics = pl.DataFrame(
            {"metric": order, "k": range(len(order))}, schema={"metric": pl.String, "k": pl.Int64}
        )
        questions, systems = self.overview.columns.grid
        wanted = pl.col("evidence").is_not_null()
        if ids is not None:
            wanted &= pl.col("id").is_in(ids)
        stored = self.run.collect(self.run.source.scan_evidence().filter(wanted))
        return (
            stored.join(metrics, on="metric")
            .join(questions, on="id")
            .join(systems, on="system")
            .select("q", "s", "k", "evidence")
            .sort("q", "s", "k")
        )

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The first question of each block."""
        if self.per_block is not None:
            return tuple(range(0, len(self.overview.columns.ids), self.per_block))
        starts: list[int] = []
        size = BLOCK_SIZE
        for at, length in enumerate(self._lengths()):
            if size + length > BLOCK_SIZE:
                starts.append(at)
                size = 0
            size += length
        return tuple(starts)

    def _lengths(self) -> list[int]:
        """About how many bytes each question has in a block."""
        import polars as pl

        schema = self.samples.schema
        own = [_length(name, schema[name]) for name in self.names if name not in self.shared]
        shared = [_length(name, schema[name]) for name in self.names if name in self.shared]
        texts = self.samples.select(
            "q", own=pl.sum_horizontal(0, *own), shared=pl.sum_horizontal(0, *shared)
        )
        by_question = texts.group_by("q", maintain_order=True).agg(
            pl.col("own").sum() + pl.col("shared").first()
        )
        evidence = self._all_evidence.group_by("q").agg(pl.col("evidence").str.len_bytes().sum())
        both = by_question.join(evidence, on="q", how="left", maintain_order="left")
        return both.select(pl.col("own") + pl.col("evidence").fill_null(0)).to_series().to_list()

    def _block(self, number: int) -> bytes:
        at_once = AT_ONCE if self.per_block is None else 1
        first = number - number % at_once
        bounds = (*self.starts, len(self.overview.columns.ids))
        start, end = bounds[first], bounds[min(first + at_once, len(self.starts))]
        questions = self._kept_questions(start, end)[
            bounds[number] - start : bounds[number + 1] - start
        ]
        return f"[{','.join(questions)}]".encode("utf-8", "backslashreplace")

    @cached_property
    def _kept_questions(self) -> Callable[[int, int], list[str]]:
        """`_questions`, which keeps what was made last: blocks are written one after another."""
        return lru_cache(1)(self._questions)


def _between(frame: "pl.DataFrame", start: int, end: int) -> "pl.DataFrame":
    """The rows of these questions of a frame that is sorted by q."""
    first, last = (int(frame["q"].search_sorted(q)) for q in (start, end))
    return frame[first:last]


def _length(name: str, dtype: "pl.DataType") -> "pl.Expr":
    """About how many bytes a field takes as JSON."""
    import polars as pl

    if dtype == pl.String:
        found = pl.col(name).str.len_bytes()
    elif dtype == pl.List(pl.String):
        found = pl.col(name).list.eval(pl.element().str.len_bytes()).list.sum()
    elif dtype.is_nested():
        found = _object([name]).str.len_bytes()
    else:
        found = pl.lit(1)
    return found.fill_null(0).cast(pl.Int64)


def _joined(*parts: str) -> "pl.Expr":
    """The columns (every second part) and the texts around them as one text; null is empty."""
    import polars as pl

    exprs = [pl.col(part) if at % 2 else pl.lit(part) for at, part in enumerate(parts)]
    return pl.concat_str(exprs, ignore_nulls=True)


def _object(names: Sequence[str]) -> "pl.Expr":
    """The columns as a JSON object."""
    import polars as pl

    return pl.struct(*names).struct.json_encode() if names else pl.lit("{}")


def _kind(dtype: "pl.DataType") -> str:
    """What a filter compares the field with: "text", "number", "boolean" or "list"."""
    if dtype.is_nested():
        return "list"
    if dtype.is_numeric():
        return "number"
    return "boolean" if str(dtype) == "Boolean" else "text"


def _numbers_in(dtype: "pl.DataType") -> set[str]:
    """The kinds of numbers that values of a type have: "whole" and "float"."""
    import polars as pl

    if isinstance(dtype, pl.List | pl.Array):
        return _numbers_in(cast("pl.DataType", dtype.inner))
    if isinstance(dtype, pl.Struct):
        return {
            kind for each in dtype.fields for kind in _numbers_in(cast("pl.DataType", each.dtype))
        }
    if dtype.is_float():
        return {"float"}
    return {"whole"} if dtype.is_numeric() else set()


def _json(value: Mapping[str, object] | Sequence[object]) -> bytes:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace")
