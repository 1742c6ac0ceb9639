"""What stands after a number: its scale, such as `million`, and its unit."""

import re

from ragauge.language.characters import is_word
from ragauge.language.numbers.quantity import MONEY, PAIRS, SCALES, UNITS, Reading, unit_of

_END = r"(?!_{0,3}[0-9A-Za-z\u00c0-\u058f])"
_SCALE = re.compile(
    rf"[\s-]?(hundred|mil millones|mill(?:ionen|iarden?|iard|ones|ón)|billones|billionen|mili(?:oni|ardi)|milj(?:oen|ard)"
    rf"|milhões|bilhões|t(?:housand|rillion|rn|n)|la(?:kh|c)|m(?:illion|ln|io|rd|n)|crore|b(?:illion|ln|n)"
    rf"|quadrillion)s?{_END}|([百千万萬億亿兆])",
    re.IGNORECASE,
)
NOTHING_AFTER = frozenset(".,;:)]?!\"'/") | {""}
_SCALE_STARTS = frozenset("htlmcbqkHTLMCBQK百千万萬億亿兆")
"""The first character of a scale, after at most a space or hyphen; checked first, because it is fast."""
_SCALE_LETTERS = {"k": 3, "K": 3, "M": 6, "B": 9}
_MONEY_LETTERS = _SCALE_LETTERS | (
    {"m": 6, "mm": 6, "MM": 6, "b": 9, "T": 12, "t": 12, "mil": 6, "bil": 9}
)
_SCALE_LETTER = re.compile(rf"([kKMB]){_END}")
_MONEY_LETTER = re.compile(rf"\s?([kKmMbBtT]|mm|MM|[mb]il){_END}")
_REFERENCE = re.compile(
    r"\b(?:rule|section|table|figure|fig\.|form|schedule|article|part|room|apartment|apt\.?|flat"
    r"|gate|appendix|exhibit|item|step|grade|class|type|level|phase|unit|suite|block)\s$",
    re.IGNORECASE,
)


def read_scale(plain: str, reading: Reading) -> None:
    """Read `million`, `bn`, `k` and the like after the number."""
    after = plain[reading.end : reading.end + 2]
    if after in (" (", "(i", "(t", "(m", "(b") and _read_scale_in_brackets(plain, reading):
        return
    if after[:1] in NOTHING_AFTER or _SCALE_STARTS.isdisjoint(after):
        return
    letters = _MONEY_LETTERS if reading.unit else _SCALE_LETTERS
    pattern = _MONEY_LETTER if reading.unit else _SCALE_LETTER
    letter = pattern.match(plain, reading.end)
    if letter and not _REFERENCE.search(plain, max(0, reading.start - 12), reading.start):
        reading.scale = letters[letter[1]]
        reading.end = letter.end()
        return
    for _ in range(3):
        found = _SCALE.match(plain, reading.end)
        if not found:
            return
        scale = SCALES.get((found[1] or found[2]).lower())
        if scale is None:  # `re` takes ı for i and ſ for s if it ignores case
            return
        reading.scale += scale
        reading.end = found.end()


_SCALE_IN_BRACKETS = re.compile(
    r"\s?\((?:in\s)?((?:thousand|(?:[mb]|tr)illion)s?|mn|bn)\)", re.IGNORECASE
)
_SEPARATED = re.compile(r"[0-9][.,'\u00a0 ][0-9]")


def _read_scale_in_brackets(plain: str, reading: Reading) -> bool:
    """Read the scale of `12.345 (thousand)` and `$12,345 (in thousands)`.

    Not of `2021 (in millions)`, which may be a year, and `$5,000 (in thousands)`, whose digits may include it.
    """
    found = _SCALE_IN_BRACKETS.match(plain, reading.end)
    if not found:
        return False
    if not (reading.unit or _SEPARATED.search(plain, reading.start, reading.end)):
        return False
    scale = SCALES.get(
        found[1].lower().rstrip("s")
    )  # none for `mıllion`, in which `re` takes ı for i
    if scale is None or not reading.value % 10**scale:
        return False
    reading.scale = scale
    reading.end = found.end()
    return True


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
        if gap and plain[found.end() : found.end() + 1].isdigit():
            return True
        if sign == "$" and _MATH_BEFORE.search(plain, max(0, reading.start - 100), reading.start):
            return True
        _take_unit(reading, UNITS.get(sign.replace(" ", ""), sign), found.end())
        return True
    return _read_unit_word(plain, reading, gap, word, second, found)


def _read_unit_word(
    plain: str, reading: Reading, gap: str, word: str, second: str | None, found: re.Match[str]
) -> bool:
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
    below = unit_of(per[1]) if per else None
    if per and below:
        unit, end = f"{unit}/{below}", per.end()
    _take_unit(reading, unit, end)
    return True


def _take_unit(reading: Reading, unit: str, end: int) -> None:
    """Set the unit; a currency before the number is only replaced by another currency."""
    if not reading.unit or (unit in MONEY and unit not in ("cent", "pound")):
        reading.unit = unit
        reading.end = end
