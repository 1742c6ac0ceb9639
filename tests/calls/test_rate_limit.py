"""On an event loop whose time passes at once, against servers that are simulated on it."""

import asyncio
import random
import selectors
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any

import pytest
from cases import cases
from hypothesis import given, settings
from hypothesis import strategies as st

from ragauge.calls.rate_limit import MAX_CONCURRENCY, RateLimiter


class _Waiting(selectors.SelectSelector):
    """Waits in no time, and counts the seconds."""

    now = 0.0

    def select(self, timeout: float | None = None) -> Any:
        if timeout is None:
            raise RuntimeError("all wait for each other")
        self.now += max(timeout, 0.0)
        return super().select(0)


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self.waiting = _Waiting()
        super().__init__(self.waiting)

    def time(self) -> float:
        return self.waiting.now


def run(work: Coroutine[Any, Any, Any]) -> Any:
    with asyncio.Runner(loop_factory=_Loop) as runner:
        return runner.run(work)


def now() -> float:
    return asyncio.get_running_loop().time()


@dataclass
class Server:
    """Refuses above `limit` at once, above `a_second`, and by `chance`; answers after `latency_s`.

    A request and its answer are under way for `trip_s` together.
    """

    latency_s: float = 0.2
    trip_s: float = 0.004
    limit: int | None = None
    chance: float = 0.0
    a_second: float | None = None
    told_s: float | None = None
    refuses_after_s: float = 0.0
    drawn: random.Random = field(default_factory=lambda: random.Random(5))
    n_in: int = 0
    most: int = 0
    n_asked: int = 0
    n_refused: int = 0
    left: float = 10.0
    filled_at: float = 0.0
    sent_at: list[float] = field(default_factory=list)

    async def asked(self) -> bool:
        self.n_asked += 1
        self.sent_at.append(now())
        await asyncio.sleep(self.trip_s / 2 * self.drawn.uniform(0.5, 1.5))
        answers = not self.refuses()
        if answers:
            self.n_in += 1
            self.most = max(self.most, self.n_in)
            await asyncio.sleep(self.latency_s)
            self.n_in -= 1
        else:
            self.n_refused += 1
            await asyncio.sleep(self.refuses_after_s)
        await asyncio.sleep(self.trip_s / 2 * self.drawn.uniform(0.5, 1.5))
        return answers

    def refuses(self) -> bool:
        if self.a_second is not None:
            self.left = min(self.left + (now() - self.filled_at) * self.a_second, 10.0)
            self.filled_at = now()
            if self.left < 1:
                return True
            self.left -= 1
        is_full = self.limit is not None and self.n_in >= self.limit
        return is_full or self.drawn.random() < self.chance


async def work_off(server: Server, rate_limiter: RateLimiter, n_calls: int) -> float:
    """Ask `n_calls` times, each until it is answered; the seconds that took."""
    random.seed(3)

    async def one() -> None:
        ticket, n_refusals = rate_limiter.ticket(), 0
        while True:
            permit = await rate_limiter.permit(ticket)
            if await server.asked():
                rate_limiter.answered(permit)
                return
            n_refusals += 1
            rate_limiter.refused(permit, server.told_s)
            await asyncio.sleep(server.told_s or min(0.05 * 2**n_refusals, 60))

    await asyncio.gather(*(one() for _ in range(n_calls)))
    return now()


def worked_off(server: Server, n_calls: int = 1200, **limits: Any) -> float:
    async def start() -> float:
        return await work_off(server, RateLimiter(**limits), n_calls)

    return run(start())


async def taken(rate_limiter: RateLimiter, n: int) -> list[Any]:
    return [await rate_limiter.permit(rate_limiter.ticket()) for _ in range(n)]


def waiting_at(rate_limiter: RateLimiter, n: int) -> list[asyncio.Task[Any]]:
    return [asyncio.create_task(rate_limiter.permit(rate_limiter.ticket())) for _ in range(n)]


def levels(server: Server, *phases: tuple[int, dict[str, Any]]) -> list[int]:
    """The level after each phase of so many calls, in which the server is changed as told."""

    async def start() -> list[int]:
        rate_limiter, found = RateLimiter(), []
        for n_calls, changes in phases:
            vars(server).update(changes, n_refused=0)
            await work_off(server, rate_limiter, n_calls)
            found.append(rate_limiter.level)
        return found

    return run(start())


@pytest.mark.parametrize("latency_s", [0.2, 3.0])
def test_without_a_limit_all_that_are_allowed_are_soon_in_flight(latency_s):
    # 1,200 calls, 128 at a time: ten rounds.
    server = Server(latency_s, trip_s=0.0)
    assert worked_off(server) <= 1.1 * 10 * latency_s
    assert (server.most, server.n_refused) == (MAX_CONCURRENCY, 0)


def least_s(n_calls: int, limit: int, latency_s: float = 0.2) -> float:
    """The least seconds that the calls can take, this many at a time; each also takes its trip."""
    return n_calls / limit * (latency_s + 0.004)


