"""A comparison as people read it: names, numbers, the headline, the tables of pairs and effects, and the notes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isclose

from ragauge.comparing.comparison import (
    LEVEL,
    Comparison,
    CorrectionName,
    MetricComparison,
    SettingEffect,
    TestName,
)
from ragauge.report.plain import counted, distinct_names, for_terminal, shortened, some
from ragauge.report.report import MARK, Cell, Table
from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.numbers import DASH, number
from ragauge.samples.fields import REPEAT_OF

DIGITS = 3
UNITS = {REPEAT_OF: ("answer", "to", "question"), "conversation": ("turn", "of", "conversation")}
"""By cluster: what a row of the samples is, and what it belongs to. Without one a row is a question."""
NORMAL = ", by normal approximation where 50,000 questions differ"
NAME_WIDTH = 20
"""Columns of the name of a metric or system; longer ones are cut."""
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
    "equal": "Wilson's bound on how many other questions may differ (where these are all alike)",
}
NOTHING = "Nothing was compared: no metric has a score."
EFFECTS = "what each setting does, over the combinations of the others (uncorrected intervals)"
IDS_LISTED = 2
"""Most ids that a note lists; `Comparison.unpaired` has them all."""
LEAST_CLUSTERS = 6
"""Fewest clusters whose sign patterns, 2^6, can give a p below 0.05: 2 / 64."""


def over_questions(metric: MetricDisplay, n: int) -> MetricDisplay:
    """How means over n questions are shown: of a metric that is shown as a count, as counts of these."""
    return replace(metric, scale=metric.scale * n) if metric.show == "count" else metric


@dataclass(frozen=True)
class ComparisonView:
    """The texts of a comparison. Every text is plain; the writers escape it."""

    comparison: Comparison
    name_width: int = NAME_WIDTH
    """Most columns of a name."""

    @cached_property
    def _names(self) -> dict[str, str]:
        metrics = [metric.name for metric in self.comparison.metrics]
        lists = (metrics, self.comparison.systems)
        return {k: v for names in lists for k, v in distinct_names(names, self.name_width).items()}

    def short(self, text: str) -> str:
        """A name, in as many columns as fit; no two systems and no two metrics look the same."""
        return self._names.get(text) or shortened(for_terminal(text), self.name_width)

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

    def means_of(self, metric: MetricDisplay) -> dict[str, float]:
        """The means of the systems that have one on all questions."""
        return {
            mean.system: mean.mean
            for mean in self.comparison.means
            if mean.metric == metric.metric and mean.field is None and mean.mean is not None
        }

    @property
    def headline(self) -> str:
        """What the tests say, in one or two sentences."""
        rows = self.comparison.overall
        if not self.comparison.rows:
            return NOTHING
        if not self.is_single_pair:
            return self._headline_of_many()
        base, candidate = map(self.short, self.comparison.pairs[0])
        without = [row for row in rows if row.p_value is None]
        if len(without) == len(rows):
            return f"{candidate} and {base} could not be compared: {rows[0].note}."
        untested = ""
        if without and self.comparison.test != "randomization":
            why = "; ".join(dict.fromkeys(row.note for row in without if row.note))
            untested = f" Not tested: {len(without):,} of {counted(len(rows), 'metric')} ({why})."
        parts: list[str] = []
        n_rest = len(rows) - len(without)
        for verdict, than in (("better", "than"), ("worse", "than"), ("differs", "from")):
            found = [row for row in rows if row.verdict == verdict]
            n_rest -= len(found)
            names = [self.short(row.name) for row in found]
            if names:
                names[0] += f" ({self.change(found[0])})"
            if len(names) > MAX_NAMED:
                n_more = len(names) - MAX_NAMED + 1
                names = [*names[: MAX_NAMED - 1], counted(n_more, "other metric")]
            word = "different" if verdict == "differs" else verdict
            listed = " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
            parts += [f"{word} {than} {base} on {listed}"] if found else []
        if not parts:
            nearest = self._nearest(rows)
            return f"{candidate} does not differ significantly from {base}. {nearest}.{untested}"
        rest = f" {counted(n_rest, 'other difference')} may be chance." if n_rest else ""
        return f"{candidate} is {', '.join(parts)}.{rest}{untested}"

    def _nearest(self, rows: Sequence[MetricComparison]) -> str:
        """The difference that the smallest corrected p belongs to, and what could have been found."""
        tested = [row for row in rows if row.p_corrected is not None and row.difference]
        if not tested:
            moved = any(row.wins or row.losses for row in rows)
            return "The means are equal" if moved else "No question differs"
        row = min(tested, key=lambda row: (row.p_corrected, row.p_value))
        text = f"Nearest: {self.short(row.name)} {self.change(row)}, p {p_text(row.p_corrected)}"
        if row.detectable is None:
            return text
        metric = self.display(row)
        cluster = self._unit[2] if self._unit else "cluster"
        n = counted(row.n_clusters, cluster) if row.n_clusters else counted(row.n, "question")
        low, high = metric.low, metric.high
        if low is not None and high is not None and row.detectable > high - low:
            return f"{text}; {n} are too few to find any difference"
        return f"{text}; with {n} a difference of {number(metric, row.detectable)} could be found"

    def _headline_of_many(self) -> str:
        """What the tests say of the first metric."""
        first = self.comparison.metrics[0]
        found = sum(
            row.is_significant for row in self.comparison.overall if row.metric == first.metric
        )
        n_pairs = counted(len(self.comparison.pairs), "pair")
        text = f"{first.name}: {found} of {n_pairs} differ significantly."
        means = self.means_of(first)
        if not means or not first.is_ranked:
            return text
        best = (min if first.lower_is_better else max)(means.values())
        equal = [self.short(system) for system, mean in means.items() if isclose(mean, best)]
        n = next(mean.n for mean in self.comparison.means if mean.metric == first.metric)
        value = f"{first.name}, {number(over_questions(self.metrics[first.metric], n), best)}"
        if len(equal) > 2:
            return f"{len(equal):,} systems share the best {value}. {text}"
        has = "has" if len(equal) == 1 else "share"
        return f"{' and '.join(equal)} {has} the best {value}. {text}"

    def display(self, row: MetricComparison) -> MetricDisplay:
        """How the row's means and differences are shown."""
        return over_questions(self.metrics[row.metric], row.n)

    def change(self, row: MetricComparison) -> str:
        """The difference with its sign, or the ratio."""
        return change_text(self.display(row), row)

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
        systems = [*map(self.short, self.comparison.systems)]
        what = f"{systems[1]} against {systems[0]}" if self.is_single_pair else some(systems, 5)
        return f"{what} · {self.n_questions}"

    @property
    def header(self) -> tuple[str, ...]:
        numbers = ("change", "95 % interval", "p", "n", "+ = −")
        if self.is_single_pair:
            return ("metric", *map(self.short, self.comparison.systems), *numbers)
        return ("metric", "base", "candidate", "base mean", "mean", *numbers)

    @property
    def n_names(self) -> int:
        """How many columns are names, aligned left."""
        return 1 if self.is_single_pair else 3

    def cells(self, row: MetricComparison) -> tuple[str | Cell, ...]:
        """A row of the table. `n` is of how many questions, if some are not scored on both sides."""
        metric = self.display(row)
        pair = () if self.is_single_pair else (self.short(row.base), self.short(row.candidate))
        total = row.n + row.counts.unpaired
        return (
            self.name_of(metric),
            *pair,
            number(metric, row.base_mean),
            number(metric, row.candidate_mean),
            Cell(self.change(row), MARK if row.is_significant else ""),
            interval_text(metric, row),
            p_text(row.p_corrected).removeprefix("= "),
            f"{row.n:,}" if total == row.n else f"{row.n:,} of {total:,}",
            f"{row.wins:,} {row.ties:,} {row.losses:,}" if row.n else DASH,
        )

    @property
    def effects(self) -> Table:
        """The main effect of each varied setting on each metric; empty where none was varied."""
        rows = [
            (
                self.short(effect.setting),
                f"{self.short(effect.before)} → {self.short(effect.after)}",
                self.name_of(metric),
                change_text(metric, effect),
                interval_text(metric, effect),
                f"{effect.n:,}",
            )
            for effect in self.comparison.effects
            for metric in [over_questions(self.metrics[effect.metric], effect.n)]
        ]
        header = ("setting", "from → to", "metric", "difference", "95 % interval", "n")
        return Table(header, rows, 3, [(5,), (4,)], title=EFFECTS)

    @property
    def legend(self) -> str:
        """What was done: test, correction, and the intervals."""
        rows = self.comparison.rows
        if not self.comparison.n_tests:
            is_equal = any(row.p_value is not None for row in rows)
            return f"{'nothing differs' if is_equal else 'nothing was tested'}: {self.method}"
        found = any(row.is_significant for row in rows)
        mark = f"{MARK} significant difference" if found else "no significant difference"
        return f"{mark} (p < {LEVEL}): {self.method}"

    @property
    def method(self) -> str:
        """Test, correction, number of tests and questions, intervals and seed, for a caption."""
        comparison = self.comparison
        is_normal = any("normal" in row.test for row in comparison.rows)
        pieces = [TESTS[comparison.test] + (NORMAL if is_normal else "")]
        is_corrected = comparison.n_tests > 0 and comparison.correction != "none"
        if comparison.n_tests:
            n_tests = f" for {counted(comparison.n_tests, 'test')}" if is_corrected else ""
            pieces.append(f"{CORRECTIONS[comparison.correction]}{n_tests}")
        used = dict.fromkeys(row.interval_method for row in comparison.rows)
        if methods := [METHODS[method] for method in used if method is not None]:
            kind = "uncorrected 95 % intervals" if is_corrected else "95 % intervals"
            pieces.append(f"{kind} by {' and '.join(methods)}")
        pieces.append(f"seed {comparison.seed}")
        pieces += [f"clusters by {comparison.cluster}"] if comparison.cluster else []
        return ", ".join(pieces)


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


