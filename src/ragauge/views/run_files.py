"""A run as data and in files: its scores as rows, its summary as JSON, and both in the formats of `-o`."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from ragauge.comparing.comparison import frame_row
from ragauge.comparing.words import ComparisonView
from ragauge.errors import PlanError
from ragauge.report.report import Records
from ragauge.report.writing import ENDINGS, csv_lines, format_of, to_json, to_markdown, write
from ragauge.runs.findings import find
from ragauge.runs.scored_run import ScoredRun
from ragauge.runs.scores import pieces_with_evidence
from ragauge.runs.store import SUMMARIES
from ragauge.runs.summary import missing_numbers
from ragauge.storage.atomic_files import misplaced, write_atomically, write_frame, write_text
from ragauge.storage.regular_file import is_folder, read_regular
from ragauge.views.first_screen import FirstScreen, run_report

if TYPE_CHECKING:
    import polars as pl

IDS_LISTED = 1_000  # most ids of a finding in JSON; the others are counted
MAX_SUMMARY_BYTES = 500_000_000


def score_records(run: ScoredRun) -> Records:
    """A row for each score; the scores of some samples are in memory at a time."""
    return frame_records(pieces_with_evidence(run.source, run.folder))


def frame_records(frames: "Iterable[pl.DataFrame]") -> Records:
    """The rows of one frame or more with the same columns, lists as texts."""
    import polars as pl

    texts = (frame.with_columns(pl.col(pl.List(pl.String)).list.join(" ")) for frame in frames)
    first = next(texts)
    return first.columns, (row for frame in chain([first], texts) for row in frame.iter_rows())


def score_json(row: Mapping[str, object]) -> dict[str, object]:
    """A score with its evidence as data."""
    evidence = row["evidence"]
    return {**row, "evidence": json.loads(evidence) if isinstance(evidence, str) else None}


def summary_json(run: ScoredRun, by: Sequence[str] = ()) -> dict[str, object]:
    """The run's suite, data, metrics, summaries and findings as JSON data."""
    counts = {metric.metric for metric in run.metrics if metric.show == "count"}
    shown = {metric.metric: metric for metric in run.metrics}

    def summary(field: str | None = None) -> list[dict[str, object]]:
        """With a count for each metric that is displayed as one, and why numbers are null."""
        rows = run.summary(field).to_dicts()
        for row in (row for row in rows if row["metric"] in counts):
            row["count"] = row["mean"] and row["mean"] * row["ok"]
        for row in rows:
            row.setdefault("note", missing_numbers(row, shown[row["metric"]]))
        return rows

    names = ("system", "says", "when", "ids", "n_found", "n_rows", "precision", "first_screen")
    findings = [{name: getattr(match, name) for name in names} for match in find(run)]
    return {
        "suite": run.manifest.suite,
        "data": dict(run.manifest.data),
        "notes": [*run.problems, *run.manifest.notes, *run.manifest.models],
        "cautions": [asdict(caution) for caution in run.cautions],
        "metrics": [asdict(metric) for metric in run.metrics],
        "summary": summary(),
        "by": {field: summary(field) for field in by},
        "comparison": _comparison(run),
        "findings": [each | {"ids": [*each["ids"][:IDS_LISTED]]} for each in findings],
    }


def _comparison(run: ScoredRun) -> dict[str, object] | None:
    """The systems compared with each other as on the first screen; None for a single one."""
    compared = FirstScreen(run).compared
    if compared is None:
        return None
    found = compared.comparison
    # The lists of questions are those of `ragauge compare`.
    lists = ("n_fixed", "n_broken", "base_unpaired", "candidate_unpaired", "field", "value")
    rows = [frame_row(row) for row in found.rows]
    names = ("test", "correction", "n_tests", "n_permutations", "seed")
    return {
        "pairs": "all" if compared.base is None else f"with {compared.base}",
        **{name: getattr(found, name) for name in names},
        "method": ComparisonView(found).method,
        "rows": [{name: row[name] for name in row if name not in lists} for row in rows],
    }


def write_summaries(run: ScoredRun, folder: Path, by: Sequence[str] = ()) -> None:
    """Write summary.json and summary.md to the folder unless they are up to date."""
    texts = (to_json(summary_json(run, by)), to_markdown(run_report(run, by)))
    for name, text in zip(SUMMARIES, texts, strict=True):
        stored = ""
        with suppress(OSError, UnicodeDecodeError):
            stored = read_regular(folder / name, MAX_SUMMARY_BYTES).decode()
        if stored != text:  # a finished run may be read-only
            write_text(folder / name, text)


def write_run(run: ScoredRun, path: Path, by: Sequence[str] = ()) -> None:
    """Write the run in the format of the file's ending; see `check_outputs`."""
    suffix = path.suffix.lower()
    if suffix == ".parquet":
        write_frame(path, run.scores)
    elif suffix in LINES:
        # Texts may contain paths that are not UTF-8; JSON reads their escapes back.
        lines = (line.encode("utf-8", "backslashreplace") for line in LINES[suffix](run))
        write_atomically(path, lambda file: file.writelines(lines))
    else:
        form = format_of(suffix)
        assert form is not None, "check_outputs has seen to it"
        write_text(path, write(run_report(run, by), form))


def json_lines(run: ScoredRun) -> Iterator[str]:
    """A line for each score, with its evidence as data."""
    for frame in pieces_with_evidence(run.source, run.folder):
        for row in frame.iter_rows(named=True):
            yield json.dumps(score_json(row), ensure_ascii=False, allow_nan=False) + "\n"


LINES: Mapping[str, Callable[[ScoredRun], Iterator[str]]] = {
    ".jsonl": json_lines,
    ".csv": lambda run: csv_lines(*score_records(run)),
}


def check_outputs(paths: Sequence[Path], inputs: Sequence[Path] = ()) -> None:
    """PlanError for output files that cannot be written, before any work is done.

    .json holds the summary and the scores; .jsonl, .csv and .parquet the scores; formats of text the summary.
    """
    known = dict.fromkeys([*ENDINGS, *LINES, ".parquet"])
    problems = [
        f"{path}: {f'cannot write {path.suffix!r}' if path.suffix else 'has no ending'}; "
        f"use one of {', '.join(known)}"
        for path in paths
        if (ending := path.suffix.lower()) not in known
        if format_of(ending) is None and not is_folder(path)
    ]
    problems += misplaced(paths, inputs)
    if problems:
        raise PlanError(problems)
