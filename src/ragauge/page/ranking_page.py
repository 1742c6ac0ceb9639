"""The page of `ragauge rank`: the runs are its systems, the measures its metrics, the queries its questions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from ragauge.page.breakdowns import N_BINS, range_of
from ragauge.page.columns import NO_SCORE, STATUSES, ScoreColumn, json_bytes
from ragauge.page.page import write_parts
from ragauge.page.view import Cell, Fact, MetricView, Pair, Reason, RunView
from ragauge.rankings.hits import MEASURES
from ragauge.rankings.rank import RankingResult, RunComparison
from ragauge.rankings.tables import DASH, DIGITS, LEVEL

UNDEFINED = "the measure is undefined for this query"
OK, UNDEFINED_CODE = STATUSES.index("ok"), STATUSES.index("undefined")
METHOD = (
    "paired randomization tests, Holm-corrected over all pairs of runs, each measure by itself; "
    "95 % intervals by Student's t adjusted for skewness (ABC), Wilson's of shares"
)


def write_ranking_page(ranked: RankingResult, path: Path) -> None:
    """Write the page of scored runs as one HTML file; errors as in `write_page`."""
    write_parts([RankingPage(ranked)], path)


@dataclass(frozen=True, eq=False)
class RankingPage:
    """The view and the chunks of scored runs; the first measure orders the runs, the best first."""

    ranked: RankingResult
    finished: str = ""

    @cached_property
    def runs(self) -> tuple[str, ...]:
        """The runs, the best one first."""
        ranked = self.ranked
        first = MEASURES[ranked.measures[0].label.name]
        sign = 1 if first.lower_is_better else -1
        means = {run: ranked.mean(ranked.names[0], run) for run in ranked.runs}
        keys = {run: (mean is None, sign * (mean or 0.0)) for run, mean in means.items()}
        return tuple(sorted(ranked.runs, key=keys.__getitem__))

    @cached_property
    def order(self) -> list[int]:
        """The positions of `runs` in the result."""
        return [self.ranked.runs.index(run) for run in self.runs]

    @cached_property
    def shown(self) -> tuple[int, ...]:
        """The measures with values per query, or a mean."""
        asked = enumerate(self.ranked.measures)
        return tuple(at for at, measure in asked if measure.label.name != "num_q")

    @cached_property
    def compared(self) -> tuple[RunComparison, ...]:
        return self.ranked.compare() if len(self.runs) > 1 else ()

    @cached_property
    def queries(self) -> list[int]:
        """The queries that count for some run, by name."""
        by_name = self.ranked.by_name
        return by_name[self.ranked.is_counted[:, by_name].any(axis=0)].tolist()

    def view(self) -> RunView:
        ranked = self.ranked
        rules: list[str] = []
        if any(summary.n_undefined for summary in ranked.summaries):
            rule = "count as 0 in the means" if ranked.undefined == "zero" else "are left out"
            rules.append(f"queries for which a measure is undefined {rule}")
        return RunView(
            title=Path(ranked.judgements.source).name,
            headline=self._headline(),
            suite="rankings",
            of="rankings",
            n_questions=len(self.queries),
            n_answers=int(ranked.is_present.sum()),
            systems=self.runs,
            families={},
            facts=(
                Fact("judgements", ranked.judgements.source),
                Fact("queries", f"{len(self.queries):,}"),
                Fact("seed", str(ranked.seed)),
            ),
            notes=(*rules, *ranked.notes),
            metrics=tuple(self._metric(place, at) for place, at in enumerate(self.shown)),
            prompts={},
            method=METHOD if self.compared else "",
            mark="differs from the best run",
            statuses=STATUSES,
            n_columns=len(self.shown),
            blocks=(0,),
            has_evidence=False,
        )

    def columns(self) -> Mapping[str, Callable[[], bytes]]:
        ranked = self.ranked
        names = [ranked.judgements.queries[query] for query in self.queries]
        absent = np.flatnonzero(~ranked.is_counted[self.order][:, self.queries].T.ravel()).tolist()
        made = {f"0.score.{at}": self._column(of).to_bytes for at, of in enumerate(self.shown)}
        return {"0.ids": lambda: json_bytes({"ids": names, "absent": absent}), **made}

    def blocks(self) -> Mapping[str, Callable[[], bytes]]:
        """Each query with how many documents are judged and relevant."""
        judgements, counted = self.ranked.judgements, self.ranked.is_counted[self.order]
        n = judgements.n_queries
        judged = np.bincount(judgements.query, minlength=n).tolist()
        relevant = np.bincount(judgements.query[judgements.grade >= 1], minlength=n).tolist()
        empty: dict[str, object] = {"fields": {}, "evidence": ()}
        questions = [
            {
                "shared": {"relevant documents": relevant[at], "judged documents": judged[at]},
                "answers": [{"s": s, **empty} for s in np.flatnonzero(counted[:, at]).tolist()],
            }
            for at in self.queries
        ]
        return {"0.block.0": lambda: json_bytes(questions)}

    def _column(self, at: int) -> ScoreColumn:
        """The measure's values, with 0 where the run has no result for a query that counts."""
        values = self.ranked.values[self.order, at][:, self.queries].T.copy()
        undefined = self.ranked.is_undefined[self.order, at][:, self.queries].T
        counted = self.ranked.is_counted[self.order][:, self.queries].T
        statuses = np.where(undefined, UNDEFINED_CODE, OK).astype(np.uint8)
        statuses[~counted] = NO_SCORE
        values[undefined | ~counted] = np.nan
        reasons = (undefined & counted).astype(np.uint16)
        return ScoreColumn(values, statuses, reasons, {UNDEFINED: 1})

    def _metric(self, place: int, at: int) -> MetricView:
        ranked, name = self.ranked, self.ranked.names[at]
        measure = MEASURES[ranked.measures[at].label.name]
        is_count = ranked.is_count(name)
        values = self._column(at).values
        known = values[~np.isnan(values)]
        ends = [float(known.min(initial=0.0)), float(known.max(initial=0.0))]
        range_ = range_of(measure.low, measure.high, ends)
        compared = [each for each in self.compared if each.measure == name]
        apart = {frozenset((each.run, each.baseline)) for each in compared if each.p_holm < LEVEL}
        summaries = {each.run: each for each in ranked.summaries if each.measure == name}
        cells: list[Cell] = []
        for s, run in enumerate(self.runs):
            summary, own = summaries[run], values[:, s]
            low, high, n_undefined = summary.low, summary.high, summary.n_undefined
            has_interval = low is not None and high is not None
            n = int(ranked.is_counted[self.order[s]].sum())
            bins = np.histogram(own[~np.isnan(own)], bins=N_BINS, range=range_)[0]
            cell = Cell(
                shown=_number(summary.value, is_count=is_count),
                interval=f"{low:.{DIGITS}f}–{high:.{DIGITS}f}" if has_interval else "",
                bounds="",
                mean=None if is_count else summary.value,
                low=low,
                high=high,
                n=n,
                ok=n - n_undefined,
                differs=frozenset((run, self.runs[0])) in apart,
                reasons=(Reason("undefined", UNDEFINED, n_undefined),) if n_undefined else (),
                bins=tuple(bins.tolist()),
            )
            cells.append(cell)
        pairs: list[Pair] = []
        for each in compared:
            test = each.comparison
            means = ranked.common_means(name, each.baseline, each.run)
            base_shown, other_shown = (_number(mean, is_count=False) for mean in means)
            base, other = self.runs.index(each.baseline), self.runs.index(each.run)
            found = (test.difference, test.low, test.high, each.p_holm, test.n)
            pairs.append(Pair(base, other, base_shown, other_shown, *found))
        return MetricView(
            label=name,
            name=name,
            version=measure.version,
            lower_is_better=measure.lower_is_better,
            is_ranked=not is_count,
            is_count=is_count,
            digits=0 if is_count else DIGITS,
            range=range_,
            is_bounded=measure.low is not None and measure.high is not None,
            cells=tuple(cells),
            pairs=tuple(pairs),
            column=place,
        )

    def _headline(self) -> str:
        """The best run by the first measure, and whether it is beyond chance."""
        ranked, measure = self.ranked, self.ranked.names[0]
        is_count = ranked.is_count(measure)
        shown = [_number(ranked.mean(measure, run), is_count=is_count) for run in self.runs]
        if len(self.runs) == 1:
            return f"{self.runs[0]}: {measure} {shown[0]}."
        best, second = self.runs[:2]
        text = f"{measure} {shown[0]}, next {second} {shown[1]}"
        for each in self.compared:
            if each.measure == measure and {each.run, each.baseline} == {best, second}:
                p = "p < 0.001" if each.p_holm < 0.001 else f"p = {each.p_holm:.3f}"
                size, n = f"{abs(each.comparison.difference):.{DIGITS}f}", each.comparison.n
                is_sure = each.p_holm < LEVEL
                verb, sure = ("best", "is beyond") if is_sure else ("ahead", "may be")
                how = f"The difference of {size} {sure} chance ({p}, {n:,} queries)."
                return f"{best} is {verb}: {text}. {how}"
        return f"{best} has the best {text}."


def _number(value: float | None, *, is_count: bool) -> str:
    if value is None:
        return DASH
    return f"{value:,.0f}" if is_count else f"{value:.{DIGITS}f}"
