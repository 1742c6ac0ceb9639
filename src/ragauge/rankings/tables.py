"""Scored runs as a report, and in trec_eval's format."""

import re
from dataclasses import asdict, astuple, dataclass, replace
from functools import cached_property

from ragauge.rankings.rank import RankingResult, RunComparison, Summary
from ragauge.report.plain import no_interval, some
from ragauge.report.report import Cell, Items, Records, Report, Table
from ragauge.report.writing import FORMATS

LEVEL = 0.05
"""Significance level: a difference with a smaller p value is marked."""
MARK = "*"
DIGITS = 4
DASH = "–"
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
RUNS_NAMED, MEASURES_NAMED = 5, 8
"""Most runs and measures that a note names; the others are counted."""


@dataclass(frozen=True, eq=False)
class RankingTable:
    """Formatted ranking scores as tables.

    Runs are compared with the first, with `all_pairs` each with each, and marked if they differ significantly.
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
        ranked, each_measure = self.ranked, list[tuple[str, ...]]()
        n_queries = ranked.is_counted.sum(axis=1).tolist()
        by_run = {run: [run, f"{n:,}"] for run, n in zip(ranked.runs, n_queries, strict=True)}
        for row in ranked.summaries:
            mark = f" {MARK}" if (row.run, row.measure) in self._marked else ""
            value, span = self._shown(row.value, row.measure), _interval(row.low, row.high)
            shown = value if row.value is None or span == DASH else f"{value} {span}"
            by_run[row.run].append(shown + mark)
            each_measure.append((row.run, row.measure, value + mark, span, f"{row.n:,}"))
        header = ("run", "measure", "value", "95 % interval", "queries")
        narrow = Table(header, each_measure, n_names=len(header))
        wide = ("run", "queries", *ranked.names)
        rows = list(map(tuple, by_run.values()))
        return Table(wide, rows, small_print=self.legend, narrower=[narrow])

    def _shown(self, value: float | None, measure: str) -> str:
        if value is None:
            return DASH
        return f"{value:.0f}" if self.ranked.is_count(measure) else f"{value:z.{DIGITS}f}"

    @property
    def marked_means(self) -> Table:
        """The means with the best of each measure marked, where there are several runs."""
        ranked, table = self.ranked, self.means
        rows: list[list[str | Cell]] = [[*row[:2]] for row in table.texts]
        for place, name in enumerate(ranked.names, 2):
            means = [ranked.mean(name, run) for run in ranked.runs]
            best = max((mean for mean in means if mean is not None), default=None)
            is_ranked = len(means) > 1 and best is not None and not ranked.is_count(name)
            for row, texts, mean in zip(rows, table.texts, means, strict=True):
                row.append(Cell(texts[place], is_best=is_ranked and mean == best))
        return replace(table, rows=rows)

    @property
    def queries(self) -> Table:
        """A row per query and run."""
        ranked = self.ranked
        names = [name for name in ranked.names if not ranked.is_whole_only(name)]
        values = {(name, run): ranked.per_query(name, run) for name in names for run in ranked.runs}
        rows: list[tuple[str, ...]] = []
        for number in map(int, ranked.by_name):
            query = ranked.judgements.queries[number]
            for at, run in enumerate(ranked.runs):
                if ranked.is_counted[at, number]:
                    cells = [self._shown(values[name, run][query], name) for name in names]
                    rows.append((query, run, *cells))
        return Table(("query", "run", *names), rows)

    @cached_property
    def compared(self) -> tuple[RunComparison, ...]:
        """Every pair of runs, or each further run with the first; empty for a single run."""
        if self.all_pairs:
            return self.ranked.compare()
        first, *others = self.ranked.runs
        return self.ranked.compare(first) if others else ()

    @property
    def pairs(self) -> Table:
        """A row per measure and pair of runs."""
        header = ("measure", "run", "against", "difference", "95 % interval", "p", "p (Holm)", "n")
        rows: list[tuple[str, ...]] = []
        for pair in self.compared:
            test, mark = pair.comparison, MARK if pair.p_holm < LEVEL else ""
            difference = f"{test.difference:+z.{DIGITS}f}"
            p_values = (f"{test.p_value:.{DIGITS}f}", f"{pair.p_holm:.{DIGITS}f}{mark}")
            interval = _interval(test.low, test.high)
            names = (pair.measure, pair.run, pair.baseline)
            rows.append((*names, difference, interval, *p_values, f"{test.n:,}"))
        return Table(header, rows)

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Notes on how the files were read and on queries without a value or left out."""
        ranked = self.ranked
        how = "counted as 0" if ranked.undefined == "zero" else "left out"
        without: dict[str, list[str]] = {}
        left_out: dict[str, list[str]] = {}
        for at, run in enumerate(ranked.runs):
            absent: dict[int, list[str]] = {}
            for measure, name in enumerate(ranked.names):
                if n := ranked.n_undefined(at, measure):
                    absent.setdefault(n, []).append(name)
            for n, names in absent.items():
                text = f"{_queries(n)} without a value, {how}: {some(names, MEASURES_NAMED)}"
                without.setdefault(text, []).append(run)
            if n := ranked.n_unjudged_queries[at]:
                left_out.setdefault(f"{_queries(n, 'unjudged ')} left out", []).append(run)
            if n := int((~ranked.is_counted[at]).sum()):
                it = "it" if n == 1 else "them"
                text = f"no results for {_queries(n, 'judged ')}, left out; --complete counts {it} as 0"
                left_out.setdefault(text, []).append(run)
        found = [*without.items(), *left_out.items()]
        return (*ranked.notes, *(f"{some(runs, RUNS_NAMED)}: {text}" for text, runs in found))

    @cached_property
    def legend(self) -> str:
        """What the mark means; empty if no runs are compared."""
        pairs = {(pair.run, pair.baseline) for pair in self.compared}
        if not pairs:
            return ""
        first = self.ranked.runs[0]
        corrected = f", Holm-corrected for {len(pairs)} pairs" if len(pairs) > 1 else ""
        differs = f"{MARK} differs" if self._marked else "no run differs"
        return (
            f"{differs} significantly from {first} (p < {LEVEL}): paired randomization test for each "
            f"measure over the queries of both runs{corrected}"
        )

    @cached_property
    def _marked(self) -> frozenset[tuple[str, str]]:
        first = self.ranked.runs[0]
        return frozenset(
            (pair.run, pair.measure)
            for pair in self.compared
            if pair.baseline == first and pair.p_holm < LEVEL
        )


