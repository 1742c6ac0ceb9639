"""Mean, sum and geometric mean as functions of sums of parts, and the interval of any such aggregate over questions.

The methods were chosen by the coverage that benchmarks/coverage.py measures.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragauge.score import Aggregation
from ragauge.stats.distributions import t_quantile

Floats1d = NDArray[np.float64]
Floats2d = NDArray[np.float64]
Ints1d = NDArray[np.int64]
Aggregate = Callable[[Floats2d], Floats1d]
IntervalMethod = Literal["wilson", "abc", "normal", "equal"]
"""Wilson's of shares, ABC, the normal approximation, and the one for questions that are all equal."""
CONFIDENCE = 0.95
REACH = (1 + CONFIDENCE) / 2
NORMAL_QUANTILE = 1.9599639845400536
"""That of REACH, written here because importing `statistics` takes as long as ranking ten thousand documents."""
HARDLY = 0.01
"""A standard deviation below this share of the scale: two answers of .997 and .998 say nothing about the next wrong one."""
LEAST_FACTOR = 0.00001
"""Replaces smaller values in a geometric mean, as in trec_eval: a single 0 would make it 0."""
ROUNDING = 1e-12
"""A spread below this share of the values is that of rounding."""
MAX_POWER = 709.0
"""e to more is no float."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its 95 % interval, its standard error and how the interval was made.

    `low` and `high` are None for fewer than two questions, and where all are equal on an open scale.
    """

    value: float
    low: float | None
    high: float | None
    standard_error: float | None = None
    method: IntervalMethod | None = None

    def within(self, lowest: float, highest: float) -> "Estimate":
        """The same with its interval cut to the values that there can be, if its value is one."""
        if self.low is None or self.high is None or not lowest <= self.value <= highest:
            return self
        return replace(self, low=max(self.low, lowest), high=min(self.high, highest))


class Spread(NamedTuple):
    """How far `n` questions, or clusters of them, move an aggregate away from its value.

    A question's influence is the derivative of the aggregate along what it adds to the sums, less the
    mean of these, or that of the jackknife. `squares` is the sum of the squared influences, 0 for no more
    than rounding; `skewness` that of their cubes over `squares` to the 3/2; `direction` (p,) that of what the
    questions add times their influence. `n_at_ends` is the effective number of questions if each has the
    lowest or the highest value, else None. `freedom` is that of Student's t.
    """

    n: int
    freedom: int
    squares: float
    skewness: float
    direction: Floats1d
    n_at_ends: float | None

    @property
    def error(self) -> float:
        """The standard error of the aggregate."""
        return math.sqrt(self.n / (self.n - 1) * self.squares)


