"""Agreement of raters (Cohen's kappa, Krippendorff's alpha), and of the order of scores with labels (ROC area, Kendall, Spearman).

Intervals of shares and areas hold for few labels and close to 1, where a percentile bootstrap is too narrow: they have the true
values that would give the observed one within the error that they imply. The bootstrap over questions gives the design effect: how
much larger the variance is because rows of one question depend on each other.
"""

from collections.abc import Callable, Sequence
from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

from ragauge.errors import PlanError
from ragauge.stats.intervals import (
    NORMAL_QUANTILE,
    Estimate,
    Floats1d,
    Floats2d,
    Ints1d,
    rounded_bound,
    share_interval,
    wider_of_clusters,
)
from ragauge.stats.resampling import (
    QuestionResamples,
    Statistic,
    check_lengths,
    floats,
    plain_value,
)

Bools1d = NDArray[np.bool_]
CELLS_AT_ONCE = 4_000_000
"""Most cells of (resample, score, grade) in memory at once; does not change the result."""
Level = Literal["nominal", "ordinal", "interval"]
"""What ratings are: names, ranks, or numbers whose differences count."""


def cohen_kappa(
    left: Sequence[float] | Floats1d, right: Sequence[float] | Floats1d
) -> float | None:
    """Cohen's kappa: the agreement of two raters on the same items, corrected for chance.

    At most 1 (full agreement); 0 is chance agreement. None if there are no items, or if both raters
    give every item the same rating. PlanError for NaN, and if one has more ratings. Source: Cohen 1960.

    >>> cohen_kappa([1, 1, 0, 0], [1, 0, 0, 0])
    0.5
    """
    left, right = floats(left, "left"), floats(right, "right")
    check_lengths(left=left, right=right)
    return plain_value(kappa_of(left, right), len(left)) if len(left) else None


def kappa_of(left: Floats1d, right: Floats1d) -> Statistic:
    """Cohen's kappa as a statistic of weighted rows."""
    values, codes = np.unique(np.concatenate([left, right]), return_inverse=True)
    first, second = codes.reshape(2, -1)
    is_same = (first == second).astype(np.float64)
    one_hot = np.eye(len(values))

    def kappa(weights: Floats2d) -> Floats1d:
        total = weights.sum(axis=1)
        shares = (weights @ one_hot[first]) * (weights @ one_hot[second])
        with np.errstate(invalid="ignore", divide="ignore"):
            chance = shares.sum(axis=1) / total**2
            return np.where(chance < 1, (weights @ is_same / total - chance) / (1 - chance), np.nan)

    return kappa


def krippendorff_alpha(
    ratings: Sequence[Sequence[float | str | None]], level: Level = "nominal"
) -> float | None:
    """Krippendorff's alpha: agreement of any number of raters, corrected for chance.

    `ratings` has a row for each rater and a column for each item; None and NaN are missing ratings, and
    items with fewer than two ratings do not count. Nominal ratings may be words. At most 1; 0 is chance
    agreement. None if no item has two ratings, or if all ratings are equal. PlanError for rows of
    different lengths. Source: Krippendorff 2011, "Computing Krippendorff's
    Alpha-Reliability".

    >>> round(krippendorff_alpha([[1, 1, 0, 0], [1, 0, 0, None]]), 3)  # 1 - 2 · 5 / (2 · 3 · 3)
    0.444
    """
    if len({len(of_rater) for of_rater in ratings}) > 1:
        counts = ", ".join(str(len(of_rater)) for of_rater in ratings)
        raise PlanError(f"raters have {counts} ratings; give each an entry for every item, or None")
    given = [
        (item, rating)
        for of_rater in ratings
        for item, rating in enumerate(of_rater)
        if rating is not None and rating == rating  # NaN is not equal to itself
    ]
    if not given:
        return None
    items = np.array([item for item, _ in given], dtype=np.int64)
    if level == "nominal":
        codes = {rating: float(code) for code, (_, rating) in enumerate(given)}
        values = np.array([codes[rating] for _, rating in given])
    else:
        values = np.array([float(rating) for _, rating in given])
    return plain_value(alpha_of(items, values, level), len(given))


def alpha_of(items: Ints1d, ratings: Floats1d, level: Level) -> Statistic:
    """Krippendorff's alpha of ratings (n,) of items (n,), as a statistic of weighted ratings.

    All ratings of an item must have the same weight, as they have if questions are drawn. Disagreements
    of pairs are sums over items, so no matrix of values by values is needed: for squared differences
    sum (a - b)² over all pairs = 2 (m sum a² - (sum a)²), which holds within an item and over all.
    """
    _, items, sizes = np.unique(items, return_inverse=True, return_counts=True)
    items = items.reshape(-1)
    kept = np.flatnonzero(sizes[items] > 1)
    if len(kept) == 0:
        return lambda weights: np.full(len(weights), np.nan)
    kept = kept[np.argsort(items[kept], kind="stable")]
    of_item = starts_of(items[kept])
    n_raters = np.diff(of_item, append=len(kept)).astype(np.float64)
    repeats = n_raters.astype(np.int64)
    values, codes = np.unique(ratings[kept], return_inverse=True)
    codes = codes.reshape(-1)
    # Each item's unequal ordered pairs of ratings over its ratings less one.
    pairs = np.stack([np.repeat(np.arange(len(of_item)), repeats), codes])
    (item, _), counts = np.unique(pairs, axis=1, return_counts=True)
    equal = np.bincount(item, weights=counts.astype(np.float64) ** 2, minlength=len(of_item))
    unequal = (n_raters**2 - equal) / (n_raters - 1)

    def alpha(weights: Floats2d) -> Floats1d:
        drawn = weights[:, kept]
        counts = grouped(drawn, codes)
        total = counts.sum(axis=1)
        if level == "nominal":
            within = drawn[:, of_item] @ unequal
            between = total**2 - (counts**2).sum(axis=1)
        else:
            ranks = np.cumsum(counts, axis=1) - counts / 2
            scale = ranks if level == "ordinal" else np.broadcast_to(values, counts.shape)
            # Squared differences of ordered pairs within each item, likewise.
            rated = scale[:, codes]
            mean = np.add.reduceat(rated, of_item, axis=1) / n_raters
            apart = (rated - np.repeat(mean, repeats, axis=1)) ** 2
            squares = np.add.reduceat(apart, of_item, axis=1)
            within = (drawn[:, of_item] * 2 * n_raters * squares / (n_raters - 1)).sum(axis=1)
            whole = (counts * scale).sum(axis=1, keepdims=True)
            centred = scale - whole / np.maximum(total[:, None], 1)
            between = 2 * total * (counts * centred**2).sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(between > 0, 1 - (total - 1) * within / between, np.nan)

    return alpha


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


