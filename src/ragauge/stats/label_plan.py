"""How many labels an interval of a wanted width needs, with and without a metric."""

import math
from dataclasses import dataclass

from ragauge.errors import PlanError
from ragauge.stats.intervals import CONFIDENCE
from ragauge.stats.score_intervals import quantile

LEAST_MARGIN = 1e-6
"""A narrower margin would need more labels than anyone can give: a million millions."""


@dataclass(frozen=True, slots=True)
class LabelNeed:
    """Labels needed for a rate within ± `margin`; None where even labels of all `n_rows` rows are too few.

    `by_sampling`: labels alone. `with_metric`: labels and a metric on all rows (PPI++). `least_margin` is
    the margin with all rows labelled; None if their number is not limited.
    """

    margin: float
    by_sampling: int | None
    with_metric: int | None
    n_rows: int | None = None
    least_margin: float | None = None


def labels_needed(
    margin: float,
    *,
    rate: float = 0.5,
    correlation: float = 0.0,
    n_rows: int | None = None,
    confidence: float = CONFIDENCE,
) -> LabelNeed:
    """The labels needed for an interval of ± `margin` around a rate.

    `rate` is the expected rate, `correlation` that of the metric with the labels, and `n_rows` the rows
    that have the metric, labelled or not (None: far more than labels). By sampling: z² p (1 - p) / margin².
    With the metric the variance of n labels is p (1 - p) ((1 - correlation²) / n + correlation² / n_rows),
    that of PPI++ at its best tuning. Raises PlanError for a number outside its range; a margin is at
    least 0.000001 and below 1.

    >>> labels_needed(0.05).by_sampling
    385
    >>> labels_needed(0.05, correlation=0.8, n_rows=1_000).with_metric
    184
    """
    _refuse(
        ("margin", margin, LEAST_MARGIN <= margin < 1, "from 0.000001 to below 1"),
        ("rate", rate, 0 <= rate <= 1, "from 0 to 1"),
        ("correlation", correlation, abs(correlation) <= 1 + 1e-9, "from -1 to 1"),
        ("n_rows", n_rows, n_rows is None or n_rows >= 1, "of 1 or more"),
    )
    spread = rate * (1 - rate)
    variance = (margin / quantile(confidence)) ** 2
    explained = min(correlation**2, 1.0)
    rest = variance - (spread * explained / n_rows if n_rows else 0.0)
    needed = [spread / variance, spread * (1 - explained) / rest if rest > 0 else math.inf]
    limit = math.inf if n_rows is None else n_rows
    # Two labels at least, or nothing is known about their spread.
    alone, with_metric = (
        max(math.ceil(n - 1e-9), 2) if n < math.inf and math.ceil(n - 1e-9) <= limit else None
        for n in needed
    )
    least = quantile(confidence) * math.sqrt(spread / n_rows) if n_rows else None
    return LabelNeed(margin, alone, with_metric, n_rows, least)


def correlation_of(rate: float, sensitivity: float, specificity: float) -> float:
    """The correlation of a metric's verdicts with the labels, from its errors and the true rate.

    In [-1, 1]; 0 if the metric always says the same. Raises PlanError for a rate outside [0, 1].
    """
    rates = {"rate": rate, "sensitivity": sensitivity, "specificity": specificity}
    _refuse(*((name, value, 0 <= value <= 1, "from 0 to 1") for name, value in rates.items()))
    share = rate * sensitivity + (1 - rate) * (1 - specificity)
    spread = rate * (1 - rate) * share * (1 - share)
    if spread <= 0:
        return 0.0
    return rate * (1 - rate) * (sensitivity + specificity - 1) / math.sqrt(spread)


def _refuse(*checks: tuple[str, float | None, bool, str]) -> None:
    """PlanError for each number that is outside its range; nan is in none."""
    bad = [(name, value, wanted) for name, value, is_sound, wanted in checks if not is_sound]
    if bad:
        raise PlanError(
            [f"{name} is {value!r}; give a number {wanted}" for name, value, wanted in bad]
        )
