"""A calibration as JSON: every figure with its interval, rates by metric and system, disagreements."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING

from ragauge.people.calibrate import Calibration
from ragauge.people.system_rates import SystemRates

if TYPE_CHECKING:
    from ragauge.people.calibration import CalibrationScreen
    from ragauge.stats.corrected_rates import CorrectedRate
    from ragauge.stats.intervals import Estimate


def calibration_data(screen: "CalibrationScreen") -> dict[str, object]:
    """Every figure with its interval, as JSON data."""
    found = screen.found
    return {
        "headline": screen.headline,
        "labels": {
            "source": found.labels.source,
            "kind": found.kind,
            "n": found.labels.frame.height,
            "raters": list(found.labels.raters),
        },
        "seed": found.seed,
        "metrics": found.frame.to_dicts(),
        "people": _people(found),
        "ceiling": None if screen.ceiling is None else asdict(screen.ceiling),
        "rates": {
            each.name: _rates(found.rates(each.metric.metric))
            for each in found.metrics
            if not each.why_not and found.kind != "preference"
        },
        "disagreements": {
            each.name: found.disagreements(each.metric.metric, 100).to_dicts()
            for each in found.metrics
            if not each.why_not
        },
        "notes": list(screen.notes),
    }


def _people(found: Calibration) -> Mapping[str, object] | None:
    raters = found.raters
    if raters is None:
        return None
    return {
        "n": raters.n,
        "n_labels": dict(raters.n_labels),
        "between": _data(raters.between),
        "alpha": {level: _data(value) for level, value in raters.alpha.items()},
        "pairs": [asdict(pair) for pair in raters.pairs],
    }


def _rates(rates: SystemRates) -> Mapping[str, object]:
    return {
        "threshold": rates.threshold,
        "correlation": rates.correlation,
        "labels_look_random": rates.is_random,
        "systems": [
            {
                "system": each.system,
                "n_rows": each.n_rows,
                "n_labels": each.n_labels,
                "reported": _data(each.reported),
                "corrected": _data(each.corrected),
                "labels_alone": _data(each.labels_alone),
                "from_errors": _data(each.from_errors),
                "own_errors": each.own_errors,
                "notes": list(each.notes),
            }
            for each in rates.systems
        ],
    }


def _data(estimate: "Estimate | CorrectedRate | None") -> dict[str, object] | None:
    return None if estimate is None else asdict(estimate)
