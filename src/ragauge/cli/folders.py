"""Where `ragauge run` keeps runs and its cache by default, which runs are there, and by what they may be grouped."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ragauge.errors import PlanError, StoreError

if TYPE_CHECKING:
    from ragauge.runs.manifest import Manifest
    from ragauge.samples.samples import Samples

RUNS = Path("ragauge-runs")
CACHE = "cache.sqlite"
MAX_GROUPS = 100
"""Most values that a field may have to break a summary down by it."""


def cache_path(given: str | None) -> Path | None:
    """The file that `--cache` names, by default the one beside the runs; None for none."""
    from ragauge.evaluation.config import NO_CACHE

    if given == NO_CACHE:
        return None
    return Path(given) if given else RUNS / CACHE


def stored_runs(*others: Path) -> "list[tuple[Path, Manifest]]":
    """The runs in the default folder and in others, the last begun first; what is no run is skipped."""
    from ragauge.runs.store import RunFolder

    runs: dict[Path, tuple[Path, Manifest]] = {}
    for path in (
        path for root in (RUNS, *others) if root.is_dir() for path in sorted(root.iterdir())
    ):
        try:
            runs.setdefault(path.resolve(), (path, RunFolder(path).manifest()))
        except StoreError:
            continue
    return sorted(runs.values(), key=lambda run: run[1].started, reverse=True)


def check_groups(samples: "Samples", by: Sequence[str]) -> None:
    """PlanError for each field with too many values to break a summary down by."""
    import polars as pl

    counts = {
        name: int(samples.scan().select(name).unique().select(pl.len()).collect().item())
        for name in by
    }
    problems = [
        f"cannot group by {name!r}: it has {n:,} values, more than {MAX_GROUPS}; "
        "select rows with --where, or use a coarser field"
        for name, n in counts.items()
        if n > MAX_GROUPS
    ]
    if problems:
        raise PlanError(problems)
