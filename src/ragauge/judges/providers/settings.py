"""Settings that judges of all providers share: parameters, limits, retries."""

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass

from ragauge.calls.rate_limit import MAX_CONCURRENCY, RateLimiter
from ragauge.errors import PlanError
from ragauge.judges.managed import JudgeDefaults
from ragauge.judges.protocol import Identity
from ragauge.network.endpoints import check_above_zero, pause_s, secrets_of
from ragauge.network.redaction import redacted


@dataclass(eq=False, repr=False)
class Settings(JudgeDefaults):
    """A model and its settings; ChatEndpoint documents them.

    PlanError if a number is out of range.
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
        check_above_zero(self.model, numbers)
        if self.temperature is not None and not 0 <= self.temperature < math.inf:
            raise PlanError(
                [f"{self.model}: temperature is {self.temperature}; it must be 0 or above"]
            )

    @property
    def name(self) -> str:
        return self.model

    @property
    def identity(self) -> Identity:
        """The model and its requested parameters."""
        parameters = {"temperature": self.temperature, "max_tokens": self.max_tokens}
        return {"model": self.model, **parameters, "seed": self.seed}

    def secrets(self) -> Sequence[str]:
        """The key, and what is secret in the address."""
        return secrets_of(self.base_url or "", str(getattr(self, "api_key_env", None) or ""))

    def redact(self, text: str) -> str:
        """The text with secrets hidden, in full."""
        return redacted(text, self.secrets())

    @property
    def most(self) -> int:
        """Maximum concurrent requests."""
        return MAX_CONCURRENCY if self.concurrency is None else self.concurrency

    def new_rate_limiter(self) -> RateLimiter:
        """A rate limiter for one event loop."""
        return RateLimiter(self.most, rpm=self.rpm, tpm=self.tpm, **self._waits)

    def pause_s(self, n_attempts: int, server_wait_s: float | None = None) -> float:
        """Seconds to wait after `n_attempts`. `server_wait_s`: Retry-After, if any."""
        return pause_s(n_attempts, server_wait_s, **self._waits)

    @property
    def _waits(self) -> dict[str, float]:
        return {"first_wait_s": self.first_wait_s, "max_wait_s": self.max_wait_s}
