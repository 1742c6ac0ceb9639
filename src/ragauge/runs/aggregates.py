"""How a stored metric is aggregated: later code cannot change its value."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, cast

from ragauge import catalog
from ragauge.metric import Metric
from ragauge.runs.code import OWN, is_other, user_code

if TYPE_CHECKING:
    from ragauge.runs.manifest import MetricDisplay
    from ragauge.stats.intervals import Aggregate, Floats1d, Floats2d

CUSTOM: Final = "custom"


@dataclass(frozen=True, slots=True)
class StoredAggregate:
    """The aggregate of a metric, as stored in a run; a custom one by module, file and digest of its
    code and imports. The digest is empty for ragauge's own metrics, whose version identifies the
    code."""

    kind: Literal["mean", "sum", "geometric_mean", "custom"] = "mean"
    module: str = ""
    file: str = ""
    digest: str = ""

    @classmethod
    def of(cls, metric: Metric) -> "StoredAggregate":
        """The aggregate of a metric, as it is now defined."""
        if not callable(metric.aggregate):
            return cls(metric.aggregate)
        module = str(getattr(metric.aggregate, "__module__", ""))
        if module.partition(".")[0] == OWN:
            return cls(CUSTOM, module)
        code = getattr(metric.aggregate, "__code__", None)
        file = Path(code.co_filename).name if code is not None else ""
        return cls(CUSTOM, module, file, user_code([metric.aggregate]).digest())

    def is_same(self, other: "StoredAggregate") -> bool:
        """Whether both are the same code, whatever name its file was imported by."""
        digest = other.digest if is_other(self.digest, other.digest) else self.digest
        module = self.module if self.file else other.module
        return self == replace(other, module=module, digest=digest)


MEAN = StoredAggregate()


def aggregate_problem(display: "MetricDisplay") -> str:
    """Why a stored metric's aggregate cannot be computed here; empty if it can."""
    stored = display.aggregate
    if stored.kind != CUSTOM:
        return ""
    metric, home = _loaded_metric(display), stored.file or stored.module
    has_custom = f"{display.name} has a custom aggregate, whose code ({home})"
    if metric is None or not callable(metric.aggregate):
        is_own = stored.module.partition(".")[0] == OWN
        advice = "" if is_own else f"; load it with --plugin {home}, or import it first"
        return f"{has_custom} is not loaded{advice}"
    if metric.version != display.version:
        return (
            f"{display.name} was scored by version {display.version} of the metric, but version "
            f"{metric.version} is loaded, which may aggregate differently; run it again"
        )
    is_same = stored.is_same(StoredAggregate.of(metric))
    return "" if is_same else f"{has_custom} has changed since the run; run it again"


def aggregate_of(display: "MetricDisplay") -> "Aggregate":
    """The aggregate of a metric; only if `aggregate_problem` is empty."""
    import numpy as np

    from ragauge.stats.intervals import AGGREGATES

    if display.aggregate.kind != CUSTOM:
        return AGGREGATES[display.aggregate.kind]
    function = cast("Aggregate", cast(Metric, _loaded_metric(display)).aggregate)

    def as_array(sums: "Floats2d") -> "Floats1d":
        if sums.shape[1] == 0:
            return np.full(len(sums), np.nan)
        return np.asarray(function(sums), dtype=np.float64)

    return as_array


def _loaded_metric(display: "MetricDisplay") -> Metric | None:
    return catalog.metrics().get(display.metric.split("(")[0].split("@")[0])
