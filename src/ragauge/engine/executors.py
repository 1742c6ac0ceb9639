"""Where batches are measured: in this process, on threads or in worker processes.

Each executor has one method, `map`: a plan and numbered batches in, numbered score frames out, in
the order in which they are finished. Same rows, same numbers, whichever executor.
"""

import gc
import os
import signal
import sys
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING, Protocol

from ragauge.engine.engine import waits
from ragauge.engine.frames import score_frame
from ragauge.engine.plan import Plan
from ragauge.engine.resources import Resources
from ragauge.sample import Columns

if TYPE_CHECKING:
    import polars as pl

    from ragauge.judges.loop import Group

Batch = tuple[int, Columns]

ROWS_WORTH_WORKERS = 6_000
"""Below this many rows, worker processes take longer to start than they save."""


WAIT_S = 0.2
BATCHES_UNDER_JUDGES = 2
"""So many batches wait for judges at the same time: one's last replies hold nobody up."""


class Measuring(Protocol):
    """Anything that measures batches."""

    def map(self, plan: Plan, batches: Iterable[Batch]) -> "Iterator[tuple[int, pl.DataFrame]]":
        """The scores of each batch, as they are finished."""
        ...


@dataclass(frozen=True, slots=True)
class InProcess:
    """One batch after the other, here."""

    resources: Resources = field(default_factory=Resources, compare=False)

    def map(self, plan: Plan, batches: Iterable[Batch]) -> "Iterator[tuple[int, pl.DataFrame]]":
        for number, columns in batches:
            yield number, score_frame(plan, columns, self.resources)


@dataclass(frozen=True, slots=True)
class Threads:
    """Batches on threads of this process: for metrics that wait or release the lock."""

    n: int
    resources: Resources = field(default_factory=Resources, compare=False)

    def map(self, plan: Plan, batches: Iterable[Batch]) -> "Iterator[tuple[int, pl.DataFrame]]":
        group = _group(plan)
        with ThreadPoolExecutor(self.n, initializer=group.join if group else None) as pool:
            submitted = (
                (number, pool.submit(score_frame, plan, cells, self.resources))
                for number, cells in batches
            )
            try:
                yield from _as_finished(submitted, self.n)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                if group:
                    group.give_up()
                raise


def _group(plan: Plan) -> "Group | None":
    """What the threads wait for is given up together."""
    if not waits(plan):
        return None
    from ragauge.judges.loop import Group

    return Group()


@dataclass(frozen=True, slots=True)
class Processes:
    """Batches in worker processes, started afresh: polars does not survive a fork."""

    n: int
    resources: Resources = field(default_factory=Resources, compare=False)

    def map(self, plan: Plan, batches: Iterable[Batch]) -> "Iterator[tuple[int, pl.DataFrame]]":
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        context = get_context("spawn")
        self.resources.threads = max(1, (os.cpu_count() or 1) // self.n)
        given = (plan, self.resources)
        with ProcessPoolExecutor(self.n, context, initializer=_start, initargs=given) as pool:
            try:
                submitted = ((number, pool.submit(_work, cells)) for number, cells in batches)
                yield from _as_finished(submitted, self.n)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise


def choose(plan: Plan, n_rows: int, workers: int, resources: Resources | None = None) -> Measuring:
    """The executor for so many rows: processes where they pay and can find every metric's code.

    Threads where batches wait for judges, or where Python runs them side by side; under one lock they
    would only get in each other's way.
    """
    resources = Resources() if resources is None else resources
    if waits(plan):
        return Threads(BATCHES_UNDER_JUDGES, resources)
    if workers <= 1:
        return InProcess(resources)
    if n_rows >= ROWS_WORTH_WORKERS and is_portable(plan) and resources.is_portable():
        return Processes(workers, resources)
    has_lock = getattr(sys, "_is_gil_enabled", lambda: True)()
    return InProcess(resources) if has_lock else Threads(workers, resources)


def is_portable(plan: Plan) -> bool:
    """Whether another process can import all that the plan calls: nothing made in a notebook."""
    functions = [_unwrapped(node.definition.function) for node in plan.nodes]
    modules = {_module(function) for function in functions}
    return all(map(_is_reachable, functions)) and all(
        module != "__main__" and _can_import(module) for module in modules
    )


def _as_finished(
    submitted: "Iterable[tuple[int, Future[pl.DataFrame]]]", n_workers: int
) -> "Iterator[tuple[int, pl.DataFrame]]":
    """Results as they come; only a few batches are under way at a time, whatever their number."""
    numbers: dict[Future[pl.DataFrame], int] = {}
    waiting = iter(submitted)
    while True:
        while len(numbers) < 2 * n_workers and (one := next(waiting, None)) is not None:
            numbers[one[1]] = one[0]
        if not numbers:
            return
        # In short waits: an interrupt is heard between them, and by nobody within one.
        done, _ = wait(numbers, timeout=WAIT_S, return_when=FIRST_COMPLETED)
        for future in sorted(done, key=numbers.__getitem__):
            yield numbers.pop(future), future.result()


_given: tuple[Plan, Resources] | None = None
"""The plan and the resources of this worker process."""


def _start(plan: Plan, resources: Resources) -> None:
    global _given
    os.environ.setdefault("POLARS_MAX_THREADS", "1")  # the batches are the parallel work
    gc.freeze()  # what is loaded stays: no collection need look at it again
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what an interrupt means
    _given = plan, resources


def _leave_with_parent() -> None:
    """End this worker when the parent was killed: nobody waits for its batches then."""
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(columns: Columns) -> "pl.DataFrame":
    assert _given is not None
    plan, resources = _given
    return score_frame(plan, columns, resources)


def _unwrapped(function: object) -> object:
    return getattr(function, "func", function)


def _module(function: object) -> str:
    return str(getattr(function, "__module__", "__main__"))


def _is_reachable(function: object) -> bool:
    """Whether its module has it under its name; a function made inside another one it has not."""
    name = str(getattr(function, "__qualname__", "<locals>"))
    found: object = sys.modules.get(_module(function))
    for word in name.split("."):
        found = getattr(found, word, None)
    return found is function


def _can_import(module: str) -> bool:
    """Whether a fresh process finds this very module; one loaded from a file by hand it does not."""
    if module.startswith("ragauge."):
        return True
    name, places = "", None
    spec = None
    for word in module.split("."):
        name = f"{name}.{word}" if name else word
        try:
            spec = PathFinder.find_spec(name, places)
        except (ImportError, ValueError):
            return False
        if spec is None:
            return False
        places = spec.submodule_search_locations
    return spec is not None and spec.origin == getattr(sys.modules.get(module), "__file__", None)
