"""What stands before a number: its sign and its currency; and the brackets of accountants."""

import re

from ragauge.language.numbers.quantity import CODE, SIGNS, Reading

SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
)
TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
WORD_VALUES = {word: value for value, word in enumerate(SMALL.split())} | {
    word: 20 + 10 * i for i, word in enumerate(TENS.split())
}
_AFTER_ONE = ("hundred", "thousand", "million", "billion", "trillion")


def ends_in_number(plain: str, end: int) -> bool:
    """Whether the last word before `end` is a number in words."""
    words = plain[max(0, end - 12) : end].lower().replace("-", " ").split()
    return bool(words) and (words[-1] in WORD_VALUES or words[-1] in _AFTER_ONE)


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


def read_before(plain: str, reading: Reading) -> None:
    """Read the sign and the currency before the number."""
    before = plain[max(0, reading.start - 2) : reading.start]
    sign = ""
    if before[-1:] not in _NO_CURRENCY and (before[:1] not in _NO_CURRENCY or before[-1:] != " "):
        currency = _CURRENCY_BEFORE.search(plain, max(0, reading.start - 6), reading.start)
        if currency and not (before[-1:] in "$-+" and _is_in_math(plain, currency, reading.end)):
            reading.unit = SIGNS.get(currency[1], currency[1])
            reading.start = currency.start()
            sign = currency[2]
            before = plain[max(0, reading.start - 2) : reading.start]
    if not sign and (before[-1:] in ("+", "-") or before in ("s ", "e ", "S ", "E ")):
        sign = read_sign(plain, reading)
    if sign == "-":
        reading.value = reading.value.copy_negate()


_ACCOUNTING_AFTER = re.compile(
    r"\)(?:%|\s?(?:thousand|[mbtr]{1,2}illion|mn|bn|percent|per cent)\b)"
)


def read_accounting(plain: str, reading: Reading) -> bool:
    """Read a negative number in brackets with its sign outside: `$(5)`, `(0.9)%`, `(5) million`.

    Brackets alone, as in `(5)`, say nothing.
    """
    start = reading.start - 1
    if start < 0 or plain[start] != "(" or ends_in_number(plain, start):
        return False
    is_money = plain[max(0, start - 1) : start] in MONEY_SIGNS
    if not is_money and not _ACCOUNTING_AFTER.match(plain, reading.end):
        return False
    reading.value = reading.value.copy_negate()
    reading.start, reading.end = start, reading.end + 1
    if is_money:
        reading.start -= 1
        reading.unit = SIGNS[plain[start - 1]]
    return True


def _is_in_math(plain: str, currency: re.Match[str], end: int) -> bool:
    """Whether the dollar sign before a number opens mathematics: `$5\\%$`, `$5 \\times 2$`."""
    return (
        currency[1] == "$"
        and plain[max(0, currency.start(1) - 1) : currency.start(1)] != "\\"
        and _MATH_AFTER.match(plain, end) is not None
    )


_NO_CURRENCY = frozenset("abcdefghijklmnopqrtuvwxyz(,;:)0123456789") | {""}


def read_sign(plain: str, reading: Reading) -> str:
    before = plain[max(0, reading.start - 3) : reading.start]
    if before[-1:] == " " and before.lower() not in AFTER_SIGN_WORD:
        return ""
    signed = _SIGN_BEFORE.search(plain, max(0, reading.start - 10), reading.start)
    if not signed:
        return ""
    start = signed.start()
    word = (signed[2] or "").lower()
    if word == "minus" and (
        _DIGIT_BEFORE.search(plain, max(0, start - 2), start) or ends_in_number(plain, start)
    ):
        return ""  # `10 minus 5` subtracts
    reading.start = start
    return "-" if word else signed[1]
