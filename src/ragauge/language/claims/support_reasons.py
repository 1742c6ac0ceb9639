"""A sentence that says why an answer has its `support` or `hallucination`."""

from collections.abc import Mapping, Sequence

from ragauge.language.facts.differences import Difference
from ragauge.language.text import excerpt

TEXT_SHOWN = 80
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

    >>> from ragauge.language.facts.reader import Part
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
    sides = {"answer": difference.found, other: difference.expected}
    shown = {
        side: part
        and {"text": excerpt(part.text, TEXT_SHOWN), "start": part.start, "end": part.end}
        for side, part in sides.items()
    }
    place = {"place": difference.context} if other == "context" else {}
    return {"kind": difference.kind, **shown, **place}


SHOWN = 4
PHRASE_SHOWN = 60
FEW = 1
"""Missing words that do not by themselves explain a low value."""


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
    >>> why_supported(0.9, [])
    'the contexts have all its words'
    >>> why_supported(0.1, [], doubted="Cats chase dogs.")
    "the contexts have all its words, but read together they do not say 'Cats chase dogs.'"
    """
    if differences:
        return "; ".join(in_words(each, "the closest sentence") for each in differences[:SHOWN])
    read = f"read together they do not say {named([doubted])}" if doubted else ""
    if value >= 0.5 and missing:
        return f"no context has {named(missing)}; the closest sentences say much the same in other words"
    first = f"no context has {named(missing)}" if missing else "the contexts have all its words"
    if value >= 0.5 or len(missing) > FEW:
        return first
    if read:
        return f"{first}{'; ' if missing else ', but '}{read}"
    return f"{first}; no single sentence says much of it"


def why_hallucinated(unsupported: Sequence[str], n: int, *, has_drifted: bool) -> str:
    """Which of the n anchors no context supports.

    >>> why_hallucinated(["$5"], 2, has_drifted=False)
    "no context supports '$5' (1 of 2 numbers, dates and claims)"
    >>> why_hallucinated([], 0, has_drifted=False)
    'it states no number, date or claim that could be checked'
    """
    what = f"all {n} numbers, dates and claims" if n > 1 else "its number, date or claim"
    parts = [f"the contexts support {what}"]
    if not n:
        parts = ["it states no number, date or claim that could be checked"]
    elif unsupported:
        share = f"{len(unsupported)} of {n} numbers, dates and claims"
        parts = [f"no context supports {named(unsupported)} ({share})"]
    if has_drifted:
        parts.append("under a fifth of its words are in the contexts")
    return "; ".join(parts)


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
