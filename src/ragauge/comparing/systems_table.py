"""Compared systems side by side: a column for each, the best marked, and who differs from whom."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from string import ascii_lowercase

from ragauge.comparing.comparison import LEVEL
from ragauge.comparing.words import ComparisonView, over_questions
from ragauge.report.report import MARK, Cell, Table
from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.numbers import DASH, number

SYSTEMS_SHOWN = 5
"""Most systems that a terminal shows side by side."""


@dataclass(frozen=True)
class SystemsTable:
    """A row for each metric, a cell for each system, on the questions that all systems have scored.

    Compared with one base, `*` marks a system that differs from it. If every pair was compared, each
    system has a letter, and a cell has the letters of the systems that it is significantly better than.
    """

    view: ComparisonView
    field: str | None = None
    value: str | None = None

    @cached_property
    def letters(self) -> Mapping[str, str]:
        """The letter of each system; numbers behind the first 26. None if all are compared with one base."""
        comparison = self.view.comparison
        if len({base for base, _ in comparison.pairs}) <= 1:
            return {}
        n = len(comparison.systems)
        names = (*ascii_lowercase, *(f"{at + 1}," for at in range(len(ascii_lowercase), n)))
        return dict(zip(comparison.systems, names, strict=False))

    @cached_property
    def table(self) -> Table:
        """All systems, for a file."""
        names = self.view.comparison.systems
        named = [f"{name} ({self.letters[name]})" if self.letters else name for name in names]
        where = "" if self.field is None else f"{self.field} = {self.value}"
        best = "; the best in bold" if names[1:] else ""
        means = f"Means on {self.view.n_questions}{where and f' with {where}'}{best}"
        return Table(
            ("metric", *named, "n"),
            list(map(self._row, self.view.metrics.values())),
            title=where,
            caption=f"{means}. {self.legend}: {self.view.method}.",
            legend=(self.legend,),
        )

    @property
    def brief(self) -> Table:
        """The base and the systems that are best on the first metric, as many as a terminal has room for."""
        layouts = product(range(SYSTEMS_SHOWN, 0, -1), (3, 1))
        widest, *narrower = [self._leading(n, gap) for n, gap in layouts]
        return replace(widest, narrower=narrower)

    def _leading(self, n: int, gap: int) -> Table:
        """The table of n systems; how many others there are, in a column without cells."""
        table, places = self.table, self.leading(n)
        n_more = len(self.view.comparison.systems) - len(places)
        more = [f"… {n_more} more"] if n_more else []
        names = [self.view.short(table.header[at + 1]) for at in places]
        rows = [
            (row[0], *(row[at + 1] for at in places), *("" for _ in more), row[-1])
            for row in table.rows
        ]
        return replace(table, header=("metric", *names, *more, "n"), rows=rows, gap=gap)

    def leading(self, n: int) -> Sequence[int]:
        """The places of the base and of the systems that are best on the first metric, n in all."""
        names = self.view.comparison.systems
        places = list(range(len(names)))
        first = next(iter(self.view.metrics.values()), None)
        if len(places) <= n or first is None:
            return places[:n]
        sign = 1 if first.lower_is_better else -1
        means = {
            mean.system: sign * mean.mean
            for mean in self.view.comparison.means
            if mean.metric == first.metric and mean.field is None and mean.mean is not None
        }
        best = sorted(places[1:], key=lambda at: means.get(names[at], float("inf")))
        return [0, *best[: n - 1]]

    def _row(self, metric: MetricDisplay) -> Sequence[str | Cell]:
        """Name, cells and number of questions of a metric; texts equal to the best are equally good."""
        own = (metric.metric, self.field, self.value)
        means = {
            mean.system: mean
            for mean in self.view.comparison.means
            if (mean.metric, mean.field, mean.value) == own
        }
        systems = self.view.comparison.systems
        n = means[systems[0]].n
        display = over_questions(metric, n)
        known = [mean.mean for mean in means.values() if mean.mean is not None]
        best = DASH
        if known and metric.is_ranked:
            best = number(display, min(known) if metric.lower_is_better else max(known))
        cells = [
            Cell(text, self._marks(own, system), is_best=text == best != DASH)
            for system in systems
            for text in [number(display, means[system].mean)]
        ]
        return (self.view.name_of(metric), *cells, f"{n:,}")

    def _marks(self, own: tuple[str, str | None, str | None], system: str) -> str:
        marks: list[str] = []
        for row in self.view.comparison.rows:
            if (row.metric, row.field, row.value) != own or not row.is_significant:
                continue
            if not self.letters:
                marks += [MARK] if row.candidate == system else []
            elif row.verdict == "better" and row.candidate == system:
                marks.append(self.letters[row.base])
            elif row.verdict == "worse" and row.base == system:
                marks.append(self.letters[row.candidate])
        return "".join(marks)

    @property
    def legend(self) -> str:
        """What the marks mean."""
        what = f"{MARK} differs from {self.view.comparison.systems[0]}"
        if self.letters:
            what = "Letters: significantly better than the systems with these letters"
        return f"{what}, p < {LEVEL}"