LEAST_DESIGN_EFFECT = 0.25
"""A smaller ratio of variances is an accident of few rows."""
STEPS = 60
"""Halvings of the bisection: more than a float has digits."""


def area_interval(
    area: float, n_yes: int, n_no: int, *, design_effect: float = 1.0
) -> tuple[float, float]:
    """Newcombe's interval of an area under the ROC curve (his method 5), in [0, 1].

    Source: Newcombe 2006, "Confidence intervals for an effect size measure based on the Mann-Whitney
    statistic", part 2.
    """
    reach = NORMAL_QUANTILE * NORMAL_QUANTILE * design_effect

    def is_near(true: float) -> bool:
        return (area - true) ** 2 <= reach * area_variance(true, n_yes, n_no)

    return _edge(is_near, area, 0.0), _edge(is_near, area, 1.0)


def area_variance(area: float, n_yes: int, n_no: int) -> float:
    """The variance of an area, symmetric in the two labels (Newcombe 2006; Hanley & McNeil 1982)."""
    half = (n_yes + n_no) / 2 - 1
    spread = 1 + half * ((1 - area) / (2 - area) + area / (1 + area))
    return area * (1 - area) * spread / (n_yes * n_no)


def share_estimate(statistic: Statistic, n: int, resamples: QuestionResamples) -> Estimate | None:
    """A share of rows with its interval; the statistic gives it for weighted rows."""
    (found,) = resamples.draws([statistic])
    if found is None:
        return None
    share, drawn = found
    effect = _design_effect(drawn, share * (1 - share) / n, resamples)
    bounds = share_interval(share, n, design_effect=effect)
    return _estimate(share, bounds, resamples)


def area_estimate(
    values: Floats1d, is_yes: Bools1d, resamples: QuestionResamples
) -> Estimate | None:
    """The area under the ROC curve with its interval; None if one of the two labels is absent."""
    (found,) = resamples.draws([auroc_of(values, is_yes)])
    if found is None:
        return None
    n_yes = int(is_yes.sum())
    return area_of_draws(*found, n_yes, len(is_yes) - n_yes, resamples)


def area_of_draws(
    area: float, drawn: Floats1d, n_yes: int, n_no: int, resamples: QuestionResamples
) -> Estimate:
    """An area with its interval, from its values in the resamples.

    The balanced accuracy of yes-or-no verdicts is their area.
    """
    effect = _design_effect(drawn, area_variance(area, n_yes, n_no), resamples)
    bounds = area_interval(area, n_yes, n_no, design_effect=effect)
    return _estimate(area, bounds, resamples)


def chance_corrected_of_draws(
    value: float, drawn: Floats1d, expected: float, n: int, resamples: QuestionResamples
) -> Estimate | None:
    """Kappa or alpha with its interval, that of the share of agreement behind it.

    `drawn` are its values in the resamples, `expected` is the agreement by chance: kappa =
    (share - expected) / (1 - expected). None if chance alone agrees.
    """
    if expected >= 1:
        return None
    share = min(max(expected + value * (1 - expected), 0.0), 1.0)
    effect = _design_effect(drawn * (1 - expected), share * (1 - share) / n, resamples)
    bounds = share_interval(share, n, design_effect=effect)
    low, high = ((bound - expected) / (1 - expected) for bound in bounds)
    return _estimate(value, (low, high), resamples)


def _design_effect(drawn: Floats1d, variance: float, resamples: QuestionResamples) -> float:
    """The bootstrap's variance over that of independent rows.

    Where that is 0, nothing varied: then rows per question, as if all rows of a question were one.
    """
    n = resamples.n_questions
    if variance <= 0 or len(drawn) < 2:
        return len(resamples.questions) / max(n, 1)
    # A bootstrap of n questions has (n - 1) / n of the variance.
    effect = max(float(drawn.var()) * n / (n - 1) / variance, LEAST_DESIGN_EFFECT)
    return effect * wider_of_clusters(len(resamples.questions), n) ** 2


def _estimate(value: float, bounds: tuple[float, float], resamples: QuestionResamples) -> Estimate:
    if resamples.n_questions < 2:
        return Estimate(value, None, None)
    low, high = map(rounded_bound, bounds)
    return Estimate(value, min(low, value), max(high, value))


def _edge(is_near: Callable[[float], bool], inside: float, outside: float) -> float:
    """Where a property that holds at `inside` ends on the way to `outside`."""
    if inside == outside:
        return outside
    for _ in range(STEPS):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if is_near(middle) else (inside, middle)
    return (inside + outside) / 2
