"""What a judge of a provider is told: how to ask, how often, and how long."""

import math
from dataclasses import KW_ONLY, dataclass

from ragauge.endpoints import check_above_zero, pause_s
from ragauge.errors import JudgeError
from ragauge.judges.managed import JudgeDefaults
from ragauge.judges.protocol import Identity
from ragauge.judges.providers.rate_limit import MAX_CONCURRENCY, RateLimiter


@dataclass(eq=False, repr=False)
class Settings(JudgeDefaults):
    """A model and how it is asked; what each means is told by ChatEndpoint.

    JudgeError for a number that cannot be meant.
    """

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
        numbers = {name: getattr(self, name) for name in (*limits, *others)}
        check_above_zero(self.model, numbers, JudgeError)
        if self.temperature is not None and not 0 <= self.temperature < math.inf:
            raise JudgeError(
                f"{self.model}: temperature is {self.temperature}; it must be 0 or above"
            )

    @property
    def name(self) -> str:
        return self.model

    @property
    def identity(self) -> Identity:
        """The model and its parameters, as they were asked for."""
        parameters = {"temperature": self.temperature, "max_tokens": self.max_tokens}
        return {"model": self.model, **parameters, "seed": self.seed}

    def redact(self, text: str) -> str:
        """The text as it is: its errors hide their keys already."""
        return text

    @property
    def most(self) -> int:
        """Requests at once, at most."""
        return MAX_CONCURRENCY if self.concurrency is None else self.concurrency

    def new_rate_limiter(self) -> RateLimiter:
        """The pace of one event loop's requests."""
        return RateLimiter(self.most, rpm=self.rpm, tpm=self.tpm, **self._waits)

    def pause_s(self, n_attempts: int, server_wait_s: float | None = None) -> float:
        """Seconds to wait after so many attempts, where the server says `server_wait_s` or nothing."""
        return pause_s(n_attempts, server_wait_s, **self._waits)

    @property
    def _waits(self) -> dict[str, float]:
        return {"first_wait_s": self.first_wait_s, "max_wait_s": self.max_wait_s}
