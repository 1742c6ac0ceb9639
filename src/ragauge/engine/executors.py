"""Ways to measure batches besides one after the other: on threads, in worker processes, as many rows at a time as a budget covers."""

import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from importlib.machinery import PathFinder
from itertools import chain, count

import polars as pl

from ragauge.engine.graph import Plan
from ragauge.engine.measure import BatchRows, NumberedBatches, Results, measure, score_frame
from ragauge.engine.resources import Resources
from ragauge.errors import MetricError, WorkerError
from ragauge.samples.fields import Columns
from ragauge.samples.samples import columns_of

WAIT_S = 0.2
"""An interrupt is noticed only between waits, so each is short."""
MAX_KILLED = 3
KILLED = (
    "worker processes are killed again and again, by hand or because memory runs out; use fewer of them: "
    "-j 1 (in Python workers=1); the same command resumes a run in a folder"
)
SHARE = 0.8
"""The share of what is left of the budget that the next rows may need: some replies are asked for twice."""
MAX_ROWS = 200
"""Rows whose calls are counted beforehand, at most."""


def on_threads(plan: Plan, batches: NumberedBatches, resources: Resources, n: int = 1) -> Results:
    """Batches on threads of this process: for metrics that wait or release the GIL."""
    group = None
    if plan.has_async_nodes:  # the threads' waits are cancelled together
        from ragauge.calls.loop import Group

        group = Group()

    def scored(batch: BatchRows) -> pl.DataFrame:
        return score_frame(plan, columns_of(batch), resources)

    pool = ThreadPoolExecutor(n, initializer=group.join if group else None)
    submitted = ((number, pool.submit(scored, batch)) for number, batch in batches)
    return _as_finished(pool, submitted, n, group.give_up if group else None)


def within_budget(plan: Plan, batches: NumberedBatches, resources: Resources) -> Results:
    """Rows in their order, as many at a time as what is left of the judges' budget covers.

    Rows that are started together may all lack some of their scores when the budget ends. So the last
    rows are judged a few at a time, then one by one.
    """
    for number, batch in batches:
        columns, start = columns_of(batch), 0
        frames: list[pl.DataFrame] = []
        while start < len(columns["id"]):
            stop = start + _n_covered(plan, columns, resources, start)
            # On a thread, so that an interrupt is noticed at once.
            frames += (
                f for _, f in on_threads(plan, [(0, _rows(columns, start, stop))], resources)
            )
            start = stop
        yield number, pl.concat(frames)


def in_processes(plan: Plan, batches: NumberedBatches, resources: Resources, n: int = 1) -> Results:
    """Batches in worker processes, which are spawned: polars does not survive a fork.

    If a worker is killed, its batches and those of the others are measured again by new ones. After
    MAX_KILLED times it is WorkerError.
    """
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    resources.threads = max(1, (os.cpu_count() or 1) // n)
    waiting = iter(batches)
    unfinished: dict[int, BatchRows] = {}
    for n_killed in count(1):
        pool = ProcessPoolExecutor(n, get_context("spawn"), _start_worker, (plan, resources))

        def submitted(
            batches: NumberedBatches, pool: Executor
        ) -> Iterator[tuple[int, Future[pl.DataFrame]]]:
            for number, batch in batches:
                unfinished[number] = batch
                yield number, pool.submit(_measure, batch)

        again = chain(list(unfinished.items()), waiting)
        try:
            for number, frame in _as_finished(pool, submitted(again, pool), n):
                del unfinished[number]
                yield number, frame
            return
        except BrokenProcessPool:
            if n_killed > MAX_KILLED:
                raise WorkerError(KILLED) from None


def is_portable(plan: Plan) -> bool:
    """Whether another process can import every function of the plan; not those from a notebook."""
    for node in plan.nodes:
        function = getattr(node.definition.function, "func", node.definition.function)
        module = str(getattr(function, "__module__", "__main__"))
        # Nested functions cannot be found by their name in their module.
        found: object = sys.modules.get(module)
        for word in str(getattr(function, "__qualname__", "<locals>")).split("."):
            found = getattr(found, word, None)
        if found is not function or module == "__main__":
            return False
        top = module.partition(".")[0]
        if top != "ragauge":
            # Would it import the same file? Not by a finder of this process only, as of editable installs.
            spec = PathFinder.find_spec(top)
            if spec is None or spec.origin != getattr(sys.modules.get(top), "__file__", None):
                return False
    return True


def _as_finished(
    pool: Executor,
    submitted: Iterable[tuple[int, Future[pl.DataFrame]]],
    n_workers: int,
    give_up: Callable[[], None] | None = None,
) -> Results:
    """Results in the order in which they finish; at most two batches per worker are in progress."""
    numbers: dict[Future[pl.DataFrame], int] = {}
    waiting = iter(submitted)
    with pool:
        try:
            while True:
                while len(numbers) < 2 * n_workers and (batch := next(waiting, None)) is not None:
                    number, future = batch
                    numbers[future] = number
                if not numbers:
                    return
                done, _ = wait(numbers, timeout=WAIT_S, return_when=FIRST_COMPLETED)
                for future in sorted(done, key=numbers.__getitem__):
                    yield numbers.pop(future), future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            if give_up:
                give_up()
            raise


_worker_state: tuple[Plan, Resources] | None = None


def _start_worker(plan: Plan, resources: Resources) -> None:
    from multiprocessing import parent_process

    def exit_with_parent() -> None:
        """End this worker when its parent process ends, even if that was killed."""
        if (parent := parent_process()) is not None:
            parent.join()
            os._exit(1)

    global _worker_state
    os.environ.setdefault("POLARS_MAX_THREADS", "1")  # the batches are the parallel work
    gc.freeze()  # loaded modules stay: the collector need not scan them again
    threading.Thread(target=exit_with_parent, daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what an interrupt means
    _worker_state = plan, resources


def _measure(batch: BatchRows) -> pl.DataFrame:
    assert _worker_state is not None
    plan, resources = _worker_state
    return score_frame(plan, columns_of(batch), resources)


def _n_covered(plan: Plan, columns: Columns, resources: Resources, start: int) -> int:
    """The number of rows from `start` on that what is left of every judge's budget covers, counted
    as in a dry run; at least 1. All rows if no judge may be asked any more."""
    usages = {name: session.usage for name, session in resources.judges.items()}
    n_left = len(columns["id"]) - start
    if all(usage.used_up for usage in usages.values()):
        return n_left
    if any(usage.is_cost_unknown for usage in usages.values()):
        return 1
    estimating, judged = resources.for_estimate(), plan.for_judges()
    expected = {name: session.usage for name, session in estimating.judges.items()}
    for n in range(min(n_left, MAX_ROWS)):
        try:
            measure(judged, _rows(columns, start + n, start + n + 1), estimating)
            is_covered = all(usage.covers(expected[it], SHARE) for it, usage in usages.items())
        except MetricError:  # a metric of the user's own that cannot read a likely reply
            is_covered = False
        if not is_covered:
            return max(n, 1)
    return min(n_left, MAX_ROWS)


def _rows(columns: Columns, start: int, stop: int) -> Columns:
    return {name: cells[start:stop] for name, cells in columns.items()}
