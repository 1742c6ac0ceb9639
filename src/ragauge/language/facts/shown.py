"""Differences in words, and as evidence."""

from collections.abc import Mapping

from ragauge.language.facts.statements import Difference
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

    >>> from ragauge.language.facts.statements import Part
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
    data: dict[str, object] = {"kind": difference.kind}
    for side, part in sides.items():
        data[side] = part and {
            "text": excerpt(part.text, TEXT_SHOWN),
            "start": part.start,
            "end": part.end,
        }
    return data | ({"place": difference.context} if other == "context" else {})