def interval(
    parts: Floats2d,
    aggregate: Aggregate,
    *,
    ends: Floats2d | None = None,
    are_shares: bool = True,
) -> Estimate | None:
    """The aggregate of questions (or clusters of them) with its 95 % interval; None if it has no value.

    `parts` (n, p) is what each question adds to the sums that the aggregate is a function of: for a mean
    its score and 1, for a cluster the sum of its scores and their number, zeros without a score. `ends`
    (2, p) is what a question with the lowest, and the highest, possible value adds (see `ends_of`).
    `are_shares=False`: some question is at neither end, which the sums of clusters may hide. Without `ends` the aggregate may be any function that takes sums of questions; it is then taken as
    linear in what the jackknife finds to be their influence.

    - All at the two ends, as scores of 0 and 1: Wilson's score interval of their share; of clusters with
      the effective number of questions (Wilson 1927; Korn & Graubard 1998), at least the clusters.
    - Otherwise the ABC interval (DiCiccio & Efron 1992), which is BCa without resampling, with the
      quantiles of Student's t, and no end nearer to the value than that of Student's t interval. Of
      differences of several sizes, t has as many degrees of freedom as there are differences (3 to
      n - 1): ties say nothing about the sizes.
    - All equal: at most a share z² / (n + z²) of other questions differs, Wilson's end for 0 of n, by as
      much as the ends allow. No interval if an end is open. A mean of values that hardly differ has at least this interval.

    >>> values = np.array([[1.0, 1.0]] * 10)
    >>> found = interval(values, lambda sums: sums[:, 0] / sums[:, 1], ends=np.array([[0, 1.0], [1, 1]]))
    >>> (found.value, round(found.low, 3), found.high)
    (1.0, 0.722, 1.0)
    """
    total = parts.sum(axis=0)
    scored = parts[parts.any(axis=1)]
    value = value_of(total, aggregate)
    if value is None or len(scored) < 2:
        return None if value is None else Estimate(value, None, None)
    apart = scored - scored.mean(axis=0)
    if ends is None:
        left_out = np.nan_to_num(aggregate(total - scored), nan=value)
        influences = (left_out.mean() - left_out) * (len(scored) - 1) / len(scored)
        size = abs(value)
    else:
        deviations, sizes = (np.sqrt((rows**2).sum(axis=0)) for rows in (apart, scored))
        steps = np.where(deviations > ROUNDING * sizes, deviations, 0.0)
        slope = derivative(aggregate, total, steps)
        influences, size = apart @ slope, float(np.abs(slope) @ sizes)
    squares = float(influences @ influences)
    if math.sqrt(squares) <= ROUNDING * size:
        squares = 0.0
    skewness = float(((influences / math.sqrt(squares)) ** 3).sum()) if squares else 0.0
    n_at_ends = _n_at_ends(scored, ends) if ends is not None and are_shares else None
    n = len(scored)
    freedom = n - 1
    if ends is not None and ends.shape[1] == 2 and ends[0, 0] < 0 < ends[1, 0]:  # of differences
        sizes = np.abs(scored[scored[:, 0] != 0, 0])
        is_one_size = sizes.size == 0 or np.ptp(sizes) <= ROUNDING * sizes.max()
        freedom = n - 1 if is_one_size else min(max(sizes.size, 3), n - 1)
    spread = Spread(n, freedom, squares, skewness, influences @ apart, n_at_ends)
    return with_interval(value, total, aggregate, spread, ends, "abc")


def with_interval(
    value: float,
    total: Floats1d,
    aggregate: Aggregate,
    spread: Spread,
    ends: Floats2d | None,
    method: IntervalMethod,
) -> Estimate:
    """The value with the interval that `interval` describes; `method` is its name where it is ABC."""
    error = spread.error
    bounds: tuple[float, ...] | None = None
    if ends is not None and spread.n_at_ends is not None:
        method = "wilson"
        (lowest, _), (highest, _) = ends.tolist()
        share = (total[0] / total[1] - lowest) / (highest - lowest)
        shares = np.array([share_interval(min(max(share, 0.0), 1.0), spread.n_at_ends)]).T
        bounds = tuple(aggregate(total[1] * ((1 - shares) * ends[0] + shares * ends[1])).tolist())
    elif error:
        bounds = _abc(value, total, aggregate if ends is not None else None, spread)
    if spread.n_at_ends is None and ends is not None and _hardly_differ(error, spread.n, ends):
        method = "equal"
        _, most = share_interval(0.0, spread.n)
        unseen = tuple(aggregate((1 - most) * total + most * total[1] * ends).tolist())
        seen = bounds or unseen
        bounds = (min(seen[0], unseen[0]), max(seen[1], unseen[1]))
    if bounds is None or not all(map(math.isfinite, bounds)):
        return Estimate(value, None, None)
    low, high = map(rounded_bound, bounds)
    found = Estimate(value, min(low, value), max(high, value), error or None, method)
    return found if ends is None else found.within(*aggregate(total[1] * ends).tolist())


def _hardly_differ(error: float, n: int, ends: Floats2d) -> bool:
    """Whether all questions are equal, or have so nearly one value that those seen cannot tell of others."""
    if not error or not np.isfinite(ends).all():
        return bool(np.isfinite(ends).all())
    # Differences can be small and all real.
    are_scores = ends.shape[1] == 2 and ends[0, 0] >= 0
    return are_scores and error * math.sqrt(n) <= HARDLY * (ends[1, 0] - ends[0, 0])


