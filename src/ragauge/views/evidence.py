"""The evidence of a score as lines that people read; contexts and references count from 1."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from ragauge.report.report import NO, YES
from ragauge.views.evidence_kinds import FROM_ONE, items_of, kind_of

NEITHER = "–"
CRITERIA = {"met": YES, "not met": NO}
OTHER_SIDE = {"answer": "reference", "reference": "answer"}
"""For the claims of a text: the text that they were compared with."""

Line = tuple[str, str]
"""A label and its text."""
Item = Mapping[str, object]


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
    sides = [
        cast(Item, side) for key in OTHER_SIDE if isinstance(side := evidence.get(key), Mapping)
    ]
    return [
        call
        for each in (evidence, *sides)
        if _are_calls(each.get("calls"))
        for call in items_of(each["calls"])
    ]


def _are_calls(value: object) -> bool:
    return value == [] or kind_of(value) == "calls"


def _lines(key: str, value: object, source: str) -> Iterator[Line]:
    items, kind = items_of(value), kind_of(value)
    if key.startswith("claims") and value == []:
        yield key, "none"
    elif kind == "claims":
        yield from _claims(key, items, source)
    elif kind == "relevance":
        n_relevant = sum(item["relevant"] is True for item in items)
        yield key, f"{n_relevant} of {len(items)} relevant"
        for place, item in enumerate(items, 1):
            yield _mark(item["relevant"]), f"context {place}: {item.get('reason', '')}"
    elif kind == "criteria":
        yield key, f"{sum(item['verdict'] == 'met' for item in items)} of {len(items)} met"
        for item in items:
            mark = CRITERIA.get(str(item["verdict"]), NEITHER)
            yield f"  {mark}", f"criterion {item['criterion']}: {item.get('reason', '')}"
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


def _claims(key: str, claims: Sequence[Item], source: str) -> Iterator[Line]:
    """Each claim with the verdict, its quote and where that was found, or the judge's reason."""
    yield key, f"{sum(claim['supported'] is True for claim in claims)} of {len(claims)} supported"
    for claim in claims:
        yield _mark(claim["supported"]), str(claim["claim"])
        if claim.get("quote"):
            if claim.get("context") is None:
                where = (
                    "not found in the contexts" if source == "context" else f"not in the {source}"
                )
            else:
                at = f" {cast(int, claim['context']) + 1}" if source == "context" else ""
                where = f"{source}{at}, characters {claim['start']}–{claim['end']}"
            yield "", f"“{claim['quote']}” ({where})"
        elif claim.get("reason"):
            yield "", str(claim["reason"])


def _mark(is_so: object) -> str:
    return f"  {YES if is_so is True else NO}"


def _from_one(value: object) -> object:
    """The same data with places that count from 1."""
    if isinstance(value, Mapping):
        return {
            key: item + 1
            if key in FROM_ONE and isinstance(item, int) and not isinstance(item, bool)
            else _from_one(item)
            for key, item in cast(Item, value).items()
        }
    if isinstance(value, list):
        return [_from_one(item) for item in cast("list[object]", value)]
    return value
