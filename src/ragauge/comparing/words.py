"""A comparison as people read it: the headline, a table of metrics, and what changed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isclose

from ragauge.comparing.comparison import (
    LEVEL,
    Comparison,
    CorrectionName,
    MetricComparison,
    TestName,
)
from ragauge.report.plain import counted, distinct_names, for_terminal, shortened, some
from ragauge.report.report import MARK, Cell, Table
from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.numbers import DASH, number
from ragauge.samples.samples import REPEAT_OF

DIGITS = 3
UNITS = {REPEAT_OF: ("answer", "to", "question"), "conversation": ("turn", "of", "conversation")}
"""By cluster: what a row of the samples is, and what it belongs to. Without one a row is a question."""
NORMAL = ", by normal approximation where 50,000 questions differ"
NAME_WIDTH = 20
"""Columns of the name of a metric or system; longer ones are cut."""
IDS_LISTED = 2
"""Most ids that a note lists; `Comparison.unpaired` has them all."""
LEAST_CLUSTERS = 6
"""Fewest clusters whose sign patterns, 2^6, can give a p below 0.05: 2 / 64."""
MAX_NAMED = 4
"""Most metrics that a headline names."""
TESTS: Mapping[TestName, str] = {
    "randomization": "paired randomization test",
    "mcnemar": "McNemar's exact test",
    "t": "paired t test",
    "wilcoxon": "Wilcoxon signed rank test",
}
CORRECTIONS: Mapping[CorrectionName, str] = {
    "holm": "Holm-corrected",
    "bh": "Benjamini-Hochberg-corrected",
    "none": "uncorrected",
}
METHODS = {
    "abc": "Student's t adjusted for skewness (ABC)",
    "wilson": "Wilson's score interval",
    "equal": "the share of questions that may differ unseen",
}


def over_questions(metric: MetricDisplay, n: int) -> MetricDisplay:
    """How means over n questions are shown: of a metric that is shown as a count, as counts of these."""
    return replace(metric, scale=metric.scale * n) if metric.show == "count" else metric


@dataclass(frozen=True)
class ComparisonView:
    """The texts of a comparison. Every text is plain; the writers escape it."""

    comparison: Comparison
    name_width: int = NAME_WIDTH
    """Most columns of a name."""

    def short(self, text: str) -> str:
        """A name, in as many columns as fit; no two systems and no two metrics look the same."""
        known = self._names.get(text)
        return shortened(for_terminal(text), self.name_width) if known is None else known

    @cached_property
    def _names(self) -> Mapping[str, str]:
        metrics = [metric.name for metric in self.comparison.metrics]
        shown = distinct_names(metrics, self.name_width)
        return {**shown, **distinct_names(self.comparison.systems, self.name_width)}

    def name_of(self, metric: MetricDisplay) -> str:
        """The name with an arrow for its better direction."""
        arrow = "" if not metric.is_ranked else " ↓" if metric.lower_is_better else " ↑"
        return f"{self.short(metric.name)}{arrow}"

    @cached_property
    def metrics(self) -> Mapping[str, MetricDisplay]:
        """The metrics by label, with few digits."""
        return {
            metric.metric: replace(metric, digits=min(metric.digits, DIGITS))
            for metric in self.comparison.metrics
        }

    @cached_property
    def is_single_pair(self) -> bool:
        return len(self.comparison.pairs) == 1

    @property
    def headline(self) -> str:
        """What the tests say, in one or two sentences."""
        if not self.comparison.rows:
            return "Nothing was compared: no metric has a score."
        if not self.is_single_pair:
            return self._headline_of_many()
        rows = self.comparison.overall
        base, candidate = map(self.short, self.comparison.pairs[0])
        better = [row for row in rows if row.verdict == "better"]
        worse = [row for row in rows if row.verdict == "worse"]
        differ = [row for row in rows if row.verdict == "differs"]
        if not any(row.p_value is not None for row in rows):
            return f"{candidate} and {base} could not be compared: {rows[0].note}."
        parts = [
            f"{word} {base} on {self._named(found)}"
            for word, found in (
                ("better than", better),
                ("worse than", worse),
                ("different from", differ),
            )
            if found
        ]
        n_rest = sum(row.p_value is not None for row in rows) - len(better + worse + differ)
        untested = self._untested(rows)
        if not parts:
            nearest = self._nearest(rows)
            return f"{candidate} does not differ significantly from {base}.{nearest}{untested}"
        rest = f" {counted(n_rest, 'other difference')} may be chance." if n_rest else ""
        return f"{candidate} is {', '.join(parts)}.{rest}{untested}"

    def _untested(self, rows: Sequence[MetricComparison]) -> str:
        """How many metrics a test that was asked for does not apply to, and why."""
        found = [row for row in rows if row.p_value is None]
        if not found or self.comparison.test == "randomization":
            return ""
        why = "; ".join(dict.fromkeys(row.note for row in found if row.note))
        return f" Not tested: {len(found):,} of {counted(len(rows), 'metric')} ({why})."

    def _named(self, rows: Sequence[MetricComparison]) -> str:
        first = rows[0]
        change = f" ({self.change(first)})"
        names = [f"{self.short(row.name)}{change if row is first else ''}" for row in rows]
        if len(names) > MAX_NAMED:
            names = [*names[: MAX_NAMED - 1], counted(len(names) - MAX_NAMED + 1, "other metric")]
        return " and ".join([", ".join(names[:-1]), names[-1]]) if names[1:] else names[0]

    def _nearest(self, rows: Sequence[MetricComparison]) -> str:
        """The difference that the smallest corrected p belongs to, and what could have been found."""
        tested = [row for row in rows if row.p_corrected is not None and row.difference]
        if not tested:
            moved = any(row.wins or row.losses for row in rows)
            return " The means are equal." if moved else " No question differs."
        nearest = min(tested, key=lambda row: (row.p_corrected, row.p_value))
        text = f" Nearest: {self.short(nearest.name)} {self.change(nearest)}, p {p_text(nearest.p_corrected)}"
        if nearest.detectable is not None:
            metric = self.display(nearest)
            n_clusters = nearest.n_clusters
            cluster = self._unit[2] if self._unit else "cluster"
            n = counted(n_clusters, cluster) if n_clusters else counted(nearest.n, "question")
            low, high = metric.low, metric.high
            text += (
                f"; {n} are too few to find any difference"
                if low is not None and high is not None and nearest.detectable > high - low
                else f"; with {n} a difference of {number(metric, nearest.detectable)} could be found"
            )
        return f"{text}."

    def _headline_of_many(self) -> str:
        first = self.comparison.metrics[0] if self.comparison.metrics else None
        rows = [row for row in self.comparison.overall if first and row.metric == first.metric]
        if first is None or not rows:
            return "Nothing was compared: no metric has a score."
        n_pairs = len(self.comparison.pairs)
        found = sum(row.is_significant for row in rows)
        text = f"{first.name}: {found} of {counted(n_pairs, 'pair')} differ significantly."
        means = [
            mean
            for mean in self.comparison.means
            if mean.metric == first.metric and mean.field is None and mean.mean is not None
        ]
        if not means or not first.is_ranked:
            return text
        best = (min if first.lower_is_better else max)(mean.mean or 0.0 for mean in means)
        equal = [mean.system for mean in means if isclose(mean.mean or 0.0, best)]
        value = (
            f"{first.name}, {number(over_questions(self.metrics[first.metric], means[0].n), best)}"
        )
        if len(equal) > 2:
            return f"{len(equal):,} systems share the best {value}. {text}"
        named = " and ".join(self.short(system) for system in equal)
        return f"{named} {'has' if len(equal) == 1 else 'share'} the best {value}. {text}"

    def display(self, row: MetricComparison) -> MetricDisplay:
        """How the row's means and differences are shown."""
        return over_questions(self.metrics[row.metric], row.n)

    def change(self, row: MetricComparison) -> str:
        """The difference with its sign, or the ratio."""
        if row.ratio is not None:
            return times(row.ratio)
        return signed(self.display(row), row.difference)

    @cached_property
    def _unit(self) -> tuple[str, str, str] | None:
        return UNITS.get(self.comparison.cluster or "")

    @property
    def n_questions(self) -> str:
        """`40 questions`; `200 answers to 40 questions` where they were asked several times; `40 turns of 9 conversations`."""
        n, n_clusters = self.comparison.n_questions, self.comparison.n_clusters
        if self._unit is None or n_clusters is None:
            return counted(n, "question")
        row, of, cluster = self._unit
        return f"{counted(n, row)} {of} {counted(n_clusters, cluster)}"

    @property
    def title(self) -> str:
        n = self.n_questions
        systems = [self.short(name) for name in self.comparison.systems]
        if self.is_single_pair:
            return f"{systems[1]} against {systems[0]} · {n}"
        return f"{some(systems, 5)} · {n}"

    @property
    def header(self) -> tuple[str, ...]:
        names = ("metric",) if self.is_single_pair else ("metric", "base", "candidate")
        own = (
            tuple(map(self.short, self.comparison.systems))
            if self.is_single_pair
            else ("base mean", "mean")
        )
        return (*names, *own, "change", "95 % interval", "p", "n", "+ = −")

    @property
    def n_names(self) -> int:
        """How many columns are names, aligned left."""
        return 1 if self.is_single_pair else 3

    def cells(self, row: MetricComparison) -> tuple[str | Cell, ...]:
        """A row of the table."""
        metric = self.display(row)
        names = (self.name_of(metric),)
        if not self.is_single_pair:
            names += (self.short(row.base), self.short(row.candidate))
        return (
            *names,
            number(metric, row.base_mean),
            number(metric, row.candidate_mean),
            Cell(self.change(row), MARK if row.is_significant else ""),
            between(metric, row.low, row.high)
            if row.ratio is None
            else times_between(row.ratio_low, row.ratio_high),
            DASH if row.p_corrected is None else p_cell(row.p_corrected),
            self._n(row),
            f"{row.wins:,} {row.ties:,} {row.losses:,}" if row.n else DASH,
        )

    def _n(self, row: MetricComparison) -> str:
        """The number of questions, of how many if some are not scored on both sides."""
        total = row.n + row.counts.unpaired
        return f"{row.n:,}" if total == row.n else f"{row.n:,} of {total:,}"

    @property
    def effects(self) -> Table:
        """The main effect of each varied setting on each metric; empty where none was varied."""
        rows = [
            (
                self.short(effect.setting),
                f"{self.short(effect.before)} → {self.short(effect.after)}",
                self.name_of(metric),
                signed(metric, effect.difference) if effect.ratio is None else times(effect.ratio),
                between(metric, effect.low, effect.high)
                if effect.ratio is None
                else times_between(effect.ratio_low, effect.ratio_high),
                f"{effect.n:,}",
            )
            for effect in self.comparison.effects
            for metric in [over_questions(self.metrics[effect.metric], effect.n)]
        ]
        title = (
            "what each setting does, over the combinations of the others (uncorrected intervals)"
        )
        header = ("setting", "from → to", "metric", "difference", "95 % interval", "n")
        return Table(header, rows, 3, [(5,), (4,)], title=title)

    @property
    def legend(self) -> str:
        """What was done: test, correction, and the intervals."""
        comparison = self.comparison
        if not comparison.n_tests:
            is_equal = any(row.p_value is not None for row in comparison.rows)
            return f"{'nothing differs' if is_equal else 'nothing was tested'}: {self.method}"
        found = any(row.is_significant for row in comparison.rows)
        mark = f"{MARK} significant difference" if found else "no significant difference"
        return f"{mark} (p < {LEVEL}): {self.method}"

    @property
    def method(self) -> str:
        """Test, correction, number of tests and questions, intervals and seed, for a caption."""
        comparison = self.comparison
        n_tests = counted(comparison.n_tests, "test")
        methods = [
            METHODS[method]
            for method in dict.fromkeys(row.interval_method for row in comparison.rows)
            if method is not None
        ]
        clusters = f", clusters by {comparison.cluster}" if comparison.cluster else ""
        corrected = CORRECTIONS[comparison.correction]
        corrected += "" if comparison.correction == "none" else f" for {n_tests}"
        corrections = [corrected] if comparison.n_tests else []
        is_corrected = comparison.n_tests and comparison.correction != "none"
        kind = "uncorrected 95 % intervals" if is_corrected else "95 % intervals"
        intervals = [f"{kind} by {' and '.join(methods)}"] if methods else []
        is_normal = any("normal" in row.test for row in comparison.rows)
        test = TESTS[comparison.test] + (NORMAL if is_normal else "")
        pieces = (test, *corrections, *intervals, f"seed {comparison.seed}")
        return f"{', '.join(pieces)}{clusters}"

    @property
    def notes(self) -> Sequence[str]:
        """What was not compared, what a side lacks, and where numbers are missing."""
        return [
            *self._unpaired(),
            *self._row_notes(),
            *self._ratios(),
            *self._too_few_clusters(),
            *self._too_few_draws(),
            *self.comparison.notes,
        ]

    def _unpaired(self) -> Iterator[str]:
        """The scores that a side lacks, and the bounds of the difference with them."""
        for row in self.comparison.overall:
            if row.unpaired:
                counts = (
                    (row.base, row.n_unpaired("base")),
                    (row.candidate, row.n_unpaired("candidate")),
                )
                sides = " and ".join(f"{self.short(name)} {n:,}" for name, n in counts if n)
                ids = some([for_terminal(each.id) for each in row.unpaired], IDS_LISTED)
                text = f"{self.short(row.name)}: no score for {sides} ({ids})"
                if row.worst is not None and row.best is not None:
                    metric = over_questions(self.metrics[row.metric], row.n + row.counts.unpaired)
                    worst, best = (signed(metric, end) for end in (row.worst, row.best))
                    text += f"; with these the change is {worst} to {best}"
                yield text

    def _row_notes(self) -> Iterator[str]:
        by_note: dict[str, list[str]] = {}
        for row in self.comparison.rows:
            if row.note:
                where = "" if row.field is None else f" ({row.field} = {row.value})"
                by_note.setdefault(row.note, []).append(f"{self.short(row.name)}{where}")
        for note, names in by_note.items():
            yield f"{some(list(dict.fromkeys(names)), 4)}: {note}"

    def _ratios(self) -> Iterator[str]:
        """Which changes are ratios, and what the first one says."""
        rows = [row for row in self.comparison.overall if row.ratio is not None]
        if not rows:
            return
        row, names = rows[0], dict.fromkeys(self.short(row.name) for row in rows)
        text = f"{self.short(row.candidate)} takes {row.ratio:.2f} times what {self.short(row.base)} takes"
        if row.ratio_low is not None and row.ratio_high is not None:
            text += f" (95 % interval {row.ratio_low:.2f} to {row.ratio_high:.2f})"
        others = some(list(names)[1:], 4)
        yield (
            f"{self.short(row.name)}: {text}, the geometric mean of the questions' ratios, tested on logarithms"
            f"{'; so too ' + others if others else ''}"
        )

    def _too_few_clusters(self) -> Iterator[str]:
        """Whether the clusters are too few for a p below the level and for an interval."""
        counts = [row.n_clusters for row in self.comparison.overall if row.p_value is not None]
        fewest = min((n for n in counts if n is not None), default=LEAST_CLUSTERS)
        if fewest < LEAST_CLUSTERS:
            p = (
                f"p cannot be below {2 / 2**fewest:.3g}"
                if self.comparison.test == "randomization"
                else "p is unsure"
            )
            field = self.short(self.comparison.cluster or "")
            yield f"only {fewest} clusters by {field}: {p}; do not trust the interval"

    def _too_few_draws(self) -> Iterator[str]:
        if problem := too_few_draws(self.comparison):
            enough = round(20 * self.comparison.n_tests / LEVEL, -3)
            yield (
                f"{problem}; use --permutations {enough:.0f}, or compare fewer metrics, slices or pairs"
            )


