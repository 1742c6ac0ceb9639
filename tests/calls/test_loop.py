"""The one loop on which judges are asked: whatever is done there, nobody waits for ever."""

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

from ragauge.calls.loop import Group, cancel_scope, event_loop, gather, resolve, run, start
from ragauge.errors import MetricError

PATIENCE_S = 20


async def gives(value):
    await asyncio.sleep(0)
    return value


async def fails(error):
    await asyncio.sleep(0)
    raise error


def test_what_is_begun_stands_where_it_was_given_and_the_first_does_not_wait_for_the_last():
    ran = []

    async def one(at):
        ran.append(at)
        return at

    def given():
        for at in range(100):
            if at == 99:
                assert ran  # the first ran before the last was there
            yield None if at % 3 else one(at)

    async def work():
        return await gather([await start(given())])

    assert run(work()) == [[None if at % 3 else at for at in range(100)]]


class Hanging:
    """Work that never ends by itself; says that it began and that it was given up."""

    def __init__(self):
        self.began, self.ended = threading.Event(), threading.Event()
        self.is_cancelled = False
        self._awaited = asyncio.Event()
        self.let_go = self._awaited.set

    async def work(self):
        self.began.set()
        try:
            await self._awaited.wait()
        except asyncio.CancelledError:
            self.is_cancelled = True
            raise
        finally:
            self.ended.set()


def on_thread(function):
    """What a function does on a thread of its own: what it returned or raised, when it is done."""
    outcome = []

    def work():
        try:
            outcome.append(function())
        except BaseException as error:
            outcome.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()

    def done():
        thread.join(PATIENCE_S)
        assert not thread.is_alive(), "still waiting"
        return outcome[0]

    return done


def test_work_comes_to_its_value_or_its_error_on_any_thread():
    async def main():
        return run(gives(5))

    assert run(gives(5)) == asyncio.run(main()) == 5, "also while the caller has a loop of its own"
    with pytest.raises(ValueError, match="no luck"):
        run(fails(ValueError("no luck")))
    found = [on_thread(lambda at=at: run(gives(at))) for at in range(20)]
    assert [one() for one in found] == list(range(20))
    with cancel_scope():
        cells = run(start([gives(1), None, gives(3)]))
    assert run(gather([cells, ["x", 5, None]])) == [[1, None, 3], ["x", 5, None]]
    assert run(gather([])) == []


def test_there_is_one_loop_for_all_threads_and_it_does_not_hold_the_process():
    found = [on_thread(event_loop) for _ in range(8)]
    assert {one() for one in found} == {event_loop()}
    (thread,) = [one for one in threading.enumerate() if one.name == "ragauge judges"]
    assert thread.daemon


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt()])
def test_work_that_leaves_the_program_leaves_nobody_waiting(error):
    other = on_thread(lambda: run(asyncio.sleep(0.02, "other")))
    with pytest.raises(type(error)):
        run(fails(error))
    assert other() == "other"
    assert run(gives(5)) == 5


@pytest.fixture(params=[True, False], ids=["by itself", "beside polars"])
def is_restarting(request, interruptible):
    """Whether an interrupt ends a system call; a library that handles it too may have it go on."""
    signal.siginterrupt(signal.SIGINT, request.param)
    yield
    signal.siginterrupt(signal.SIGINT, True)


@pytest.mark.usefixtures("is_restarting")
def test_the_interrupt_of_whoever_waits_ends_the_work():
    hanging = Hanging()
    ours = threading.get_ident()

    def interrupt():
        hanging.began.wait(PATIENCE_S)
        time.sleep(0.02)  # so that it waits by then
        signal.pthread_kill(ours, signal.SIGINT)
        released.wait(3)
        event_loop().call_soon_threadsafe(hanging.let_go)

    released = threading.Event()
    on_thread(interrupt)
    with pytest.raises(KeyboardInterrupt):
        run(hanging.work())
    assert hanging.ended.wait(PATIENCE_S)
    assert hanging.is_cancelled
    released.set()


def test_work_that_cancels_itself_is_no_interrupt():
    with pytest.raises(MetricError, match="was cancelled from within"):
        run(fails(asyncio.CancelledError()))
    cells = run(start([gives(1), fails(asyncio.CancelledError())]))
    with pytest.raises(MetricError, match="was cancelled from within"):
        run(gather([cells]))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="resolve is no fork")
def test_a_forked_process_has_a_loop_of_its_own():
    script = """
        import os
        from ragauge.calls.loop import Group, run
        Group().give_up()  # without a loop
        async def gives(value):
            return value
        assert run(gives(5)) == 5
        child = os.fork()
        if child == 0:
            os._exit(run(gives(6)))
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 6
        assert run(gives(7)) == 7
    """
    command = [sys.executable, "-W", "ignore", "-c", textwrap.dedent(script)]
    subprocess.run(command, timeout=PATIENCE_S, check=True)


def test_work_that_was_begun_runs_on_while_other_is_begun():
    hanging = Hanging()
    first = run(start([hanging.work(), None, gives(2)]))
    assert first[1] is None
    assert hanging.began.wait(PATIENCE_S)
    assert run(gather([run(start([resolve((first[2], 3))]))])) == [[(2, 3)]]
    event_loop().call_soon_threadsafe(first[0].cancel)
    assert hanging.ended.wait(PATIENCE_S)


def in_group(group, work):
    """What a function does on a thread of a group."""

    def joined():
        group.join()
        return work()

    return on_thread(joined)


def test_a_group_that_is_given_up_lets_its_threads_go_and_no_others():
    ours, theirs = Group(), Group()
    hanging = [Hanging() for _ in range(3)]
    *done, still = (
        in_group(group, lambda each=each: run(each.work()))
        for group, each in zip((ours, ours, theirs), hanging, strict=True)
    )
    assert all(each.began.wait(PATIENCE_S) for each in hanging)
    ours.give_up()
    assert [type(one()) for one in done] == [KeyboardInterrupt, KeyboardInterrupt]
    assert [each.ended.is_set() for each in hanging] == [True, True, False]
    theirs.give_up()
    assert isinstance(still(), KeyboardInterrupt)


def test_a_thread_of_a_group_that_is_given_up_begins_nothing_more():
    group, hanging = Group(), Hanging()

    def work():
        group.give_up()
        return run(start([hanging.work()]))

    assert isinstance(in_group(group, work)(), KeyboardInterrupt)
    assert not hanging.began.is_set()


def test_what_was_begun_and_is_not_waited_for_is_given_up_too():
    group, hanging = Group(), Hanging()
    in_group(group, lambda: run(start([hanging.work()])))()
    assert hanging.began.wait(PATIENCE_S)
    assert not hanging.ended.is_set()
    group.give_up()
    assert hanging.ended.wait(PATIENCE_S)


def test_within_a_group_its_owner_decides():
    group, hanging = Group(), Hanging()

    def work():
        with cancel_scope():
            run(start([hanging.work()]))
            raise ValueError("no luck")

    assert isinstance(in_group(group, work)(), ValueError)
    time.sleep(0.01)
    assert not hanging.ended.is_set()
    group.give_up()
    assert hanging.ended.wait(PATIENCE_S)


def test_a_group_holds_nothing_that_is_done():
    group = Group()
    work = in_group(group, lambda: run(gather([run(start([gives(at) for at in range(50)]))])))
    assert len(work()[0]) == 50
    run(gives(None))  # its own end is heard by then
    assert len(group._tasks) <= 1
