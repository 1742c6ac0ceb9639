"""Check data files: list their columns and their errors."""

from pathlib import Path
from typing import cast

from ragauge.cli.declare import argument, declare
from ragauge.cli.options import SourceOptions
from ragauge.cli.output import OutputOptions, write_report
from ragauge.cli.streams import complain, say
from ragauge.errors import DataError
from ragauge.report.plain import counted
from ragauge.report.report import Cell, Report, Table, figure
from ragauge.samples.fields import FIELDS

SCORED = ("question", "answer", "contexts", "context_ids")
"""Data needs at least one of these columns to be scored."""


@declare("validate")
def command(
    sources: tuple[Path, ...] = argument("FILE...", required=True),
    *,
    reading: SourceOptions,
    writing: OutputOptions,
) -> int:
    """Check data files: read each as `run` does and list its columns and its errors.

    Prints each column with its meaning and its number of null and empty values. Each error names
    its line; the exit code is then 3.
    """
    from ragauge.loaders.loading import load

    targets = writing.targets(sources)
    code = 0
    tables: list[Table] = []
    for source in sources:
        try:
            samples = load(source, **reading.settings)
        except DataError as error:
            complain(error)
            code = error.exit_code
            continue
        say(*samples.notes)
        verdict = "no errors"
        if not {*SCORED} & {*samples.columns}:
            verdict, names = "nothing to score", ", ".join(SCORED)
            say(f"none of the fields {names} found; map a column with --map FIELD=COLUMN")
        rows: list[tuple[str | Cell, ...]] = []
        for name in samples.columns:
            values = cast(list[object], samples.frame[name].to_list())
            n_null = sum(value is None for value in values)
            counts = (len(values) - n_null, n_null, sum(value in ("", []) for value in values))
            known = FIELDS.get(name)
            meaning = known.meaning if known else "extra field, for --by and --where"
            rows.append((name, meaning, *map(figure, counts)))
        header = ("column", "meaning", "rows", "null", "empty")
        title = str(source) if len(sources) > 1 else ""
        n, systems = counted(len(samples), "sample"), counted(len(samples.systems), "system")
        closing = [f"{n} of {systems}; {verdict}"]
        tables.append(Table(header, rows, sides="llrrr", wraps=True, title=title, closing=closing))
    if tables:
        write_report(Report("", tables=tables), targets)
    return code
