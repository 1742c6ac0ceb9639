"""Agreement of raters."""

from collections.abc import Sequence


def cohen_kappa(left: Sequence[float], right: Sequence[float]) -> float | None:
    """Cohen's kappa: the agreement of two raters on the same items, corrected for chance.

    At most 1 (full agreement); 0 is chance agreement. None if there are no items, or if both raters
    give every item the same rating. Source: Cohen 1960.

    >>> cohen_kappa([1, 1, 0, 0], [1, 0, 0, 0])
    0.5
    """
    n = len(left)
    if not n:
        return None
    observed = sum(one == other for one, other in zip(left, right, strict=True)) / n
    ratings = {*left, *right}
    chance = sum((left.count(rating) / n) * (right.count(rating) / n) for rating in ratings)
    return None if chance == 1 else (observed - chance) / (1 - chance)
