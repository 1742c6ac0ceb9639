"""A run as a report: the first screen for a terminal, its summary for files; its data, and its files."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from ragauge.comparing.comparison import frame_row
from ragauge.comparing.words import ComparisonView
from ragauge.errors import PlanError
from ragauge.report.plain import counted
from ragauge.report.report import MARK, Cell, Items, Records, Report, Table
from ragauge.report.writing import ENDINGS, csv_lines, format_of, to_json, to_markdown, write
from ragauge.runs.findings import find
from ragauge.runs.numbers import DASH, aggregate, interval, number
from ragauge.runs.scored_run import ScoredRun
from ragauge.runs.scores import pieces_with_evidence
from ragauge.runs.store import SUMMARIES
from ragauge.storage.atomic_files import misplaced, write_atomically, write_frame, write_text
from ragauge.storage.regular_file import is_folder, read_regular
from ragauge.views.first_screen import NAME_WIDTH as SCREEN_NAME
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

IDS_LISTED = 1_000  # most ids of a finding in JSON; the others are counted
ANSWER_WIDTH = 80
MAX_SUMMARY_BYTES = 500_000_000
MAX_LINES = 25
FEWEST_METRICS, FEWEST_WORST = 6, 1  # what a screen keeps when other lines need the space
MAX_SYSTEMS = 10  # most systems side by side in HTML


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

    def summary(field: str | None = None) -> list[dict[str, object]]:
        """With a count for each metric that is displayed as one."""
        rows = run.summary(field).to_dicts()
        for row in (row for row in rows if row["metric"] in counts):
            row["count"] = row["mean"] and row["mean"] * row["ok"]
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


def run_report(run: ScoredRun, by: Sequence[str] = ()) -> Report:
    """The first screen, in files also the summary, by field too, and findings; LaTeX has the summaries, CSV and JSON the scores."""
    screen = FirstScreen(run)
    wide = replace(screen, n_systems=MAX_SYSTEMS, n_metrics=len(run.metrics))
    worst = [f"{text} ({id})" for text, id in screen.worst]
    first = replace(screen_table(screen), only_in=("md",), legend=screen.notes, notes=worst)
    notes = [*wide.notes, *(f"worst: {text}" for text in worst)]
    whole = replace(screen_table(wide), only_in=("html",), title=screen.title, notes=notes)
    summaries = [summary_table(run), *(summary_table(run, [field]) for field in by)]
    plain = [
        replace(table, only_in=("md",), rows=[list(map(str, row)) for row in table.rows])
        for table in summaries
    ]
    bold = [replace(table, only_in=("latex",)) for table in summaries]
    found = [replace(table, only_in=("md",)) for table in findings_table(run)]

    def data() -> dict[str, object]:
        rows = [score_json(row) for row in run.scores.iter_rows(named=True)]
        return {**summary_json(run, by), "scores": rows}

    return Report(
        screen.headline,
        tables=[first, whole, *plain, *bold, *found],
        records=lambda: score_records(run),
        data=data,
        brief=lambda full: (full_report if full else screen_report)(screen, by),
    )


def screen_table(screen: FirstScreen) -> Table:
    """Each metric with means and intervals, by family; narrow: counts become ranges, families go, then intervals."""
    has_families = any(metric.family for metric in screen.metrics)
    systems = screen.systems[: screen.n_systems]
    wide_rows: list[Sequence[str | Cell]] = []
    close_rows: list[Sequence[str | Cell]] = []
    last = ""
    for metric in screen.metrics[: screen.n_metrics]:
        family = [Cell("" if metric.family == last else metric.family, is_quiet=True)]
        last = metric.family
        arrow = "" if not metric.is_ranked else " ↓" if metric.lower_is_better else " ↑"
        row = [*family * has_families, f"{short(metric.name, SCREEN_NAME)}{arrow}"]
        found = [screen.row(metric, system) for system in systems]
        for system, each in zip(systems, found, strict=True):
            mark = MARK if each and screen.differs(metric, system) else ""
            detail = interval(metric, each) if each else ""
            row.append(Cell(aggregate(metric, each) if each else DASH, mark, detail=detail))
        # How many rows have a value: a number for each system if they differ.
        counts = [f"{each['ok']:,}" if each else DASH for each in found]
        n = counts[0] if len(set(counts)) == 1 else " ".join(counts)
        wide_rows.append([*row, Cell(n, is_quiet=True)])
        close_rows.append([*row, Cell(count_range(n), is_quiet=True)])
    names = [screen.names[system] for system in systems]
    header = (*([""] if has_families else []), "metric", *names, "n")
    wide = Table(header if wide_rows else (), wide_rows, n_names=1 + has_families)
    bare = [
        [cell._replace(detail="") if isinstance(cell, Cell) else cell for cell in row]
        for row in close_rows
    ]
    close = replace(wide, rows=close_rows, gap=1)
    layouts: list[Table] = []
    for layout in (close, replace(close, rows=bare, missing=("95 % intervals",))):
        layouts.append(layout)
        if has_families:
            layouts.append(replace(layout.without([0]), missing=layout.missing))
    return replace(wide, narrower=layouts)


def count_range(counts: str) -> str:
    """The lowest and the highest of several counts, `13–28` of `28 13 26`; a dash if one is missing."""
    numbers = counts.split()
    if DASH in numbers and len(numbers) > 1:
        return DASH
    numbers.sort(key=lambda number: int(number.replace(",", "")) if number != DASH else 0)
    return "–".join(dict.fromkeys((numbers[0], numbers[-1]))) if len(numbers) > 1 else counts


def screen_report(screen: FirstScreen, by: Sequence[str] = ()) -> Report:
    """The first screen, at most 25 lines, and below it the means by each field."""
    table, (command, for_all) = screen_table(screen), screen.commands or ("", "")
    more = [each for field in by for each in means_by_field(screen.run, field)]

    def of(n_metrics: int, n_worst: int) -> Report:
        """First the worst answers give way to other lines, then metrics."""

        def shorter() -> Report | None:
            if n_worst > FEWEST_WORST:
                return of(n_metrics, n_worst - 1)
            return of(n_metrics - 1, n_worst) if n_metrics > FEWEST_METRICS else None

        layouts = [replace(each, rows=each.rows[:n_metrics]) for each in (table, *table.narrower)]
        # An id of digits is no number of the text before it.
        worst = [(text, f"id {id}" if id.isdigit() else id) for text, id in screen.worst[:n_worst]]
        return Report(
            screen.headline,
            screen.title,
            [replace(layouts[0], narrower=layouts[1:])],
            notes=screen.notes_below(n_metrics),
            items=[Items("worst found", worst)] if worst else [],
            commands=[command] if command else [],
            command_for_all=for_all,
            cuts_notes=True,
            most_lines=MAX_LINES,
            shorter=shorter,
            more=more,
        )

    return of(len(table.rows), len(screen.worst))


def full_report(screen: FirstScreen, by: Sequence[str] = ()) -> Report:
    """All systems side by side, all findings, and the means by each field: what `--full` prints."""
    run = screen.run
    fields = (table for field in by for table in means_by_field(run, field))
    all_tables = [systems_side_by_side(run), *findings_table(run, in_terminal=True), *fields]
    return Report(screen.title, tables=all_tables)


def answers_report(run: ScoredRun, metric: str, answers: "pl.DataFrame") -> Report:
    """Answers with their values of a metric; texts are cut but in CSV and JSON."""
    shown = run.metric(metric)
    rows: list[tuple[str, ...]] = []
    for row in answers.iter_rows(named=True):
        text = short(row.get("answer") or "", ANSWER_WIDTH)
        rows.append((row["id"], row["system"], number(shown, row["value"]), text))
    header, caption = ("id", "system", shown.name, "answer"), f"Lowest {shown.name}"
    return Report(
        "",
        tables=[Table(header, rows, sides="llrl", wraps=True, caption=caption)],
        records=lambda: (answers.columns, answers.iter_rows()),
        data=answers.to_dicts,
    )


def scores_report(run: ScoredRun, status: str, n_rows: int) -> Report:
    """The first scores with a status, and why they have no value; all of them in CSV and JSON."""
    import polars as pl

    names = {metric.metric: metric.name for metric in run.metrics}
    columns = ("id", "system", "metric", "reason")
    found = run.collect(run.scan().filter(pl.col("status") == status).select(columns))
    given = found.head(n_rows).fill_null("").iter_rows()
    rows = [
        (id, system, names.get(metric) or str(metric), reason)
        for id, system, metric, reason in given
    ]
    more = f"{n_rows} of {counted(found.height, 'score')}; more with -n"
    return Report(
        "",
        tables=[Table(columns, rows, n_names=4, wraps=True, caption=f"Scores: {status}")],
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
    header = ("id", "system", "finding")
    table = Table(header, rows, n_names=3, wraps=True, caption=f"Finding: {text}")
    return Report("", tables=[table])


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
