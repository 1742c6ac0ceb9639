"""Stems: Porter's suffix stripping for English, Snowball's stemmers for other languages."""

import re
from collections.abc import Callable
from functools import lru_cache, partial
from threading import Lock
from typing import Any, NamedTuple, cast

from ragauge.language.text import composed

# Each kanji, hanzi and kana is a word; numbers keep separators; marks belong to their letter.
CJK = r"\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
# No possessive quantifier after a group: Python up to 3.11.2 matches one character too few there.
WORD = re.compile(rf"[{CJK}]|(?:(?![{CJK}])[\w\u0300-\u036f])+(?:(?<=\d)[.,](?=\d)\w+)*")
ASCII_WORD = re.compile(r"\w+(?:(?<=\d)[.,](?=\d)\w+)*", re.ASCII)
"""The same in a text without other characters, which has no marks to look for; a third less time."""
GROUPS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")

# Suffixes and their replacements; of suffixes with the same ending, the longest comes first.
STEP_2 = (
    *(("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize")),
    *(("abli", "able"), ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous")),
    *(("ization", "ize"), ("ation", "ate"), ("ator", "ate"), ("alism", "al"), ("iveness", "ive")),
    *(("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"), ("iviti", "ive"), ("biliti", "ble")),
)
STEP_3 = (
    *(("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic")),
    *(("ful", ""), ("ness", "")),
)
STEP_4 = (
    *("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent"),
    *("sion", "tion", "ou", "ism", "ate", "iti", "ous", "ive", "ize"),
)
SNOWBALL = {
    **{"de": "german", "fr": "french", "es": "spanish", "it": "italian"},
    **{"pt": "portuguese", "nl": "dutch", "sv": "swedish", "da": "danish"},
}
"""The languages with a stemmer of their own, and its name."""
_STEMMING = Lock()
"""A stemmer of snowballstemmer keeps the word that it works on, so two threads would mix theirs."""


class Word(NamedTuple):
    """A word of a text: its span, its lower-cased form and its stem."""

    start: int
    end: int
    lowered: str
    stem: str


# Not Word(…), which takes twice as long.
_word: Callable[[tuple[int, int, str, str]], Word] = partial(tuple.__new__, Word)  # pyright: ignore[reportUnknownMemberType]


def stemmed(text: str, language: str | None = None) -> list[Word]:
    """The words of a text without punctuation, in order; each kanji, hanzi and kana is a word.

    A number with its separators is one word; its stem is the number without thousands separators.
    Without one of SNOWBALL's languages, the stems are those of English words.

    >>> [word.stem for word in stemmed("The claims: 1,500 paid in 2.5 weeks")]
    ['the', 'claim', '1500', 'paid', 'in', '2.5', 'week']
    >>> [word.stem for word in stemmed("zwei Häuser", "de")]
    ['zwei', 'haus']
    """
    known = language if language in SNOWBALL else None
    words = (ASCII_WORD if text.isascii() else WORD).finditer(text)
    return [_word((*word.span(), *_forms(word[0], known))) for word in words]


@lru_cache(maxsize=100_000)
def _forms(word: str, language: str | None) -> tuple[str, str]:
    """The lower-cased word and its stem."""
    lowered = composed(word.lower())
    of = GROUPS.sub("", lowered) if "," in lowered else lowered
    if not language:
        return lowered, stem(of)
    with _STEMMING:
        return lowered, _snowball(language).stemWord(of)


@lru_cache
def _snowball(language: str) -> Any:
    import snowballstemmer

    made: Any = cast(Any, snowballstemmer).stemmer(SNOWBALL[language])
    return made


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """The Porter stem of a lower-cased English word; words of one or two letters stay as they are.

    Every character that is not a vowel counts as a consonant, digits too. Source: M. F. Porter, "An
    algorithm for suffix stripping", Program 14(3), 1980, as published; short words as in his program.
    Snowball's `porter` differs in short words and in double consonants ("trekking" gives "trekk").

    >>> [stem(word) for word in ("attributes", "attributed", "attribution", "is")]
    ['attribut', 'attribut', 'attribut', 'is']
    """
    if len(word) <= 2:
        return word
    if word.endswith(("sses", "ies")):  # step 1a
        word = word[:-2]
    elif word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    word = _without_past(word)
    if word.endswith("y") and "v" in _sounds(word[:-1]):
        word = word[:-1] + "i"
    for rules in (STEP_2, STEP_3):  # the first matching suffix decides
        for suffix, other in rules:
            if word.endswith(suffix):
                body = word[: -len(suffix)]
                word = body + other if "vc" in _sounds(body) else word
                break
    if suffix := next((each for each in STEP_4 if word.endswith(each)), ""):
        body = word[:-3] if suffix.endswith("ion") else word[: -len(suffix)]
        word = body if _sounds(body).count("vc") > 1 else word
    if word.endswith("e"):  # step 5
        measure = _sounds(word[:-1]).count("vc")
        if measure > 1 or (measure == 1 and not _ends_short(word[:-1])):
            word = word[:-1]
    return word[:-1] if word.endswith("ll") and _sounds(word[:-1]).count("vc") > 1 else word


def _without_past(word: str) -> str:
    """Step 1b: `hop` for `hopped`, `file` for `filed`."""
    if word.endswith("eed"):
        return word[:-1] if "vc" in _sounds(word[:-3]) else word
    suffix = next((each for each in ("ed", "ing") if word.endswith(each)), "")
    body = word.removesuffix(suffix)
    if not suffix or "v" not in _sounds(body):
        return word
    if body.endswith(("at", "bl", "iz")):
        return body + "e"
    if len(body) >= 2 and body[-1] == body[-2] and _sounds(body)[-1] == "c":
        return body if body[-1] in "lsz" else body[:-1]
    return body + "e" if _sounds(body).count("vc") == 1 and _ends_short(body) else body


def _sounds(word: str) -> str:
    """A `v` for each vowel and a `c` for each consonant; y is one unless it follows a consonant. Porter's measure is the number of `vc`."""
    if "y" not in word:
        return "".join(["v" if letter in "aeiou" else "c" for letter in word])
    found = ""
    for letter in word:
        is_vowel = letter in "aeiou" or (letter == "y" and found[-1:] == "c")
        found += "v" if is_vowel else "c"
    return found


def _ends_short(word: str) -> bool:
    """Whether it ends in consonant, vowel, consonant, and the last is not w, x or y."""
    return _sounds(word).endswith("cvc") and word[-1] not in "wxy"
