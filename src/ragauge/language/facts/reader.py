"""The facts that a text states: amounts, dates, codes and names, and which of its words it negates."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, lru_cache
from itertools import takewhile
from typing import Literal, NamedTuple

from ragauge.language.dates.dates import dates
from ragauge.language.dates.parts import Date
from ragauge.language.facts.vocabulary import vocabulary
from ragauge.language.numbers.numbers import quantities
from ragauge.language.numbers.other_languages import in_other_languages, times_of_day
from ragauge.language.numbers.quantity import Quantity, unit_of
from ragauge.language.numbers.unit_conversion import is_time
from ragauge.language.stems import stem
from ragauge.language.text import DESIGNATIONS, sentence_spans

Kind = Literal["amount", "date", "code", "member"]
BEHIND = ("or ", "and ", "oder ", "como ", "au m", "minimum", "maximum", "以")
"""How a bound begins that stands behind its number: `16 or over`."""
NEAR = 3
"""Tokens beside an amount, or after a negation, that belong to it."""
PREFIX = 5
"""Letters of a stem that are compared, so that `verschlüsselt` and `Verschlüsselung` are one word."""
SIGNS = frozenset(",;:.()，；：。（）|")
"""Signs at which what belongs to an amount or a negation ends."""
YEARS = range(1100, 2101)
"""Numbers of four digits without a unit that are years."""
_DESIGNATION = "|".join((*DESIGNATIONS, "vitamine", "vitamina", "维生素", "tarif"))
_CODE = re.compile(
    r"(?<![^\W\u3000-\uffff])(?P<head>[A-Z][A-Za-z]{0,11})[- ]?(?P<tail>\d+(?:\.\d+)*[A-Za-z]?)(?![^\W\u3000-\uffff]|%|[-.,:–]\d)"
    r"|(?P<version>\b[Vv](?:ersion|ersión|\.)? ?|版本 ?)(?P<number>\d+(?:\.\d+)*)(?!\w)"
    rf"|(?P<kind>(?i:\b(?:{_DESIGNATION})|维生素) ?(?=[A-Z](?![\w'’-]))|\b[A-Z][a-z]{{2,}} (?=[A-Z]\d|[A-Z](?!\s+[A-Z])))"
    r"(?P<letter>[A-Z]\d{0,2})(?![\w'’-]|\.\w)"
)
_INITIAL = re.compile(r"\.\s+[A-Z]")
"""What follows the initial of a name: `John S. Smith`."""


BOUNDS = {
    "least": "at least ",
    "most": "at most ",
    "exact": "exactly ",
    "over": "over ",
    "under": "under ",
}
"""How a bound is shown."""

OPPOSITE_BOUNDS = {"over": "most", "under": "least"}

_PARTED = re.compile(r"[$€£]? ?\b\d{1,3}(?: ?[,.] (?!\d{4})\d{3}| [,.] ?\d{3})\b")
"""A number with a space inside, as some tokenizers leave it: `26, 000`."""


class Token(NamedTuple):
    """A word, phrase, number or sign of a text, lower-cased, with its span."""

    text: str
    start: int
    end: int


class Fact(NamedTuple):
    """Something of which a text may state another: its span, and what it says.

    `value`: a number, the parts of a date, the head and tail of a code (`AES`, `128`), or a class and its member (`colour`, `2`). Of amounts: the `unit`,
    the period that a rate is `per`, and the `bound` (`least`, `most`, `exact`, `over`, `under`); "" where not stated.
    """

    kind: Kind
    text: str
    start: int
    end: int
    value: Decimal | Date | tuple[str, str]
    unit: str = ""
    per: str = ""
    bound: str = ""
    is_negated: bool = False

    @property
    def shown(self) -> str:
        """What it says, with what a negation, a bound or a period adds."""
        before = ("not " * self.is_negated) + BOUNDS.get(self.bound, "")
        return f"{before}{self.text}{f' per {self.per}' if self.per else ''}"


class Word(NamedTuple):
    """A content word: its span, its stem, whether it is part of a name, and what stands before it.

    `has_article`: an article that has no cases stands before it. `opposites`: the pairs of opposites that it belongs to, with its side. `role`: "by" behind a word such as
    `by`, "to" behind another preposition, else "".
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
        return f"{'not ' if self.is_negated else ''}{self.text}"


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
    scopes: Mapping[str, Token]
    tokens: Sequence[Token]

    @cached_property
    def keys(self) -> frozenset[str]:
        return frozenset(word.key for word in self.words)

    def part(self, start: int, end: int) -> "Statement":
        """What the statement says between two places."""
        facts = [fact for fact in self.facts if start <= fact.start and fact.end <= end]
        words = [word for word in self.words if start <= word.start and word.end <= end]
        tokens = [token for token in self.tokens if start <= token.start and token.end <= end]
        text = self.text[start - self.start : end - self.start]
        places = {token.start for token in tokens}
        scopes = {name: token for name, token in self.scopes.items() if token.start in places}
        return Statement(text, start, end, facts, tuple(words), scopes, tokens)


