"""Scored runs as tables: for people, for papers, and in trec_eval's own layout."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property

from ragauge.rankings.rank import RankingResult, RunComparison, Summary
from ragauge.report.plain import for_csv, for_latex, for_markdown, for_terminal, some

LEVEL = 0.05
"""The p value below which a difference gets its mark."""
MARK = "*"
DIGITS = 4
PRECISE_DIGITS = 10
"""In trec_eval's layout: more than its own four, so that a sixth digit can be compared."""
DASH = "–"
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
RUNS_NAMED, MEASURES_NAMED = 5, 8
"""Runs and measures that a note names; the rest is counted."""


@dataclass(frozen=True, eq=False)
class RankingTable:
    """A ranking's numbers as people read them: a row a run, a column a measure.

    With several runs each is compared with the first, and marked where the difference is beyond
    chance; `compared` holds every pair where all pairs are asked for.
    """

    ranked: RankingResult
    all_pairs: bool = False

    @cached_property
    def title(self) -> str:
        judgements = self.ranked.judgements
        n, n_runs = _queries(judgements.n_queries, "judged "), len(self.ranked.runs)
        return f"{judgements.source} · {n} · {n_runs} run{'s' * (n_runs != 1)}"

    @cached_property
    def header(self) -> tuple[str, ...]:
        return ("run", "queries", *self.ranked.names)

    @cached_property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        by_run: dict[str, list[Summary]] = {}
        for one in self.ranked.summaries:
            by_run.setdefault(one.run, []).append(one)
        counted = self.ranked.is_counted.sum(axis=1).tolist()
        return tuple(
            (run, f"{n:,}", *(self._cell(one) + self._mark(one) for one in row))
            for (run, row), n in zip(by_run.items(), counted, strict=True)
        )

    @property
    def long_header(self) -> tuple[str, ...]:
        return ("run", "measure", "value", "95 % interval", "queries")

    @property
    def long_rows(self) -> Iterator[tuple[str, ...]]:
        """A row for each run and measure: what fits where a column for each measure does not."""
        for one in self.ranked.summaries:
            value = self._value(one) + self._mark(one)
            yield (one.run, one.measure, value, _interval(one.low, one.high), f"{one.n:,}")

    @property
    def query_header(self) -> tuple[str, ...]:
        return ("query", "run", *self._per_query)

    @property
    def query_rows(self) -> Iterator[tuple[str, ...]]:
        """A row for each query and run."""
        ranked = self.ranked
        measures = [at for at, name in enumerate(ranked.names) if name in self._per_query]
        counts = [ranked.is_count(name) for name in self._per_query]
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

    @property
    def _per_query(self) -> tuple[str, ...]:
        names = self.ranked.names
        return tuple(name for name in names if not self.ranked.is_whole_only(name))

    @cached_property
    def with_first(self) -> tuple[RunComparison, ...]:
        """Each run compared with the first one; none when it is alone."""
        if len(self.ranked.runs) < 2:
            return ()
        return self.ranked.compare(self.ranked.runs[0])

    @cached_property
    def compared(self) -> tuple[RunComparison, ...]:
        return self.ranked.compare() if self.all_pairs else ()

    @property
    def compared_header(self) -> tuple[str, ...]:
        return ("measure", "run", "against", "difference", "95 % interval", "p", "p (Holm)", "n")

    @property
    def compared_rows(self) -> tuple[tuple[str, ...], ...]:
        return tuple(
            (
                one.measure,
                one.run,
                one.baseline,
                f"{one.comparison.difference:+z.{DIGITS}f}",
                _interval(one.comparison.low, one.comparison.high),
                _p(one.comparison.p_value),
                _p(one.p_holm) + (MARK if one.p_holm < LEVEL else ""),
                f"{one.comparison.n:,}",
            )
            for one in self.compared
        )

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know: how it was read, what has no value, which queries are left out."""
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
            what = f"{_queries(n)} without a value, {how}: {some(names, MEASURES_NAMED)}"
            yield f"{some(runs, RUNS_NAMED)}: {what}"
        left_out: dict[str, list[str]] = {}
        for run, n, here in zip(
            ranked.runs, ranked.n_unjudged_queries, ranked.is_counted, strict=True
        ):
            if n:
                left_out.setdefault(f"{_queries(n)} not judged, left out", []).append(run)
            if missing := int((~here).sum()):
                nothing = f"nothing for {_queries(missing, 'judged ')}, left out"
                left_out.setdefault(f"{nothing}; --complete counts them as 0", []).append(run)
        for said, runs in left_out.items():
            yield f"{some(runs, RUNS_NAMED)}: {said}"

    @cached_property
    def legend(self) -> str:
        """What the mark means; empty where nothing is compared."""
        pairs = {(one.run, one.baseline) for one in self._tested}
        if not pairs:
            return ""
        first = self.ranked.runs[0]
        corrected = f", corrected by Holm's method for {len(pairs)} pairs" if len(pairs) > 1 else ""
        differs = f"{MARK} differs" if self._marked else "no run differs"
        return (
            f"{differs} from {first} at p < {LEVEL}, each measure by itself: paired randomization "
            f"test over the queries of both{corrected}"
        )

    @property
    def _tested(self) -> tuple[RunComparison, ...]:
        return self.compared or self.with_first

    @cached_property
    def _marked(self) -> frozenset[tuple[str, str]]:
        first = self.ranked.runs[0]
        return frozenset(
            (one.run, one.measure)
            for one in self._tested
            if one.baseline == first and one.p_holm < LEVEL
        )

    def _mark(self, one: Summary) -> str:
        return f" {MARK}" if (one.run, one.measure) in self._marked else ""

    def _value(self, one: Summary) -> str:
        if one.value is None:
            return DASH
        return _number(one.value, is_count=self.ranked.is_count(one.measure))

    def _cell(self, one: Summary) -> str:
        if one.value is None or one.low is None or one.high is None:
            return self._value(one)
        return f"{self._value(one)} {_interval(one.low, one.high)}"


def _queries(n: int, kind: str = "") -> str:
    return f"{n:,} {kind}{'query' if n == 1 else 'queries'}"


def _number(value: float, *, is_count: bool) -> str:
    return f"{value:.0f}" if is_count else f"{value:z.{DIGITS}f}"


def _interval(low: float | None, high: float | None) -> str:
    # `z`: no minus before a bound that is rounded to 0.
    return DASH if low is None or high is None else f"[{low:z.{DIGITS}f}, {high:z.{DIGITS}f}]"


def _p(p: float) -> str:
    return f"{p:.{DIGITS}f}"


# Files


def to_tsv(ranked: RankingResult, *, per_query: bool) -> str:
    """trec_eval's layout: `measure<TAB>query<TAB>value`, the whole as query `all`.

    Of several runs each begins with a line `runid<TAB>all<TAB>its name`. Values have ten decimals,
    counts none. As in trec_eval a count of queries and a geometric mean have no lines for queries,
    a query that the run lacks has none, even where it counts 0, and what has no value is 0 where it
    counts as 0, and absent where it is left out.
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
    """A name as it is, so that it can be joined; only controls are written out."""
    return CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", name)


