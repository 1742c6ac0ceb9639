"""Fields that a summary may be broken down by."""

from collections.abc import Sequence

from ragauge.errors import PlanError
from ragauge.samples.samples import Samples

MAX_GROUPS = 100
"""Most values that a field may have to break a summary down by it."""


def check_groups(samples: Samples, by: Sequence[str]) -> None:
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
