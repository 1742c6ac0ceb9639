"""Words that turn a statement around: "not" before what others affirm, and "all" or "only" that others lack."""

from collections.abc import Iterator, Sequence

from ragauge.language.stems import Word
from ragauge.language.stop_words import is_content_word
from ragauge.language.text import Span


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


NEGATORS = _set("""
    not no never none nobody nothing neither nor nowhere without cannot hardly barely rarely seldom
    unable lack lacks lacked lacking fail fails failed refuse refuses refused
""")
"""The `t` of `isn't` and `can't` negates too; the words of a text have it apart."""
ABSOLUTES = _set("""
    all always completely entirely every everyone everything exclusively neither never no nobody none
    nothing only sole solely
""")
SPEAKERS = frozenset(("i", "we"))
BEFORE = 3
"""A remark on the speaker has "I" or "we" among this many words before: "I have never been there"."""
REACH, MOST = 3, 2
"""A sentence surely negates the first two content words among the 3 words after a negator."""
WIDE_REACH = 5
"""All content words among the 5 words after a negator may be negated."""


def denials(words: Sequence[Word], others: Sequence[Sequence[Word]]) -> list[Span]:
    """What a sentence negates and other sentences affirm, each with its negator.

    The others affirm a word if one of them has its stem, and none has it among the 5 words after a
    negator. Remarks on the speaker do not count.

    >>> from ragauge.language.stems import stemmed
    >>> text, others = "Dogs are not allowed.", [stemmed("Dogs are allowed in the hut.")]
    >>> [text[start:end] for start, end in denials(stemmed(text), others)]
    ['not allowed']
    >>> denials(stemmed(text), [stemmed("No dogs allowed.")])
    []
    """
    negators = [at for at in _negators(words) if not _is_on_speaker(words, at)]
    if not negators:
        return []
    stems = {word.stem for each in others for word in each}
    stems -= {word.stem for each in others for word in _after_negators(each)}
    found: list[Span] = []
    for at in negators:
        after = [word for word in words[at + 1 : at + 1 + REACH] if is_content_word(word.lowered)]
        if denied := [word for word in after[:MOST] if word.stem in stems]:
            first = at - 1 if words[at].lowered == "t" else at
            found.append((words[first].start, denied[-1].end))
    return found


def absolutes(words: Sequence[Word], others: Sequence[Sequence[Word]]) -> list[Span]:
    """The words that allow no exception ("all", "only", "never") and that no other sentence has.

    Remarks on the speaker do not count, nor does "No" at the beginning, which answers a question.

    >>> from ragauge.language.stems import stemmed
    >>> text, others = "Only members pay every year.", [stemmed("Members pay every year.")]
    >>> [text[start:end] for start, end in absolutes(stemmed(text), others)]
    ['Only']
    """
    places = [at for at, word in enumerate(words) if word.lowered in ABSOLUTES]
    if not places:
        return []
    known = {word.lowered for each in others for word in each}
    return [
        (words[at].start, words[at].end)
        for at in places
        if words[at].lowered not in known
        and not _is_on_speaker(words, at)
        and not (at == 0 and words[at].lowered == "no")
    ]


def _negators(words: Sequence[Word]) -> Iterator[int]:
    """The positions of the words that negate; "not only" does not."""
    for at, word in enumerate(words):
        before = words[at - 1].lowered if at else ""
        after = words[at + 1].lowered if at + 1 < len(words) else ""
        if word.lowered == "t":
            is_negator = before.endswith("n")
        else:
            is_negator = word.lowered in NEGATORS and (word.lowered, after) != ("not", "only")
        if is_negator:
            yield at


def _is_on_speaker(words: Sequence[Word], at: int) -> bool:
    return any(word.lowered in SPEAKERS for word in words[max(0, at - BEFORE) : at])


def _after_negators(words: Sequence[Word]) -> Iterator[Word]:
    for at in _negators(words):
        yield from words[at + 1 : at + 1 + WIDE_REACH]
