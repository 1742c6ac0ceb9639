"""Write the first screen to a terminal, in at most 25 lines, and as Markdown."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ragauge.report.plain import for_markdown, for_terminal, shortened
from ragauge.report.table_formats import markdown_table
from ragauge.runs.scored_run import ScoredRun
from ragauge.views.first_screen import WIDTH, FirstScreen
from ragauge.views.first_screen_table import fitting_table

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    _Part = Text | Table | None
    """A line, the table, or a blank line that may give way."""

MAX_LINES = 25
FEWEST_METRICS, FEWEST_WORST = 6, 1
"""What a screen keeps when other lines need the space."""


def print_first_screen(out: "Console", run: ScoredRun) -> None:
    """Print the first screen: at most 25 lines of 100 columns."""
    from rich.text import Text

    screen = FirstScreen(run)
    n_commands = len(screen.commands)
    parts = _parts(out, screen)
    blanks = MAX_LINES - n_commands - _height(parts)
    for part in parts:
        if part is not None:
            out.print(part, no_wrap=True)
        elif blanks > 0:
            blanks -= 1
            out.print()
    if n_commands and blanks > 0:
        out.print()
    for name, command in zip(("next: ", "all:  "), screen.commands, strict=False):
        out.print(Text(name).append(for_terminal(command), "cyan"), soft_wrap=True)


def _parts(out: "Console", screen: FirstScreen) -> "Sequence[_Part]":
    """The parts above the commands: first the worst answers give way to other lines, then metrics."""
    n_metrics, n_worst = len(screen.rows), len(screen.worst)
    while True:
        parts = list(_parts_of(out, screen, n_metrics, n_worst))
        if _height(parts) + len(screen.commands) <= MAX_LINES:
            return parts
        if n_worst > FEWEST_WORST:
            n_worst -= 1
        elif n_metrics > FEWEST_METRICS:
            n_metrics -= 1
        else:
            return parts


def _height(parts: "Sequence[_Part]") -> int:
    """How many lines the parts have without the blank ones, which give way first."""
    from rich.table import Table

    heights = (
        part.row_count + 2 if isinstance(part, Table) else part is not None for part in parts
    )
    return sum(heights)


def _parts_of(
    out: "Console", screen: FirstScreen, n_metrics: int, n_worst: int
) -> "Iterator[_Part]":
    from rich.text import Text

    width = min(out.width, WIDTH)
    for line in Text(for_terminal(screen.headline), "bold").wrap(out, width):
        line.rstrip()
        yield line
    yield Text(for_terminal(screen.title), "dim")
    lacks = ""
    if screen.rows:
        yield None
        rows = screen.rows[:n_metrics]
        table, lacks = fitting_table(out, screen.header, rows, has_families=screen.has_families)
        yield table
    for note in filter(None, (lacks, *screen.notes_below(n_metrics))):
        yield Text(shortened(f"  {for_terminal(note)}", width), "dim")
    if screen.worst:
        yield None
        yield Text("worst found", "bold")
    for text, id in screen.worst[:n_worst]:
        named = for_terminal(f"id {id}" if id.isdigit() else id)  # no number of the text before it
        line = shortened(f"  {for_terminal(text)}", width - len(named) - 2)
        yield Text(line).append(f"  {named}", "cyan")


def first_screen_markdown(run: ScoredRun) -> str:
    """The same for a Markdown file."""
    screen = FirstScreen(run)
    rows = [
        (*((row.family,) if screen.has_families else ()), row.metric, *map(str, row.cells), row.n)
        for row in screen.rows
    ]
    header = screen.header
    n_names = 2 if screen.has_families else 1
    alignment = "l" * n_names + "r" * (len(header) - n_names)
    table = "\n".join(markdown_table(header, rows, alignment))
    worst = [f"- {for_markdown(text)} ({for_markdown(id)})" for text, id in screen.worst]
    notes = [for_markdown(note) for note in screen.notes]
    headline = f"**{for_markdown(screen.headline)}**"
    parts = [headline, table if rows else "", *notes, "\n".join(worst)]
    return "\n\n".join(part for part in parts if part) + "\n"
