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
from functools import cached_property, partial
from typing import TYPE_CHECKING, cast

from ragauge.report.overview import Overview
from ragauge.report.review_labels import PEOPLE, people_say
from ragauge.report.view import FieldView, RunView
from ragauge.runs.run import Run

if TYPE_CHECKING:
    import polars as pl

BLOCK_SIZE = 300_000
"""Characters of texts and evidence in a block, before compression; a single question may have more."""
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
        """The fields, with their chunks; in a file lists have none, since the blocks have their texts."""
        schema = self.samples.schema
        is_file = self.per_block is None
        return tuple(
            FieldView(
                name,
                _kind(schema[name]),
                name in self.shared,
                "" if is_file and schema[name].is_nested() else f"{self.place}.field.{at}",
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
        ends = (*self.starts[1:], len(self.overview.columns.ids))
        return {
            f"{self.place}.block.{number}": partial(self._block, start, end)
            for number, (start, end) in enumerate(zip(self.starts, ends, strict=True))
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

    @cached_property
    def _all_questions(self) -> "pl.Series":
        return self._questions(self.samples, None)

    def _questions(self, samples: "pl.DataFrame", ids: Sequence[str] | None) -> "pl.Series":
        """Each question as JSON: its shared fields, and by system the other fields and the evidence.

        `ids` are the questions of these samples; None for all.
        """
        import polars as pl

        own = [name for name in self.names if name not in self.shared]
        rows = samples.select("q", "s", _object(own).alias("fields"))
        rows = rows.join(self._evidence(ids), on=["q", "s"], how="left", maintain_order="left")
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
            by_question.join(shared, on="q", maintain_order="left")
            .select(_joined('{"shared":', "shared", ',"answers":[', "row", "]}"))
            .to_series()
        )

    def _evidence(self, ids: Sequence[str] | None) -> "pl.DataFrame":
        """The evidence of each answer: [the column of the metric, the evidence], joined by commas."""
        import polars as pl

        if not self.evidence:
            types = {"q": pl.Int64, "s": pl.Int64, "evidence": pl.String}
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
            .sort("q", "s", "k")
            .select("q", "s", item=_joined("[", "k", ",", "evidence", "]"))
            .group_by("q", "s", maintain_order=True)
            .agg(pl.col("item").str.join(",").alias("evidence"))
        )

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The first question of each block."""
        if self.per_block is not None:
            return tuple(range(0, len(self.overview.columns.ids), self.per_block))
        starts: list[int] = []
        size = BLOCK_SIZE
        for at, length in enumerate(self._all_questions.str.len_bytes().to_list()):
            if size + length > BLOCK_SIZE:
                starts.append(at)
                size = 0
            size += cast(int, length)
        return tuple(starts)

    def _block(self, start: int, end: int) -> bytes:
        if self.per_block is None:
            questions = self._all_questions[start:end]
        else:
            import polars as pl

            samples = self.samples.filter(pl.col("q").is_between(start, end, closed="left"))
            questions = self._questions(samples, self.overview.columns.ids[start:end])
        return f"[{','.join(questions.to_list())}]".encode("utf-8", "backslashreplace")


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


def _json(value: Mapping[str, object] | Sequence[object]) -> bytes:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace")
