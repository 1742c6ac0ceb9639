"""How a stored metric is aggregated: kept in the run, so that later code cannot change its value.

The mean, the sum and the geometric mean are stored by name. For a custom aggregate the run stores
the origin and digest of its code, and a summary uses it only if the same code is loaded.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final, Literal

from ragauge.metric import Metric
from ragauge.runs.code import Code, code_of
from ragauge.runs.module_files import OWN

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
        return cls(CUSTOM, module, file, _digest(metric.aggregate))

    def is_same(self, other: "StoredAggregate") -> bool:
        """Whether both are the same code, whatever name its file was imported by."""
        return self == (replace(other, module=self.module) if self.file else other)


MEAN = StoredAggregate()


@cache
def _digest(function: Callable[..., object]) -> str:
    """Digest of the user's own modules that an aggregate depends on."""
    code = code_of([function])
    # A plugin's module has another name than the same file when it is imported.
    home = getattr(function, "__module__", "")
    modules = {
        "" if name == home else name: digest
        for name, digest in code.modules.items()
        if name.partition(".")[0] != OWN
    }
    return Code(modules, {}, code.cells).digest()
