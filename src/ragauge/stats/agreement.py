"""How far raters agree."""

from collections.abc import Sequence


def cohen_kappa(left: Sequence[float], right: Sequence[float]) -> float | None:
    """How far two raters agree on the same items beyond what chance gives.

    At most 1, which is full agreement; 0 is that of chance. None where there is no item, or both give
    all of them one and the same rating: chance alone agrees then. Source: Cohen 1960.

    >>> cohen_kappa([1, 1, 0, 0], [1, 0, 0, 0])
    0.5
    """
    n = len(left)
    if not n:
        return None
    seen = sum(one == other for one, other in zip(left, right, strict=True)) / n
    ratings = {*left, *right}
    chance = sum((left.count(one) / n) * (right.count(one) / n) for one in ratings)
    return None if chance == 1 else (seen - chance) / (1 - chance)
