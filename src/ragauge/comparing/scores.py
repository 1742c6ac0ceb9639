"""What is compared: the questions, their slices and clusters, and the scores as arrays with a row for each system."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ragauge.comparing.systems import ComparedSystem, runs_of
from ragauge.errors import PlanError, did_you_mean
from ragauge.runs.manifest import CUSTOM, MetricDisplay, aggregate_of, aggregate_problem
from ragauge.runs.scored_run import ScoredRun
from ragauge.runs.scores import collected
from ragauge.samples.fields import FIELDS, by_number
from ragauge.score import Flag, Status
from ragauge.stats.intervals import parts_of, value_of

if TYPE_CHECKING:
    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]
    Codes = NDArray[np.int8]

Groups = Mapping[tuple[str, str], pl.DataFrame]
MAX_SLICES = 100
"""Most values of a field to compare by."""
NO_VALUE = "(none)"
PLAIN_FIELDS = ("question",)
"""Known fields that questions can be grouped by; the others hold answers, or lists."""
STATUSES = ("absent", *map(str, Status))
"""What a code means: no row at all, or a score's status."""
OK = STATUSES.index(str(Status.OK))
NOT_APPLICABLE = tuple(map(STATUSES.index, ("absent", "undefined", "missing")))
"""If both sides have one of these, the metric says nothing about the question."""
LOST = tuple(map(STATUSES.index, ("absent", "missing", "failed")))
"""What is a loss where the base has a score; undefined and skipped are none."""


@dataclass(frozen=True)
class Slice:
    """The questions, by their places, whose `field` has this value; both None for all questions."""

    field: str | None
    value: str | None
    questions: "Ints"


@dataclass(frozen=True)
class Questions:
    """The questions of all sides, sorted by id. `clusters` (n,) numbers the cluster of each."""

    ids: "pl.Series"
    slices: tuple[Slice, ...]
    fields: tuple[str, ...]
    clusters: "Ints | None" = None
    notes: tuple[str, ...] = ()

    @property
    def n_clusters(self) -> int | None:
        return None if self.clusters is None else int(self.clusters.max(initial=-1)) + 1


def questions_of(
    sides: Sequence[ComparedSystem], by: Sequence[str], cluster: str | None
) -> Questions:
    """The questions of the sides; raises PlanError for a field that cannot be grouped by.

    A question has the value that the first side with one gives it.
    """
    fields = tuple(dict.fromkeys(by))
    wanted = [*fields, *([cluster] if cluster is not None else [])]
    if problems := [problem for name in wanted if (problem := _problem(sides, name))]:
        raise PlanError(problems)
    of_runs: list[pl.Series] = []
    for run in runs_of(sides):
        is_side = pl.col("system").is_in([side.system for side in sides if side.run is run])
        of_runs.append(run.samples.scan().filter(is_side).select("id").unique().collect()["id"])
    ids = (of_runs[0] if len(of_runs) == 1 else pl.concat(of_runs).unique()).sort()
    slices = [Slice(None, None, np.arange(len(ids)))]
    for field in fields:
        groups = pl.DataFrame(
            {"value": _values(sides, ids, field), "question": slices[0].questions}
        )
        by_value = groups.partition_by("value", as_dict=True)
        if len(by_value) > MAX_SLICES:
            problem = f"cannot compare by {field!r}: it has {len(by_value):,} values, more than {MAX_SLICES}"
            raise PlanError(f"{problem}; use a coarser field")
        # The questions without a value come last.
        for key in sorted(by_value, key=lambda key: (key[0] is None, by_number(str(key[0])))):
            value = NO_VALUE if key[0] is None else str(key[0])
            slices.append(Slice(field, value, by_value[key]["question"].to_numpy()))
    if cluster is None:
        return Questions(ids, tuple(slices), fields)
    values = _values(sides, ids, cluster)
    known, numbers = np.unique(values.fill_null("").to_numpy(), return_inverse=True)
    is_null, n_null = values.is_null().to_numpy(), values.null_count()
    numbers = numbers.astype(np.int64)
    numbers[is_null] = len(known) + np.arange(n_null)
    notes = (f"{n_null:,} questions without {cluster} are clusters of their own",) if n_null else ()
    return Questions(ids, tuple(slices), fields, numbers, notes)


def clusters_of(run: ScoredRun, field: str) -> dict[str, str]:
    """The cluster of each question: the value that its first answer has for a field.

    A question without one is a cluster of its own. PlanError for a field that is no property of questions.
    """
    sides = [ComparedSystem(run, system, system) for system in run.samples.systems]
    if problem := _problem(sides, field):
        raise PlanError(problem)
    rows = run.samples.frame.select("id", pl.col(field).cast(pl.String).alias("value"))
    first = rows.group_by("id", maintain_order=True).agg(pl.col("value").drop_nulls().first())
    return {id: f"\0{id}" if value is None else value for id, value in first.iter_rows()}


def _problem(sides: Sequence[ComparedSystem], name: str) -> str:
    columns = list(dict.fromkeys(name for side in sides for name in side.run.samples.columns))
    known = [each for each in columns if each not in FIELDS or each in PLAIN_FIELDS]
    listed = ", ".join(known) or "none"
    if name not in columns:
        return f"the samples have no field {name!r}{did_you_mean(name, known) or f'; they have {listed}'}"
    is_known = name in known
    return "" if is_known else f"{name!r} is not a property of a question; use one of {listed}"


