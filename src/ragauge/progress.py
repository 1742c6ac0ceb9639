"""What a run reports while it works: typed events, which the command line turns into words."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Encoded:
    """Texts that have a vector now, and had none before: made, or found in the cache."""

    texts: int
    characters: int


@dataclass(frozen=True, slots=True)
class Judged:
    """A judge has replied to one call, or failed."""

    calls: int = 1


@dataclass(frozen=True, slots=True)
class Scored:
    """Rows for which one function of the plan has been computed, times the number of such functions."""

    cells: int


Event = Encoded | Judged | Scored
Listener = Callable[[Event], None]
"""Called for each event, possibly from several threads at once; it must be quick and not raise."""


def ignore(event: Event) -> None:
    """The listener of a run that nobody watches."""
