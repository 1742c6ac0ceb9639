"""The statements of a text: its sentences with their facts, content words, and which of these are negated."""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import takewhile
from typing import NamedTuple

from ragauge.language.facts.facts import NEAR, SIGNS, Fact, Part, facts_of_text
from ragauge.language.facts.vocabulary import vocabulary
from ragauge.language.stems import stem
from ragauge.language.stop_words import is_letter
from ragauge.language.text import sentence_spans

PREFIX = 5
"""Letters of a stem that are compared, so that `verschlüsselt` and `Verschlüsselung` are one word."""
_NONE = frozenset[tuple[int, int]]()


class Word(NamedTuple):
    """A content word: its span, its stem, whether it is part of a name, and what stands before it.

    `opposites`: the pairs of opposites that it belongs to, with its side. `role`: "by" behind a word such as `by`, "to" behind
    another preposition, else "". `has_article`: an article that has no cases stands before it.
    """

    key: str
    text: str
    start: int
    end: int
    is_name: bool
    opposites: frozenset[tuple[int, int]]
    role: str
    has_article: bool
    is_negated: bool

    @property
    def shown(self) -> str:
        return "not " * self.is_negated + self.text


# Not Part(…) and Word(…), which take twice as long.
_part: Callable[[tuple[str, int, int]], Part] = partial(tuple.__new__, Part)  # pyright: ignore[reportUnknownMemberType]
_word: Callable[[tuple[object, ...]], Word] = partial(tuple.__new__, Word)  # pyright: ignore[reportUnknownMemberType]


@dataclass(frozen=True)
class Statement:
    """A sentence of a text, at start:end, with its facts and content words in order.

    `scopes`: whether it speaks of `only`, `all`, `always`, `if`. Words inside facts are no content words.
    """

    text: str
    start: int
    end: int
    facts: Sequence[Fact]
    words: Sequence[Word]
    scopes: Mapping[str, Part]
    tokens: Sequence[Part]

    @cached_property
    def keys(self) -> frozenset[str]:
        return frozenset(word.key for word in self.words)

    @cached_property
    def has_negation(self) -> bool:
        return any(token.text in vocabulary().negations for token in self.tokens)

    def part(self, start: int, end: int) -> "Statement":
        """What the statement says between two places."""
        facts = [fact for fact in self.facts if start <= fact.start and fact.end <= end]
        words = [word for word in self.words if start <= word.start and word.end <= end]
        tokens = [token for token in self.tokens if start <= token.start and token.end <= end]
        text = self.text[start - self.start : end - self.start]
        places = {token.start for token in tokens}
        scopes = {name: token for name, token in self.scopes.items() if token.start in places}
        return Statement(text, start, end, facts, tuple(words), scopes, tokens)


@lru_cache(maxsize=4_096)
def read(text: str) -> tuple[Statement, ...]:
    """The statements of a text: its sentences, each with its facts and words.

    >>> (statement,) = read("Team costs $18 per month.")
    >>> [(fact.kind, fact.text, fact.unit, fact.per) for fact in statement.facts]
    [('amount', '$18', 'USD', 'month')]
    """
    known = vocabulary()
    tokens = [_part((each[0].lower(), *each.span())) for each in known.token.finditer(text)]
    ends, negated, denied = SIGNS | known.but, set[int](), set[int]()
    for at, token in enumerate(tokens):
        if (
            token.text not in known.negations
            or {each.text for each in tokens[at + 1 : at + 2]} & known.merely
        ):
            continue
        parts = [tokens[at + 1 : at + 2 + NEAR]]
        if token.text in known.negations_after:
            parts.append(tokens[max(0, at - 2) : at][::-1])
        for part in parts:
            starts = [each.start for each in takewhile(lambda each: each.text not in ends, part)]
            negated.update(starts)
            denied.update(starts[:2])
    spans = sentence_spans(text)
    facts = facts_of_text(text, tokens, {end for _, end in spans})
    for at, fact in enumerate(facts):
        if fact.start in denied:  # `not over 5` is `at most 5`
            bound = {"over": "most", "under": "least"}.get(fact.bound)
            facts[at] = fact._replace(bound=bound) if bound else fact._replace(is_negated=True)
    starts, places = ([each.start for each in parts] for parts in (facts, tokens))
    found: list[Statement] = []
    for start, end in spans:
        own = facts[bisect_left(starts, start) : bisect_left(starts, end)]
        part = tokens[bisect_left(places, start) : bisect_left(places, end)]
        words = tuple(_words(text, start, own, part, negated))
        scopes = {
            name: token for token in reversed(part) for name in known.scopes.get(token.text, ())
        }
        found.append(Statement(text[start:end], start, end, own, words, scopes, part))
    return tuple(found)


def _words(
    text: str, start: int, facts: Sequence[Fact], tokens: Sequence[Part], negated: Set[int]
) -> Iterator[Word]:
    """The content words of the statement that begins at `start`."""
    known = vocabulary()
    inside = {at for fact in facts for at in range(fact.start, fact.end)}
    for at, token in enumerate(tokens):
        word, begin, end = token
        is_function = word in known.functions and word not in known.opposites
        if (is_function and not is_letter(text, begin, end)) or word in known.without_content:
            continue
        if begin in inside or not word[0].isalnum():
            continue
        following = tokens[at + 1].start if at + 1 < len(tokens) else start
        is_name = text[begin].isupper() and (
            begin > start or (following == end + 1 and text[following].isupper())
        )
        before = [each.text for each in tokens[max(0, at - 2) : at]]
        role = "" if known.turning.isdisjoint(before) else "to"
        role = role if known.by.isdisjoint(before) else "by"
        has_article = bool(before) and before[-1] in known.articles
        opposites, key = known.opposites.get(word, _NONE), stem(word)[:PREFIX]
        own, is_negated = text[begin:end], begin in negated
        yield _word((key, own, begin, end, is_name, opposites, role, has_article, is_negated))
