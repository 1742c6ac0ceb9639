"""Whether a short answer has the two sides of a statement the other way round: `Carthage beat Rome` for `Rome beat Carthage`."""

import re
from collections.abc import Iterable, Sequence

from ragauge.language.references.compared_text import ComparedText
from ragauge.language.stems import Word

_JOINED = re.compile(r",|;|\b(?:and|or|by|with|both|each other|together)\b", re.IGNORECASE)
"""Words of lists, of passives, and of what two do together, where the order may change and the sense not."""
_MUTUAL = frozenset(
    ("marri", "marry", "met", "meet", "equal", "resembl", "border", "face", "play", "fought", "tie")
)
"""The stems of verbs that say the same of both sides."""
_FEWEST = 3
"""Words of a statement: a side, a verb, a side."""


def swapped(reference: str, expected: ComparedText, answer: str, given: ComparedText) -> str | None:
    """The answer's statement if it has the reference's words with the sides before and after the verb exchanged.

    >>> from ragauge.language.references.compared_text import read_text
    >>> texts = "Rome beat Carthage", "In the end, Carthage beat Rome."
    >>> swapped(texts[0], read_text(texts[0]), texts[1], read_text(texts[1]))
    'Carthage beat Rome'
    >>> texts = "Rome beat Carthage", "Carthage was beaten by Rome"
    >>> swapped(texts[0], read_text(texts[0]), texts[1], read_text(texts[1]))
    """
    named = _without_numbers(expected.content)  # the score of `Rome beat Carthage 3-0` has no side
    wanted = [word.stem for word in named]
    ours = _without_numbers(word for word in given.content if word.stem in expected.stems)
    stems = [word.stem for word in ours]
    if len(wanted) < _FEWEST or sorted(stems) != sorted(wanted) or len({*wanted}) < len(wanted):
        return None
    if not (_are_exchanged(wanted, stems) and _MUTUAL.isdisjoint(stems)):
        return None
    statement = answer[ours[0].start : ours[-1].end]
    if _JOINED.search(reference) or _JOINED.search(statement) or not _have_sides(reference, named):
        return None
    return statement


def _without_numbers(words: Iterable[Word]) -> list[Word]:
    return [word for word in words if not word.lowered[0].isdigit()]


def _are_exchanged(wanted: Sequence[str], stems: Sequence[str]) -> bool:
    """Whether the first words of the one are the last of the other, and the reverse, with the same words between."""
    n = len(wanted)
    return any(
        [*wanted[n - last :], *wanted[first : n - last], *wanted[:first]] == [*stems]
        for first in range(1, n - 1)
        for last in range(1, n - first)
    )


def _have_sides(reference: str, content: Sequence[Word]) -> bool:
    """Whether both ends are names, or nouns with an article, and a word between them is neither: a verb."""
    ends = (content[0], content[-1])
    return all(_is_side(reference, word) for word in ends) and any(
        reference[word.start].islower() and not _has_article(reference, word)
        for word in content[1:-1]
    )


def _is_side(reference: str, word: Word) -> bool:
    return reference[word.start].isupper() or _has_article(reference, word)


def _has_article(reference: str, word: Word) -> bool:
    before = reference[: word.start].split()
    return bool(before) and before[-1].lower() in ("the", "a", "an", "his", "her", "its", "their")
