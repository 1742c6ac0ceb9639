"""Texts that are nearly the same: exact set similarity, without comparing every pair."""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence

SHARED = 3
"""Rare members that two similar sets must share before they are compared."""


def near_duplicates(
    sets: Sequence[frozenset[str]],
    threshold: float,
    are_same: Callable[[int, int], bool] = lambda _, __: True,
    kinds: Sequence[Hashable] = (),
) -> dict[int, int]:
    """For each set that has a Jaccard similarity of at least `threshold` with an earlier one, that earlier one.

    Only sets of the same one of `kinds` are compared, if given; `are_same` says of two places whether nothing else tells them apart.

    Exact, by prefix filtering (Bayardo et al. 2007; Wang et al. 2012): two sets that are so similar share
    three of their n - ceil(threshold * n) + 3 rarest members. An earlier one is never a duplicate itself;
    empty sets resemble nothing. `threshold` is in (0, 1].

    >>> near_duplicates([frozenset("abcd"), frozenset("xyz"), frozenset("abcde")], 0.8)
    {2: 0}
    """
    frequency = Counter(member for members in sets for member in members)
    duplicates: dict[int, int] = {}
    index: dict[tuple[Hashable, str], list[int]] = {}
    for place, members in enumerate(sets):
        least = math.ceil(threshold * len(members))
        rarest = sorted(members, key=lambda member: (frequency[member], member))
        kind = kinds[place] if kinds else None
        prefix = [(kind, member) for member in rarest[: len(members) - least + SHARED]]
        counts: Counter[int] = Counter()
        for key in prefix:
            counts.update(index.get(key, ()))
        for other in sorted(other for other, n in counts.items() if n >= min(SHARED, least)):
            shared = len(members & sets[other])
            is_like = shared >= threshold * (len(members) + len(sets[other]) - shared)
            if is_like and are_same(place, other):
                duplicates[place] = other
                break
        else:
            for key in prefix:
                index.setdefault(key, []).append(place)
    return duplicates
