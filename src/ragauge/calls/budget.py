"""The cost of calls: counted during a run, limited by a budget, estimated before."""

from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, cast

from ragauge.calls.ledger import Ledger, TokenUsage
from ragauge.storage.tomlfile import shipped_toml

if TYPE_CHECKING:
    import asyncio

CHARACTERS_PER_TOKEN = 4.0
"""In plain English; other scripts have less than 1.5."""
SPREAD = 0.25
"""Relative error of a token estimate without known replies of the judge."""
SPREAD_KNOWN = 0.1
"""Relative error with KNOWN_CALLS known replies."""
KNOWN_CALLS = 20
Range = tuple[float, float, float]
"""Low, likely, high."""


def estimated_tokens(text: str) -> int:
    """Estimated tokens of a text: a quarter of its ASCII characters, plus all others.

    >>> estimated_tokens("four letters"), estimated_tokens("四個字母")
    (3, 4)
    """
    n_ascii = len(text) if text.isascii() else len(text.encode("ascii", "ignore"))
    return round(n_ascii / CHARACTERS_PER_TOKEN) + len(text) - n_ascii


@dataclass(frozen=True, slots=True)
class Price:
    """The price of a million tokens, in US dollars."""

    prompt: float
    reply: float

    def of(self, prompt_tokens: float, completion_tokens: float) -> float:
        """The cost in US dollars."""
        return (self.prompt * prompt_tokens + self.reply * completion_tokens) / 1e6


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of a run; None means no limit. `price`: the model's, if known."""

    max_calls: int | None = None
    max_cost_usd: float | None = None
    price: Price | None = None

    @property
    def is_limited(self) -> bool:
        return self.max_calls is not None or self.max_cost_usd is not None


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """Calls that a run would still make, with their tokens and cost."""

    calls: int
    prompt_tokens: Range
    completion_tokens: Range
    cost_usd: Range | None


@dataclass(frozen=True, slots=True)
class CallSize:
    """The size of a call: what is sent in characters and estimated tokens, the reply in estimated tokens.

    Calls of one `kind` (a judge's prompt, a system) are alike in cost.
    """

    kind: str
    characters: int
    tokens: int
    reply_tokens: int


class Spent(Protocol):
    """What a reply says of its tokens and cost; None where it does not."""

    @property
    def prompt_tokens(self) -> int | None: ...
    @property
    def completion_tokens(self) -> int | None: ...
    @property
    def cost_usd(self) -> float | None: ...


