"""The words by which facts are read: units, periods, months, bounds, negations, scopes and opposites of five languages."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from ragauge.language.detection import function_words
from ragauge.language.stems import CJK, stem
from ragauge.language.stop_words import NLTK_ENGLISH

WORDS = {
    "per": ("per", "words", None),
    "negations": ("negations", "words", ","),
    "negations_after": ("negations", "after", ","),
    "merely": ("negations", "merely", ","),
    "prefixes": ("prefixes", "words", None),
    "without_prefixes": ("prefixes", "not", None),
    "by": ("roles", "by", ","),
    "turning": ("roles", "turning", ","),
    "articles": ("roles", "articles", None),
    "joints": ("lists", "joints", None),
    "but": ("remarks", "but", ","),
}
"""Plain lists of words: their table and key, and what parts the words."""


@dataclass(frozen=True)
class Vocabulary:
    """The tables of words.toml, by lower-cased word.

    `bounds`, `scopes` and `negations` hold phrases too; `phrases` finds them all, the longest first. An opposite is the number of
    its pair and its side there; a word of a class has the class and the number of its member. `without_prefixes`: words that `prefixes` do not turn.
    """

    units: Mapping[str, str]
    periods: Mapping[str, str]
    per: frozenset[str]
    months: Mapping[str, int]
    numbers: Mapping[str, int]
    classes: Mapping[str, tuple[str, str]]
    bounds: Mapping[str, str]
    scopes: Mapping[str, frozenset[str]]
    negations: frozenset[str]
    negations_after: frozenset[str]
    merely: frozenset[str]
    by: frozenset[str]
    turning: frozenset[str]
    articles: frozenset[str]
    mutual: frozenset[str]
    joints: frozenset[str]
    but: frozenset[str]
    opposites: Mapping[str, frozenset[tuple[int, int]]]
    prefixes: frozenset[str]
    without_prefixes: frozenset[str]
    functions: frozenset[str]
    without_content: frozenset[str]
    """Negations, scopes, bounds, periods and months: they say something of other words."""
    token: "re.Pattern[str]"
    """What finds phrases, words, Chinese words that the tables have, single signs; the longest first."""


@cache
def vocabulary() -> Vocabulary:
    """The words of words.toml."""
    text = (resources.files("ragauge.language.facts") / "words.toml").read_text("utf-8")
    table: Mapping[str, Any] = tomllib.loads(text)
    functions = NLTK_ENGLISH | function_words("de", "fr", "es")
    found: dict[str, Any] = {
        "units": _by_word(table["units"]),
        "periods": _by_word(table["periods"]),
        "months": {word: int(month) for word, month in _by_word(table["months"]).items()},
        "numbers": {word: int(number) for word, number in _by_word(table["numbers"]).items()},
        "bounds": _by_word(table["bounds"], ","),
        "scopes": _groups((name, words.split(",")) for name, words in table["scopes"].items()),
        "classes": {
            word: (name, str(member))
            for name, members in table["classes"].items()
            for member, words in enumerate(members.split(","))
            for word in words.split()
        },
        "opposites": _groups(
            ((pair, side), sides[name].split())
            for pair, sides in enumerate(table["opposites"])
            for side, name in enumerate(("one", "other"))
        ),
        "mutual": frozenset(stem(word)[:5] for word in table["roles"]["mutual"].split()),
        "functions": functions | frozenset(table["functions"]["words"].split()),
    }
    for name, (part, key, separator) in WORDS.items():
        found[name] = frozenset(table[part][key].split(separator))
    names = ("bounds", "scopes", "negations", "classes", "opposites", "units", "periods", "turning")
    words = sorted(
        {word for name in names for word in found[name]}, key=lambda word: (-len(word), word)
    )
    longest = _any_of(word for word in words if " " in word)
    chinese = _any_of(word for word in words if word[0] > "\u3000")
    letter = rf"(?:(?![{CJK}])[^\W\d_])"
    token = re.compile(
        rf"\b(?:{longest})\b|{chinese}|[{CJK}]|{letter}+?(?=n['’]t\b)|n['’]t\b"
        rf"|{letter}+|\d+(?:[.,]\d+)*|[^\w\s*`]",
        re.IGNORECASE,
    )
    plain = ("negations", "scopes", "bounds", "periods", "months")
    without_content = frozenset(word for name in plain for word in found[name])
    return Vocabulary(token=token, without_content=without_content, **found)


def _any_of(words: Iterable[str]) -> str:
    """A pattern of the words, by their first letters, so that few of them are tried at a place."""
    rests: dict[str, list[str]] = {}
    for word in words:
        rests.setdefault(word[0], []).append(re.escape(word[1:]))
    return "|".join(f"{first}(?:{'|'.join(rest)})" for first, rest in rests.items())


def _by_word(table: Mapping[str, str], separator: str | None = None) -> dict[str, str]:
    return {word: name for name, listed in table.items() for word in listed.split(separator)}


def _groups(listed: Iterable[tuple[Any, list[str]]]) -> dict[str, frozenset[Any]]:
    """The groups that each word is in."""
    found: dict[str, frozenset[Any]] = {}
    for group, words in listed:
        for word in words:
            found[word] = found.get(word, frozenset()) | {group}
    return found
