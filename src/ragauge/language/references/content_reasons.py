"""Sentences that say which numbers and keywords of a reference an answer has, and which numbers have a source."""

from collections.abc import Sequence

from ragauge.language.numbers.match import ExpectedNumber
from ragauge.language.numbers.sources import SourcedNumber
from ragauge.language.text import excerpt

SHOWN = 4
TEXT_SHOWN = 60


def why_matched(expected: Sequence[ExpectedNumber]) -> str:
    """Which of the expected numbers the answer states, and in which form.

    >>> row = ExpectedNumber("1577", "1577", "$1.577 billion", "scale", 1.0)
    >>> why_matched([row, ExpectedNumber("5%", "5%")])
    'states 1577 as $1.577 billion; lacks 5%'
    """
    shown = [(row.number, " ".join(row.matched_by.split())) for row in expected if row.how]
    stated = [
        number if given in ("", number) else f"{number} as {given}" for number, given in shown
    ]
    missing = [row.number for row in expected if not (row.how or row.opposite)]
    parts = [f"states {_some(stated)}"] if stated else []
    parts += [row.opposite for row in expected if row.opposite]
    if missing:
        parts.append(f"lacks {_some(missing)}")
    if any(0 < row.credit < 1 for row in expected):
        parts.append("only before its conclusion, which has other numbers: counts half")
    return "; ".join(parts)


def why_sourced(
    stated: Sequence[SourcedNumber], *, has_references: bool, has_contexts: bool
) -> str:
    """Which of the answer's numbers a reference or context has.

    >>> rows = [SourcedNumber("$5", "5", "5.00", "exact"), SourcedNumber("7", "7")]
    >>> why_sourced(rows, has_references=True, has_contexts=False)
    'a reference has $5; none has 7; no contexts were given'
    """
    kinds = ("reference or context", "reference", "context")
    source = kinds[0 if has_references and has_contexts else 1 if has_references else 2]
    sourced = [each.number for each in stated if each.how]
    others = [each.number for each in stated if not each.how]
    parts = [f"a {source} has {_some(sourced)}"] if sourced else []
    if others:
        parts.append(f"{'none' if sourced else f'no {source}'} has {_some(others)}")
        if not has_contexts:
            parts.append("no contexts were given")
    return "; ".join(parts)


def why_covered(matched: Sequence[str], unmatched: Sequence[str]) -> str:
    """How many of the reference's keywords the answer has, and which it lacks.

    >>> why_covered(["premium"], ["due"])
    "has 1 of the reference's 2 keywords; lacks 'due'"
    """
    n = len(matched) + len(unmatched)
    if not unmatched:
        return f"has all {n} keywords of the reference" if n > 1 else f"has {matched[0]!r}"
    lacks = _some([repr(excerpt(word, TEXT_SHOWN)) for word in unmatched])
    if not matched:
        return f"lacks {lacks}" if n == 1 else f"has none of the reference's {n} keywords: {lacks}"
    return f"has {len(matched)} of the reference's {n} keywords; lacks {lacks}"


def why_complete(n_answer: int, n_reference: int, covered: str) -> str:
    """How long the answer is beside the reference, and what it covers.

    >>> why_complete(3, 24, "has none of the reference's 11 keywords")
    "has 3 words where the reference has 24; has none of the reference's 11 keywords"
    """
    if n_answer >= n_reference:
        return f"is at least as long as the reference; {covered}"
    return f"has {n_answer} words where the reference has {n_reference}; {covered}"


def _some(names: Sequence[str]) -> str:
    more = len(names) - SHOWN
    listed = ", ".join(excerpt(name, TEXT_SHOWN) for name in names[:SHOWN])
    return f"{listed} and {more} more" if more > 0 else listed
