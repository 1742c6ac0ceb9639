"""The true rate of a system, from a metric on all rows and people's labels on some of them; and how many labels that takes.

Both estimates work by influence, how far each row moves the estimate, summed by question before it is squared.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import cast

import numpy as np

from ragauge.errors import PlanError
from ragauge.stats.agreement import Bools1d
from ragauge.stats.intervals import (
    CONFIDENCE,
    Floats1d,
    Floats2d,
    Ints1d,
    rounded_bound,
    wider_of_clusters,
)
from ragauge.stats.resampling import check_lengths, floats

HALF = 0.5
"""What is added to each cell of a table before its variance is taken: a cell that happens to be empty
is not known to be impossible (Agresti & Min 2005)."""
LEAST_MARGIN = 1e-6
"""A narrower margin would need more labels than anyone can give: a million millions."""


@dataclass(frozen=True, slots=True)
class CorrectedRate:
    """A corrected rate with its interval, and the numbers of rows behind it.

    `tuning` is the weight that prediction-powered inference gives the metric: 0 uses the labels alone.
    `is_clipped`: the formula gave a value outside the scale, and `value` is the end of the scale.
    """

    value: float
    low: float
    high: float
    n_labels: int
    n_rows: int
    tuning: float | None = None
    is_clipped: bool = False


def prediction_powered(
    values: Sequence[float] | Floats1d,
    labels: Sequence[float] | Floats1d,
    *,
    questions: Ints1d | None = None,
    scale: tuple[float, float] | None = None,
    tuning: float | None = None,
    small_sample: bool = True,
    confidence: float = CONFIDENCE,
) -> CorrectedRate | None:
    """The mean label of all rows, by prediction-powered inference with power tuning (PPI++).

    `values` (n,) is the metric on every row, on any scale; `labels` (n,) is NaN where nobody labelled.
    The labelled rows must be a random sample of the rows. estimate = mean label + tuning · (mean value
    of the other rows - mean value of the labelled rows). `tuning` is chosen to minimise the variance
    unless it is given; 1 is the original PPI, 0 the labels alone. None unless two questions have labels.

    With `small_sample`, half a row is added at each corner (lowest and highest value and label) before
    the interval is computed, and several rows of few questions widen it (Student's t); without it the
    interval is too narrow when few rows disagree. The interval stays within `scale`, the lowest and the highest
    label that there can be; of labels from 0 to 1 that is [0, 1], of others the range of those given.
    Source: Angelopoulos et al. 2023a (PPI), 2023b (PPI++).

    >>> values = np.array([1, 1, 0, 0, 1, 1, 1, 0], float)
    >>> labels = np.array([1, 1, 0, 1] + [np.nan] * 4)
    >>> prediction_powered(values, labels, tuning=1).value  # 3/4 + (3/4 - 2/4)
    1.0
    """
    values, labels = floats(values, "values"), floats(labels, "labels", may_be_nan=True)
    check_lengths(values=values, labels=labels)
    has_label = ~np.isnan(labels)
    n, n_rows = int(has_label.sum()), len(values)
    questions = np.arange(n_rows) if questions is None else questions
    n_questions = len(np.unique(questions[has_label]))
    if n_questions < 2:
        return None
    label, value, other = labels[has_label], values[has_label], values[~has_label]
    if tuning is None:
        tuning = power_tuning(label, value, other)
    # Without other rows the metric adds nothing.
    tuning = tuning if len(other) else 0.0
    other_mean = float(other.mean()) if len(other) else 0.0
    estimate = float(label.mean() - tuning * value.mean() + tuning * other_mean)
    residual = label - tuning * value
    least, most = scale or (float(label.min()), float(label.max()))
    least, most = (0.0, 1.0) if least >= 0 and most <= 1 else (least, most)
    corners = np.zeros(0)
    if small_sample:
        ends = float(values.min()), float(values.max())
        corners = np.array([at - tuning * end for at in (least, most) for end in ends])
    n_with = n + HALF * len(corners)
    centre = float((residual.sum() + HALF * corners.sum()) / n_with)
    influence = np.zeros(n_rows)
    influence[has_label] = (residual - centre) / n_with
    if len(other):
        influence[~has_label] = tuning * (other - other_mean) / len(other)
    variance = float((_by_question(influence[:, None], questions) ** 2).sum())
    variance += HALF * float(((corners - centre) ** 2).sum()) / n_with**2
    margin = _quantile(confidence) * variance**0.5
    margin *= wider_of_clusters(n, n_questions) if small_sample else 1.0
    middle = centre + tuning * other_mean
    value_in = min(max(estimate, least), most)
    return CorrectedRate(
        value_in,
        min(rounded_bound(max(middle - margin, least)), value_in),
        max(rounded_bound(min(middle + margin, most)), value_in),
        n,
        n_rows,
        tuning,
        value_in != estimate,
    )


def _quantile(confidence: float) -> float:
    """The normal quantile of a two-sided interval: 1.96 for 0.95."""
    _refuse(("confidence", confidence, 0.01 <= confidence <= 0.999999, "from 0.01 to 0.999999"))
    return NormalDist().inv_cdf((1 + confidence) / 2)


def power_tuning(label: Floats1d, value: Floats1d, other: Floats1d) -> float:
    """The weight of the metric that minimises the variance: Cov(label, value) / ((1 + n/N) Var(value)).

    `label` and `value` (n,) of the labelled rows, `other` (N,) the metric on the others. 0 if the metric
    does not agree with the labels at all, or does not vary. Source: PPI++, example 6.1.
    """
    if len(other) == 0 or len(label) < 2:
        return 0.0
    variance = float(np.var(np.concatenate([value, other]), ddof=1))
    if variance <= 0:
        return 0.0
    covariance = float(((label - label.mean()) * (value - value.mean())).mean())
    return max(covariance / ((1 + len(label) / len(other)) * variance), 0.0)


def rogan_gladen(
    verdicts: Sequence[bool] | Bools1d,
    labels: Sequence[float] | Floats1d,
    *,
    questions: Ints1d | None = None,
    in_rate: Bools1d | None = None,
    confidence: float = CONFIDENCE,
) -> CorrectedRate | None:
    """The true rate of yes, from a metric's verdicts and its measured errors (Rogan & Gladen 1978).

    rate = (share of yes verdicts - false alarms) / (sensitivity - false alarms), clipped to [0, 1].
    `verdicts` (n,) of every row; `labels` (n,) are in [0, 1], NaN where nobody labelled: a label of 0.5
    counts as half a yes and half a no. `in_rate` (n,)
    selects the rows whose rate is meant; errors are measured on all labelled rows. These need not be a
    random sample of the rows, but the metric must err equally often on both. None if a class has no
    label, or if the metric is no better than chance on the labels.

    The interval holds every rate at which the observed share of yes is within its error, with the errors
    of sensitivity and specificity and all their covariances (Fieller 1954). It is [0, 1] when the labels
    cannot tell the metric from chance.

    >>> verdicts = np.array([1, 1, 0, 0, 0] + [1] * 6 + [0] * 4, dtype=bool)
    >>> labels = np.array([1, 1, 1, 0, 0] + [np.nan] * 10)
    >>> round(rogan_gladen(verdicts, labels).value, 3)  # (8/15 - 0) / (2/3 - 0)
    0.8
    """
    said = floats(cast("Floats1d", verdicts), "verdicts")
    labels = floats(labels, "labels", may_be_nan=True)
    check_lengths(verdicts=said, labels=labels)
    if (np.nan_to_num(labels) < 0).any() or (np.nan_to_num(labels) > 1).any():
        raise PlanError("labels must be from 0 to 1: yes is 1, no is 0")
    if not np.isin(said, (0.0, 1.0)).all():
        raise PlanError("verdicts must be yes or no; compare the scores with a threshold first")
    n = len(verdicts)
    questions = np.arange(n) if questions is None else questions
    in_rate = np.ones(n, dtype=np.bool_) if in_rate is None else in_rate
    is_yes, is_no = np.nan_to_num(labels), np.nan_to_num(1 - labels)
    n_yes, n_no, n_in = float(is_yes.sum()), float(is_no.sum()), int(in_rate.sum())
    if not n_yes or not n_no or not n_in:
        return None
    share = float(said[in_rate].mean())
    sensitivity, false_alarms = float(said @ is_yes) / n_yes, float(said @ is_no) / n_no
    if sensitivity <= false_alarms:
        return None
    rate = (share - false_alarms) / (sensitivity - false_alarms)
    value = min(max(rate, 0.0), 1.0)
    low, high = _fieller(said, is_yes, is_no, in_rate, questions, _quantile(confidence))
    return CorrectedRate(
        value,
        min(rounded_bound(low), value),
        max(rounded_bound(high), value),
        int((~np.isnan(labels)).sum()),
        n_in,
        is_clipped=value != rate,
    )


def _fieller(
    said: Floats1d,
    is_yes: Floats1d,
    is_no: Floats1d,
    in_rate: Bools1d,
    questions: Ints1d,
    z: float,
) -> tuple[float, float]:
    """The rates r in [0, 1] with |share - r · sensitivity - (1 - r) · false alarms| within z errors.

    The difference is level + r · slope, and its variance a + 2 b r + c r².
    """
    n_yes, n_no = is_yes.sum() + 2 * HALF, is_no.sum() + 2 * HALF
    sensitivity = float((said @ is_yes + HALF) / n_yes)
    false_alarms = float((said @ is_no + HALF) / n_no)
    share = float(said[in_rate].mean())
    of_share = np.where(in_rate, said - share, 0.0) / in_rate.sum()
    of_yes = is_yes * (said - sensitivity) / n_yes
    of_no = is_no * (said - false_alarms) / n_no
    level, slope = share - false_alarms, false_alarms - sensitivity
    moves = _by_question(np.stack([of_share - of_no, of_no - of_yes], axis=1), questions)
    (a, b), (_, c) = moves.T @ moves
    extra_yes, extra_no = (
        HALF * ((1 - rate) ** 2 + rate**2) / n**2
        for rate, n in ((sensitivity, n_yes), (false_alarms, n_no))
    )
    n_in = in_rate.sum() + 2 * HALF
    extra_share = HALF * ((1 - share) ** 2 + share**2) / n_in**2
    a, b, c = a + extra_no + extra_share, b - extra_no, c + extra_no + extra_yes
    # (level + r slope)² <= z² (a + 2 b r + c r²), or p r² + 2 q r + s <= 0: where a parabola is not above 0.
    p, q, s = slope**2 - z * z * c, level * slope - z * z * b, level**2 - z * z * a
    if p <= 0:  # no difference of sensitivity and false alarms from 0 is shown
        return 0.0, 1.0
    root = max(q * q - p * s, 0.0) ** 0.5
    low, high = (-q - root) / p, (-q + root) / p
    inside = min(max(-level / slope, 0.0), 1.0)
    return min(max(low, 0.0), inside), max(min(high, 1.0), inside)


def _by_question(influences: Floats2d, questions: Ints1d) -> Floats2d:
    """The influences (n, k) summed by question, (questions, k)."""
    _, numbers = np.unique(questions, return_inverse=True)
    total = np.zeros((int(numbers.max(initial=-1)) + 1, influences.shape[1]))
    np.add.at(total, numbers.reshape(-1), influences)
    return total


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

    @property
    def note(self) -> str:
        """Why a number is None; empty if all exist."""
        if self.n_rows is None:
            return "the number of answers is not given"
        is_short = None in (self.by_sampling, self.with_metric)
        return f"more labels than the {self.n_rows:,} answers" if is_short else ""


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
    that of PPI++ at its best tuning. At least z² (1 / (2 margin) - 1) labels: if all of fewer were yes, Wilson's
    interval would still be wider. Raises PlanError for a number outside its range; a margin is at
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
    variance = (margin / _quantile(confidence)) ** 2
    explained = min(correlation**2, 1.0)
    rest = variance - (spread * explained / n_rows if n_rows else 0.0)
    needed = [spread / variance, spread * (1 - explained) / rest if rest > 0 else math.inf]
    squared = _quantile(confidence) ** 2
    least = squared * (0.5 / margin - 1)
    limit = math.inf if n_rows is None else n_rows
    # Two labels at least, or nothing is known about their spread.
    alone, with_metric = (
        max(math.ceil(n - 1e-9), 2) if n < math.inf and math.ceil(n - 1e-9) <= limit else None
        for n in (max(n, least) for n in needed)
    )
    of_all = None
    if n_rows:
        of_all = max(math.sqrt(squared * spread / n_rows), squared / 2 / (n_rows + squared))
    return LabelNeed(margin, alone, with_metric, n_rows, of_all)


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
