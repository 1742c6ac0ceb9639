"""Numbers in Chinese characters: `十四` is 14, `一千二百` 1,200, `三万` 30,000, `2.5亿` is read with the digits."""

import re
from collections.abc import Iterator
from decimal import Decimal

from ragauge.language.numbers.number_units import read_unit
from ragauge.language.numbers.quantity import Quantity, Reading, quantity_of

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
    for run in _RUN.finditer(text):
        value, is_single = _value(run[0]), len(run[0]) == 1
        is_share = text.endswith(PER_CENT, 0, run.start())
        is_counted = is_share or text[run.end() : run.end() + 1] in _COUNTED
        if value is None or (is_single and not is_counted):
            continue
        reading = Reading(*run.span(), Decimal(value), "%" if is_share else "")
        read_unit(text, reading)
        yield quantity_of(text, reading, spelled=is_single, only_matches=run[0] == "一")


def _value(run: str) -> int | None:
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
            total = (total + section + (digit or 0)) * _SCALES[sign]
            section, digit = 0, None
    return total + section + (digit or 0)
