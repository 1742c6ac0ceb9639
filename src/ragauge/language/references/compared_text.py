"""The words of a question, a reference or an answer, as they are compared with each other."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ragauge.language.characters import normal_form
from ragauge.language.stems import Word, stemmed
from ragauge.language.stop_words import is_content_word, is_letter
from ragauge.language.text import Span

ARTICLES = frozenset(("a", "an", "the"))
MIXED = re.compile(r"([^\W\d_]+)(\d+)")


@dataclass(frozen=True)
class ComparedText:
    """The words of a text; those that are no articles, each after a space, as `sequence`; its content words; and the stems, and
    the plain forms without accents, of the words of `sequence`."""

    words: Sequence[Word]
    sequence: str
    content: Sequence[Word]
    stems: frozenset[str]
    plain: frozenset[str]


@lru_cache(maxsize=4_096)
def read_text(text: str, language: str | None = None) -> ComparedText:
    """An `A` inside a text, and not before a capital letter, is a name, as in `vitamin A`, and no article."""
    words = stemmed(text, language)
    named = [
        word
        for word in words
        if word.lowered not in ARTICLES
        or (
            word.start
            and text[word.start] == "A"
            and not text[word.end + 1 : word.end + 2].isupper()
        )
    ] or words
    content = [
        each
        for each in named
        if is_content_word(each.lowered, language)
        or each.lowered == "a"
        or is_letter(text, each.start, each.end)
    ]
    return ComparedText(
        words,
        "".join(f" {word.lowered}" for word in named),
        content or words,
        frozenset(word.stem for word in named),
        frozenset(part for word in named for part in (*forms(word), without_accents(word.lowered))),
    )


def forms(word: Word) -> tuple[str, ...]:
    """The letters and the digits of a word that ends with digits: `fy` and `2021` of `FY2021`."""
    if word.lowered.isalpha():
        return ()
    found = MIXED.fullmatch(without_accents(word.lowered))
    return found.groups() if found else ()


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
    rf"[A-Z](?<=\b[A-Z])(?:(?:\.[A-Z]){{{SHORTEST - 1},{LONGEST - 1}}}\b\.?|[A-Z]{{{SHORTEST - 1},{LONGEST - 1}}}\b)"
)
MOST_NAMES = 50
"""Names of one reference that are compared with abbreviations."""


def abbreviations(text: str) -> list[tuple[str, Span]]:
    """The abbreviations in capitals, with dots or without: their letters, and where they are."""
    if text.isupper() and " " in text.strip():  # every short word would be one
        return []
    return [(match[0].replace(".", ""), match.span()) for match in ABBREVIATION.finditer(text)]


def initials(words: Sequence[Word], text: str) -> Mapping[str, Span]:
    """The initials of names of several capitalised words, with the place of the first that has them."""
    names: list[list[Word]] = [[]]
    end = 0
    for word in words:  # runs of capitalised words with a blank, a dot or a hyphen between them
        is_near = word.start - end <= 2 and not set(text[end : word.start]) - {" ", ".", "-"}
        is_name, end = text[word.start].isupper(), word.end
        if names[-1] and is_near and word.lowered in SKIPPED and not is_name:
            continue
        if not (is_near and is_name):
            names.append([])
        if is_name:
            names[-1].append(word)
    found: dict[str, Span] = {}
    for name in names:
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
    """Where the reference has a name that the answer abbreviates, or an abbreviation that it spells out; and where the answer has them."""
    ours, theirs = abbreviations(answer), abbreviations(reference)
    names = initials(expected, reference) if ours else dict[str, Span]()
    spelled = initials(given, answer) if theirs else dict[str, Span]()
    wanted, by_letters = [*names.items(), *theirs], {**spelled, **dict(ours)}
    found = [(span, by_letters[letters]) for letters, span in wanted if letters in by_letters]
    return [span for span, _ in found[:MOST_NAMES]], [span for _, span in found[:MOST_NAMES]]
