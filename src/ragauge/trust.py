"""How far each metric agrees with people, as benchmarks/agreement.py measured it: `metrics/trust.toml`."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, cast

# Not beside this module: a run's key covers data files beside the modules that it uses, and these
# figures change no score.
FOLDER, FILE = "metrics", "trust.toml"


@dataclass(frozen=True, slots=True)
class MeasuredAgreement:
    """The agreement of one variant of a metric with the labels of one kind of texts.

    `auroc` is the lowest and highest area under the ROC curve of the `sets`: how often an answer that
    people call `claim` ("correct", "supported" …) scores better than another; 0.5 is chance. `tau` is
    Kendall's rank correlation of the mean scores of `n_systems` systems with their true rates; None if
    no set has enough systems. `version` is the metric's version at the time. `is_fitted`: weights of the
    metric were fitted on some of the sets, so expect lower figures on others.
    """

    label: str
    version: int
    kind: str
    claim: str
    sets: tuple[str, ...]
    n: int
    auroc: tuple[float, float]
    n_systems: int = 0
    tau: float | None = None
    is_fitted: bool = False


@dataclass(frozen=True, slots=True)
class Caution:
    """A use of a metric that misleads, and why.

    `when` is a filter over facts of a run (see `ragauge.runs.findings.Facts`); if empty, it always
    holds. `figure` is the measured number behind it, as in "AUROC 0.58". The caution is about the
    variant `label` only, unless `all_settings`.
    """

    label: str
    when: str
    figure: str
    says: str
    all_settings: bool = False


@dataclass(frozen=True, slots=True)
class Trust:
    """What was measured about a metric: one sentence, the figures, and the uses that mislead.

    `measured_on` is the day of the measurement, as in 2026-11-22; empty if unknown. `languages` are the
    codes of those of the labelled texts; scores in others are marked, unless it is empty.
    """

    note: str
    measured: tuple[MeasuredAgreement, ...]
    cautions: tuple[Caution, ...]
    measured_on: str = ""
    languages: tuple[str, ...] = ()

    @property
    def versions(self) -> tuple[int, ...]:
        """The versions of the metric that the figures are of."""
        return tuple(sorted({each.version for each in self.measured}))

    @property
    def auroc(self) -> tuple[float, float]:
        """The lowest and highest area under the ROC curve with default settings, for its claim."""
        first = self.measured[0]
        own = [m for m in self.measured if (m.label, m.claim) == (first.label, first.claim)]
        return min(each.auroc[0] for each in own), max(each.auroc[1] for each in own)


def trust_in(metric: str) -> Trust | None:
    """What was measured about the metric with this name; None if nothing was."""
    return _table().get(metric)


@cache
def _table() -> Mapping[str, Trust]:
    text = (resources.files("ragauge") / FOLDER / FILE).read_text("utf-8")
    found: dict[str, Trust] = {}
    for name, row in cast("dict[str, Any]", tomllib.loads(text)["metrics"]).items():
        for each in row["measured"]:
            each |= {"sets": tuple(each["sets"]), "auroc": tuple(each["auroc"])}
        measured = tuple(MeasuredAgreement(**each) for each in row["measured"])
        cautions = tuple(Caution(**each) for each in row.get("cautions", ()))
        languages = tuple(row.get("languages", ()))
        found[name] = Trust(row["note"], measured, cautions, str(row["measured_on"]), languages)
    return found
