"""Rules over the numbers of a run, in the grammar of filters (`ragauge.where`).

rule     = a filter whose fields are operands
operand  = metric [ "." statistic ] [ slice ] | total [ slice ]
metric   = label | name in `backticks`            ndcg@10, recall(match="text")@10, `recall@10 by text`
slice    = "[" filter over the fields of the samples "]"
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ragauge.errors import FilterError, LabelError, did_you_mean
from ragauge.label import Label
from ragauge.where import (
    RESERVED,
    All,
    Condition,
    Either,
    Filter,
    IsNull,
    Membership,
    Not,
    Reader,
    Relation,
    Token,
    Truth,
)

if TYPE_CHECKING:
    from ragauge.runs.manifest import MetricDisplay

MEAN = "mean"
STATISTICS = (
    *(MEAN, "low", "high", "worst", "best", "lowest", "highest", "n"),
    *("ok", "undefined", "missing", "failed", "skipped"),
)
"""The columns of a summary that a rule can name."""
IN_RANGE = (MEAN, "low", "high", "worst", "best", "lowest", "highest")
"""Those that lie in the metric's range."""
QUANTILES = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99}
SPREAD = (*QUANTILES, "sum")
"""Statistics of the values themselves, not of a summary: percentiles (as numpy's) and the sum."""
UNSCORED = "unscored"
"""The rows or scores without a value, whatever their status."""
DROPS = ("drop", "drop_low", "drop_high")
CHANGES = (*DROPS, "p_value")
"""How much worse a metric is than in the baseline, its interval, and the p value; the rule needs a baseline."""
COUNTS = ("answers", "questions", "ok", "undefined", "missing", "failed", "skipped", UNSCORED)
JUDGING = ("cost_usd", "calls")
TOTALS = (*COUNTS, *JUDGING)
"""Numbers of the whole run: its rows, its scores by status, and what the judges cost."""

WORD = re.compile(r"\s*([^\W\d]\w*)")
QUOTED = re.compile(r"\s*`([^`]+)`")
STATISTIC = re.compile(r"\.([^\W\d]\w*)")
SLICE = re.compile(r"""\s*\[((?:[^"'\[\]]|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')*)\]""")

Leaf = Truth | Relation | Membership | IsNull


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
    >>> [(operand.name, operand.statistic) for operand in rule.operands]
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
        for problem in filter(None, map(_not_a_comparison, _leaves(condition))):
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
    def limits(self) -> Sequence[tuple[Operand, float]]:
        """Each operand with the numbers that it is compared with."""
        operands = {operand.text: operand for operand in self.operands}
        limits = [limit for leaf in _leaves(self.condition) for limit in _limits(leaf)]
        return [(operands[text], limit) for text, limit in limits]

    @cached_property
    def needs_baseline(self) -> bool:
        return any(operand.is_change for operand in self.operands)


def out_of_reach(operand: Operand, limit: float, metric: "MetricDisplay") -> str:
    """What is wrong with a limit that no value of the metric can reach; empty if one can."""
    low, high = metric.low, metric.high
    if low is None or high is None or metric.aggregate.kind != "mean":
        return ""
    if operand.statistic in DROPS:
        low, high = low - high, high - low
    elif operand.statistic not in IN_RANGE:
        return ""
    if low <= limit <= high:
        return ""
    hint, scale = "", metric.scale if metric.scale != 1 else 100
    if metric.show == "count":
        hint = "; it is a share of the answers, also where it is shown as a count"
    elif low <= limit / scale <= high:
        hint = f"; {f'for {limit:g} % ' if metric.scale == 1 else ''}write {limit / scale:g}"
    what = f"{operand.text} lies between {low:g} and {high:g}"
    return f"{what}, so {limit:g} is no limit for it{hint}"


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
    apart = (
        abs(values[text] - limit) / (max(abs(values[text]), abs(limit)) or 1.0)
        for text, limit in _limits(condition)
    )
    return min(apart, default=0.0)


def _leaves(condition: Condition) -> Iterator[Leaf]:
    """The conditions on a single field."""
    if isinstance(condition, Not):
        yield from _leaves(condition.condition)
    elif isinstance(condition, All | Either):
        for part in condition.conditions:
            yield from _leaves(part)
    else:
        yield condition


def _limits(leaf: Leaf) -> Sequence[tuple[str, float]]:
    """The numbers that the field is compared with."""
    if isinstance(leaf, Truth | IsNull):
        return []
    values = leaf.values if isinstance(leaf, Membership) else (leaf.value,)
    return [(leaf.field, float(value)) for value in values]


def _not_a_comparison(leaf: Leaf) -> str:
    """What a rule may not do with an operand; empty if all is well."""
    field = leaf.field
    if isinstance(leaf, Truth):
        return f"compare {field} with a number, as in {field} >= 0.8"
    if isinstance(leaf, IsNull):
        return f"{field} without a value fails every rule; compare it with a number"
    if isinstance(leaf, Relation) and leaf.sign == "~":
        return f"~ searches a text, and {field} is a number"
    values = leaf.values if isinstance(leaf, Membership) else (leaf.value,)
    bad = [value for value in values if isinstance(value, bool | str)]
    return f"{field} is a number; {bad[0]!r:.80} is not" if bad else ""


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
        if quoted is not None:
            start, end = quoted.start(1) - 1, quoted.end()
            name, statistic = quoted[1], MEAN
        elif word is None or word[1].casefold() in RESERVED:
            return super().token_at(at)
        else:
            start = word.start(1)
            name, statistic, end = self._metric(start)
        if (named := STATISTIC.match(self.text, end)) is not None:
            statistic, end = self._statistic(named[1], end), named.end()
        where = None
        if (found := SLICE.match(self.text, end)) is not None:
            where, end = Filter.parse(found[1]), found.end()
        elif self.text[end:].lstrip().startswith("["):
            raise FilterError(f"rule {self.text!r:.200}: the bracket [ is not closed")
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
        return (name, self._statistic(statistic, start), end) if dot else (label.name, MEAN, end)

    def _statistic(self, name: str, at: int) -> str:
        known = (*STATISTICS, *SPREAD, UNSCORED, *CHANGES)
        if name not in known:
            hint = did_you_mean(name, known) or f"; the statistics are {', '.join(known)}"
            what = f"no statistic {name!r:.80} at character {at + 1}"
            raise FilterError(f"rule {self.text!r:.200}: {what}{hint}")
        return name
