"""Summaries and scores as files: JSON, JSON lines, CSV, Parquet, Markdown, LaTeX."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from ragauge import catalog
from ragauge.comparing.comparison import frame_row
from ragauge.comparing.words import ComparisonView
from ragauge.errors import PlanError
from ragauge.label import Label
from ragauge.report.plain import (
    counted,
    distinct_names,
    for_markdown,
    for_terminal,
    shortened,
    some,
)
from ragauge.report.report import Cell
from ragauge.report.table_formats import csv_table, latex_table, markdown_table, to_json
from ragauge.runs.findings import FindingMatch, find
from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.numbers import SummaryRow, bounds, cells
from ragauge.runs.scored_run import ScoredRun
from ragauge.runs.scores import pieces_with_evidence
from ragauge.runs.store import SUMMARIES
from ragauge.storage.atomic_files import misplaced, write_atomically, write_frame, write_text
from ragauge.storage.regular_file import is_folder, read_regular
from ragauge.views.cautions import caution_lines
from ragauge.views.first_screen import FirstScreen
from ragauge.views.first_screen_text import first_screen_markdown

if TYPE_CHECKING:
    import polars as pl

NAME_WIDTH, REASON_WIDTH = 36, 200
MAX_SUMMARY_BYTES = 500_000_000
NO_IDS = re.compile(r"the sample has no (?:context_ids|relevant|context_ids and relevant)")
IDS_SHOWN, IDS_LISTED = 20, 1_000
"""Most ids of a finding in a table and in a JSON file; the others are counted."""


@dataclass(frozen=True, slots=True)
class Line:
    """One formatted line of a summary, on the suite's scale."""

    group: tuple[str, ...]
    name: str
    value: str
    interval: str
    bounds: str
    n: str
    why_not: str


@dataclass(frozen=True, slots=True)
class Table:
    """A formatted summary."""

    title: str
    keys: tuple[str, ...]
    lines: tuple[Line, ...]
    notes: tuple[str, ...] = ()
    best: frozenset[int] = frozenset()
    """The places of the lines with the best mean of a metric, among systems."""

    @property
    def header(self) -> tuple[str, ...]:
        return (*self.keys, "metric", "mean", "95 % interval", "bounds", "scored", "not scored")

    @property
    def alignment(self) -> str:
        """`l` or `r` for each column: names left, numbers right."""
        n_names = len(self.keys) + 1
        return "l" * n_names + "r" * (len(self.header) - n_names - 1) + "l"

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        return tuple(
            (*line.group, line.name, line.value, line.interval, line.bounds, line.n, line.why_not)
            for line in self.lines
        )


def summary_table(run: ScoredRun, by: Sequence[str] = ()) -> Table:
    """The summary by system and the given fields, with the suite's names and scales.

    A metric that lacks a resource has no line, only a note.
    """
    shown = {metric.metric: metric for metric in run.metrics}
    keys = ("system", *by)
    rows = [
        row
        for row in run.summary(by).iter_rows(named=True)
        if not shown[cast(str, row["metric"])].unavailable
    ]
    lines = tuple(_line(row, keys, shown[cast(str, row["metric"])]) for row in rows)
    n_answers, n_systems = len(run.samples), len(run.samples.systems)
    title = f"{run.manifest.suite}: {counted(n_answers, 'answer')}, {counted(n_systems, 'system')}"
    why = () if by else (*not_scored(run, shown), *caution_lines(run))
    notes = (*run.problems, *run.manifest.notes, *run.manifest.models, *why)
    return Table(title, keys, lines, notes, _best(rows, lines, by, shown))


def _best(
    rows: Sequence[SummaryRow],
    lines: Sequence[Line],
    by: Sequence[str],
    shown: Mapping[str, MetricDisplay],
) -> frozenset[int]:
    """The lines with the best mean of a metric in each group; none where there is a single system."""
    groups: dict[tuple[object, ...], list[int]] = {}
    for place, row in enumerate(rows):
        if row["mean"] is not None and shown[cast(str, row["metric"])].is_ranked:
            groups.setdefault((row["metric"], *(row[key] for key in by)), []).append(place)
    best: set[int] = set()
    for (metric, *_), places in groups.items():
        if len(places) > 1:
            sign = -1 if shown[cast(str, metric)].lower_is_better else 1
            top = max(places, key=lambda place: sign * cast(float, rows[place]["mean"]))
            # Means that are shown alike are equally good.
            best |= {place for place in places if lines[place].value == lines[top].value}
    return frozenset(best)


