"""Content words of English: all words but those that only connect others."""

from ragauge.language.stop_words import NLTK_ENGLISH, SKLEARN_ENGLISH


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


MEANINGFUL = _set("""
    amount bill bottom call cry describe detail eight eleven empty fifteen fifty fill find fire first
    five forty found four front full give hundred interest keep made mill mine move name nine part
    put see serious show side sincere six sixty system take ten thick thin third three top twelve
    twenty two
""")
"""Words of the two stop word lists that carry meaning of their own."""
FUNCTION_WORDS = (NLTK_ENGLISH | SKLEARN_ENGLISH | {"yes", "yeah", "ok", "okay"}) - MEANINGFUL


def is_content_word(lowered: str) -> bool:
    """Whether a lower-cased word is neither a function word nor a single ASCII letter.

    >>> [word for word in ("the", "first", "hut", "b", "5", "東") if is_content_word(word)]
    ['first', 'hut', '5', '東']
    """
    is_stray = len(lowered) == 1 and lowered.isascii() and not lowered.isdigit()
    return not is_stray and lowered not in FUNCTION_WORDS