def too_few_draws(comparison: Comparison) -> str:
    """Why no drawn p can stay below the level after the correction; empty if it can."""
    n_drawn = sum("draws" in row.test for row in comparison.rows)
    least = comparison.n_tests / (comparison.n_permutations + 1)
    if not n_drawn or comparison.correction != "holm" or least < LEVEL:
        return ""
    return (
        f"{comparison.n_permutations:,} draws cannot give a p below {LEVEL} after the correction for "
        f"{comparison.n_tests:,} tests"
    )


def signed(metric: MetricDisplay, value: float | None) -> str:
    """A difference with its sign; 0 has none."""
    if value is None:
        return DASH
    text = f"{value * metric.scale:+.{metric.digits}f}"
    return text[1:] if not text.strip("+-0.") else text


def between(metric: MetricDisplay, low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return DASH
    return f"[{signed(metric, low)}, {signed(metric, high)}]"


def times(ratio: float) -> str:
    """A ratio: `×1.52`."""
    return f"×{ratio:.2f}"


def times_between(low: float | None, high: float | None) -> str:
    return DASH if low is None or high is None else f"[{times(low)}, {times(high)}]"


def p_cell(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def p_text(p: float | None) -> str:
    return DASH if p is None else "< 0.001" if p < 0.001 else f"= {p:.3f}"
