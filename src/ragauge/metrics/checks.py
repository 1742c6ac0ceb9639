"""Rules about a single answer, as suites list them in `[[check]]` tables, and their combinations.

Text is compared lower-cased, with whitespace collapsed. Source: the suite answer-quality.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Annotated, NamedTuple

from ragauge.language.list_items import list_items, shared_items
from ragauge.language.numbers.numbers import quantities
from ragauge.language.numbers.quantity import Quantity, same_quantity
from ragauge.language.patterns import (
    MAX_LENGTH,
    MAX_REPEATED,
    BoundedPattern,
    PatternTimeoutError,
    is_pattern,
)
from ragauge.language.text import normalize
from ragauge.metric import Column, Metric, metric
from ragauge.score import Score
from ragauge.setting import Constraint
from ragauge.where import Filter

MARKUP = re.compile(r"[*_`]+")
Pattern = Annotated[
    str,
    Constraint(
        f"a valid regular expression of at most {MAX_LENGTH:,} characters ({MAX_REPEATED:,} with "
        "repetitions such as a{9} written out)",
        is_pattern,
    ),
]


@metric(version=1)
def contains(answer: str, *, text: str = "") -> Score:
    """Whether the answer contains the text as whole words, ignoring case.

    1.0 or 0.0. Undefined if `text` is blank. Source: the suite answer-quality.

    >>> contains("It is Territory 118.", text="territory 118").value
    1.0
    >>> contains("It is Territory 1180.", text="territory 118").value
    0.0
    """
    if not text.strip():
        return Score.undefined("the check names no text")
    found = _find(answer, text)
    return Score(bool(found), evidence={"text": text, "found": found})


@metric(version=1)
def not_contains(answer: str, *, text: str = "") -> Score:
    """Whether the answer does not contain the text: 1 minus `contains`.

    1.0 or 0.0; an empty answer scores 1.0. Undefined if `text` is blank. Source: ours, as the
    opposite of `contains`.

    >>> not_contains("I cannot say.", text="cannot").value
    0.0
    """
    found = contains(answer, text=text)
    return found if found.value is None else Score(not found.value, evidence=found.evidence)


@metric(version=1)
def contains_any(answer: str, *, texts: tuple[str, ...] = ()) -> Score:
    """Whether the answer contains at least one of the texts as whole words, ignoring case.

    1.0 or 0.0. Undefined if `texts` has no text. Source: the suite answer-quality.

    >>> contains_any("293 × 2.061", texts=("×", "*")).value
    1.0
    """
    if not any(text.strip() for text in texts):
        return Score.undefined("the check names no text")
    found = [text for text in texts if text.strip() and _find(answer, text)]
    return Score(bool(found), evidence={"texts": list(texts), "found": found})


@metric(version=2)
def regex(answer: str, *, pattern: Pattern = "") -> Score:
    """Whether a regular expression (Python's `re`, ignoring case) matches anywhere in the answer.

    1.0 or 0.0. Undefined if `pattern` is empty; an invalid pattern is an error before any sample is
    scored. Failed if the search takes more than 0.25 s of processor time, and 1 s more for each million characters.
    Source: ours, used by the suite answer-quality.

    >>> regex("Uses GRG 51", pattern=r"\\bgrg\\s*51\\b").value
    1.0
    """
    if not pattern:
        return Score.undefined("the check names no pattern")
    try:
        found = BoundedPattern(pattern).search(answer)
    except PatternTimeoutError as error:
        return Score.failed(str(error))
    evidence = {"pattern": pattern, "found": [found[0]] if found else []}
    return Score(bool(found), evidence=evidence)


@metric(version=11)
def number(answer_quantities: Sequence[Quantity], *, value: str = "") -> Score:
    """Whether the answer states the number, compared by value: `$1,000` equals `1000.0`.

    1.0 or 0.0. `value` is the number as text; with a percent sign, only a percentage matches.
    Undefined if `value` does not hold exactly one number. Source: the suite answer-quality.

    >>> number(quantities("The premium is $604.00"), value="604").value
    1.0
    >>> number(quantities("it fell by 0.133%"), value="-0.133%").value
    0.0
    """
    wanted = quantities(value)
    if len(wanted) != 1:
        return Score.undefined(f"the check must name one number, got {value!r}")
    found = [each.text for each in answer_quantities if same_quantity(each, wanted[0], unit=False)]
    return Score(bool(found), evidence={"value": value, "found": found})


@metric(version=4)
def list_coverage(answer: str, references: Sequence[str], *, codes: Pattern = "") -> Score:
    """Share of the reference's list items that the answer lists too.

    In [0, 1]; best over the references. List items are bullets (`* Name`, `- Name`, `1. Name`) and all
    matches of the pattern `codes` (`Rule C-\\d+`). An item may have a code and a name, as in `* **Rule
    C-1:** Limits`; two items are the same if their codes or their names are. Names are compared in
    `lower_ws`, without markup and without spaces around `/`, `-` and `–`. In the answer, what follows a
    name behind a colon, a bracket or a dash is not part of it. Without `codes`, `Rule C-1`, `C-1`, `E/2`
    or `Section 4.2` before or after a name is a code; `Rule C-1` is also `C-1`, but not `Form C-1`.
    Undefined if the reference has no list items. Failed if `codes` takes too long, as in `regex`.
    Source: the suite answer-quality (`rules_coverage`).

    >>> list_coverage("* Limits: what is paid", ["* Limits\\n* Rating Plan"]).value
    0.5
    >>> list_coverage("* **Rule C-1:** Limits", ["* Limits\\n* Rule C-2 - Rating Plan"]).value
    0.5
    """
    lists = _lists(answer, references, codes)
    if isinstance(lists, Score):
        return lists
    if not lists.items:
        return Score.undefined("the reference lists nothing")
    return Score(sum(lists.found) / len(lists.items), evidence=lists.evidence)


@metric(version=4, high=None)
def list_found(answer: str, references: Sequence[str], *, codes: Pattern = "") -> Score:
    """How many of the reference's list items the answer lists too; see `list_coverage`.

    A count, 0 or more; never undefined. Source: the suite answer-quality (`rules_found`).

    >>> list_found("* Limits", ["* Limits\\n* Rating Plan"]).value
    1.0
    """
    lists = _lists(answer, references, codes)
    return lists if isinstance(lists, Score) else Score(sum(lists.found), evidence=lists.evidence)


@metric(version=4, high=None, ranked=False)
def list_total(answer: str | None, references: Sequence[str], *, codes: Pattern = "") -> Score:
    """How many list items the reference has; see `list_coverage`.

    A count, 0 or more; never undefined. Source: the suite answer-quality (`total_rules`).

    >>> list_total("", ["* Limits\\n* Rating Plan"]).value
    2.0
    """
    lists = _lists(answer or "", references, codes)
    return lists if isinstance(lists, Score) else Score(len(lists.items), evidence=lists.evidence)


def mean_of(name: str, rules: Sequence[str]) -> Metric:
    """A metric of this name: the mean of the rules' values; no value if a rule has none.

    Source: the suite answer-quality (`fact_score`).
    """
    return _combined(name, partial(_mean, tuple(rules)), rules)


def holds(name: str, expression: Filter) -> Metric:
    """A metric of this name: 1.0 if the expression over the rules is true, else 0.0.

    No value if a rule that it names has none. Source: the suite answer-quality (`is_correct`).
    """
    rules = tuple(sorted(expression.fields))
    return _combined(name, partial(_holds, rules, expression), rules)


def _combined(name: str, function: Callable[..., Score], rules: Sequence[str]) -> Metric:
    columns = tuple(Column(rule, takes_score=True) for rule in rules)
    return Metric(name, function, columns, (), (), batch=False)


def _mean(names: tuple[str, ...], *scores: Score) -> Score:
    parts = _values(names, scores)
    if isinstance(parts, Score):
        return parts
    return Score(sum(parts.values()) / len(parts), evidence={"rules": parts})


def _holds(names: tuple[str, ...], expression: Filter, *scores: Score) -> Score:
    parts = _values(names, scores)
    if isinstance(parts, Score):
        return parts
    evidence = {"expression": expression.text, "rules": parts}
    return Score(expression.matches(parts), evidence=evidence)


def _values(names: Sequence[str], scores: Sequence[Score]) -> dict[str, float] | Score:
    """The rules' values by name; the first score without one."""
    parts: dict[str, float] = {}
    for name, score in zip(names, scores, strict=True):
        if score.value is None:
            return score
        parts[name] = score.value
    return parts


def _find(answer: str, text: str) -> list[str]:
    """The text as the answer states it in whole words, with or without markup; [] if it does not."""
    pattern = _whole_words(normalize(text, "lower_ws"))
    for shown in (answer, MARKUP.sub("", answer)):
        if found := pattern.search(normalize(shown, "lower_ws")):
            return [found[0]]
    return []


@cache
def _whole_words(text: str) -> re.Pattern[str]:
    before = r"(?<!\w)" if text[0].isalnum() else ""
    after = r"(?!\w)" if text[-1].isalnum() else ""
    return re.compile(before + re.escape(text) + after)


class _Lists(NamedTuple):
    """The list items of the best-covered reference, and which of them the answer lists."""

    items: Sequence[str] = ()
    found: Sequence[bool] = ()

    @property
    def evidence(self) -> dict[str, object]:
        pairs = sorted(zip(self.items, self.found, strict=True))
        return {
            "found": [item for item, is_found in pairs if is_found],
            "not_found": [item for item, is_found in pairs if not is_found],
        }


def _lists(answer: str, references: Sequence[str], codes: str) -> _Lists | Score:
    """The lists of answer and reference; failed if the pattern takes too long."""
    pattern = BoundedPattern(codes) if codes else None
    found: list[_Lists] = []
    try:
        given = list_items(answer, pattern)
        for reference in references:
            items = list_items(reference, pattern)
            shared = shared_items(items, given)
            found.append(_Lists([*map(str, items)], [at in shared for at in range(len(items))]))
    except PatternTimeoutError as error:
        return Score.failed(str(error))

    def coverage(lists: _Lists) -> tuple[float, int]:
        n = len(lists.items)
        return (sum(lists.found) / n if n else -1.0), n

    return max(found, key=coverage, default=_Lists())
