"""How a stored metric is aggregated: kept in the run, so that later code cannot change its value.

The mean, the sum and the geometric mean are stored by name. For a custom aggregate the run stores
the origin and digest of its code, and a summary uses it only if the same code is loaded.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from ragauge.metric import Metric
from ragauge.runs.code import OWN, is_other, user_code

CUSTOM: Final = "custom"
Kind = Literal["mean", "sum", "geometric_mean", "custom"]


@dataclass(frozen=True, slots=True)
class StoredAggregate:
    """The aggregate of a metric, as stored in a run.

    `kind` is "mean", "sum", "geometric_mean" or "custom". For a custom one, `module` and `file` hold its
    code and `digest` covers that code and its imports; `digest` is empty for ragauge's own metrics,
    whose version identifies the code.
    """

    kind: Kind = "mean"
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
