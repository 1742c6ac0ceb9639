"""Print plain tables and notes to a terminal; untrusted text is escaped."""

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TextIO

from ragauge.report.plain import for_terminal

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

PIPE_WIDTH, LEAST_WIDTH = 200, 40


def console(file: TextIO) -> "Console":
    """A console that ignores markup; without a terminal its width is that of COLUMNS.

    Raises BrokenPipeError when the reader of a pipe has closed it.
    """
    from rich.console import Console

    class Pipe(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    columns = os.environ.get("COLUMNS", "")
    pipe_width = max(int(columns), LEAST_WIDTH) if columns.isdecimal() else PIPE_WIDTH
    width = None if file.isatty() else pipe_width
    return Pipe(file=file, width=width, markup=False, highlight=False, emoji=False)


def print_table(out: "Console", header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a plain table. The first column never wraps, the others do."""
    out.print(wrapping_table(header, rows))


def wrapping_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> "Table":
    """A plain table whose first column never wraps."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    for name in header:
        table.add_column(plain_text(name), no_wrap=name == header[0], overflow="fold")
    for row in rows:
        table.add_row(*(plain_text(cell) for cell in row))
    return table


def plain_text(text: str, style: str = "") -> "Text":
    """The text escaped, with its line ends."""
    from rich.text import Text

    return Text(for_terminal(text, lines=True), style)
