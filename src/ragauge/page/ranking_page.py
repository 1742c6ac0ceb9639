"""The page of `ragauge rank`: the runs are its systems, the measures its metrics, the queries its questions."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from ragauge.page.distributions import N_BINS, range_of
from ragauge.page.page import write_parts
from ragauge.page.score_columns import NO_SCORE, STATUSES, ScoreColumn
from ragauge.page.view import Cell, Fact, MetricView, Pair, Reason, RunView
from ragauge.rankings.arrays import Floats
from ragauge.rankings.measure import MEASURES, Measure
from ragauge.rankings.result import RankingResult, RunComparison, Summary
from ragauge.rankings.tables import DASH, DIGITS, LEVEL

UNDEFINED = "the measure is undefined for this query"
OK, UNDEFINED_CODE = STATUSES.index("ok"), STATUSES.index("undefined")


def write_ranking_page(ranked: RankingResult, path: Path) -> None:
    """Write the page of scored runs as one HTML file; errors as in `write_page`."""
    write_parts([RankingPage(ranked)], path)


@dataclass(frozen=True, eq=False)
class RankingPage:
    """The view and the chunks of scored runs; the first measure orders the runs, the best first."""

    ranked: RankingResult

    @property
    def finished(self) -> str:
        return ""

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The runs, the best one first."""
        first = self.ranked.names[0]
        means = [self.ranked.mean(first, run) for run in self.ranked.runs]
        sign = 1 if self._measure(0).lower_is_better else -1
        keys = [(mean is None, sign * (mean or 0.0)) for mean in means]
        return tuple(sorted(range(len(means)), key=keys.__getitem__))

    @cached_property
    def shown(self) -> tuple[int, ...]:
        """The measures with values per query, or a mean."""
        return tuple(
            at for at, asked in enumerate(self.ranked.measures) if asked.label.name != "num_q"
        )

    @cached_property
    def compared(self) -> tuple[RunComparison, ...]:
        return self.ranked.compare() if len(self.ranked.runs) > 1 else ()

    def _measure(self, at: int) -> Measure:
        return MEASURES[self.ranked.measures[at].label.name]

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
            asked="",
            n_answers=int(ranked.is_present.sum()),
            systems=tuple(ranked.runs[at] for at in self.order),
            families={},
            facts=(
                Fact("judgements", ranked.judgements.source),
                Fact("queries", f"{len(self.queries):,}"),
                Fact("seed", str(ranked.seed)),
            ),
            problems=(),
            notes=(*rules, *ranked.notes),
            metrics=tuple(self._metric(place, at) for place, at in enumerate(self.shown)),
            prompts={},
            method="paired randomization tests, Holm-corrected over all pairs of runs, each measure by itself; "
            "95 % intervals by Student's t adjusted for skewness (ABC), Wilson's of shares"
            if self.compared
            else "",
            mark="differs from the best run",
            compared_with=None,
            slices=(),
            findings=(),
            worst=(),
            fields=(),
            statuses=STATUSES,
            n_columns=len(self.shown),
            blocks=(0,),
            has_evidence=False,
        )

    @cached_property
    def queries(self) -> list[int]:
        """The queries that count for some run, by name."""
        by_name = self.ranked.by_name
        return by_name[self.ranked.is_counted[:, by_name].any(axis=0)].tolist()

    def columns(self) -> Mapping[str, Callable[[], bytes]]:
        made: dict[str, Callable[[], bytes]] = {"0.ids": self._ids}
        for place, at in enumerate(self.shown):
            made[f"0.score.{place}"] = self._column(at).to_bytes
        return made

    def blocks(self) -> Mapping[str, Callable[[], bytes]]:
        return {"0.block.0": self._block}

    def _ids(self) -> bytes:
        names = [self.ranked.judgements.queries[query] for query in self.queries]
        counted = self.ranked.is_counted[list(self.order)][:, self.queries].T.ravel()
        return _json({"ids": names, "absent": np.flatnonzero(~counted).tolist()})

    def _block(self) -> bytes:
        """Each query with how many documents are judged and relevant."""
        judgements = self.ranked.judgements
        n = len(judgements.queries)
        judged = np.bincount(judgements.query, minlength=n)
        relevant = np.bincount(judgements.query[judgements.grade >= 1], minlength=n)
        counted = self.ranked.is_counted[list(self.order)]
        empty: dict[str, object] = {}
        return _json(
            [
                {
                    "shared": {
                        "relevant documents": int(relevant[query]),
                        "judged documents": int(judged[query]),
                    },
                    "answers": [
                        {"s": s, "fields": empty, "evidence": ()}
                        for s in np.flatnonzero(counted[:, query]).tolist()
                    ],
                }
                for query in self.queries
            ]
        )

    def _column(self, at: int) -> ScoreColumn:
        """The measure's values, with 0 where the run has no result for a query that counts."""
        order = list(self.order)
        values = self.ranked.values[order, at][:, self.queries].T.copy()
        undefined = self.ranked.is_undefined[order, at][:, self.queries].T
        counted = self.ranked.is_counted[order][:, self.queries].T
        statuses = np.where(undefined, UNDEFINED_CODE, OK).astype(np.uint8)
        statuses[~counted] = NO_SCORE
        values[undefined | ~counted] = np.nan
        return ScoreColumn(values, statuses, (undefined & counted).astype(np.uint16), (UNDEFINED,))

    def _metric(self, place: int, at: int) -> MetricView:
        measure, name = self._measure(at), self.ranked.names[at]
        column = self._column(at)
        values = column.values[~np.isnan(column.values)]
        range_ = range_of(
            measure.low,
            measure.high,
            [float(values.min(initial=0.0)), float(values.max(initial=0.0))],
        )
        return MetricView(
            label=name,
            name=name,
            family="",
            version=measure.version,
            lower_is_better=measure.lower_is_better,
            is_ranked=not self.ranked.is_count(name),
            is_count=self.ranked.is_count(name),
            scale=1.0,
            digits=0 if self.ranked.is_count(name) else DIGITS,
            range=range_,
            is_bounded=measure.low is not None and measure.high is not None,
            cells=tuple(
                self._cell(at, run, column.values[:, s], range_) for s, run in enumerate(self.order)
            ),
            pairs=tuple(self._pairs(name)),
            cautions=(),
            unavailable="",
            column=place,
        )

    def _cell(self, at: int, run: int, values: Floats, range_: tuple[float, float]) -> Cell:
        summary = self._summaries[self.ranked.runs[run], self.ranked.names[at]]
        is_count = self.ranked.is_count(summary.measure)
        n_undefined = summary.n_undefined
        n_all = int(self.ranked.is_counted[run].sum())
        best = self.ranked.runs[self.order[0]]
        return Cell(
            shown=_number(summary.value, is_count=is_count),
            interval=""
            if summary.low is None or summary.high is None
            else f"{summary.low:.{DIGITS}f}–{summary.high:.{DIGITS}f}",
            bounds="",
            mean=None if is_count else summary.value,
            low=summary.low,
            high=summary.high,
            n=n_all,
            ok=n_all - n_undefined,
            differs=any(
                each.p_holm < LEVEL
                for each in self.compared
                if each.measure == summary.measure
                and {each.run, each.baseline} == {best, summary.run}
            ),
            reasons=(Reason("undefined", UNDEFINED, n_undefined),) if n_undefined else (),
            bins=tuple(
                np.histogram(values[~np.isnan(values)], bins=N_BINS, range=range_)[0].tolist()
            ),
        )

    @cached_property
    def _summaries(self) -> Mapping[tuple[str, str], Summary]:
        return {(each.run, each.measure): each for each in self.ranked.summaries}

    def _pairs(self, measure: str) -> Iterator[Pair]:
        systems = [self.ranked.runs[at] for at in self.order]
        for each in self.compared:
            if each.measure == measure:
                test = each.comparison
                base, other = self.ranked.common_means(measure, each.baseline, each.run)
                yield Pair(
                    systems.index(each.baseline),
                    systems.index(each.run),
                    _number(base, is_count=False),
                    _number(other, is_count=False),
                    test.difference,
                    test.low,
                    test.high,
                    each.p_holm,
                    test.n,
                )

    def _headline(self) -> str:
        """The best run by the first measure, and whether it is beyond chance."""
        measure = self.ranked.names[0]
        best, *others = (self.ranked.runs[at] for at in self.order)
        ahead = f"{measure} {self._mean(best)}"
        if not others:
            return f"{best}: {ahead}."
        second = others[0]
        found = next(
            (
                each
                for each in self.compared
                if each.measure == measure and {each.run, each.baseline} == {best, second}
            ),
            None,
        )
        text = f"{ahead}, next {second} {self._mean(second)}"
        if found is None:
            return f"{best} has the best {text}."
        p = "p < 0.001" if found.p_holm < 0.001 else f"p = {found.p_holm:.3f}"
        size = f"{abs(found.comparison.difference):.{DIGITS}f}"
        is_significant = found.p_holm < LEVEL
        sure = "is beyond chance" if is_significant else "may be chance"
        verb = "is best" if is_significant else "is ahead"
        n = found.comparison.n
        return f"{best} {verb}: {text}. The difference of {size} {sure} ({p}, {n:,} queries)."

    def _mean(self, run: str) -> str:
        summary = self._summaries[run, self.ranked.names[0]]
        return _number(summary.value, is_count=self.ranked.is_count(summary.measure))


def _number(value: float | None, *, is_count: bool) -> str:
    if value is None:
        return DASH
    return f"{value:,.0f}" if is_count else f"{value:.{DIGITS}f}"


def _json(value: object) -> bytes:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace")
