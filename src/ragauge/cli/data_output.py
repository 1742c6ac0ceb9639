"""Print what is a file's text: CSV, JSON, Markdown, LaTeX."""

import sys

from ragauge.report.plain import data_for_terminal


def print_data(text: str) -> None:
    """Print the text as it is, since it may become a file; to a terminal with invisible characters by their numbers."""
    # Not by click, which leaves out escape sequences where no terminal reads them.
    sys.stdout.write(data_for_terminal(text) if sys.stdout.isatty() else text)
