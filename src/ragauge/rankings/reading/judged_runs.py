"""Read the judgements and runs that `rank` is given, match them, and name each run.

The readers of tables, JSON and samples are imported only when needed: importing them takes as long
as scoring a run of a hundred queries.
"""

import os
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ragauge.errors import DataError, PlanError, Problem
from ragauge.rankings.arrays import Compat
from ragauge.rankings.judgements import JudgedRun, Judgements
from ragauge.rankings.reading.streams import is_trec
from ragauge.rankings.reading.trec import read_qrels, scan_run

if TYPE_CHECKING:
    from ragauge.rankings.reading.sources import RankingSource
    from ragauge.samples.samples import Samples

MAX_THREADS = 4


def judgements_at(qrels: "RankingSource | Judgements") -> Judgements:
    if is_trec(qrels):
        return read_qrels(cast(str, qrels))
    from ragauge.rankings.reading.sources import read_judgements

    return read_judgements(qrels)


def _match_run(source: "RankingSource", judgements: Judgements, compat: Compat) -> JudgedRun:
    if is_trec(source):
        return scan_run(cast(str, source), judgements, compat=compat)
    from ragauge.rankings.reading.sources import match_to_qrels

    return match_to_qrels(source, judgements, compat=compat)


def _samples_in(source: "RankingSource") -> "Samples | None":
    if is_trec(source):
        return None
    from ragauge.rankings.reading.sources import samples_in

    return samples_in(source)


def judged_runs(
    runs: "RankingSource | Sequence[RankingSource] | Mapping[str, RankingSource]",
    judgements: Judgements,
    compat: Compat,
) -> dict[str, JudgedRun]:
    """Every run matched to the judgements, by its name."""
    named = named_runs(runs)
    if not named:
        raise PlanError(["no run given; give at least one"])
    of_samples = [_samples_in(source) for _, source in named]
    if any(samples is not None for samples in of_samples):
        return _match_samples(of_samples, judgements)
    match = partial(_match_run, judgements=judgements, compat=compat)
    if len(named) == 1:
        matched = [match(named[0][1])]
    else:
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(min(MAX_THREADS, os.cpu_count() or 1)) as pool:
            matched = list(pool.map(match, [source for _, source in named]))
    names = _distinct_names(named, matched)
    _refuse_unrelated(judgements, names, [source for _, source in named], matched)
    return dict(zip(names, matched, strict=True))


def _match_samples(
    several: "Sequence[Samples | None]", judgements: Judgements
) -> dict[str, JudgedRun]:
    """Every system of the samples; PlanError for a run among them or a duplicate system."""
    from ragauge.rankings.reading.sources import match_samples_to_qrels

    matched: dict[str, JudgedRun] = {}
    for samples in several:
        if samples is None:
            raise PlanError(["samples and runs cannot be scored together; score them separately"])
        for system, run in match_samples_to_qrels(samples, judgements).items():
            if system in matched:
                raise PlanError([f"system {system!r} is in two of the files; rename one"])
            matched[system] = run
    systems = list(matched)
    _refuse_unrelated(judgements, systems, [None] * len(systems), list(matched.values()))
    return matched


def named_runs(
    runs: "RankingSource | Sequence[RankingSource] | Mapping[str, RankingSource]",
) -> "list[tuple[str | None, RankingSource]]":
    if isinstance(runs, Mapping):
        if _is_run(cast(Mapping[str, object], runs)):
            return [(None, cast("RankingSource", runs))]
        return list(cast("Mapping[str, RankingSource]", runs).items())
    if isinstance(runs, Sequence) and not isinstance(runs, str):
        return [(None, run) for run in cast("Sequence[RankingSource]", runs)]
    return [(None, cast("RankingSource", runs))]


def _is_run(runs: Mapping[str, object]) -> bool:
    """Whether the mapping is query → document → score, and not name → run."""
    for inner in runs.values():
        if isinstance(inner, Mapping):
            for innermost in cast(Mapping[str, object], inner).values():
                return not isinstance(innermost, Mapping | list | tuple)
        elif inner is not None:
            return isinstance(inner, list | tuple)
    return True


def _distinct_names(
    named: "Sequence[tuple[str | None, RankingSource]]", seen: Sequence[JudgedRun]
) -> list[str]:
    """A name for each run: the given one, else its tag, or its file name if tags are equal."""
    names = [str(name or run.tag) for (name, _), run in zip(named, seen, strict=True)]
    paths = [source if isinstance(source, str | Path) else "" for _, source in named]
    for spelled in (_file_name, str):
        names = [
            spelled(path) if path and not given and (not name or names.count(name) > 1) else name
            for name, path, (given, _) in zip(names, paths, named, strict=True)
        ]
    names = [name or f"run {at}" for at, name in enumerate(names, 1)]
    return [
        name if names.count(name) == 1 else f"{name} ({names[: at + 1].count(name)})"
        for at, name in enumerate(names)
    ]


def _file_name(path: str | Path) -> str:
    return Path(path).name


def _refuse_unrelated(
    judgements: Judgements,
    names: Sequence[str],
    sources: Sequence[object],
    seen: Sequence[JudgedRun],
) -> None:
    """DataError when a run shares no query with the judgements, as when ids differ in spelling."""
    problems = [
        Problem(
            f"run {name!r} has none of the {judgements.n_queries} judged queries; check that its query "
            f"ids are spelled as in {judgements.source}, for example {judgements.queries[0]!r}",
            str(source) if isinstance(source, str | Path) else "run",
        )
        for name, source, retrieved in zip(names, sources, seen, strict=True)
        if not retrieved.is_present.any()
    ]
    if problems:
        raise DataError(problems)