@cases(
    *(
        ({"latency_s": latency_s, "limit": 40}, 1200, least_s(1200, 40, latency_s) / 0.9, 12)
        for latency_s in (0.05, 0.2, 1.0)
    ),
    pytest.param({"limit": 40}, 12_000, least_s(12_000, 40) / 0.97, 30, marks=pytest.mark.slow),
    *(
        ({"limit": limit}, n_calls, least_s(n_calls, limit) / 0.85 + 1, 0.05 * n_calls + 12)
        for limit in (1, 2, 3, 7, 20, 64, 127)
        if (n_calls := 12 * limit + 100)
    ),
    # Refusals that come late are not taken for chance, and those by chance hide no limit.
    ({"limit": 40, "refuses_after_s": 0.2}, 1200, least_s(1200, 40) / 0.8, 0.25 * 1200),
    ({"limit": 40, "chance": 0.05}, 3000, 60, 0.2 * 3000),  # 15 s without those by chance
    ({"a_second": 50.0}, 3000, 1.2 * 60, 0.05 * 3000),
)
def test_what_a_server_takes_is_found_and_kept_to(how, n_calls, most_s, most_refused):
    server = Server(**how)
    assert worked_off(server, n_calls) <= most_s
    assert server.n_refused < most_refused


def test_a_limit_that_rises_or_falls_is_noticed():
    low, high = levels(Server(), (300, {"limit": 10}), (6000, {"limit": None}))
    assert low <= 11 and high > 100
    server = Server()
    high, low = levels(server, (1000, {"limit": 100}), (1500, {"limit": 20}))
    assert 95 <= high <= 101 and low <= 22
    assert server.n_refused < 0.2 * 1500


def test_refusals_by_chance_lower_nothing_in_the_end_and_may_turn_into_a_limit():
    server = Server(chance=0.1)
    assert levels(server, (6000, {})) == [MAX_CONCURRENCY]
    assert server.n_refused < 0.15 * 6000
    server = Server(chance=0.1)
    *_, level = levels(server, (3000, {}), (1500, {"chance": 0.0, "limit": 10}))
    assert level <= 12
    assert server.n_refused < 0.2 * 1500


@pytest.mark.parametrize("most", [1, 5, 300])
def test_never_more_are_in_flight_than_is_allowed(most):
    server = Server(trip_s=0.0)
    worked_off(server, 2000, most=most)
    assert server.most == most


def test_a_burst_of_refusals_counts_once():
    async def start() -> RateLimiter:
        rate_limiter = RateLimiter(64)
        turns = await taken(rate_limiter, 8)
        for permit in reversed(turns):  # of a burst whose first three were let in
            (rate_limiter.refused if permit.n > 3 else rate_limiter.given_up)(permit)
        return rate_limiter

    # At most halved of the 8 that were in flight, not halved five times.
    assert run(start()).level == 4


def test_a_busy_loop_lets_in_no_more():
    async def start(busy_s: float) -> int:
        rate_limiter = RateLimiter()
        waiting = waiting_at(rate_limiter, 100)
        for _ in range(200):
            asyncio.get_running_loop().waiting.now += busy_s  # as work does that never waits
            await asyncio.sleep(0)
        for one in waiting:
            one.cancel()
        return rate_limiter.n_in_flight

    assert run(start(0.02)) == 6
    assert run(start(0.001)) > 30


def test_where_even_one_at_a_time_is_refused_the_pauses_double():
    async def start() -> list[float]:
        rate_limiter, waits = RateLimiter(1, first_wait_s=1.0, max_wait_s=5.0), []
        for at in range(6):
            if at == 5:
                rate_limiter.answered(*await taken(rate_limiter, 1))
            rate_limiter.refused(*await taken(rate_limiter, 1))
            start = now()
            rate_limiter.given_up(*await taken(rate_limiter, 1))
            waits.append(now() - start)
        return waits

    for waited, least in zip(run(start()), [1, 2, 4, 5, 5, 1], strict=True):
        assert least <= waited <= 1.11 * least


def test_lost_answers_lower_the_level_only_when_they_are_many():
    async def start(lost: int) -> int:
        rate_limiter = RateLimiter(32)

        async def one(number: int) -> None:
            permit = await rate_limiter.permit(rate_limiter.ticket())
            await asyncio.sleep(0.1)
            (rate_limiter.lost if number % 10 < lost else rate_limiter.answered)(permit)

        await asyncio.gather(*(one(number) for number in range(400)))
        return rate_limiter.level

    assert run(start(1)) == 32
    assert run(start(8)) <= 2


def test_all_wait_when_the_server_says_for_how_long():
    async def start() -> list[float]:
        rate_limiter = RateLimiter(16)
        turns = await taken(rate_limiter, 8)
        for permit, told_s in zip(turns, (20.0, 30.0, 5.0), strict=False):
            rate_limiter.refused(permit, told_s)  # the longest holds
        for permit in turns[3:]:
            rate_limiter.answered(permit)

        async def one() -> float:
            rate_limiter.given_up(*await taken(rate_limiter, 1))
            return now()

        return await asyncio.gather(*(one() for _ in range(3)))

    times = run(start())
    assert min(times) >= 30
    assert max(times) <= 34


