"""End a command at SIGTERM as at Ctrl-C: what is finished is kept, and a line says so."""

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType


class TerminatedError(KeyboardInterrupt):
    """SIGTERM arrived; everything that cleans up after Ctrl-C does so after this."""


@contextmanager
def stopped_by_sigterm() -> Generator[None]:
    """Within it, SIGTERM raises TerminatedError, unless somebody handles or ignores the signal already."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _stop(signum: int, frame: FrameType | None) -> None:
    # A second signal ends the process at once.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    raise TerminatedError
