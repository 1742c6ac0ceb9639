"""The words of a question, a reference or an answer, as they are compared with each other."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from ragauge.language.characters import normal_form
from ragauge.language.stems import Word, stemmed
from ragauge.language.stop_words import is_content_word

ARTICLES = frozenset(("a", "an", "the"))
FISCAL_YEAR = re.compile(r"fy((?:20|19)?[0-9]{2})")
NEAR = 8
"""Characters beside a word that are looked at, so that a long text is read in linear time."""


@dataclass(frozen=True)
class ComparedText:
    """The words of a text, its content words, and their stems, plain and without accents.

    `letters`: where an `a` is a name, as in `vitamin A`. `stems` is without other articles `a`, except
    of a text without capitals, where any could be a name.
    """

    words: Sequence[Word]
    content: Sequence[Word]
    stems: frozenset[str]
    plain: frozenset[str]
    letters: frozenset[int]

    def also(self, parted: "ComparedText") -> "ComparedText":
        """With the words of the same text after glued words were parted."""
        stems, plain = self.stems | parted.stems, self.plain | parted.plain
        return ComparedText(parted.words, parted.content, stems, plain, parted.letters)

    @cached_property
    def sequence(self) -> str:
        """The words one after the other, apart from articles."""
        return self._joined(ARTICLES)

    @property
    def sequence_with_a(self) -> str:
        """The same with each `a`, which may be the name."""
        return self._joined(ARTICLES - {"a"})

    def _joined(self, left_out: frozenset[str]) -> str:
        letters = self.letters
        kept = [
            word.lowered
            for word in self.words
            if word.lowered not in left_out or word.start in letters
        ]
        return " " + " ".join(kept) if kept else ""


@lru_cache(maxsize=4_096)
def read_text(text: str) -> ComparedText:
    words = stemmed(text)
    letters = frozenset(
        word.start for word in words if word.lowered == "a" and _is_letter(word, text)
    )
    content = [
        word
        for word in words
        if is_content_word(word.lowered) or _is_named(word, text) or word.start in letters
    ] or words
    named = [word for word in words if word.lowered != "a" or word.start in letters]
    known = words if text.islower() else named
    spelled = {word.lowered for word in known}
    plain = frozenset(spelled if text.isascii() else map(without_accents, spelled))
    fiscal = _fiscal_years(words) if "fy" in text.lower() else frozenset[str]()
    stems = frozenset(word.stem for word in known)
    return ComparedText(words, content, stems | fiscal, plain | fiscal, letters)


def _fiscal_years(words: Sequence[Word]) -> frozenset[str]:
    """The other spellings of the text's fiscal years: of `FY2023` also `fy` and `2023`, and back."""
    found: set[str] = set()
    for at in [at for at, word in enumerate(words) if word.lowered.startswith("fy")]:
        if year := FISCAL_YEAR.fullmatch(words[at].lowered):
            found |= {"fy", year[1]}
        if words[at].lowered == "fy" and at + 1 < len(words):
            following = words[at + 1].lowered
            if not FISCAL_YEAR.fullmatch(following):
                found.add(f"fy{following}")
    return frozenset(found)


def _is_letter(word: Word, text: str) -> bool:
    """Whether an `a` is a name and no article: `vitamin A deficiency`, `plan A`, `the answer is a.`."""
    after = text[word.end : word.end + NEAR].lstrip(" ")[:1]
    if not after or after in ".,;:!?)]":
        return True
    is_inside = word.start > 0 and not _opens_sentence(word, text)
    return text[word.start] == "A" and is_inside and not after.isupper()


def _opens_sentence(word: Word, text: str) -> bool:
    before = text[max(0, word.start - NEAR) : word.start].rstrip(" \"'“‘(*")
    return before.endswith((".", "!", "?", ":", "\n")) or not before


def _is_named(word: Word, text: str) -> bool:
    """Whether a function word may be a name: `May 2019`, `The Who`."""
    if not text[word.start].isupper() or word.lowered in ARTICLES or word.end - word.start < 3:
        return False
    return (word.start > 0 and not _opens_sentence(word, text)) or text[
        word.end : word.end + 2
    ].lstrip(" ")[:1].isdigit()


def without_accents(lowered: str) -> str:
    """The word without its accents."""
    if lowered.isascii():
        return lowered
    parts = normal_form("NFKD", lowered)
    return "".join(sign for sign in parts if not unicodedata.combining(sign))
