"""Call a function away from our event loop, many times at once: coroutines on a loop of their own, all else in threads. As waking another thread is most of the work of a short call, some calls wait beside those that run."""

import asyncio
import os
import threading
import time
from collections import deque
from collections.abc import Callable
from contextvars import Context
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

from ragauge.calls.loop import event_loop

T = TypeVar("T")
TARGETS = "ragauge targets"
GRACE_S = 1.0
"""How much later than it should a call may begin."""


class TookTooLongError(Exception):
    """The call did not end, or not even begin, in time."""


@dataclass(slots=True, eq=False)
class _Call(Generic[T]):
    """`work` for a thread, or one that makes a coroutine for the loop. `late_s`: when it takes too long."""

    work: Callable[[], Any]
    is_async: bool
    future: "asyncio.Future[T]"
    late_s: float
    task: "asyncio.Task[T] | None" = None
    is_running: bool = False


class Calls(Generic[T]):
    """The calls of one target, in threads or as tasks. At most `n_at_once` run; one of more than `timeout_s` is left behind."""

    def __init__(self, n_at_once: int = 8, timeout_s: float = 120.0) -> None:
        self.n_at_once, self.timeout_s = n_at_once, timeout_s
        self._lock = threading.Lock()
        self._waiting: deque[_Call[T]] = deque()
        self._n_running = 0
        self._handed_over: list[_Call[T]] = []
        self._ended: list[tuple[_Call[T], T]] = []

    async def result(self, work: Callable[[], Any], *, is_async: bool) -> T:
        """The result of `work` in a thread, or of its coroutine in a task; it raises nothing. TookTooLongError after `timeout_s`.

        A task is cancelled with this. A thread cannot be ended: one that never returns does not keep the process alive.
        """
        loop = asyncio.get_running_loop()
        # By then, each of those that run now has made place.
        late_s = time.monotonic() + 2 * self.timeout_s + GRACE_S
        call: _Call[T] = _Call(work, is_async, loop.create_future(), late_s)
        self._handed_over.append(call)
        if len(self._handed_over) == 1:  # one wake-up for all that is handed over now
            loop.call_soon(self._hand_over)
        timer = loop.call_later(self.timeout_s, self._look_at, call)
        try:
            return await call.future
        except BaseException:
            self._leave_behind(call)
            raise
        finally:
            timer.cancel()

    def _look_at(self, call: _Call[T]) -> None:
        left_s = call.late_s - time.monotonic()
        if call.future.done():
            return
        if left_s > 0.0005:
            asyncio.get_running_loop().call_later(min(left_s, self.timeout_s), self._look_at, call)
        else:
            call.future.set_exception(TookTooLongError())

    def _hand_over(self) -> None:
        calls, self._handed_over = self._handed_over, []
        with self._lock:
            self._waiting += calls
        if calls[0].is_async:
            event_loop(TARGETS).call_soon_threadsafe(self._start_tasks)
        else:
            self._start_threads()

    def _next(self) -> _Call[T] | None:
        """The next call, if one may run."""
        with self._lock:
            while self._waiting and self._n_running < self.n_at_once:
                call = self._waiting.popleft()
                if not call.future.done():
                    call.late_s, call.is_running = time.monotonic() + self.timeout_s, True
                    self._n_running += 1
                    return call
        return None

    def _release(self, call: _Call[T]) -> bool:
        """Let another call run; whether this one was running until now."""
        with self._lock:
            was_running, call.is_running = call.is_running, False
            self._n_running -= was_running
        return was_running

    def _leave_behind(self, call: _Call[T]) -> None:
        if not self._release(call):
            return
        if call.is_async:
            event_loop(TARGETS).call_soon_threadsafe(self._cancel, call)
        else:
            self._start_threads()

    def _cancel(self, call: _Call[T]) -> None:
        if call.task is not None:
            call.task.cancel()
        self._start_tasks()

    def _start_tasks(self) -> None:
        """On the loop of targets."""
        while (call := self._next()) is not None:
            task = asyncio.get_running_loop().create_task(call.work(), context=Context())
            call.task = task
            task.add_done_callback(partial(self._task_ended, call))

    def _task_ended(self, call: _Call[T], task: "asyncio.Task[T]") -> None:
        if self._release(call) and not task.cancelled():
            self._end(call, task.result())
        self._start_tasks()

    def _start_threads(self) -> None:
        while (call := self._next()) is not None:
            thread = threading.Thread(
                target=self._serve, args=(call,), name="ragauge target", daemon=True
            )
            thread.start()

    def _serve(self, call: "_Call[T] | None") -> None:
        """In a thread: this call, then those that wait."""
        process = os.getpid()
        while call is not None:
            outcome = Context().run(call.work)
            if os.getpid() != process:  # the target forked: its child must not answer
                os._exit(0)
            if not self._release(call):  # another thread has its place
                return
            self._end(call, outcome)
            call = self._next()

    def _end(self, call: _Call[T], outcome: T) -> None:
        """On any thread."""
        with self._lock:
            self._ended.append((call, outcome))
            is_first = len(self._ended) == 1
        if is_first:
            call.future.get_loop().call_soon_threadsafe(self._resolve)

    def _resolve(self) -> None:
        with self._lock:
            ended, self._ended = self._ended, []
        for call, outcome in ended:
            if not call.future.done():
                call.future.set_result(outcome)
