"""A run in files: its summary, or its scores as lines that are written some samples at a time."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from ragauge.errors import PlanError
from ragauge.report.table_formats import csv_lines, to_json
from ragauge.report.writing import SUFFIXES, WRITERS
from ragauge.runs.scored_run import ScoredRun
from ragauge.runs.scores import pieces_with_evidence
from ragauge.runs.store import SUMMARIES
from ragauge.storage.atomic_files import misplaced, write_atomically, write_frame, write_text
from ragauge.storage.regular_file import is_folder, read_regular
from ragauge.views.run_report import run_report, score_json, score_records, summary_json

MAX_SUMMARY_BYTES = 500_000_000


def write_summaries(run: ScoredRun, folder: Path, by: Sequence[str] = ()) -> None:
    """Write summary.json and summary.md to the folder unless they are up to date."""
    texts = (to_json(summary_json(run, by)), WRITERS["md"](run_report(run, by)))
    for name, text in zip(SUMMARIES, texts, strict=True):
        try:
            is_current = read_regular(folder / name, MAX_SUMMARY_BYTES).decode() == text
        except (OSError, UnicodeDecodeError):
            is_current = False
        if not is_current:  # a finished run may be read-only
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
        write_text(path, WRITERS[SUFFIXES[suffix]](run_report(run, by)))


def json_lines(run: ScoredRun) -> Iterator[str]:
    """A line for each score, with its evidence as data."""
    for frame in pieces_with_evidence(run.source, run.folder):
        for row in frame.iter_rows(named=True):
            yield json.dumps(score_json(row), ensure_ascii=False, allow_nan=False) + "\n"


LINES: Mapping[str, Callable[[ScoredRun], Iterator[str]]] = {
    ".jsonl": json_lines,
    ".csv": lambda run: csv_lines(*score_records(run)),
}
"""How scores are written in a format of lines."""


def check_outputs(paths: Sequence[Path], inputs: Sequence[Path] = ()) -> None:
    """PlanError for output files that cannot be written, before any work is done.

    .json holds the summary and the scores; .jsonl, .csv and .parquet the scores; .md, .tex and .html the
    summary.
    """
    known = [".json", *LINES, ".md", ".tex", ".html", ".parquet"]
    problems = [
        f"{path}: {f'cannot write {path.suffix!r}' if path.suffix else 'has no ending'}; "
        f"use one of {', '.join(known)}"
        for path in paths
        if path.suffix.lower() not in known and not is_folder(path)
    ]
    problems += misplaced(paths, inputs)
    if problems:
        raise PlanError(problems)
