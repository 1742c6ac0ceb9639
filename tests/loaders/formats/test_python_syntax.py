"""Python's syntax is read in several threads, in which CPython 3.11 fails if two read at once."""

import gc
import threading
import time
from collections.abc import Iterator

import pytest

from ragauge.loaders.formats.printed import parsed

SOURCE = "\n".join(
    f"def f{at}(a):\n    return [[[[a + {at}]]], {{'b': (a, {at})}}]" for at in range(60)
)


@pytest.fixture
def interrupted() -> Iterator[None]:
    """Garbage is collected while a tree is built, and another thread goes on meanwhile."""
    before = gc.get_threshold()

    def let_others(*_: object) -> None:
        time.sleep(0)

    gc.callbacks.append(let_others)
    gc.set_threshold(20)
    yield
    gc.set_threshold(*before)
    gc.callbacks.remove(let_others)


@pytest.mark.usefixtures("interrupted")
def test_several_threads_read_at_once():
    failures: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(5):
                parsed(SOURCE)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(60)
    assert not failures
