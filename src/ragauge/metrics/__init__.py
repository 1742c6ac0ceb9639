"""The metrics as objects: `rg.metrics.ndcg(k=10)` is the label `ndcg@10`, with checked settings.

Each module holds one family of metrics; the catalog finds them without a list.
"""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules


def __getattr__(name: str) -> object:
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from ragauge.errors import LabelError
    from ragauge.metrics.objects import metric_label

    _import_modules()
    try:
        return metric_label(name)
    except LabelError as error:
        raise AttributeError(str(error)) from None


def __dir__() -> list[str]:
    from ragauge.metrics.objects import names

    _import_modules()
    return names()


@cache
def _import_modules() -> None:
    """Declare all metrics of this package."""
    for module in iter_modules(__path__):
        import_module(f"{__name__}.{module.name}")
