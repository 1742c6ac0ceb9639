"""How often 95 % intervals hold the true mean, and how often tests at 0.05 reject a true mean of 0.

    python benchmarks/coverage.py [--write]

prints Markdown tables (12 minutes at most on two cores), and writes them to benchmarks/coverage.md. Everything is seeded.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np
from scipy import stats

from ragauge.stats import mean_interval, randomization_p_values
from ragauge.stats.intervals import share_interval

N_DRAWS, N_RESAMPLES, N_PERMUTATIONS = 2_000, 2_000, 1_999
SIZES = (5, 10, 20, 50, 200)
Z = stats.norm.ppf(0.975)
OWN = "ours"
PAGE = Path(__file__).with_name("coverage.md")
ABOUT = """\
"ours" is Wilson's interval where all values are 0 or 1, the interval of the share that may differ unseen where all are equal or hardly
differ, and the ABC interval with the quantiles of Student's t elsewhere. Goal: 0.93 of every bounded mean from n = 10 on, 0.90 of the lognormal from
n = 50 on. Wilson's misses it at p = .99 for n = 10 and 50, as the exact coverage in the first table shows: if 9 of 10 are right, its upper
end is .982, and Poisson's limit .995. It is kept because people expect it of a share, and it is narrow and near 0.95 on average. Paired
differences of several sizes have as many degrees of freedom as there are differences that are not 0. BCa with the ends of Student's t
covers about as often as ABC where values differ, but needs thousands of resamples. Under random signs the sum of squares stays, so t
rises with the sum: the studentised test is the test of the mean, up to the signs drawn. Adjusting t for skewness holds the level better
and costs power."""
Scale = tuple[float | None, float | None]
Draw = Callable[[np.random.Generator, tuple[int, int]], np.ndarray]
ZERO_ONE, PAIRED, OPEN = (0.0, 1.0), (-1.0, 1.0), (None, None)


def zeros_and(share: float, draw: Draw) -> Draw:
    """Values of which this share is 0."""
    return lambda random, shape: np.where(random.random(shape) < share, 0.0, draw(random, shape))


def binary(rate: float) -> Draw:
    return lambda random, shape: (random.random(shape) < rate).astype(float)


def changes(better: float, worse: float) -> Draw:
    """Differences of binary scores: these shares of the questions are better and worse."""
    chances = [worse, 1 - better - worse, better]
    return lambda random, shape: random.choice([-1.0, 0.0, 1.0], p=chances, size=shape)


def uniform(random: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    return random.random(shape)


MEANS: Mapping[str, tuple[Scale, float, Draw]] = {
    "binary, p = .5": (ZERO_ONE, 0.5, binary(0.5)),
    "binary, p = .9": (ZERO_ONE, 0.9, binary(0.9)),
    "binary, p = .99": (ZERO_ONE, 0.99, binary(0.99)),
    "Beta(5, 1)": (ZERO_ONE, 5 / 6, lambda random, shape: random.beta(5, 1, shape)),
    "uniform": (ZERO_ONE, 0.5, uniform),
    "half 0, half uniform": (ZERO_ONE, 0.25, zeros_and(0.5, uniform)),
    "90 % 0, 10 % uniform": (ZERO_ONE, 0.05, zeros_and(0.9, uniform)),
    "90 % near 1, 10 % near 0": (
        ZERO_ONE,
        0.9 * 0.995 + 0.1 * 0.005,
        lambda random, shape: np.abs((random.random(shape) < 0.1) - 1 + random.random(shape) / 100),
    ),
    "lognormal, σ = 1": (
        (0.0, None),
        float(np.exp(0.5)),
        lambda random, shape: random.lognormal(0, 1, shape),
    ),
}
DIFFERENCES: Mapping[str, tuple[Scale, float, Draw]] = {
    "binary, 30 % better, 20 % worse": (PAIRED, 0.1, changes(0.3, 0.2)),
    "binary, 10 % better, 5 % worse": (PAIRED, 0.05, changes(0.1, 0.05)),
    "binary, 5 % better": (PAIRED, 0.05, changes(0.05, 0)),
    "binary, 2 % better, 5 % worse": (PAIRED, -0.03, changes(0.02, 0.05)),
    "Beta(5, 1) - Beta(4, 1)": (
        PAIRED,
        5 / 6 - 4 / 5,
        lambda random, shape: random.beta(5, 1, shape) - random.beta(4, 1, shape),
    ),
    "half 0, half Beta(2, 5) - .2": (
        PAIRED,
        (2 / 7 - 0.2) / 2,
        zeros_and(0.5, lambda random, shape: random.beta(2, 5, shape) - 0.2),
    ),
    "lognormal - 1, σ = 1": (
        OPEN,
        float(np.exp(0.5)) - 1,
        lambda random, shape: random.lognormal(0, 1, shape) - 1,
    ),
}
NULLS: Mapping[str, Draw] = {
    "normal": lambda random, shape: random.normal(size=shape),
    "t, 3 degrees of freedom": lambda random, shape: random.standard_t(3, shape),
    "symmetric with ties": lambda random, shape: np.round(random.normal(size=shape) * 2) / 4,
    "binary, 15 % better, 15 % worse": changes(0.15, 0.15),
    "exponential": lambda random, shape: random.exponential(size=shape) - 1,
    "lognormal, σ = .5": lambda random, shape: random.lognormal(0, 0.5, shape) - np.exp(0.125),
    "lognormal, σ = 1": lambda random, shape: random.lognormal(0, 1, shape) - np.exp(0.5),
    "70 % ties, exponential": zeros_and(
        0.7, lambda random, shape: random.exponential(size=shape) - 1
    ),
    "90 % small gains, 10 % losses": lambda random, shape: np.where(
        random.random(shape) < 0.9, random.random(shape) * 0.2, -random.random(shape) * 1.8
    ),
}
SHIFTED: Mapping[str, tuple[str, float]] = {
    "normal, mean .4": ("normal", 0.4),
    "t, mean .5": ("t, 3 degrees of freedom", 0.5),
    "exponential, mean .4": ("exponential", 0.4),
    "exponential, mean -.4": ("exponential", -0.4),
    "lognormal σ = 1, mean .6": ("lognormal, σ = 1", 0.6),
    "lognormal σ = 1, mean -.6": ("lognormal, σ = 1", -0.6),
    "small gains, mean .15": ("90 % small gains, 10 % losses", 0.15),
}


def intervals(
    values: np.ndarray, scale: Scale, random: np.random.Generator
) -> Mapping[str, tuple[np.ndarray, np.ndarray]]:
    """The low and high ends of each row's interval, by method, within the scale."""
    n = values.shape[1]
    mean, error = values.mean(axis=1), stats.sem(values, axis=1)
    t = stats.t.ppf(0.975, n - 1)
    counts = random.multinomial(n, [1 / n] * n, size=N_RESAMPLES).T.astype(float)
    drawn = np.sort(values @ counts / n, axis=1)
    found = {
        "percentile": (_quantile(drawn, 0.025), _quantile(drawn, 0.975)),
        "studentised": _studentised(values, counts, mean, error),
        "BCa": _bca(values, drawn, Z),
        "t": (mean - t * error, mean + t * error),
    }
    low, high = _bca(values, drawn, t * np.sqrt(n / (n - 1)))
    found["BCa, no end within t"] = (
        np.minimum(low, found["t"][0]),
        np.maximum(high, found["t"][1]),
    )
    made = [mean_interval(row, low=scale[0], high=scale[1]) for row in values]
    found[OWN] = tuple(
        np.array([each.value if end is None else end for each, end in zip(made, ends, strict=True)])
        for ends in ([each.low for each in made], [each.high for each in made])
    )
    return {name: (_clip(low, scale), _clip(high, scale)) for name, (low, high) in found.items()}


