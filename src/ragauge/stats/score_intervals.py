"""Intervals of shares and of areas under the ROC curve that hold for few labels and close to 1.

They hold the true values that would give the observed one within the error that they imply: a percentile
bootstrap is too narrow there. The bootstrap over questions gives the design effect: how much larger the variance
is because rows of one question depend on each other.
"""

from collections.abc import Callable

from ragauge.stats.agreement import Bools1d, Floats1d, auroc_of
from ragauge.stats.intervals import NORMAL_QUANTILE, Estimate, rounded_bound, share_interval
from ragauge.stats.resampling import QuestionResamples, Statistic

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
    return max(float(drawn.var()) * n / (n - 1) / variance, LEAST_DESIGN_EFFECT)


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
