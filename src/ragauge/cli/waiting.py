"""Say that a command waits for a pipe or for standard input, so that it does not seem to hang."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from threading import Timer

from ragauge.cli import say
from ragauge.storage.regular_file import is_pipe

PATIENCE_S = 3.0
STANDARD_INPUT = "-"


@contextmanager
def saying_if_waiting(sources: Sequence[str]) -> Generator[None]:
    """While the sources are read: after a few seconds, name those that somebody else has to write to."""
    named = [
        "standard input" if source == STANDARD_INPUT else source
        for source in sources
        if source == STANDARD_INPUT or is_pipe(source)
    ]
    if not named:
        yield
        return
    note = f"still reading {', '.join(named)}; it ends when the program that writes it does"
    timer = Timer(PATIENCE_S, say, [note])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
