"""The event loop for all judges and asked systems, in its own thread; and one for what it must not wait for."""

import asyncio
import os
import threading
from collections.abc import Coroutine, Generator, Sequence
from concurrent.futures import CancelledError, wait
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeGuard, TypeVar
from weakref import WeakSet

from ragauge.errors import MetricError

T = TypeVar("T")

STARTED_PER_STEP = 32
"""Tasks started before the loop runs once, so that their requests are sent first."""
POLL_S = 0.5
"""Interval at which waiting threads wake up: a signal just before a wait does not end it."""

_STARTING = threading.Lock()
JUDGES = "ragauge judges"
_loops: dict[str, asyncio.AbstractEventLoop] = {}


def event_loop(name: str = JUDGES) -> asyncio.AbstractEventLoop:
    """The loop of this name, started at first use in a thread of its own.

    It lives as long as the process, because open connections belong to it.
    """
    with _STARTING:
        if name in _loops:
            return _loops[name]
        loop = _loops[name] = asyncio.new_event_loop()

    def serve() -> None:
        while True:
            try:
                loop.run_forever()
            except (SystemExit, KeyboardInterrupt):  # the thread that waits for that task gets it
                continue

    threading.Thread(target=serve, name=name, daemon=True).start()
    return loop


def _reset_after_fork() -> None:
    """A forked process has the loop without its thread."""
    _loops.clear()
    _STARTING.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_STARTING.acquire,
        after_in_parent=_STARTING.release,
        after_in_child=_reset_after_fork,
    )


class Group:
    """Work of one run, on any number of threads, which is cancelled together."""

    def __init__(self) -> None:
        self.is_given_up = False
        self._tasks: WeakSet[asyncio.Task[Any]] = WeakSet()

    def join(self) -> None:
        """Add what this thread waits for from now on to the group."""
        _joined.group = self

    def give_up(self) -> None:
        """Cancel all pending work and interrupt the threads that wait for it."""
        self.is_given_up = True

        def cancel() -> None:
            for task in tuple(self._tasks):
                task.cancel()

        if JUDGES in _loops:
            _loops[JUDGES].call_soon_threadsafe(cancel)

    def hold(self, task: "asyncio.Task[Any]") -> None:
        """Add a task to the group; called on the loop."""
        self._tasks.add(task)
        if self.is_given_up:
            task.cancel()


class _Joined(threading.local):
    group: Group | None = None


_joined = _Joined()
_groups: ContextVar[tuple[Group, ...]] = ContextVar("_groups", default=())


@contextmanager
def cancel_scope() -> Generator[None]:
    """Cancel work started in this block when an error leaves it, unless the thread already has a group."""
    if _joined.group is not None:
        yield
        return
    group = Group()
    group.join()
    try:
        yield
    except BaseException:
        group.give_up()
        raise
    finally:
        _joined.group = None


def run(work: Coroutine[Any, Any, T]) -> T:
    """The result of the work; an interrupt of the waiting thread cancels it.

    KeyboardInterrupt if the thread's group is cancelled, MetricError if the work cancels itself,
    RuntimeError on the loop itself, which would deadlock.
    """
    loop = event_loop()
    own = Group()
    if is_running_here(loop):
        own.give_up()
        loop.create_task(_held(work, (own,)))  # so that its work is cancelled, not left pending
        raise RuntimeError(
            "an async metric, feature or judge cannot wait for rg.score or rg.evaluate: it holds up "
            "the loop that these need; call what it needs with await, or before the run"
        )
    groups = (own,) if _joined.group is None else (own, _joined.group)
    try:
        future = asyncio.run_coroutine_threadsafe(_held(work, groups), loop)
        # Where a library (polars) restarts system calls, only a wait with a timeout can be interrupted.
        while not wait([future], POLL_S).done:
            pass
        return future.result()
    except CancelledError:
        if any(group.is_given_up for group in groups):
            raise KeyboardInterrupt from None
        raise MetricError(
            "an async metric or feature was cancelled from within; have it raise another error"
        ) from None
    except BaseException:
        own.give_up()
        raise


def is_running_here(loop: asyncio.AbstractEventLoop) -> bool:
    try:
        return asyncio.get_running_loop() is loop
    except RuntimeError:
        return False


async def _held(work: Coroutine[Any, Any, T], groups: tuple[Group, ...]) -> T:
    _groups.set(groups)
    _hold(asyncio.current_task())
    return await work


def _hold(task: "asyncio.Task[Any] | None") -> None:
    if task is not None:
        for group in _groups.get():
            group.hold(task)


async def start(work: Sequence[Coroutine[Any, Any, object] | None]) -> list[object]:
    """Start the work as tasks; None stays None."""
    tasks: list[object] = []
    for coroutine in work:
        task = None if coroutine is None else asyncio.create_task(coroutine)
        _hold(task)
        tasks.append(task)
        if task is None:
            continue
        if len(tasks) % STARTED_PER_STEP == 0:
            await asyncio.sleep(0)
    return tasks


def _is_coming(cell: object) -> TypeGuard["asyncio.Task[object]"]:
    return isinstance(cell, asyncio.Task)


async def resolve(cells: Sequence[object]) -> tuple[object, ...]:
    """The cells, with tasks replaced by their results."""
    return tuple([await cell if _is_coming(cell) else cell for cell in cells])


async def gather(columns: Sequence[Sequence[object]]) -> list[list[object]]:
    """The columns, with tasks replaced by their results. The first error cancels all tasks."""
    tasks = [cell for cells in columns for cell in cells if _is_coming(cell)]
    try:
        await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise
    return [[cell.result() if _is_coming(cell) else cell for cell in cells] for cells in columns]
