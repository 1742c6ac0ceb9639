"""Filters: a small language to select rows by their fields. A filter is never executed as code.

    filter     = all { "or" all }
    all        = one { "and" one }
    one        = "not" one | "(" filter ")" | comparison
    comparison = field [ op value | ["not"] "in" "(" value { "," value } ")" | "is" ["not"] "null" ]
    op         = "=" | "!=" | "<" | "<=" | ">" | ">=" | "~"         (~: contains, ignoring case)
    value      = "text" | 'text' | number | true | false

A field alone is true if it is true or a number other than 0. A comparison with a null field is
false, including `!=` and `not in`: use `is null`.
"""

import json
import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ragauge.errors import FilterError

Value = str | float | bool
Fields = Mapping[str, object]

MAX_LENGTH = 10_000
MAX_DEPTH = 50

TOKEN = re.compile(
    r"""\s*(?:
      (?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    | (?P<number>[-+]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][-+]?\d{1,3})?(?![\w.]))
    | `(?P<quoted>[^`]+)`
    | (?P<word>[^\W\d][\w.-]*)
    | (?P<sign>==|!=|<=|>=|[=<>~(),])
    )""",
    re.VERBOSE,
)
ESCAPE = re.compile(r"\\(.)", re.DOTALL)
COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
SIGNS = (*COMPARISONS, "==", "~")
RESERVED = {"and", "or", "not", "in", "is", "null", "true", "false"}


@dataclass(frozen=True, slots=True)
class Token:
    kind: str
    text: str
    at: int


@dataclass(frozen=True, slots=True)
class Truth:
    """A field without a comparison."""

    field: str

    def holds(self, fields: Fields) -> bool:
        value = fields.get(self.field)
        if value is None:
            return False
        if not isinstance(value, bool | int | float):
            raise FilterError(f"{self.field!r} is {_kind(value)}; compare it with something")
        return bool(value)


@dataclass(frozen=True, slots=True)
class Relation:
    """A field compared with a value."""

    field: str
    sign: str
    value: Value

    def holds(self, fields: Fields) -> bool:
        found = fields.get(self.field)
        if found is None:
            return False
        if self.sign == "~":
            return str(self.value).casefold() in str(found).casefold()
        _check_same_kind(self.field, found, self.value)
        return COMPARISONS[self.sign](found, self.value)


@dataclass(frozen=True, slots=True)
class Membership:
    """Whether a field is one of several values."""

    field: str
    values: tuple[Value, ...]

    def holds(self, fields: Fields) -> bool:
        found = fields.get(self.field)
        if found is None:
            return False
        for value in self.values:
            _check_same_kind(self.field, found, value)
        return found in self.values


@dataclass(frozen=True, slots=True)
class IsNull:
    """Whether a field has no value."""

    field: str

    def holds(self, fields: Fields) -> bool:
        return fields.get(self.field) is None


@dataclass(frozen=True, slots=True)
class Not:
    condition: "Condition"

    def holds(self, fields: Fields) -> bool:
        return not self.condition.holds(fields)


@dataclass(frozen=True, slots=True)
class All:
    conditions: tuple["Condition", ...]

    def holds(self, fields: Fields) -> bool:
        return all(condition.holds(fields) for condition in self.conditions)


@dataclass(frozen=True, slots=True)
class Either:
    conditions: tuple["Condition", ...]

    def holds(self, fields: Fields) -> bool:
        return any(condition.holds(fields) for condition in self.conditions)


Condition = Truth | Relation | Membership | IsNull | Not | All | Either


@dataclass(frozen=True)
class Filter:
    """A condition on the fields of a row.

    >>> easy = Filter.parse('question_type in ("fact", "number") and not flagged')
    >>> easy.matches({"question_type": "fact", "flagged": False})
    True
    """

    text: str
    condition: Condition

    @classmethod
    def parse(cls, text: str) -> "Filter":
        """Parse a filter; FilterError gives the position of the first error."""
        return cls(text, Reader(text).condition())

    def matches(self, fields: Fields) -> bool:
        """Whether the row's fields match; FilterError if it compares values of different types."""
        try:
            return self.condition.holds(fields)
        except FilterError as error:
            raise FilterError(f"filter {_short(self.text)}: {error}") from None

    @cached_property
    def fields(self) -> frozenset[str]:
        """The fields that the filter uses."""

        def of(condition: Condition) -> Iterator[str]:
            if isinstance(condition, Not):
                yield from of(condition.condition)
            elif isinstance(condition, All | Either):
                for part in condition.conditions:
                    yield from of(part)
            else:
                yield condition.field

        return frozenset(of(self.condition))


