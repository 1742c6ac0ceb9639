"""The manifest of a run: what fixes its numbers, and what a reader of its scores must know."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Literal, cast

from ragauge import catalog
from ragauge.engine.plan import PlannedMetric
from ragauge.errors import LabelError
from ragauge.label import Label
from ragauge.runs.aggregates import MEAN, StoredAggregate
from ragauge.runs.fields import read_dataclass
from ragauge.suite import Finding, Suite
from ragauge.where import Filter

FORMAT = 2
"""Version of the run folder's layout; a folder of another version is refused."""

MAX_DIGITS = 15


@dataclass(frozen=True, slots=True)
class MetricDisplay:
    """What a reader of the scores must know of a metric: its bounds, its aggregate, how it is shown.

    `metric` is its label in the scores, `name` what a suite calls it; values are shown times `scale`
    with `digits` decimals, their aggregate or (`show` is "count") their sum. `unavailable` says why
    no row of it could be scored.
    """

    metric: str
    name: str
    version: int | None = None
    scale: float = 1.0
    digits: int = 4
    low: float | None = 0.0
    high: float | None = 1.0
    lower_is_better: bool = False
    unavailable: str | None = None
    show: Literal["mean", "count"] = "mean"
    aggregate: StoredAggregate = MEAN

    @classmethod
    def of(cls, planned: PlannedMetric) -> "MetricDisplay":
        """What the plan says of a metric."""
        metric = planned.definition
        if metric is None:
            return cls(
                planned.metric,
                planned.name,
                None,
                planned.scale,
                planned.digits,
                unavailable=planned.unavailable,
            )
        return cls(
            planned.metric,
            planned.name,
            metric.version,
            planned.scale,
            planned.digits,
            metric.low,
            metric.high,
            metric.lower_is_better,
            planned.unavailable,
            cast(Literal["mean", "count"], planned.show),
            StoredAggregate.of(metric),
        )

    def __post_init__(self) -> None:
        if not 0 <= self.digits <= MAX_DIGITS:
            raise ValueError(f"digits of {self.metric!r:.40} is {self.digits}")


@dataclass(frozen=True, slots=True)
class StoredFinding:
    """A finding of a suite: `when` speaks of the suite's names, `metrics` has their labels."""

    when: str
    says: str
    metrics: Mapping[str, str]

    def __post_init__(self) -> None:
        missing = Filter.parse(self.when).fields - self.metrics.keys()
        if missing:
            raise ValueError(
                f"a finding names {sorted(missing)[0]!r:.40}, which is not among its metrics"
            )

    @classmethod
    def of(cls, finding: Finding, suite: Suite) -> "StoredFinding":
        """The finding, its names read as its own suite means them."""
        labels = {entry.name: _full_label(entry.label) for entry in suite.entries}
        names = sorted(finding.when.fields)
        return cls(
            finding.when.text, finding.says, {name: labels.get(name, name) for name in names}
        )


def _full_label(label: Label) -> str:
    """The label as the scores have it."""
    try:
        metric, settings = catalog.find(label)
    except LabelError:
        return str(label)
    return str(metric.label(settings))


@dataclass(frozen=True, slots=True)
class Manifest:
    """Everything that fixes the numbers of a run, and when and where they were made."""

    key: str
    suite: str
    metrics: tuple[MetricDisplay, ...]
    plan: Mapping[str, object]
    data: Mapping[str, object]
    code: Mapping[str, object]
    seed: int = 0
    batch_size: int = 0
    git_commit: str | None = None
    machine: Mapping[str, object] = field(default_factory=dict[str, object])
    notes: tuple[str, ...] = ()
    findings: tuple[StoredFinding, ...] = ()
    started: str = ""
    finished: str | None = None
    models: tuple[str, ...] = ()
    """Which model each metric's numbers are of, in words."""
    judging: Mapping[str, object] = field(default_factory=dict[str, object])
    """For each judge what it was asked and paid when the run was last made."""
    format: int = FORMAT

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise ValueError(f"seed is {self.seed}")

    def to_json(self) -> str:
        """Strict JSON, keys in a fixed order."""
        return json.dumps(asdict(self), ensure_ascii=False, allow_nan=False, indent=1) + "\n"

    @classmethod
    def from_json(cls, text: str) -> "Manifest":
        """The manifest that `to_json` wrote; ValueError or TypeError when it is something else."""
        return read_dataclass(cls, json.loads(text))
