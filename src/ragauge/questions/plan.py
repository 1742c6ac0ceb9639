"""What to ask: how many questions of each type, from which passages, in which order."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from random import Random
from typing import Generic, TypeVar

from ragauge.documents.passage import Passage
from ragauge.errors import PlanError, did_you_mean

TYPES: Mapping[str, float] = {
    "single fact": 26,
    "number": 14,
    "temporal": 10,
    "list": 8,
    "yes/no": 10,
    "table look-up": 8,
    "comparison": 5,
    "multi-hop": 5,
    "unanswerable": 6,
    "ambiguous": 2,
    "follow-up": 2,
    "terse": 2,
    "misspelt": 2,
    "cloze": 0,
}
"""The types of questions, with their usual shares in percent; a cloze only stands in for what is missing."""
T = TypeVar("T")


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

    An item has a type, a passage and a worth. `take` gives the next item of a type from what was used least
    so far. Equal seeds give equal orders.
    """

    def __init__(self, items: Sequence[tuple[str, Passage, float, T]], seed: int) -> None:
        random = Random(f"{seed} spread")
        # The best of each passage first, then the second of each.
        seen: Counter[tuple[str, str]] = Counter()
        ranked: list[tuple[int, str, Passage, T]] = []
        for name, passage, _, item in sorted(items, key=lambda each: (-each[2], random.random())):
            ranked.append((seen[name, passage.id], name, passage, item))
            seen[name, passage.id] += 1
        ranked.sort(key=lambda each: each[0])
        self._queues: dict[str, dict[str, list[tuple[Passage, T]]]] = defaultdict(dict)
        for _, name, passage, item in ranked:
            self._queues[name].setdefault(passage.document, []).append((passage, item))
        documents = sorted({passage.document for _, passage, _, _ in items})
        self._order = {document: random.random() for document in documents}
        self._used: Counter[tuple[str, ...]] = Counter()

    def take(self, name: str) -> T | None:
        """The next item of a type; None if there are no more."""
        queues, used = self._queues[name], self._used
        if not queues:
            return None
        document = min(queues, key=lambda each: (used[each,], self._order[each]))
        passage, item = min(
            queues[document][:12],
            key=lambda each: (used["", each[0].id], used[document, each[0].heading]),
        )
        queues[document].remove((passage, item))
        used.update(((document,), (document, passage.heading), ("", passage.id)))
        if not queues[document]:
            del queues[document]
        return item
