"""What the judges of all providers share: parameters, limits, and when a request is sent again."""

import asyncio
import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass

from ragauge.calls.rate_limit import MAX_CONCURRENCY, Permit, RateLimiter
from ragauge.errors import JudgeError, PlanError
from ragauge.judges.managed import JudgeDefaults
from ragauge.judges.protocol import Identity, Reply, Request
from ragauge.network.endpoints import Unanswered, check_above_zero, pause_s, secrets_of
from ragauge.network.redaction import redacted

CHARACTERS_PER_TOKEN = 4
"""An estimate, corrected by the counts in the replies."""
MAX_LOST_AT_START = 4
"""A request that loses this many connections in a row, before any answer, finds the judge down."""


@dataclass(eq=False, repr=False)
class Provider(JudgeDefaults):
    """A model and its settings; ChatEndpoint documents them. PlanError if a number is out of range."""

    model: str
    _: KW_ONLY
    base_url: str | None = None
    temperature: float | None = 0.0
    max_tokens: int | None = None
    seed: int | None = None
    rpm: float | None = None
    tpm: float | None = None
    concurrency: int | None = None
    timeout_s: float = 60
    deadline_s: float = 300
    max_attempts: int = 8
    first_wait_s: float = 0.5
    max_wait_s: float = 60

    def __post_init__(self) -> None:
        limits = ("max_tokens", "rpm", "tpm", "concurrency", "timeout_s", "deadline_s")
        others = ("first_wait_s", "max_wait_s", "max_attempts")
        check_above_zero(self.model, {name: getattr(self, name) for name in (*limits, *others)})
        if self.temperature is not None and not 0 <= self.temperature < math.inf:
            raise PlanError(
                f"{self.model}: temperature is {self.temperature}; it must be 0 or above"
            )
        self._waits = {"first_wait_s": self.first_wait_s, "max_wait_s": self.max_wait_s}
        self._n_answered = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._limiter: RateLimiter | None = None

    def __getstate__(self) -> dict[str, object]:
        """Without what belongs to an event loop; a copy in another process has its own."""
        return {**self.__dict__, "_loop": None, "_limiter": None}

    def __repr__(self) -> str:
        return self.model

    @property
    def name(self) -> str:
        return self.model

    @property
    def identity(self) -> Identity:
        """The model and its requested parameters."""
        parameters = {"temperature": self.temperature, "max_tokens": self.max_tokens}
        return {"model": self.model, **parameters, "seed": self.seed}

    @property
    def most(self) -> int:
        """Maximum concurrent requests."""
        return MAX_CONCURRENCY if self.concurrency is None else self.concurrency

    def secrets(self) -> Sequence[str]:
        """The key, and what is secret in the address."""
        return secrets_of(self.base_url or "", str(getattr(self, "api_key_env", None) or ""))

    def redact(self, text: str) -> str:
        """The text with secrets hidden, in full."""
        return redacted(text, self.secrets())

    @abstractmethod
    async def answer(self, request: Request) -> Reply:
        """The reply to one attempt. Unanswered if another one may succeed, else JudgeError."""

    def on_new_loop(self, loop: asyncio.AbstractEventLoop) -> None:
        """Reset what belongs to the event loop before."""

    async def reply(self, request: Request) -> Reply:
        """The judge's reply to one request, with retries."""
        loop = asyncio.get_running_loop()
        limiter = self._limiter
        if limiter is None or self._loop is not loop:
            limiter = RateLimiter(self.most, rpm=self.rpm, tpm=self.tpm, **self._waits)
            self._loop, self._limiter = loop, limiter
            self.on_new_loop(loop)
        ticket, n_tokens = limiter.ticket(), 0.0
        if self.tpm is not None:
            n_characters = sum(len(message.content) for message in request.messages)
            n_tokens = (n_characters + len(request.stand_in)) / CHARACTERS_PER_TOKEN
        permit = await limiter.permit(ticket, n_tokens)
        start, n_attempts, n_lost = loop.time(), 0, 0
        n_answered, reason = None, f"no whole reply came within {self.deadline_s:g} s"
        try:
            async with asyncio.timeout(self.deadline_s):
                while True:
                    n_attempts += 1
                    outcome = await self._attempt(request, limiter, permit)
                    if isinstance(outcome, Reply):
                        return outcome
                    reason = outcome.reason
                    n_answered = self._n_answered if n_answered is None else n_answered
                    pause = pause_s(n_attempts, outcome.wait_s, **self._waits)
                    if n_attempts == 1 and outcome.is_overload and outcome.wait_s is None:
                        pause /= 8  # soon: the rate limiter has lowered the concurrency
                    is_late = loop.time() + pause >= start + self.deadline_s
                    n_lost = n_lost + 1 if outcome.is_lost else 0
                    is_nobody = n_lost == MAX_LOST_AT_START and not self._n_answered
                    if n_attempts == self.max_attempts or is_late or is_nobody:
                        break
                    await asyncio.sleep(pause)
                    permit = await limiter.permit(ticket, n_tokens)
        except TimeoutError:
            pass
        raise JudgeError(
            f"{self}: no answer in {n_attempts} attempts and {loop.time() - start:.0f} s, the last "
            f"time: {reason}; check the server and base_url, then run the same command again",
            is_down=n_answered in (None, self._n_answered),
        )

    async def _attempt(
        self, request: Request, limiter: RateLimiter, permit: Permit
    ) -> Reply | Unanswered:
        """The outcome of one attempt, reported to the rate limiter."""
        try:
            reply = await self.answer(request)
        except Unanswered as unanswered:
            if not unanswered.is_overload:
                limiter.lost(permit)
            elif unanswered.wait_s is None:
                limiter.refused(permit)
            else:
                limiter.refused(permit, min(unanswered.wait_s, self.max_wait_s))
            return unanswered
        except BaseException:
            limiter.given_up(permit)
            raise
        self._n_answered += 1
        counts = reply.prompt_tokens, reply.completion_tokens
        limiter.answered(permit, None if None in counts else sum(filter(None, counts)))
        return reply
