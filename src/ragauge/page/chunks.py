"""The large parts of a page as compressed chunks, which the page decodes when it needs them.

    0.ids        the questions' ids, and which (question, system) pairs have no answer
    0.field.3    the values of a field
    0.score.2    the scores of a metric: see ScoreColumn.to_bytes
    0.block.7    texts and evidence of some consecutive questions

The first number is that of the run. A chunk is zlib-compressed JSON, except for scores.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from typing import cast

import polars as pl

from ragauge.page.columns import SampleRows, json_bytes
from ragauge.page.overview import Overview
from ragauge.page.view import FieldView, RunView
from ragauge.people.review_verdicts import PEOPLE, people_say
from ragauge.runs.scored_run import ScoredRun

BLOCK_SIZE = (
    300_000  # about how many bytes a block has before compression; a question may have more
)
AT_ONCE = 64  # blocks that are made at a time: all would take several times the memory
QUESTIONS_AT_ONCE = 5_000


@dataclass(frozen=True)
class RunChunks:
    """The chunks of one run, `place` in the page. Without `evidence`, blocks have the texts only.

    `per_block` is the number of questions in a block, for blocks that are made one at a time; None for as
    many as have about BLOCK_SIZE bytes, in blocks that are made one after another. `people`: what people
    say of an answer in the review queue is a field of it.
    """

    overview: Overview
    place: int
    evidence: bool = True
    per_block: int | None = None
    people: bool = True

    @property
    def run(self) -> ScoredRun:
        return self.overview.run

    @property
    def finished(self) -> str:
        return self.run.manifest.finished or ""

    def view(self) -> RunView:
        """The run's view, with its fields and blocks."""
        return replace(
            self.overview.view(), fields=self.fields, blocks=self.starts, has_evidence=self.evidence
        )

    @cached_property
    def rows(self) -> SampleRows:
        """The samples, with what people say of an answer as a field."""
        is_said = self.people and PEOPLE not in self.run.samples.columns
        says = people_say(self.run) if is_said else {}
        return SampleRows(self.run.samples, self.overview.columns, says)

    @cached_property
    def fields(self) -> tuple[FieldView, ...]:
        """The fields with their chunks; in a file lists have none, except those with both 1 and 1.0, which JSON cannot tell apart."""
        found: list[FieldView] = []
        for at, name in enumerate(self.rows.names):
            dtype = self.rows.schema[name]
            kind = "number" if dtype.is_numeric() else "text"
            kind = "boolean" if str(dtype) == "Boolean" else "list" if dtype.is_nested() else kind
            numbers = _numbers_in(dtype)
            has_chunk = self.per_block is not None or kind != "list" or len(numbers) == 2
            chunk = f"{self.place}.field.{at}" if has_chunk else ""
            is_shared = name in self.rows.shared
            found.append(FieldView(name, kind, is_shared, numbers == {"float"}, chunk))
        return tuple(found)

    def columns(self) -> Mapping[str, Callable[[], bytes]]:
        """The chunks that lists and filters need, by name: ids, scores and fields, not compressed yet."""
        columns = self.overview.columns
        n_systems = len(columns.systems)

        def ids() -> bytes:
            places, absent = range(len(columns.ids) * n_systems), list[int]()
            if len(self.run.samples) < len(places):
                rows = self.rows.column()
                known = set((rows["q"] * n_systems + rows["s"]).to_list())
                absent = [place for place in places if place not in known]
            return json_bytes({"ids": columns.ids, "absent": absent})

        def scores(label: str) -> bytes:
            return columns.by_metric[label].to_bytes()

        def values(field: FieldView) -> bytes:
            """By question; one for each system too if they differ."""
            column, n = self.rows.column(field.name), n_systems
            if field.is_shared:
                column, n = column.unique("q", keep="first", maintain_order=True), 1
            parts, n_questions = list[bytes](), len(columns.ids)
            for start in range(0, max(n_questions, 1), QUESTIONS_AT_ONCE):  # so much text at a time
                end = min(start + QUESTIONS_AT_ONCE, n_questions)
                first, last = (int(column["q"].search_sorted(q)) for q in (start, end))
                cells: list[object] = [None] * ((end - start) * n)
                for q, s, value in column[first:last].iter_rows():
                    is_text = field.kind == "list" and value is not None
                    at = (q - start) * n + (0 if field.is_shared else s)
                    cells[at] = str(value) if is_text else value
                parts.append(json_bytes(cells)[1:-1])
            return b"[%s]" % b",".join(parts)

        order = enumerate(self.overview.column_order)
        made = {f"{self.place}.score.{at}": partial(scores, label) for at, label in order}
        fields = {each.chunk: partial(values, each) for each in self.fields if each.chunk}
        return {f"{self.place}.ids": ids, **made, **fields}

    def blocks(self) -> Mapping[str, Callable[[], bytes]]:
        """The chunks with texts and evidence, by name."""
        n, bounds = len(self.starts), (*self.starts, self.overview.n_questions)
        at_once = AT_ONCE if self.per_block is None else 1
        made_last = lru_cache(1)(self._questions)  # blocks are written one after another

        def block(number: int) -> bytes:
            first = number - number % at_once
            start, end = bounds[first], bounds[min(first + at_once, n)]
            own = slice(bounds[number] - start, bounds[number + 1] - start)
            return f"[{','.join(made_last(start, end)[own])}]".encode("utf-8", "backslashreplace")

        return {f"{self.place}.block.{number}": partial(block, number) for number in range(n)}

    def _questions(self, start: int, end: int) -> list[str]:
        """Each question as JSON: shared fields, and by system the others and the evidence as [column of the metric, evidence]."""
        if self.per_block is None:
            every = self._all_evidence  # sorted by q
            stored = every[every["q"].search_sorted(start) : every["q"].search_sorted(end)]
        else:
            stored = self._placed_evidence(range(start, end))
        evidence = (
            stored.select("q", "s", item=_joined("[", "k", ",", "evidence", "]"))
            .group_by("q", "s", maintain_order=True)
            .agg(pl.col("item").str.join(",").alias("evidence"))
        )
        samples = self.rows.between(start, end)
        own = [name for name in self.rows.names if name not in self.rows.shared]
        rows = samples.select("q", "s", _object(own).alias("fields"))
        rows = rows.join(evidence, on=["q", "s"], how="left", maintain_order="left")
        row = _joined('{"s":', "s", ',"fields":', "fields", ',"evidence":[', "evidence", "]}")
        by_question = (
            rows.select("q", row=row)
            .group_by("q", maintain_order=True)
            .agg(pl.col("row").str.join(","))
        )
        shared = samples.select("q", _object(sorted(self.rows.shared)).alias("shared"))
        return (
            shared.group_by("q", maintain_order=True)
            .first()
            .join(by_question, on="q", maintain_order="left")
            .select(_joined('{"shared":', "shared", ',"answers":[', "row", "]}"))
            .to_series()
            .to_list()
        )

    @cached_property
    def _all_evidence(self) -> pl.DataFrame:
        return self._placed_evidence(None)

    def _placed_evidence(self, questions: range | None) -> pl.DataFrame:
        """The evidence of these questions, None for all, with its place: q, s, k, evidence, in this order."""
        types = {"q": pl.Int64, "s": pl.Int64, "k": pl.Int64, "evidence": pl.String}
        if not self.evidence:
            return pl.DataFrame(schema=types)
        order = self.overview.column_order
        schema = {"metric": pl.String, "k": pl.Int64}
        metrics = pl.DataFrame({"metric": order, "k": range(len(order))}, schema=schema)
        known, systems = self.overview.columns.grid
        wanted = pl.col("evidence").is_not_null()
        if questions is None:
            scan = self.run.source.scan_evidence()
        else:
            ids = self.overview.columns.ids[questions.start : questions.stop]
            wanted &= pl.col("id").is_in(ids)
            scan = self.run.evidence_of(self.rows.rows_of(questions.start, questions.stop).tolist())
        stored = self.run.collect(scan.filter(wanted)).join(metrics, on="metric")
        return (
            stored.join(known, on="id")
            .join(systems, on="system")
            .select(*types)
            .sort("q", "s", "k")
        )

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The first question of each block."""
        n, per_block = self.overview.n_questions, self.per_block
        if per_block is None:
            first = self.run.samples.part(0, QUESTIONS_AT_ONCE)
            size = first.estimated_size() / max(first.height, 1) * len(self.run.samples)
            size += cast(int, self._all_evidence["evidence"].str.len_bytes().sum())
            per_block = max(1, int(n * BLOCK_SIZE / max(size, 1)))
        return tuple(range(0, n, per_block))


def _joined(*parts: str) -> pl.Expr:
    """The columns (every second part) and the texts around them as one text; null is empty."""
    exprs = [pl.col(part) if at % 2 else pl.lit(part) for at, part in enumerate(parts)]
    return pl.concat_str(exprs, ignore_nulls=True)


def _object(names: Sequence[str]) -> pl.Expr:
    """The columns as a JSON object."""
    return pl.struct(*names).struct.json_encode() if names else pl.lit("{}")


def _numbers_in(dtype: pl.DataType) -> set[str]:
    """The kinds of numbers that values of a type have: "whole" and "float"."""
    if isinstance(dtype, pl.List | pl.Array):
        return _numbers_in(cast(pl.DataType, dtype.inner))
    if isinstance(dtype, pl.Struct):
        inner = (cast(pl.DataType, each.dtype) for each in dtype.fields)
        return set[str]().union(*map(_numbers_in, inner))
    kind = "float" if dtype.is_float() else "whole"
    return {kind} if dtype.is_numeric() else set()
