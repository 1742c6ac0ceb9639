"""A run as data: its summary for JSON, its scores for JSON and CSV."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from itertools import chain
from typing import TYPE_CHECKING

from ragauge.comparing.comparison import frame_row
from ragauge.comparing.words import ComparisonView
from ragauge.report.report import Records
from ragauge.runs.findings import FindingMatch, find
from ragauge.runs.scored_run import ScoredRun
from ragauge.runs.scores import pieces_with_evidence
from ragauge.views.first_screen import FirstScreen

if TYPE_CHECKING:
    import polars as pl

IDS_LISTED = 1_000
"""Most ids of a finding in JSON; the others are counted."""


def score_records(run: ScoredRun) -> Records:
    """A row for each score; the scores of some samples are in memory at a time."""
    return frame_records(pieces_with_evidence(run.source, run.folder))


def frame_records(frames: "Iterable[pl.DataFrame]") -> Records:
    """The rows of one frame or more with the same columns, lists as texts."""
    import polars as pl

    texts = (frame.with_columns(pl.col(pl.List(pl.String)).list.join(" ")) for frame in frames)
    first = next(texts)
    return first.columns, (row for frame in chain([first], texts) for row in frame.iter_rows())


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
    return {
        "suite": run.manifest.suite,
        "data": dict(run.manifest.data),
        "notes": [*run.problems, *run.manifest.notes, *run.manifest.models],
        "cautions": [asdict(caution) for caution in run.cautions],
        "metrics": [asdict(metric) for metric in run.metrics],
        "summary": _rows(run),
        "by": {field: _rows(run, field) for field in by},
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
    return {
        "system": match.system,
        "says": match.says,
        "when": match.when,
        "ids": list(match.ids[:IDS_LISTED]),
        "n_found": match.n_found,
        "n_rows": match.n_rows,
        "precision": match.precision,
        "first_screen": match.first_screen,
    }
