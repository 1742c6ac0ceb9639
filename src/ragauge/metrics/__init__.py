"""The metrics as objects: `rg.metrics.ndcg(k=10)` is the label `ndcg@10`, with checked settings.

Each module holds one family of metrics; the catalog finds them without a list.
"""

from importlib import import_module
from types import ModuleType


def __getattr__(name: str) -> object:
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from ragauge.errors import LabelError

    try:
        return _lookup().metric_label(name)
    except LabelError as error:
        raise AttributeError(str(error)) from None


def __dir__() -> list[str]:
    return _lookup().names()


def _lookup() -> ModuleType:
    # By name, because metrics are below the catalog, and looking them up computes no score.
    return import_module("ragauge.metric_label")
