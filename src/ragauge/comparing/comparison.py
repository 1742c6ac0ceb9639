"""The result of a comparison: a row for each slice, metric and pair of systems."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from math import log
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from ragauge.errors import PlanError, did_you_mean
from ragauge.runs.manifest import MetricDisplay

if TYPE_CHECKING:
    import polars as pl

LEVEL = 0.05
"""A corrected p value below this is called a significant difference."""
TestName = Literal["randomization", "mcnemar", "t", "wilcoxon"]
CorrectionName = Literal["holm", "bh", "none"]
Pairs = Literal["base", "all"]
PERMUTATIONS = 10_000
TESTS: tuple[TestName, ...] = get_args(TestName)
CORRECTIONS: tuple[CorrectionName, ...] = get_args(CorrectionName)
Verdict = Literal["better", "worse", "differs", "not significant", "not tested"]


class Change(NamedTuple):
    """A question whose score changed, with the base's score and the candidate's."""

    id: str
    before: float
    after: float


class Unpaired(NamedTuple):
    """A question that the base, the candidate or both have no score for, with the status of each.

    The status is "ok" for a score, "absent" if the side has no row, otherwise a score's status.
    """

    id: str
    base: str
    candidate: str


@dataclass(frozen=True, slots=True)
class QuestionCounts:
    """How many questions of a pair were fixed, broken and unpaired, whether or not they are listed.

    Of the unpaired ones `base` and `candidate` count those that the side has no score for, `lost` those
    that the base has scored and that are failed, missing or absent in the candidate, `dropped` those that are
    undefined or skipped there.
    """

    fixed: int = 0
    broken: int = 0
    unpaired: int = 0
    base: int = 0
    candidate: int = 0
    lost: int = 0
    dropped: int = 0


@dataclass(frozen=True, slots=True)
class SystemMean:
    """The aggregate of one metric of one system, on the `n` questions that all systems have scored.

    None if there is no such question.
    """

    field: str | None
    value: str | None
    metric: str
    system: str
    mean: float | None
    n: int


@dataclass(frozen=True, slots=True)
class SettingEffect:
    """What the change of one setting does to one metric, over the combinations of the other settings.

    `difference` is the mean over `n` questions of each one's mean difference over the `n_pairs` pairs of systems
    that differ in this setting alone, after minus before, with its 95 % interval, uncorrected. Of times and
    costs above 0 `ratio` is the geometric mean of after over before. The ends of an interval are None for fewer than two questions, and where all are equal on an open scale.
    """

    setting: str
    before: str
    after: str
    metric: str
    difference: float
    low: float | None
    high: float | None
    n: int
    n_pairs: int
    ratio: float | None = None
    ratio_low: float | None = None
    ratio_high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricComparison:
    """One metric of a base and a candidate; differences are candidate minus base.

    `field` and `value` name the slice; both None for all questions. `n` counts the questions that both
    have scored, and all numbers but the bounds are of these. `base_mean` and `candidate_mean` are the
    metric's aggregate: its mean unless it has one of its own. `low` and `high` are the 95 % interval of
    `difference` by `interval_method`. `p_value` is two-sided, by `test`; `p_corrected` is corrected for
    all tests of the comparison but those where no question differs. `effect_size` is Cohen's d_z. `detectable` is the smallest difference
    that a test at 0.05 finds with power 0.8. Of times and costs (latency_s, first_token_s, cost_usd) above 0 `ratio` is the geometric
    mean of candidate over base, with its interval `ratio_low` to `ratio_high`; then test and `effect_size` are of the
    logarithms, and `detectable` is None. `wins`, `ties` and `losses` count the questions on which the
    candidate is better, equal and worse (higher, equal and lower if neither is better as such).

    `fixed` holds the questions that moved from the worse half of the scale to the better half, `broken`
    those that moved back, largest change first; both are empty if the scale is open or not ranked.

    `unpaired` holds the questions that a side lacks or could not score; where the metric applies to
    neither side (absent, undefined or missing on both), it says nothing and they are left out. Of more
    than 50,000 questions the lists have the first 10,000; `counts` counts all. `worst`
    and `best` are the difference if all of these went against, and for, the candidate; None for open
    scales and metrics that are not means. `n_clusters` is None without clusters. `note` says why a
    number is missing, or what to mind; usually empty.
    """

    field: str | None
    value: str | None
    metric: str
    name: str
    base: str
    candidate: str
    n: int
    base_mean: float | None = None
    candidate_mean: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    interval_method: str | None = None
    p_value: float | None = None
    p_corrected: float | None = None
    test: str = ""
    effect_size: float | None = None
    detectable: float | None = None
    wins: int
    ties: int
    losses: int
    fixed: tuple[Change, ...] = ()
    broken: tuple[Change, ...] = ()
    unpaired: tuple[Unpaired, ...] = ()
    worst: float | None
    best: float | None
    n_clusters: int | None = None
    lower_is_better: bool
    is_ranked: bool
    note: str = ""
    counts: QuestionCounts = QuestionCounts()
    ratio: float | None = None
    ratio_low: float | None = None
    ratio_high: float | None = None

    @property
    def is_tested(self) -> bool:
        """Whether its p value is one of those that the correction covers: not if no question differs."""
        differs = bool(self.wins or self.losses or self.difference)
        return self.p_value is not None and differs

    @property
    def is_significant(self) -> bool:
        return self.p_corrected is not None and self.p_corrected < LEVEL

    @property
    def gain(self) -> float | None:
        """The difference (with a ratio its logarithm), positive if the candidate is better; None if neither is better as such."""
        change = self.difference if self.ratio is None else log(self.ratio)
        if change is None or not self.is_ranked:
            return None
        return 0.0 - change if self.lower_is_better else change

    @property
    def verdict(self) -> Verdict:
        """What the test says of the candidate. A metric that is not ranked only "differs"."""
        if self.p_corrected is None:
            return "not tested"
        if not self.is_significant or (
            not self.difference if self.ratio is None else self.ratio == 1
        ):
            return "not significant"
        if self.gain is None:
            return "differs"
        return "better" if self.gain > 0 else "worse"


NOT_IN_FRAME = ("fixed", "broken", "unpaired", "lower_is_better", "is_ranked", "counts")
FRAME = tuple(each.name for each in fields(MetricComparison) if each.name not in NOT_IN_FRAME)
"""The fields of a MetricComparison that are columns of a comparison's frame."""


