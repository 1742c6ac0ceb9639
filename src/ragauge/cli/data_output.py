"""Print what is a file's text: CSV, JSON, Markdown, LaTeX."""

import sys

from ragauge.report.plain import data_for_pipe, data_for_terminal


def print_data(text: str) -> None:
    """Print the text; escape sequences by their numbers, and on a terminal all invisible characters."""
    shown = data_for_terminal if sys.stdout.isatty() else data_for_pipe
    # Not by click, which leaves out escape sequences where no terminal reads them.
    sys.stdout.write(shown(text))
