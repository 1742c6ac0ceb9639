"""Pause garbage collection while very many small objects are created."""

import gc
from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock

_changing = Lock()
_pauses: list[bool] = []
"""One entry per active pause: whether the collector was on before the first."""


@contextmanager
def gc_paused() -> Generator[None]:
    """Pause the cyclic garbage collector while creating many objects without reference cycles.

    It would scan all of them again and again: a third of the time of loading. Pauses of several
    threads may overlap: the collector is on again when the last one ends; each earlier one collects
    the new objects once.
    """
    with _changing:
        _pauses.append(gc.isenabled() if not _pauses else _pauses[0])
        gc.disable()
    try:
        yield
    finally:
        with _changing:
            was_on = _pauses.pop()
            if not _pauses and was_on:
                gc.enable()
        if _pauses:
            gc.collect(0)
