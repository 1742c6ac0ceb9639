"""Several runs as one, so that what shows a run shows them side by side."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

import polars as pl

from ragauge.comparing.mismatches import ADVICE, check_data, check_metrics
from ragauge.comparing.systems import ComparedSystem
from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.scored_run import ScoredRun
from ragauge.runs.scores import EVIDENCE, SCORES, InMemory
from ragauge.samples.samples import Samples

DEFAULT = "default"
SUITE = "all runs"


@dataclass(frozen=True, repr=False)
class CombinedRun(ScoredRun):
    """Several runs as one. `mismatches` say where they differ, so that their numbers may not be comparable."""

    mismatches: tuple[str, ...] = ()


def with_combined(runs: Sequence[ScoredRun]) -> list[ScoredRun]:
    """The runs, before them all in one if they can be compared: they have a common question and metric."""
    found = combined(runs) if len(runs) > 1 else None
    return [*runs] if found is None else [found, *runs]


def combined(runs: Sequence[ScoredRun]) -> CombinedRun | None:
    """The systems of all runs on the metrics that they share, in memory; None without a common question
    or metric.

    A system is named with its run: "careful@monday"; the only system of a run by the run alone if it has
    no name of its own. `mismatches` say where questions, gold, versions or models differ; a metric that
    differs is left out.
    """
    sides = [
        ComparedSystem(run, run.samples.systems[0], name)
        for run, name in zip(runs, names_of(runs), strict=True)
    ]
    base, *others = sides
    data = [problem for other in others for problem in check_data(base, other)]
    if any("no question in common" in problem.message for problem in data):
        return None
    shared, reasons, notes = _shared(runs, sides)
    if not shared:
        return None
    mismatches = [str(why).removesuffix(f"; {ADVICE}") for why in data]
    mismatches += [f"not in this view: {reason}" for reason in reasons]
    first = runs[0].manifest
    places = ", ".join(side.place for side in sides)
    frames = [side.run.samples.frame.with_columns(_named(side)) for side in sides]
    samples = Samples(_joined(frames), places)
    manifest = replace(
        first,
        key="",  # it has none: it is never stored
        models=(),
        suite=SUITE,
        metrics=tuple(shared),
        data={"source": places, "systems": sorted(samples.systems), "n_samples": len(samples)},
        notes=tuple(f"not in this view: {note}" for note in notes),
        git_commit=None,
        judging={},
        findings=(),
        started="",
        finished=max((run.manifest.finished or "" for run in runs), default=""),
    )
    scores = InMemory(_scores(sides, [metric.metric for metric in shared]))
    return CombinedRun(samples, scores, manifest, mismatches=tuple(mismatches))


def names_of(runs: Sequence[ScoredRun]) -> list[str]:
    """A name for each run: that of its folder, or a number."""
    names: list[str] = []
    for at, run in enumerate(runs, 1):
        if run.url is not None:
            name = run.url.rpartition("/")[2]
        else:
            name = f"run {at}" if run.folder is None else run.folder.resolve().name
        names.append(f"{name} ({at})" if name in names else name)
    return names


def _shared(
    runs: Sequence[ScoredRun], sides: Sequence[ComparedSystem]
) -> tuple[list[MetricDisplay], list[str], list[str]]:
    """The metrics that all runs scored in the same way; in what others differ; which others not all have."""
    base, *others = sides
    labels = [{metric.metric for metric in run.metrics if not metric.unavailable} for run in runs]
    own = [metric for metric in runs[0].metrics if all(metric.metric in each for each in labels)]
    reasons = {
        metric.name: reason
        for metric in own
        for other in others
        for reason in check_metrics(base, other, [metric.name])
    }
    shared = [metric for metric in own if metric.name not in reasons]
    kept = {metric.metric for metric in own}
    only = dict.fromkeys(
        metric.name
        for run in runs
        for metric in run.metrics
        if metric.metric not in kept and not metric.unavailable
    )
    missing = [f"{', '.join(only)}, which not every run has"] if only else []
    return shared, [*reasons.values()], missing


def _named(side: ComparedSystem) -> "pl.Expr":
    """The names of a run's systems beside those of other runs."""
    only = side.run.samples.systems == (DEFAULT,)
    name = pl.lit(side.name) if only else pl.col("system") + f"@{side.name}"
    return name.alias("system")


def _joined(frames: Sequence["pl.DataFrame"]) -> "pl.DataFrame":
    """The samples of all runs: the fields that some run has, and no two with another type."""
    kinds = {
        name: {frame.schema[name] for frame in frames if name in frame.columns}
        for name in dict.fromkeys(chain.from_iterable(frame.columns for frame in frames))
    }
    kept = [name for name, found in kinds.items() if len(found) == 1]
    return pl.concat(
        [frame.select(name for name in kept if name in frame.columns) for frame in frames],
        how="diagonal",
    )


def _scores(sides: Sequence[ComparedSystem], metrics: Sequence[str]) -> "pl.DataFrame":
    frames: list[pl.DataFrame] = []
    for side in sides:
        both = pl.concat(
            [side.run.scan(), side.run.source.scan_evidence().select("evidence")], how="horizontal"
        )
        wanted = pl.col("metric").is_in(list(metrics))
        frames.append(side.run.collect(both.filter(wanted).with_columns(_named(side))))
    names = list(dict.fromkeys((*SCORES, *EVIDENCE)))
    return pl.concat(frames, how="diagonal_relaxed").select(names)