def _clip(ends: np.ndarray, scale: Scale) -> np.ndarray:
    return ends if scale == OPEN else np.clip(ends, *scale)


def _quantile(ordered: np.ndarray, shares: np.ndarray | float) -> np.ndarray:
    """The quantile of each row at its share."""
    place = np.broadcast_to(np.asarray(shares) * (ordered.shape[1] - 1), len(ordered))
    below = np.floor(place).astype(int)
    rows = np.arange(len(ordered))
    above = ordered[rows, np.minimum(below + 1, ordered.shape[1] - 1)]
    return ordered[rows, below] + (place - below) * (above - ordered[rows, below])


def _studentised(
    values: np.ndarray, counts: np.ndarray, mean: np.ndarray, error: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The bootstrap of t; a resample without spread counts as infinitely far away."""
    n = values.shape[1]
    drawn = values @ counts / n
    variance = (values**2) @ counts / n - drawn**2
    with np.errstate(divide="ignore", invalid="ignore"):
        t = (drawn - mean[:, None]) / np.sqrt(np.where(variance > 1e-12, variance, 0) / (n - 1))
        low, high = np.quantile(np.nan_to_num(t, nan=0), [0.025, 0.975], axis=1, method="higher")
        return tuple(np.nan_to_num(mean - end * error, nan=0) for end in (high, low))


def _bca(values: np.ndarray, drawn: np.ndarray, reach: float) -> tuple[np.ndarray, np.ndarray]:
    apart = values - values.mean(axis=1, keepdims=True)
    squares = np.maximum((apart**2).sum(axis=1), 1e-30)
    acceleration = (apart**3).sum(axis=1) / (6 * squares**1.5)
    side = np.sign(drawn - values.mean(axis=1, keepdims=True))
    side[np.abs(drawn - values.mean(axis=1, keepdims=True)) < 1e-12] = 0
    bias = stats.norm.ppf(np.clip((1 - side.mean(axis=1)) / 2, 1e-4, 1 - 1e-4))
    z = bias + np.array([[-reach], [reach]])
    slope = 1 - acceleration * z
    tails = np.where(slope > 0, stats.norm.cdf(bias + z / np.where(slope > 0, slope, 1)), z > 0)
    return _quantile(drawn, tails[0]), _quantile(drawn, tails[1])


def p_values(values: np.ndarray, random: np.random.Generator) -> Mapping[str, np.ndarray]:
    """Each row's p by test. Under random signs t is a rising function of the sum, whose squares stay."""
    n = values.shape[1]
    signs = random.choice([-1.0, 1.0], size=(n, N_PERMUTATIONS))
    squares = (values**2).sum(axis=1)[:, None]

    def statistics(sums: np.ndarray, cubes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        mean = sums / n
        variance = np.maximum(squares / n - mean**2, 1e-12 * squares / n + 1e-30)
        skewness = (cubes / n - 3 * mean * squares / n + 2 * mean**3) / variance**1.5 / np.sqrt(n)
        t = mean / np.sqrt(variance / (n - 1))
        return np.abs(t), np.abs(t + skewness * (2 * t * t + 1) / 6)

    seen = statistics(values.sum(axis=1)[:, None], (values**3).sum(axis=1)[:, None])
    drawn = statistics(values @ signs, values**3 @ signs)
    plain, corrected = (
        ((other >= one * (1 - 1e-9)).sum(axis=1) + 1) / (N_PERMUTATIONS + 1)
        for one, other in zip(seen, drawn, strict=True)
    )
    return {
        "sign flips of the mean (ours)": np.array(
            [p.value for p in randomization_p_values(values)]
        ),
        "of t": plain,
        "of t, corrected for skewness": corrected,
        "t test": 2 * stats.t.sf(seen[0][:, 0], n - 1),
    }


def coverage_table(cases: Mapping[str, tuple[Scale, float, Draw]]) -> Iterator[str]:
    """Rows of Markdown: the share of intervals that hold the true mean, and their median width."""
    for case, (scale, truth, draw) in cases.items():
        for n in SIZES:
            random = np.random.default_rng([1, n])
            found = intervals(draw(random, (N_DRAWS, n)), scale, random)
            if case == next(iter(cases)) and n == SIZES[0]:
                yield f"| values | n | {' | '.join(found)} |"
                yield "|---|---|" + "---|" * len(found)
            cells = [
                f"{np.mean((low <= truth + 1e-9) & (high >= truth - 1e-9)):.3f} ({np.median(high - low):.2f})"
                for low, high in found.values()
            ]
            yield f"| {case} | {n} | {' | '.join(cells)} |"


def rejection_table(cases: Mapping[str, tuple[str, float]]) -> Iterator[str]:
    """Rows of Markdown: the share of p values up to 0.05."""
    for case, (name, mean) in cases.items():
        for n in SIZES[1:]:
            random = np.random.default_rng([7, n])
            found = p_values(NULLS[name](random, (N_DRAWS, n)) + mean, random)
            if case == next(iter(cases)) and n == SIZES[1]:
                yield f"| differences | n | {' | '.join(found)} |"
                yield "|---|---|" + "---|" * len(found)
            yield f"| {case} | {n} | {' | '.join(f'{np.mean(p <= 0.05):.3f}' for p in found.values())} |"


def _modified_wilson(k: np.ndarray, n: int) -> np.ndarray:
    """Wilson's with Poisson limits of the one or two (from n = 51 three) outermost counts: Brown, Cai & DasGupta 2001."""
    ends = np.array([share_interval(int(each) / n, n) for each in k])
    for count in range(1, min(4 if n > 50 else 3, (n + 1) // 2)):
        limit = stats.chi2.ppf(0.05, 2 * count) / 2 / n
        ends[count, 0], ends[n - count, 1] = limit, 1 - limit
    return ends


def _agresti_coull(k: np.ndarray, n: int) -> np.ndarray:
    centre = (k + Z**2 / 2) / (n + Z**2)
    reach = Z * np.sqrt(centre * (1 - centre) / (n + Z**2))
    return np.clip(np.column_stack([centre - reach, centre + reach]), 0, 1)


def _clopper_pearson(k: np.ndarray, n: int) -> np.ndarray:
    ends = np.column_stack(
        [stats.beta.ppf(0.025, k, n - k + 1), stats.beta.ppf(0.975, k + 1, n - k)]
    )
    return np.where(np.isnan(ends), [0.0, 1.0], ends)


SHARES: Mapping[str, Callable[[np.ndarray, int], np.ndarray]] = {
    "Wilson (ours)": lambda k, n: np.array([share_interval(int(each) / n, n) for each in k]),
    "modified Wilson": _modified_wilson,
    "Agresti-Coull": _agresti_coull,
    "Clopper-Pearson": _clopper_pearson,
}


def share_table() -> Iterator[str]:
    """Rows of Markdown: exact coverage and mean width of intervals of a share, by sums over all counts."""
    yield f"| p | n | {' | '.join(SHARES)} |"
    yield "|---|---|" + "---|" * len(SHARES)
    for p in (0.5, 0.9, 0.99):
        for n in SIZES:
            k = np.arange(n + 1)
            chances, cells = stats.binom.pmf(k, n, p), []
            for method in SHARES.values():
                low, high = method(k, n).T
                held = chances[(low <= p) & (p <= high)].sum()
                cells.append(f"{held:.3f} ({chances @ (high - low):.3f})")
            yield f"| {p} | {n} | {' | '.join(cells)} |"


def page() -> Iterator[str]:
    yield "# Coverage of the intervals, level of the tests"
    yield ""
    yield "    python benchmarks/coverage.py --write"
    yield ""
    yield f"{N_DRAWS:,} samples each; {N_RESAMPLES:,} resamples. The standard deviation of a share near 0.95 is 0.005."
    yield ""
    yield ABOUT
    tables = (
        ("Shares: exact coverage (mean width) of 95 % intervals", share_table()),
        ("Means: coverage (median width) of 95 % intervals", coverage_table(MEANS)),
        ("Paired differences: coverage (median width)", coverage_table(DIFFERENCES)),
        (
            "Tests at 0.05 of differences whose mean is 0: rejected",
            rejection_table({name: (name, 0.0) for name in NULLS}),
        ),
        ("Tests at 0.05 of differences whose mean is not 0: rejected", rejection_table(SHIFTED)),
    )
    for title, table in tables:
        yield from ("", f"## {title}", "")
        yield from table


if __name__ == "__main__":
    lines: list[str] = []
    for line in page():
        print(line, flush=True)
        lines.append(line)
    if "--write" in sys.argv:
        PAGE.write_text("\n".join(lines) + "\n")
