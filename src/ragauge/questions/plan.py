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
        ranked: dict[tuple[str, str], list[tuple[float, float, Passage, T]]] = defaultdict(list)
        for name, passage, worth, item in items:
            ranked[name, passage.document].append((-worth, random.random(), passage, item))
        self._queues: dict[str, dict[str, list[tuple[Passage, T]]]] = defaultdict(dict)
        for (name, document), found in ranked.items():
            # The best of each passage first, then the second of each.
            seen: Counter[str] = Counter()
            turns: list[tuple[tuple[int, float, float], Passage, T]] = []
            for worth, lot, passage, item in sorted(found, key=lambda each: each[:2]):
                turns.append(((seen[passage.id], worth, lot), passage, item))
                seen[passage.id] += 1
            turns.sort(key=lambda each: each[0])
            self._queues[name][document] = [(passage, item) for _, passage, item in turns]
        documents = sorted({passage.document for _, passage, _, _ in items})
        self._order = {document: random.random() for document in documents}
        self._used: Counter[tuple[str, ...]] = Counter()

    def take(self, name: str) -> T | None:
        """The next item of a type; None if there are no more."""
        queues = self._queues[name]
        if not queues:
            return None
        document = min(queues, key=lambda each: (self._used[each,], self._order[each]))
        queue = queues[document]

        def n_uses(at: int) -> tuple[int, int]:
            passage = queue[at][0]
            return self._used["", passage.id], self._used[document, passage.heading]

        passage, item = queue.pop(min(range(min(len(queue), 12)), key=n_uses))
        self._used.update(((document,), (document, passage.heading), ("", passage.id)))
        if not queue:
            del queues[document]
        return item
