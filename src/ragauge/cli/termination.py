"""End a command at SIGTERM and SIGHUP as at Ctrl-C: what is finished is kept, and a line says so."""

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType

ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
"""SIGHUP arrives when the terminal is closed; Windows does not have it."""


class TerminatedError(KeyboardInterrupt):
    """A signal arrived; everything that cleans up after Ctrl-C does so after this."""

    def __init__(self, signum: int) -> None:
        self.exit_code = 128 + signum
        """As a shell reports it."""
        super().__init__()


@contextmanager
def stopped_by_signals() -> Generator[None]:
    """Within it, these signals raise TerminatedError, unless somebody handles or ignores them already."""
    is_main = threading.current_thread() is threading.main_thread()
    ours = [each for each in ENDING if is_main and signal.getsignal(each) is signal.SIG_DFL]
    for each in ours:
        signal.signal(each, _stop)
    try:
        yield
    finally:
        for each in ours:
            signal.signal(each, signal.SIG_DFL)


def _stop(signum: int, frame: FrameType | None) -> None:
    # A second signal ends the process at once.
    signal.signal(signum, signal.SIG_DFL)
    raise TerminatedError(signum)