def share_interval(share: float, n: float, *, design_effect: float = 1.0) -> tuple[float, float]:
    """Wilson's interval of a share of n rows, in [0, 1].

    `design_effect` divides n. Source: Wilson 1927; Brown, Cai & DasGupta 2001.
    """
    extra = NORMAL_QUANTILE**2 * design_effect / n
    centre = share + extra / 2
    half = math.sqrt(extra * (share * (1 - share) + extra / 4))
    low, high = ((centre + side * half) / (1 + extra) for side in (-1, 1))
    return (0.0 if share == 0 else low), (1.0 if share == 1 else high)


def by_question(parts: Floats2d, question: Ints1d, n_questions: int) -> Floats2d:
    """The sums of parts (m, p) by question, (n_questions, p).

    `question` (m,) numbers each row's question. The order of the rows does not matter.
    """
    # Summed in the order of the values, so that the order of the rows cannot change a last digit.
    order = np.lexsort((*parts.T[::-1], question))
    total = np.zeros((n_questions, parts.shape[1]))
    np.add.at(total, question[order], parts[order])
    return total


def value_of(total: Floats1d, aggregate: Aggregate) -> float | None:
    """The aggregate of sums (p,); None where it is not finite."""
    value = float(aggregate(total[None, :])[0])
    return value if math.isfinite(value) else None


def derivative(aggregate: Aggregate, sums: Floats1d, steps: Floats1d) -> Floats1d:
    """The aggregate's derivative by each sum, (p,), by central differences; 0 where the step is 0.

    The steps are the sums' standard deviations: over them the aggregate must be near a line for the
    approximation to hold at all, and an aggregate of whole numbers would ignore much smaller ones. That of a
    mean is known.
    """
    if aggregate is mean_of_parts:
        return np.array([1 / sums[1], -sums[0] / sums[1] ** 2])
    varied = np.flatnonzero(steps)
    moves = np.zeros((len(varied), len(sums)))
    moves[np.arange(len(varied)), varied] = steps[varied]
    values = aggregate(np.concatenate([sums + moves, sums - moves]))
    slope = np.zeros(len(sums))
    slope[varied] = (values[: len(varied)] - values[len(varied) :]) / (2 * steps[varied])
    return np.where(np.isfinite(slope), slope, 0.0)


def rounded_bound(bound: float) -> float:
    """The bound without its last digits, which differ between machines."""
    return round(float(bound), 10)


def _n_at_ends(parts: Floats2d, ends: Floats2d) -> float | None:
    """How many questions the share of those at the upper end counts as; None if any is elsewhere.

    Questions that are not in clusters count themselves. Clusters count p (1 - p) over the variance of
    their share, in questions, times the square of the ratio of the quantiles of Student's t with these
    degrees of freedom; at least the clusters, at most their questions.
    """
    if parts.shape[1] != 2 or not np.isfinite(ends).all():
        return None
    (lowest, _), (highest, _) = ends.tolist()
    counts = parts[:, 1]
    at_upper = (parts[:, 0] - lowest * counts) / (highest - lowest)
    if (np.abs(at_upper - np.rint(at_upper)) > ROUNDING * counts).any():
        return None
    k, n = len(parts), float(counts.sum())
    if n == k:
        return n
    share = float(at_upper.sum()) / n
    variance = k / (k - 1) * float(((at_upper - share * counts) ** 2).sum()) / n**2
    if not variance:
        return k if share in (0, 1) else n
    few = wider_of_clusters(n, k) ** 2
    return min(max(share * (1 - share) / variance / few, k), n)


def wider_of_clusters(n: float, n_clusters: int) -> float:
    """How much wider an interval is because its n rows are in clusters: Student's t knows the spread of few less well.

    >>> round(wider_of_clusters(60, 6), 2), wider_of_clusters(60, 60)
    (1.28, 1.0)
    """
    return t_quantile(REACH, n_clusters - 1) / t_quantile(REACH, n - 1)


