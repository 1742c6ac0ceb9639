"""How steady a system is over repeats of a question, and over turns of a conversation."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import comb, fsum, sqrt
from typing import TYPE_CHECKING

from ragauge.errors import PlanError
from ragauge.runs.manifest import MetricDisplay
from ragauge.samples.fields import REPEAT_OF
from ragauge.score import Status

if TYPE_CHECKING:
    from ragauge.runs.scored_run import ScoredRun


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


@dataclass(frozen=True, slots=True)
class Steadiness:
    """A system over k repeats or more of each question, by one metric.

    k is how often most questions were asked (of a tie the fewer; where most were asked once, the most), of several systems that were
    asked more than once the lowest; questions asked less often do not count. An answer passes where the metric is at least `threshold` (at most, where lower is better); one without
    a value does not; of a conversation the worst turn that has a value counts, and an answer that failed as
    the worst. `pass_one`, `pass_any` and `pass_all` are the means over the questions of pass@1, pass@k and
    pass^k. `n_changing` questions pass in some repeats and not in others. `components` is the variance of the values
    between and within questions; None where it has none.
    """

    system: str
    metric: str
    threshold: float
    k: int
    n_questions: int
    pass_one: float
    pass_any: float
    pass_all: float
    n_changing: int
    components: "Components | None"


def steadiness(
    run: "ScoredRun", metric: MetricDisplay, threshold: float | None = None
) -> tuple[Steadiness, ...]:
    """The steadiness of each system by a metric; empty where no question was asked twice.

    Without a threshold it is the middle of the metric's scale; PlanError for a metric without one.
    """
    import polars as pl

    threshold = metric.middle if threshold is None else threshold
    if threshold is None:
        raise PlanError([f"{metric.name} has no bounds; give a threshold from which it passes"])
    if REPEAT_OF not in run.samples.columns:
        return ()
    of_turns = [name for name in ("conversation",) if name in run.samples.columns]
    asked = run.collect(run.samples.scan().select("id", "system", "answer", REPEAT_OF, *of_turns))
    scores = run.scan().filter(pl.col("metric") == metric.metric)
    scored = run.collect(scores.select("id", "system", "value", "status"))
    keys = pl.coalesce(*of_turns, "id").alias("id")
    worst = pl.col("value").max() if metric.lower_is_better else pl.col("value").min()
    status = pl.col("status")
    has_no_answer = pl.col("answer").is_null() & (status == Status.MISSING)
    has_failed = has_no_answer | status.is_in([Status.FAILED, Status.SKIPPED])
    grouped = (
        asked.join(scored, on=["id", "system"], how="inner", maintain_order="left")
        .group_by("system", REPEAT_OF, keys, maintain_order=True)
        .agg(pl.when(~has_failed.any()).then(worst))
        .group_by("system", REPEAT_OF, maintain_order=True)
        .agg("value")
    )
    by_system: dict[str, list[list[float | None]]] = {}
    for system, _, values in grouped.iter_rows():
        by_system.setdefault(system, []).append(values)
    found: list[Steadiness] = []
    sign = -1 if metric.lower_is_better else 1
    repeats = [sorted(map(len, groups)) for groups in by_system.values()]
    usual = [Counter(sizes).most_common(1)[0][0] for sizes in repeats]  # of a tie the fewer
    # One k for all systems, so that their shares can be compared.
    several = [k for k in usual if k > 1] or [sizes[-1] for sizes in repeats if sizes[-1] > 1]
    k = min(several, default=1)
    for system, groups in by_system.items() if k > 1 else ():
        scored = [[value for value in values if value is not None] for values in groups]
        passed = [
            (len(values), sum(sign * value >= sign * threshold for value in own))
            for own, values in zip(scored, groups, strict=True)
            if len(values) >= k
        ]
        if not (n := len(passed)):
            continue
        rates = (
            sum(pass_at_k(n_asked, c, 1) for n_asked, c in passed) / n,
            sum(pass_at_k(n_asked, c, k) for n_asked, c in passed) / n,
            sum(pass_all_k(n_asked, c, k) for n_asked, c in passed) / n,
        )
        n_changing = sum(0 < c < n_asked for n_asked, c in passed)
        variance = components([values for values in scored if values])
        found.append(Steadiness(system, metric.name, threshold, k, n, *rates, n_changing, variance))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class WrongTurn:
    """The first wrong turn of a conversation, by a metric; `id` is that of the turn."""

    system: str
    conversation: str
    turn: int
    id: str

    @property
    def says(self) -> str:
        """Until when the conversation is right."""
        return "wrong from turn 1" if self.turn == 1 else f"right until turn {self.turn - 1}"


@dataclass(frozen=True, slots=True)
class WrongTurns:
    """The conversations of a run that go wrong by a metric, and by system how many have a score."""

    metric: MetricDisplay
    first: tuple[WrongTurn, ...]
    n_conversations: dict[str, int]


def wrong_turns(run: "ScoredRun", metrics: Iterable[MetricDisplay]) -> WrongTurns | None:
    """The wrong turns by the first of these metrics that scores half of the turns before the last;
    None if there is none."""
    import polars as pl

    if not {"conversation", "turn"} <= set(run.samples.columns):
        return None
    keys = ["system", "conversation"]
    turns = run.collect(run.samples.scan().select("id", *keys, "turn"))
    if not turns["turn"].dtype.is_numeric():
        return None
    turns = turns.with_columns(last=pl.col("turn").max().over(keys)).filter(pl.col("last") > 1)
    is_before_last = pl.col("turn") < pl.col("last")
    n_before_last = turns.filter(is_before_last).height
    value = pl.col("value")
    for metric in metrics if turns.height else ():
        if metric.middle is None or not metric.is_ranked:
            continue
        of_metric = run.scan().filter(pl.col("metric") == metric.metric, value.is_not_null())
        values = run.collect(of_metric.select("id", "system", "value"))
        scored = turns.join(values, on=["id", "system"])
        if scored.filter(is_before_last).height * 2 < n_before_last:
            continue
        is_wrong = value > metric.middle if metric.lower_is_better else value < metric.middle
        wrong = scored.filter(is_wrong).sort("turn").unique(keys, keep="first", maintain_order=True)
        n = scored.group_by("system").agg(pl.col("conversation").n_unique())
        found = wrong.sort(*keys).select(*keys, "turn", "id").iter_rows()
        return WrongTurns(metric, tuple(WrongTurn(*each) for each in found), dict(n.iter_rows()))
    return None
