"""Yes or no in other words: `It isn't.` and `Absolutely.`"""

import re

from ragauge.language.references.compared_text import ComparedText
from ragauge.language.references.opposites import polarity
from ragauge.language.refusals.refusals import find_refusals

RESTATES = 25
"""Words of an answer without yes or no that is taken for one if it restates the question."""
ASKS_YES_OR_NO = re.compile(
    r"\W*(?:is|are|was|were|has|have|had|did|does|do|can|could|will|would|should|may|must|am)\b",
    re.IGNORECASE,
)
_ASKS_MORE = re.compile(r"\b(?:what|which|who|whom|whose|when|where|how)\b", re.IGNORECASE)
AFFIRMATIONS = frozenset(
    {
        ("absolutely",),
        ("certainly",),
        ("definitely",),
        ("indeed",),
        ("correct",),
        ("affirmative",),
        ("of", "course"),
    }
)
"""Beginnings that mean yes."""
SHORT_REPLY = re.compile(
    r"\W*(?:they|it|he|she|we|you|that|this|there)\s(?:is|are|was|were|has|have|had|did|does|do|ca|can|could|will|would|should|may|must)"
    r"(n['’]t|\snot)?\s?(?:[.,;!]|\Z)",
    re.IGNORECASE,
)
"""`They can't; their wings are too short.` and `It does.`"""


def asks_yes_or_no_only(question: str) -> bool:
    """Whether a question wants a yes or no, and not also a number, a name or a date.

    >>> asks_yes_or_no_only("Did it grow?"), asks_yes_or_no_only("Did it grow, and by how much?")
    (True, False)
    """
    return bool(ASKS_YES_OR_NO.match(question)) and not _ASKS_MORE.search(question)


def said_to(
    question: str, asked: ComparedText, expected: ComparedText, answer: str, given: ComparedText
) -> str | None:
    """Yes or no, if the reference is only that, and a short answer says it in other words."""
    if not expected.words or expected.words[0].lowered not in ("yes", "no"):
        return None
    ours = tuple(word.lowered for word in given.words)
    if {"yes", "no"} & set(ours) or len(ours) > RESTATES or not _only_restates(expected, asked):
        return None
    if not ASKS_YES_OR_NO.match(question):
        return None
    if any(refusal.decides for refusal in find_refusals(answer, question)):
        return None
    if ours[:1] in AFFIRMATIONS or ours[:2] in AFFIRMATIONS:
        return "yes"
    if short := SHORT_REPLY.match(answer):
        return "no" if short[1] else "yes"
    return polarity([word.lowered for word in asked.words], ours)


def _only_restates(expected: ComparedText, asked: ComparedText) -> bool:
    """Whether a yes or no is followed by words of the question only: `No, penguins cannot fly.`"""
    content = {word.stem for word in expected.content} - {"ye", "no", "yes"}
    return content <= asked.stems
