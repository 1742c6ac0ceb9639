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
    def is_every_pair(self) -> bool:
        pairs = self.view.comparison.pairs
        return len({base for base, _ in pairs}) > 1

    @cached_property
    def letters(self) -> Mapping[str, str]:
        """The letter of each system; numbers behind the first 26."""
        names = self.view.comparison.systems
        if not self.is_every_pair:
            return {}
        return {
            name: ascii_lowercase[at] if at < len(ascii_lowercase) else f"{at + 1},"
            for at, name in enumerate(names)
        }

    @cached_property
    def table(self) -> Table:
        """All systems, for a file."""
        names = self.view.comparison.systems
        named = [f"{name} ({self.letters[name]})" if self.letters else name for name in names]
        return Table(
            ("metric", *named, "n"),
            self._rows,
            title="" if self.field is None else f"{self.field} = {self.value}",
            caption=self.caption,
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
        places = list(range(len(self.view.comparison.systems)))
        if len(places) <= n or not self.view.metrics:
            return places[:n]
        first = next(iter(self.view.metrics.values()))
        sign = 1 if first.lower_is_better else -1
        means = {
            mean.system: sign * mean.mean
            for mean in self.view.comparison.means
            if mean.metric == first.metric and mean.field is None and mean.mean is not None
        }
        names = self.view.comparison.systems
        best = sorted(places[1:], key=lambda at: means.get(names[at], float("inf")))
        return [0, *best[: n - 1]]

    @property
    def _rows(self) -> Sequence[Sequence[str | Cell]]:
        """Name, cells and number of questions of each metric."""
        means = {
            (mean.metric, mean.system): mean
            for mean in self.view.comparison.means
            if (mean.field, mean.value) == (self.field, self.value)
        }
        rows: list[Sequence[str | Cell]] = []
        for metric in self.view.metrics.values():
            own = [means[metric.metric, name] for name in self.view.comparison.systems]
            display = over_questions(metric, own[0].n)
            shown = [number(display, mean.mean) for mean in own]
            best = self._best(display, [mean.mean for mean in own])
            cells = [
                Cell(text, self._marks(metric, mean.system), text == best and text != DASH)
                for mean, text in zip(own, shown, strict=True)
            ]
            rows.append((self.view.name_of(metric), *cells, f"{own[0].n:,}"))
        return rows

    def _best(self, metric: MetricDisplay, means: Sequence[float | None]) -> str | None:
        """The best mean as it is shown, so that equal texts are equally good."""
        known = [mean for mean in means if mean is not None]
        if not known or not metric.is_ranked:
            return None
        return number(metric, min(known) if metric.lower_is_better else max(known))

    def _marks(self, metric: MetricDisplay, system: str) -> str:
        marks: list[str] = []
        for row in self.view.comparison.rows:
            is_own = (row.metric, row.field, row.value) == (metric.metric, self.field, self.value)
            if not is_own or not row.is_significant:
                continue
            if not self.is_every_pair:
                marks += [MARK] if row.candidate == system else []
            elif row.verdict == "better" and row.candidate == system:
                marks.append(self.letters[row.base])
            elif row.verdict == "worse" and row.base == system:
                marks.append(self.letters[row.candidate])
        return "".join(marks)

    @property
    def legend(self) -> str:
        """What the marks mean."""
        if self.is_every_pair:
            what = "Letters: significantly better than the systems with these letters"
        else:
            what = f"{MARK} differs from {self.view.comparison.systems[0]}"
        return f"{what}, p < {LEVEL}"

    @property
    def caption(self) -> str:
        """What the table holds, and how it was tested."""
        n = self.view.n_questions
        where = "" if self.field is None else f" with {self.field} = {self.value}"
        best = "; the best in bold" if self.view.comparison.systems[1:] else ""
        return f"Means on {n}{where}{best}. {self.legend}: {self.view.method}."
