"""Scored runs as a report, and in trec_eval's format."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, astuple, dataclass, replace
from functools import cached_property

from ragauge.rankings.result import RankingResult, RunComparison, Summary
from ragauge.report.plain import some
from ragauge.report.report import Cell, Items, Records, Report, Table

LEVEL = 0.05
"""Significance level: a difference with a smaller p value is marked."""
MARK = "*"
DIGITS = 4
PRECISE_DIGITS = 10
"""Digits in trec_eval's format: more than its four, so that small differences show."""
DASH = "–"
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
RUNS_NAMED, MEASURES_NAMED = 5, 8
"""Most runs and measures that a note names; the others are counted."""


@dataclass(frozen=True, eq=False)
class RankingTable:
    """Formatted ranking scores as tables.

    Each further run is compared with the first and marked if it differs significantly. With
    `all_pairs`, `compared` holds every pair of runs.
    """

    ranked: RankingResult
    all_pairs: bool = False

    @cached_property
    def title(self) -> str:
        judgements = self.ranked.judgements
        n, n_runs = _queries(judgements.n_queries, "judged "), len(self.ranked.runs)
        return f"{judgements.source} · {n} · {n_runs} run{'s' * (n_runs != 1)}"

    @cached_property
    def means(self) -> Table:
        """A row per run; a narrow terminal has one per run and measure, with its interval."""
        by_run: dict[str, list[Summary]] = {}
        for summary in self.ranked.summaries:
            by_run.setdefault(summary.run, []).append(summary)
        n_queries = self.ranked.is_counted.sum(axis=1).tolist()
        rows = [
            (run, f"{n:,}", *(self._cell(summary) + self._mark(summary) for summary in row))
            for (run, row), n in zip(by_run.items(), n_queries, strict=True)
        ]
        each_measure = [
            (
                row.run,
                row.measure,
                self._value(row) + self._mark(row),
                _interval(row.low, row.high),
                f"{row.n:,}",
            )
            for row in self.ranked.summaries
        ]
        header = ("run", "measure", "value", "95 % interval", "queries")
        return Table(
            ("run", "queries", *self.ranked.names),
            rows,
            small_print=self.legend,
            narrower=[Table(header, each_measure, n_names=len(header))],
        )

    @property
    def marked_means(self) -> Table:
        """The means with the best of each measure marked, where there are several runs."""
        columns = list(zip(*self.means.texts, strict=True))
        marked: list[Sequence[str | Cell]] = [*columns[:2]]
        for measure, cells in zip(self.ranked.names, columns[2:], strict=True):
            means = [self.ranked.mean(measure, run) for run in self.ranked.runs]
            known = [mean for mean in means if mean is not None]
            is_ranked = len(means) > 1 and not self.ranked.is_count(measure)
            best = max(known, default=None) if is_ranked else None
            marked.append(
                [
                    Cell(cell, is_best=mean is not None and mean == best)
                    for cell, mean in zip(cells, means, strict=True)
                ]
            )
        return replace(self.means, rows=list(zip(*marked, strict=True)))

    @property
    def queries(self) -> Table:
        """A row per query and run."""
        names = [name for name in self.ranked.names if not self.ranked.is_whole_only(name)]
        return Table(("query", "run", *names), list(self._query_rows(names)))

    def _query_rows(self, names: Sequence[str]) -> Iterator[tuple[str, ...]]:
        ranked = self.ranked
        measures = [at for at, name in enumerate(ranked.names) if name in names]
        counts = [ranked.is_count(name) for name in names]
        for query in ranked.by_name:
            for at, run in enumerate(ranked.runs):
                if ranked.is_counted[at, query]:
                    undefined = ranked.is_undefined[at, measures, query]
                    values = ranked.values[at, measures, query]
                    cells = zip(undefined.tolist(), values.tolist(), strict=True)
                    shown = (
                        DASH if absent else _number(value, is_count=is_count)
                        for (absent, value), is_count in zip(cells, counts, strict=True)
                    )
                    yield (ranked.judgements.queries[query], run, *shown)

    @cached_property
    def with_first(self) -> tuple[RunComparison, ...]:
        """Each further run compared with the first; empty for a single run."""
        if len(self.ranked.runs) < 2:
            return ()
        return self.ranked.compare(self.ranked.runs[0])

    @cached_property
    def compared(self) -> tuple[RunComparison, ...]:
        return self.ranked.compare() if self.all_pairs else ()

    @property
    def pairs(self) -> Table:
        """A row per measure and pair of runs."""
        header = ("measure", "run", "against", "difference", "95 % interval", "p", "p (Holm)", "n")
        rows = [
            (
                pair.measure,
                pair.run,
                pair.baseline,
                f"{pair.comparison.difference:+z.{DIGITS}f}",
                _interval(pair.comparison.low, pair.comparison.high),
                _p(pair.comparison.p_value),
                _p(pair.p_holm) + (MARK if pair.p_holm < LEVEL else ""),
                f"{pair.comparison.n:,}",
            )
            for pair in self.compared
        ]
        return Table(header, rows)

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Notes on how the files were read and on queries without a value or left out."""
        return (*self.ranked.notes, *self._absences())

    def _absences(self) -> Iterator[str]:
        ranked = self.ranked
        how = "counted as 0" if ranked.undefined == "zero" else "left out"
        without: dict[tuple[int, tuple[str, ...]], list[str]] = {}
        for at, run in enumerate(ranked.runs):
            absent: dict[int, list[str]] = {}
            for measure, name in enumerate(ranked.names):
                if n := ranked.n_undefined(at, measure):
                    absent.setdefault(n, []).append(name)
            for n, names in absent.items():
                without.setdefault((n, tuple(names)), []).append(run)
        for (n, names), runs in without.items():
            text = f"{_queries(n)} without a value, {how}: {some(names, MEASURES_NAMED)}"
            yield f"{some(runs, RUNS_NAMED)}: {text}"
        left_out: dict[str, list[str]] = {}
        for run, n, is_counted in zip(
            ranked.runs, ranked.n_unjudged_queries, ranked.is_counted, strict=True
        ):
            if n:
                left_out.setdefault(f"{_queries(n, 'unjudged ')} left out", []).append(run)
            if missing := int((~is_counted).sum()):
                text = (
                    f"no results for {_queries(missing, 'judged ')}, left out; --complete counts "
                )
                text += "it as 0" if missing == 1 else "them as 0"
                left_out.setdefault(text, []).append(run)
        for text, runs in left_out.items():
            yield f"{some(runs, RUNS_NAMED)}: {text}"

    @cached_property
    def legend(self) -> str:
        """What the mark means; empty if no runs are compared."""
        pairs = {(pair.run, pair.baseline) for pair in self._tested}
        if not pairs:
            return ""
        first = self.ranked.runs[0]
        corrected = f", Holm-corrected for {len(pairs)} pairs" if len(pairs) > 1 else ""
        differs = f"{MARK} differs" if self._marked else "no run differs"
        return (
            f"{differs} significantly from {first} (p < {LEVEL}): paired randomization test for each "
            f"measure over the queries of both runs{corrected}"
        )

    @property
    def _tested(self) -> tuple[RunComparison, ...]:
        return self.compared or self.with_first

    @cached_property
    def _marked(self) -> frozenset[tuple[str, str]]:
        first = self.ranked.runs[0]
        return frozenset(
            (pair.run, pair.measure)
            for pair in self._tested
            if pair.baseline == first and pair.p_holm < LEVEL
        )

    def _mark(self, summary: Summary) -> str:
        return f" {MARK}" if (summary.run, summary.measure) in self._marked else ""

    def _value(self, summary: Summary) -> str:
        if summary.value is None:
            return DASH
        return _number(summary.value, is_count=self.ranked.is_count(summary.measure))

    def _cell(self, summary: Summary) -> str:
        if summary.value is None or summary.low is None or summary.high is None:
            return self._value(summary)
        return f"{self._value(summary)} {_interval(summary.low, summary.high)}"


def _queries(n: int, kind: str = "") -> str:
    return f"{n:,} {kind}{'query' if n == 1 else 'queries'}"


def _number(value: float, *, is_count: bool) -> str:
    return f"{value:.0f}" if is_count else f"{value:z.{DIGITS}f}"


def _interval(low: float | None, high: float | None) -> str:
    # `z` avoids a minus sign before a bound that rounds to 0.
    return DASH if low is None or high is None else f"[{low:z.{DIGITS}f}, {high:z.{DIGITS}f}]"


def _p(p: float) -> str:
    return f"{p:.{DIGITS}f}"


def ranking_report(table: RankingTable, form: str, *, per_query: bool = False) -> Report:
    """What a format has: the means, with `per_query` the values of each query, and the comparisons of all pairs.

    CSV and JSON have numbers that are not rounded; tables for them, and their intervals, are not made.
    """
    if form in ("csv", "json"):
        return Report(
            "",
            records=lambda: _records(table.ranked, per_query=per_query),
            data=lambda: _data(table, per_query=per_query),
        )
    is_terminal = form == "table"
    tables = [table.means if is_terminal or form == "md" else table.marked_means]
    if per_query:
        tables.insert(not is_terminal, table.queries)
    if table.compared:
        tables.append(table.pairs)
    tables = [replace(each, caption=table.title) for each in tables]
    tables[0] = replace(tables[0], title=table.title, level=2)
    if not is_terminal:
        return Report("", tables=tables, legend=table.legend, notes=table.notes)
    # The notes are for standard error.
    legend = [Items.of_texts("", [table.legend])] if table.legend else []
    tables = [replace(each, n_names=len(each.header), is_cut=False) for each in tables]
    return Report("", tables=tables, items=legend, most_lines=0)


def to_tsv(ranked: RankingResult, *, per_query: bool) -> str:
    """trec_eval's format: `measure<TAB>query<TAB>value`; the mean has the query `all`.

    With several runs, each begins with a line `runid<TAB>all<TAB>its name`. Values have ten
    decimals, counts none. As in trec_eval, query counts and geometric means have no lines per query,
    and a query without results has no line even if it counts as 0. An undefined value is written
    as 0 or left out, as `undefined` says.
    """
    pieces: list[str] = []
    for at, run in enumerate(ranked.runs):
        if len(ranked.runs) > 1:
            pieces.append(f"runid\tall\t{_plain(run)}\n")
        if per_query:
            pieces += _query_lines(ranked, at)
        for measure in ranked.names:
            value = ranked.mean(measure, run)
            if value is not None:
                pieces.append(f"{measure}\tall\t{value:{_form(ranked, measure)}}\n")
    return "".join(pieces)


def _query_lines(ranked: RankingResult, run: int) -> Iterator[str]:
    names = [_plain(name) for name in ranked.judgements.queries]
    columns = [
        (measure, ranked.values[run, at].tolist(), ranked.is_undefined[run, at].tolist(), form)
        for at, measure in enumerate(ranked.names)
        if not ranked.is_whole_only(measure)
        for form in [_form(ranked, measure)]
    ]
    leaves_out = ranked.undefined == "leave_out"
    is_present = ranked.is_present[run].tolist()
    for query in ranked.queries_of(run):
        if is_present[query]:
            for measure, values, is_undefined, form in columns:
                if not (leaves_out and is_undefined[query]):
                    yield f"{measure}\t{names[query]}\t{values[query]:{form}}\n"


def _plain(name: str) -> str:
    """The name unchanged, so that files can be joined on it; only control characters are escaped."""
    return CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", name)


def _form(ranked: RankingResult, measure: str) -> str:
    return ".0f" if ranked.is_count(measure) else f".{PRECISE_DIGITS}f"


def _records(ranked: RankingResult, *, per_query: bool) -> Records:
    """One line per run and measure; with `per_query`, per run, query and measure."""
    if not per_query:
        header = ("run", "measure", "value", "low", "high", "n", "n_undefined")
        return header, map(astuple, ranked.summaries)
    return ("run", "query", "measure", "value"), (
        (run, query, measure, value)
        for run in ranked.runs
        for measure in ranked.names
        if not ranked.is_whole_only(measure)
        for query, value in ranked.per_query(measure, run).items()
    )


def _data(table: RankingTable, *, per_query: bool) -> dict[str, object]:
    """Summaries, comparisons and notes; with `per_query` also the values of each query."""
    ranked = table.ranked
    compared = table.compared if table.all_pairs else table.with_first
    report: dict[str, object] = {
        "qrels": ranked.judgements.source,
        "undefined": ranked.undefined,
        "measures": {measure.shown: str(measure.label) for measure in ranked.measures},
        "summary": [asdict(summary) for summary in ranked.summaries],
        "comparisons": [_flat(pair) for pair in compared],
        "notes": [*table.notes, *([table.legend] if table.legend else [])],
    }
    if per_query:
        report["queries"] = {
            run: {
                measure: ranked.per_query(measure, run)
                for measure in ranked.names
                if not ranked.is_whole_only(measure)
            }
            for run in ranked.runs
        }
    return report


def _flat(pair: RunComparison) -> dict[str, object]:
    names = {"measure": pair.measure, "run": pair.run, "baseline": pair.baseline}
    return {**names, **asdict(pair.comparison), "p_holm": pair.p_holm}