def not_scored(run: ScoredRun, shown: Mapping[str, MetricDisplay]) -> tuple[str, ...]:
    """How many scores of each metric are missing and why, with the bounds of its mean.

    Systems and metrics with the same text share a line.
    """
    reasons, systems = _reasons(run), short_names(run)
    by_metric: dict[str, dict[str, list[str]]] = {}
    for row in run.summary().iter_rows(named=True):
        metric, system = cast(str, row["metric"]), cast(str, row["system"])
        whys = reasons.get((metric, system), [])
        if whys and metric in shown and not shown[metric].unavailable:
            range_ = bounds(shown[metric], row)
            text = f"{', '.join(whys)}{_remedy(run, shown[metric], row, whys)}"
            text += f" ({range_})" if range_ else ""
            by_metric.setdefault(metric, {}).setdefault(text, []).append(systems[system])
    by_line: dict[str, list[str]] = {}
    for metric, parts in by_metric.items():
        line = "; ".join(
            f"{', '.join(names)} {'each ' * (len(names) > 1)}{text}"
            for text, names in parts.items()
        )
        by_line.setdefault(line, []).append(short(shown[metric].name, 4 * NAME_WIDTH))
    return tuple(f"{', '.join(names)}: {line}" for line, names in by_line.items())


def _reasons(run: ScoredRun) -> Mapping[tuple[str, str], list[str]]:
    """For each metric and system: the scores without a value by status, with the main reason."""
    counts: dict[tuple[str, str, str], list[tuple[int, str]]] = {}
    absent = sorted(
        run.outcomes.absent,
        key=lambda each: (each.metric, each.system, each.status, each.reason or ""),
    )
    for each in absent:
        of_status = counts.setdefault((each.metric, each.system, each.status), [])
        of_status.append((each.n, each.reason or "no reason given"))
    reasons: dict[tuple[str, str], list[str]] = {}
    for (metric, system, status), by_reason in counts.items():
        most, reason = max(by_reason, key=lambda pair: pair[0])
        n = sum(n_scores for n_scores, _ in by_reason)
        of_them = "" if most == n else f", {most:,} of them"
        reasons.setdefault((metric, system), []).append(
            f"{n:,} {status}{of_them}: {short(reason, REASON_WIDTH)}"
        )
    return reasons


def _remedy(run: ScoredRun, shown: MetricDisplay, row: SummaryRow, reasons: Sequence[str]) -> str:
    """A hint to match passages by text where a ranking has texts but no ids."""
    if row["ok"] or not {"contexts", "gold_contexts"}.issubset(run.samples.columns):
        return ""
    metric = Label.parse(shown.metric)
    known = catalog.metrics().get(metric.name)
    can_match = known is not None and any(setting.name == "match" for setting in known.settings)
    has_no_ids = all(NO_IDS.search(reason) for reason in reasons)
    if not (can_match and has_no_ids) or "match" in metric.settings:
        return ""
    return f"; use {Label(metric.name, {'match': 'text', **metric.settings})}"


def short_names(run: ScoredRun) -> Mapping[str, str]:
    """Each system's name in one cell; no two look the same if that is possible."""
    return distinct_names(run.samples.systems, NAME_WIDTH)


def short(text: str, width: int = NAME_WIDTH) -> str:
    """The text escaped for a terminal, in at most `width` columns."""
    return shortened(for_terminal(text), width)


def _line(row: Mapping[str, object], keys: Sequence[str], shown: MetricDisplay) -> Line:
    group = tuple("(none)" if row[key] is None else str(row[key]) for key in keys)
    return Line(group, *cells(shown, row))


