"""Agreement of raters: Cohen's kappa and Krippendorff's alpha."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from ragauge.errors import PlanError
from ragauge.stats.intervals import Floats1d, Floats2d, Ints1d
from ragauge.stats.rank_agreement import grouped, starts_of
from ragauge.stats.resampling import Statistic, check_lengths, floats, plain_value

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
