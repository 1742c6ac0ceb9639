"""How well the order of scores agrees with labels: area under the ROC curve, Kendall, Spearman."""

from collections.abc import Sequence
from typing import cast

import numpy as np
from numpy.typing import NDArray

from ragauge.stats.intervals import Floats1d, Floats2d, Ints1d
from ragauge.stats.resampling import Statistic, check_lengths, floats, plain_value

Bools1d = NDArray[np.bool_]
CELLS_AT_ONCE = 4_000_000
"""Most cells of (resample, score, grade) in memory at once; does not change the result."""


def auroc(values: Sequence[float] | Floats1d, is_yes: Sequence[bool] | Bools1d) -> float | None:
    """The area under the ROC curve: how often a yes scores above a no; a tie counts half.

    In [0, 1]; 0.5 is chance. None if one of the two labels is absent. Source: Hanley & McNeil 1982.

    >>> auroc(np.array([0.9, 0.4, 0.4, 0.1]), np.array([True, True, False, False]))
    0.875
    """
    scores, labels = _pairs(values, is_yes, "is_yes")
    return plain_value(auroc_of(scores, labels > 0.5), len(scores)) if len(scores) else None


def auroc_of(values: Floats1d, is_yes: Bools1d) -> Statistic:
    """The area under the ROC curve as a statistic of weighted rows."""
    order = np.argsort(values, kind="stable")
    yes = is_yes[order].astype(np.float64)
    starts = starts_of(values[order])

    def area(weights: Floats2d) -> Floats1d:
        drawn = weights[:, order]
        n_yes = np.add.reduceat(drawn * yes, starts, axis=1)
        n_no = np.add.reduceat(drawn * (1 - yes), starts, axis=1)
        below = np.cumsum(n_no, axis=1) - n_no / 2
        with np.errstate(invalid="ignore", divide="ignore"):
            return (n_yes * below).sum(axis=1) / (n_yes.sum(axis=1) * n_no.sum(axis=1))

    return area


def spearman(
    values: Sequence[float] | Floats1d, grades: Sequence[float] | Floats1d
) -> float | None:
    """Spearman's rank correlation, with mean ranks for ties.

    In [-1, 1]. None if one side is constant, or there are fewer than two rows. Source: Spearman 1904.

    >>> spearman(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0]))
    0.5
    """
    values, grades = _pairs(values, grades, "grades")
    return plain_value(spearman_of(values, grades), len(values)) if len(values) else None


def spearman_of(values: Floats1d, grades: Floats1d) -> Statistic:
    """Spearman's correlation as a statistic of weighted rows."""
    sides = [np.unique(side, return_inverse=True)[1].reshape(-1) for side in (values, grades)]

    def correlation(weights: Floats2d) -> Floats1d:
        total = weights.sum(axis=1, keepdims=True)
        # The weighted mean rank of each row, from their middle, so that their weighted mean is 0.
        counts = [grouped(weights, codes) for codes in sides]
        left, right = (
            (np.cumsum(count, axis=1) - count / 2)[:, codes] - total / 2
            for count, codes in zip(counts, sides, strict=True)
        )
        covariance = (weights * left * right).sum(axis=1)
        spread = np.sqrt((weights * left**2).sum(axis=1) * (weights * right**2).sum(axis=1))
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(spread > 0, covariance / spread, np.nan)

    return correlation


def kendall_tau_b(
    values: Sequence[float] | Floats1d, grades: Sequence[float] | Floats1d
) -> float | None:
    """Kendall's tau-b: concordant minus discordant pairs, over the pairs without ties.

    In [-1, 1]. None if one side is constant, or there are fewer than two rows. Source: Kendall 1945.

    >>> kendall_tau_b(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0])) == 1 / 3
    True
    """
    values, grades = _pairs(values, grades, "grades")
    return plain_value(kendall_of(values, grades), len(values)) if len(values) else None


def kendall_of(values: Floats1d, grades: Floats1d) -> Statistic:
    """Kendall's tau-b as a statistic of weighted rows; its cost grows with the number of grades.

    Rows that a resample holds several times are ties with each other.
    """
    order = np.argsort(values, kind="stable")
    starts = starts_of(values[order])
    _, codes = np.unique(grades[order], return_inverse=True)
    codes = codes.reshape(-1).astype(np.int64)
    cells = len(starts) * (int(codes.max(initial=0)) + 1)
    at_once = max(1, CELLS_AT_ONCE // (cells + 1))
    by_value, by_grade = values[order], codes.astype(np.float64)

    def tau(weights: Floats2d) -> Floats1d:
        drawn = weights[:, order]
        if cells > CELLS_AT_ONCE:
            return np.array([_tau_by_pairs(row, by_value, by_grade) for row in drawn])
        pieces = [
            _tau_b(drawn[start : start + at_once], starts, codes)
            for start in range(0, len(drawn), at_once)
        ]
        return np.concatenate(pieces)

    return tau


def _tau_by_pairs(weights: Floats1d, values: Floats1d, grades: Floats1d) -> float:
    """Tau-b of one weighting by all pairs, some rows at a time: for as many grades as rows."""
    difference = untied_values = untied_grades = 0.0
    rows_at_once = max(1, CELLS_AT_ONCE // len(values))
    for start in range(0, len(values), rows_at_once):
        part = slice(start, start + rows_at_once)
        left = np.sign(values[part, None] - values)
        right = np.sign(grades[part, None] - grades)
        both = weights[part, None] * weights
        difference += float((both * left * right).sum())
        untied_values += float((both * left**2).sum())
        untied_grades += float((both * right**2).sum())
    spread = (untied_values * untied_grades) ** 0.5
    return difference / spread if spread > 0 else np.nan


def _tau_b(drawn: Floats2d, starts: Ints1d, codes: Ints1d) -> Floats1d:
    """Tau-b from weights (b, rows) in the order of the values; rows of equal value are one group."""
    n_grades = int(codes.max(initial=0)) + 1
    one_hot = np.eye(n_grades)[codes]
    table = np.add.reduceat(drawn[:, :, None] * one_hot, starts, axis=1)
    below = np.cumsum(table, axis=1) - table
    lower = np.cumsum(below, axis=2) - below
    higher = below.sum(axis=2, keepdims=True) - lower - below
    difference = (table * (lower - higher)).sum(axis=(1, 2))
    total = drawn.sum(axis=1)
    by_value, by_grade = table.sum(axis=2), table.sum(axis=1)
    untied = [(total**2 - (side**2).sum(axis=1)) / 2 for side in (by_value, by_grade)]
    spread = np.sqrt(untied[0] * untied[1])
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(spread > 0, difference / spread, np.nan)


def _pairs(
    values: Sequence[float] | Floats1d,
    labels: Sequence[float] | Floats1d | Bools1d,
    name: str,
) -> tuple[Floats1d, Floats1d]:
    """Both as arrays of numbers; PlanError if they are not of the same rows."""
    left, right = floats(values, "values"), floats(cast("Floats1d", labels), name)
    check_lengths(values=left, **{name: right})
    return left, right


def starts_of(ordered: Floats1d | Ints1d) -> Ints1d:
    """Where each group of equal values begins."""
    return np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])


def grouped(weights: Floats2d, codes: Ints1d) -> Floats2d:
    """The sums of weights (b, rows) by code from 0, (b, codes)."""
    order = np.argsort(codes, kind="stable")
    return np.add.reduceat(weights[:, order], starts_of(codes[order]), axis=1)
