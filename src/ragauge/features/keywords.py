"""What an answer should hold: keywords (phrases, codes, numbers, words) and numbers by value."""

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from ragauge.features.dates import plain_signs
from ragauge.features.numbers import Quantity, quantities
from ragauge.features.stop_words import NLTK_ENGLISH
from ragauge.features.text import composed
from ragauge.metric import feature

Extractor = Literal["default", "regex"]

WORD = re.compile(r"[^\W\d_]{4,}")
NAME = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*(?!-?\d)")
CODED = re.compile(r"\b([^\W\d_]+)[ \t]+((?:[A-Z]{1,4}-?)?\d+(?:[.-]\d+)*[A-Za-z]?)\b(?![%,]\d|%)")

# The seed's patterns; the first two, \b[A-Z][a-z]+(?:\s+[A-Z][a-z]+)+\b and \d+\.?\d*%?, with one
# character class up front, which keeps the search fast.
SEED_PHRASE = re.compile(r"[A-Z](?<=\b[A-Z])[a-z]+(?:\s+[A-Z][a-z]+)+\b")
SEED_NUMBER = re.compile(r"\d\d*\.?\d*%?")
SEED_WORD = re.compile(r"\b[a-z]{4,}\b")
SEED_STOP_WORDS = frozenset(
    ["this", "that", "the", "and", "for", "with", "from", "are", "was", "were"]
)


@feature
def answer_keywords(answer: str, *, extractor: Extractor = "default") -> frozenset[str]:
    """The answer's keywords; see `keywords`.

    >>> sorted(answer_keywords("Rule C-1 applies"))
    ['Rule C-1', 'applies', 'rule']
    """
    return keywords(answer, extractor)


@feature
def reference_keywords(reference: str, *, extractor: Extractor = "default") -> frozenset[str]:
    """The reference's keywords; see `keywords`.

    >>> sorted(reference_keywords("about $604"))
    ['604']
    """
    return keywords(reference, extractor)


def keywords(text: str, extractor: Extractor = "default") -> frozenset[str]:
    """The text's keywords, each once.

    "default" is the union of capitalised phrases of two or more words (a leading "The" or "In"
    left off), capitalised words with their number or code, numbers without currency sign and
    thousands separators but with their percent sign, and lower-cased words of four or more letters
    that are no stop words. "regex" is the seed system's own extraction.

    >>> sorted(keywords("The Base Rates of Territory 118 rose 0.305% to $1,604"))
    ['0.305%', '118', '1604', 'Base Rates', 'Territory 118', 'base', 'rates', 'rose', 'territory']
    """
    if extractor == "regex":
        return _seed_keywords(text)
    text = plain_signs(composed(text))
    found = set(_phrases(text))
    found |= {
        f"{match[1]} {match[2]}"
        for match in CODED.finditer(text)
        if match[1][0].isupper() and match[1].lower() not in NLTK_ENGLISH
    }
    found |= {by_value(one) for one in quantities(text) if not one.spelled}
    found |= set(WORD.findall(text.lower())) - NLTK_ENGLISH
    return frozenset(found)


@feature
def answer_numbers(answer_quantities: Sequence[Quantity]) -> frozenset[str]:
    """The answer's numbers by value: what it states, in words and in dates too.

    >>> sorted(answer_numbers(quantities("$1,604.50 is 5% of two")))
    ['1604.5', '2', '5%']
    """
    return frozenset(map(by_value, answer_quantities))


@feature
def reference_numbers(
    references: Sequence[str], reference_quantities: Sequence[Sequence[Quantity]]
) -> frozenset[str]:
    """The numbers of all references by value.

    >>> sorted(reference_numbers(["$5", "six, or 7"], [quantities("$5"), quantities("six, or 7")]))
    ['5', '6', '7']
    """
    return frozenset(by_value(one) for found in reference_quantities for one in found)


@feature
def context_numbers(context_quantities: Sequence[Sequence[Quantity]]) -> frozenset[str]:
    """The numbers of all contexts by value.

    >>> sorted(context_numbers([quantities("5%"), quantities("1e3")]))
    ['1000', '5%']
    """
    return frozenset(by_value(one) for found in context_quantities for one in found)


def by_value(quantity: Quantity) -> str:
    """The quantity as numbers are compared: its value, and whether it is a percentage.

    >>> by_value(quantities("$1,000.50")[0])
    '1000.5'
    """
    return f"{quantity.plain_value}{'%' if quantity.unit == '%' else ''}"


def _seed_keywords(text: str) -> frozenset[str]:
    found = set(SEED_WORD.findall(text.lower())) - SEED_STOP_WORDS
    return frozenset(found.union(SEED_PHRASE.findall(text), SEED_NUMBER.findall(text)))


def _phrases(text: str) -> Iterator[str]:
    """Two or more capitalised words in a row, without leading stop words."""
    run: list[str] = []
    end = -1
    for name in NAME.finditer(text):
        goes_on = run and text[end : name.start()].strip(" \t") == ""
        is_capital = name[0][0].isupper()
        if run and not (goes_on and is_capital):
            yield from _phrase(run)
            run = []
        if is_capital:
            run.append(name[0])
        end = name.end()
    yield from _phrase(run)


def _phrase(words: list[str]) -> Iterator[str]:
    while words and words[0].lower() in NLTK_ENGLISH:
        words = words[1:]
    if len(words) > 1:
        yield " ".join(words)
