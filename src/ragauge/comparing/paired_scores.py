"""The scores of several systems as arrays, one row per system, one column per question."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ragauge.comparing.systems import ComparedSystem
from ragauge.runs.aggregates import CUSTOM
from ragauge.runs.scored_run import ScoredRun
from ragauge.runs.scores import collected
from ragauge.score import Flag, Status

if TYPE_CHECKING:
    Floats = NDArray[np.float64]
    Codes = NDArray[np.int8]

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


def question_ids(sides: Sequence[ComparedSystem]) -> "pl.Series":
    """The ids of all sides' questions, sorted."""
    of_runs: list[pl.Series] = []
    for run in _runs(sides):
        wanted = pl.col("system").is_in([side.system for side in sides if side.run is run])
        of_runs.append(run.samples.scan().filter(wanted).select("id").unique().collect()["id"])
    both = of_runs[0] if len(of_runs) == 1 else pl.concat(of_runs).unique()
    return both.sort()


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
    for run in _runs(sides):
        places = {side.system: at for at, side in enumerate(sides) if side.run is run}
        by_label = {label: name for at in places.values() for name, label in labels[at].items()}
        for (label, system), rows in _parts_of_run(run, places, by_label, ids):
            name, at = by_label[label], places[system]
            question = rows["question"].to_numpy()
            values[name][at, question] = rows["value"].fill_null(float("nan")).to_numpy()
            status[name][at, question] = rows["status"].to_numpy() + 1
            _add_parts(parts, name, at, rows, shape)
        for name, at, question, each in _repeat_variances(run, places, by_label, ids):
            variance.setdefault(name, np.zeros(shape))[at, question] = each
    return {
        name: MetricScores(values[name], status[name], parts.get(name), variance.get(name))
        for name in names
    }


def _runs(sides: Sequence[ComparedSystem]) -> Iterable[ScoredRun]:
    return {id(side.run): side.run for side in sides}.values()


def _parts_of_run(
    run: ScoredRun, systems: Mapping[str, int], labels: Mapping[str, str], ids: "pl.Series"
) -> "Iterable[tuple[tuple[str, str], pl.DataFrame]]":
    """The scores of each metric and system, with the place of their question and status."""
    statuses = pl.Enum([str(status) for status in Status])
    wanted = pl.col("metric").is_in(list(labels)) & pl.col("system").is_in(list(systems))
    has_parts = any(
        metric.aggregate.kind == CUSTOM and metric.metric in labels for metric in run.metrics
    )
    columns = ("id", "system", "metric", "value", "status", *(["parts"] if has_parts else []))
    for piece in run.source.pieces():
        rows = run.collect(
            piece.scan()
            .filter(wanted)
            .select(columns)
            .with_columns(pl.col("status").cast(statuses).to_physical().cast(pl.Int8))
        )
        rows = rows.join(numbered(rows["id"], ids), on="id", how="inner").drop("id")
        for (metric, system), part in rows.partition_by(["metric", "system"], as_dict=True).items():
            yield (cast(str, metric), cast(str, system)), part


def numbered(given: "pl.Series", ids: "pl.Series") -> "pl.DataFrame":
    """The ids of `given` that are among `ids`, which are sorted, with the place of each there."""
    own = given.unique()
    if not len(ids):
        return pl.DataFrame({"id": own[:0], "question": pl.Series([], dtype=pl.UInt32)})
    places = np.minimum(ids.search_sorted(own).to_numpy(), len(ids) - 1).astype(np.uint32)
    found = pl.DataFrame({"id": own, "question": places})
    return found.filter(ids.gather(places).alias("same") == own)


def _add_parts(
    parts: "dict[str, Floats]", name: str, at: int, rows: "pl.DataFrame", shape: tuple[int, int]
) -> None:
    if "parts" not in rows.columns:
        return
    rows = rows.drop_nulls("parts")
    if not rows.height:
        return
    given = np.array(rows["parts"].to_list(), dtype=np.float64).reshape(rows.height, -1)
    if name not in parts:
        parts[name] = np.zeros((*shape, given.shape[1]))
    parts[name][at, rows["question"].to_numpy()] = given


def _repeat_variances(
    run: ScoredRun, systems: Mapping[str, int], labels: Mapping[str, str], ids: "pl.Series"
) -> Iterable[tuple[str, int, "np.ndarray[Any, Any]", "np.ndarray[Any, Any]"]]:
    """For each metric and system with repeated scores: questions, and the variance of each mean."""
    if cast("int | None", run.manifest.code.get("repeats") or 1) == 1:
        return
    places = pl.LazyFrame({"id": ids, "question": pl.Series(range(len(ids)), dtype=pl.UInt32)})
    flagged = pl.col("flags").list.contains(str(Flag.REPEATED))
    scores = run.scan().select("id", "system", "metric", "flags")
    both = pl.concat(
        [scores, run.source.scan_evidence().select("evidence")], how="horizontal"
    ).filter(flagged & pl.col("metric").is_in(list(labels)) & pl.col("system").is_in(list(systems)))
    rows = collected(both.join(places, on="id", how="inner"), run.folder)
    for (metric, system), part in rows.partition_by(["metric", "system"], as_dict=True).items():
        variances = np.array([_variance_of_mean(text) for text in part["evidence"].to_list()])
        name = labels[cast(str, metric)]
        yield name, systems[cast(str, system)], part["question"].to_numpy(), variances


def _variance_of_mean(evidence: str | None) -> float:
    """The variance of the mean of a score's repeats; 0 if fewer than two have a value."""
    repeats = cast("Sequence[object]", json.loads(evidence or "{}").get("repeats") or ())
    values = [each for each in repeats if isinstance(each, int | float)]
    return float(np.var(values, ddof=1)) / len(values) if len(values) > 1 else 0.0