@lru_cache(maxsize=8_192)
def read(text: str) -> tuple[Statement, ...]:
    """The statements of a text: its sentences, each with its facts and words.

    >>> (statement,) = read("Team costs $18 per month.")
    >>> [(fact.kind, fact.text, fact.unit, fact.per) for fact in statement.facts]
    [('amount', '$18', 'USD', 'month')]
    """
    tokens = [Token(each[0].lower(), *each.span()) for each in vocabulary().token.finditer(text)]
    negated, denied = ({tokens[at].start for at in _negated(tokens, n)} for n in (NEAR, 1))
    facts = [_denied(fact) if fact.start in denied else fact for fact in _facts(text, tokens)]
    starts = [fact.start for fact in facts]
    places = [token.start for token in tokens]
    found: list[Statement] = []
    for start, end in sentence_spans(text):
        own = facts[bisect_left(starts, start) : bisect_left(starts, end)]
        part = tokens[bisect_left(places, start) : bisect_left(places, end)]
        found.append(_statement(text, start, end, own, part, negated))
    return tuple(found)


def _denied(fact: Fact) -> Fact:
    """The fact with a negation before it: `not over 5` is `at most 5`."""
    if fact.bound in OPPOSITE_BOUNDS:
        return fact._replace(bound=OPPOSITE_BOUNDS[fact.bound])
    return fact._replace(is_negated=True)


def _statement(
    text: str,
    start: int,
    end: int,
    facts: Sequence[Fact],
    tokens: Sequence[Token],
    negated: Set[int],
) -> Statement:
    known = vocabulary()
    scopes = {
        scope: token for token in reversed(tokens) for scope in known.scopes.get(token.text, ())
    }
    inside = {at for fact in facts for at in range(fact.start, fact.end)}
    words: list[Word] = []
    for at, token in enumerate(tokens):
        opposites = known.opposites.get(token.text, frozenset())
        is_plain = token.text[0].isalnum() and token.text not in known.negations
        if (
            token.start in inside
            or not is_plain
            or (not opposites and token.text in known.functions)
        ):
            continue
        if any(
            token.text in each for each in (known.scopes, known.bounds, known.periods, known.months)
        ):
            continue
        following = tokens[at + 1].start if at + 1 < len(tokens) else start
        is_name = text[token.start].isupper() and (
            token.start > start or (following == token.end + 1 and text[following].isupper())
        )
        before = [each.text for each in tokens[max(0, at - 2) : at]]
        role = "by" if known.by & set(before) else "to" if known.turning & set(before) else ""
        words.append(
            Word(
                stem(token.text)[:PREFIX],
                text[token.start : token.end],
                token.start,
                token.end,
                is_name,
                opposites,
                role,
                before[-1:] != [] and before[-1] in known.articles,
                token.start in negated,
            )
        )
    return Statement(text[start:end], start, end, facts, tuple(words), scopes, tokens)


def _negated(tokens: Sequence[Token], n: int) -> set[int]:
    """The places of the tokens that a negation denies: the next one, and `n` more."""
    known = vocabulary()
    found: set[int] = set()
    for at, token in enumerate(tokens):
        if token.text not in known.negations:
            continue
        if at + 1 < len(tokens) and tokens[at + 1].text in known.merely:
            continue
        places = [range(at + 1, min(len(tokens), at + 2 + n))]
        if token.text in known.negations_after:
            places.append(range(at - 1, max(-1, at - 3), -1))
        for each in places:
            found.update(takewhile(lambda place: tokens[place].text not in SIGNS | known.but, each))
    return found


# ------------------------------------------------------------------ facts


def _facts(text: str, tokens: Sequence[Token]) -> list[Fact]:
    """All facts of a text in order, none inside another."""
    found = [*map(_of_date, dates(text)), *_named_dates(text, tokens)]
    found += [_of_time(each) for each in times_of_day(text)]
    found += _codes(text, tokens)
    amounts = list(_amounts(text, tokens))
    found += [*amounts, *_members(text, tokens, {fact.start for fact in amounts})]
    kept: list[Fact] = []
    taken: set[int] = set()
    for fact in found:  # dates before codes before amounts
        if taken.isdisjoint(range(fact.start, fact.end)):
            kept.append(fact)
            taken.update(range(fact.start, fact.end))
    return sorted(kept, key=lambda fact: fact.start)


def _of_date(date: Date) -> Fact:
    return Fact("date", date.text, date.start, date.end, date)


def _of_time(time: Quantity) -> Fact:
    hours, minutes = divmod(int(time.value), 60)
    half = "pm" if 12 <= hours < 24 else "am"
    parts: dict[str, int | str] = {"hour": hours % 12 or 12, "minute": minutes}
    if time.unit == "time":
        parts["half"] = half
    return _of_date(Date(time.text, time.start, time.end, parts))