def to_markdown(tables: Sequence[Table]) -> str:
    """The tables in Markdown, each with its title and notes."""
    pieces: list[str] = []
    for table in tables:
        pieces += [f"## {for_markdown(table.title)}", ""]
        pieces += markdown_table(table.header, table.rows, table.alignment)
        pieces += ["", *(f"- {for_markdown(note)}" for note in table.notes), ""]
    return "\n".join(pieces).rstrip() + "\n"


def findings_markdown(findings: Sequence[FindingMatch]) -> str:
    """The findings as a Markdown table; empty when there are none."""
    if not findings:
        return ""
    rows = [
        (
            match.system,
            f"{match.n_found} of {match.n_rows}",
            match.text,
            some(match.ids, IDS_SHOWN),
        )
        for match in findings
    ]
    lines = markdown_table(("system", "rows", "finding", "ids"), rows, "lrll")
    return "\n".join(["", "## findings", "", *lines, ""])


def to_latex(tables: Sequence[Table]) -> str:
    """The tables in LaTeX (package booktabs), the best mean of each metric in bold."""
    return "\n".join(
        latex_table(table.title, table.header, _with_best(table), table.alignment)
        for table in tables
    )


def _with_best(table: Table) -> list[list[str | Cell]]:
    mean = table.header.index("mean")
    return [
        [
            Cell(cell, is_best=place in table.best) if at == mean else cell
            for at, cell in enumerate(row)
        ]
        for place, row in enumerate(table.rows)
    ]


def summary_json(run: ScoredRun, by: Sequence[str] = ()) -> dict[str, object]:
    """The run's suite, data, metrics, summaries and findings as JSON data."""
    shown = [asdict(metric) for metric in run.metrics]
    facts = {"suite": run.manifest.suite, "data": dict(run.manifest.data)}
    breakdowns = {field: _rows(run, field) for field in by}
    return {
        **facts,
        "notes": [
            *run.problems,
            *run.manifest.notes,
            *run.manifest.models,
        ],
        "cautions": [asdict(caution) for caution in run.cautions],
        "metrics": shown,
        "summary": _rows(run),
        "by": breakdowns,
        "comparison": _comparison(run),
        "findings": [_finding(match) for match in find(run)],
    }


def _comparison(run: ScoredRun) -> dict[str, object] | None:
    """The systems compared with each other as on the first screen; None for a single one."""
    compared = FirstScreen(run).compared
    if compared is None:
        return None
    found = compared.comparison
    # The lists of questions are those of `ragauge compare`.
    lists = ("n_fixed", "n_broken", "base_unpaired", "candidate_unpaired", "field", "value")
    rows = [
        {name: value for name, value in frame_row(row).items() if name not in lists}
        for row in found.rows
    ]
    return {
        "pairs": "all" if compared.base is None else f"with {compared.base}",
        "test": found.test,
        "correction": found.correction,
        "n_tests": found.n_tests,
        "n_permutations": found.n_permutations,
        "seed": found.seed,
        "method": ComparisonView(found).method,
        "rows": rows,
    }


def _rows(run: ScoredRun, field: str | None = None) -> list[dict[str, object]]:
    """The summary as JSON data, with a count for each metric that is displayed as one."""
    counts = {metric.metric for metric in run.metrics if metric.show == "count"}
    return [
        {**row, "count": row["mean"] and row["mean"] * row["ok"]}
        if row["metric"] in counts
        else row
        for row in run.summary(field).to_dicts()
    ]


def _finding(match: FindingMatch) -> dict[str, object]:
    pattern = {"system": match.system, "says": match.says, "when": match.when}
    return {
        **pattern,
        "ids": list(match.ids[:IDS_LISTED]),
        "n_found": match.n_found,
        "n_rows": match.n_rows,
        "precision": match.precision,
        "first_screen": match.first_screen,
    }


def scores_csv(frame: "pl.DataFrame") -> str:
    """Scores as CSV that is safe to open in a spreadsheet."""
    import polars as pl

    texts = frame.with_columns(pl.col(pl.List(pl.String)).list.join(" "))
    return csv_table(frame.columns, texts.iter_rows())


