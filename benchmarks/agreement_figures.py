"""How well scores agree with labels: area under the ROC curve, accuracy, rank correlations, intervals.

Rows of one unit (a question that several systems answer, a document with several claims) depend on each
other. So the bootstrap draws units, and a row counts as often as its unit is drawn.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

SEED = 0
RESAMPLES = 1_000
CHUNK = 50
"""Resamples computed at once, which limits memory."""

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Counts = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with its 95 % bootstrap interval."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, value: float, resampled: Floats) -> "Interval":
        known = resampled[~np.isnan(resampled)]
        low, high = np.quantile(known, (0.025, 0.975)) if len(known) else (np.nan, np.nan)
        return cls(value, float(low), float(high))


def unit_weights(units: Sequence[str], n: int = RESAMPLES) -> Counts:
    """How often each row counts in each of n resamples of the units, (n, rows)."""
    names, unit_of_row = np.unique(np.asarray(units), return_inverse=True)
    random = np.random.default_rng(SEED)
    draws = [
        np.bincount(random.integers(0, len(names), len(names)), minlength=len(names))
        for _ in range(n)
    ]
    return np.array(draws, dtype=np.int32)[:, unit_of_row]


def areas(values: Floats, is_yes: Bools, weights: Counts) -> Floats:
    """For each row of weights, how often a yes scores above a no; a tie counts half, (resamples,).

    NaN for a resample with only one of the two labels.
    """
    order = np.argsort(values, kind="stable")
    ordered, yes = values[order], is_yes[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    found: list[Floats] = []
    for begin in range(0, len(weights), CHUNK):
        drawn = weights[begin : begin + CHUNK, order].astype(np.float64)
        n_yes = np.add.reduceat(drawn * yes, starts, axis=1)
        n_no = np.add.reduceat(drawn * ~yes, starts, axis=1)
        below = np.cumsum(n_no, axis=1) - n_no / 2
        with np.errstate(invalid="ignore", divide="ignore"):
            found.append((n_yes * below).sum(1) / (n_yes.sum(1) * n_no.sum(1)))
    return np.concatenate(found)


def area(values: Floats, is_yes: Bools, weights: Counts) -> Interval:
    """The area under the ROC curve."""
    all_once = np.ones((1, len(values)), np.int32)
    return Interval.of(float(areas(values, is_yes, all_once)[0]), areas(values, is_yes, weights))


def system_tau(values: Floats, is_yes: Bools, systems: Sequence[str], weights: Counts) -> Interval:
    """Kendall's tau-b of the systems' mean values with their shares of yes."""
    _, system = np.unique(np.asarray(systems), return_inverse=True)
    member = np.eye(int(system.max()) + 1)[system]
    drawn = np.vstack([np.ones((1, len(values))), weights])
    with np.errstate(invalid="ignore", divide="ignore"):
        n_rows = drawn @ member
        means = (drawn * values) @ member / n_rows
        shares = (drawn * is_yes) @ member / n_rows
    # 12 decimals, so that means that differ by rounding only are a tie.
    taus = tau_b(means.round(12), shares.round(12))
    return Interval.of(float(taus[0]), taus[1:])


def tau_b(left: Floats, right: Floats) -> Floats:
    """Kendall's tau-b of each row of `left` with the same row of `right`, (n, systems) each.

    NaN for a row in which one side is constant.
    """
    one, other = np.triu_indices(left.shape[1], 1)
    signs = [np.sign(side[:, one] - side[:, other]) for side in (left, right)]
    untied = [np.abs(sign).sum(axis=1) for sign in signs]
    with np.errstate(invalid="ignore", divide="ignore"):
        return (signs[0] * signs[1]).sum(axis=1) / np.sqrt(untied[0] * untied[1])


def rank_correlation(values: Floats, grades: Floats, weights: Counts) -> Interval:
    """Spearman's correlation of the values with the grades."""
    resampled = [
        float(spearmanr(np.repeat(values, drawn), np.repeat(grades, drawn)).statistic)
        for drawn in weights[: RESAMPLES // 5]
    ]
    return Interval.of(float(spearmanr(values, grades).statistic), np.array(resampled))
