"""While the `ragauge` command starts and when it has ended, an interrupt ends it at once with its exit code.

Python imports the package before the command can handle anything; an interrupt then would show where
Python was. An import by anybody else changes no signal. This module imports what Python
itself has imported before it: the module `signal` has not been, its part in C has.
"""

import os
import sys

TYPE_CHECKING = False  # as in `typing`, which has not been imported either
if TYPE_CHECKING:
    import signal
else:
    import _signal as signal

INTERRUPTED = 130
OBJECTS_BETWEEN_COLLECTIONS = 100_000
"""More than the imports of a command make, which leave no garbage."""
NAMES = ("ragauge", "-mragauge", "ragauge.exe")


def is_command() -> bool:
    """Whether this process is the `ragauge` command, by `python -m` or as the installed script."""
    started = sys.orig_argv[-len(sys.argv) :][:1]  # after Python's own options
    return any(os.path.basename(each) in NAMES for each in started)  # noqa: PTH119 - no import


def end_at_interrupt(code: int, said: str = "") -> None:
    """From now on an interrupt ends the process with this code, unless somebody handles it."""

    def end(signum: int, frame: object) -> None:
        os.write(2, said.encode())
        os._exit(code)

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, end)


if is_command():
    end_at_interrupt(INTERRUPTED, "ragauge: interrupted\n")
    import gc

    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
