"""Calls that take time and cost money, whoever makes them: how many at once, what they may cost, what they brought.

Everything waits on one event loop in its own thread (`loop`). `RateLimiter` decides how many calls are in flight, `Usage` whether
the budget allows another one, and the ledger keeps each reply before it is used, so that no call is paid for twice, even by two
processes (`leases`). What a call asks and what its reply means is the business of the rooms above.
"""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Judged:
    """A judge has replied to one call, or failed."""

    calls: int = 1


@dataclass(frozen=True, slots=True)
class Computed:
    """The node with this key has been computed for some rows."""

    node: str


@dataclass(frozen=True, slots=True)
class Measured:
    """Rows for which everything that waits for no judge has been computed."""

    rows: int


Event = Computed | Judged | Measured
Listener = Callable[[Event], None]
"""Called for each event, possibly from several threads at once; it must be quick and not raise."""


def ignore(event: Event) -> None:
    """The listener of a run that nobody watches."""
