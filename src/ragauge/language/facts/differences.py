"""A detail in which a text contradicts another, and what statements have in common."""

from collections.abc import Sequence, Set
from typing import NamedTuple, Protocol

from ragauge.language.facts.reader import Fact, Statement, Token, Word
from ragauge.language.facts.same import is_same
from ragauge.language.facts.vocabulary import vocabulary

MIN_SIZE = 3
"""The fewest words and facts of a statement that words are compared with."""
MIN_LIKENESS = 0.5
"""The likeness of two statements from which their words are compared."""


class Part(NamedTuple):
    """What a text says of a detail, and where: start and end of the span."""

    text: str
    start: int
    end: int


class Difference(NamedTuple):
    """A detail in which a text contradicts another: its kind, and what either text says of it.

    The kind `left out` is no contradiction: the text says only a part of what is expected. `found` is None there, and
    `expected` is None where the text adds an item to a list. `context`: which passage has what is expected.
    """

    kind: str
    found: Part | None
    expected: Part | None
    context: int = 0


class _Shown(Protocol):
    @property
    def shown(self) -> str: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


def part_of(one: _Shown) -> Part:
    """The part of a text that is a fact, or a word."""
    return Part(one.shown, one.start, one.end)


class Item(NamedTuple):
    """A word or fact that two statements share, at its place in one of them."""

    key: str
    start: int
    end: int
    role: str
    kind: str


def span(statement: Statement, words: Sequence[Word | Item]) -> Part:
    """The part of a statement from the first to the last of some words."""
    start, end = words[0].start, words[-1].end
    return Part(statement.text[start - statement.start : end - statement.start], start, end)


def facts_of(statements: Sequence[Statement]) -> list[Fact]:
    return [fact for statement in statements for fact in statement.facts]


def keys_of(statements: Sequence[Statement]) -> Set[str]:
    return {key for statement in statements for key in statement.keys}


def beside(statement: Statement, part: Fact | Token) -> set[str]:
    """The content words next to a part of a statement: one before it, two behind it."""
    before = [word.key for word in statement.words if word.end <= part.start]
    after = [word.key for word in statement.words if word.start >= part.end]
    return {*before[-1:], *after[:2]}


def likeness(one: Statement, other: Statement) -> float:
    """Of the words and facts of both statements, the share that both have: Dice's coefficient."""
    n_facts = sum(any(is_same(fact, each) for each in other.facts) for fact in one.facts)
    n = len(one.keys) + len(other.keys) + len(one.facts) + len(other.facts)
    return 2 * (len(one.keys & other.keys) + n_facts) / n if n else 0.0


def kind_of_word(word: Word) -> str:
    """`dense`: of a script that has no capitals, and an order that is fixed."""
    return "dense" if word.key[0] > "\u3000" else "name" if word.is_name else "word"


def joints(statement: Statement) -> list[Token]:
    """Commas and words such as `and`, but not the first letter of `U.K.`."""
    joints, text = vocabulary().joints, statement.text
    return [
        token
        for token in statement.tokens
        if token.text in joints and not text.startswith(".", token.end - statement.start)
    ]
