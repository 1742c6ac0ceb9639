"""ragauge scores what retrieval and question-answering systems return, and makes the scores hold up."""

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

# `score` and `metric` are modules of this package too. All of them are imported above, so that the
# functions keep the names.

__all__ = [
    "DataError",
    "LabelError",
    "MetricError",
    "PlanError",
    "RagaugeError",
    "Run",
    "Samples",
    "Score",
    "Status",
    "StoreError",
    "Suite",
    "evaluate",
    "feature",
    "load",
    "metric",
    "open_run",
    "score",
]
