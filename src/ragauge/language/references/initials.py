"""Names and their initials: `JFK` for John F. Kennedy, `U.S.` and `USA` for the United States of America."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ragauge.language.stems import Word

SHORTEST, LONGEST = 2, 6
"""Letters of initials."""
SKIPPED = frozenset({"of", "the", "and", "for", "&"})
"""Words of a name that its initials leave out; some keep them, so both forms count."""
ABBREVIATION = re.compile(
    rf"\b(?:[A-Z]\.){{{SHORTEST - 1},{LONGEST - 1}}}[A-Z]\b\.?|\b[A-Z]{{{SHORTEST},{LONGEST}}}\b"
)
MAY_BE_ABBREVIATION = re.compile("[A-Z][A-Z.]")
"""What each abbreviation begins with; found in a tenth of the time."""
MOST_NAMES = 50
"""Names of one reference that are compared with abbreviations."""
Span = tuple[int, int]


class Abbreviation(NamedTuple):
    """Initials without dots, and where they stand."""

    letters: str
    start: int
    end: int


def abbreviations(text: str) -> list[Abbreviation]:
    """The abbreviations in capitals, with dots or without.

    >>> [found.letters for found in abbreviations("The U.S. and NATO, not Nato")]
    ['US', 'NATO']
    """
    if text.isupper():  # every short word would be one
        return [] if " " in text.strip() else _found(text)
    return _found(text)


def _found(text: str) -> list[Abbreviation]:
    if not MAY_BE_ABBREVIATION.search(text):
        return []
    return [
        Abbreviation(match[0].replace(".", ""), *match.span())
        for match in ABBREVIATION.finditer(text)
    ]


def initials(words: Sequence[Word], text: str) -> Mapping[str, Span]:
    """The initials of names of several capitalised words, with the place of the first that has them.

    >>> from ragauge.language.stems import stemmed
    >>> sorted(initials(stemmed(name := "John F. Kennedy"), name))
    ['FK', 'JF', 'JFK']
    """
    found: dict[str, Span] = {}
    for name in _names(words, text):
        for first in range(len(name)):
            letters = ""
            for word in name[first : first + LONGEST]:
                letters += text[word.start].upper()
                if len(letters) >= SHORTEST:
                    found.setdefault(letters, (name[first].start, word.end))
    return found


def abbreviated(
    reference: str, expected: Sequence[Word], answer: str, given: Sequence[Word]
) -> tuple[list[Span], list[Span]]:
    """Where the reference has a name that the answer abbreviates, or an abbreviation that it spells out.

    Also where the answer has them.
    """
    ours, theirs = abbreviations(answer), abbreviations(reference)
    by_letters = {found.letters: (found.start, found.end) for found in ours}
    names = dict(initials(expected, reference)) if ours else dict[str, Span]()
    if theirs:
        by_letters = {**initials(given, answer), **by_letters}
    wanted = [*names.items(), *((found.letters, (found.start, found.end)) for found in theirs)]
    found = [(span, by_letters[letters]) for letters, span in wanted if letters in by_letters]
    found = found[:MOST_NAMES]
    return [span for span, _ in found], [span for _, span in found]


def _names(words: Sequence[Word], text: str) -> Iterator[list[Word]]:
    """Runs of capitalised words with a blank, a dot or a hyphen between them; small words are left out."""
    run: list[Word] = []
    end = 0
    for word in words:
        is_near = word.start - end <= 2 and not set(text[end : word.start]) - {" ", ".", "-"}
        if run and is_near and word.lowered in SKIPPED and not text[word.start].isupper():
            end = word.end
            continue
        is_name = text[word.start].isupper()
        if run and not (is_near and is_name):
            yield run
            run = []
        if is_name:
            run.append(word)
        end = word.end
    if run:
        yield run
