"""A scored run: its samples, scores and manifest, and what is computed from them alone."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ragauge.errors import PlanError, did_you_mean
from ragauge.label import without_precision
from ragauge.runs.findings import MetricCaution, cautions_of, language_cautions
from ragauge.runs.integrity import check_digest
from ragauge.runs.manifest import INDEX, Manifest, MetricDisplay, aggregate_problem
from ragauge.runs.outcomes import Outcomes, has_results, outcomes_of, read_results
from ragauge.runs.scores import (
    InParts,
    ScoreSource,
    collected,
    hash_of,
    pieces_with_samples,
    with_evidence,
)
from ragauge.runs.summary import SUMMARY, clusters_in, frame_of, summarise_pieces, worst_rows
from ragauge.samples.samples import Samples
from ragauge.score import Flag

if TYPE_CHECKING:
    import polars as pl

UNGROUPED = ("references", "contexts", "context_ids", "context_scores", "gold_contexts", "relevant")
"""Columns whose values are lists: rows cannot be grouped by them."""

SYSTEMS_NAMED = 5
IDS_SEARCHED = 200_000
"""Ids among which one is searched that is like an unknown one."""


@dataclass(frozen=True, repr=False)
class ScoredRun:
    """The scores of samples, and the manifest of how they were computed; `ragauge.run.Run` adds what people do with it.

    `folder` is where it is stored; None for a run in memory. Of a run at a URL, it is the copy on this machine.
    """

    samples: Samples
    source: ScoreSource
    manifest: Manifest
    folder: Path | None = None
    url: str | None = None
    computed: dict[str, Any] = field(default_factory=dict[str, Any], repr=False, compare=False)
    """What has been computed from all scores, by a name of whoever computed it."""

    @property
    def place(self) -> str | None:
        """The URL or folder at which the run is stored; None for a run in memory."""
        return self.url or (None if self.folder is None else str(self.folder))

    def scan(self) -> "pl.LazyFrame":
        """The scores as a lazy frame, without their evidence; nothing is read before `collect`.

        One row per score: id, system, metric, value, status, reason, flags, parts. `value` is null
        unless the status is `ok`. `flags` is a list of remarks (needs_review, lost_parts, truncated,
        repeated, grade:A, language:de …). `parts` is what the score adds to its metric's custom aggregate.

        >>> import ragauge as rg, polars as pl
        >>> run = rg.evaluate([{"id": "q1", "answer": "Paris", "reference": "paris"}], "exact_match")
        >>> run.scan().filter(pl.col("value") == 1).select("id").collect().item()
        'q1'
        """
        return self.source.scan()

    @cached_property
    def scores(self) -> "pl.DataFrame":
        """All scores in memory: id, system, metric, value, status, reason, evidence (JSON), flags.

        If the run does not fit into memory, use `scan`.
        """
        return with_evidence(self.source, self.folder)

    def of_question(self, id: str) -> "pl.DataFrame":
        """The scores of one question with their evidence, as in `scores`."""
        return with_evidence(self._source_of(self.rows_of(id)), self.folder, id)

    def evidence_of(self, rows: Iterable[int]) -> "pl.LazyFrame":
        """The evidence of at least these rows of the samples: that of the batches that they are in."""
        return self._source_of(rows).scan_evidence()

    def _source_of(self, rows: Iterable[int]) -> ScoreSource:
        """The scores of the batches that these rows of the samples are in."""
        size = max(self.manifest.batch_size, 1)
        source = self.source.of_batches(sorted({row // size for row in rows}))
        if self.folder is not None and self.samples.is_file and isinstance(source, InParts):
            # Of a large run only some parts were checked when it was opened.
            for part in (*source.scores, *source.evidence):
                check_digest(part, self.folder, self.manifest.digests)
        return source

    def rows_of(self, id: str) -> tuple[int, ...]:
        """The places of a question's rows in the samples, ascending; found in an index if the run is large."""
        import polars as pl

        if self.folder is not None and (path := self.folder / INDEX).exists():
            try:
                index = pl.scan_parquet(path.absolute(), glob=False, hive_partitioning=False)
                found: pl.DataFrame = index.filter(pl.col("hash") == hash_of(id)).collect()
                rows = sorted(cast("list[int]", found["row"].to_list()))
                if all(self.samples.part(row, row + 1, ["id"])["id"].item() == id for row in rows):
                    return tuple(rows)
                # Else the hash is that of other ids, too, or the index of other samples.
            except (OSError, ValueError, pl.exceptions.PolarsError):
                pass
        places, start = list[int](), 0
        for piece in self.samples.pieces(["id"]):
            places += [start + place for place in (piece["id"] == id).arg_true().to_list()]
            start += piece.height
        return tuple(places)

    def collect(self, lazy: "pl.LazyFrame") -> "pl.DataFrame":
        """The rows of a frame made from `scan`; raises StoreError if a file of the run is damaged."""
        return collected(lazy, self.folder, is_large=self.samples.is_file)

    @cached_property
    def metrics(self) -> tuple[MetricDisplay, ...]:
        """The metrics in the order of the plan; those with the same name are shown with their label."""
        labels: dict[str, set[str]] = {}
        for metric in self.manifest.metrics:
            labels.setdefault(without_precision(metric.name), set()).add(metric.metric)

        def shown(metric: MetricDisplay) -> str:
            name = without_precision(metric.name)
            if len(labels[name]) == 1:
                return name
            is_begun = metric.metric.startswith(name)
            return metric.metric if is_begun else f"{name} ({metric.metric})"

        return tuple(replace(metric, name=shown(metric)) for metric in self.manifest.metrics)

    @cached_property
    def problems(self) -> tuple[str, ...]:
        """Why the aggregates of some metrics cannot be computed, and what to do; usually empty."""
        return tuple(filter(None, map(aggregate_problem, self.metrics)))

    @cached_property
    def cautions(self) -> tuple[MetricCaution, ...]:
        """The metrics that are known to mislead on texts and comparisons like those of this run, and why.

        Measured on answers that people labelled: see `ragauge metrics NAME`. Empty for a run that an
        earlier version stored without the lengths of its texts.

        >>> import ragauge as rg
        >>> row = {"id": "q1", "answer": "It opened in 1931.", "contexts": ["Opened: 1931."]}
        >>> [caution.metric for caution in rg.evaluate([row], "hallucination").cautions]
        ['hallucination']
        """
        known = cautions_of(self.manifest, self.outcomes.scored)
        return (*known, *language_cautions(self.outcomes))

    @cached_property
    def outcomes(self) -> Outcomes:
        """How many scores have no value and why, and which flags they have."""
        return outcomes_of(self)

    @cached_property
    def stored_results(self) -> Mapping[str, object]:
        """What a large stored run computed from all its scores when it ended; empty where an
        aggregate's code is not the run's."""
        if self.folder is None or not has_results(self) or self.problems:
            return {}
        return read_results(self.folder, self.manifest)

    def metric(self, name: str) -> MetricDisplay:
        """The metric with this label or shown name; raises PlanError if the run has none."""
        named = {without_precision(metric.metric): metric for metric in self.metrics}
        for metric in self.metrics:
            named |= {metric.metric: metric, metric.name: metric}
        if (found := named.get(name) or named.get(without_precision(name))) is None:
            names = ", ".join(metric.name for metric in self.metrics)
            hint = did_you_mean(without_precision(name), named) or f"; it has {names}"
            raise PlanError(f"the run has no metric {without_precision(name)!r}{hint}")
        return found

    def summary(self, by: str | Sequence[str] | None = None) -> "pl.DataFrame":
        """Each system's metrics: mean, 95 % interval, bounds, and counts per status.

        `by` also groups by one or several fields of the samples. Columns: system, the fields,
        metric, name, mean, low, high, worst, best, lowest, highest, n, ok, undefined, missing, failed,
        skipped. The mean is over ok scores; `low` and `high` are its interval over questions, as
        `ragauge.stats.interval` makes it (null below two; above 50,000 without its correction).
        `worst` and `best` are the mean if every row without a value had the worst or the best one; null
        for open scales and for metrics not aggregated by the mean. All are null if no row has a value,
        or if the code of a custom aggregate is not loaded: see `problems`. PlanError for a field that
        the samples do not have.
        """
        fields = slices_of(self.samples, [by] if isinstance(by, str) else by or ())
        summaries: dict[tuple[str, ...], pl.DataFrame] = self.computed.setdefault("summaries", {})
        if not fields and not summaries and "summary" in self.stored_results:
            summaries[fields] = frame_of(cast("list[Any]", self.stored_results["summary"]))
        if fields not in summaries:
            columns = ("id", "system", "metric", "value", "status", "parts")
            needed = [*fields, *clusters_in(self.samples)]
            pieces = partial(pieces_with_samples, self, columns, needed)
            summaries[fields] = summarise_pieces(pieces, self.samples, self.metrics, fields)
        return summaries[fields].clone()

    def samples_of(self, ids: Collection[str]) -> "pl.DataFrame":
        """The samples of some questions, in their order."""
        import polars as pl

        if not self.samples.is_file:
            return self.samples.frame.filter(pl.col("id").is_in(list(ids)))
        rows = sorted({row for id in ids for row in self.rows_of(id)})
        parts = (self.samples.part(row, row + 1) for row in rows)
        return pl.concat([self.samples.part(0, 0), *parts])

    def check_question(self, id: str) -> None:
        """Raise PlanError if the run has no question with this id."""
        if self.rows_of(id):
            return
        first = self.samples.part(0, IDS_SEARCHED, ["id"])["id"]
        ids = cast("list[str]", first.unique().to_list())
        n = f"{len(ids):,}" if len(self.samples) <= IDS_SEARCHED else "many"
        hint = did_you_mean(id, ids) or f"; it has {n}, starting with {min(ids)!r}"
        raise PlanError([f"{self.place or 'the run'} has no question {id!r}{hint}"])

    def worst(self, metric: str, n: int = 10) -> "pl.DataFrame":
        """The n rows with the worst value of a metric, worst first: id, system, value, answer.

        `metric` is a label or a shown name. Rows without a value are left out; ties are ordered by id and system.
        """
        import polars as pl
        import polars.selectors as cs

        if n < 1:
            raise PlanError([f"n must be at least 1, got {n}"])
        display = self.metric(metric)
        kept = cast("Mapping[str, list[object]]", self.stored_results.get("worst", {}))
        rows = kept.get(display.metric, [])
        if len(rows) >= n:
            types = {"id": pl.String, "system": pl.String, "value": pl.Float64}
            worst = pl.DataFrame(rows[:n], schema=types, orient="row")
        else:
            worst = worst_rows(self, [display], n)[display.metric]
        samples = self.samples_of(worst["id"].unique().to_list())
        answers = samples.select("id", "system", cs.by_name("answer", require_all=False))
        return worst.join(answers, on=["id", "system"], how="left", maintain_order="left")

    def needs_review(self) -> "pl.DataFrame":
        """The scores that a person should check: those with the flag `needs_review`."""
        import polars as pl

        return self.scores.filter(pl.col("flags").list.contains(str(Flag.NEEDS_REVIEW)))

    def __repr__(self) -> str:
        systems = self.samples.systems
        more = ", …" if len(systems) > SYSTEMS_NAMED else ""
        named = ", ".join(systems[:SYSTEMS_NAMED]) + more
        where = "not stored" if self.place is None else f"in {self.place}"
        return f"{type(self).__name__}({self.manifest.suite}: {len(self.samples):,} samples of {named}; {where})"


def slices_of(samples: Samples, by: Iterable[str]) -> tuple[str, ...]:
    """The fields to group by, distinct and without `system`; PlanError with every bad one."""
    fields = tuple(name for name in dict.fromkeys(by) if name != "system")
    known = [column for column in samples.columns if column not in UNGROUPED]
    problems: list[str] = []
    for name in fields:
        if name not in samples.columns:
            hint = did_you_mean(name, known) or f"; they have {', '.join(known)}"
            problems.append(f"cannot group by {name!r}: the samples have no such field{hint}")
        elif name in UNGROUPED:
            problems.append(f"{name!r} holds lists; rows cannot be grouped by it")
        elif name in SUMMARY:
            what = "a summary has a column of that name; rename the field"
            problems.append(f"cannot group by {name!r}: {what}")
    if problems:
        raise PlanError(problems)
    return fields
