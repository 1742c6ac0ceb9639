"""Verdicts from scores: confusion tables, how well they agree with people, and the best threshold."""

from dataclasses import dataclass

import numpy as np

from ragauge.stats.agreement import Bools1d, area_of_draws, chance_corrected_of_draws
from ragauge.stats.intervals import Estimate, Floats1d, Floats2d, Ints1d
from ragauge.stats.resampling import QuestionResamples

FOLDS = 5


@dataclass(frozen=True, slots=True)
class Confusion:
    """How many rows people and a metric call yes or no."""

    both_yes: int
    only_metric: int
    only_people: int
    both_no: int

    @property
    def n(self) -> int:
        return self.both_yes + self.only_metric + self.only_people + self.both_no

    @property
    def sensitivity(self) -> float | None:
        """The share of people's yes that the metric calls yes; None without any."""
        return _share(self.both_yes, self.both_yes + self.only_people)

    @property
    def specificity(self) -> float | None:
        """The share of people's no that the metric calls no; None without any."""
        return _share(self.both_no, self.both_no + self.only_metric)

    @property
    def balanced_accuracy(self) -> float | None:
        """The mean of both; 0.5 is chance however unequal the classes are."""
        if self.sensitivity is None or self.specificity is None:
            return None
        return (self.sensitivity + self.specificity) / 2

    @property
    def accuracy(self) -> float | None:
        return _share(self.both_yes + self.both_no, self.n)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def confusion(says_yes: Bools1d, is_yes: Bools1d) -> Confusion:
    """The table of a metric's verdicts and people's labels."""
    return Confusion(*(int(cell.sum()) for cell in _cells(says_yes, is_yes)))


def _cells(says_yes: Bools1d, is_yes: Bools1d) -> tuple[Bools1d, ...]:
    """Which rows each cell of a confusion table has."""
    return says_yes & is_yes, says_yes & ~is_yes, ~says_yes & is_yes, ~says_yes & ~is_yes


def best_threshold(values: Floats1d, is_yes: Bools1d, *, near: float | None = None) -> float | None:
    """The threshold with the highest balanced accuracy: yes from this value on.

    It is midway between two neighbouring values. Of equally good ones the nearest to `near` is taken;
    without it, the middle one. None if one label is absent or all values are equal.
    """
    n_yes = int(is_yes.sum())
    n_no = len(is_yes) - n_yes
    distinct, codes = np.unique(values, return_inverse=True)
    if not n_yes or not n_no or len(distinct) < 2:
        return None
    codes = codes.reshape(-1)
    yes = np.bincount(codes, weights=is_yes, minlength=len(distinct))
    no = np.bincount(codes, weights=~is_yes, minlength=len(distinct))
    gain = (n_yes - np.cumsum(yes)[:-1]) / n_yes + np.cumsum(no)[:-1] / n_no
    best = np.flatnonzero(gain >= gain.max() - 1e-12)
    middles = (distinct[best] + distinct[best + 1]) / 2
    if near is None:
        return float(middles[len(middles) // 2])
    return float(middles[np.argmin(np.abs(middles - near))])


def held_out_verdicts(
    values: Floats1d,
    is_yes: Bools1d,
    questions: Ints1d,
    *,
    near: float | None = None,
    has_label: Bools1d | None = None,
    folds: int = FOLDS,
    seed: int = 0,
) -> Bools1d | None:
    """Each row's verdict by a threshold that was chosen on other questions, (n,).

    The questions are split into `folds` parts at random; the threshold of a part is the best one of the
    other parts. So the verdicts show how well a chosen threshold works on labels that it has not seen.
    Rows without `has_label` get a verdict and choose no threshold. None if the other parts of some part
    lack one of the labels or all have one value.
    """
    has_label = np.ones(len(values), dtype=np.bool_) if has_label is None else has_label
    numbers, places = np.unique(questions, return_inverse=True)
    folds = min(folds, len(numbers))
    if folds < 2:
        return None
    part_of_question = np.random.default_rng(seed).permutation(len(numbers)) % folds
    part = part_of_question[places.reshape(-1)]
    verdicts = np.zeros(len(values), dtype=np.bool_)
    for number in range(folds):
        held_out = part == number
        others = ~held_out & has_label
        threshold = best_threshold(values[others], is_yes[others], near=near)
        if threshold is None:
            return None
        verdicts[held_out] = values[held_out] >= threshold
    return verdicts


def verdict_estimates(
    says_yes: Bools1d, is_yes: Bools1d, resamples: QuestionResamples
) -> tuple[Estimate | None, Estimate | None, Estimate | None]:
    """Balanced accuracy, Cohen's kappa and Krippendorff's nominal alpha of verdicts (n,) and labels (n,).

    None for one without a value: without both labels; if both sides always say the same.
    """
    cells = np.stack(_cells(says_yes, is_yes), axis=1).astype(np.float64)
    whole, drawn = _agreements(cells.sum(axis=0)[None]), _agreements(resamples.sums(cells))
    accuracy, kappa, alpha = (
        (float(value[0]), values[np.isfinite(values)]) if np.isfinite(value[0]) else None
        for value, values in zip(whole, drawn, strict=True)
    )
    n, n_yes = len(says_yes), int(is_yes.sum())
    share, rate = float(says_yes.mean()), float(is_yes.mean())
    both = (share + rate) * n
    by_chance = share * rate + (1 - share) * (1 - rate)
    alike = 1 - 2 * both * (2 * n - both) / (2 * n * (2 * n - 1))
    return (
        None if accuracy is None else area_of_draws(*accuracy, n_yes, n - n_yes, resamples),
        None if kappa is None else chance_corrected_of_draws(*kappa, by_chance, n, resamples),
        None if alpha is None else chance_corrected_of_draws(*alpha, alike, n, resamples),
    )


def _agreements(cells: Floats2d) -> tuple[Floats1d, Floats1d, Floats1d]:
    """Balanced accuracy, kappa and alpha of tables (b, 4), NaN without a value."""
    both_yes, only_metric, only_people, both_no = cells.T
    with np.errstate(invalid="ignore", divide="ignore"):
        sensitivity = both_yes / (both_yes + only_people)
        specificity = both_no / (both_no + only_metric)
        # (agreement - chance) / (1 - chance), in whole numbers so that chance agreement is exactly 0.
        beyond = 2 * (both_yes * both_no - only_metric * only_people)
        possible = (both_yes + only_metric) * (only_metric + both_no)
        possible += (both_yes + only_people) * (only_people + both_no)
        kappa = np.where(possible > 0, beyond / possible, np.nan)
        # 1 - observed over expected disagreement, of 2 n ratings of n answers.
        unequal = only_metric + only_people
        yes, no = 2 * both_yes + unequal, 2 * both_no + unequal
        alpha = np.where(yes * no > 0, 1 - (yes + no - 1) * unequal / (yes * no), np.nan)
    return (sensitivity + specificity) / 2, kappa, alpha
