"""The first letters of a text's words, which tell at once that most patterns cannot match in it.

To see that two sets of beginnings have nothing in common takes a hundredth of the time in which a pattern of fifty
words is tried at each place.
"""

import re
from functools import lru_cache

_LETTERS = re.compile("[a-z]+")
LENGTH = 4

Beginnings = frozenset[str]
"""The first four letters of each word, in lower case; shorter words as they are. What is not a letter ends a word."""


def word_beginnings(lowered: str) -> Beginnings:
    """The beginnings of the words of a text in lower case.

    >>> sorted(word_beginnings("it isn't in the 10-ks"))
    ['in', 'isn', 'it', 'ks', 't', 'the']
    """
    return frozenset([word[:LENGTH] for word in _LETTERS.findall(lowered)])


@lru_cache(maxsize=64)  # of the sentences of one answer
def beginnings_of(text: str) -> Beginnings | None:
    """The same of a text in any case; None if it has characters that patterns without case take for other letters.

    >>> beginnings_of("Straße")
    >>> sorted(beginnings_of("The Report") or ())
    ['repo', 'the']
    """
    return word_beginnings(text.lower()) if text.isascii() else None


def first_letters(words: str) -> Beginnings:
    """The beginnings of words of which a pattern needs one, each by its first letters.

    >>> sorted(first_letters("10-k reports"))
    ['k', 'repo']
    """
    return frozenset(
        found[0][:LENGTH] for word in words.split() if (found := _LETTERS.search(word))
    )


def may_match(text: str, needed: Beginnings) -> bool:
    """Whether a text may have one of the words that a pattern needs.

    >>> may_match("Nothing is said.", first_letters("no not nothing"))
    True
    >>> may_match("It is said.", first_letters("no not nothing"))
    False
    """
    own = beginnings_of(text)
    return own is None or not needed.isdisjoint(own)
