"""Summaries and scores as files: JSON, JSON lines, CSV, Parquet, Markdown, LaTeX."""

import csv
import io
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ragauge import catalog
from ragauge.errors import PlanError
from ragauge.label import Label
from ragauge.report.numbers import SummaryRow, bounds, cells
from ragauge.report.plain import (
    for_csv,
    for_latex,
    for_markdown,
    for_terminal,
    shortened,
    some,
)
from ragauge.runs.files import write_frame, write_text
from ragauge.runs.findings import FindingMatch, find
from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.run import Run
from ragauge.runs.store import SUMMARIES

if TYPE_CHECKING:
    import polars as pl

NAME_WIDTH, REASON_WIDTH = 36, 200
NO_IDS = re.compile(r"the sample has no (?:context_ids|relevant|context_ids and relevant)")
IDS_SHOWN, IDS_LISTED = 20, 1_000
"""Ids of a finding that a table and a JSON file name; the rest is counted."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a summary as people read it: texts, on the suite's scale."""

    group: tuple[str, ...]
    name: str
    value: str
    interval: str
    bounds: str
    n: str
    why_not: str


@dataclass(frozen=True, slots=True)
class Table:
    """A summary as people read it."""

    title: str
    keys: tuple[str, ...]
    lines: tuple[Line, ...]
    notes: tuple[str, ...] = ()

    @property
    def header(self) -> tuple[str, ...]:
        return (*self.keys, "metric", "mean", "95 % interval", "bounds", "scored", "not scored")

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        return tuple(
            (*one.group, one.name, one.value, one.interval, one.bounds, one.n, one.why_not)
            for one in self.lines
        )


def summary_table(run: Run, by: Sequence[str] = ()) -> Table:
    """The summary by system and the fields, on the suite's names and scales.

    Metrics that nothing could be scored with, for want of a resource, are left to the notes.
    """
    shown = {one.metric: one for one in run.metrics}
    keys = ("system", *by)
    lines = tuple(
        _line(row, keys, shown[cast(str, row["metric"])])
        for row in run.summary(by).iter_rows(named=True)
        if not shown[cast(str, row["metric"])].unavailable
    )
    n_answers, n_systems = len(run.samples), len(run.samples.systems)
    title = f"{run.manifest.suite}: {counted(n_answers, 'answer')}, {counted(n_systems, 'system')}"
    why = () if by else not_scored(run, shown)
    return Table(
        title, keys, lines, (*run.problems, *run.manifest.notes, *run.manifest.models, *why)
    )


def not_scored(run: Run, shown: Mapping[str, MetricDisplay]) -> tuple[str, ...]:
    """What has no value and why, and how far it could move the value: a line for each metric.

    Systems and metrics of which the same is to be said share it.
    """
    reasons = _reasons(run)
    by_metric: dict[str, dict[str, list[str]]] = {}
    for row in run.summary().iter_rows(named=True):
        metric, system = cast(str, row["metric"]), cast(str, row["system"])
        whys = reasons.get((metric, system), [])
        if whys and metric in shown and not shown[metric].unavailable:
            range_ = bounds(shown[metric], row)
            said = f"{', '.join(whys)}{_way_out(run, shown[metric], row, whys)}"
            said += f" ({range_})" if range_ else ""
            by_metric.setdefault(metric, {}).setdefault(said, []).append(short(system))
    by_line: dict[str, list[str]] = {}
    for metric, parts in by_metric.items():
        line = "; ".join(
            f"{', '.join(names)} {'each ' * (len(names) > 1)}{said}"
            for said, names in parts.items()
        )
        by_line.setdefault(line, []).append(short(shown[metric].name, 4 * NAME_WIDTH))
    return tuple(f"{', '.join(names)}: {line}" for line, names in by_line.items())


def _reasons(run: Run) -> Mapping[tuple[str, str], list[str]]:
    """For each metric and system: how many scores of each status have no value, and mostly why."""
    import polars as pl

    counts: dict[tuple[str, str, str], list[tuple[int, str]]] = {}
    absent = run.collect(run.scan().filter(pl.col("value").is_null()))
    keys = ["metric", "system", "status", "reason"]
    for metric, system, status, reason, n in absent.group_by(keys).len().sort(keys).iter_rows():
        counts.setdefault((metric, system, status), []).append((n, reason or "no reason given"))
    reasons: dict[tuple[str, str], list[str]] = {}
    for (metric, system, status), found in counts.items():
        most, reason = max(found, key=lambda one: one[0])
        n = sum(one for one, _ in found)
        of_them = "" if most == n else f", {most:,} of them"
        reasons.setdefault((metric, system), []).append(
            f"{n:,} {status}{of_them}: {short(reason, REASON_WIDTH)}"
        )
    return reasons


