"""The words by which facts are read: units, periods, months, bounds, negations, scopes and opposites of five languages."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from ragauge.language.any_case import AnyCase
from ragauge.language.detection import function_words
from ragauge.language.stems import CJK, stem
from ragauge.language.stop_words import NLTK_ENGLISH


@dataclass(frozen=True)
class Vocabulary:
    """The tables of words.toml, by lower-cased word or phrase.

    An opposite is the number of its pair and its side there; a word of a class has the class and the number of its member.
    `often`: those with which it is said how often. `without_content`: negations, scopes, bounds, periods and months, which say something of other words. `token` finds phrases,
    words, Chinese words that the tables have and single signs; the longest first.
    """

    units: Mapping[str, str]
    periods: Mapping[str, str]
    rates: Mapping[str, str]
    dollars: Mapping[str, str]
    months: Mapping[str, int]
    numbers: Mapping[str, int]
    bounds: Mapping[str, str]
    once: Mapping[str, int]
    classes: Mapping[str, tuple[str, str]]
    scopes: Mapping[str, frozenset[str]]
    opposites: Mapping[str, frozenset[tuple[int, int]]]
    per: frozenset[str]
    negations: frozenset[str]
    negations_after: frozenset[str]
    merely: frozenset[str]
    by: frozenset[str]
    turning: frozenset[str]
    ends: frozenset[str]
    articles: frozenset[str]
    mutual: frozenset[str]
    joints: frozenset[str]
    but: frozenset[str]
    times: frozenset[str]
    every: frozenset[str]
    other: frozenset[str]
    half: frozenset[str]
    within: frozenset[str]
    often: frozenset[str]
    prefixes: frozenset[str]
    without_prefixes: frozenset[str]
    functions: frozenset[str]
    without_content: frozenset[str]
    token: AnyCase


@cache
def vocabulary() -> Vocabulary:
    """The words of words.toml."""
    text = (resources.files("ragauge.language.facts") / "words.toml").read_text("utf-8")
    table: Mapping[str, Any] = tomllib.loads(text)
    known: dict[str, Any] = {name: frozenset(_listed(each)) for name, each in table["sets"].items()}
    for name in ("units", "periods", "rates", "dollars", "months", "numbers", "bounds", "once"):
        kind = int if name in ("months", "numbers", "once") else str
        known[name] = {
            word: kind(key) for key, each in table[name].items() for word in _listed(each)
        }
    known["classes"] = {
        word: (name, str(member))
        for name, members in table["classes"].items()
        for member, words in enumerate(members.split(","))
        for word in words.split()
    }
    pairs = enumerate(table["opposites"])
    sides = (((pair, side), words) for pair, both in pairs for side, words in enumerate(both))
    for name, groups in (("scopes", table["scopes"].items()), ("opposites", sides)):
        known[name] = {}
        for group, words in groups:
            for word in _listed(words):
                known[name][word] = known[name].get(word, frozenset()) | {group}
    known["mutual"] = frozenset(stem(word)[:5] for word in known["mutual"])
    known["functions"] |= NLTK_ENGLISH | function_words("de", "fr", "es")
    plain = ("negations", "scopes", "bounds", "periods", "rates", "months")
    known["without_content"] = frozenset(word for name in plain for word in known[name])
    known["often"] = frozenset({*known["once"], *known["rates"]} | known["times"] | known["every"])
    names = "bounds once scopes negations classes opposites units periods rates turning every"
    found = {word for name in names.split() for word in known[name]}
    words = sorted(found, key=lambda one: (-len(one), one))
    longest = _any_of(word for word in words if " " in word)
    chinese = _any_of(word for word in words if word[0] > "\u3000")
    letter = rf"[^\W\d_{CJK}]"
    token = AnyCase(
        rf"\b(?:{longest})\b|{chinese}|[{CJK}]|{letter}+?(?=n['’]t\b)|n['’]t\b"
        rf"|{letter}+|\d+(?:[.,]\d+)*|[^\w\s*`]"
    )
    return Vocabulary(token=token, **known)


def _listed(words: str) -> list[str]:
    return [word.replace("_", " ") for word in words.split()]


def _any_of(words: Iterable[str]) -> str:
    """A pattern of the words, by their first letters, so that few of them are tried at a place."""
    rests: dict[str, list[str]] = {}
    for word in words:
        rests.setdefault(word[0], []).append(re.escape(word[1:]))
    return "|".join(f"{first}(?:{'|'.join(rest)})" for first, rest in rests.items())
