"""Whether the text says of a number that it is a rise or a fall, a gain or a loss."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from ragauge.language.number_agreement import Stated, is_bracketed, may_be_dash
from ragauge.language.number_index import Found

Kind = Literal["change", "result", "sign"]

_ABOUT = (
    r"(?:\s(?:by|of|about|approximately|around|roughly|nearly|almost|just|only|some|over|under|an?|more than"
    r"|less than|at least|at most|slightly|sharply|significantly|marginally|modestly|organically"
    r"|year[- ]over[- ]year|year[- ]on[- ]year|yoy|(?:estimated|average|total|net|annual)))*[\s(~≈*]*$"
)
_OF_WHAT = r"(?:(?:\s(?:in|for|per)(?:\s[\w'&-]+){1,5}\sof)|(?:\s[\w'&-]+){1,4}(?=\sby\s))?"
_WAS = r"(?:\s(?:per\s(?:\w+\s)?share|for\s(?:\w+\s){0,2}\w+))?(?:\s(?:was|were|is|came\sto|totall?ed|amounted\sto)|:)?"
_FALL_VERBS = (
    r"decreas(?:ed|es|ing|e)|declin(?:ed|es|ing|e)|fell|falls?|falling|fallen|dropp(?:ed|ing)|drops?"
    r"|shr[aiu]nk|shrinking|contract(?:ed|ion|ing)|reduc(?:ed|tion)|slipped|slid|dipped|down|plunged|tumbled"
    r"|worsened|deteriorated"
)
_RISE_VERBS = (
    r"increas(?:ed|es|ing|e)|gr[eo]w|grows|grown|growing|growth|rose|rises?|rising|risen|climb(?:ed|ing)|up|jumped"
    r"|improv(?:ed|ement|ing)|expanded|surged|soared"
)
_BEFORE: dict[tuple[Kind, int], re.Pattern[str]] = {
    ("change", -1): re.compile(rf"\b(?:{_FALL_VERBS}){_OF_WHAT}{_ABOUT}"),
    ("change", 1): re.compile(rf"\b(?:{_RISE_VERBS}){_OF_WHAT}{_ABOUT}"),
    ("result", -1): re.compile(rf"(?<!\()\b(?:loss|deficit|lost){_WAS}{_OF_WHAT}{_ABOUT}"),
    ("result", 1): re.compile(
        rf"\b(?:profit|gain(?:ed)?|surplus|net income|(?:net )?earnings|earned){_WAS}{_OF_WHAT}{_ABOUT}"
    ),
}
_AFTER = re.compile(
    r"[\s)*-]{1,3}(?:(?:year[- ]over[- ]year|year[- ]on[- ]year|yoy|net|annual|sequential|organic)\s)?"
    r"(?:(decrease|decline|drop|fall|reduction|contraction|lower)|(increase|growth|rise|improvement|jump|higher)"
    r"|((?:net |operating )?loss|deficit)|(profit|gain|surplus))\b(?!\sor\b)"
)
_AFTER_KINDS: tuple[tuple[Kind, int], ...] = (
    ("change", -1),
    ("change", 1),
    ("result", -1),
    ("result", 1),
)
_FALLS_ASKED = re.compile(
    r"\b(?:decreas|declin|fell\b|fall|drop|reduc|loss|lost\b|lower|worse|shr[iau]nk|negative|contract|down\b)"
)
_RISES_ASKED = re.compile(r"\b(?:growth|grew|grow\b|increased?\b|rise\b|rose\b|rising)")
_RESULTS_ASKED = re.compile(
    r"\b(?:net income|net profit|net earnings|profits?|gains?)\b(?! margin)"
)
_YES_OR_NO = re.compile(r"\s*(?:is|are|was|were|has|have|had|did|does|do|can|could|will|would)\b")
_EITHER_ASKED = re.compile(r"\b(?:chang|differ|compar|versus|vs\b|improv|higher|better)")
_LONGEST = 90
"""Characters before and after a number in which its direction is looked for."""


class Direction(NamedTuple):
    """`sign` is 1 for a rise or a gain, -1 for a fall or a loss; a minus alone is of the kind "sign"."""

    kind: Kind
    sign: int


def stated_direction(text: str, start: int, end: int, *, is_negative: bool) -> Direction | None:
    """What the words right beside the number, or its minus, say of its direction.

    >>> text = "Sales fell by about 3.4%."
    >>> stated_direction(text, 20, 24, is_negative=False)
    Direction(kind='change', sign=-1)
    >>> stated_direction("Sales were 3.4%.", 11, 15, is_negative=False)
    """
    if is_negative:
        return Direction("sign", -1)
    before = text[max(0, start - _LONGEST) : start].lower()
    for (kind, sign), pattern in _BEFORE.items():
        if pattern.search(before):
            return Direction(kind, sign)
    after = _AFTER.match(text[end : end + _LONGEST].lower())
    return Direction(*_AFTER_KINDS[(after.lastindex or 1) - 1]) if after else None


@lru_cache(10_000)
def asked_direction(question: str) -> Direction | None:
    """The direction of a positive number that answers the question; None if it leaves both open.

    >>> asked_direction("What was the revenue growth?"), asked_direction("Did sales grow or fall?")
    (Direction(kind='change', sign=1), None)
    """
    lowered = question.lower()
    falls, rises = _FALLS_ASKED.search(lowered), _RISES_ASKED.search(lowered)
    results = _RESULTS_ASKED.search(lowered)
    if _YES_OR_NO.match(lowered) or _EITHER_ASKED.search(lowered) or (falls and (rises or results)):
        return None
    if falls:
        return Direction("result" if falls[0].startswith("los") else "change", -1)
    if rises:
        return Direction("change", 1)
    return Direction("result", 1) if results else None


@lru_cache(1_000)  # it is asked for each number of a text
def names_a_fall(text: str) -> bool:
    """Whether the text has a word such as "decreased" or "loss".

    >>> names_a_fall("Sales were down 3%."), names_a_fall("3%")
    (True, False)
    """
    return _FALLS_ASKED.search(text.lower()) is not None


def are_opposite(one: Direction | None, other: Direction | None) -> bool:
    """Whether one is a rise and the other a fall, or one a gain and the other a loss."""
    if one is None or other is None or one.sign == other.sign:
        return False
    return one.kind == other.kind or "sign" in (one.kind, other.kind)


def in_one_direction(
    number: Stated, found: Sequence[Found], asked: Direction | None
) -> Sequence[Found]:
    """Those of the found numbers that are not a fall where the expected one is a rise, or the reverse.

    `asked`: the direction of an expected number beside which the reference names none.
    """
    if not found:
        return found
    is_open = is_bracketed(number) or names_a_fall(number.text)
    expected = _direction(number) or (None if is_open else asked)
    if expected is None:
        return found
    return [each for each in found if not are_opposite(expected, _direction(each.number))]


_DIRECTIONS = {
    ("change", 1): "a rise",
    ("change", -1): "a fall",
    ("result", 1): "a gain",
    ("result", -1): "a loss",
    ("sign", -1): "negative",
}


def opposite(number: Stated, found: Sequence[Found], asked: Direction | None) -> str:
    """What keeps the first of these numbers from agreeing with the expected one; "" without any."""
    if not found:
        return ""
    given = found[0].number
    stated_as, expected = _direction(given), _direction(number) or asked
    says = _DIRECTIONS.get(stated_as, "") if stated_as else ""
    wants = _DIRECTIONS.get(expected, "") if expected else ""
    if says and wants and says != wants:
        return f"{given.quantity.text} is {says}, {wants} is expected"
    if says:
        return f"{given.quantity.text} is {says}"
    return f"{given.quantity.text} is positive, {wants} is expected" if wants else ""


def _direction(number: Stated) -> Direction | None:
    start, end = number.quantity.start, number.quantity.end
    is_negative = number.value < 0
    if is_negative and may_be_dash(number):
        return None
    return stated_direction(number.text, start, end, is_negative=is_negative)