def _named_dates(text: str, tokens: Sequence[Token]) -> Iterator[Fact]:
    """`17. Oktober 1984`, `17 de octubre de 1984`: a month's name of any language between numbers."""
    months = vocabulary().months
    for at, token in enumerate(tokens):
        month = months.get(token.text)
        if month is None or token.text == "may":
            continue
        before = next(
            (each for each in reversed(tokens[max(0, at - 2) : at]) if each.text.isdigit()), None
        )
        after = next((each for each in tokens[at + 1 : at + 3] if each.text.isdigit()), None)
        parts: dict[str, int | str] = {"month": month}
        start, end = token.start, token.end
        if before and int(before.text) in range(1, 32):
            parts["day"], start = int(before.text), before.start
        if after and len(after.text) == 4 and int(after.text) in YEARS:
            parts["year"], end = int(after.text), after.end
        if len(parts) > 1:
            yield _of_date(Date(text[start:end], start, end, parts))


def _codes(text: str, tokens: Sequence[Token]) -> Iterator[Fact]:
    known = vocabulary()
    ends = {token.end: at for at, token in enumerate(tokens)}
    closed = {end for _, end in sentence_spans(text)}
    for found in _CODE.finditer(text):
        head = (found["head"] or found["kind"] or "version").strip().lower()
        tail = (found["tail"] or found["number"] or found["letter"]).lower()
        if (found["head"] or found["kind"]) and (
            head in known.functions or head in known.months or head in known.bounds
        ):
            continue
        if (
            found["tail"]
            and "-" not in found[0]
            and _is_counting(tail, tokens, ends.get(found.end()))
        ):
            continue
        if _INITIAL.match(text, found.end()) and found.end() + 1 not in closed:
            continue
        yield Fact("code", found[0], *found.span(), (head, tail))


def _members(text: str, tokens: Sequence[Token], starts: Set[int]) -> Iterator[Fact]:
    """Words of a class of which one holds in a place: a weekday, a colour; but not `the last 12 months`."""
    classes = vocabulary().classes
    for token in tokens:
        if token.text in classes and token.end + 1 not in starts:
            span = token.start, token.end
            yield Fact("member", text[slice(*span)], *span, classes[token.text])


def _is_counting(tail: str, tokens: Sequence[Token], at: int | None) -> bool:
    """Whether the number behind a word is a year, or has a unit: `Teig 6 Stunden`."""
    if tail.isdigit() and int(tail) in YEARS:
        return True
    following = tokens[at + 1].text if at is not None and at + 1 < len(tokens) else ""
    return following in vocabulary().units or unit_of(following or " ") is not None


def _amounts(text: str, tokens: Sequence[Token]) -> Iterator[Fact]:
    places = [token.start for token in tokens]
    parted = {at for each in _PARTED.finditer(text) for at in range(*each.span())}
    for quantity in in_other_languages(text, quantities(text)):
        is_vague = quantity.only_matches and not is_time(quantity.unit)
        if quantity.is_year or is_vague or quantity.start in parted:
            continue
        first, last = bisect_left(places, quantity.start), bisect_left(places, quantity.end)
        yield _amount(text, quantity, tokens, first, last)


def _amount(text: str, quantity: Quantity, tokens: Sequence[Token], first: int, last: int) -> Fact:
    known = vocabulary()
    unit, end = quantity.unit, quantity.end
    before = [each.text for each in tokens[max(0, first - NEAR) : first]]
    for at in range(
        last, min(last + 1 + 2 * bool(quantity.scale), len(tokens))
    ):  # `3 millions d'euros`
        if not unit and tokens[at].text in known.units:
            unit, end, last = known.units[tokens[at].text], tokens[at].end, at + 1
    after = [each.text for each in tokens[last : last + NEAR + 1]]
    before, after = _until_sign(before[::-1])[::-1], _until_sign(after)
    if not unit and before and known.units.get(before[-1]) == "%":
        unit = "%"
    if not unit and is_year(quantity):
        date = Date(quantity.text, quantity.start, quantity.end, {"year": int(quantity.value)})
        return _of_date(date)
    per = _period(after) or _period(before) if unit else ""
    is_free = not any(each[0].isdigit() for each in after)
    behind = [each for each in after if is_free or each.startswith(BEHIND)]
    bounds = [known.bounds[each] for each in (*reversed(before), *behind) if each in known.bounds]
    bound = bounds[0] if bounds else ""
    return Fact(
        "amount", text[quantity.start : end], quantity.start, end, quantity.value, unit, per, bound
    )


def _until_sign(words: Sequence[str]) -> list[str]:
    return list(takewhile(lambda word: word not in SIGNS, words))


def is_year(quantity: Quantity) -> bool:
    """Whether a number without a unit is written as a year is."""
    return len(quantity.text) == 4 and quantity.text.isdigit() and int(quantity.text) in YEARS


def _period(words: Sequence[str]) -> str:
    """What a rate is per: the period behind `per`, or `monthly`."""
    known = vocabulary()
    for at, word in enumerate(words):
        period = known.periods.get(word)
        if period and (word.endswith(("ly", "lich", "suel", "suales")) or word == "annual"):
            return period
        if period and at and words[at - 1] in known.per:
            return period
    return ""