def _form(ranked: RankingResult, measure: str) -> str:
    return ".0f" if ranked.is_count(measure) else f".{PRECISE_DIGITS}f"


def to_csv(ranked: RankingResult, *, per_query: bool) -> str:
    """A line for each run and measure; for each run, query and measure with `per_query`."""
    from ragauge.report.tables import csv_line

    if per_query:
        rows: list[Sequence[object]] = [("run", "query", "measure", "value")]
        rows += [
            (for_csv(run), for_csv(query), measure, value)
            for run in ranked.runs
            for measure in ranked.names
            if not ranked.is_whole_only(measure)
            for query, value in ranked.per_query(measure, run).items()
        ]
    else:
        rows = [("run", "measure", "value", "low", "high", "n", "n_undefined")]
        rows += [
            (for_csv(one.run), one.measure, one.value, one.low, one.high, one.n, one.n_undefined)
            for one in ranked.summaries
        ]
    return "".join(csv_line(["" if cell is None else cell for cell in row]) for row in rows)


def as_json(table: RankingTable, *, per_query: bool) -> str:
    """Everything: summaries, comparisons of the runs, and each query's values with `per_query`."""
    from ragauge.report.tables import to_json

    ranked = table.ranked
    compared = table.compared if table.all_pairs else table.with_first
    told: dict[str, object] = {
        "qrels": ranked.judgements.source,
        "undefined": ranked.undefined,
        "measures": {one.shown: str(one.label) for one in ranked.measures},
        "summary": [asdict(one) for one in ranked.summaries],
        "comparisons": [_flat(one) for one in compared],
        "notes": [*table.notes, *([table.legend] if table.legend else [])],
    }
    if per_query:
        told["queries"] = {
            run: {
                measure: ranked.per_query(measure, run)
                for measure in ranked.names
                if not ranked.is_whole_only(measure)
            }
            for run in ranked.runs
        }
    return to_json(told)


def _flat(one: RunComparison) -> dict[str, object]:
    told = {"measure": one.measure, "run": one.run, "baseline": one.baseline}
    return {**told, **asdict(one.comparison), "p_holm": one.p_holm}


def to_markdown(table: RankingTable, *, per_query: bool) -> str:
    """The table in Markdown, with its notes, and that of the queries with `per_query`."""
    pieces = [f"## {for_markdown(table.title)}", "", *_markdown(table.header, table.rows)]
    if per_query:
        pieces += ["", *_markdown(table.query_header, table.query_rows)]
    if table.compared:
        pieces += ["", *_markdown(table.compared_header, table.compared_rows)]
    notes = [*([table.legend] if table.legend else []), *table.notes]
    pieces += ["", *(f"- {for_markdown(note)}" for note in notes)]
    return "\n".join(pieces).rstrip() + "\n"


def _markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(for_markdown(cell) for cell in header)} |"
    yield f"| {' | '.join([':--'] + ['--:'] * (len(header) - 1))} |"
    for row in rows:
        yield f"| {' | '.join(for_markdown(cell) for cell in row)} |"


def to_latex(table: RankingTable, *, per_query: bool) -> str:
    """The table in LaTeX (package booktabs), the mark's meaning below it, notes as comments."""
    tables = [_latex(table.title, table.header, table.rows, table.legend)]
    if per_query:
        tables.append(_latex(table.title, table.query_header, table.query_rows))
    if table.compared:
        tables.append(_latex(table.title, table.compared_header, table.compared_rows))
    return "".join(tables) + "".join(f"% {for_terminal(note)}\n" for note in table.notes)


def _latex(
    title: str, header: Sequence[str], rows: Iterable[Sequence[str]], below: str = ""
) -> str:
    lines = [" & ".join(_latex_cell(cell) for cell in row) + r" \\" for row in rows]
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{for_latex(title)}}}",
            rf"\begin{{tabular}}{{l{'r' * (len(header) - 1)}}}",
            r"\toprule",
            " & ".join(_latex_cell(cell) for cell in header) + r" \\",
            r"\midrule",
            *lines,
            r"\bottomrule",
            r"\end{tabular}",
            *([rf"\par\footnotesize {for_latex(below)}"] if below else []),
            r"\end{table}",
            "",
        ]
    )


def _latex_cell(cell: str) -> str:
    return for_latex(cell).replace(DASH, "--")
