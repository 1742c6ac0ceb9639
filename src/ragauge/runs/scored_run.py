"""What the analyses of a run need of it. `Run` has methods that call them, so they cannot import it."""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ragauge.runs.manifest import Manifest, MetricDisplay
from ragauge.runs.scores import ScoreSource
from ragauge.samples.samples import Samples

if TYPE_CHECKING:
    import polars as pl


class ScoredRun(Protocol):
    """The scores of samples; `ragauge.runs.run.Run` describes each."""

    @property
    def samples(self) -> Samples: ...
    @property
    def source(self) -> ScoreSource: ...
    @property
    def manifest(self) -> Manifest: ...
    @property
    def folder(self) -> Path | None: ...
    @property
    def url(self) -> str | None: ...
    @property
    def place(self) -> str | None: ...
    @cached_property
    def kept(self) -> Mapping[str, object]: ...
    @cached_property
    def metrics(self) -> tuple[MetricDisplay, ...]: ...
    def metric(self, name: str) -> MetricDisplay: ...
    def scan(self) -> "pl.LazyFrame": ...
    def collect(self, lazy: "pl.LazyFrame") -> "pl.DataFrame": ...
