"""Numbers in words, such as `five`, `two-thirds` and `three hundred thousand`."""

import re
from collections.abc import Iterator
from decimal import Decimal

from ragauge.language.characters import lower_letters, positions
from ragauge.language.numbers.affixes import (
    AFTER_SIGN_WORD,
    SMALL,
    TENS,
    WORD_VALUES,
    read_scale,
    read_sign,
    read_unit,
)
from ragauge.language.numbers.other_forms import shares_in_words
from ragauge.language.numbers.quantity import DIVIDING, EXACT, Quantity, Reading, quantity_of
from ragauge.language.words import RANKS, words_of

_BIG = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_ONES = "|".join(SMALL.split()[:0:-1])  # of words with the same beginning, the longest first
_BELOW_100 = (
    rf"(?:(?:{'|'.join(TENS.split())})(?:[\s-](?:{'|'.join(SMALL.split()[1:10])})\b)?|{_ONES})\b"
)
_BELOW_1000 = rf"{_BELOW_100}(?:[\s-]hundred\b(?:[\s-](?:and\s)?{_BELOW_100})?)?"
_THOUSANDS = rf"(?:[\s-](?:{'|'.join(_BIG)})\b(?:[\s-](?:and\s)?{_BELOW_1000})?)*"
_SPELLED = re.compile(
    rf"(?:zero\b|dozen\b|{_BELOW_1000}(?:\sdozen\b|{_THOUSANDS})|a\shundred\b(?:\s(?:and\s)?{_BELOW_100})?{_THOUSANDS}"
    rf"|a(?=\s(?:{'|'.join(_BIG)})\b){_THOUSANDS})"
)


# Each alternative starts at a rare letter, which is fastest to find, and ends at the third letter.
_STEM = re.compile(
    "n(?:(?<=on)e|in(?=e)|(?<=ten))|w(?<=tw)(?:o|e(?=l|nty))|h(?:r(?=ee)|i(?=rt))(?<=th.)"
    "|f(?:ou(?=r)|iv(?=e)|if(?=t)|or(?=ty))|x(?<=six)|v(?<=sev)|g(?<=eig)|l(?<=el)e(?=v)"
    "|z(?:er(?=o)|(?<=doz))"
)


_BELOW = {word: rank for word, rank in RANKS.items() if rank > 2} | {
    "half": 2,
    "halve": 2,
    "quarter": 4,
    "hundredth": 100,
    "thousandth": 1000,
}
"""The denominators of fractions in words."""
_PART = re.compile(rf"(-|\s(?:and\s(?:a\s)?)?)({'|'.join(RANKS.keys() | _BELOW.keys())})(s?)\b")

_OF_SCALE = re.compile(rf" of an? ({'|'.join(_BIG)})\b")


def _is_ordinal(value: Decimal, part: re.Match[str]) -> bool:
    """Whether the number is an ordinal: `seventy-fifth`, `two hundred and fifth`, `two hundredth`."""
    gap, name, plural = part.groups()
    if gap == " and ":
        return value % 100 == 0
    if gap == "-" and value % 10 == 0 and value % 100 >= 20:
        return RANKS.get(name, 10) < 10
    return _BELOW.get(name, 0) >= 100 and not plural and value > 1


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


def numbers_in_words(text: str) -> Iterator[Quantity]:
    """Numbers in words; `one`, `a dozen` and `half` only match, `a` counts only before `hundred` and above."""
    if not words_of(text).may_spell_numbers:
        return
    lowered = lower_letters(text)
    shares = list(shares_in_words(lowered))
    yield from (
        quantity_of(text, share, spelled=True, only_matches=not share.scale) for share in shares
    )
    starts = [found.end() - 3 for found in _STEM.finditer(lowered)]
    if "hundred" in lowered or "thousand" in lowered or "illion" in lowered:
        starts = sorted(starts + positions(lowered, ("a ",)))
    last = 0
    for start in starts:
        before = text[start - 1] if start else " "
        if start < last or before.isalnum() or before in "_'-":
            continue
        if any(share.start <= start < share.end for share in shares):
            continue
        found = _SPELLED.match(lowered, start)
        if not found or found[0] == "a":
            continue
        last = found.end()
        reading = Reading(start, last, _word_value(found[0]))
        is_vague = found[0] in ("one", "dozen")
        if part := _PART.match(lowered, last):
            if _is_ordinal(reading.value, part):
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
            last = max(last, reading.end)
            yield quantity_of(text, reading, spelled=True, only_matches=is_vague)


def _word_value(number: str) -> Decimal:
    total = group = 0
    for word in number.replace("-", " ").split():
        if word == "dozen":
            group = max(group, 1) * 12
        elif word in _BIG:
            total += max(group, 1) * _BIG[word]
            group = 0
        elif word == "hundred":
            group = max(group, 1) * 100
        elif word not in ("and", "a", "an"):
            group += WORD_VALUES[word]
    return Decimal(total + group)


_DIGITS = {
    sign: value
    for value, signs in enumerate(
        ["〇零", "一", "二两兩", "三", "四", "五", "六", "七", "八", "九"]
    )
    for sign in signs
}
_TENS = {"十": 10, "百": 100, "千": 1000}
_SCALES = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
_SIGNS = "".join({**_DIGITS, **_TENS, **_SCALES})
# After a digit it is its scale, after 第 an ordinal, before 月 or 日 a part of a date, in 万一 and 千万 a word.
_RUN = re.compile(rf"(?<![第0-9.{_SIGNS}])[{_SIGNS}]+(?![{_SIGNS}月日号號])")
_SHARE = re.compile(rf"([{_SIGNS}]+)分之([{_SIGNS}]+)")
_COUNTED = frozenset("个個名位人天年元块塊岁歳歲次家页頁本只隻条條件张張台辆輛种種周倍公米")
"""Measure words, before which one character is a number."""
PER_CENT = "百分之"


def chinese_numbers(text: str) -> Iterator[Quantity]:
    """The numbers in Chinese characters; a single one before a measure word is like a number in words.

    >>> [(each.text, each.plain_value) for each in chinese_numbers("他有十四只猫和三只狗")]
    [('十四', '14'), ('三', '3')]
    """
    if text.isascii():
        return
    for share in _SHARE.finditer(text):
        below, above = value_of(share[1]), value_of(share[2])
        if below and above is not None and below != 100:
            value = DIVIDING.divide(Decimal(above), Decimal(below))
            yield Quantity(share[0], *share.span(), value, spelled=True)
    for run in _RUN.finditer(text):
        if text.startswith("分之", run.end()) or (
            text.endswith("分之", 0, run.start()) and not text.endswith(PER_CENT, 0, run.start())
        ):
            continue
        value, is_single = value_of(run[0]), len(run[0]) == 1
        is_share = text.endswith(PER_CENT, 0, run.start())
        is_counted = is_share or text[run.end() : run.end() + 1] in _COUNTED
        if value is None or (is_single and not is_counted):
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
