"""Sentences that say why an answer has its value: its numbers, keywords and claims, and what contradicts another text."""

from collections.abc import Mapping, Sequence

from ragauge.language.facts.differences import Difference
from ragauge.language.numbers.match import ExpectedNumber
from ragauge.language.numbers.sources import SourcedNumber
from ragauge.language.text import excerpt

SHOWN, TEXT_SHOWN, PHRASE_SHOWN = 4, 80, 60
"""Details that a reason names, and the most characters of the texts that differ, and of others."""
FEW = 1
"""Missing words that do not by themselves explain a low value."""
_SAYS = "says {found!r} where {other} says {expected!r}"
SAYS = {
    **dict.fromkeys(("negation", "opposite", "roles", "quantifier"), _SAYS),
    "item": "names {found!r}, which {other} lacks",
    "left out": "leaves out {expected!r}",
    "side remark": "answers {found!r}, which {other} does not say",
}
"""How a difference is put in words, by its kind."""


def in_words(difference: Difference, other: str) -> str:
    """What a text says in place of what the other one has; `other` names that one.

    >>> from ragauge.language.facts.facts import Part
    >>> in_words(Difference("date", Part("1905", 0, 4), Part("1899", 3, 7)), "the reference")
    'states 1905 where the reference has 1899'
    """
    found, expected = (
        excerpt(" ".join(part.text.split()), TEXT_SHOWN) if part else ""
        for part in (difference.found, difference.expected)
    )
    form = SAYS.get(difference.kind, "states {found} where {other} has {expected}")
    return form.format(found=found, expected=expected, other=other)


def as_data(difference: Difference, other: str) -> Mapping[str, object]:
    """A difference as evidence: its kind, and text and span in the answer and in the other text, None where one says nothing of it."""
    shown: dict[str, object] = {"kind": difference.kind}
    for side, part in (("answer", difference.found), (other, difference.expected)):
        text = part and excerpt(part.text, TEXT_SHOWN)
        shown[side] = part and {"text": text, "start": part.start, "end": part.end}
    return shown | ({"place": difference.context} if other == "context" else {})


def why_supported(
    value: float,
    missing: Sequence[str],
    differences: Sequence[Difference] = (),
    doubted: str = "",
) -> str:
    """What speaks against an answer with this `support`.

    `missing`: words that no context has; `differences`: details that contradict one of these sentences;
    `doubted`: the sentence of the answer that the embedded reader finds least said, if it finds it not said.

    >>> why_supported(0.2, ["in Rome"])
    "no context has 'in Rome'; no single sentence says much of it"
    """
    if differences:
        return "; ".join(in_words(each, "the closest sentence") for each in differences[:SHOWN])
    if value >= 0.5 and missing:
        return f"no context has {named(missing)}; the closest sentences say much the same in other words"
    first = f"no context has {named(missing)}" if missing else "the contexts have all its words"
    if value >= 0.5 or len(missing) > FEW:
        return first
    if doubted:
        joint = "; " if missing else ", but "
        return f"{first}{joint}read together they do not say {named([doubted])}"
    return f"{first}; no single sentence says much of it"


def why_hallucinated(unsupported: Sequence[str], n: int, *, has_drifted: bool) -> str:
    """Which of the n anchors no context supports.

    >>> why_hallucinated(["$5"], 2, has_drifted=False)
    "no context supports '$5' (1 of 2 numbers, dates and claims)"
    """
    if not n:
        found = "it states no number, date or claim that could be checked"
    elif unsupported:
        share = f"{len(unsupported)} of {n} numbers, dates and claims"
        found = f"no context supports {named(unsupported)} ({share})"
    else:
        what = f"all {n} numbers, dates and claims" if n > 1 else "its number, date or claim"
        found = f"the contexts support {what}"
    return found + "; under a fifth of its words are in the contexts" * has_drifted


def named(texts: Sequence[str]) -> str:
    """The texts in quotes, the first few, and how many more there are."""
    distinct = [*dict.fromkeys(" ".join(text.split()) for text in texts)]
    shown = [
        repr(text if len(text) <= PHRASE_SHOWN else f"{text[:PHRASE_SHOWN].rstrip()}…")
        for text in distinct[:SHOWN]
    ]
    if len(distinct) > SHOWN:
        shown.append(f"{len(distinct) - SHOWN} more")
    *most, last = shown
    return f"{', '.join(most)} and {last}" if most else last


def why_matched(expected: Sequence[ExpectedNumber]) -> str:
    """Which of the expected numbers the answer states, and in which form.

    >>> row = ExpectedNumber("1577", "1577", "$1.577 billion", "scale", 1.0)
    >>> why_matched([row, ExpectedNumber("5%", "5%")])
    'states 1577 as $1.577 billion; lacks 5%'
    """
    stated: list[str] = []
    for row in expected:
        given = " ".join(row.matched_by.split())
        if row.how:
            stated.append(row.number + f" as {given}" * (given not in ("", row.number)))
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
    source = " or ".join(["reference"] * has_references + ["context"] * has_contexts) or "context"
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
    lacks = _some([repr(excerpt(word, PHRASE_SHOWN)) for word in unmatched])
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
    listed = ", ".join(excerpt(name, PHRASE_SHOWN) for name in names[:SHOWN])
    return f"{listed} and {more} more" if more > 0 else listed
