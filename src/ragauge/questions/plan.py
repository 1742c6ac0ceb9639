"""What to ask: how many questions of each type, from which passages, in which order."""

from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Generic, TypeVar

from ragauge.documents.passage import Passage
from ragauge.errors import PlanError, did_you_mean

TYPES: Mapping[str, float] = {
    "single fact": 30,
    "number": 14,
    "temporal": 10,
    "list": 8,
    "yes/no": 10,
    "table look-up": 8,
    "comparison": 5,
    "multi-hop": 5,
    "unanswerable": 6,
    "terse": 2,
    "misspelt": 2,
    "cloze": 0,
}
"""The types of questions, with their usual shares in percent; a cloze only stands in for what is missing."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a question comes from: what the plan covers evenly."""

    document: str
    heading: str
    passage: str

    @classmethod
    def of(cls, passage: Passage) -> "Place":
        return cls(passage.document, passage.heading, passage.id)


def read_types(given: str) -> Mapping[str, float]:
    """Shares by type: `number=2,list=1`, or only names for equal shares. PlanError lists all problems.

    >>> read_types("number=3,list")
    {'number': 3.0, 'list': 1.0}
    """
    shares: dict[str, float] = {}
    problems: list[str] = []
    for part in given.split(","):
        name, _, share = (each.strip() for each in part.partition("="))
        if name not in TYPES:
            hint = did_you_mean(name, TYPES) or f"; they are {', '.join(TYPES)}"
            problems.append(f"no type of question is named {name!r}{hint}")
            continue
        if name in shares:
            problems.append(f"{name!r} is given twice")
        try:
            shares[name] = float(share or 1)
        except ValueError:
            shares[name] = -1
        if not 0 < shares[name] < float("inf"):
            problems.append(f"the share of {name!r} must be a number above 0, got {share!r}")
    if problems:
        raise PlanError(problems)
    return shares


def counts_of(n: int, shares: Mapping[str, float]) -> dict[str, int]:
    """How many questions of each type: the largest remainders round up, so that they sum to n.

    >>> counts_of(10, {"number": 2, "list": 1})
    {'number': 7, 'list': 3}
    """
    total = sum(shares.values())
    exact = {name: n * share / total for name, share in shares.items()}
    counts = {name: int(number) for name, number in exact.items()}
    by_remainder = sorted(exact, key=lambda name: counts[name] - exact[name])
    for name in by_remainder[: n - sum(counts.values())]:
        counts[name] += 1
    return counts


class Spread(Generic[T]):
    """Items in an order that covers documents, headings and passages evenly.

    `take` gives the next item of a type from what was used least so far. Equal seeds give equal orders.
    """

    def __init__(self, items: Sequence[tuple[str, Place, float, T]], seed: int) -> None:
        self._used: Counter[str] = Counter()
        self._queues: dict[str, dict[str, deque[tuple[Place, T]]]] = defaultdict(dict)
        random = Random(f"{seed} spread")
        by_type: dict[str, dict[str, list[tuple[float, float, Place, T]]]] = defaultdict(
            lambda: defaultdict(list)
        )
        for name, place, worth, item in items:
            by_type[name][place.document].append((-worth, random.random(), place, item))
        for name, by_document in by_type.items():
            for document, ranked in by_document.items():
                self._queues[name][document] = deque(_alternating(ranked))
        self._order = {
            document: random.random()
            for document in sorted({place.document for _, place, _, _ in items})
        }

    def take(self, name: str) -> T | None:
        """The next item of a type; None if there are no more."""
        queues = self._queues.get(name, {})
        while queues:
            document = min(queues, key=lambda each: (self._used[each], self._order[each]))
            queue = queues[document]
            if not queue:
                del queues[document]
                continue
            at = min(range(min(len(queue), 12)), key=lambda each: self._n_uses(queue[each][0]))
            place, item = queue[at]
            del queue[at]
            self._used.update((place.document, f"{place.document} {place.heading}", place.passage))
            return item
        return None

    def _n_uses(self, place: Place) -> tuple[int, int]:
        return self._used[place.passage], self._used[f"{place.document} {place.heading}"]

    def n_left(self, name: str) -> int:
        return sum(map(len, self._queues.get(name, {}).values()))


def _alternating(ranked: list[tuple[float, float, Place, T]]) -> Iterator[tuple[Place, T]]:
    """The best of each passage first, then the second of each."""
    seen: Counter[str] = Counter()
    turns: list[tuple[int, float, float, Place, T]] = []
    for worth, lot, place, item in sorted(ranked, key=lambda each: each[:2]):
        turns.append((seen[place.passage], worth, lot, place, item))
        seen[place.passage] += 1
    for *_, place, item in sorted(turns, key=lambda each: each[:3]):
        yield place, item
