"""A run as a report: the first screen for a terminal, its summary for files, and all numbers as data."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from itertools import chain
from typing import TYPE_CHECKING

from ragauge.comparing.comparison import frame_row
from ragauge.comparing.words import ComparisonView
from ragauge.errors import PlanError
from ragauge.report.plain import counted
from ragauge.report.report import Records, Report, Table
from ragauge.runs.findings import FindingMatch, find
from ragauge.runs.numbers import number
from ragauge.runs.scored_run import ScoredRun
from ragauge.runs.scores import pieces_with_evidence
from ragauge.views.first_screen import FirstScreen
from ragauge.views.summary import (
    findings_table,
    means_by_field,
    short,
    summary_table,
    systems_side_by_side,
)

if TYPE_CHECKING:
    import polars as pl

ANSWER_WIDTH = 80
MAX_SYSTEMS = 10
"""Most systems side by side in HTML."""
IDS_LISTED = 1_000
"""Most ids of a finding in JSON; the others are counted."""


def run_report(run: ScoredRun, by: Sequence[str] = ()) -> Report:
    """The first screen, in files followed by the summary, that by each field, and the findings.

    LaTeX has the summaries alone, CSV a row for each score, JSON the summary and the scores.
    """
    screen = FirstScreen(run)
    wide = replace(screen, n_systems=MAX_SYSTEMS, n_metrics=len(run.metrics))
    narrow_notes = [f"{text} ({id})" for text, id in screen.worst]
    first = replace(screen.table, only_in=("md",), legend=screen.notes, notes=narrow_notes)
    worst = [f"worst: {text} ({id})" for text, id in screen.worst]
    whole = replace(wide.table, only_in=("html",), title=screen.title, notes=[*wide.notes, *worst])
    summaries = [summary_table(run), *(summary_table(run, [field]) for field in by)]
    plain = [
        replace(table, only_in=("md",), rows=[list(map(str, row)) for row in table.rows])
        for table in summaries
    ]
    bold = [replace(table, only_in=("latex",)) for table in summaries]
    found = [replace(table, only_in=("md",)) for table in findings_table(run)]
    return Report(
        screen.headline,
        tables=[first, whole, *plain, *bold, *found],
        records=lambda: score_records(run),
        data=lambda: run_json(run, by),
        brief=lambda full: _whole_screen(run, by) if full else _first_screen(screen, by),
    )


def _whole_screen(run: ScoredRun, by: Sequence[str]) -> Report:
    """Everything that a terminal shows of a run."""
    n = counted(len(run.samples), "answer")
    n_systems = counted(len(run.samples.systems), "system")
    fields = (table for field in by for table in means_by_field(run, field))
    return Report(
        f"{run.manifest.suite} · {n} · {n_systems}",
        tables=[systems_side_by_side(run), *findings_table(run, in_terminal=True), *fields],
    )


def _first_screen(screen: FirstScreen, by: Sequence[str]) -> Report:
    """The first screen, and below it the means by each field."""
    fields = [table for field in by for table in means_by_field(screen.run, field)]
    return replace(screen.report, more=fields)


def answers_report(run: ScoredRun, metric: str, answers: "pl.DataFrame") -> Report:
    """Answers with their values of a metric; texts are cut but in CSV and JSON."""
    shown = run.metric(metric)
    rows = [
        (
            row["id"],
            row["system"],
            number(shown, row["value"]),
            short(row.get("answer") or "", ANSWER_WIDTH),
        )
        for row in answers.iter_rows(named=True)
    ]
    table = Table(("id", "system", shown.name, "answer"), rows, sides="llrl", wraps=True)
    return Report(
        "",
        tables=[table],
        records=lambda: (answers.columns, answers.iter_rows()),
        data=answers.to_dicts,
    )


def scores_report(run: ScoredRun, status: str, n_rows: int) -> Report:
    """The first scores with a status, and why they have no value; all of them in CSV and JSON."""
    import polars as pl

    names = {metric.metric: metric.name for metric in run.metrics}
    columns = ("id", "system", "metric", "reason")
    found = run.collect(run.scan().filter(pl.col("status") == status).select(columns))
    rows = [
        (str(id), str(system), names.get(metric, str(metric)), str(reason or ""))
        for id, system, metric, reason in found.head(n_rows).iter_rows()
    ]
    more = f"{n_rows} of {counted(found.height, 'score')}; more with -n"
    return Report(
        "",
        tables=[Table(columns, rows, n_names=4, wraps=True)],
        notes=[more] if found.height > n_rows else [],
        records=lambda: (columns, found.iter_rows()),
        data=found.to_dicts,
    )


def finding_report(run: ScoredRun, text: str) -> Report:
    """All answers with a finding that contains the text; PlanError lists the findings if none does."""
    findings = find(run)
    matching = [finding for finding in findings if text.casefold() in finding.says.casefold()]
    if not matching:
        known = "; ".join(dict.fromkeys(finding.says for finding in findings)) or "none"
        raise PlanError([f"no finding contains {text!r}; the run's findings are: {known}"])
    rows = [(id, finding.system, finding.says) for finding in matching for id in finding.ids]
    return Report("", tables=[Table(("id", "system", "finding"), rows, n_names=3, wraps=True)])


def score_records(run: ScoredRun) -> Records:
    """A row for each score, lists as texts; the scores of some samples are in memory at a time."""
    import polars as pl

    frames = (
        frame.with_columns(pl.col(pl.List(pl.String)).list.join(" "))
        for frame in pieces_with_evidence(run.source, run.folder)
    )
    first = next(frames)
    return first.columns, (row for frame in chain([first], frames) for row in frame.iter_rows())


def run_json(run: ScoredRun, by: Sequence[str] = ()) -> dict[str, object]:
    """The summary and every score as JSON data."""
    rows = [score_json(row) for row in run.scores.iter_rows(named=True)]
    return {**summary_json(run, by), "scores": rows}


def score_json(row: Mapping[str, object]) -> dict[str, object]:
    """A score with its evidence as data."""
    evidence = row["evidence"]
    return {**row, "evidence": json.loads(evidence) if isinstance(evidence, str) else None}


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
