"""The manifest of a run: what determines its numbers, how its metrics are aggregated and shown; and the names of a run's files."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, cast

from ragauge import catalog
from ragauge.engine.graph import PlannedMetric
from ragauge.errors import LabelError
from ragauge.label import without_settings
from ragauge.metric import Metric
from ragauge.runs.code import OWN, is_other, user_code
from ragauge.storage.tomlfile import read_dataclass
from ragauge.suite import Entry, Finding, Suite
from ragauge.where import Filter

if TYPE_CHECKING:
    from ragauge.stats.intervals import Aggregate, Floats1d, Floats2d

FORMAT = 2
"""Version of the run folder's layout; folders of other versions are rejected."""

MANIFEST, SAMPLES = "manifest.json", "samples.parquet"
SCORES_FOLDER, EVIDENCE_FOLDER = "scores", "evidence"
INDEX = "questions.parquet"
"""Sorted hashes of the ids, each with the place of a row. A hash of 8 bytes may be of several ids, so
the rows are looked at."""
SUMMARIES = ("summary.json", "summary.md")
RESULTS, REPORT, LABELS = "results.json", "report.html", "labels.jsonl"
SESSIONS = "labels"
"""The folder of labels that were given at a run's URL; `people/review_labels.py` says what it contains."""
APART = ".on-ray"
"""The parts of what a cluster has measured, until the judges' scores join them."""
FILES = (MANIFEST, SAMPLES, INDEX, *SUMMARIES, RESULTS, REPORT, LABELS)
"""All files that are not parts, nor labels given at a URL; `runs/store.py` says what they are."""
OF_PEOPLE = (LABELS, SESSIONS)
"""Labels outlive the run that they were given for."""

CUSTOM: Final = "custom"
MAX_BYTES = 500_000_000
MAX_DIGITS = 15
DIGEST = "digest"
"""The key of the manifest's own SHA-256."""


@dataclass(frozen=True, slots=True)
class StoredUsage:
    """What a run keeps of a judge's calls."""

    calls: int
    cached: int
    prompt_tokens: int
    completion_tokens: int
    calls_without_count: int
    refused_by_budget: int
    cost_usd: float | None
    dropped: Mapping[str, str]
    failed: int = 0
    over_budget_usd: float | None = None
    in_flight_at_budget: int = 0
    is_recorded: bool = False
    address: str | None = None

    def __post_init__(self) -> None:
        for name in ("calls", "cached", "prompt_tokens", "completion_tokens", "failed"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} is {getattr(self, name)}")


@dataclass(frozen=True, slots=True)
class PlanNode:
    """A node of the plan: what two runs are compared by."""

    key: str
    inputs: tuple[str, ...]
    settings: Mapping[str, object] = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True)
