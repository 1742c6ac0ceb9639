"""Numbers in words, such as `five`, `two-thirds`, `half a million` and `十四`."""

import re
from collections.abc import Iterator
from decimal import Decimal

from ragauge.language.characters import lower_letters, positions
from ragauge.language.numbers.affixes import (
    AFTER_SIGN_WORD,
    read_scale,
    read_sign,
    read_unit,
)
from ragauge.language.numbers.quantity import DIVIDING, EXACT, Quantity, Reading, quantity_of
from ragauge.language.numbers.units import SCALES
from ragauge.language.words import LARGE, RANKS, SMALL, TENS, WORD_VALUES, words_of

_BIG = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_ONES = "|".join(SMALL.split()[:0:-1])  # of words with the same beginning, the longest first
_BELOW_100 = (
    rf"(?:(?:{'|'.join(TENS.split())})(?:[\s-](?:{'|'.join(SMALL.split()[1:10])})\b)?|{_ONES})\b"
)
_BELOW_1000 = rf"{_BELOW_100}(?:[\s-]hundred\b(?:[\s-](?:and\s)?{_BELOW_100})?)?"
_THOUSANDS = rf"(?:[\s-](?:{'|'.join(_BIG)})\b(?:[\s-](?:and\s)?{_BELOW_1000})?)*"
_SPELLED = re.compile(
    rf"\b(?:zero\b|dozen\b|{_BELOW_1000}(?:\sdozen\b|{_THOUSANDS})|a\shundred\b(?:\s(?:and\s)?{_BELOW_100})?{_THOUSANDS}"
    rf"|a(?=\s(?:{'|'.join(_BIG)})\b){_THOUSANDS})"
)
_FRACTIONS = ("third", "quarter", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_BELOW = {word: rank for word, rank in RANKS.items() if rank > 2} | {
    **{"half": 2, "halve": 2, "quarter": 4, "hundredth": 100, "thousandth": 1000},
}
"""The denominators of fractions in words."""
_PART = re.compile(rf"(-|\s(?:and\s(?:a\s)?)?)({'|'.join(RANKS.keys() | _BELOW.keys())})(s?)\b")
_SCALE = rf"({'|'.join(LARGE)})\b"
_OF_SCALE = re.compile(rf" of an? ({'|'.join(_BIG)})\b")
_SHARE = re.compile(
    rf"(?:\ban?[ -])?\bhalf\b(?:(?: of)?(?: an?)? {_SCALE})?|\ban? ({'|'.join(_FRACTIONS)})\b(?: of an? {_SCALE})?"
)
_OTHER_HALF = re.compile(
    r"\b(?:first|second|1st|2nd|latter|former|last|other|next|previous|early|late|better|one|and an?|and|in)[ -]$|[\w'-]$"
)
_NO_SHARE = re.compile(
    r"['-]|\s(?:time\b|years?\b|a dozen\b|brother|sister|marathon|way\b|as\b|past\b)"
)
_END_OF_SHARE = re.compile(r" (?:of\b|(?:is|was|are|were|comes?|came)\b)|[.,;:!?)]|\s*\Z")
_HINTS_OF_SHARES = ("half", *(f"a {name}" for name in _FRACTIONS), "an eighth")


def numbers_in_words(text: str) -> Iterator[Quantity]:
    """Numbers in words; `one`, `a dozen` and `half` only match, `a` counts only before `hundred` and above."""
    names = words_of(text).number_names
    if not names:
        return
    lowered = lower_letters(text)
    may_share = any([hint in lowered for hint in _HINTS_OF_SHARES])  # noqa: C419, a list is faster
    shares = list(_shares(lowered)) if may_share else []
    for share in shares:
        yield quantity_of(text, share, spelled=True, only_matches=not share.scale)
    end = 0
    for start in positions(lowered, names if names.isdisjoint(LARGE) else (*names, "a ")):
        found = _SPELLED.match(lowered, start) if start >= end else None
        if (
            not found
            or lowered[start - 1 : start] in ("'", "-")
            or any(share.start <= start < share.end for share in shares)
        ):
            continue
        end = found.end()
        total = group = 0
        for word in found[0].replace("-", " ").split():
            if word in _BIG:
                total, group = total + max(group, 1) * _BIG[word], 0
            elif word in ("dozen", "hundred"):
                group = max(group, 1) * (12 if word == "dozen" else 100)
            else:
                group += WORD_VALUES.get(word, 0)  # not of `and`, `a`, `an`
        reading = Reading(start, end, Decimal(total + group))
        is_vague = found[0] in ("one", "dozen")
        if part := _PART.match(lowered, end):
            gap, name, plural = part.groups()
            if gap == " and ":  # `two hundred and fifth`
                is_ordinal = reading.value % 100 == 0
            elif gap == "-" and reading.value % 10 == 0 and reading.value % 100 >= 20:
                is_ordinal = RANKS.get(name, 10) < 10  # `seventy-fifth`
            else:  # `two hundredth`
                is_ordinal = _BELOW.get(name, 0) >= 100 and not plural and reading.value > 1
            if is_ordinal:
                continue
            is_vague &= not _read_part(lowered, reading, part)
        before = lowered[max(0, start - 7) : start]
        if before.endswith(AFTER_SIGN_WORD) and read_sign(lowered, reading):
            reading.value = reading.value.copy_negate()
        elif is_vague and before.endswith(("no ", "half a ")):
            if found[0] == "one":
                continue
            reading.start, reading.value = start - 7, Decimal(6)
        if read_unit(text, reading):
            end = max(end, reading.end)
            yield quantity_of(text, reading, spelled=True, only_matches=is_vague)


def _read_part(lowered: str, reading: Reading, part: re.Match[str]) -> bool:
    """Read the fraction of `two-thirds`, `one third` or `two and a half`; True if it is unambiguous."""
    gap, name, plural = part.groups()
    below = _BELOW.get(name, 0)
    if below and gap == " and a ":
        reading.value = EXACT.add(reading.value, DIVIDING.divide(Decimal(1), Decimal(below)))
        reading.end = part.end()
        read_scale(lowered, reading)
        return True
    has_of = lowered.startswith(" of ", part.end())
    is_unambiguous = gap == "-" or has_of or (plural != "" and name != "quarter")
    if "and" in gap or not 0 < reading.value < below or not (is_unambiguous or reading.value == 1):
        return False
    reading.value = DIVIDING.divide(reading.value, Decimal(below))
    reading.end = part.end()
    if whole := has_of and _OF_SCALE.match(lowered, part.end()):
        reading.end = whole.start(1) - 1
        read_scale(lowered, reading)
    return is_unambiguous


def _shares(lowered: str) -> Iterator[Reading]:
    """The shares that begin with no number: `half a million`, `a third of it`; not `the second half` or `a third party`."""
    for found in _SHARE.finditer(lowered):
        scale, (start, end) = found[1] or found[3], found.span()
        if (
            _OTHER_HALF.search(lowered, max(0, start - 12), start)
            or _NO_SHARE.match(lowered, end)
            or (found[2] and not scale and not _END_OF_SHARE.match(lowered, end))
        ):
            continue
        value = DIVIDING.divide(Decimal(1), Decimal(_BELOW[found[2] or "half"]))
        yield Reading(start, end, value, scale=SCALES[scale] if scale else 0)


_DIGITS = {sign: value for value, sign in enumerate("零一二三四五六七八九")} | (
    {"〇": 0, "两": 2, "兩": 2}
)
_TENS = {"十": 10, "百": 100, "千": 1000}
_SCALES = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
_SIGNS = "".join({**_DIGITS, **_TENS, **_SCALES})
# After a digit it is its scale, after 第 an ordinal, before 月 or 日 a part of a date, in 万一 and 千万 a word.
_RUN = re.compile(rf"(?<![第0-9.{_SIGNS}])[{_SIGNS}]+(?![{_SIGNS}月日号號])")
_HAN_SHARE = re.compile(rf"([{_SIGNS}]+)分之([{_SIGNS}]+)")
_COUNTED = (
    *"个個名位人天年元块塊岁歳歲次家页頁本只隻条條件张張台辆輛种種周倍公米秒",
    "小时",
    "分钟",
)
"""Measure words, before which one character is a number."""
PER_CENT = "百分之"


def chinese_numbers(text: str) -> Iterator[Quantity]:
    """The numbers in Chinese characters; a single one before a measure word is like a number in words."""
    if text.isascii():
        return
    for share in _HAN_SHARE.finditer(text):
        below, above = value_of(share[1]), value_of(share[2])
        if below and above is not None and below != 100:
            value = DIVIDING.divide(Decimal(above), Decimal(below))
            yield Quantity(share[0], *share.span(), value, spelled=True)
    for run in _RUN.finditer(text):
        is_share, is_single = text.endswith(PER_CENT, 0, run.start()), len(run[0]) == 1
        value = None if text.startswith("分之", run.end()) else value_of(run[0])
        is_counted = is_share or text.startswith(_COUNTED, run.end())
        is_above = text.endswith("分之", 0, run.start()) and not is_share
        if value is None or is_above or (is_single and not is_counted):
            continue
        reading = Reading(*run.span(), Decimal(value), "%" if is_share else "")
        read_unit(text, reading)
        yield quantity_of(text, reading, spelled=is_single, only_matches=run[0] == "一")


def value_of(run: str) -> int | None:
    """The value of the characters; None if they are no number: `千万`, `三四百`."""
    if run[0] not in _DIGITS and run[0] != "十":
        return None
    total = section = 0
    digit: int | None = None
    for sign in run:
        if sign in _DIGITS:
            if digit:
                return None
            digit = _DIGITS[sign]
        elif sign in _TENS:
            section += (1 if digit is None else digit) * _TENS[sign]
            digit = None
        else:
            scale, section = _SCALES[sign], section + (digit or 0)
            # 一亿两千万 is a sum, 十二万亿 a product.
            total = total + section * scale if total > scale else (total + section) * scale
            section, digit = 0, None
    return total + section + (digit or 0)
