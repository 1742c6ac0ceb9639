"""Keywords of a text: phrases, codes, numbers and words; and numbers by value."""

import re
from typing import Literal

from ragauge.language.characters import plain_signs
from ragauge.language.numbers.numbers import quantities
from ragauge.language.numbers.quantity import NAMED, Quantity
from ragauge.language.stop_words import NLTK_ENGLISH
from ragauge.language.text import composed, word_set
from ragauge.language.words import words_of

Extractor = Literal["default", "regex"]

WORD = re.compile(r"[^\W\d_]{4,}")
NAME = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*(?!-?\d)")
CODED = re.compile(r"\b([^\W\d_]+)[ \t]+((?:[A-Z]{1,4}-?)?\d+(?:[.-]\d+)*[A-Za-z]?)\b(?![%,]\d|%)")

# The patterns of the suite answer-quality. The first two, \b[A-Z][a-z]+(?:\s+[A-Z][a-z]+)+\b and
# \d+\.?\d*%?, begin with a single character class here, which keeps the search fast.
REGEX_PHRASE = re.compile(r"[A-Z](?<=\b[A-Z])[a-z]+(?:\s+[A-Z][a-z]+)+\b")
REGEX_NUMBER = re.compile(r"\d\d*\.?\d*%?")
REGEX_WORD = re.compile(r"\b[a-z]{4,}\b")
REGEX_STOP_WORDS = word_set("this that the and for with from are was were")


def keywords(text: str, extractor: Extractor = "default") -> frozenset[str]:
    """The text's keywords, each once.

    "default" finds capitalised phrases of two or more words (without a leading "The" or "In"),
    capitalised words with their number or code, numbers (without currency sign and thousands
    separators, with percent sign), and lower-cased words of four or more letters that are not stop
    words. "regex" uses the three regular expressions of the suite answer-quality.

    >>> sorted(keywords("The Base Rates of Territory 118 rose 0.305% to $1,604"))
    ['0.305%', '118', '1604', 'Base Rates', 'Territory 118', 'base', 'rates', 'rose', 'territory']
    """
    if extractor == "regex":
        if text.isascii():  # the same words, faster
            found = {word for word in words_of(text).listed if len(word) > 3 and word.isalpha()}
        else:
            found = set(REGEX_WORD.findall(text.lower()))
        found -= REGEX_STOP_WORDS
        return frozenset(found.union(REGEX_PHRASE.findall(text), REGEX_NUMBER.findall(text)))
    text = plain_signs(composed(text))
    runs: list[list[str]] = [[]]  # of capitalised words, without leading stop words
    end = -1
    for name in NAME.finditer(text):
        is_capital = name[0][0].isupper()
        if not is_capital or text[end : name.start()].strip(" \t"):
            runs.append([])
        if is_capital and (runs[-1] or name[0].lower() not in NLTK_ENGLISH):
            runs[-1].append(name[0])
        end = name.end()
    found = {" ".join(run) for run in runs if len(run) > 1}
    found |= {
        f"{match[1]} {match[2]}"
        for match in CODED.finditer(text)
        if match[1][0].isupper() and match[1].lower() not in NLTK_ENGLISH
    }
    found |= {by_value(quantity) for quantity in quantities(text) if not quantity.spelled}
    found |= set(WORD.findall(text.lower())) - NLTK_ENGLISH
    return frozenset(found)


def by_value(quantity: Quantity) -> str:
    """The quantity in the form in which numbers are compared: its value, and % for a percentage; a version as it is.

    >>> by_value(quantities("$1,000.50")[0])
    '1000.5'
    """
    if quantity.unit in NAMED:
        return quantity.text
    return f"{quantity.plain_value}{'%' if quantity.unit == '%' else ''}"
