"""A comparison as a report: whole for files, short for a terminal, and all numbers as data."""

from collections.abc import Sequence
from dataclasses import asdict, replace

from ragauge.comparing.comparison import Comparison, MetricComparison, frame_row
from ragauge.comparing.systems_table import SystemsTable
from ragauge.comparing.words import ComparisonView
from ragauge.report.commands import show_command
from ragauge.report.plain import counted, for_terminal, some
from ragauge.report.report import Cell, Items, Report, Table

WHOLE = 200
"""Most columns of a name in a file."""
IDS_SHOWN, IDS_IN_FILES = 4, 20
ROWS_SHOWN = 12
"""Most rows of the table of all questions in a terminal, unless everything is printed."""
NOTES_SHOWN = 3


def comparison_report(comparison: Comparison) -> Report:
    """Headline, tables, what changed, and notes; CSV has `Comparison.frame`, JSON also the lists of questions.

    LaTeX has a column for each system, and a table for each slice. Other formats have a row for each pair,
    under these tables if there are several pairs.
    """
    view = ComparisonView(comparison, WHOLE)
    systems = [table.table for table in _systems_tables(view)]
    if view.is_single_pair:
        systems = [replace(table, only_in=("latex",)) for table in systems]
    pairs = [replace(table, only_in=("md", "html")) for table in _pair_tables(view)]
    frame = comparison.frame
    return Report(
        view.headline,
        view.title,
        [*systems, *pairs, *([view.effects] if comparison.effects else [])],
        notes=view.notes,
        items=_changes(view, IDS_IN_FILES),
        records=lambda: (frame.columns, frame.iter_rows()),
        data=lambda: comparison_data(view),
        legend=view.legend,
        brief=lambda full: _brief(comparison, full=full),
    )


def _brief(comparison: Comparison, *, full: bool) -> Report:
    """What a terminal shows: at most 25 lines for one pair and ten metrics; `full` has every row and note."""
    view = ComparisonView(comparison)
    rows = comparison.overall
    notes = list(view.notes)
    if view.is_single_pair or full:
        first, *slices = _pair_tables(view)
        first = first if full else replace(first, rows=first.rows[:ROWS_SHOWN])
        titled = zip(slices, comparison.fields, strict=True)
        tables = [first, *(replace(table, title=f"by {field}") for table, field in titled)]
    else:
        tables = [table.brief for table in _systems_tables(view)]
        notes.insert(0, "--full prints every pair with its difference, interval and p")
    if comparison.effects:
        effects = view.effects
        tables.append(effects if full else replace(effects, rows=effects.rows[:ROWS_SHOWN]))
        if len(effects.rows) > ROWS_SHOWN and not full:
            n_more = counted(len(effects.rows) - ROWS_SHOWN, "more effect")
            notes.insert(0, f"{n_more} of settings; --full prints all")
    if view.is_single_pair and len(rows) > ROWS_SHOWN and not full:
        notes.insert(0, f"{counted(len(rows) - ROWS_SHOWN, 'more metric')}; --full prints all")
    if len(notes) > NOTES_SHOWN and not full:
        n_hidden = len(notes) - NOTES_SHOWN + 1
        notes = [*notes[: NOTES_SHOWN - 1], f"{n_hidden} more notes; --full prints them"]
    systems = SystemsTable(view)
    ids = [each.id for row in _changed(view)[:1] for each in (*row.fixed, *row.broken)]
    place = comparison.folders[-1] if comparison.folders else None
    return Report(
        view.headline,
        view.title,
        tables if rows else (),
        notes=notes,
        items=_changes(view, None if full else IDS_SHOWN),
        commands=[show_command(place, ids[0])] if place and ids else (),
        cuts_notes=not full,
        legend=view.legend if view.is_single_pair else f"{systems.legend}: {view.method}",
    )


def _systems_tables(view: ComparisonView) -> Sequence[SystemsTable]:
    """The table of all questions, then that of each slice."""
    keys = dict.fromkeys((row.field, row.value) for row in view.comparison.rows)
    return [SystemsTable(view, field, value) for field, value in keys]


def _pair_tables(view: ComparisonView) -> Sequence[Table]:
    """The pairs of all questions, then those of each field's slices behind the slice's value, which is given once.

    Where room is short, the change and its p stay longest.
    """
    means, change = view.n_names, view.n_names + 2
    gives_way = [(change + 4,), (means, means + 1), (change + 1,), (change + 3,), (change + 2,)]
    rows = [view.cells(row) for row in view.comparison.overall]
    tables = [Table(view.header, rows, view.n_names, gives_way)]
    for field in view.comparison.fields:
        sliced: list[Sequence[str | Cell]] = []
        last: str | None = None
        for row in (row for row in view.comparison.rows if row.field == field):
            sliced.append(
                ("" if row.value == last else view.short(row.value or ""), *view.cells(row))
            )
            last = row.value
        shifted = [[place + 1 for place in places] for places in gives_way]
        header = (view.short(field), *view.header)
        tables.append(Table(header, sliced, view.n_names + 1, shifted))
    return tables


def _changed(view: ComparisonView) -> Sequence[MetricComparison]:
    """The metrics of a single pair with questions that were fixed or broken."""
    rows = view.comparison.overall if view.is_single_pair else ()
    return [row for row in rows if row.fixed or row.broken]


def _changes(view: ComparisonView, n_ids: int | None) -> Sequence[Items]:
    """Of the first metric with changed questions: how many were fixed and broken, and the first ids."""
    lines = [
        (
            f"{word} on {view.short(row.name)}: {n:,}",
            some([for_terminal(each.id) for each in found], n_ids or len(found)),
        )
        for row in _changed(view)[:1]
        for word, n, found in (
            ("fixed", row.counts.fixed, row.fixed),
            ("broken", row.counts.broken, row.broken),
        )
    ]
    return [Items("", lines)] if lines else []


def comparison_data(view: ComparisonView) -> dict[str, object]:
    """Settings, rows with their lists of questions, means and notes, as JSON data."""
    comparison = view.comparison
    return {
        "headline": view.headline,
        "systems": list(comparison.systems),
        "folders": list(comparison.folders),
        "n_questions": comparison.n_questions,
        "by": list(comparison.fields),
        "cluster": comparison.cluster,
        "test": comparison.test,
        "correction": comparison.correction,
        "n_tests": comparison.n_tests,
        "n_permutations": comparison.n_permutations,
        "seed": comparison.seed,
        "rows": [_row_data(row) for row in comparison.rows],
        "means": [asdict(mean) for mean in comparison.means],
        "effects": [asdict(effect) for effect in comparison.effects],
        "notes": [*view.notes, view.legend],
    }


def _row_data(row: MetricComparison) -> dict[str, object]:
    lists = {
        "fixed": [each._asdict() for each in row.fixed],
        "broken": [each._asdict() for each in row.broken],
        "unpaired": [each._asdict() for each in row.unpaired],
    }
    flags = {"lower_is_better": row.lower_is_better, "is_ranked": row.is_ranked}
    return {**frame_row(row), **flags, **lists}
