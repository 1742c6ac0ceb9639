"""Whether the text says of a number that it is a rise or a fall, a gain or a loss."""

import re
from collections.abc import Sequence
from functools import lru_cache

from ragauge.language.numbers.agreement import Stated, is_bracketed, may_be_dash
from ragauge.language.numbers.index import Found

_SIDES = {
    "a fall": (
        r"decreas\w+|declin\w+|fell|falls?|falling|fallen|drop(?:s|ped|ping)?|shr[aiu]nk\w*|contract(?:ed|ion|ing)"
        r"|reduc(?:ed|tion)|slipped|slid|dipped|down|plunged|tumbled|worse\w*|deteriorated|lower|negative"
    ),
    "a rise": (
        r"increas\w+|gr[eo]w\w*|rose|ris(?:es?|ing|en)|climb(?:ed|ing)|up|jump(?:ed)?|improv(?:ed|ement|ing)|expanded"
        r"|surged|soared|higher"
    ),
    "a loss": r"loss|losses|lost|deficit",
    "a gain": r"profits?|gain(?:s|ed)?|surplus|net income|earnings|earned",
}
_NAMES = tuple(_SIDES)
_WORDS = re.compile(
    rf"(?<!\()\b(?:{'|'.join(f'({words})' for words in _SIDES.values())})\b(?! margin)"
)
_OPPOSITES = (
    {"a fall", "a rise"},
    {"a loss", "a gain"},
    {"negative", "a rise"},
    {"negative", "a gain"},
)
_LEVEL = re.compile(r"\b(?:to|from|or|than)\b|[\d.,;:()]")
"""What parts a word from the number that it is about: in `fell to 5%` the 5% is no fall."""
_AFTER = re.compile(
    r"[\s)*-]{1,3}(?:(?:[a-z]+-over-[a-z]+|yoy|net|annual|sequential|organic|operating) )?"
)
_OPEN_QUESTION = re.compile(
    r"\s*(?:is|are|was|were|has|have|had|did|does|do|can|could|will|would)\b|.*\b(?:chang|differ|compar|versus|vs\b|improv|higher|better)",
    re.DOTALL,
)
_REACH = 60
"""Characters before and after a number in which its direction is looked for."""


def stated_direction(text: str, start: int, end: int) -> str:
    """What the words right beside the number call it: "a rise", "a fall", "a gain", "a loss" or "".

    >>> stated_direction("Sales fell by about 3.4%.", 20, 24), stated_direction("3.4% growth", 0, 4)
    ('a fall', 'a rise')
    >>> stated_direction("Sales fell to 3.4%.", 14, 18)
    ''
    """
    before = text[max(0, start - _REACH) : start].lower()
    found = [*_WORDS.finditer(before)]
    if found and not _LEVEL.search(before.rstrip(" $€£(~≈"), found[-1].end()):
        return _name(found[-1])
    after = text[end : end + _REACH].lower()
    gap = _AFTER.match(after)
    beside = _WORDS.match(after, gap.end()) if gap else None
    return _name(beside) if beside and not after.startswith(" or ", beside.end()) else ""


def _name(words: re.Match[str]) -> str:
    return _NAMES[(words.lastindex or 1) - 1]


@lru_cache(10_000)
def asked_direction(question: str) -> str:
    """The direction of a positive number that answers the question; "" if it leaves both open.

    >>> asked_direction("What was the revenue growth?"), asked_direction("Did sales grow or fall?")
    ('a rise', '')
    """
    lowered = question.lower()
    found = [_name(words) for words in _WORDS.finditer(lowered)]
    are_falls = {name in FALLS for name in found}
    return "" if len(are_falls) != 1 or _OPEN_QUESTION.match(lowered) else found[0]


FALLS = frozenset(("a fall", "a loss"))


def in_one_direction(number: Stated, found: Sequence[Found], asked: str) -> Sequence[Found]:
    """Those of the found numbers that are not a fall where the expected one is a rise, or the reverse.

    `asked`: the direction of an expected number beside which the reference names none.
    """
    expected = _direction(number) or ("" if is_bracketed(number) else asked)
    return [each for each in found if {expected, _direction(each.number)} not in _OPPOSITES]


def opposite(number: Stated, found: Sequence[Found], asked: str) -> str:
    """What keeps the first of these numbers from agreeing with the expected one; "" without any."""
    if not found:
        return ""
    given = found[0].number
    says, wants = _direction(given), _direction(number) or asked
    if wants == says:
        wants = ""
    said = f"{given.quantity.text} is {says or 'positive'}"
    return f"{said}, {wants} is expected" if wants else said if says else ""


def _direction(number: Stated) -> str:
    if number.value < 0:
        return "" if may_be_dash(number) else "negative"
    return stated_direction(number.text, number.quantity.start, number.quantity.end)
