"""Ask every question of every system: a limited number at a time, each answer kept as soon as it is there."""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from ragauge.asking.calling import Calls, TookTooLongError
from ragauge.asking.function import FunctionTarget, refusal_of
from ragauge.asking.http import HttpTarget
from ragauge.asking.target import (
    MEASURED,
    Answer,
    OpenTarget,
    Response,
    packed,
    read_returned,
    unreadable,
)
from ragauge.calls.budget import CallSize, Price, Usage, estimated_tokens
from ragauge.calls.ledger import Entry, Ledger, LedgerWriter
from ragauge.calls.rate_limit import Permit, RateLimiter
from ragauge.network.endpoints import Unanswered, environment_keys, excerpt, pause_s
from ragauge.storage.cache import digest

MAX_WAIT_S = 60.0
"""The longest pause between two attempts; a system that asks for a longer one refuses."""
MAX_REFUSALS = 8
"""Most attempts where the system asks for fewer requests: the concurrency adapts meanwhile."""
MAX_FAILED_AT_START = 20
"""Where this many answers fail before the first one succeeds, nothing else is asked."""
MIN_SECRET = 12
"""Shorter secrets are not looked for in answers."""
READY_SHARE = 4
"""For this many calls of a function that run, one more is ready to begin."""
WAITS = {"first_wait_s": 0.5, "max_wait_s": MAX_WAIT_S}


@dataclass(frozen=True, slots=True)
class System:
    """A system under test: a target with its settings, under the name that the answers have."""

    name: str
    target: OpenTarget
    variant: Mapping[str, object]
    price: Price | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """One question to one system, `repeat` from 0."""

    system: System
    question: Mapping[str, object]
    repeat: int
    inputs: Mapping[str, object]
    key: bytes

    @property
    def id(self) -> str:
        return str(self.question["id"])


@dataclass(frozen=True, slots=True)
class Limits:
    """How patient and how busy asking is: see `ask`."""

    concurrency: int = 8
    timeout_s: float = 120.0
    retries: int = 2
    again: bool = False


@dataclass(slots=True)
class Tally:
    """How far asking is."""

    n: int
    answered: int = 0
    kept: int = 0
    not_asked: int = 0
    cost_usd: float = 0.0
    n_failed: int = 0

    @property
    def done(self) -> int:
        return self.answered + self.kept + self.n_failed + self.not_asked