class Reader:
    """Reads one filter from left to right; a subclass may read other operands (`token_at`)."""

    noun = "filter"
    operand = "the name of a field"

    def __init__(self, text: str) -> None:
        if len(text) > MAX_LENGTH:
            raise FilterError(f"a {self.noun} has at most {MAX_LENGTH} characters, got {len(text)}")
        self.text = text
        self.tokens: list[Token] = []
        at, end = 0, len(text.rstrip())
        while at < end:
            token, at = self.token_at(at)
            self.tokens.append(token)
        self.next = self.depth = 0

    def condition(self) -> Condition:
        """The condition that the whole text is."""
        condition = self._either()
        if self.next < len(self.tokens):
            raise self._error("unexpected text")
        return condition

    def _either(self) -> Condition:
        conditions = [self._all()]
        while self._take("word", "or"):
            conditions.append(self._all())
        return Either(tuple(conditions)) if conditions[1:] else conditions[0]

    def _all(self) -> Condition:
        conditions = [self._one()]
        while self._take("word", "and"):
            conditions.append(self._one())
        return All(tuple(conditions)) if conditions[1:] else conditions[0]

    def _one(self) -> Condition:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self._error(f"nested deeper than {MAX_DEPTH}")
        if self._take("word", "not"):
            condition = Not(self._one())
        elif self._take("sign", "("):
            condition = self._either()
            self._expect(")")
        else:
            condition = self._comparison()
        self.depth -= 1
        return condition

    def _comparison(self) -> Condition:
        token = self._peek()
        is_word = token and token.kind == "word" and token.text.casefold() not in RESERVED
        if not token or not (token.kind == "quoted" or is_word):
            raise self._error(f"expected {self.operand}")
        self.next += 1
        field = token.text
        if self._take("word", "is"):
            negated = self._take("word", "not")
            if not self._take("word", "null"):
                raise self._error("expected null")
            return Not(IsNull(field)) if negated else IsNull(field)
        negated = self._take("word", "not")
        if self._take("word", "in"):
            self._expect("(")
            values = [self._value()]
            while self._take("sign", ","):
                values.append(self._value())
            self._expect(")")
            member = Membership(field, tuple(values))
            return All((Not(IsNull(field)), Not(member))) if negated else member
        if negated:
            raise self._error("expected in")
        token = self._peek()
        if token and token.kind == "sign" and token.text in SIGNS:
            self.next += 1
            return Relation(field, "=" if token.text == "==" else token.text, self._value())
        return Truth(field)

    def _value(self) -> Value:
        kind, text = (token.kind, token.text) if (token := self._peek()) else ("", "")
        boolean = {"true": True, "false": False}.get(text.casefold()) if kind == "word" else None
        if kind not in ("text", "number") and boolean is None:
            raise self._error("expected a value: a number, true, false, or text in quotes")
        self.next += 1
        if boolean is not None:
            return boolean
        if kind == "text":
            return ESCAPE.sub(r"\1", text[1:-1])
        if not math.isfinite(number := float(text)):
            too_large = f"{text:.40} is too large a number"
            raise FilterError(f"{self.noun} {_short(self.text)}: {too_large}")
        return number

    def token_at(self, at: int) -> tuple[Token, int]:
        """The token that begins at a place or after the spaces there, and where it ends."""
        found = TOKEN.match(self.text, at)
        if not found or found.lastgroup is None:
            raise FilterError(
                f"{self.noun} {_short(self.text)}: cannot read character {at + 1}; "
                "the comparisons are = != < <= > >= ~ in, is null, joined by and, or, not"
            )
        kind = found.lastgroup
        return Token(kind, found[kind], found.start(kind)), found.end()

    def _peek(self) -> Token | None:
        return self.tokens[self.next] if self.next < len(self.tokens) else None

    def _take(self, kind: str, text: str) -> bool:
        token = self._peek()
        if token is None or token.kind != kind or token.text.casefold() != text:
            return False
        self.next += 1
        return True

    def _expect(self, sign: str) -> None:
        if not self._take("sign", sign):
            raise self._error(f"expected {sign!r}")

    def _error(self, what: str) -> FilterError:
        token = self._peek()
        where = "at its end" if token is None else f"at character {token.at + 1}"
        return FilterError(f"{self.noun} {_short(self.text)}: {what} {where}")


def _check_same_kind(field: str, found: object, value: Value) -> None:
    if _kind(found) == _kind(value):
        return
    ways_out = {
        "text": f"put text in quotes, as in {json.dumps(str(found)[:40], ensure_ascii=False)}",
        "true or false": "write true or false",
        "a number": "remove the quotes",
        "a list": "use ~ to search a list",
    }
    raise FilterError(
        f"field {field!r} is {_kind(found)}, but {value!r} is {_kind(value)}; {ways_out[_kind(found)]}"
    )


def _kind(value: object) -> str:
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return "a number"
    return "text" if isinstance(value, str) else "a list"


def _short(text: str) -> str:
    return repr(text if len(text) <= 120 else f"{text[:117]}…")
