"""Match the runs that `rank` is given to judgements, and name each run."""

import os
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ragauge.errors import DataError, PlanError, Problem
from ragauge.rankings.arrays import Compat
from ragauge.rankings.judgements import JudgedRun, Judgements
from ragauge.rankings.reading.sources import match_systems

if TYPE_CHECKING:
    from ragauge.rankings.reading.sources import RankingSource

MAX_THREADS = 4


def judged_runs(
    runs: "RankingSource | Sequence[RankingSource] | Mapping[str, RankingSource]",
    judgements: Judgements,
    compat: Compat,
) -> dict[str, JudgedRun]:
    """Every run matched to the judgements, by its name; of samples, every system.

    PlanError for a run among samples, and for a system in two of them.
    """
    named = named_runs(runs)
    if not named:
        raise PlanError(["no run given; give at least one"])
    sources = [source for _, source in named]
    match = partial(match_systems, judgements=judgements, compat=compat)
    if len(named) == 1:
        found = [match(sources[0])]
    else:
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(min(MAX_THREADS, os.cpu_count() or 1)) as pool:
            found = list(pool.map(match, sources))
    n_runs = sum(None in systems for systems in found)
    if n_runs == len(found):
        of_none = [systems[None] for systems in found]
        matched = dict(zip(_distinct_names(named, of_none), of_none, strict=True))
    elif n_runs:
        raise PlanError(["samples and runs cannot be scored together; score them separately"])
    else:
        names = [str(system) for systems in found for system in systems]
        if twice := [name for name in names if names.count(name) > 1]:
            raise PlanError([f"system {twice[0]!r} is in two of the files; rename one"])
        matched = {str(system): run for systems in found for system, run in systems.items()}
        sources = [None] * len(matched)
    # A run that shares no query with the judgements, as when ids differ in spelling.
    problems = [
        Problem(
            f"run {name!r} has none of the {judgements.n_queries} judged queries; check that its query "
            f"ids are spelled as in {judgements.source}, for example {judgements.queries[0]!r}",
            str(source) if isinstance(source, str | Path) else "run",
        )
        for (name, run), source in zip(matched.items(), sources, strict=True)
        if not run.is_present.any()
    ]
    if problems:
        raise DataError(problems)
    return matched


def named_runs(
    runs: "RankingSource | Sequence[RankingSource] | Mapping[str, RankingSource]",
) -> "list[tuple[str | None, RankingSource]]":
    if isinstance(runs, Mapping) and not _is_run(cast(Mapping[str, object], runs)):
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
    for is_short in (True, False):
        names = [
            (Path(path).name if is_short else str(path))
            if path and not given and (not name or names.count(name) > 1)
            else name
            for name, path, (given, _) in zip(names, paths, named, strict=True)
        ]
    names = [name or f"run {at}" for at, name in enumerate(names, 1)]
    return [
        name if names.count(name) == 1 else f"{name} ({names[: at + 1].count(name)})"
        for at, name in enumerate(names)
    ]
