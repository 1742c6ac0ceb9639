"""The table of refusals, `refusals.toml`: its rows, and how their patterns are written.

A pattern is a regular expression, one a line, in which a space or `_` matches a run of whitespace, a bracket groups and
captures nothing, `<name>` is any word of a class, or a part, and `~` is a gap of up to sixty characters within a clause.
Case is ignored. A class is a list of words, `_` joins those of a phrase; nouns stand for their plurals too.
"""

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from typing import Any, Literal, TypeAlias

Counts: TypeAlias = Literal[
    "opening",
    "at the end",
    "always",
    "alone",
    "if nothing answers",
    "beside a source",
    "if asked for",
]
"""Where a wording refuses: as the opening; at the end too; there whatever precedes; if the answer says nothing else; if no
sentence answers; if moreover the answer speaks of a source; if the question asks for what is missing."""

SPEAKER = "speaker"
_NEGATIONS = ("<not>", "<cannot>", "<is_not>")


@dataclass(frozen=True)
class Rule:
    """A row of the table: wordings of one kind of refusal. Words of `subject` must precede in the same clause.

    `is_negated`: all begin with a negation. `needs`: a role that the sentence must have, so that few are searched.
    """

    kind: str
    lines: tuple[str, ...]
    is_negated: bool
    example: str
    counts: Counts = "opening"
    subject: str | None = None
    needs: str | None = None

    @cached_property
    def words(self) -> re.Pattern[str]:
        return _compiled(self.lines)

    @cached_property
    def subject_words(self) -> re.Pattern[str]:
        return _compiled((rf"\b(?:{self.subject})\b",))

    @property
    def closes(self) -> bool:
        return self.counts in ("at the end", "always")

    @property
    def is_gap(self) -> bool:
        """Whether answers use such words too, so that it refuses only where nothing answers."""
        return self.counts in ("if nothing answers", "beside a source", "if asked for")


@cache
def rules() -> tuple[Rule, ...]:
    """The rows of the table; patterns are compiled at their first use."""
    return tuple(rule for row in _table()["rows"] for rule in _rules(**row))


@cache
def role(name: str) -> re.Pattern[str]:
    """The pattern of a role that a sentence, or what surrounds a refusal in it, can play."""
    return _compiled(_table()["roles"][name].split("\n"))


def plays(name: str, text: str, start: int = 0) -> bool:
    """Whether the text has the role from its beginning on."""
    return role(name).match(text, start) is not None


def has(name: str, text: str, start: int = 0) -> bool:
    """Whether the text has the role somewhere."""
    return role(name).search(text, start) is not None


def _rules(words: str, **row: Any) -> Iterator[Rule]:
    """The row's patterns that begin with a negation, which are much quicker to find, and the others."""
    lines = words.split("\n")
    negated = tuple(line for line in lines if line.startswith(_NEGATIONS))
    others = tuple(line for line in lines if line not in negated)
    for some in filter(None, (negated, others)):
        yield Rule(lines=some, is_negated=some is negated, **row)


@cache
def _table() -> dict[str, Any]:
    text = (resources.files("ragauge.language.refusals") / "refusals.toml").read_text("utf-8")
    return tomllib.loads(text)


@cache
def _part(name: str) -> str:
    given = _table()
    if name in given["nouns"]:
        return "|".join(map(_with_plural, given["nouns"][name].split()))
    return (
        "|".join(given["classes"][name].split())
        if name in given["classes"]
        else given["parts"][name]
    )


def _with_plural(noun: str) -> str:
    if re.search("[^aeiou]y$", noun):
        return f"{noun[:-1]}(?:y|ies)"
    return f"{noun}(?:es)?" if re.search("(?:s|x|ch)$", noun) else f"{noun}s?"


def _compiled(lines: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(_expanded, lines)), re.IGNORECASE)


def _expanded(text: str) -> str:
    """The pattern in the notation of `re`."""
    while named := re.search(r"<([a-z][a-z_]*)>", text):
        text = f"{text[: named.start()]}({_part(named[1])}){text[named.end() :]}"
    text = re.sub(r"(?<!\\)\((?!\?)", "(?:", text.replace("~", "[^,;:]{0,60}?"))
    return re.sub("[ _]", r"\\s+", re.sub(r"[ _]\?", r"\\s*", text))
