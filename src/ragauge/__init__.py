"""ragauge scores what retrieval and question-answering systems return, and makes the scores hold up."""

from importlib import import_module
from typing import TYPE_CHECKING

import ragauge.metric  # pyright: ignore[reportUnusedImport]  # see below
import ragauge.score  # noqa: F401  # pyright: ignore[reportUnusedImport]

if TYPE_CHECKING:
    from ragauge.encoders.embedded import MiniLM
    from ragauge.encoders.endpoint import Endpoint
    from ragauge.encoders.huggingface import HuggingFace
    from ragauge.errors import (
        DataError,
        EncoderError,
        JudgeError,
        LabelError,
        MetricError,
        PlanError,
        RagaugeError,
        StoreError,
    )
    from ragauge.evaluation import estimate, evaluate, score
    from ragauge.judges.endpoint import ChatEndpoint
    from ragauge.judges.judging import Judging
    from ragauge.judges.scripted import ScriptedJudge
    from ragauge.loaders import load
    from ragauge.metric import feature, metric
    from ragauge.ranking import Ranked, fuse, rank
    from ragauge.run import Run
    from ragauge.sample import Samples
    from ragauge.score import Score, Status
    from ragauge.store import open_run
    from ragauge.suite import Suite

__all__ = [
    "ChatEndpoint",
    "DataError",
    "EncoderError",
    "Endpoint",
    "HuggingFace",
    "JudgeError",
    "Judging",
    "LabelError",
    "MetricError",
    "MiniLM",
    "PlanError",
    "RagaugeError",
    "Ranked",
    "Run",
    "Samples",
    "Score",
    "ScriptedJudge",
    "Status",
    "StoreError",
    "Suite",
    "estimate",
    "evaluate",
    "feature",
    "fuse",
    "load",
    "metric",
    "open_run",
    "rank",
    "score",
]

_HOMES = {
    "encoders.embedded": ("MiniLM",),
    "encoders.endpoint": ("Endpoint",),
    "encoders.huggingface": ("HuggingFace",),
    "errors": (
        "DataError",
        "EncoderError",
        "JudgeError",
        "LabelError",
        "MetricError",
        "PlanError",
        "RagaugeError",
        "StoreError",
    ),
    "evaluation": ("estimate", "evaluate", "score"),
    "judges.endpoint": ("ChatEndpoint",),
    "judges.judging": ("Judging",),
    "judges.scripted": ("ScriptedJudge",),
    "loaders": ("load",),
    "metric": ("feature", "metric"),
    "ranking": ("Ranked", "fuse", "rank"),
    "run": ("Run",),
    "sample": ("Samples",),
    "score": ("Score", "Status"),
    "store": ("open_run",),
    "suite": ("Suite",),
}
"""The module that each public name is from. It is imported when the name is first asked for."""

# `score` and `metric` are modules of this package too. Importing a module makes it an attribute of
# its package, but only the first time; so they are imported above, and these attributes go.
del score, metric


def __getattr__(name: str) -> object:
    for home, names in _HOMES.items():
        if name in names:
            found = getattr(import_module(f"ragauge.{home}"), name)
            globals()[name] = found
            return found
    raise AttributeError(f"module 'ragauge' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
