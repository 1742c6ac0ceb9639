"""Rules over the numbers of a run, in the grammar of filters (`ragauge.where`).

rule     = a filter whose fields are operands
operand  = metric [ "." statistic ] [ slice ] | total [ slice ]
metric   = label | name in `backticks`            ndcg@10, recall(match="text")@10, `recall@10 by text`
slice    = "[" filter over the fields of the samples "]"
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import cast

from ragauge.errors import FilterError, LabelError, did_you_mean
from ragauge.label import Label
from ragauge.score import Status
from ragauge.where import (
    RESERVED,
    All,
    Comparison,
    Condition,
    Either,
    Filter,
    IsNull,
    Membership,
    Not,
    Reader,
    Token,
    Truth,
)

MEAN = "mean"
STATISTICS = (
    *(MEAN, "low", "high", "worst", "best", "lowest", "highest", "n"),
    *("ok", "undefined", "missing", "failed", "skipped"),
)
"""The columns of a summary that a rule can name."""
QUANTILES = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99}
SPREAD = (*QUANTILES, "sum")
"""Statistics of the values themselves, not of a summary: percentiles (the nearest value) and the sum."""
UNSCORED = "unscored"
"""The rows or scores without a value, whatever their status."""
CHANGES = ("drop", "drop_low", "drop_high", "p_value")
"""How much worse a metric is than in the baseline, its interval, and the p value; the rule needs a baseline."""
COUNTS = ("answers", "questions", "ok", "undefined", "missing", "failed", "skipped", UNSCORED)
JUDGING = ("cost_usd", "calls")
TOTALS = (*COUNTS, *JUDGING)
"""Numbers of the whole run: its rows, its scores by status, and what the judges cost."""

WORD = re.compile(r"\s*([^\W\d]\w*)")
QUOTED = re.compile(r"\s*`([^`]+)`")
STATISTIC = re.compile(r"\.([^\W\d]\w*)")
SLICE = re.compile(r"""\s*\[((?:[^"'\[\]]|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')*)\]""")


@dataclass(frozen=True, slots=True)
class Operand:
    """A number that a rule compares: a statistic of a metric, or a total of the run (`statistic` None).

    `name` is a label, the name that the run shows, or a total. `where` limits it to a slice of the rows.
    """

    text: str
    name: str
    statistic: str | None
    where: Filter | None = None

    @property
    def is_change(self) -> bool:
        """Whether it needs a baseline."""
        return self.statistic in CHANGES

    @property
    def names_systems(self) -> bool:
        """Whether its slice chooses systems."""
        return self.where is not None and "system" in self.where.fields


@dataclass(frozen=True)
class Rule:
    """A condition on the numbers of a run.

    >>> rule = Rule.parse('correct.low[question_type = "fact"] >= 0.8 and failed <= 0')
    >>> [(one.name, one.statistic) for one in rule.operands]
    [('correct', 'low'), ('failed', None)]
    >>> rule.holds({rule.operands[0].text: 0.85, "failed": 0})
    True
    """

    text: str
    condition: Condition
    operands: tuple[Operand, ...]

    @classmethod
    def parse(cls, text: str) -> "Rule":
        """Parse a rule; FilterError gives the position of the first error."""
        reader = _RuleReader(text)
        condition = reader.condition()
        if problem := _not_a_comparison(condition):
            raise FilterError(f"rule {text!r:.200}: {problem}")
        return cls(text.strip(), condition, tuple(reader.operands.values()))

    def holds(self, values: Mapping[str, float]) -> bool:
        """Whether it holds for these values of its operands, by their text; all must be given."""
        return self.condition.holds(values)

    def shortfall(self, values: Mapping[str, float]) -> float:
        """How far these values miss the rule, relative to the larger of value and limit; 0 if it holds.

        >>> Rule.parse("correct >= 0.5").shortfall({"correct": 0.25})
        0.5
        """
        return _shortfall(self.condition, values, True)

    @property
    def limits(self) -> tuple[tuple[Operand, float], ...]:
        """Each operand with the numbers that it is compared with."""
        operands = {operand.text: operand for operand in self.operands}
        return tuple((operands[text], limit) for text, limit in _limits(self.condition))

    @cached_property
    def needs_baseline(self) -> bool:
        return any(operand.is_change for operand in self.operands)


def number_of(row: Mapping[str, object], statistic: str) -> float | None:
    """A statistic of a row of the summary; None if it has no value."""
    if statistic == UNSCORED:
        return sum(cast(int, row[str(status)]) for status in Status if status is not Status.OK)
    return cast("float | None", row[statistic])


def _shortfall(condition: Condition, values: Mapping[str, float], wanted: bool) -> float:
    """How far the values are from making the condition `wanted`."""
    if condition.holds(values) is wanted:
        return 0.0
    if isinstance(condition, Not):
        return _shortfall(condition.condition, values, not wanted)
    if isinstance(condition, All | Either):
        parts = [_shortfall(part, values, wanted) for part in condition.conditions]
        # All parts have to change, or one of them is enough.
        return max(parts) if isinstance(condition, All) is wanted else min(parts)
    return min((_apart(values[text], limit) for text, limit in _limits(condition)), default=0.0)


def _limits(condition: Condition) -> Iterator[tuple[str, float]]:
    """The numbers that a condition compares its fields with."""
    if isinstance(condition, Not):
        yield from _limits(condition.condition)
    elif isinstance(condition, All | Either):
        for part in condition.conditions:
            yield from _limits(part)
    elif isinstance(condition, Membership):
        yield from ((condition.field, float(limit)) for limit in condition.values)
    elif isinstance(condition, Comparison):
        yield condition.field, float(condition.value)


def _apart(value: float, limit: float) -> float:
    larger = max(abs(value), abs(limit))
    return abs(value - limit) / larger if larger else 0.0


def _not_a_comparison(condition: Condition) -> str:
    """What a rule may not do with an operand; empty if all is well."""
    if isinstance(condition, Not):
        return _not_a_comparison(condition.condition)
    if isinstance(condition, All | Either):
        problems = [_not_a_comparison(part) for part in condition.conditions]
        return next((problem for problem in problems if problem), "")
    if isinstance(condition, Truth):
        return f"compare {condition.field} with a number, as in {condition.field} >= 0.8"
    if isinstance(condition, IsNull):
        return f"{condition.field} without a value fails every rule; compare it with a number"
    values = condition.values if isinstance(condition, Membership) else (condition.value,)
    bad = [value for value in values if isinstance(value, bool | str)]
    if isinstance(condition, Comparison) and condition.sign == "~":
        return f"~ searches a text, and {condition.field} is a number"
    return f"{condition.field} is a number; {bad[0]!r:.80} is not" if bad else ""


class _RuleReader(Reader):
    """Reads a rule: a filter in which operands take the place of fields."""

    noun = "rule"
    operand = "a metric, such as recall@10, or a total, such as failed"

    def __init__(self, text: str) -> None:
        self.operands: dict[str, Operand] = {}
        super().__init__(text)

    def token_at(self, at: int) -> tuple[Token, int]:
        quoted = QUOTED.match(self.text, at)
        word = WORD.match(self.text, at)
        if quoted is None and (word is None or word[1].casefold() in RESERVED):
            return super().token_at(at)
        start = quoted.start(1) - 1 if quoted else self.text.index(word[1], at) if word else at
        if quoted:
            name, statistic, end = quoted[1], MEAN, quoted.end()
        else:
            name, statistic, end = self._metric(start)
        if (named := STATISTIC.match(self.text, end)) is not None:
            statistic, end = self._statistic(named[1], end), named.end()
        where, end = self._slice(end)
        text = self.text[start:end].strip()
        self.operands[text] = Operand(text, name, statistic, where)
        return Token("quoted", text, start), end

    def _metric(self, start: int) -> tuple[str, str | None, int]:
        """The name, the statistic and the end of a metric or total that begins at `start`."""
        try:
            label, end = Label.read(self.text, start)
        except LabelError as error:
            raise FilterError(f"rule {self.text!r:.200}: {error}") from None
        end = start + len(self.text[start:end].rstrip())
        if label.settings:
            return str(label), MEAN, end
        if label.name in TOTALS:
            return label.name, None, end
        name, dot, statistic = label.name.rpartition(".")
        if not dot:
            return label.name, MEAN, end
        return name, self._statistic(statistic, start), end

    def _statistic(self, name: str, at: int) -> str:
        known = (*STATISTICS, *SPREAD, UNSCORED, *CHANGES)
        if name not in known:
            hint = did_you_mean(name, known) or f"; the statistics are {', '.join(known)}"
            raise FilterError(
                f"rule {self.text!r:.200}: no statistic {name!r:.80} at character {at + 1}{hint}"
            )
        return name

    def _slice(self, at: int) -> tuple[Filter | None, int]:
        found = SLICE.match(self.text, at)
        if found is not None:
            return Filter.parse(found[1]), found.end()
        if self.text[at:].lstrip().startswith("["):
            raise FilterError(f"rule {self.text!r:.200}: the bracket [ is not closed")
        return None, at
