"""Standard streams: notes and errors, and how a command goes on when its reader has left.

A command ends neither because a reader has left nor because a message cannot be written.
"""

import io
import os
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from select import select
from threading import Timer
from typing import TYPE_CHECKING, TextIO, cast

import click

from ragauge.errors import RagaugeError
from ragauge.report.plain import for_terminal, shortened
from ragauge.storage.regular_file import is_pipe

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

PATIENCE_S = 3.0
"""How long a command reads from a pipe before it says what it waits for."""
STANDARD_INPUT = "-"
MAX_LINE_LENGTH = 2_000
"""Longest line of a note or an error: it may quote whatever was typed or read."""


class _Descriptor(io.RawIOBase):
    """A file descriptor whose errors of these kinds end its output, silently."""

    def __init__(self, descriptor: int, forgiven: type[OSError]) -> None:
        self._descriptor, self._forgiven = descriptor, forgiven
        self._discards = False

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor

    def isatty(self) -> bool:
        return os.isatty(self._descriptor)

    def write(self, data: "ReadableBuffer", /) -> int:
        while not self._discards:
            try:
                return os.write(self._descriptor, data)
            except BlockingIOError:
                select([], [self._descriptor], [])
            except self._forgiven:
                self._discards = True
        return memoryview(data).nbytes


@contextmanager
def prepared_streams() -> Generator[None]:
    """Standard output and standard error in UTF-8, whatever the locale; a closed one discards.

    Once the reader of standard output has left, the rest is discarded and the command ends as usual, so that
    its exit code is its own. No error of standard error ends a command.
    """
    before = sys.stdout, sys.stderr
    sys.stdout = _prepared(sys.stdout, BrokenPipeError, by_line=False)
    sys.stderr = _prepared(sys.stderr, OSError, by_line=True)
    try:
        yield
    finally:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        sys.stdout, sys.stderr = before


def silence(stream: TextIO) -> None:
    """Discard what is still buffered, or Python reports an error at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _prepared(stream: TextIO | None, forgiven: type[OSError], *, by_line: bool) -> TextIO:
    if stream is None:  # it is closed
        return Path(os.devnull).open("w", encoding="utf-8")
    if not isinstance(stream, io.TextIOWrapper):  # somebody's own, such as a notebook's
        return stream
    buffer = cast(object, stream.buffer)
    # With PYTHONUNBUFFERED there is no buffer between.
    raw = cast(object, getattr(buffer, "raw", buffer))
    if not isinstance(raw, io.FileIO):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")
        return cast(TextIO, stream)
    with suppress(OSError):
        stream.flush()
    wrapped = io.TextIOWrapper(
        cast("io.BufferedWriter", io.BufferedWriter(_Descriptor(raw.fileno(), forgiven))),
        encoding="utf-8",
        errors="backslashreplace",
        line_buffering=by_line or raw.isatty(),
    )
    return cast(TextIO, wrapped)


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


def say(note: str) -> None:
    """Print a note to standard error."""
    click.echo("ragauge: " + "\n".join(map(one_line, note.splitlines())), err=True)


def complain(error: RagaugeError | str) -> None:
    """Print an error to standard error, one line per problem."""
    for line in str(error).splitlines():
        click.echo(f"ragauge: error: {one_line(line)}", err=True)


def one_line(text: str) -> str:
    """A line of a note or an error, as a terminal may show it."""
    return shortened(for_terminal(text), MAX_LINE_LENGTH)
