"""The scores of several systems as arrays, one row per system, one column per question."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ragauge.comparing.systems import ComparedSystem, runs_of
from ragauge.runs.aggregates import CUSTOM, aggregate_of, aggregate_problem
from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.scored_run import ScoredRun
from ragauge.runs.scores import collected
from ragauge.score import Flag, Status
from ragauge.stats.aggregates import parts_of
from ragauge.stats.intervals import value_of

if TYPE_CHECKING:
    Floats = NDArray[np.float64]
    Codes = NDArray[np.int8]
    Ints = NDArray[np.int64]

STATUSES = ("absent", *map(str, Status))
"""What a code means: no row at all, or a score's status."""
OK = STATUSES.index(str(Status.OK))
NOT_APPLICABLE = tuple(map(STATUSES.index, ("absent", "undefined", "missing")))
"""If both sides have one of these, the metric says nothing about the question."""
LOST = tuple(map(STATUSES.index, ("absent", "missing", "failed")))
"""What is a loss where the base has a score; undefined and skipped are none."""


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
        for label, system, rows in _pieces(run, wanted, ids):
            name, at = by_label[label], places[system]
            question = rows["question"].to_numpy()
            values[name][at, question] = rows["value"].fill_null(float("nan")).to_numpy()
            status[name][at, question] = rows["status"].to_numpy() + 1
            known = rows.drop_nulls("parts") if "parts" in rows.columns else rows.clear()
            if known.height:
                given = np.array(known["parts"].to_list(), np.float64).reshape(known.height, -1)
                own = parts.setdefault(name, np.zeros((*shape, given.shape[1])))
                own[at, known["question"].to_numpy()] = given
        for label, system, rows in _repeated(run, wanted, ids):
            own = variance.setdefault(by_label[label], np.zeros(shape))
            own[places[system], rows["question"].to_numpy()] = [
                _variance_of_mean(text) for text in rows["evidence"].to_list()
            ]
    return {
        name: MetricScores(values[name], status[name], parts.get(name), variance.get(name))
        for name in names
    }


Rows = Iterator[tuple[str, str, pl.DataFrame]]
"""Label, system, and their scores with the place of each question."""


def _pieces(run: ScoredRun, wanted: "pl.Expr", ids: "pl.Series") -> Rows:
    """The wanted scores, some at a time, with the code of their status."""
    statuses = pl.Enum([str(status) for status in Status])
    has_parts = any(metric.aggregate.kind == CUSTOM for metric in run.metrics)
    columns = ("id", "system", "metric", "value", "status", *(["parts"] if has_parts else []))
    code = pl.col("status").cast(statuses).to_physical().cast(pl.Int8)
    for piece in run.source.pieces():
        rows = run.collect(piece.scan().filter(wanted).select(columns).with_columns(code))
        yield from _grouped(rows.join(numbered(rows["id"], ids), on="id", how="inner").drop("id"))


def _repeated(run: ScoredRun, wanted: "pl.Expr", ids: "pl.Series") -> Rows:
    """The wanted scores that are means over repeats, with their evidence."""
    if (run.manifest.code.get("repeats") or 1) == 1:
        return
    places = pl.LazyFrame({"id": ids, "question": pl.Series(range(len(ids)), dtype=pl.UInt32)})
    flagged = pl.col("flags").list.contains(str(Flag.REPEATED))
    scores = run.scan().select("id", "system", "metric", "flags")
    evidence = run.source.scan_evidence().select("evidence")
    both = pl.concat([scores, evidence], how="horizontal").filter(flagged & wanted)
    yield from _grouped(collected(both.join(places, on="id", how="inner"), run.folder))


def _grouped(rows: "pl.DataFrame") -> Rows:
    for (label, system), part in rows.partition_by(["metric", "system"], as_dict=True).items():
        yield cast(str, label), cast(str, system), part


def numbered(given: "pl.Series", ids: "pl.Series") -> "pl.DataFrame":
    """The ids of `given` that are among `ids`, which are sorted, with the place of each there."""
    own = given.unique()
    if not len(ids):
        return pl.DataFrame({"id": own[:0], "question": pl.Series([], dtype=pl.UInt32)})
    places = np.minimum(ids.search_sorted(own).to_numpy(), len(ids) - 1).astype(np.uint32)
    found = pl.DataFrame({"id": own, "question": places})
    return found.filter(ids.gather(places).alias("same") == own)


def _variance_of_mean(evidence: str | None) -> float:
    """The variance of the mean of a score's repeats; 0 if fewer than two have a value."""
    repeats = cast("Sequence[object]", json.loads(evidence or "{}").get("repeats") or ())
    values = [each for each in repeats if isinstance(each, int | float)]
    return float(np.var(values, ddof=1)) / len(values) if len(values) > 1 else 0.0
