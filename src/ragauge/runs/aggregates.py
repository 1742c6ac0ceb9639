"""How a stored metric's rows are aggregated: kept in the run, so that no later code changes its value.

The mean, the sum and the geometric mean are kept by name. A metric's own aggregate is code: the run
keeps where it is from and what it was, and a summary uses it only where the same code is there.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final, Literal

from ragauge.metric import Metric
from ragauge.runs.code import OWN, Code, code_of

CUSTOM: Final = "custom"
Kind = Literal["mean", "sum", "geometric_mean", "custom"]


@dataclass(frozen=True, slots=True)
class StoredAggregate:
    """The aggregate of a metric as a run keeps it.

    `kind` is "mean", "sum", "geometric_mean" or "custom". A custom one is code of `module`, from
    `file`, and `digest` is what that code and all that it imports was; it is empty for ragauge's own
    metrics, whose version says the same.
    """

    kind: Kind = "mean"
    module: str = ""
    file: str = ""
    digest: str = ""

    @classmethod
    def of(cls, metric: Metric) -> "StoredAggregate":
        """The aggregate of a metric as it is defined now."""
        if not callable(metric.aggregate):
            return cls(metric.aggregate)
        module = str(getattr(metric.aggregate, "__module__", ""))
        if module.partition(".")[0] == OWN:
            return cls(CUSTOM, module)
        code = getattr(metric.aggregate, "__code__", None)
        file = Path(code.co_filename).name if code is not None else ""
        return cls(CUSTOM, module, file, _digest(metric.aggregate))

    def is_same(self, other: "StoredAggregate") -> bool:
        """Whether both are the same code, whatever name its file was imported by."""
        return self == (replace(other, module=self.module) if self.file else other)


MEAN = StoredAggregate()


@cache
def _digest(function: Callable[..., object]) -> str:
    """Digest of the user's own modules that an aggregate is made of; other packages have versions."""
    code = code_of([function])
    # A plugin's module has another name than the same file when it is imported.
    home = getattr(function, "__module__", "")
    modules = {
        "" if name == home else name: digest
        for name, digest in code.modules.items()
        if name.partition(".")[0] != OWN
    }
    return Code(modules, {}, code.cells).digest()