@dataclass(eq=False)
class Asking:
    """Asks the jobs of a run; `listener` gets each tally. `stopped`: why the rest was not asked; empty where all was."""

    systems: Sequence[System]
    questions: Sequence[Mapping[str, object]]
    repeat: int
    limits: Limits
    ledger: Ledger[Answer]
    usages: Mapping[str, Usage]
    listener: Callable[[Tally], None] = lambda _: None
    stopped: str = ""

    def __post_init__(self) -> None:
        self.writer = LedgerWriter(self.ledger)
        self.tally = Tally(len(self.systems) * len(self.questions) * self.repeat)
        self.failures: dict[bytes, Answer] = {}
        of_targets = (secret for each in self.systems for secret in each.target.secrets)
        self._secrets = {*environment_keys(), *of_targets}
        # As the JSON of an answer has them; a shorter one may be a word of it.
        self._written = [
            json.dumps(s)[1:-1].encode() for s in self._secrets if len(s) >= MIN_SECRET
        ]

    def jobs(self) -> Iterator[Job]:
        """Every job, the systems of a question side by side, so that an interrupted run compares them.

        The key covers what the target gets. Questions that are equal to the target are numbered in their order.
        """
        seen: Counter[bytes] = Counter()
        for repeat, question, system in product(range(self.repeat), self.questions, self.systems):
            inputs = system.target.inputs(question, system.variant)
            asked = json.dumps(inputs, ensure_ascii=False, sort_keys=True, default=str)
            parts = "answer 1", system.target.identity, asked, str(repeat)
            key = digest(*parts)
            seen[key] += 1
            key = key if seen[key] == 1 else digest(*parts, str(seen[key]))
            yield Job(system, question, repeat, inputs, key)

    async def run(self) -> None:
        """Ask what the ledger does not have."""
        targets = {id(each.target): each.target.target for each in self.systems}
        most, limiters = self.limits.concurrency, dict[int, RateLimiter]()
        for key, target in targets.items():
            # Anything but an endpoint is asked with the full concurrency at once; how much an endpoint bears is found out.
            limiters[key] = RateLimiter(most, at_once=most, **WAITS)
            if isinstance(target, HttpTarget):
                target.open()
                limiters[key] = RateLimiter(most, **WAITS)
            if isinstance(target, FunctionTarget):
                target.threads = Calls(most, self.limits.timeout_s)
                target.tasks = Calls(most, self.limits.timeout_s)
                n_ready = most + most // READY_SHARE
                limiters[key] = RateLimiter(n_ready, at_once=n_ready, **WAITS)
        jobs = self.jobs()

        async def work() -> None:
            for job in jobs:
                if self.limits.again or await self.writer.find_or_lease(job.key) is None:
                    try:
                        await self._ask(job, limiters[id(job.system.target)])
                    finally:
                        self.writer.release(job.key)
                else:
                    self.tally.kept += 1
                self.listener(self.tally)

        # Some wait for a permit, some for the disk.
        workers = [asyncio.ensure_future(work()) for _ in range(2 * most + most // READY_SHARE)]
        try:
            await asyncio.gather(*workers)
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
            for target in targets.values():
                if isinstance(target, HttpTarget):
                    await target.close()

    async def _ask(self, job: Job, limiter: RateLimiter) -> None:
        tally, usage = self.tally, self.usages[job.system.name]
        text = " ".join(str(value) for value in job.inputs.values())
        n_tokens = estimated_tokens(text)
        size = CallSize(job.system.name, len(text), n_tokens, max(200, n_tokens // 4))
        await usage.wait_until_affordable(size)
        self.stopped = self.stopped or usage.refuses(size)
        if self.stopped:
            tally.not_asked += 1
            return
        with usage.reserved(size) as pay:
            answer = await self._attempted(job, limiter)
            if answer is not None and answer.is_ok:
                pay(answer)
                content = packed(answer)
                for secret in self._written:
                    content = content.replace(secret, b"[redacted]")
                asked = json.dumps(job.inputs, ensure_ascii=False, default=str)
                entry = Entry(
                    job.key,
                    source=job.system.name,
                    kind=job.system.name,
                    request=asked,
                    reply=content,
                    characters=size.characters,
                    prompt_tokens=answer.input_tokens,
                    completion_tokens=answer.output_tokens,
                    cost_usd=answer.cost_usd,
                )
                await self.writer.keep(entry)
        if answer is None:
            tally.not_asked += 1
        elif answer.is_ok:
            tally.answered += 1
            tally.cost_usd = sum(each.cost_usd for each in self.usages.values())
        else:
            self.failures[job.key] = answer
            tally.n_failed += 1
            if tally.n_failed == MAX_FAILED_AT_START and not tally.answered + tally.kept:
                self.stopped = f"the first {tally.n_failed} answers all failed"

    async def _attempted(self, job: Job, limiter: RateLimiter) -> Answer | None:
        """The answer, after as many attempts as it takes and the limits allow; None if nothing is asked any more."""
        ticket = limiter.ticket()
        answer, n = Answer("failed"), 0
        while True:
            permit = await limiter.permit(ticket)
            if self.stopped:
                limiter.given_up(permit)
                return replace(answer, attempts=n) if n else None
            n += 1
            start = time.perf_counter()
            answer, refused = await self._once(job, limiter, permit)
            if refused is None:
                return replace(answer, attempts=n)
            most = max(MAX_REFUSALS, self.limits.retries + 1)
            most = most if refused.is_overload else self.limits.retries + 1
            is_too_long = refused.wait_s is not None and refused.wait_s > MAX_WAIT_S
            if n >= most or refused.is_final or is_too_long:
                latency_s = time.perf_counter() - start
                return replace(answer, attempts=n, latency_s=round(latency_s, 6))
            await asyncio.sleep(pause_s(n, refused.wait_s, **WAITS))

    async def _once(
        self, job: Job, limiter: RateLimiter, permit: Permit
    ) -> tuple[Answer, Unanswered | None]:
        """One attempt, reported to the rate limiter; with Unanswered if there is no answer."""
        try:
            is_timed = isinstance(job.system.target.target, FunctionTarget)
            async with asyncio.timeout(None if is_timed else self.limits.timeout_s):
                response = await _asked(job)
        except (TimeoutError, TookTooLongError):
            limiter.lost(permit)
            reason = f"no answer within {self.limits.timeout_s:g} s"
            return Answer("timed_out", reason=reason), Unanswered(reason)
        except asyncio.CancelledError:
            limiter.given_up(permit)
            raise
        except Unanswered as refused:
            if not refused.is_overload:
                limiter.given_up(permit)
                return self._failed(refused), refused
            wait_s = refused.wait_s
            limiter.refused(permit, None if wait_s is None else min(wait_s, MAX_WAIT_S))
            answer = replace(self._failed(refused), status="rate_limited")
            if wait_s is not None and wait_s > MAX_WAIT_S:
                why = f"{answer.reason} (it asks to wait {wait_s:,.0f} s)"
                answer = replace(answer, reason=why)
            return answer, refused
        limiter.answered(permit)
        for _ in range(2):  # so that the next questions are sent before this answer is read
            await asyncio.sleep(0)
        try:
            return self._read(job, response), None
        except Unanswered as refused:
            return self._failed(refused), refused
        except Exception as error:  # of an object's own methods
            refused = unreadable(response.value, error)
            return self._failed(refused), refused

    def _failed(self, refused: Unanswered) -> Answer:
        return Answer("failed", reason=excerpt(refused.reason, self._secrets))

    def _read(self, job: Job, response: Response) -> Answer:
        values = read_returned(response.value, job.id)
        if response.spans is not None:
            from ragauge.asking.spans import traced

            values |= traced(response.spans, job.question, values)
        taken: dict[str, Any] = {name: values.pop(name, None) for name in MEASURED}
        tokens = taken["input_tokens"], taken["output_tokens"]
        if taken["cost_usd"] is None and job.system.price is not None and None not in tokens:
            taken["cost_usd"] = job.system.price.of(*tokens)
        if response.first_token_s is not None:
            taken["first_token_s"] = round(response.first_token_s, 6)
        taken |= {"status": "ok", "reason": None, "attempts": 1}
        taken["latency_s"] = round(response.latency_s, 6)
        return Answer(values=values, **taken)


async def _asked(job: Job) -> Response:
    """What the target returned; whatever it raises is Unanswered."""
    start = time.perf_counter()
    try:
        value = await job.system.target.target.answer(job.inputs)
    except TookTooLongError:
        raise
    except BaseException as error:
        task = asyncio.current_task()
        is_ours = isinstance(error, (asyncio.CancelledError, TimeoutError))
        if is_ours and task is not None and task.cancelling():
            raise
        raise refusal_of(error) from None
    return value if isinstance(value, Response) else Response(value, time.perf_counter() - start)