def _queries(n: int, kind: str = "") -> str:
    return f"{n:,} {kind}{'query' if n == 1 else 'queries'}"


def _interval(low: float | None, high: float | None) -> str:
    # `z` avoids a minus sign before a bound that rounds to 0.
    return DASH if low is None or high is None else f"[{low:z.{DIGITS}f}, {high:z.{DIGITS}f}]"


def ranking_report(table: RankingTable, form: str, *, per_query: bool = False) -> Report:
    """What a format has: the means, with `per_query` the values of each query, and the comparisons of all pairs.

    Formats of data have numbers that are not rounded; tables for them, and their intervals, are not made.
    """
    ranked = table.ranked
    names = [name for name in ranked.names if not ranked.is_whole_only(name)]

    def records() -> Records:
        if not per_query:
            header = ("run", "measure", "value", "low", "high", "n", "n_undefined")
            return header, map(astuple, ranked.summaries)
        return ("run", "query", "measure", "value"), (
            (run, query, measure, value)
            for run in ranked.runs
            for measure in names
            for query, value in ranked.per_query(measure, run).items()
        )

    def note(summary: Summary) -> str:
        if summary.value is None:
            return "no query has a value"
        is_sum = ranked.is_count(summary.measure)
        return "no interval of a sum" if is_sum else no_interval(summary.low, summary.n, "query")

    def data() -> dict[str, object]:
        report: dict[str, object] = {
            "qrels": ranked.judgements.source,
            "undefined": ranked.undefined,
            "measures": {measure.shown: str(measure.label) for measure in ranked.measures},
            "summary": [{**asdict(summary), "note": note(summary)} for summary in ranked.summaries],
            "comparisons": [
                {"measure": pair.measure, "run": pair.run, "baseline": pair.baseline}
                | {**asdict(pair.comparison), "p_holm": pair.p_holm}
                | {"note": no_interval(pair.comparison.low, pair.comparison.n, "common query")}
                for pair in table.compared
            ],
            "notes": [*table.notes, *([table.legend] if table.legend else [])],
        }
        if per_query:
            report["queries"] = {
                run: {name: ranked.per_query(name, run) for name in names} for run in ranked.runs
            }
        return report

    if form in FORMATS and FORMATS[form].is_data:
        return Report("", records=records, data=data)
    is_terminal = form == "table"
    tables = [table.means if is_terminal or form == "md" else table.marked_means]
    if per_query:
        tables.insert(not is_terminal, table.queries)
    if table.all_pairs and table.compared:
        tables.append(table.pairs)
    tables = [replace(each, caption=table.title) for each in tables]
    tables[0] = replace(tables[0], title=table.title, level=2)
    if not is_terminal:
        notes = table.notes
        return Report(
            "", tables=tables, legend=table.legend, notes=notes, records=records, data=data
        )
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
    lines: list[str] = []
    forms = [(name, ".0f" if ranked.is_count(name) else ".10f") for name in ranked.names]
    queries = [_plain(name) for name in ranked.judgements.queries]
    leaves_out = ranked.undefined == "leave_out"
    for at, run in enumerate(ranked.runs):
        if len(ranked.runs) > 1:
            lines.append(f"runid\tall\t{_plain(run)}\n")
        if per_query:
            columns = [
                (name, ranked.values[at, of].tolist(), ranked.is_undefined[at, of].tolist(), form)
                for of, (name, form) in enumerate(forms)
                if not ranked.is_whole_only(name)
            ]
            is_present = ranked.is_present[at].tolist()
            lines += [
                f"{measure}\t{queries[query]}\t{values[query]:{form}}\n"
                for query in ranked.queries_of(at)
                if is_present[query]
                for measure, values, is_undefined, form in columns
                if not (leaves_out and is_undefined[query])
            ]
        for measure, form in forms:
            if (value := ranked.mean(measure, run)) is not None:
                lines.append(f"{measure}\tall\t{value:{form}}\n")
    return "".join(lines)


def _plain(name: str) -> str:
    """The name unchanged, so that files can be joined on it; only control characters are escaped."""
    return CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", name)
