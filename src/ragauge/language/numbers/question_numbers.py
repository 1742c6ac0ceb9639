"""What texts say about their numbers: the scale, percentages, rises and falls, gains and losses."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from ragauge.language.numbers.agreement import Agreement, Stated, is_bracketed, may_be_dash
from ragauge.language.numbers.index import Found
from ragauge.language.numbers.quantity import Quantity
from ragauge.language.numbers.units import CODE, SCALE_LETTERS, SCALE_WORDS, SCALES

_CURRENCY = rf"(?:{CODE}|(?:US|U\.S\.)?\s?[$€£¥₹]|(?:US |U\.S\. )?dollars?|euros?|pounds?|rupees?)"
_SCALE = re.compile(
    rf"(?:\b(?:in|how many|units? of|expressed as|to the nearest)\s(?:the\s)?(?:{_CURRENCY}\s?)?"
    rf"|{_CURRENCY}\s?(?:in\s)?)({SCALE_WORDS})s?\b"
    rf"|(?:\bin\s|\(\s?)(?:{_CURRENCY}\s?)?'?000'?s?\b"
    rf"|{_CURRENCY}\s?(k|mm|m|b|t)\b",
    re.IGNORECASE,
)
_HEADING = re.compile(
    rf"\bin\s(?:{_CURRENCY}\s(?:in\s)?)?(?:({SCALE_WORDS})s\b|'?000'?s\b)", re.IGNORECASE
)
_PERCENTAGE = re.compile(
    r"%|\b(?:per\s?cent|percents|percentages?|percentage points?|ratios?|margins?|rates?|cagr|growth"
    r"|share|proportion|fraction|return on|yield|turnover)\b",
    re.IGNORECASE,
)

_HEADING_HINTS = ("illions", "thousands", "crores", "lakhs", "000s", "000's")
_BASIS_POINTS = re.compile(r"\b(?:how many|in) (?:basis points|bps|bp)\b")
FALLS = frozenset(("a fall", "a loss"))


@lru_cache(10_000)
def named_scale(question: str) -> int:
    """The power of ten in which the question wants its numbers; 0 if it names none."""
    found = _SCALE.search(question)
    if not found:
        return 0
    word = (found[1] or found[2] or "k").lower()
    return SCALES.get(word) or SCALE_LETTERS.get(word, 0)  # `re` takes ı for i if it ignores case


def heading_scale(text: str) -> int:
    """The power of ten that the text names as a table's heading does; 0 if it names none."""
    lowered = text.lower()
    has_hint = any([hint in lowered for hint in _HEADING_HINTS])  # noqa: C419, a list is faster
    found = _HEADING.search(text) if has_hint else None
    return (SCALES.get(found[1].lower(), 0) if found[1] else 3) if found else 0


def given_scales(answer: str, asked: int) -> tuple[int, ...]:
    """The scales that the bare numbers of the answer may have: those that the question and it name."""
    return tuple(dict.fromkeys(filter(None, (asked, heading_scale(answer)))))


def in_asked_unit(question: str | None, found: Sequence[Quantity]) -> Sequence[Quantity]:
    """The quantities, where bare ones are basis points if the question asks for these."""
    if not _BASIS_POINTS.search((question or "").lower()):
        return found
    return [
        each if each.unit or each.scale or each.is_year else each._replace(unit="bp")
        for each in found
    ]


@lru_cache(10_000)
def asks_for_a_percentage(question: str) -> bool:
    """Whether the question asks for a percentage, ratio or rate, which is stated as 5%, 5 or 0.05."""
    return _PERCENTAGE.search(question) is not None


def rules_for(question: str | None, rules: Agreement) -> Agreement:
    """The rules for an answer to the question."""
    if not question:
        return rules
    asks_percentage = rules.percent == "as_asked" and asks_for_a_percentage(question)
    asks_fall = asked_direction(question) in FALLS
    return replace(rules, asks_percentage=asks_percentage, asks_fall=asks_fall)


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
    """What the words right beside the number call it: "a rise", "a fall", "a gain", "a loss" or ""."""
    before = text[max(0, start - _REACH) : start].lower()
    found = [*_WORDS.finditer(before)]
    if found and not _LEVEL.search(before.rstrip(" $€£(~≈"), found[-1].end()):
        return _name(found[-1])
    after = text[end : end + _REACH].lower()
    gap = _AFTER.match(after)
    beside = _WORDS.match(after, gap.end()) if gap else None
    return _name(beside) if beside and not after.startswith(" or ", beside.end()) else ""


def _name(words: re.Match[str]) -> str:
    return [*_SIDES][(words.lastindex or 1) - 1]


@lru_cache(10_000)
def asked_direction(question: str) -> str:
    """The direction of a positive number that answers the question; "" if it leaves both open."""
    lowered = question.lower()
    found = [_name(words) for words in _WORDS.finditer(lowered)]
    are_falls = {name in FALLS for name in found}
    return "" if len(are_falls) != 1 or _OPEN_QUESTION.match(lowered) else found[0]


def in_one_direction(number: Stated, found: Sequence[Found], asked: str) -> Sequence[Found]:
    """Those found that are no fall where a rise is expected, or the reverse; `asked`: the direction if the reference names none."""
    expected = _direction(number) or ("" if is_bracketed(number) else asked)
    return [each for each in found if {expected, _direction(each.number)} not in _OPPOSITES]


def opposite(number: Stated, found: Sequence[Found], asked: str) -> str:
    """What keeps the first of these numbers from agreeing with the expected one; "" without any."""
    if not found:
        return ""
    given = found[0].number
    says, wants = _direction(given), _direction(number) or asked
    said = f"{given.quantity.text} is {says or 'positive'}"
    if wants and wants != says:
        return f"{said}, {wants} is expected"
    return said if says else ""


def _direction(number: Stated) -> str:
    if number.value < 0:
        return "" if may_be_dash(number) else "negative"
    return stated_direction(number.text, number.quantity.start, number.quantity.end)


_NONE_EXPECTED = re.compile(r"(?:nm|NM|n/m|N/M|n\.m\.|N\.M\.|[Nn]ot meaningful)\.?")
_NONE_STATED = re.compile(
    r"\b(?:nm|n/m|n\.m\.?|n/a|(?:not?|without) (?:a )?(?:meaningful(?:ly)?|meaning|applicable|defined)|meaningless|undefined"
    r"|cannot be meaningfully)\b",
    re.IGNORECASE,
)
_AFTER_DIGIT = re.compile(r"[0-9]\s?\Z")


def wants_no_number(reference: str) -> bool:
    """Whether the reference is nothing but the mark of a number that would not be meaningful."""
    return _NONE_EXPECTED.fullmatch(reference.strip()) is not None


def says_no_number(answer: str) -> str:
    """The words by which the answer says that a number is not meaningful; "" if it does not."""
    for found in _NONE_STATED.finditer(answer):
        if not _AFTER_DIGIT.search(answer[max(0, found.start() - 2) : found.start()]):
            return found[0]
    return ""
