"""ragauge scores what retrieval and question-answering systems return, and makes the scores hold up."""

from typing import TYPE_CHECKING

from ragauge.errors import (
    DataError,
    LabelError,
    MetricError,
    PlanError,
    RagaugeError,
    StoreError,
)
from ragauge.evaluation import evaluate, score
from ragauge.loaders import load
from ragauge.metric import feature, metric
from ragauge.run import Run
from ragauge.sample import Samples
from ragauge.score import Score, Status
from ragauge.store import open_run
from ragauge.suite import Suite

if TYPE_CHECKING:
    from ragauge.ranking import Ranked, fuse, rank

# `score` and `metric` are modules of this package too. All of them are imported above, so that the
# functions keep the names.

__all__ = [
    "DataError",
    "LabelError",
    "MetricError",
    "PlanError",
    "RagaugeError",
    "Ranked",
    "Run",
    "Samples",
    "Score",
    "Status",
    "StoreError",
    "Suite",
    "evaluate",
    "feature",
    "fuse",
    "load",
    "metric",
    "open_run",
    "rank",
    "score",
]


def __getattr__(name: str) -> object:
    """What needs numpy is imported when it is asked for, so that `import ragauge` stays quick."""
    if name in ("Ranked", "fuse", "rank"):
        from ragauge import ranking

        return getattr(ranking, name)
    raise AttributeError(f"module 'ragauge' has no attribute {name!r}")