def change_text(metric: MetricDisplay, found: MetricComparison | SettingEffect) -> str:
    """The difference with its sign, or the ratio: `×1.52`."""
    return signed(metric, found.difference) if found.ratio is None else f"×{found.ratio:.2f}"


def interval_text(metric: MetricDisplay, found: MetricComparison | SettingEffect) -> str:
    """The interval of the same."""
    ends = (found.low, found.high) if found.ratio is None else (found.ratio_low, found.ratio_high)
    if None in ends:
        return DASH
    shown = [signed(metric, end) if found.ratio is None else f"×{end:.2f}" for end in ends]
    return f"[{', '.join(shown)}]"


def p_text(p: float | None) -> str:
    return DASH if p is None else "< 0.001" if p < 0.001 else f"= {p:.3f}"


def comparison_notes(view: ComparisonView) -> list[str]:
    """All notes, those on questions without a score first."""
    comparison, notes = view.comparison, list[str]()
    for row in comparison.overall:
        if row.unpaired:  # with the bounds of the difference with these questions
            counts = ((row.base, row.counts.base), (row.candidate, row.counts.candidate))
            sides = " and ".join(
                f"{view.short(name)} on {counted(n, 'question')}" for name, n in counts if n
            )
            ids = some([for_terminal(each.id) for each in row.unpaired], IDS_LISTED)
            text = f"{view.short(row.name)}: no score for {sides} ({ids})"
            if row.worst is not None and row.best is not None:
                metric = over_questions(view.metrics[row.metric], row.n + row.counts.unpaired)
                worst, best = (signed(metric, end) for end in (row.worst, row.best))
                text += f"; with these the change is {worst} to {best}"
            notes.append(text)
    by_note: dict[str, dict[str, None]] = {}
    for row in (row for row in comparison.rows if row.note):
        where = "" if row.field is None else f" ({row.field} = {row.value})"
        by_note.setdefault(row.note, {})[f"{view.short(row.name)}{where}"] = None
    notes += [f"{some(list(names), 4)}: {note}" for note, names in by_note.items()]
    rows = [row for row in comparison.overall if row.ratio is not None]
    for row in rows[:1]:
        first, *others = dict.fromkeys(view.short(each.name) for each in rows)
        text = f"{view.short(row.candidate)} takes {row.ratio:.2f} times what {view.short(row.base)} takes"
        if row.ratio_low is not None and row.ratio_high is not None:
            text += f" (95 % interval {row.ratio_low:.2f} to {row.ratio_high:.2f})"
        how = "the geometric mean of the questions' ratios, tested on logarithms"
        notes.append(f"{first}: {text}, {how}" + (f"; so too {some(others, 4)}" if others else ""))
    return [*notes, *_too_few(comparison, view.short(comparison.cluster or "")), *comparison.notes]


def _too_few(comparison: Comparison, field: str) -> Iterator[str]:
    """Whether clusters or draws are too few for a p below the level."""
    counts = [row.n_clusters for row in comparison.overall if row.p_value is not None]
    fewest = min((n for n in counts if n is not None), default=LEAST_CLUSTERS)
    if fewest < LEAST_CLUSTERS:
        is_drawn = comparison.test == "randomization"
        p = f"p cannot be below {2 / 2**fewest:.3g}" if is_drawn else "p is unsure"
        yield f"only {fewest} clusters by {field}: {p}; do not trust the interval"
    if problem := too_few_draws(comparison):
        enough = round(20 * comparison.n_tests / LEVEL, -3)
        yield f"{problem}; use --permutations {enough:.0f}, or compare fewer metrics, slices or pairs"
