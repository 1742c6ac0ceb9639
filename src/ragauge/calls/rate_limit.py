"""Limit how fast an endpoint is asked: concurrent requests, and requests and tokens per minute.

The concurrency (level) rises quickly until the first refusal, returns to the last good level, stays below the level that
failed, and retries that level less and less often. Refusals that persist at lower levels have another cause and do not lower it.
All times are the running event loop's. One loop, one thread.
"""

import asyncio
import random
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count

MAX_CONCURRENCY = 128

# Rising: released at the start, unless told otherwise; the level aimed at before the first answer; the rise per second until then.
_AT_ONCE, _FIRST_GOAL, _FIRST_A_SECOND = 6, 72, 800.0
_GROWTH = 1.4
"""Later, the open level grows by e**_GROWTH, about four times, in the duration of one answer."""
_AT_A_TIME = 16
"""One step adds at most one per this many."""
_LATE_S = 0.005
"""A loop that wakes up this late is busy."""
_WINDOWS, _MAX_WINDOWS, _MAX_ANSWERS = 4, 64, 256
"""Windows without refusal before a failed level is tried again, doubled at each failure, up to a maximum of windows,
or of answers if few are in flight. A window is as many answers as are in flight."""
# Falling: the share of refusals covers about _MEMORY outcomes, or as many as are in flight; more than _BLAME halves the level.
_MEMORY, _BLAME = 32, 0.35
_DEEPER = 3
"""Each cut is this many times deeper than the last while cuts do not help."""
# Refusals by chance: more than _SURPRISES at levels considered good are random (doubled when that was wrong), if the last is at most
# a fraction, 1 / _FAR_BELOW, of the first failed level. _CLEAN answers since a cut end the suspicion. If the share rises by _MORE
# after that, they are not all random; after _STRIKES such times, they were not random.
_SURPRISES, _MAX_SURPRISES, _FAR_BELOW, _CLEAN, _MORE, _STRIKES = 2, 64, 4, 200, 0.2, 3


@dataclass(slots=True, eq=False)
class Permit:
    """Permission to send a request now.

    `n`: requests in flight, itself included. `order`: its position among all sent requests.
    """

    n: int
    order: int
    since: float
    n_tokens: float


