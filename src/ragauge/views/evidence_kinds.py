"""The kinds of items in evidence, by the keys that they have: one table for the terminal and the page.

web/src/view.ts is generated from these classes, KINDS and FROM_ONE.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NotRequired, TypedDict, cast


class Call(TypedDict):
    """A call to a judge: the prompt's name, the ledger's key, and the reply as it arrived."""

    prompt: str
    key: str
    reply: NotRequired[str]


class Claim(TypedDict):
    """A claim of a text with its verdict; places in the contexts count from 0."""

    claim: str
    supported: bool
    reason: NotRequired[str | None]
    quote: NotRequired[str | None]
    quote_found: NotRequired[bool]
    context: NotRequired[int | None]
    start: NotRequired[int | None]
    end: NotRequired[int | None]


class Relevance(TypedDict):
    """Whether a judge found a context relevant, and why; one item for each context, in their order."""

    relevant: bool
    reason: NotRequired[str]


class Criterion(TypedDict):
    """A judge's verdict on one criterion: "met", "not met" or "not applicable"."""

    criterion: int
    verdict: str
    reason: NotRequired[str]


class BackQuestion(TypedDict):
    """A question made from the answer, with its cosine to the original question."""

    question: str
    cosine: float
    noncommittal: NotRequired[bool]


class Hit(TypedDict):
    """A judged document or passage in a ranking; ranks count from 1."""

    rank: int
    grade: int
    name: str


class CoveredSentence(TypedDict):
    """A sentence of the reference with the most similar sentence of the answer."""

    sentence: str
    best: str
    answer_sentence: int
    f1: float
    covered: bool


class FoundAnchor(TypedDict):
    """A checkable statement of the answer, and the context that supports it, if one does."""

    kind: str
    text: str
    start: int
    end: int
    supported: bool
    by: "FoundAt | None"


class FoundAt(TypedDict):
    """A span of a context."""

    context: int
    start: int
    end: int
    text: str


class BestSentence(TypedDict):
    """A sentence of the answer (start to end) with the closest sentence of a context."""

    start: int
    end: int
    closeness: float
    context: int
    context_start: int
    context_end: int
    text: str


class NumberAgreement(TypedDict):
    """A number, its value, the number that agrees with it, and how."""

    number: str
    value: str
    matched_by: str
    how: str
    credit: NotRequired[float]


class RefusalMatch(TypedDict):
    """Words of the answer that refuse, or seem to: `decides` says which."""

    rule: str
    words: str
    start: int
    end: int
    decides: bool
    overruled_by: NotRequired[str | None]


class Span(TypedDict):
    """A span of the answer that no context supports."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of items: each item of the list has all of these keys."""

    name: str
    keys: tuple[str, ...]


KINDS = (
    Kind("calls", ("key", "prompt")),
    Kind("claims", ("claim", "supported")),
    Kind("relevance", ("relevant",)),
    Kind("criteria", ("criterion", "verdict")),
    Kind("questions", ("question", "cosine")),
    Kind("hits", ("rank", "grade", "name")),
    Kind("sentences", ("sentence", "best", "f1", "covered")),
    Kind("anchors", ("kind", "text", "supported")),
    Kind("best_sentences", ("closeness", "context", "text")),
    Kind("numbers", ("number", "value", "how")),
    Kind("refusals", ("rule", "words", "decides")),
    Kind("spans", ("start", "end", "text")),
)
"""A list is of the first kind whose keys all of its items have."""

FROM_ONE = ("context", "best_reference")
"""Keys of evidence whose values are indices from 0, and are shown counted from 1."""


def kind_of(value: object) -> str:
    """The kind of a list of items; empty for an empty list and for anything else.

    >>> kind_of([{"claim": "It is $5.", "supported": True}]), kind_of(["a"]), kind_of([])
    ('claims', '', '')
    """
    items = items_of(value)
    if not items:
        return ""
    common = set(items[0]).intersection(*items[1:])
    return next((kind.name for kind in KINDS if common.issuperset(kind.keys)), "")


def items_of(value: object) -> Sequence[Mapping[str, object]]:
    """The objects of a list that has nothing else; otherwise none."""
    items = cast("list[object]", value) if isinstance(value, list) else []
    if not all(isinstance(item, Mapping) for item in items):
        return []
    return cast("list[Mapping[str, object]]", items)
