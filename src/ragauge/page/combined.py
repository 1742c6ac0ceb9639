"""Several runs as one, so that what shows a run shows them side by side."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import polars as pl

from ragauge.comparing.mismatches import ADVICE, check_data, check_metrics
from ragauge.comparing.systems import ComparedSystem
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
    base, *others = sides = [
        ComparedSystem(run, run.samples.systems[0], name)
        for run, name in zip(runs, _names_of(runs), strict=True)
    ]
    data = [problem for other in others for problem in check_data(base, other)]
    if any("no question in common" in problem.message for problem in data):
        return None
    scored = [[metric for metric in run.metrics if not metric.unavailable] for run in runs]
    labels = [{metric.metric for metric in metrics} for metrics in scored]
    common = set[str].intersection(*labels)
    # Those that are scored in another way are left out, with the reason.
    reasons = {
        metric.name: reason
        for metric in runs[0].metrics
        if metric.metric in common
        for other in others
        for reason in check_metrics(base, other, [metric.name])
    }
    shared = [m for m in runs[0].metrics if m.metric in common and m.name not in reasons]
    if not shared:
        return None
    only = dict.fromkeys(m.name for metrics in scored for m in metrics if m.metric not in common)
    mismatches = [str(why).removesuffix(f"; {ADVICE}") for why in data]
    mismatches += [f"not in this view: {reason}" for reason in reasons.values()]
    frames = [side.run.samples.frame.with_columns(_named(side)) for side in sides]
    # The fields that some run has, and no two with another type.
    schema = [(name, dtype) for frame in frames for name, dtype in frame.schema.items()]
    kept = [name for name in dict(schema) if len({d for n, d in schema if n == name}) == 1]
    own = [frame.select(name for name in kept if name in frame.columns) for frame in frames]
    places = ", ".join(side.place for side in sides)
    samples = Samples(pl.concat(own, how="diagonal"), places)
    missing = f"not in this view: {', '.join(only)}, which not every run has"
    manifest = replace(
        runs[0].manifest,
        key="",  # it has none: it is never stored
        models=(),
        suite=SUITE,
        metrics=tuple(shared),
        data={"source": places, "systems": sorted(samples.systems), "n_samples": len(samples)},
        notes=(missing,) if only else (),
        git_commit=None,
        judging={},
        findings=(),
        started="",
        finished=max((run.manifest.finished or "" for run in runs), default=""),
    )
    scores: list[pl.DataFrame] = []
    for side in sides:
        both = [side.run.scan(), side.run.source.scan_evidence().select("evidence")]
        wanted = pl.col("metric").is_in([metric.metric for metric in shared])
        found = pl.concat(both, how="horizontal").filter(wanted).with_columns(_named(side))
        scores.append(side.run.collect(found))
    names = list(dict.fromkeys((*SCORES, *EVIDENCE)))
    source = InMemory(pl.concat(scores, how="diagonal_relaxed").select(names))
    return CombinedRun(samples, source, manifest, mismatches=tuple(mismatches))


def _names_of(runs: Sequence[ScoredRun]) -> list[str]:
    """A name for each run: that of its folder, or a number."""
    names: list[str] = []
    for at, run in enumerate(runs, 1):
        name = f"run {at}" if run.folder is None else run.folder.resolve().name
        name = name if run.url is None else run.url.rpartition("/")[2]
        names.append(f"{name} ({at})" if name in names else name)
    return names


def _named(side: ComparedSystem) -> pl.Expr:
    """The names of a run's systems beside those of other runs."""
    only = side.run.samples.systems == (DEFAULT,)
    name = pl.lit(side.name) if only else pl.col("system") + f"@{side.name}"
    return name.alias("system")
