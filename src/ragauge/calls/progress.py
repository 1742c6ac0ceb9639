"""What a run reports while it works: typed events, which the command line turns into words."""

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