def _way_out(run: Run, shown: MetricDisplay, row: SummaryRow, reasons: Sequence[str]) -> str:
    """How a ranking without ids can be measured all the same, where its texts are there."""
    if row["ok"] or not {"contexts", "gold_contexts"}.issubset(run.samples.columns):
        return ""
    metric = Label.parse(shown.metric)
    known = catalog.metrics().get(metric.name)
    can_match = known is not None and any(one.name == "match" for one in known.settings)
    has_no_ids = all(NO_IDS.search(reason) for reason in reasons)
    if not (can_match and has_no_ids) or "match" in metric.settings:
        return ""
    return f"; use {Label(metric.name, {'match': 'text', **metric.settings})}"


def short(text: str, width: int = NAME_WIDTH) -> str:
    """The text as a terminal may show it, in at most so many columns."""
    return shortened(for_terminal(text), width)


def counted(n: int, what: str) -> str:
    """The number with its noun.

    >>> counted(1, "answer"), counted(1_000, "answer")
    ('1 answer', '1,000 answers')
    """
    return f"{n:,} {what}" if n == 1 else f"{n:,} {what}s"


def _line(row: Mapping[str, object], keys: Sequence[str], shown: MetricDisplay) -> Line:
    group = tuple("(none)" if row[key] is None else str(row[key]) for key in keys)
    return Line(group, *cells(shown, row))


def to_markdown(tables: Sequence[Table]) -> str:
    """The tables in Markdown, each with its title and notes."""
    pieces: list[str] = []
    for table in tables:
        left = len(table.keys) + 1
        rule = [":--"] * left + ["--:"] * (len(table.header) - left - 1) + [":--"]
        rows = [table.header, rule, *([for_markdown(cell) for cell in row] for row in table.rows)]
        pieces += [f"## {for_markdown(table.title)}", ""]
        pieces += [f"| {' | '.join(row)} |" for row in rows]
        pieces += ["", *(f"- {for_markdown(note)}" for note in table.notes), ""]
    return "\n".join(pieces).rstrip() + "\n"


def findings_markdown(found: Sequence[FindingMatch]) -> str:
    """The findings as a Markdown table, nothing when there are none."""
    if not found:
        return ""
    rows = [
        (one.system, f"{len(one.ids)} of {one.n_rows}", one.says, some(one.ids, IDS_SHOWN))
        for one in found
    ]
    lines = ["| system | rows | what they show | ids |", "| :-- | --: | :-- | :-- |"]
    lines += [f"| {' | '.join(for_markdown(cell) for cell in row)} |" for row in rows]
    return "\n".join(["", "## findings", "", *lines, ""])


def to_latex(tables: Sequence[Table]) -> str:
    """The tables in LaTeX (package booktabs)."""
    return "\n".join(_latex(table) for table in tables)


def _latex(table: Table) -> str:
    left = len(table.keys) + 1
    columns = "l" * left + "r" * (len(table.header) - left - 1) + "l"
    body = [" & ".join(_latex_cell(cell) for cell in row) + r" \\" for row in table.rows]
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{for_latex(table.title)}}}",
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            " & ".join(_latex_cell(cell) for cell in table.header) + r" \\",
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def _latex_cell(cell: str) -> str:
    return for_latex(cell).replace("–", "--").replace("↓", r"$\downarrow$")


def summary_json(run: Run, by: Sequence[str] = ()) -> dict[str, object]:
    """The run's facts and its summary by system, and by system and each field, as JSON data."""
    shown = [asdict(one) for one in run.metrics]
    facts = {"suite": run.manifest.suite, "data": dict(run.manifest.data)}
    breakdowns = {field: _rows(run, field) for field in by}
    return {
        **facts,
        "notes": [*run.problems, *run.manifest.notes, *run.manifest.models],
        "metrics": shown,
        "summary": _rows(run),
        "by": breakdowns,
        "findings": [_finding(one) for one in find(run)],
    }


def _rows(run: Run, field: str | None = None) -> list[dict[str, object]]:
    """The summary as JSON data; a metric that is shown as a count has it."""
    counts = {one.metric for one in run.metrics if one.show == "count"}
    return [
        {**row, "count": row["mean"] and row["mean"] * row["ok"]}
        if row["metric"] in counts
        else row
        for row in run.summary(field).to_dicts()
    ]


def _finding(found: FindingMatch) -> dict[str, object]:
    n = len(found.ids)
    told = {"system": found.system, "says": found.says, "when": found.when}
    return {**told, "ids": list(found.ids[:IDS_LISTED]), "n_found": n, "n_rows": found.n_rows}