def _values(sides: Sequence[ComparedSystem], ids: "pl.Series", name: str) -> "pl.Series":
    """The value of a field for each question as text, null where no side has one."""
    table = pl.DataFrame({"id": ids})
    for at, side in enumerate(sides):
        if name in side.run.samples.columns:
            of_side = side.run.samples.scan().filter(pl.col("system") == side.system)
            own = of_side.select("id", pl.col(name).cast(pl.String).alias(str(at))).collect()
            table = table.join(own, on="id", how="left", maintain_order="left")
    return table.select(pl.coalesce(pl.exclude("id")).alias(name))[name]


@dataclass(frozen=True, slots=True)
class MetricScores:
    """One metric's scores of s systems on n questions.

    `values` (s, n) is NaN where `status` (s, n), a place in STATUSES, is not OK. `parts` (s, n, p) is
    what a score adds to its metric's custom aggregate, else None. `repeat_variance` (s, n) is the
    variance of the mean of a score's repeats; None without repeats.
    """

    values: "Floats"
    status: "Codes"
    parts: "Floats | None" = None
    repeat_variance: "Floats | None" = None

    def parts_on(self, metric: MetricDisplay, side: int, questions: "Ints") -> "Floats":
        """What each of the questions adds to the sums of the metric's aggregate, (m, p)."""
        if metric.aggregate.kind != CUSTOM:
            return parts_of(self.values[side, questions], metric.aggregate.kind)
        return np.zeros((len(questions), 0)) if self.parts is None else self.parts[side, questions]

    def aggregate_on(self, metric: MetricDisplay, side: int, questions: "Ints") -> float | None:
        """The metric's aggregate of one side on some questions, all scored; None if it cannot be computed."""
        if not len(questions) or aggregate_problem(metric):
            return None
        sums = self.parts_on(metric, side, questions).sum(axis=0)
        return value_of(sums, aggregate_of(metric))


def read_scores(
    sides: Sequence[ComparedSystem], ids: "pl.Series", labels: Sequence[Mapping[str, str]]
) -> "dict[str, MetricScores]":
    """The scores by name of the metric; `labels` has each side's label of each name."""
    names = list(dict.fromkeys(name for of_side in labels for name in of_side))
    shape = (len(sides), len(ids))
    values = {name: np.full(shape, np.nan) for name in names}
    status = {name: np.zeros(shape, np.int8) for name in names}
    parts: dict[str, Floats] = {}
    variance: dict[str, Floats] = {}
    for run in runs_of(sides):
        places = {side.system: at for at, side in enumerate(sides) if side.run is run}
        by_label = {label: name for at in places.values() for name, label in labels[at].items()}
        wanted = pl.col("metric").is_in(list(by_label)) & pl.col("system").is_in(list(places))
        for piece in _pieces(run, wanted):
            found = piece.join(numbered(piece["id"], ids), on="id", how="inner")
            groups = found.partition_by(["metric", "system"], as_dict=True)
            for (label, system), rows in cast("Groups", groups).items():
                name, at, question = by_label[label], places[system], rows["question"].to_numpy()
                if "evidence" in rows.columns:
                    own = variance.setdefault(name, np.zeros(shape))
                    own[at, question] = [*map(_variance, rows["evidence"])]
                    continue
                values[name][at, question] = rows["value"].fill_null(float("nan")).to_numpy()
                status[name][at, question] = rows["status"].to_numpy() + 1
                known = rows.drop_nulls("parts") if "parts" in rows.columns else rows.clear()
                if known.height:
                    given = np.array(known["parts"].to_list(), np.float64).reshape(known.height, -1)
                    own = parts.setdefault(name, np.zeros((*shape, given.shape[1])))
                    own[at, known["question"].to_numpy()] = given
    return {
        name: MetricScores(values[name], status[name], parts.get(name), variance.get(name))
        for name in names
    }


def _variance(evidence: str | None) -> float:
    """The variance of the mean of a score's repeats; 0 if fewer than two have a value."""
    stored = json.loads(evidence or "{}").get("repeats") or ()
    repeats = [each for each in stored if isinstance(each, int | float)]
    return float(np.var(repeats, ddof=1)) / len(repeats) if len(repeats) > 1 else 0.0


def _pieces(run: ScoredRun, wanted: "pl.Expr") -> Iterator[pl.DataFrame]:
    """The wanted scores, some at a time, with the code of their status; then those of repeats, with their evidence."""
    statuses = pl.Enum([str(status) for status in Status])
    has_parts = any(metric.aggregate.kind == CUSTOM for metric in run.metrics)
    columns = ("id", "system", "metric", "value", "status", *(["parts"] if has_parts else []))
    code = pl.col("status").cast(statuses).to_physical().cast(pl.Int8)
    for piece in run.source.pieces():
        yield run.collect(piece.scan().filter(wanted).select(columns).with_columns(code))
    if (run.manifest.code.get("repeats") or 1) != 1:
        flagged = pl.col("flags").list.contains(str(Flag.REPEATED))
        scores = run.scan().select("id", "system", "metric", "flags")
        evidence = run.source.scan_evidence().select("evidence")
        both = pl.concat([scores, evidence], how="horizontal").filter(flagged & wanted)
        yield collected(both, run.folder)


def numbered(given: "pl.Series", ids: "pl.Series") -> "pl.DataFrame":
    """The ids of `given` that are among `ids`, which are sorted, with the place of each there."""
    own = given.unique()
    if not len(ids):
        return pl.DataFrame({"id": own[:0], "question": pl.Series([], dtype=pl.UInt32)})
    places = np.minimum(ids.search_sorted(own).to_numpy(), len(ids) - 1).astype(np.uint32)
    found = pl.DataFrame({"id": own, "question": places})
    return found.filter(ids.gather(places).alias("same") == own)