class StoredPlan:
    nodes: tuple[object, ...] = ()
    metrics: tuple[tuple[object, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class StoredData:
    systems: tuple[str, ...] = ()
    n_samples: int = 0
    source: str = ""
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class StoredCode:
    judges: tuple[Mapping[str, object], ...] = ()
    models: tuple[Mapping[str, object], ...] = ()
    repeats: int = 1


def check_shapes(stored: Any) -> None:
    """Raise ValueError naming the first field of a manifest that has an unexpected shape."""
    plan = read_dataclass(StoredPlan, stored.plan, "plan", is_open=True)
    for metric in plan.metrics:
        label, _, key, *_ = (*metric, 0, 0, 0)
        if not isinstance(label, str) or not isinstance(key, str | None):
            raise ValueError(f"plan.metrics has {list(metric)!r:.40}")  # noqa: TRY004
    for node in plan.nodes:
        read_dataclass(PlanNode, node, "plan.nodes", is_open=True)
    read_dataclass(StoredData, stored.data, "data", is_open=True)
    read_dataclass(StoredCode, stored.code, "code", is_open=True)
    for judge, usage in stored.judging.items():
        read_dataclass(StoredUsage, usage, f"judging.{judge}", is_open=True)


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


@dataclass(frozen=True, slots=True)
class MetricDisplay:
    """How to read a metric's scores, by the label `metric`: its `name` in the suite, bounds,
    aggregate and display.

    Values are shown times `scale` with `digits` decimals, as their aggregate or (if `show` is
    "count") their sum. `unavailable`: why no row could be scored. `family`: a key of the manifest's
    `families`. `is_ranked`: whether a higher value, or a lower one, is better as such.
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
    family: str = ""
    is_ranked: bool = True

    @property
    def middle(self) -> float | None:
        """The middle of the scale, from which a value is a yes by default; None for an open scale."""
        return None if self.low is None or self.high is None else (self.low + self.high) / 2

    @classmethod
    def of(cls, planned: PlannedMetric) -> "MetricDisplay":
        """The display of a planned metric."""
        named = ("metric", "name", "scale", "digits", "unavailable", "family", "is_ranked")
        shown: dict[str, Any] = {name: getattr(planned, name) for name in named}
        if (metric := planned.definition) is not None:
            for name in ("version", "low", "high", "lower_is_better"):
                shown[name] = getattr(metric, name)
            shown |= {"show": planned.show, "aggregate": StoredAggregate.of(metric)}
        return cls(**shown)

    def __post_init__(self) -> None:
        if not 0 <= self.digits <= MAX_DIGITS:
            raise ValueError(f"digits of {self.metric!r:.40} is {self.digits}")


def aggregate_problem(display: MetricDisplay) -> str:
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


def aggregate_of(display: MetricDisplay) -> "Aggregate":
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


def _loaded_metric(display: MetricDisplay) -> Metric | None:
    return catalog.metrics().get(display.metric.split("(")[0].split("@")[0])


@dataclass(frozen=True, slots=True)
class StoredFinding:
    """A finding of a suite: its condition `when` over the suite's names, with their labels in
    `metrics`; the rest as in the suite."""

    when: str
    says: str
    metrics: Mapping[str, str]
    precision: float | None = None
    first_screen: bool = True

    def __post_init__(self) -> None:
        if missing := sorted(Filter.parse(self.when).fields - self.metrics.keys()):
            raise ValueError(f"a finding names {missing[0]!r:.40}, which is not among its metrics")

    @classmethod
    def of(cls, finding: Finding, suite: Suite, plan: Sequence[PlannedMetric]) -> "StoredFinding":
        """The finding, with the labels that its suite's names have in the plan."""
        labels = {entry.name: planned_labels(entry, plan)[0] for entry in suite.entries}
        metrics = {name: labels.get(name, name) for name in sorted(finding.when.fields)}
        says, precision = finding.says, finding.precision
        return cls(finding.when.text, says, metrics, precision, finding.first_screen)


def planned_labels(entry: Entry, planned: Sequence[PlannedMetric]) -> list[str]:
    """The labels of a suite's entry in the scores, by judge; its own if the plan has none."""
    try:
        metric, settings = catalog.find(entry.label)
    except LabelError:
        return [str(entry.label)]
    label = str(metric.label(settings))
    filled = {*metric.implied, "layer"} - entry.label.settings.keys()
    labels = [
        other.metric
        for other in planned
        if other.definition is metric and without_settings(other.metric, filled) == label
    ]
    return labels or [label]


@dataclass(frozen=True, slots=True)
class Manifest:
    """Everything that determines the numbers of a run, and when and where they were computed."""

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
    """Which model or judge scored each metric, as sentences."""
    judging: Mapping[str, object] = field(default_factory=dict[str, object])
    """For each judge, its calls and costs when the run was last executed."""
    families: Mapping[str, str] = field(default_factory=dict[str, str])
    """What is good about an answer, by the name of a group of metrics."""
    digests: Mapping[str, str] = field(default_factory=dict[str, str])
    """The SHA-256 of each file of a finished run, by its path in the folder."""
    format: int = FORMAT

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise ValueError(f"seed is {self.seed}")

    def to_json(self) -> str:
        """Strict JSON, keys in a fixed order; of a finished run with a digest of all the rest."""
        table = asdict(self)
        if self.finished:
            table[DIGEST] = _digest(table)
        return _json(table) + "\n"

    @classmethod
    def from_json(cls, text: str) -> "Manifest":
        """Read what `to_json` wrote, by an earlier version without digests; ValueError or TypeError
        if it is not a manifest."""
        table = cast("dict[str, object]", json.loads(text))
        digest = table.pop(DIGEST, None) if isinstance(table, dict) else None  # pyright: ignore[reportUnnecessaryIsInstance]
        manifest = read_dataclass(cls, table)
        # What is shown in frames and tables, which cannot hold it; in a path it is legitimate.
        shown = [manifest.data.get("systems"), *map(table.get, ("metrics", "findings", "families"))]
        try:
            json.dumps(shown, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise ValueError("it has half of a surrogate pair in a name") from None
        check_shapes(manifest)
        has_digest = digest is not None or manifest.digests
        if manifest.finished is not None and has_digest and digest != _digest(table):
            raise ValueError("it is not as the run wrote it: its digest differs or was removed")
        return manifest


def _json(table: Mapping[str, object]) -> str:
    return json.dumps(dict(table), ensure_ascii=False, allow_nan=False, indent=1)


def _digest(table: Mapping[str, object]) -> str:
    """The SHA-256 of a manifest without its digest."""
    return hashlib.sha256(_json(table).encode("utf-8", "backslashreplace")).hexdigest()
