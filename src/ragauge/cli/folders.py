"""Where `ragauge run` keeps runs and its cache if it is not told where, and which runs are there."""

from pathlib import Path
from typing import TYPE_CHECKING

from ragauge.errors import StoreError

if TYPE_CHECKING:
    from ragauge.runs.manifest import Manifest

RUNS = Path("ragauge-runs")
CACHE = "cache.sqlite"


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
