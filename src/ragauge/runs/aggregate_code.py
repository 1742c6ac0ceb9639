"""The aggregates of stored metrics: whether their code is loaded and unchanged, and the function."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from ragauge import catalog
from ragauge.metric import Metric
from ragauge.runs.aggregates import CUSTOM, StoredAggregate
from ragauge.runs.code import OWN
from ragauge.runs.manifest import MetricDisplay

if TYPE_CHECKING:
    from ragauge.stats.intervals import Aggregate, Floats1d, Floats2d


def aggregate_problem(display: MetricDisplay) -> str:
    """Why a stored metric's aggregate cannot be computed here; empty if it can.

    >>> from ragauge.runs.manifest import MetricDisplay
    >>> from ragauge.runs.aggregates import StoredAggregate
    >>> lost = StoredAggregate("custom", "my_metrics", "my_metrics.py", "12ab")
    >>> aggregate_problem(MetricDisplay("harmonic", "harmonic", version=1, aggregate=lost))[:72]
    'harmonic has a custom aggregate, whose code (my_metrics.py) is not loade'
    """
    stored = display.aggregate
    if stored.kind != CUSTOM:
        return ""
    metric = _loaded_metric(display)
    home = stored.file or stored.module
    is_plugin = stored.module.partition(".")[0] != OWN
    advice = f"; load it with --plugin {home}, or import it first" if is_plugin else ""
    if metric is None or not callable(metric.aggregate):
        return f"{display.name} has a custom aggregate, whose code ({home}) is not loaded{advice}"
    if metric.version != display.version:
        return (
            f"{display.name} was scored by version {display.version} of the metric, but version "
            f"{metric.version} is loaded, which may aggregate differently; run it again"
        )
    if not stored.is_same(StoredAggregate.of(metric)):
        return (
            f"{display.name} has a custom aggregate, whose code ({home}) has changed since the run; run it "
            "again"
        )
    return ""


def aggregate_of(display: MetricDisplay) -> "Aggregate":
    """The aggregate of a metric; only if `aggregate_problem` is empty."""
    from ragauge.stats.aggregates import AGGREGATES

    if display.aggregate.kind != CUSTOM:
        return AGGREGATES[display.aggregate.kind]  # pyright: ignore[reportArgumentType]
    metric = _loaded_metric(display)
    assert metric is not None and callable(metric.aggregate)
    return _as_array(metric.aggregate)


def _loaded_metric(display: MetricDisplay) -> Metric | None:
    known: Mapping[str, Metric] = catalog.metrics()
    return known.get(display.metric.split("(")[0].split("@")[0])


def _as_array(aggregate: object) -> "Aggregate":
    import numpy as np

    function = cast("Aggregate", aggregate)

    def as_array(sums: "Floats2d") -> "Floats1d":
        if sums.shape[1] == 0:
            return np.full(len(sums), np.nan)
        return np.asarray(function(sums), dtype=np.float64)

    return as_array
