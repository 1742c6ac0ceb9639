"""Names and items of a list in whose place another statement has others."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence, Set

from ragauge.language.facts.differences import (
    MIN_LIKENESS,
    Difference,
    joints,
    kind_of_word,
    likeness,
    span,
)
from ragauge.language.facts.reader import Statement, Word

MAX_SHORT = 2
"""Letters of capitals that are no names by themselves: `FY`, `US`."""
MAX_WORDS, MAX_DENSE = 3, 6
"""The most words, or Chinese signs, of an item of a list; longer ones are clauses."""
GERMAN, ENGLISH = (
    {"der", "die", "das", "den", "dem", "und", "ist", "im", "mit", "für", "von", "zu"},
    {"the", "of", "and", "is"},
)


def other_names(
    ours: Statement, theirs: Statement, stated: Set[str], known: Set[str]
) -> Iterator[Difference]:
    """A name in whose place the other statement has another; neither is stated elsewhere."""
    tokens = {token.text for statement in (ours, theirs) for token in statement.tokens}
    is_german = not GERMAN.isdisjoint(tokens) and ENGLISH.isdisjoint(tokens)
    new = [name for name in _names(ours, is_german) if all(word.key not in known for word in name)]
    lost = [
        name for name in _names(theirs, is_german) if all(word.key not in stated for word in name)
    ]
    if new and lost:
        yield Difference("entity", span(ours, new[0]), span(theirs, lost[0]))


def _names(statement: Statement, is_german: bool) -> list[list[Word]]:
    """Runs of words with capital letters; of two at least in German, where every noun has one."""
    runs: list[list[Word]] = []
    for word in statement.words:
        is_capital = statement.text[word.start - statement.start].isupper()
        if is_capital and runs and word.start - runs[-1][-1].end == 1:
            runs[-1].append(word)
        elif is_capital:
            runs.append([word])
    runs = [[word for word in run if len(word.text) > MAX_SHORT] for run in runs]
    return [run for run in runs if len(run) > 1 or (run and run[0].is_name and not is_german)]


def other_items(
    ours: Statement, theirs: Statement, stated: Set[str], known: Set[str]
) -> Iterator[Difference]:
    """Items of a list that the other statement has in part."""
    here, there = _items(ours), _items(theirs)
    n_shared = sum(_is_stated(item, ours.keys) for item in there)
    if min(len(here), len(there)) < 2 or max(len(here), len(there)) < 3:
        return
    if kind_of_word(here[-1][0]) != kind_of_word(there[-1][0]):
        return
    if n_shared < (1 if likeness(ours, theirs) >= MIN_LIKENESS else 2):
        return
    added = [item for item in here[1:] if len(here) > 2 and not _is_stated(item, known)]
    lost = [item for item in there if not _is_stated(item, stated)]
    expected = span(theirs, lost[0]) if lost else None
    if added:
        yield Difference("item", span(ours, added[0]), expected)
    elif lost:
        yield Difference("left out", None, expected)


def _is_stated(item: Sequence[Word], keys: Set[str]) -> bool:
    """Whether the keys have one of the words; all, if they are Chinese signs."""
    are_there = [word.key in keys for word in item]
    return all(are_there) if kind_of_word(item[0]) == "dense" else any(are_there)


def _items(statement: Statement) -> Sequence[Sequence[Word]]:
    """The words of each item of an enumeration with `and`; of the first the last one, of the last the first ones.

    Its items are all names, or none is: `Ida, a teacher, and Colm` are two.
    """
    cuts = joints(statement)
    last = next((at for at, token in enumerate(cuts) if token.text not in ",;、，"), None)
    if last is None:
        return []
    starts = [token.start for token in cuts[: last + 2]]
    parts: list[list[Word]] = [[] for _ in range(len(starts) + 1)]
    for word in statement.words:
        parts[bisect_left(starts, word.start)].append(word)
    parts = [part for part in parts[: last + 2] if part]
    is_dense = any(kind_of_word(word) == "dense" for part in parts for word in part)
    longest = MAX_DENSE if is_dense else MAX_WORDS
    if len(parts) < 2 or any(len(part) > longest for part in parts[1:-1]):
        return []
    items = [parts[0][-1:], *parts[1:-1], parts[-1][: 2 if is_dense else 1]]
    kinds = {kind_of_word(item[0]) for item in items if item[0].start > statement.start}
    return items if len(kinds) == 1 else []
