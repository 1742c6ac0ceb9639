"""The evidence of a score: the kinds of its items, one table for the terminal and the page, and its lines as people read them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import NotRequired, TypedDict, cast

from ragauge.report.report import NO, YES

NEITHER = "–"
CRITERIA = {"met": YES, "not met": NO}
OTHER_SIDE = {"answer": "reference", "reference": "answer"}  # what claims are compared with
Line = tuple[str, str]  # a label and its text
Item = Mapping[str, object]


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
    """A judge's verdict on one criterion: "met", "not met" or "not applicable"; of a conversation a grade, and the turn that shows it."""

    criterion: int | str
    verdict: str
    reason: NotRequired[str]
    turn: NotRequired[int]
    quote: NotRequired[str]
    quote_found: NotRequired[bool]


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


KINDS = {
    "calls": ("key", "prompt"),
    "claims": ("claim", "supported"),
    "relevance": ("relevant",),
    "criteria": ("criterion", "verdict"),
    "questions": ("question", "cosine"),
    "hits": ("rank", "grade", "name"),
    "sentences": ("sentence", "best", "f1", "covered"),
    "anchors": ("kind", "text", "supported"),
    "best_sentences": ("closeness", "context", "text"),
    "numbers": ("number", "value", "how"),
    "refusals": ("rule", "words", "decides"),
    "spans": ("start", "end", "text"),
}
"""A list is of the first kind whose keys all of its items have."""

FROM_ONE = ("context", "best_reference")  # indices from 0, which are shown counted from 1


def kind_of(value: object) -> str:
    """The kind of a list of items; empty for an empty list and for anything else."""
    items = items_of(value)
    common = set(items[0]).intersection(*items[1:]) if items else set[str]()
    return next((name for name, keys in KINDS.items() if items and common.issuperset(keys)), "")


def items_of(value: object) -> Sequence[Mapping[str, object]]:
    """The objects of a list that has nothing else; otherwise none."""
    items = cast("list[object]", value) if isinstance(value, list) else []
    if not all(isinstance(item, Mapping) for item in items):
        return []
    return cast("list[Mapping[str, object]]", items)


def evidence_lines(evidence: Item) -> Iterator[Line]:
    """The lines of a score's evidence, without the judge's calls.

    >>> claim = {"claim": "It is $5.", "supported": True, "quote": "$5", "context": 0, "start": 7, "end": 9}
    >>> for label, text in evidence_lines({"claims": [claim]}):
    ...     print(f"{label:9}{text}")
    claims   1 of 1 supported
      ✓      It is $5.
             “$5” (context 1, characters 7–9)
    """
    for key, value in evidence.items():
        if key in OTHER_SIDE and isinstance(value, Mapping):
            for name, item in cast(Item, value).items():
                if name != "calls":
                    yield from _lines(f"{name} ({key})", item, OTHER_SIDE[key])
        elif key != "calls" or not _are_calls(value):
            yield from _lines(key, value, "context")


def calls_of(evidence: Item) -> Sequence[Item]:
    """The calls to a judge that the evidence has."""
    sides = (each for key, each in evidence.items() if key in OTHER_SIDE)
    objects = [evidence, *(cast(Item, each) for each in sides if isinstance(each, Mapping))]
    called = (each.get("calls") for each in objects)
    return [call for calls in called if _are_calls(calls) for call in items_of(calls)]


def _are_calls(value: object) -> bool:
    return value == [] or kind_of(value) == "calls"


def _lines(key: str, value: object, source: str) -> Iterator[Line]:
    items, kind = items_of(value), kind_of(value)
    if key.startswith("claims") and value == []:
        yield key, "none"
    elif kind == "claims":
        yield key, f"{sum(item['supported'] is True for item in items)} of {len(items)} supported"
        for item in items:
            yield _mark(item["supported"]), str(item["claim"])
            is_context, at = source == "context", item.get("context")
            where = "not found in the contexts" if is_context else f"not in the {source}"
            if at is not None:
                place = f"{source} {cast(int, at) + 1}" if is_context else source
                where = f"{place}, characters {item.get('start')}–{item.get('end')}"
            if item.get("quote"):
                yield "", f"“{item['quote']}” ({where})"
            elif item.get("reason"):
                yield "", str(item["reason"])
    elif kind == "relevance":
        yield key, f"{sum(item['relevant'] is True for item in items)} of {len(items)} relevant"
        for place, item in enumerate(items, 1):
            yield _mark(item["relevant"]), f"context {place}: {item.get('reason', '')}"
    elif kind == "criteria":
        verdicts = [str(item["verdict"]) for item in items]
        yield key, f"{verdicts.count('met')} of {len(items)} met" if key != "grades" else ""
        for verdict, item in zip(verdicts, items, strict=True):
            mark = CRITERIA.get(verdict, verdict if key == "grades" else NEITHER)
            yield f"  {mark}", f"criterion {item['criterion']}: {item.get('reason', '')}"
            if item.get("quote"):
                where = f"turn {item.get('turn')}" if item.get("quote_found") else "in no turn"
                yield "", f"“{item['quote']}” ({where})"
    elif kind == "questions":
        yield key, f"{len(items)}, with their cosine to the original question"
        for item in items:
            evasive = " (noncommittal)" if item.get("noncommittal") else ""
            yield f"  {cast(float, item['cosine']):.2f}", f"{item['question']}{evasive}"
    elif isinstance(value, Mapping) and set(cast(Item, value)) == {"score", "reason"}:
        graded = cast(Item, value)
        yield key, f"{cast(float, graded['score']):g}: {graded['reason']}"
    elif key.startswith("claim_free") and isinstance(value, list):
        yield key, " ".join(map(str, cast("list[object]", value)))
    else:
        shown = cast(Item, _from_one(cast(Item, {key: value})))[key]
        yield key, shown if isinstance(shown, str) else json.dumps(shown, ensure_ascii=False)


def _mark(is_so: object) -> str:
    return f"  {YES if is_so is True else NO}"


def _from_one(value: object) -> object:
    """The same data with places that count from 1."""
    if isinstance(value, list):
        return [_from_one(item) for item in cast("list[object]", value)]
    if not isinstance(value, Mapping):
        return value
    items = cast(Item, value).items()
    # True is no place.
    return {k: v + 1 if k in FROM_ONE and type(v) is int else _from_one(v) for k, v in items}