def to_json(data: object) -> str:
    """Strict JSON, indented."""
    return json.dumps(data, ensure_ascii=False, allow_nan=False, indent=1, default=str) + "\n"


def scores_csv(frame: "pl.DataFrame") -> str:
    """Scores as CSV, every text cell safe to open in a spreadsheet."""
    import polars as pl

    texts = frame.with_columns(pl.col(pl.List(pl.String)).list.join(" "))
    rows = [frame.columns, *texts.iter_rows()]
    return "".join(
        csv_line([for_csv(cell) if isinstance(cell, str) else cell for cell in row]) for row in rows
    )


def csv_line(cells: Sequence[object]) -> str:
    """One row of CSV, with a Unix line end."""
    out = io.StringIO()
    # With a line end of "\n" the writer leaves a bare "\r" in a cell unquoted.
    csv.writer(out, lineterminator="\r\n").writerow(cells)
    return out.getvalue()[:-2] + "\n"


def scores_jsonl(frame: "pl.DataFrame") -> str:
    """Scores as JSON lines, evidence as data."""
    return "".join(
        json.dumps(_score_row(row), ensure_ascii=False, allow_nan=False) + "\n"
        for row in frame.iter_rows(named=True)
    )


def _score_row(row: Mapping[str, object]) -> dict[str, object]:
    evidence = row["evidence"]
    return {**row, "evidence": json.loads(evidence) if isinstance(evidence, str) else None}


def write_summaries(run: Run, folder: Path, by: Sequence[str] = ()) -> None:
    """Leave summary.json and summary.md in the folder, where they are not there already."""
    as_json, as_markdown = (folder / name for name in SUMMARIES)
    _write_if_new(as_json, to_json(summary_json(run, by)))
    _write_if_new(as_markdown, _markdown(run, by))


def _write_if_new(path: Path, text: str) -> None:
    """Write the text unless the file holds it: a finished run may lie where nobody may write."""
    try:
        is_there = path.read_text("utf-8") == text
    except (OSError, UnicodeDecodeError):
        is_there = False
    if not is_there:
        write_text(path, text)


def _whole(run: Run, by: Sequence[str]) -> str:
    rows = [_score_row(row) for row in run.scores.iter_rows(named=True)]
    return to_json({**summary_json(run, by), "scores": rows})


def _markdown(run: Run, by: Sequence[str]) -> str:
    return to_markdown(_tables(run, by)) + findings_markdown(find(run))


def _tables(run: Run, by: Sequence[str]) -> list[Table]:
    return [summary_table(run), *(summary_table(run, [field]) for field in by)]


WRITERS: dict[str, Callable[[Run, Sequence[str]], str]] = {
    ".json": _whole,
    ".jsonl": lambda run, _: scores_jsonl(run.scores),
    ".csv": lambda run, _: scores_csv(run.scores),
    ".md": lambda run, by: _markdown(run, by),
    ".tex": lambda run, by: to_latex(_tables(run, by)),
}


def write_run(run: Run, path: Path, by: Sequence[str] = ()) -> None:
    """Write the run as the file's ending says; see `check_outputs`."""
    suffix = path.suffix.lower()
    if suffix == ".parquet":
        write_frame(path, run.scores)
    else:
        write_text(path, WRITERS[suffix](run, by))


def check_outputs(paths: Sequence[Path], inputs: Sequence[Path] = ()) -> None:
    """PlanError for what cannot be written, before any work is done.

    .json holds the summary and the scores; .jsonl, .csv and .parquet the scores; .md and .tex the
    summary.
    """
    known = [*WRITERS, ".parquet"]
    problems = [
        f"{path}: {f'cannot write {path.suffix!r}' if path.suffix else 'has no ending'}; "
        f"the endings are {', '.join(known)}"
        for path in paths
        if path.suffix.lower() not in known and not path.is_dir()
    ]
    problems += misplaced(paths, inputs)
    if problems:
        raise PlanError(problems)


def misplaced(paths: Sequence[Path], inputs: Sequence[Path]) -> list[str]:
    """What is wrong with the places that should be written to: folders, and the inputs."""
    read = {path.resolve() for path in inputs}
    folders = [f"{path}: is a folder; name a file in it" for path in paths if path.is_dir()]
    over = [
        f"{path}: is read here too and would be overwritten; name another file"
        for path in paths
        if path.resolve() in read
    ]
    closed = [
        f"{path}: cannot be written in {path.parent}; choose another place"
        for path in paths
        if path.parent.is_dir() and not os.access(path.parent, os.W_OK | os.X_OK)
    ]
    return folders + over + closed
