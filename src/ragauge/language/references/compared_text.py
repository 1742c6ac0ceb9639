"""The words of a question, a reference or an answer, as they are compared with each other."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property, lru_cache

from ragauge.language.characters import normal_form
from ragauge.language.stems import Word, stemmed
from ragauge.language.stop_words import is_content_word
from ragauge.language.text import Span

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
        return self.joined(ARTICLES)

    def joined(self, left_out: Set[str]) -> str:
        """The words one after the other, each after a space; those `left_out` only where they are letters."""
        kept = (
            word.lowered
            for word in self.words
            if word.lowered not in left_out or word.start in self.letters
        )
        return "".join(f" {word}" for word in kept)


@lru_cache(maxsize=4_096)
def read_text(text: str, language: str | None = None) -> ComparedText:
    words = stemmed(text, language)
    letters = frozenset(
        word.start for word in words if word.lowered == "a" and _is_letter(word, text)
    )
    content = [
        word
        for word in words
        if is_content_word(word.lowered, language) or _is_named(word, text) or word.start in letters
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


def abbreviations(text: str) -> list[tuple[str, Span]]:
    """The abbreviations in capitals, with dots or without: their letters, and where they are.

    >>> [letters for letters, _ in abbreviations("The U.S. and NATO, not Nato")]
    ['US', 'NATO']
    """
    if text.isupper() and " " in text.strip():  # every short word would be one
        return []
    found = ABBREVIATION.finditer(text) if MAY_BE_ABBREVIATION.search(text) else ()
    return [(match[0].replace(".", ""), match.span()) for match in found]


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
    by_letters = dict(ours)
    names = initials(expected, reference) if ours else dict[str, Span]()
    if theirs:
        by_letters = {**initials(given, answer), **by_letters}
    wanted = [*names.items(), *theirs]
    found = [(span, by_letters[letters]) for letters, span in wanted if letters in by_letters]
    found = found[:MOST_NAMES]
    return [span for span, _ in found], [span for _, span in found]


def _names(words: Sequence[Word], text: str) -> Iterator[list[Word]]:
    """Runs of capitalised words with a blank, a dot or a hyphen between them; small words are left out."""
    run: list[Word] = []
    end = 0
    for word in words:
        is_near = word.start - end <= 2 and not set(text[end : word.start]) - {" ", ".", "-"}
        is_name, end = text[word.start].isupper(), word.end
        if run and is_near and word.lowered in SKIPPED and not is_name:
            continue
        if run and not (is_near and is_name):
            yield run
            run = []
        if is_name:
            run.append(word)
    if run:
        yield run
