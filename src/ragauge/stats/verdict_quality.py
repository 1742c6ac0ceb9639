"""Balanced accuracy, kappa and alpha of yes-or-no verdicts against labels, from one bootstrap.

All three are functions of the four cells of the table, so a resample needs only the sums of these by
question: far less than the rows.
"""

from collections.abc import Callable

import numpy as np

from ragauge.stats.intervals import Estimate, Floats1d, Floats2d
from ragauge.stats.rank_agreement import Bools1d
from ragauge.stats.resampling import QuestionResamples
from ragauge.stats.score_intervals import area_of_draws, chance_corrected_of_draws


def verdict_estimates(
    says_yes: Bools1d, is_yes: Bools1d, resamples: QuestionResamples
) -> tuple[Estimate | None, Estimate | None, Estimate | None]:
    """Balanced accuracy, Cohen's kappa and Krippendorff's nominal alpha of verdicts (n,) and labels (n,).

    None for one without a value: without both labels; if both sides always say the same.
    """
    cells = np.stack(
        [says_yes & is_yes, says_yes & ~is_yes, ~says_yes & is_yes, ~says_yes & ~is_yes], axis=1
    ).astype(np.float64)
    whole = cells.sum(axis=0)
    n = len(says_yes)
    drawn = resamples.sums(cells)
    n_yes, share, rate = int(is_yes.sum()), float(says_yes.mean()), float(is_yes.mean())
    both = (share + rate) * n
    by_chance = share * rate + (1 - share) * (1 - rate)
    alike = 1 - 2 * both * (2 * n - both) / (2 * n * (2 * n - 1))
    accuracy, kappa, alpha = (
        _draws(formula, whole, drawn) for formula in (_balanced_accuracy, _kappa, _alpha)
    )
    return (
        None if accuracy is None else area_of_draws(*accuracy, n_yes, n - n_yes, resamples),
        None if kappa is None else chance_corrected_of_draws(*kappa, by_chance, n, resamples),
        None if alpha is None else chance_corrected_of_draws(*alpha, alike, n, resamples),
    )


def _draws(
    formula: Callable[[Floats2d], Floats1d], whole: Floats1d, drawn: Floats2d
) -> tuple[float, Floats1d] | None:
    with np.errstate(invalid="ignore", divide="ignore"):
        value, resampled = float(formula(whole[None])[0]), formula(drawn)
    return (value, resampled[np.isfinite(resampled)]) if np.isfinite(value) else None


def _balanced_accuracy(cells: Floats2d) -> Floats1d:
    both_yes, only_metric, only_people, both_no = cells.T
    return (both_yes / (both_yes + only_people) + both_no / (both_no + only_metric)) / 2


def _kappa(cells: Floats2d) -> Floats1d:
    """(agreement - chance) / (1 - chance), in whole numbers so that chance agreement is exactly 0."""
    both_yes, only_metric, only_people, both_no = cells.T
    beyond = 2 * (both_yes * both_no - only_metric * only_people)
    possible = (both_yes + only_metric) * (only_metric + both_no)
    possible += (both_yes + only_people) * (only_people + both_no)
    return np.where(possible > 0, beyond / possible, np.nan)


def _alpha(cells: Floats2d) -> Floats1d:
    """1 - observed over expected disagreement, of 2 n ratings of n answers."""
    both_yes, only_metric, only_people, both_no = cells.T
    unequal = only_metric + only_people
    yes, no = 2 * both_yes + unequal, 2 * both_no + unequal
    return np.where(yes * no > 0, 1 - (yes + no - 1) * unequal / (yes * no), np.nan)