@dataclass
class Usage:
    """Calls, tokens and cost of one judge or system in a run. One event loop writes; other threads may read."""

    source: str
    budget: Budget
    ledger: Ledger[Any] | None = None
    calls: int = 0
    cached: int = 0
    failed: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float = 0.0
    without_count: int = 0
    refused: int = 0
    used_up: str = ""
    """Why the budget allows no more calls; empty while it does."""
    n_in_flight: int = 0
    """Calls that were in flight when the cost reached the budget; only they can exceed it."""
    _held_usd: float = 0.0
    _pending: Counter[str] = field(default_factory=Counter[str])
    _tried: set[str] = field(default_factory=set[str])
    _highest_usd: dict[str, float] = field(default_factory=dict[str, float])
    """The highest cost that a call of a kind reported: what the next may cost, where there is no price."""
    _reported: dict[str, TokenUsage] = field(default_factory=dict[str, TokenUsage])
    _expected: dict[bytes, CallSize] = field(default_factory=dict[bytes, CallSize])
    _turn: "asyncio.Lock | None" = None
    _ended: "asyncio.Event | None" = None

    def expect(self, key: bytes, size: CallSize) -> None:
        """Count a call that would be made."""
        self._expected[key] = size

    def refuses(self, size: CallSize) -> str:
        """Why the budget does not allow this call; empty if it does.

        After one refusal all calls are refused: a later, cheaper call would begin a row that cannot be
        finished.
        """
        most, dollars = self.budget.max_calls, self.budget.max_cost_usd
        is_over = dollars is not None and self.cost_usd + self._max_cost(size) > dollars
        if not self.used_up and most is not None and self.calls >= most:
            self.used_up = f"the budget of {most:,} calls is used up"
        elif not self.used_up and is_over:
            self.used_up = f"the budget of ${dollars:g} does not allow another call"
        self.refused += bool(self.used_up)
        return self.used_up

    def must_wait(self, size: CallSize) -> bool:
        """Whether pending calls must finish before the budget can allow this call.

        They may cost less than reserved, and the first call of a prompt shows what others cost.
        """
        dollars = self.budget.max_cost_usd
        if dollars is None or self.used_up or not self._pending.total():
            return False
        is_known = size.kind in self._tried or self._usage(size.kind) is not None
        if self._pending[size.kind] and not is_known:
            return True
        return self.cost_usd + self._held_usd + self._max_cost(size) > dollars

    async def wait_until_affordable(
        self, size: CallSize, is_over: Callable[[], bool] = lambda: False
    ) -> None:
        """Wait while pending calls must finish before the budget can allow this call, or until `is_over`."""
        import asyncio

        self._turn = self._turn or asyncio.Lock()
        async with self._turn:
            while not is_over() and self.must_wait(size):
                self._ended = self._ended or asyncio.Event()
                await self._ended.wait()

    @contextmanager
    def reserved(self, size: CallSize) -> Generator[Callable[[Spent], None]]:
        """Reserve the cost of a call; call the result with its reply."""
        held = self._max_cost(size) if self.budget.max_cost_usd is not None else 0.0
        self._held_usd += held
        self._pending[size.kind] += 1
        self.calls += 1
        replies: list[Spent] = []
        try:
            yield replies.append
        finally:
            self._held_usd -= held
            self._pending[size.kind] -= 1
            self._tried.add(size.kind)
            for reply in replies:
                self._pay(size, reply)
            self.failed += not replies
            if self._ended is not None:  # those that wait look again
                self._ended.set()
                self._ended = None

    def for_estimate(self) -> "Usage":
        """A count of expected calls that knows the replies so far."""
        other = Usage(self.source, self.budget, self.ledger, _reported=self._reported)
        other.__dict__["_known"] = self._known
        return other

    @property
    def is_cost_unknown(self) -> bool:
        """Whether the cost is limited and no reply of this judge has shown what a call costs."""
        return self.budget.max_cost_usd is not None and not (self._reported or self._known)

    def covers(self, expected: "Usage", share: float) -> bool:
        """Whether this share of what is left of the budget covers the calls that `expected` counted."""
        most, dollars = self.budget.max_calls, self.budget.max_cost_usd
        if most is not None and len(expected._expected) > share * (most - self.calls):
            return False
        if dollars is None:
            return True
        likely = sum(map(expected._max_cost, expected._expected.values()))
        return likely <= share * (dollars - self.cost_usd)

    def estimate(self) -> CostEstimate:
        """Tokens and cost of the expected calls."""
        tokens = [self._likely_tokens(size) for size in self._expected.values()]
        columns = zip(*((*prompt, *reply) for prompt, reply in tokens), strict=True)
        sums = [sum(column, 0.0) for column in columns] or [0.0] * 6
        prompt, completion = (sums[0], sums[1], sums[2]), (sums[3], sums[4], sums[5])
        price, cost = self.budget.price, None
        if price is not None:
            low, likely, high = map(price.of, prompt, completion)
            cost = low, likely, high
        return CostEstimate(len(tokens), prompt, completion, cost)

    def as_data(self) -> dict[str, object]:
        """As JSON data."""
        return {
            "calls": self.calls,
            "cached": self.cached,
            "failed": self.failed,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "cost_usd": self.cost_usd if self.cost_usd or self.budget.price else None,
            "calls_without_count": self.without_count,
            "refused_by_budget": self.refused,
            "over_budget_usd": self._over_budget_usd,
            "in_flight_at_budget": self.n_in_flight,
        }

    @property
    def _over_budget_usd(self) -> float:
        dollars = self.budget.max_cost_usd
        return 0.0 if dollars is None else max(0.0, self.cost_usd - dollars)

    def _pay(self, size: CallSize, reply: Spent) -> None:
        n_prompt, n_reply = reply.prompt_tokens, reply.completion_tokens
        if n_prompt is None or n_reply is None:
            self.without_count += 1
            (_, prompt, _), (_, completion, _) = self._likely_tokens(size)
        else:
            prompt, completion = n_prompt, n_reply
            known = self._reported.get(size.kind, TokenUsage(0, 0, 0, 0))
            own = TokenUsage(1, size.characters, n_prompt, n_reply)
            self._reported[size.kind] = _added(known, own)
        self.prompt_tokens += n_prompt or 0
        self.completion_tokens += n_reply or 0
        was_within = self._over_budget_usd == 0.0
        if reply.cost_usd is not None:
            self.cost_usd += reply.cost_usd
            highest = max(reply.cost_usd, self._highest_usd.get(size.kind, 0.0))
            self._highest_usd[size.kind] = highest
        elif self.budget.price is not None:
            self.cost_usd += self.budget.price.of(prompt, completion)
        if was_within and self._over_budget_usd:
            self.n_in_flight = 1 + self._pending.total()

    def _max_cost(self, size: CallSize) -> float:
        """The highest likely cost of a call."""
        if self.budget.price is None:
            return self._highest_usd.get(size.kind, 0.0)
        return self.budget.price.of(*(high for _, _, high in self._likely_tokens(size)))

    def _likely_tokens(self, size: CallSize) -> tuple[Range, Range]:
        """Tokens of the prompt and of the reply, from the known replies."""
        known = self._usage(size.kind)
        if known is None:
            n_reply = size.reply_tokens
            return _around(size.tokens, SPREAD), (n_reply * 0.5, float(n_reply), n_reply * 2.0)
        spread = SPREAD_KNOWN if known.n >= KNOWN_CALLS else SPREAD
        prompt = _around(size.tokens, SPREAD)
        if known.characters:
            prompt = _around(size.characters * known.prompt_tokens / known.characters, spread)
        return prompt, _around(known.completion_tokens / known.n, 2 * spread)

    def _usage(self, prompt: str) -> TokenUsage | None:
        """Token usage of the prompt's replies, in this run and before."""
        before, own = self._known.get(prompt), self._reported.get(prompt)
        return _added(before, own) if before and own else before or own

    @cached_property
    def _known(self) -> Mapping[str, TokenUsage]:
        return {} if self.ledger is None else self.ledger.usage(self.source)


def _added(left: TokenUsage, right: TokenUsage) -> TokenUsage:
    return TokenUsage(*map(sum, zip(left, right, strict=True)))


def _around(likely: float, spread: float) -> Range:
    return likely * (1 - spread), likely, likely * (1 + spread)


def list_price(model: str) -> tuple[Price, str] | None:
    """The list price of a known model, and its month.

    A dated version ("gpt-4o-mini-2024-07-18") has its model's price.
    """
    table = shipped_toml("calls/prices.toml")
    prices = cast(Mapping[str, Sequence[float]], table["prices"])
    name = model.rpartition("/")[2]
    for known in sorted(prices, key=len, reverse=True):
        if name == known or name.startswith(f"{known}-20"):
            return Price(*prices[known]), str(table["as_of"])
    return None