def _csv_rows(frame: "pl.DataFrame") -> str:
    """The lines of `scores_csv` after the header, which is one line."""
    return scores_csv(frame).partition("\n")[2]


def scores_jsonl(frame: "pl.DataFrame") -> str:
    """Scores as JSON lines, evidence as data."""
    return "".join(
        json.dumps(_score_row(row), ensure_ascii=False, allow_nan=False) + "\n"
        for row in frame.iter_rows(named=True)
    )


def _score_row(row: Mapping[str, object]) -> dict[str, object]:
    evidence = row["evidence"]
    return {**row, "evidence": json.loads(evidence) if isinstance(evidence, str) else None}


def write_summaries(run: ScoredRun, folder: Path, by: Sequence[str] = ()) -> None:
    """Write summary.json and summary.md to the folder unless they are up to date."""
    as_json, as_markdown = (folder / name for name in SUMMARIES)
    _write_if_new(as_json, to_json(summary_json(run, by)))
    _write_if_new(as_markdown, _markdown(run, by))


def _write_if_new(path: Path, text: str) -> None:
    """Write the text unless the file already holds it: a finished run may be read-only."""
    try:
        is_current = read_regular(path, MAX_SUMMARY_BYTES).decode() == text
    except (OSError, UnicodeDecodeError):
        is_current = False
    if not is_current:
        write_text(path, text)


def _whole(run: ScoredRun, by: Sequence[str]) -> str:
    rows = [_score_row(row) for row in run.scores.iter_rows(named=True)]
    return to_json({**summary_json(run, by), "scores": rows})


def _markdown(run: ScoredRun, by: Sequence[str]) -> str:
    first = first_screen_markdown(run)
    return f"{first}\n{to_markdown(_tables(run, by))}{findings_markdown(find(run))}"


def _tables(run: ScoredRun, by: Sequence[str]) -> list[Table]:
    return [summary_table(run), *(summary_table(run, [field]) for field in by)]


WRITERS: dict[str, Callable[[ScoredRun, Sequence[str]], str]] = {
    ".json": _whole,
    ".md": lambda run, by: _markdown(run, by),
    ".tex": lambda run, by: to_latex(_tables(run, by)),
}


def write_run(run: ScoredRun, path: Path, by: Sequence[str] = ()) -> None:
    """Write the run in the format of the file's ending; see `check_outputs`."""
    suffix = path.suffix.lower()
    if suffix == ".parquet":
        write_frame(path, run.scores)
    elif suffix in LINES:
        write_atomically(path, lambda file: _write_lines(run, file, *LINES[suffix]))
    else:
        write_text(path, WRITERS[suffix](run, by))


_Lines = Callable[["pl.DataFrame"], str]
LINES: dict[str, tuple[_Lines, _Lines]] = {
    ".jsonl": (scores_jsonl, scores_jsonl),
    ".csv": (scores_csv, _csv_rows),
}
"""How scores are written in a format of lines: those of the first samples, and those of later ones."""


def _write_lines(run: ScoredRun, file: BinaryIO, first: _Lines, later: _Lines) -> None:
    """Write the scores of some samples at a time, so that memory does not grow with the run."""
    lines = first
    for frame in pieces_with_evidence(run.source, run.folder):
        # Texts may contain paths that are not UTF-8; JSON reads their escapes back.
        file.write(lines(frame).encode("utf-8", "backslashreplace"))
        lines = later


def check_outputs(paths: Sequence[Path], inputs: Sequence[Path] = ()) -> None:
    """PlanError for output files that cannot be written, before any work is done.

    .json holds the summary and the scores; .jsonl, .csv and .parquet the scores; .md and .tex the
    summary.
    """
    known = [".json", *LINES, ".md", ".tex", ".parquet"]
    problems = [
        f"{path}: {f'cannot write {path.suffix!r}' if path.suffix else 'has no ending'}; "
        f"use one of {', '.join(known)}"
        for path in paths
        if path.suffix.lower() not in known and not is_folder(path)
    ]
    problems += misplaced(paths, inputs)
    if problems:
        raise PlanError(problems)
