"""What stands around a number: sign and currency before it, scale and unit after it, accountants' brackets."""

import re

from ragauge.language.characters import is_word
from ragauge.language.numbers.quantity import Reading
from ragauge.language.numbers.units import (
    CODE,
    MONEY,
    PAIRS,
    SCALE_LETTERS,
    SCALE_WORDS,
    SCALES,
    UNITS,
    unit_of,
)
from ragauge.language.words import LARGE, WORD_VALUES

_NO_CURRENCY = frozenset("abcdefghijklmnopqrtuvwxyz(,;:)0123456789") | {""}


def ends_in_number(plain: str, end: int) -> bool:
    """Whether the last word before `end` is a number in words."""
    words = plain[max(0, end - 12) : end].lower().replace("-", " ").split()
    return bool(words) and (words[-1] in WORD_VALUES or words[-1] in LARGE)


MONEY_SIGNS = frozenset("$€£¥₹")
_CURRENCY_BEFORE = re.compile(
    rf"(?:(?<=-)\\)?((?<![A-Za-z])(?:US|AU|CA|NZ|HK|[ACSR])\$|[$€£¥₹₩₽₺₦₱₫₪฿₿]|{CODE})\s?([-+]?)$"
)
_MATH_AFTER = re.compile(r"(?:\\?%)?\$(?![0-9])|\s?\\[a-z%]")
_SIGN_BEFORE = re.compile(
    r"(?:(?:(?<![^\s(\[{<>=~≈:;,|\"'“”‘«»„`/\\*_$×÷])(?<!\+/)|(?<=[0-9%]-))([-+])"
    r"|(?<![\w-])(minus|negative)\s)$",
    re.IGNORECASE,
)
AFTER_SIGN_WORD = ("us ", "ve ")
"""The ends of `minus` and `negative`; checked first, because it is fast."""
_DIGIT_BEFORE = re.compile(r"[0-9%)]\s?$")


_ACCOUNTING_AFTER = re.compile(
    r"\)(?:%|\s?(?:thousand|[mbtr]{1,2}illion|mn|bn|percent|per cent)\b)"
)


def read_before(plain: str, reading: Reading) -> None:
    """Read the sign and the currency before the number; `$(5)`, `(0.9)%` and `(5) million` are a minus, as accountants write it."""
    start = reading.start
    before = plain[max(0, start - 2) : start]
    if before[-1:] == "(" and plain[reading.end : reading.end + 1] == ")":
        is_money = before[:-1] in MONEY_SIGNS
        is_scaled = is_money or _ACCOUNTING_AFTER.match(plain, reading.end)
        if is_scaled and not ends_in_number(plain, start - 1):
            reading.value = reading.value.copy_negate()
            reading.start, reading.end = start - 1 - is_money, reading.end + 1
            reading.unit = UNITS[before[0]] if is_money else ""
            return
    sign = ""
    if before[-1:] not in _NO_CURRENCY and (before[:1] not in _NO_CURRENCY or before[-1:] != " "):
        currency = _CURRENCY_BEFORE.search(plain, max(0, start - 6), start)
        is_in_math = (  # the dollar sign opens mathematics: `$5\\%$`, `$5 \\times 2$`
            currency is not None
            and before[-1:] in "$-+"
            and currency[1] == "$"
            and plain[max(0, currency.start(1) - 1) : currency.start(1)] != "\\"
            and _MATH_AFTER.match(plain, reading.end) is not None
        )
        if currency and not is_in_math:
            reading.unit = UNITS.get(currency[1], currency[1])
            reading.start, sign = currency.start(), currency[2]
            before = plain[max(0, reading.start - 2) : reading.start]
    if not sign and (before[-1:] in ("+", "-") or before in ("s ", "e ", "S ", "E ")):
        sign = read_sign(plain, reading)
    if sign == "-":
        reading.value = reading.value.copy_negate()


def read_sign(plain: str, reading: Reading) -> str:
    before = plain[max(0, reading.start - 3) : reading.start]
    may_be = before[-1:] != " " or before.lower() in AFTER_SIGN_WORD
    signed = (
        _SIGN_BEFORE.search(plain, max(0, reading.start - 10), reading.start) if may_be else None
    )
    if not signed:
        return ""
    start, word = signed.start(), (signed[2] or "").lower()
    if word == "minus" and (
        _DIGIT_BEFORE.search(plain, max(0, start - 2), start) or ends_in_number(plain, start)
    ):
        return ""  # `10 minus 5` subtracts
    reading.start = start
    return "-" if word else signed[1]


_END = r"(?!_{0,3}[0-9A-Za-z\u00c0-\u058f])"
_SCALE = re.compile(rf"[\s-]?({SCALE_WORDS})s?{_END}|([百千万萬億亿兆])", re.IGNORECASE)
NOTHING_AFTER = frozenset(".,;:)]?!\"'/") | {""}
_SCALE_STARTS = frozenset("htlmcbqkHTLMCBQK百千万萬億亿兆")
"""The first character of a scale, after at most a space or hyphen; checked first, because it is fast."""
_SCALE_LETTER = re.compile(rf"([kKMB]){_END}")
_MONEY_LETTER = re.compile(rf"\s?([kKmMbBtT]|mm|MM|[mb]il){_END}")
_REFERENCE = re.compile(
    r"\b(?:rule|section|table|figure|fig\.|form|schedule|article|part|room|apartment|apt\.?|flat"
    r"|gate|appendix|exhibit|item|step|grade|class|type|level|phase|unit|suite|block)\s$",
    re.IGNORECASE,
)


