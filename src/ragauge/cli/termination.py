"""End a command at Ctrl-C, SIGTERM and SIGHUP: what is finished is kept, and a line says so."""

import _thread
import signal
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType

ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
"""SIGHUP arrives when the terminal is closed; Windows does not have it."""
SOON_S = 0.01
MAX_CAUSES = 100


class TerminatedError(KeyboardInterrupt):
    """A signal arrived; everything that cleans up after Ctrl-C does so after this."""

    def __init__(self, signum: int) -> None:
        self.signum = signum
        self.exit_code = 128 + signum
        """As a shell reports it."""
        super().__init__()


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
        threading.Timer(SOON_S, _interrupt, [signum]).start()

    sys.unraisablehook = raise_later
    try:
        yield
    finally:
        sys.unraisablehook = before
        for each in ours:
            signal.signal(each, signal.SIG_DFL)


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


def _stop(signum: int, frame: FrameType | None) -> None:
    # A second signal ends the process at once.
    signal.signal(signum, signal.SIG_DFL)
    raise TerminatedError(signum)
