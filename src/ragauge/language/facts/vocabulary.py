"""The words by which facts are read: units, periods, months, bounds, negations, scopes and opposites of five languages."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from ragauge.language.detection import function_words
from ragauge.language.stems import CJK, stem
from ragauge.language.stop_words import NLTK_ENGLISH


@dataclass(frozen=True)
class Vocabulary:
    """The tables of words.toml, by lower-cased word.

    `bounds`, `scopes` and `negations` hold phrases too; `phrases` finds them all, the longest first. An opposite is the number of
    its pair and its side there; a word of a class has the class and the number of its member.
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
    functions: frozenset[str]
    token: "re.Pattern[str]"


@cache
def vocabulary() -> Vocabulary:
    """The words of words.toml."""
    text = (resources.files("ragauge.language.facts") / "words.toml").read_text("utf-8")
    table: Mapping[str, Any] = tomllib.loads(text)
    scopes: dict[str, frozenset[str]] = {}
    for name, listed in table["scopes"].items():
        for phrase in listed.split(","):
            scopes[phrase] = scopes.get(phrase, frozenset()) | {name}
    opposites: dict[str, frozenset[tuple[int, int]]] = {}
    for pair, sides in enumerate(table["opposites"]):
        for side, listed in enumerate((sides["one"], sides["other"])):
            for word in listed.split():
                opposites[word] = opposites.get(word, frozenset()) | {(pair, side)}
    classes = {
        word: (name, str(member))
        for name, members in table["classes"].items()
        for member, words in enumerate(members.split(","))
        for word in words.split()
    }
    bounds = _by_word(table["bounds"], ",")
    negations = frozenset(table["negations"]["words"].split(","))
    roles, merely = table["roles"], frozenset(table["negations"]["merely"].split(","))
    units, periods = _by_word(table["units"]), _by_word(table["periods"])
    spelled = (
        *bounds,
        *scopes,
        *negations,
        *classes,
        *opposites,
        *units,
        *periods,
        *roles["turning"].split(","),
    )
    return Vocabulary(
        units=units,
        periods=periods,
        per=frozenset(table["per"]["words"].split()),
        months={word: int(month) for word, month in _by_word(table["months"]).items()},
        numbers={word: int(number) for word, number in _by_word(table["numbers"]).items()},
        classes=classes,
        bounds=bounds,
        scopes=scopes,
        negations=negations,
        negations_after=frozenset(table["negations"]["after"].split(",")),
        merely=merely,
        by=frozenset(roles["by"].split(",")),
        turning=frozenset(roles["turning"].split(",")),
        articles=frozenset(roles["articles"].split()),
        mutual=frozenset(stem(word)[:5] for word in roles["mutual"].split()),
        joints=frozenset(table["lists"]["joints"].split()),
        but=frozenset(table["remarks"]["but"].split(",")),
        opposites=opposites,
        functions=NLTK_ENGLISH
        | function_words("de", "fr", "es")
        | frozenset(table["functions"]["words"].split()),
        token=_token(
            {word for word in spelled if " " in word},
            {word for word in spelled if word[0] > "\u3000"},
        ),
    )


def _by_word(table: Mapping[str, str], separator: str | None = None) -> dict[str, str]:
    return {word: name for name, listed in table.items() for word in listed.split(separator)}


def _token(phrases: set[str], dense: set[str]) -> "re.Pattern[str]":
    """What finds phrases, words, Chinese words that the tables have, single signs; the longest first."""
    longest = [re.escape(each) for each in sorted(phrases, key=lambda each: (-len(each), each))]
    chinese = [re.escape(each) for each in sorted(dense, key=lambda each: (-len(each), each))]
    letter = rf"(?:(?![{CJK}])[^\W\d_])"
    return re.compile(
        rf"\b(?:{'|'.join(longest)})\b|{'|'.join(chinese)}|[{CJK}]|{letter}+?(?=n['’]t\b)|n['’]t\b"
        rf"|{letter}+|\d+(?:[.,]\d+)*|[^\w\s*`]",
        re.IGNORECASE,
    )
