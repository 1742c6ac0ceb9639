"""Questions that are asked several times: how often they pass, and where their values vary."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, fsum, sqrt


def pass_at_k(n: int, n_passed: int, k: int) -> float:
    """The chance that at least one of k answers passes, from n of which n_passed did: 1 - C(n - c, k) / C(n, k).

    In [0, 1], without bias for k up to n. Source: Chen et al. 2021 (HumanEval), equation 1.

    >>> pass_at_k(5, 2, 1), pass_at_k(5, 2, 5), round(pass_at_k(5, 2, 2), 3)
    (0.4, 1.0, 0.7)
    """
    return 1.0 - comb(n - n_passed, k) / comb(n, k)


def pass_all_k(n: int, n_passed: int, k: int) -> float:
    """The chance that all of k answers pass, from n of which n_passed did: C(c, k) / C(n, k), written pass^k.

    In [0, 1], without bias for k up to n. Source: Yao et al. 2024 (tau-bench), section 3.

    >>> pass_all_k(5, 4, 1), pass_all_k(5, 4, 5), round(pass_all_k(5, 4, 2), 3)
    (0.8, 0.0, 0.6)
    """
    return comb(n_passed, k) / comb(n, k)


@dataclass(frozen=True, slots=True)
class Components:
    """Variance of values between questions and within them; `k` values a question, as many as the harmonic mean."""

    between: float
    within: float
    n_questions: int
    k: float

    def error(self, *, questions: float = 1.0, repeats: float = 1.0) -> float:
        """The standard error of the mean, with this many times the questions or the repeats."""
        within = self.within / (self.k * repeats)
        return sqrt((self.between + within) / (self.n_questions * questions))


def components(groups: Sequence[Sequence[float]]) -> Components | None:
    """The variance between and within groups of values; None without two groups, or one of two values.

    The analysis of variance of one random factor; the variance between is 0 where its estimate is negative.
    Source: Searle, Casella & McCulloch 1992, chapter 3.

    >>> components([[0.0, 1.0], [1.0, 1.0]])
    Components(between=0.0, within=0.25, n_questions=2, k=2.0)
    """
    sizes = [len(group) for group in groups]
    n, total = len(groups), sum(sizes)
    if n < 2 or total == n or not all(sizes):
        return None
    means = [fsum(group) / len(group) for group in groups]
    mean = fsum(map(fsum, groups)) / total
    apart = ((x - m) ** 2 for group, m in zip(groups, means, strict=True) for x in group)
    squares_within = fsum(apart)
    squares_between = fsum(size * (m - mean) ** 2 for size, m in zip(sizes, means, strict=True))
    within = squares_within / (total - n)
    effective = (total - fsum(size**2 for size in sizes) / total) / (n - 1)
    between = max(0.0, (squares_between / (n - 1) - within) / effective)
    return Components(between, within, n, n / fsum(1 / size for size in sizes))