class RateLimiter:
    """Releases requests, the oldest first.

    `most`: maximum in flight. `at_once`: released at the start. `rpm`, `tpm`: maximum requests and tokens
    per minute, spread evenly. `first_wait_s`, `max_wait_s`: first and longest pause if even a single
    request in flight is refused; pauses double.

        permit = await limiter.permit(limiter.ticket(), n_tokens)
        ... then call exactly one of answered, refused, lost and given_up
    """

    def __init__(
        self,
        most: int = MAX_CONCURRENCY,
        *,
        at_once: float = _AT_ONCE,
        rpm: float | None = None,
        tpm: float | None = None,
        first_wait_s: float = 0.5,
        max_wait_s: float = 60.0,
    ) -> None:
        self.most = most
        self.n_in_flight = 0
        self._requests, self._tokens = _Bucket(rpm), _Bucket(tpm)
        self._first_wait_s, self._longest_wait_s = first_wait_s, max_wait_s
        self._tickets, self._places = count(), count()
        self._waiting: list[tuple[int, int, float, asyncio.Future[Permit]]] = []
        self._alarm: asyncio.TimerHandle | None = None
        # `_open` requests may be in flight now; it rises to `level`.
        self.level = min(most, max(_FIRST_GOAL, int(at_once)))
        self._open = float(min(most, at_once))
        self._risen_at = self._resume_at = 0.0
        self._answer_s: float | None = None
        # The lowest level that failed, and counts since then.
        self._ceiling: int | None = None
        self._n_sent = self._cut_at = self._raised_at = 0
        self._n_answers = self._n_clean = self._n_windows = self._n_pauses = 0
        self._floor, self._step, self._windows = 1, 1, _WINDOWS
        # Whether refusals depend on the level.
        self._refused_share = 0.0
        self._n_surprises, self._enough_surprises = 0, _SURPRISES
        self._level_before, self._failed_first = self.level, self.level
        self._is_chance, self._bearable, self._n_strikes = False, 0.0, 0

    def ticket(self) -> int:
        """A position in the order of requests; a retry keeps it."""
        return next(self._tickets)

    async def permit(self, ticket: int, n_tokens: float = 0.0) -> Permit:
        """Wait until this request may be sent. `n_tokens`: its estimated tokens."""
        future: asyncio.Future[Permit] = asyncio.get_running_loop().create_future()
        heappush(self._waiting, (ticket, next(self._places), n_tokens, future))
        self._release()
        try:
            return await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled():
                self.given_up(future.result())
            raise

    def answered(self, permit: Permit, n_tokens: float | None = None) -> None:
        """Report an answer. `n_tokens`: its tokens, None if the endpoint does not report them."""
        took_s = asyncio.get_running_loop().time() - permit.since
        known_s = took_s if self._answer_s is None else self._answer_s
        self._answer_s = known_s + (took_s - known_s) / 8
        self._refused_share -= self._refused_share / max(_MEMORY, self.level)
        self._n_pauses = 0
        if n_tokens is not None:
            self._tokens.take(n_tokens - permit.n_tokens, permit.since)
        if permit.order > self._cut_at and self._waiting:  # it is informative
            self._n_answers += 1
            if self._n_answers >= _CLEAN:
                self._n_surprises = self._n_strikes = 0
            if self._ceiling is None:
                self.level = min(self.level + 2, self.most)
            elif permit.order > self._raised_at and self._open >= self.level:
                self._n_clean += 1
                if self._n_clean >= self.level:
                    self._end_window(self._ceiling)
        self._leave()

    def refused(self, permit: Permit, wait_s: float | None = None) -> None:
        """Report a refusal for overload (429, 503). `wait_s`: Retry-After, if any."""
        self._tokens.take(-permit.n_tokens, permit.since)
        self._refused_share += (1 - self._refused_share) / max(_MEMORY, self.level)
        if not self._is_by_chance(permit):
            is_least = permit.n == self.level == 1
            self._learn_bad(permit)
            if wait_s is None and is_least:
                grown_s = self._first_wait_s * 2.0 ** min(self._n_pauses, 60)
                wait_s = min(grown_s, self._longest_wait_s)
                self._n_pauses += 1
            if wait_s is not None:  # then not all at once
                resume_at = asyncio.get_running_loop().time() + wait_s * random.uniform(1, 1.1)
                self._resume_at = max(self._resume_at, resume_at)
                self._open = max(1.0, min(self._open, self.level / 4))
        self._leave()

    def lost(self, permit: Permit) -> None:
        """Report that no answer came: a timeout, a lost connection, a server error.

        Only many of these lower the level: an overloaded server loses what it does not refuse.
        """
        self._refused_share += (1 - self._refused_share) / max(_MEMORY, self.level)
        if self._refused_share > _BLAME and permit.order > self._cut_at:
            self._cut(self.level // 2, failed=self.level)
        self._leave()

    def given_up(self, permit: Permit) -> None:  # noqa: ARG002
        """Report a cancelled request, or one refused for its content: no information on the level."""
        self._leave()

    def _leave(self) -> None:
        self.n_in_flight -= 1
        self._release()

    def _release(self) -> None:
        """Release requests that may go, and set a timer for the others."""
        now = asyncio.get_running_loop().time()
        while self._waiting and self.n_in_flight < int(self._open):
            ready_at = max(self._resume_at, self._requests.free_at, self._tokens.free_at)
            if ready_at > now:
                self._look_again(ready_at)
                return
            _, _, n_tokens, future = heappop(self._waiting)
            if future.done():
                continue
            self.n_in_flight += 1
            self._n_sent += 1
            self._requests.take(1, now)
            self._tokens.take(n_tokens, now)
            future.set_result(Permit(self.n_in_flight, self._n_sent, now, n_tokens))
        if self._waiting and self._open < self.level:
            self._risen_at = self._risen_at or now
            self._look_again(now + (int(self._open) + 1 - self._open) / self._rise_a_second())

    def _look_again(self, when: float) -> None:
        loop = asyncio.get_running_loop()
        # Timers have a resolution of a millisecond; a shorter one would keep the loop busy.
        when = max(when, loop.time() + 0.001)
        if self._alarm is None or self._alarm.when() > when:
            if self._alarm is not None:
                self._alarm.cancel()
            self._alarm = loop.call_at(when, self._wake_up, when)

    def _wake_up(self, due: float) -> None:
        """Open more for the time since the last rise, but not where the loop was busy, as it received no refusal then."""
        self._alarm = None
        now = asyncio.get_running_loop().time()
        since = max(self._risen_at, self._resume_at)
        if now - due < _LATE_S and since < now:
            more = min((now - since) * self._rise_a_second(), max(1.0, self._open / _AT_A_TIME))
            self._open = min(self._open + more, float(self.level))
        self._risen_at = now
        self._release()

    def _rise_a_second(self) -> float:
        if self._answer_s is None:
            return _FIRST_A_SECOND
        return _GROWTH * self._open / max(self._answer_s, 0.001)

    def _end_window(self, ceiling: int) -> None:
        """Raise the level after a window without refusal."""
        self._n_clean = 0
        self._n_windows += 1
        if self.level >= ceiling:  # the level that failed is good now
            self._step, self._windows = self._step * 2, _WINDOWS
            self._try(self.level + self._step)
        elif self.level + 1 < ceiling:
            self.level += max(1, (ceiling - 1 - self.level) // 4)
        elif self._n_windows >= self._windows:
            most = max(_MAX_WINDOWS, _MAX_ANSWERS // self.level)
            self._windows = min(self._windows * 2, most)
            self._try(ceiling)

    def _try(self, level: int) -> None:
        self.level = min(level, self.most)
        self._n_windows = 0
        self._raised_at = self._n_sent

    def _learn_bad(self, permit: Permit) -> None:
        """Lower the level, once for all requests sent before it was lowered."""
        if permit.order <= self._cut_at:
            self._lower(max(permit.n - 1, self._floor))
            self._ceiling = min(self._ceiling or permit.n, self.level + 1)
            return
        if self._n_surprises == 0:
            self._level_before, self._failed_first = self.level, permit.n
        is_known = permit.n > 1 or self._n_answers > 0
        self._n_surprises += self._ceiling is not None and permit.n < self._ceiling and is_known
        if self._refused_share > _BLAME:
            self._cut(self.level // 2, failed=permit.n)
        elif self._n_surprises > self._enough_surprises and permit.n <= max(
            self._failed_first // _FAR_BELOW, 1
        ):
            # Few refusals came at every level: return to the level of the first, and rise.
            self._is_chance, self._bearable = True, min(self._refused_share + _MORE, _BLAME)
            self._ceiling = None
            self._n_surprises = self._n_strikes = 0
            self.level = max(self.level, self._level_before)
        else:
            level = permit.n - _DEEPER ** min(self._n_surprises, 9)
            self._cut(max(level, int(self._open) // 2), failed=permit.n)

    def _cut(self, level: int, *, failed: int) -> None:
        self._floor = max(int(self._open) // 2, 1)
        self._ceiling = max(failed, 2)
        self._cut_at = self._n_sent
        self._n_answers = self._n_clean = self._n_windows = 0
        self._step = 1
        self._lower(level)

    def _lower(self, level: int) -> None:
        self.level = max(min(level, self.level), 1)
        self._open = min(self._open, float(self.level))

    def _is_by_chance(self, permit: Permit) -> bool:
        """Whether a refusal is one of the random ones; if there are clearly more, or a lower level does not help, they are not."""
        if not self._is_chance or permit.order <= self._cut_at:
            return self._is_chance
        if self._refused_share > self._bearable:
            self._n_strikes += 1
            self._is_chance = self._n_strikes < _STRIKES
            if self._is_chance:
                self._cut(self.level // 2, failed=self.level)
            else:
                self._enough_surprises = min(2 * self._enough_surprises, _MAX_SURPRISES)
        return self._is_chance


class _Bucket:
    """An evenly spread rate per minute: taking some makes the next wait until `free_at`. Of unused rate a twentieth of a second's is kept: timers may be that late."""

    def __init__(self, a_minute: float | None) -> None:
        self._each_s = 0.0 if a_minute is None else 60.0 / a_minute
        self.free_at = 0.0

    def take(self, n: float, now: float) -> None:
        """Take `n`; negative gives back."""
        if self._each_s:
            start = self.free_at if n < 0 else max(self.free_at, now - 0.05)
            self.free_at = start + n * self._each_s