def test_after_such_a_wait_they_are_not_let_in_all_at_once():
    async def start() -> list[int]:
        rate_limiter = RateLimiter(64)
        for _ in range(64):
            (permit,) = await taken(rate_limiter, 1)
            asyncio.get_running_loop().call_later(1.0, rate_limiter.answered, permit)
        await asyncio.sleep(2)
        rate_limiter.refused(*await taken(rate_limiter, 1), 10.0)
        waiting = waiting_at(rate_limiter, 64)
        while not rate_limiter.n_in_flight:
            await asyncio.sleep(0.01)
        soon = rate_limiter.n_in_flight
        await asyncio.sleep(2)
        later = rate_limiter.n_in_flight
        for one in waiting:
            one.cancel()
        return [soon, later, rate_limiter.level]

    # A quarter of what goes in the end.
    assert run(start()) == [8, 32, 32]


def test_the_oldest_goes_first_whenever_it_comes():
    async def start() -> list[int]:
        rate_limiter, gone = RateLimiter(1), []

        async def one(ticket: int) -> None:
            permit = await rate_limiter.permit(ticket)
            gone.append(ticket)
            await asyncio.sleep(1)
            rate_limiter.answered(permit)

        tickets = [rate_limiter.ticket() for _ in range(6)]
        await asyncio.gather(*(one(ticket) for ticket in (tickets[i] for i in (4, 3, 5, 0, 2, 1))))
        return gone

    assert run(start()) == [4, 0, 1, 2, 3, 5], "the first found nobody waiting"


def test_who_gives_up_waiting_takes_no_turn():
    async def start() -> int:
        rate_limiter = RateLimiter(1)
        (first,) = await taken(rate_limiter, 1)
        waiting = waiting_at(rate_limiter, 3)
        await asyncio.sleep(1)
        waiting[0].cancel()
        rate_limiter.answered(first)  # the second may go, and is called off before it hears of it
        waiting[1].cancel()
        await asyncio.gather(*waiting[:2], return_exceptions=True)
        await waiting[2]
        return rate_limiter.n_in_flight

    assert run(start()) == 1


def test_nothing_is_done_while_nothing_happens():
    async def start() -> int:
        rate_limiter, loop = RateLimiter(4), asyncio.get_running_loop()
        turns = await taken(rate_limiter, 4)
        (waiting,) = waiting_at(rate_limiter, 1)
        wakes, call_at = [], loop.call_at
        loop.call_at = lambda *call, **more: wakes.append(call) or call_at(*call, **more)
        await asyncio.sleep(1000)
        rate_limiter.answered(turns[0])
        await waiting
        return len(wakes)

    assert run(start()) <= 2  # its own, and that of the sleep


@pytest.mark.parametrize("rpm", [1, 60, 600])
def test_a_minute_never_has_more_requests_than_allowed(rpm):
    server = Server(0.01)
    n_calls = 3 * rpm
    # The first goes at once, the last after all the pauses between.
    assert worked_off(server, n_calls, rpm=rpm) == pytest.approx((n_calls - 1) * 60 / rpm, rel=0.05)
    times = server.sent_at
    assert max(sum(t <= other < t + 59.99 for other in times) for t in times) <= rpm


@pytest.mark.parametrize(("estimate", "actual"), [(200, None), (200, 200), (0, 200), (900, 200)])
def test_tokens_are_estimated_before_and_counted_after(estimate, actual):
    async def start() -> float:
        rate_limiter = RateLimiter(tpm=6000)  # 100 a second
        for _ in range(11):
            permit = await rate_limiter.permit(rate_limiter.ticket(), estimate)
            rate_limiter.answered(permit, actual)
        return now()

    # Ten waits, for each of those before: 200 tokens are two seconds, whatever was thought.
    assert run(start()) == pytest.approx(20, abs=0.1)


def test_unused_requests_are_not_made_up_for_and_tokens_of_a_refused_one_are_given_back():
    async def requests() -> float:
        rate_limiter = RateLimiter(rpm=60)
        rate_limiter.answered(*await taken(rate_limiter, 1))
        await asyncio.sleep(600)
        for _ in range(10):
            rate_limiter.answered(*await taken(rate_limiter, 1))
        return now() - 600

    async def tokens() -> float:
        rate_limiter = RateLimiter(tpm=6000)
        rate_limiter.given_up(*await taken(rate_limiter, 1))
        rate_limiter.refused(await rate_limiter.permit(rate_limiter.ticket(), 5000))
        await rate_limiter.permit(rate_limiter.ticket(), 100)
        return now()

    assert run(requests()) == pytest.approx(9, abs=0.1)
    assert run(tokens()) < 1


@settings(max_examples=3 * settings.default.max_examples // 10)
@given(
    st.integers(1, 40),
    st.floats(0, 0.3),
    st.floats(0.001, 2),
    st.integers(1, 60),
    st.integers(0, 9),
)
def test_every_call_comes_to_an_end(limit, chance, latency_s, most, seed):
    server = Server(latency_s, limit=limit, chance=chance, drawn=random.Random(seed))
    worked_off(server, 100, most=most)
    assert server.n_asked == server.n_refused + 100
    assert server.n_in == 0
