"""A command and its process: standard streams whose reader may leave, and signals that end it; what is finished is kept."""

import _thread
import faulthandler
import io
import os
import signal
import sys
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from select import select
from threading import Timer
from types import FrameType
from typing import TYPE_CHECKING, TextIO, cast

import click

from ragauge.errors import RagaugeError
from ragauge.report.plain import for_terminal, shortened
from ragauge.storage.regular_file import is_pipe

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
"""SIGHUP arrives when the terminal is closed; Windows does not have it."""
SOON_S = 0.01
HELD_S = 60.0
"""Code in C that keeps Python's lock for less long than this is waited for."""
MAX_CAUSES = 100
PATIENCE_S = 3.0
"""How long a command reads from a pipe before it says what it waits for."""
STANDARD_INPUT = "-"
MAX_LINE_LENGTH = 2_000
"""Longest line of a note or an error: it may quote whatever was typed or read."""


class TerminatedError(KeyboardInterrupt):
    """A signal arrived; everything that cleans up after Ctrl-C does so after this."""

    def __init__(self, signum: int) -> None:
        self.signum = signum
        super().__init__()


@contextmanager
def ended_if_held(seconds: float) -> Generator[None]:
    """Within it, code in C that keeps Python's lock (the GIL) for longer than this ends the process, with the lines where each thread is.

    Neither a time limit nor a signal is seen then.
    """
    ended = threading.Event()

    def watch() -> None:
        is_over, shown = False, sys.__stderr__
        while shown and not is_over:
            faulthandler.dump_traceback_later(seconds, exit=True, file=shown)
            is_over = ended.wait(seconds / 4)
        faulthandler.cancel_dump_traceback_later()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@contextmanager
def stopped_by_signals() -> Generator[None]:
    """Within it, these signals raise TerminatedError, unless somebody handles or ignores them already.

    An interrupt that arrives where nothing can be raised, such as in a destructor, is raised after that.
    """
    is_main = threading.current_thread() is threading.main_thread()
    ours = [each for each in ENDING if is_main and signal.getsignal(each) is signal.SIG_DFL]
    for each in ours:
        signal.signal(each, _stop)
    before = sys.unraisablehook

    def raise_later(unraisable: "sys.UnraisableHookArgs") -> None:
        ended = unraisable.exc_value
        if not isinstance(ended, KeyboardInterrupt):
            before(unraisable)
            return
        signum: int = signal.SIGINT
        if isinstance(ended, TerminatedError):
            signum = ended.signum
            signal.signal(signum, _stop)
        # From another thread: an interrupt raised in here would be lost again.
        Timer(SOON_S, _interrupt, [signum]).start()

    sys.unraisablehook = raise_later
    try:
        yield
    finally:
        sys.unraisablehook = before
        for each in ours:
            signal.signal(each, signal.SIG_DFL)


def _stop(signum: int, frame: FrameType | None) -> None:
    # A second signal ends the process at once.
    signal.signal(signum, signal.SIG_DFL)
    raise TerminatedError(signum)


def _interrupt(signum: int) -> None:
    if hasattr(signal, "pthread_kill"):  # ends a system call that waits, too
        signal.pthread_kill(threading.main_thread().ident or 0, signum)
    else:
        _thread.interrupt_main(signal.Signals(signum))


def interrupt_behind(error: BaseException) -> KeyboardInterrupt | None:
    """The interrupt that an error was raised from, None if there is none.

    Python and libraries wrap what is raised within a callback of theirs: a descriptor's `__set_name__`,
    a comparison within C.
    """
    at: BaseException | None = error
    for _ in range(MAX_CAUSES):  # they may form a circle
        if at is None or isinstance(at, KeyboardInterrupt):
            return at
        at = at.__cause__ or at.__context__
    return None


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
    note = f"still reading {', '.join(named)}; it ends when the program that writes it does"
    timer = Timer(PATIENCE_S, say, [note])
    timer.daemon = True
    if named:
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


def say(*notes: str) -> None:
    """Print notes to standard error."""
    for note in notes:
        click.echo("ragauge: " + "\n".join(map(one_line, note.splitlines())), err=True)


def complain(error: RagaugeError | str) -> None:
    """Print an error to standard error, one line per problem."""
    for line in str(error).splitlines():
        click.echo(f"ragauge: error: {one_line(line)}", err=True)


def one_line(text: str) -> str:
    """A line of a note or an error, as a terminal may show it."""
    return shortened(for_terminal(text), MAX_LINE_LENGTH)