def _abc(
    value: float, total: Floats1d, aggregate: Aggregate | None, spread: Spread
) -> tuple[float, float]:
    """The aggregate at both ends of the family of weights that moves it most (its direction).

    Without `aggregate` it is taken as linear. `acceleration` is also the correction of bias; that for
    the aggregate's own curvature is left out.
    """
    reach = t_quantile(REACH, spread.freedom)
    acceleration = spread.skewness / 6
    ends: list[float] = []
    for z in (-reach, reach):
        corrected = acceleration + z
        moved = corrected / (1 - acceleration * corrected) ** 2
        moved = min(moved, z) if z < 0 else max(moved, z)
        step = moved * spread.error
        moves = step / spread.squares * spread.direction
        if aggregate is mean_of_parts:
            # Of clusters a ratio. Its count, 1 + growth, must stay above 0, and growth above -1 whatever the error;
            # and no end is nearer than Student's t.
            step *= max(math.exp(min(-moves[1] / total[1], 1.0)), reach / abs(moved))
            end = None
        else:
            end = value_of(total + moves, aggregate) if aggregate else None
        ends.append(value + step if end is None else end)
    return min(ends), max(ends)


# Aggregates: mean, sum, geometric mean


def parts_of(values: Floats1d, aggregation: Aggregation) -> Floats2d:
    """Each value's share of the sums that the aggregate is computed from: its amount and 1, (n, 2)."""
    if aggregation == "geometric_mean":
        # By Python's log, so that the last digit does not depend on the processor.
        values = np.array([math.log(max(value, LEAST_FACTOR)) for value in values.tolist()])
    return np.column_stack([values, np.ones(len(values))])


def mean_of_parts(sums: Floats2d) -> Floats1d:
    """Means from rows of (sum, count); NaN where the count is 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return sums[:, 0] / sums[:, 1]


def geometric_mean_of_parts(sums: Floats2d) -> Floats1d:
    """The geometric mean from sums of logarithms; NaN where the count is 0."""
    return np.array([exponential(mean) for mean in mean_of_parts(sums).tolist()])


def exponential(power: float) -> float:
    """e to this power, by Python's exp; infinite where that is beyond the largest float."""
    return math.inf if power > MAX_POWER else math.exp(power)


AGGREGATES: Mapping[Aggregation, Aggregate] = {
    "mean": mean_of_parts,
    "sum": lambda sums: sums[:, 0],
    "geometric_mean": geometric_mean_of_parts,
}


def ends_of(aggregation: Aggregation, low: float | None, high: float | None) -> Floats2d:
    """What a question with the lowest, and the highest, possible value adds to the sums, (2, 2).

    None is an open end.
    """
    ends = (-math.inf if low is None else low, math.inf if high is None else high)
    return parts_of(np.array(ends), aggregation)


def ends_of_scores(
    values: Floats1d, aggregation: Aggregation, low: float | None, high: float | None
) -> Floats2d:
    """As `ends_of`; an open scale on which all scores are 0 or 1, and both occur, is [0, 1]."""
    if (low is None or high is None) and {0.0, 1.0} == set(np.unique(values).tolist()):
        low, high = 0.0, 1.0
    return ends_of(aggregation, low, high)


def mean_interval(
    scores: Floats1d, *, low: float | None = 0.0, high: float | None = 1.0
) -> Estimate | None:
    """The mean of scores (n,), one for each question, with its 95 % interval; see `interval`.

    `low` and `high` are the ends of the scale, None if it is open; those of differences of scores in
    [0, 1] are -1 and 1. None without a score.

    >>> found = mean_interval(np.array([1.0, 1.0]))
    >>> (found.value, round(found.low, 3), found.high)  # two right answers of two
    (1.0, 0.342, 1.0)
    """
    scores = np.asarray(scores, np.float64)
    ends = ends_of_scores(scores, "mean", low, high)
    return interval(parts_of(scores, "mean"), mean_of_parts, ends=ends)


def difference_of(aggregate: Aggregate, n_parts: int) -> Aggregate:
    """The aggregate of the last parts minus that of the first, each `n_parts` of them."""
    return lambda sums: aggregate(sums[:, n_parts:]) - aggregate(sums[:, :n_parts])