@dataclass(frozen=True, repr=False)
class Comparison:
    """Systems compared question by question, on every metric that they share.

    `systems` holds the base first, unless every pair was compared. `means` are on the questions that all
    systems have scored. `notes` say what was not compared and why.
    """

    systems: tuple[str, ...]
    rows: tuple[MetricComparison, ...]
    means: tuple[SystemMean, ...]
    metrics: tuple[MetricDisplay, ...]
    n_questions: int
    folders: tuple[str | None, ...]
    """The folder of each system's run; None for a run in memory."""
    fields: tuple[str, ...] = ()
    cluster: str | None = None
    n_clusters: int | None = None
    """How many values of `cluster` the questions have; None without clusters."""
    test: TestName = "randomization"
    correction: CorrectionName = "holm"
    n_permutations: int = 10_000
    seed: int = 0
    notes: tuple[str, ...] = ()
    effects: tuple[SettingEffect, ...] = ()
    """What each varied setting does (`ragauge ask --vary`), where three systems or more were compared."""

    @property
    def n_tests(self) -> int:
        """The number of p values that the correction covers."""
        return sum(row.is_tested for row in self.rows)

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The pairs of base and candidate, each once."""
        return tuple(dict.fromkeys((row.base, row.candidate) for row in self.rows))

    @property
    def overall(self) -> tuple[MetricComparison, ...]:
        """The rows of all questions, without those of slices."""
        return tuple(row for row in self.rows if row.field is None)

    @cached_property
    def frame(self) -> "pl.DataFrame":
        """The rows as a frame; of fixed, broken and unpaired questions their numbers.

        Columns: those of MetricComparison, and n_fixed, n_broken, base_unpaired, candidate_unpaired,
        verdict.
        """
        import polars as pl

        numbers = ("n_fixed", "n_broken", "base_unpaired", "candidate_unpaired")
        types = {name: MetricComparison.__annotations__[name] for name in FRAME}
        types |= {**dict.fromkeys(numbers, int), "verdict": str}
        schema = {name: (get_args(kind) or (kind,))[0] for name, kind in types.items()}
        return pl.DataFrame([frame_row(row) for row in self.rows], schema=schema)

    def row(
        self, metric: str, candidate: str | None = None, base: str | None = None
    ) -> MetricComparison:
        """The row of all questions of a metric, by its name or label.

        `candidate` and `base` may be left out if the metric has only one such row. Raises PlanError if
        there is none, or more than one.
        """
        rows = [row for row in self.overall if metric in (row.name, row.metric)]
        if not rows:
            known = list(dict.fromkeys(row.name for row in self.overall))
            hint = did_you_mean(metric, known) or f"; it has {', '.join(known) or 'none'}"
            raise PlanError(f"the comparison has no metric {metric!r}{hint}")
        pairs = ", ".join(f"{row.base} with {row.candidate}" for row in rows[:5])
        rows = [
            row for row in rows if candidate in (None, row.candidate) and base in (None, row.base)
        ]
        if len(rows) != 1:
            raise PlanError(f"{metric}: choose one pair by candidate= and base=: {pairs}")
        return rows[0]

    def fixed(self, metric: str, candidate: str | None = None) -> "pl.DataFrame":
        """The questions that the candidate got right and the base did not: id, before, after.

        They moved from the worse half of the metric's scale to the better half; largest change first.
        """
        return _frame(self.row(metric, candidate).fixed, Change)

    def broken(self, metric: str, candidate: str | None = None) -> "pl.DataFrame":
        """The questions that the base got right and the candidate did not: id, before, after."""
        return _frame(self.row(metric, candidate).broken, Change)

    def unpaired(self, metric: str, candidate: str | None = None) -> "pl.DataFrame":
        """The questions that a side lacks or could not score: id, and the status on each side."""
        return _frame(self.row(metric, candidate).unpaired, Unpaired)

    def __repr__(self) -> str:
        n = f"{self.n_questions:,} questions, {len(self.metrics)} metrics"
        return f"Comparison({', '.join(self.systems[:5])}: {n}, {self.n_tests:,} tests)"

    def __str__(self) -> str:
        """The tables, as `ragauge compare` prints them."""
        from ragauge.comparing.report import comparison_report
        from ragauge.report.writing import to_terminal

        return to_terminal(comparison_report(self))

    def _repr_html_(self) -> str:
        from ragauge.comparing.report import comparison_report
        from ragauge.report.writing import to_html

        return to_html(comparison_report(self))


def frame_row(row: MetricComparison) -> dict[str, object]:
    """A row as plain values, the lists of questions as their numbers."""
    return {
        **{name: getattr(row, name) for name in FRAME},
        "n_fixed": row.counts.fixed,
        "n_broken": row.counts.broken,
        "base_unpaired": row.counts.base,
        "candidate_unpaired": row.counts.candidate,
        "verdict": row.verdict,
    }


def _frame(rows: Sequence[Change | Unpaired], kind: type[Change | Unpaired]) -> "pl.DataFrame":
    import polars as pl

    return pl.DataFrame(rows, schema=dict(kind.__annotations__), orient="row")
