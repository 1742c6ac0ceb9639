"""Texts that are nearly the same: exact set similarity, without comparing every pair."""

import math
from collections import Counter
from collections.abc import Callable, Sequence

SHARED = 3
"""Rare members that two similar sets must share before they are compared."""


def near_duplicates(
    sets: Sequence[frozenset[str]],
    threshold: float,
    are_same: Callable[[int, int], bool] = lambda _, __: True,
) -> dict[int, int]:
    """For each set that has a Jaccard similarity of at least `threshold` with an earlier one, that earlier one.

    Only pairs count of which `are_same` says, by their places, that nothing else tells them apart.

    Exact, by prefix filtering (Bayardo et al. 2007; Wang et al. 2012): two sets that are so similar share
    three of their n - ceil(threshold * n) + 3 rarest members. An earlier one is never a duplicate itself;
    empty sets resemble nothing. `threshold` is in (0, 1].

    >>> near_duplicates([frozenset("abcd"), frozenset("xyz"), frozenset("abcde")], 0.8)
    {2: 0}
    """
    frequency = Counter(member for members in sets for member in members)
    duplicates: dict[int, int] = {}
    index: dict[str, list[int]] = {}
    for place, members in enumerate(sets):
        least = math.ceil(threshold * len(members))
        rarest = sorted(members, key=lambda member: (frequency[member], member))
        prefix = rarest[: len(members) - least + SHARED]
        counts: Counter[int] = Counter()
        for member in prefix:
            counts.update(index.get(member, ()))
        for other in sorted(other for other, n in counts.items() if n >= min(SHARED, least)):
            shared = len(members & sets[other])
            is_like = shared >= threshold * (len(members) + len(sets[other]) - shared)
            if is_like and are_same(place, other):
                duplicates[place] = other
                break
        else:
            for member in prefix:
                index.setdefault(member, []).append(place)
    return duplicates
