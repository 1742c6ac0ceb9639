"""Many calls at once: how many run, what times out, and whose place a call takes."""

import asyncio
import threading
import time
from contextvars import ContextVar

import pytest

import ragauge as rg

QUESTIONS = [{"id": f"q{n}", "question": f"Question {n}?"} for n in range(60)]


class Running:
    """Counts how many calls run at once; the first `stuck` of them wait for `leave`."""

    def __init__(self, stuck=0):
        self.now = self.most = self.begun = 0
        self.stuck, self.leave, self.lock = stuck, threading.Event(), threading.Lock()

    def step(self, by):
        with self.lock:
            self.now += by
            self.begun += by > 0
            self.most = max(self.most, self.now)
            return self.begun

    def in_thread(self, question):
        n = self.step(1)
        if n <= self.stuck:
            self.leave.wait(60)
        time.sleep(0.01)
        self.step(-1)
        return "x"

    async def as_task(self, question):
        self.step(1)
        await asyncio.sleep(0.01)
        self.step(-1)
        return "x"


@pytest.mark.parametrize("kind", ["in_thread", "as_task"])
@pytest.mark.parametrize("concurrency", [1, 8])
def test_no_more_calls_run_at_once_than_are_allowed_and_all_that_are(kind, concurrency):
    running = Running()
    answers = rg.ask(QUESTIONS, getattr(running, kind), concurrency=concurrency)
    assert answers.samples.frame["status"].to_list() == ["ok"] * 60
    assert (running.most, running.begun) == (concurrency, 60)
    assert max(answers.samples.frame["latency_s"]) < 5  # none of it is waiting for others


def test_a_thread_that_hangs_gives_its_place_to_another():
    running = Running(stuck=8)
    answers = rg.ask(QUESTIONS, running.in_thread, concurrency=8, timeout_s=0.5, retries=0)
    running.leave.set()
    counted = dict(answers.samples.frame["status"].value_counts().rows())
    assert counted == {"timed_out": 8, "ok": 52}


def test_a_loop_that_is_blocked_holds_up_nobody():
    leave = threading.Event()

    async def blocks(question):
        leave.wait(60)
        return "x"

    begun = time.monotonic()
    try:
        answers = rg.ask(QUESTIONS[:12], blocks, concurrency=8, timeout_s=0.2, retries=0)
    finally:
        leave.set()
    assert set(answers.samples.frame["status"]) == {"timed_out"}
    assert time.monotonic() - begun < 30


def test_a_task_that_takes_too_long_is_cancelled():
    cancelled = []

    async def slow(question):
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.append(question)
            raise

    found = rg.ask(QUESTIONS[:9], slow, timeout_s=0.1, retries=0).samples.frame["status"]
    for _ in range(200):
        if len(cancelled) == 9:
            break
        time.sleep(0.01)
    assert (set(found), len(cancelled)) == ({"timed_out"}, 9)


def test_what_one_question_sets_in_its_context_no_other_sees():
    seen = ContextVar("seen", default="nothing")

    def answer(question):
        before = seen.get()
        seen.set(question)
        return before

    answers = rg.ask(QUESTIONS, answer, concurrency=2)
    assert set(answers.samples.frame["answer"]) == {"nothing"}
