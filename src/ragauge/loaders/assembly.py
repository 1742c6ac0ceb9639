"""Turn tables into samples: name the fields, read the cells, join the sources."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ragauge.errors import DataError, Problem
from ragauge.loaders.conflicts import Prefer
from ragauge.loaders.contents import without_unknown
from ragauge.loaders.csv import read_cells, read_json_lists, read_printed_lists
from ragauge.loaders.join import join
from ragauge.loaders.mapping import (
    ALIASES_IN_GOLD,
    GIVEN_BY_ANSWERS,
    Naming,
    absent,
    name_columns,
    renamed_rows,
)
from ragauge.loaders.passages import unpack_contexts
from ragauge.loaders.table import Table
from ragauge.samples.frame import from_rows
from ragauge.samples.samples import Row, Samples


@dataclass(frozen=True, slots=True)
class Answers:
    """A table of answers, and the name of its system if the user gave one."""

    table: Table
    system: str | None = None


def assemble(
    answers: Sequence[Answers],
    gold: Table | None = None,
    chosen: Mapping[str, str] | None = None,
    *,
    prefer: Prefer | None = None,
    by_place: bool = False,
) -> Samples:
    """One set of samples; DataError lists the problems of all sources.

    `chosen` maps a field to the column that the user chose for it. `prefer` and `by_place` are those
    of `join`.
    """
    chosen = chosen or {}
    tables = [
        _with_fields(given, _chosen_in(given.table, chosen), has_gold=gold is not None)
        for given in answers
    ]
    tables = [
        _with_system(table, given.system) for table, given in zip(tables, answers, strict=True)
    ]
    problems = _absent([given.table for given in answers], gold, chosen)
    if gold is not None:
        gold = gold_with_fields(gold, chosen)
        tables.append(gold)
    problems += [problem for table in tables for problem in table.problems]
    problems += [
        Problem("holds no samples; is it the right file?", table.source)
        for table in tables
        if not table.rows and not table.problems
    ]
    notes = [note for table in tables for note in _notes(table, len(tables) > 1)]
    rows = tuple(row for table in tables[: len(answers)] for row in table.rows)
    if not problems:
        joined = join(
            rows,
            None if gold is None else gold.rows,
            prefer=prefer,
            by_place=by_place,
            one_table=len(answers) == 1,
        )
        rows = joined.rows
        notes += joined.notes
        problems += joined.problems
    source = ", ".join(dict.fromkeys(table.source for table in tables))
    return _samples(rows, source, notes, problems)


def _samples(
    rows: Sequence[Row], source: str, notes: Sequence[str], problems: Sequence[Problem]
) -> Samples:
    """The samples; DataError with these problems and those of the rows' values."""
    if problems and not rows:
        raise DataError(problems)
    try:
        samples = from_rows(rows, source, notes)
    except DataError as error:
        raise DataError([*problems, *error.problems]) from None
    if problems:
        raise DataError(problems)
    return samples


def _chosen_in(table: Table, chosen: Mapping[str, str]) -> Mapping[str, str]:
    columns = table.columns()
    return {field: column for field, column in chosen.items() if column in columns}


def _absent(
    answers: Sequence[Table], gold: Table | None, chosen: Mapping[str, str]
) -> list[Problem]:
    """Problems for chosen columns that a source does not have.

    A column that only the gold has belongs to the gold.
    """
    problems: list[Problem] = []
    for field, column in chosen.items():
        unavailable = [table for table in answers if table.rows and column not in table.columns()]
        if gold is not None and column in gold.columns() and len(unavailable) == len(answers):
            continue
        problems += [
            Problem(absent(field, column, table.columns()), table.source) for table in unavailable
        ]
    return problems


def _with_fields(answers: Answers, chosen: Mapping[str, str], *, has_gold: bool) -> Table:
    if not answers.table.rows:
        return answers.table
    settled = () if answers.system is None else ("system",)
    naming = name_columns(answers.table.columns(), chosen, settled=settled, has_gold=has_gold)
    return _renamed(answers.table, naming)


def gold_with_fields(gold: Table, chosen: Mapping[str, str]) -> Table:
    """The gold with fields as names, and with the problems of its values."""
    if not gold.rows:
        return gold
    here = {
        field: column
        for field, column in _chosen_in(gold, chosen).items()
        if field not in GIVEN_BY_ANSWERS
    }
    return _checked(_renamed(gold, name_columns(gold.columns(), here, aliases=ALIASES_IN_GOLD)))


def _renamed(table: Table, naming: Naming) -> Table:
    """The table with columns renamed to fields, and its cells and contexts read."""
    problems = [*table.problems, *(Problem(text, table.source) for text in naming.problems)]
    if naming.problems:
        return replace(table, rows=(), problems=tuple(problems))
    rows = renamed_rows(table.rows, naming)
    if table.all_text:
        rows = read_cells(rows, problems)
    elif table.may_print_lists:
        rows = read_printed_lists(rows)
    else:
        rows = read_json_lists(rows)
    rows, notes = unpack_contexts(rows, problems)
    rows, left_out = without_unknown(rows)
    notes = (*table.notes, *naming.notes, *notes, *left_out)
    return Table(tuple(rows), table.source, notes, tuple(problems))


def _with_system(table: Table, system: str | None) -> Table:
    """The table as answers of that system; a conflicting `system` column is a problem."""
    if system is None:
        return table
    others: dict[object, Row] = {}
    for row in table.rows:
        name = row.values.get("system")
        if name is not None and name != system:
            others.setdefault(repr(name), row)
    problems = [other_system_problem(row, str(name), system) for name, row in others.items()]
    rows = tuple(Row({**row.values, "system": system}, row.source, row.line) for row in table.rows)
    return replace(table, rows=rows, problems=(*table.problems, *problems))


def other_system_problem(row: Row, name: str, system: str) -> Problem:
    """The problem of a row with another system than the one that was given for all."""
    problem = f"is {name}, but the answers were given as system {system!r}; remove one of the two"
    return Problem(problem, row.source, row.line, "system")


def _checked(gold: Table) -> Table:
    """The gold with the problems of its values, found once and not again for every system."""
    if gold.problems or not gold.rows:
        return gold
    try:
        from_rows(gold.rows, gold.source)
    except DataError as error:
        return replace(gold, problems=error.problems)
    return gold


def _notes(table: Table, several: bool) -> list[str]:
    return [f"{table.source}: {note}" if several else note for note in table.notes]
