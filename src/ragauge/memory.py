"""How memory is looked after where very many small objects live at once."""

import gc
from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock

_changing = Lock()
_resting: list[bool] = []
"""For each that has the collector rest, whether it was on when that began."""


@contextmanager
def gc_paused() -> Generator[None]:
    """Rest the collector of circular garbage while many objects come to be that make no circles.

    It would look through all of them again and again: a third of the time of loading, a fifth of
    that of measuring. They are freed by counting all the same. Several threads may have it rest at
    the same time: it is on again when the last one ends; whoever ends before looks through what
    came new, once.
    """
    with _changing:
        _resting.append(gc.isenabled() if not _resting else _resting[0])
        gc.disable()
    try:
        yield
    finally:
        with _changing:
            was_on = _resting.pop()
            if not _resting and was_on:
                gc.enable()
        if _resting:
            gc.collect(0)
