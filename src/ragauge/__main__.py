"""`python -m ragauge`, and the `ragauge` command."""

import atexit
import gc
import signal
import sys

from ragauge.cli import main as command
from ragauge.start import end_at_interrupt


def main() -> None:
    """Run the command, and exit with its code."""
    # What is registered first is called last: after it Python clears up, and no longer calls handlers.
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)
    if callable(signal.getsignal(signal.SIGINT)):
        signal.signal(signal.SIGINT, signal.default_int_handler)
    code: object = 0
    try:
        command()
    except SystemExit as exiting:
        code = exiting.code
    gc.freeze()  # what is left ends with the process: it is not searched for garbage
    end_at_interrupt(code if isinstance(code, int) else 0)
    # Python kills itself by SIGINT, whatever the exit code, if an interrupt was raised within the last code
    # that was executed from a text, as dataclasses do; executing any text forgets that.
    exec("")
    sys.exit(code)  # pyright: ignore[reportArgumentType]


if __name__ == "__main__":
    main()
