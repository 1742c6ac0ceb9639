"""The manifest of a run: what fixes its numbers, and what a reader of its scores must know."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import cast

from ragauge import catalog
from ragauge.engine.plan import PlannedMetric
from ragauge.errors import LabelError
from ragauge.label import Label
from ragauge.runs.aggregates import MEAN, StoredAggregate
from ragauge.suite import Finding, Suite

FORMAT = 2
"""Version of the run folder's layout; a folder of another version is refused."""

MANIFEST_TYPES: dict[str, type] = {
    "key": str,
    "suite": str,
    "metrics": list,
    "plan": dict,
    "data": dict,
    "code": dict,
    "seed": int,
    "batch_size": int,
    "notes": list,
    "started": str,
    "format": int,
}


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
    show: str = "mean"
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
            planned.show,
            StoredAggregate.of(metric),
        )

    @classmethod
    def read(cls, table: Mapping[str, object]) -> "MetricDisplay":
        """What a manifest says of a metric."""
        aggregate = StoredAggregate(**cast(dict[str, str], table.get("aggregate", {})))
        return cls(**{**table, "aggregate": aggregate})  # pyright: ignore[reportArgumentType]


@dataclass(frozen=True, slots=True)
class StoredFinding:
    """A finding of a suite: `when` speaks of the suite's names, `metrics` has their labels."""

    when: str
    says: str
    metrics: Mapping[str, str]

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

    def to_json(self) -> str:
        """Strict JSON, keys in a fixed order."""
        return json.dumps(asdict(self), ensure_ascii=False, allow_nan=False, indent=1) + "\n"

    @classmethod
    def from_json(cls, text: str) -> "Manifest":
        """The manifest that `to_json` wrote; ValueError or TypeError when it is something else."""
        table = cast(dict[str, object], json.loads(text))
        _check_manifest(table)
        metrics = cast(list[dict[str, object]], table.pop("metrics"))
        notes = cast(list[str], table.pop("notes", []))
        findings = cast(list[dict[str, object]], table.pop("findings", []))
        models = tuple(cast(list[str], table.pop("models", [])))
        return cls(
            metrics=tuple(map(MetricDisplay.read, metrics)),
            notes=tuple(notes),
            findings=tuple(StoredFinding(**one) for one in findings),  # pyright: ignore[reportArgumentType]
            models=models,
            **table,  # pyright: ignore[reportArgumentType]
        )


def _check_manifest(table: object) -> None:
    """ValueError when the manifest's fields do not have the types that the rest relies on."""
    if not isinstance(table, dict):
        raise ValueError("it holds no object")  # noqa: TRY004, as all that is wrong with it
    wrong = [
        name
        for name, kind in MANIFEST_TYPES.items()
        if not isinstance(cast(dict[str, object], table).get(name), kind)
    ]
    if wrong:
        raise ValueError(f"{', '.join(wrong)}: not there, or of the wrong type")
