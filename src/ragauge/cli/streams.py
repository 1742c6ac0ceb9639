"""Standard streams that end no command: a reader that has left, or a message that cannot be written."""

import io
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from select import select
from typing import TYPE_CHECKING, TextIO, cast

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


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