_SCALE_IN_BRACKETS = re.compile(
    r"\s?\((?:in\s)?((?:thousand|(?:[mb]|tr)illion)s?|mn|bn)\)", re.IGNORECASE
)
_SEPARATED = re.compile(r"[0-9][.,'\u00a0 ][0-9]")


def read_scale(plain: str, reading: Reading) -> None:
    """Read `million`, `bn`, `k` and the like after the number; in brackets not of a year or of digits that may include it."""
    after = plain[reading.end : reading.end + 2]
    if (
        after in (" (", "(i", "(t", "(m", "(b")
        and (reading.unit or _SEPARATED.search(plain, reading.start, reading.end))
        and (found := _SCALE_IN_BRACKETS.match(plain, reading.end))
        and (scale := SCALES.get(found[1].lower().rstrip("s")))
        and reading.value % 10**scale
    ):
        reading.scale, reading.end = scale, found.end()
        return
    if after[:1] in NOTHING_AFTER or _SCALE_STARTS.isdisjoint(after):
        return
    letter = (_MONEY_LETTER if reading.unit else _SCALE_LETTER).match(plain, reading.end)
    if letter and not _REFERENCE.search(plain, max(0, reading.start - 12), reading.start):
        reading.scale, reading.end = SCALE_LETTERS[letter[1]], letter.end()
        return
    for _ in range(3):
        found = _SCALE.match(plain, reading.end)
        # None also of `mıllion`: `re` takes ı for i and ſ for s if it ignores case.
        scale = SCALES.get((found[1] or found[2]).lower()) if found else None
        if not found or scale is None:
            return
        reading.scale, reading.end = reading.scale + scale, found.end()


_UNIT = re.compile(
    r"([\s-]?)(?:(\\?%)|(°\s?[CF]?|[‰¢€£¥₹₩₽₺₦₱₫₪฿₿円元]|(?:US)?\$(?![0-9]))"
    r"|((?:[A-Za-zµμ][A-Za-z]*|u\.s\.|U\.S\.)(?:[²³]|\^?[23](?![0-9]))?)"
    rf"{_END}(?:\.?[\s-]([A-Za-z]+){_END})?)"
)
_GLUED = re.compile(r"(_{1,3}(?!\w))|[xX][$€£]?\.?[0-9]")
"""The end of emphasis, or a following factor: `_5_`, `293x2`; but `0x2` is a name."""
_MATH_BEFORE = re.compile(r"(?<!\\)\$(?:[^$\n]*\\[A-Za-z%][^$\n]*)?$")
_PER = re.compile(rf"(?:\s?/\s?|\sper\s|\san?\s)([A-Za-z]+){_END}")


def read_unit(plain: str, reading: Reading) -> bool:
    """Read the unit after the number; False if letters there make the number part of a name."""
    after = plain[reading.end : reading.end + 1]
    if after in NOTHING_AFTER:
        return True
    if after in "xX_" and (found := _GLUED.match(plain, reading.end)):
        return bool(found[1]) or plain[reading.start : reading.end] != "0"
    found = _UNIT.match(plain, reading.end)
    if not found:
        return not is_word(after)
    gap, percent, sign, word, second = found.groups()
    if percent:
        reading.unit, reading.end = "%", found.end()
        return True
    if sign:
        # A sign after a space may belong to the next number: `costs 5 €3`.
        is_next = gap and plain[found.end() : found.end() + 1].isdigit()
        before = max(0, reading.start - 100), reading.start
        if not is_next and not (sign == "$" and _MATH_BEFORE.search(plain, *before)):
            _take_unit(reading, UNITS.get(sign.replace(" ", ""), sign), found.end())
        return True
    pair = PAIRS.get(f"{word} {second}".lower()) if second else None
    unit = pair or unit_of(word)
    if unit == "x" and word == "x" and gap:
        return True  # `293 x 2` multiplies
    if not unit:
        is_name = not gap or (gap == "-" and (len(word) == 1 or word.isupper()))
        return not is_name or (not gap and not is_word(word[0]))
    if not gap and word == "s" and plain[reading.end - 1] == "0":
        return False  # `1980s`, `in his 20s`
    end = found.end() if pair else found.end(4)
    per = None if unit in MONEY or unit == "%" else _PER.match(plain, end)
    if per and (below := unit_of(per[1])):
        unit, end = f"{unit}/{below}", per.end()
    _take_unit(reading, unit, end)
    return True


def _take_unit(reading: Reading, unit: str, end: int) -> None:
    """Set the unit; a currency before the number is only replaced by another currency."""
    if not reading.unit or (unit in MONEY and unit not in ("cent", "pound")):
        reading.unit, reading.end = unit, end
