r"""Quantities in English text: numbers as values, with their unit.

What counts as a number:

- `$1,000` = `1000` = `1000.0`; `5 million` = `5,000,000` = `5M` = `$5m`; `3k` = `3,000`; lakh and
  crore too. Groups of three (or Indian groups, `1,50,000`) are separated by a comma, an apostrophe, a
  no-break space, or a plain space before a group that starts with 0 (`10 000`).
- The point is the decimal mark. `1,5` is two numbers; `1.2.3` is a version, not a number.
- A hyphen, minus or dash is a sign only if no number or word ends before it: after whitespace, a
  bracket, a quote, a slash, Markdown, or another dash. So `10-20` is 10 and 20, and `-5–-3` is -5 and
  -3. `minus 5` and `negative five` are negative.
- `5%`, `5 per cent` and `5 percentage points` have the unit `%`. Unit and scale of a range apply to
  both numbers: `5-10 million` is 5,000,000 and 10,000,000, `10 to 20%` is 10% and 20%.
- Proper fractions count as their value: `1/2`, `2 1/2`, `½`, `two-thirds`.
- An `x` between digits multiplies: `293x2.061` is 293 and 2.061.
- In LaTeX, `5\%` is a percentage, and the dollar signs around `$5$` are not money.
- Digits of all scripts count.

What does not count: numbers inside names (`B12`, `C-1`, `COVID-19`, `10-K`, `3D`), ordinals,
versions and IP addresses, phone numbers, web addresses, citations such as `[3]`, the numbering of
lists, labels (`Step 1:`), and the parts of dates that `ragauge.language.dates` finds. `2021` is a
number unless something marks it as a year.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

from ragauge.language.dates import Date, dates, is_word, lower_letters, plain_signs, positions


class Quantity(NamedTuple):
    """A number in a text: its span, exact value and unit.

    `unit` is "" (none), "%", a currency code (`$` is USD), or a measure (`km`, `kg`, `h`,
    `km/h`); measures are not converted. `spelled`: written in words (`five`). `is_year`: the year
    of a date. Numbers of these two kinds can match others but do not count themselves: see `counts`.
    `only_matches`: so vague (`one`, `a dozen`) that it is not an anchor either.
    """

    text: str
    start: int
    end: int
    value: Decimal
    unit: str = ""
    spelled: bool = False
    is_year: bool = False
    only_matches: bool = False

    @property
    def counts(self) -> bool:
        """Whether the text states the quantity in digits, and not as part of a date."""
        return not (self.spelled or self.is_year)

    @property
    def is_anchor(self) -> bool:
        """Whether the statement is definite enough to check against a context."""
        return not (self.is_year or self.only_matches)

    @property
    def number(self) -> tuple[Decimal, bool]:
        """The value, and whether it is a percentage; numbers are compared by these."""
        return self.value, self.unit == "%"

    @property
    def plain_value(self) -> str:
        """The value in digits, the same text for equal values; scientific notation if very large or small.

        >>> quantities("$5.50 million")[0].plain_value
        '5500000'
        """
        if not self.value:
            return "0"
        value = _EXACT.normalize(self.value)
        return f"{value:f}" if abs(value.adjusted()) <= 50 else str(value)


MAX_LENGTH = 400
"""The most digits of a number; a longer run is an identifier or noise."""


def quantities(text: str, known_dates: Sequence[Date] | None = None) -> tuple[Quantity, ...]:
    """All quantities of the text in order, including numbers in words and years of dates.

    `known_dates`: the dates of the text, if the caller has them already.

    >>> [(each.text, each.unit) for each in quantities("In 2021 rule C-1 cut 5% of $1,000.")]
    [('2021', ''), ('5%', '%'), ('$1,000', 'USD')]
    >>> [each.text for each in quantities("In 2021 it cost five dollars, or 5.") if each.counts]
    ['5']
    """
    spelled = list(_spelled(text))
    if not _digit_in(text).search(text):
        return tuple(spelled)
    stated = dates(text) if known_dates is None else known_dates
    plain = plain_signs(text)
    readings = list(_stated(plain, stated))
    _lend_in_ranges(plain, readings)
    found = [_quantity(text, reading) for reading in readings]
    found += spelled
    found += [_year_of(date) for date in stated if "year" in date.parts]
    found.sort(key=attrgetter("start"))
    return tuple(found)


def same_quantity(stated: Quantity, given: Quantity, *, unit: bool) -> bool:
    """Whether `given` is the same number as `stated`.

    The values must be equal, and a percentage equals only a percentage. With `unit=True`, `given` must
    also have the unit of `stated`, if it has one; otherwise any unit but `%` is allowed.

    >>> cost, bare, share = quantities("$5, or 5, or 5%")
    >>> same_quantity(cost, bare, unit=False), same_quantity(cost, bare, unit=True)
    (True, False)
    >>> same_quantity(bare, cost, unit=True), same_quantity(bare, share, unit=False)
    (True, False)
    """
    if stated.number != given.number:
        return False
    return not unit or not stated.unit or given.unit in same_units(stated.unit)


def same_units(unit: str) -> tuple[str, ...]:
    """The units that can mean the same as this one: `pounds` can be money or weight."""
    return ALIKE.get(unit, (unit,))


def quantities_of_context(text: str, stated: Sequence[Date]) -> tuple[Quantity, ...]:
    """The quantities in a context; `7/10` and `7 out of 10` count as each other, too.

    >>> [each.plain_value for each in quantities_of_context("7/10", ())]
    ['0.7', '7', '10']
    """
    found = quantities(text, stated)
    if "/" in text or " out of " in text:
        return (*found, *_in_other_forms(text, found))
    return found


_WHOLE_FRACTION = re.compile(r"([0-9]+)/([0-9]+)")


def _in_other_forms(text: str, found: Sequence[Quantity]) -> Iterator[Quantity]:
    """The two numbers of each plain fraction, and the fraction of each `7 out of 10`."""
    for quantity in found:
        if not quantity.unit and (parts := _WHOLE_FRACTION.fullmatch(quantity.text)):
            yield from (_only_matching(quantity, Decimal(part)) for part in parts.groups())
    for part, whole in pairwise(found):
        if text[part.end : whole.start] == " out of " and 0 < part.value < whole.value:
            yield _only_matching(part, _DIVIDING.divide(part.value, whole.value))


def _only_matching(quantity: Quantity, value: Decimal) -> Quantity:
    text, start, end = quantity[:3]
    return Quantity(text, start, end, value, spelled=True, only_matches=True)


# Numerals -----------------------------------------------------------------------------------------

_VULGAR = (
    {"½": "1/2", "⅓": "1/3", "⅔": "2/3", "¼": "1/4", "¾": "3/4", "⅕": "1/5", "⅖": "2/5"}
    | {"⅗": "3/5", "⅘": "4/5", "⅙": "1/6", "⅚": "5/6", "⅛": "1/8", "⅜": "3/8", "⅝": "5/8"}
    | {"⅞": "7/8"}
)
_DIGIT = re.compile(rf"[\d{''.join(_VULGAR)}]")
_ASCII_DIGIT = re.compile("[0-9]")
_NUMERAL = re.compile(
    r"(?:[1-9][0-9]{0,2}(?:([,'\u00a0])[0-9]{3}(?:\1[0-9]{3})*|[ ]0[0-9]{2}(?:[ ][0-9]{3})*)(?![0-9])"
    r"|[1-9][0-9]?(?:,[0-9]{2}){1,5},[0-9]{3}(?![0-9])"
    r"|[0-9]+)"
    r"(?:\.[0-9]+)*(?:[eE][+-]?[0-9]{1,6}(?!\w|\.[0-9]))?"
)
_SEPARATOR = re.compile("[,'\u00a0 ]")
_FRACTION = re.compile(r"/([0-9]{1,3})(?![\w/]|[.,][0-9])")
_MIXED = re.compile(
    rf"[\s-]?([{''.join(_VULGAR)}])|[\s-]([0-9]{{1,2}}/[0-9]{{1,2}})(?![\w/]|[.,][0-9])"
)
_HYPHENATED = re.compile(r"[0-9]+(?:-[0-9]+){2,}")
_POWER = re.compile(r"\s?[×x*]\s?10\^([+-]?[0-9]{1,4})(?![0-9.])")
_TIMES = frozenset("×x*")
"""The first character of a power, after at most a space; checked first, because it is fast."""
_EXACT = Context(prec=MAX_LENGTH + 20, Emax=MAX_EMAX, Emin=MIN_EMIN)
_DIVIDING = Context(prec=34)


@dataclass(slots=True)
class _Reading:
    """A quantity under construction: its sign, scale and unit are being read."""

    start: int
    end: int
    value: Decimal
    unit: str = ""
    scale: int = 0


def _quantity(
    text: str, reading: _Reading, *, spelled: bool = False, only_matches: bool = False
) -> Quantity:
    start, end, value = reading.start, reading.end, reading.value
    if reading.scale:
        value = _scaled(value, reading.scale)
    return Quantity(text[start:end], start, end, value, reading.unit, spelled, False, only_matches)


def _scaled(value: Decimal, scale: int) -> Decimal:
    """The exact value times ten to the power of the scale, independent of the decimal context."""
    if not scale:
        return value
    sign, digits, exponent = value.as_tuple()
    return Decimal((sign, digits, int(exponent) + scale))


def _year_of(date: Date) -> Quantity:
    return Quantity(date.text, date.start, date.end, Decimal(date.parts["year"]), is_year=True)


def _digit_in(text: str) -> re.Pattern[str]:
    """The pattern of a digit for this text: the one for ASCII is much faster."""
    return _ASCII_DIGIT if text.isascii() else _DIGIT


def _stated(plain: str, stated: Sequence[Date]) -> Iterator[_Reading]:
    """The quantities in digits outside dates, list numbers and the like."""
    others = _others(plain, stated)
    start, stop = next(others, (len(plain), len(plain)))
    at = 0
    digit = _digit_in(plain)
    while found := digit.search(plain, at):
        at = found.start()
        while at >= stop and stop < len(plain):
            start, stop = next(others, (len(plain), len(plain)))
        if start <= at < stop:
            at = stop
            continue
        numeral = _NUMERAL.match(plain, at)
        end = numeral.end() if numeral else at + 1
        name = _HYPHENATED.match(plain, at) if plain[end : end + 1] == "-" else None
        reading = None if name else _read(plain, at, end)
        at = max(name.end() if name else end, reading.end if reading else end)
        if reading:
            yield reading


def _read(plain: str, start: int, end: int) -> _Reading | None:
    """The quantity whose numeral is at start:end; None if it is part of a name."""
    digits = plain[start:end]
    if len(digits) > MAX_LENGTH or _in_name(plain, start):
        return None
    if start and plain[start - 1] == "." and digits[0].isdigit():
        if "." in digits or plain[start - 2 : start - 1].isalnum():
            return None
        start -= 1
        digits = f".{digits}"
    if digits.count(".") > 1:
        return None
    if _is_label(plain, start, end):
        return None
    value, end = _value(plain, digits, end)
    reading = _Reading(start, end, value)
    _read_before(plain, reading)
    _read_scale(plain, reading)
    return reading if _read_unit(plain, reading) else None


_OPERATORS = "times|cdot|div|pm|approx|sim|to|eq|neq|leq?|geq?"
_CODES = (
    *("USD", "EUR", "GBP", "JPY", "INR", "CHF", "CAD", "AUD", "NZD", "CNY", "HKD", "SGD", "KRW"),
    *("SEK", "NOK", "DKK", "PLN", "ZAR", "BRL", "MXN", "RUB", "TRY"),
)
_CODE = rf"(?<![A-Za-z])(?:{'|'.join(_CODES)}|RMB|Rs\.?)"
_SEPARATE_PREFIX = re.compile(
    rf"(?:{_CODE}|(?<!\w)_{{1,3}}|(?:[1-9%)]|[0-9.,]0)[xX]|\\(?:{_OPERATORS}))$"
)
"""Letters before a number that do not make it part of a name: `USD5`, `_5_`, `293x5`, `\\times5`."""
_NAME = re.compile(r"(?<![^\W_])([^\W\d_][^\W_]*+)-$")
_PREFIXES = frozenset((
    *("mid", "sub", "top", "bottom", "under", "over", "pre", "post", "near", "plus", "net", "about"),
    *("around", "roughly", "nearly", "almost", "up", "down", "to", "by", "of", "and", "or", "is"),
    *("at", "from", "first", "last", "next"),
))  # fmt: skip
"""Words before a hyphen that do not make the number part of a name: `mid-20`."""


def _in_name(plain: str, start: int) -> bool:
    """Whether letters before the number make it part of a name: `B12`, `C-1`, `COVID-19`."""
    before = plain[start - 1] if start else ""
    if is_word(before):
        return not _SEPARATE_PREFIX.search(plain, max(0, start - 8), start)
    if before != "-":
        return False
    name = _NAME.search(plain, max(0, start - 24), start)
    return name is not None and name[1].lower() not in _PREFIXES


def _value(plain: str, digits: str, end: int) -> tuple[Decimal, int]:
    """The numeral's value including a following fraction, and where it ends."""
    if digits in _VULGAR:
        return _fraction(_VULGAR[digits]), end
    is_whole = digits.isdecimal()
    value = Decimal(digits if is_whole else _SEPARATOR.sub("", digits))
    after = plain[end : end + 2]
    if is_whole and after[:1] == "/" and (below := _FRACTION.match(plain, end)):
        if 0 < value < int(below[1]) <= 100:
            return _fraction(f"{digits}/{below[1]}"), below.end()
        return value, end
    if after[:1] in _NOTHING_AFTER:
        return value, end
    if not _TIMES.isdisjoint(after) and (power := _POWER.match(plain, end)):
        return _scaled(value, int(power[1])), power.end()
    if not is_whole:
        return value, end
    mixed = _MIXED.match(plain, end)
    part = _fraction(_VULGAR.get(mixed[1]) or mixed[2]) if mixed else Decimal(0)
    if mixed and 0 < part < 1:
        return _EXACT.add(value, part), mixed.end()
    return value, end


def _fraction(text: str) -> Decimal:
    above, below = text.split("/")
    return _DIVIDING.divide(Decimal(above), Decimal(below)) if int(below) else Decimal(0)


# Numbers that are not quantities ------------------------------------------------------------------

_LINE_NUMBER = re.compile(r"(?:\A|(?<=\n))[ \t>*#-]{0,8}([0-9]{1,3})[.)](?=[ \t]+\S)")
_NEXT_NUMBER = re.compile(r"(?<=[.;:!?,][ ])([0-9]{1,2})\.(?=[ ]+[A-Z*\"'])")
_BRACKETED = re.compile(r"(?<!\S)\(([0-9]{1,2})\)|(?<![^\s])([0-9]{1,2})\)(?=\s)")
_CITATION = re.compile(r"\[[0-9]{1,3}(?:\s?[,;-]\s?[0-9]{1,3})*\]")
_PHONE = re.compile(
    r"\+[0-9]{1,3}[\s.-]?\(?[0-9]{1,4}\)?(?:[\s.-][0-9]{2,4}){2,4}(?![0-9])"
    r"|\([0-9]{3}\)\s?[0-9]{3}[-.\s][0-9]{4}(?![0-9])"
)
_ADDRESS = re.compile(r"(?:https?://|www\.|@[A-Za-z])[^\s<>()\"]*")

_LABEL = re.compile(
    r"(?:\A|\n|[.!?:;)]\s)[ \t>*#_([-]{0,8}"
    r"(?:step|question|item|option|part|chapter|section|figure|table)\s$",
    re.IGNORECASE,
)
_LABELLED = re.compile(r"[*_]{0,3}[:.)\]][*_]{0,3}\s{1,4}\S")

Span = tuple[int, int]


def _others(plain: str, stated: Sequence[Date]) -> Iterator[Span]:
    """The spans of numbers that are not quantities, in order and without overlap."""
    spans = [(date.start, date.end) for date in stated]
    if "[" in plain:
        spans += [found.span() for found in _CITATION.finditer(plain)]
    if "+" in plain or "(" in plain:
        spans += [found.span() for found in _PHONE.finditer(plain)]
    if ("/" in plain and "://" in plain) or "www." in plain or "@" in plain:
        spans += [found.span() for found in _ADDRESS.finditer(plain)]
    if ")" in plain:
        spans += _bracketed_numbers(plain)
    if "\n" in plain or _LINE_NUMBER.match(plain):
        spans += _line_numbers(plain)
    spans.sort()
    last = 0
    for start, end in spans:
        if end > last:
            yield max(start, last), end
            last = end


def _is_label(plain: str, start: int, end: int) -> bool:
    """Whether the number is part of a label such as `Step 1:` at the start of a line or sentence."""
    return (
        plain[end : end + 1] in _AFTER_LABEL
        and plain[start - 2 : start] in _BEFORE_LABEL
        and _LABEL.search(plain, max(0, start - 24), start) is not None
        and _LABELLED.match(plain, end) is not None
    )


_AFTER_LABEL = frozenset(":.)]*_")
_BEFORE_LABEL = frozenset(("p ", "n ", "m ", "t ", "r ", "e ", "P ", "N ", "M ", "T ", "R ", "E "))


def _line_numbers(plain: str) -> list[Span]:
    """Numbers of list items: 1, or one with a neighbour; and items that continue within a line.

    A single `42. That is the answer.` is not a list.
    """
    found = list(_LINE_NUMBER.finditer(plain))
    numbers = {int(number[1]) for number in found}
    items = [
        number.span(1)
        for number in found
        if int(number[1]) == 1 or numbers & {int(number[1]) - 1, int(number[1]) + 1}
    ]
    if 1 not in numbers:
        return items
    expected = 2
    for number in _NEXT_NUMBER.finditer(plain):
        if int(number[1]) == expected:
            items.append(number.span(1))
            expected += 1
    return items


def _bracketed_numbers(plain: str) -> list[Span]:
    """The items `(1)` or `1)` and those that continue the sequence."""
    items: list[Span] = []
    expected = {1: 1, 2: 1}
    for found in _BRACKETED.finditer(plain):
        style = found.lastindex or 1
        number = int(found[style])
        if number not in (1, expected[style]) or _belongs_to_words(plain, found.start(), style):
            continue
        expected[style] = number + 1
        items.append(found.span())
    return items


def _belongs_to_words(plain: str, start: int, style: int) -> bool:
    """Whether it is a repetition as in `five (5)`, or `5)` closes an earlier bracket."""
    if style == 1:
        return _ends_in_number(plain, start)
    return plain.rfind("(", max(0, start - 200), start) > plain.rfind(
        ")", max(0, start - 200), start
    )


def _ends_in_number(plain: str, end: int) -> bool:
    """Whether the last word before `end` is a number in words."""
    words = plain[max(0, end - 12) : end].lower().replace("-", " ").split()
    return bool(words) and (words[-1] in _WORD_VALUES or words[-1] in _AFTER_ONE)


# Before the number --------------------------------------------------------------------------------

_SIGNS = (
    {"$": "USD", "US$": "USD", "A$": "AUD", "AU$": "AUD", "C$": "CAD", "CA$": "CAD"}
    | {"NZ$": "NZD", "HK$": "HKD", "S$": "SGD", "R$": "BRL", "€": "EUR", "£": "GBP", "¥": "JPY"}
    | {"₹": "INR", "₩": "KRW", "₽": "RUB", "₺": "TRY", "₦": "NGN", "₱": "PHP", "₫": "VND"}
    | {"₪": "ILS", "฿": "THB", "₿": "BTC", "Rs": "INR", "Rs.": "INR", "RMB": "CNY"}
)
MONEY = frozenset(_SIGNS.values()) | frozenset(_CODES) | {"cent", "pound"}
"""The units that are money."""
_CURRENCY_BEFORE = re.compile(
    rf"(?:(?<=-)\\)?((?<![A-Za-z])(?:US|AU|CA|NZ|HK|[ACSR])\$|[$€£¥₹₩₽₺₦₱₫₪฿₿]|{_CODE})\s?([-+]?)$"
)
_MATH_BEFORE = re.compile(r"(?<!\\)\$(?:[^$\n]*\\[A-Za-z%][^$\n]*)?$")
_MATH_AFTER = re.compile(r"(?:\\?%)?\$(?![0-9])|\s?\\[a-z%]")
_SIGN_BEFORE = re.compile(
    r"(?:(?:(?<![^\s(\[{<>=~≈:;,|\"'“”‘«»„`/\\*_$×÷])(?<!\+/)|(?<=[0-9%]-))([-+])"
    r"|(?<![\w-])(minus|negative)\s)$",
    re.IGNORECASE,
)
_AFTER_SIGN_WORD = ("us ", "ve ")
"""The ends of `minus` and `negative`; checked first, because it is fast."""
_DIGIT_BEFORE = re.compile(r"[0-9%)]\s?$")


def _read_before(plain: str, reading: _Reading) -> None:
    """Read the sign and the currency before the number."""
    before = plain[max(0, reading.start - 2) : reading.start]
    sign = ""
    if before[-1:] not in _NO_CURRENCY and (before[:1] not in _NO_CURRENCY or before[-1:] != " "):
        currency = _CURRENCY_BEFORE.search(plain, max(0, reading.start - 6), reading.start)
        if currency and not (before[-1:] in "$-+" and _is_in_math(plain, currency, reading.end)):
            reading.unit = _SIGNS.get(currency[1], currency[1])
            reading.start = currency.start()
            sign = currency[2]
            before = plain[max(0, reading.start - 2) : reading.start]
    if not sign and (before[-1:] in ("+", "-") or before in ("s ", "e ", "S ", "E ")):
        sign = _read_sign(plain, reading)
    if sign == "-":
        reading.value = reading.value.copy_negate()


def _is_in_math(plain: str, currency: re.Match[str], end: int) -> bool:
    """Whether the dollar sign before a number opens mathematics: `$5\\%$`, `$5 \\times 2$`."""
    return (
        currency[1] == "$"
        and plain[max(0, currency.start(1) - 1) : currency.start(1)] != "\\"
        and _MATH_AFTER.match(plain, end) is not None
    )


_NO_CURRENCY = frozenset("abcdefghijklmnopqrtuvwxyz(,;:)0123456789") | {""}


def _read_sign(plain: str, reading: _Reading) -> str:
    before = plain[max(0, reading.start - 3) : reading.start]
    if before[-1:] == " " and before.lower() not in _AFTER_SIGN_WORD:
        return ""
    signed = _SIGN_BEFORE.search(plain, max(0, reading.start - 10), reading.start)
    if not signed:
        return ""
    start = signed.start()
    word = (signed[2] or "").lower()
    if word == "minus" and (
        _DIGIT_BEFORE.search(plain, max(0, start - 2), start) or _ends_in_number(plain, start)
    ):
        return ""  # `10 minus 5` subtracts
    reading.start = start
    return "-" if word else signed[1]


# After the number ---------------------------------------------------------------------------------

_SCALES = (
    {"hundred": 2, "thousand": 3, "lakh": 5, "lac": 5, "million": 6, "mln": 6, "mio": 6}
    | {"mn": 6, "crore": 7, "billion": 9, "bn": 9, "bln": 9, "trillion": 12, "tn": 12}
    | {"trn": 12, "quadrillion": 15}
    | {"万": 4, "萬": 4, "億": 8, "亿": 8, "兆": 12}
)
_END = r"(?!_{0,3}[0-9A-Za-z\u00c0-\u058f])"
_SCALE = re.compile(
    rf"[\s-]?(hundred|t(?:housand|rillion|rn|n)|la(?:kh|c)|m(?:illion|ln|io|n)|crore|b(?:illion|ln|n)"
    rf"|quadrillion)s?{_END}|([万萬億亿兆])",
    re.IGNORECASE,
)
_NOTHING_AFTER = frozenset(".,;:)]?!\"'/") | {""}
_SCALE_STARTS = frozenset("htlmcbqkHTLMCBQK万萬億亿兆")
"""The first character of a scale, after at most a space or hyphen; checked first, because it is fast."""
_SCALE_LETTERS = {"k": 3, "K": 3, "M": 6, "B": 9}
_MONEY_LETTERS = _SCALE_LETTERS | {"m": 6, "mm": 6, "MM": 6, "b": 9, "T": 12, "t": 12}
_SCALE_LETTER = re.compile(rf"([kKMB]){_END}")
_MONEY_LETTER = re.compile(rf"\s?([kKmMbBtT]|mm|MM){_END}")
_REFERENCE = re.compile(
    r"\b(?:rule|section|table|figure|fig\.|form|schedule|article|part|room|apartment|apt\.?|flat"
    r"|gate|appendix|exhibit|item|step|grade|class|type|level|phase|unit|suite|block)\s$",
    re.IGNORECASE,
)


def _read_scale(plain: str, reading: _Reading) -> None:
    """Read `million`, `bn`, `k` and the like after the number."""
    after = plain[reading.end : reading.end + 2]
    if after[:1] in _NOTHING_AFTER or _SCALE_STARTS.isdisjoint(after):
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
        reading.scale += _SCALES[(found[1] or found[2]).lower()]
        reading.end = found.end()


_MEASURES = """
mm millimeter millimetre | cm centimeter centimetre | m meter metre | km kilometer kilometre
inch inches | ft foot feet | yd yard | mi mile | nm nanometer nanometre | µm micrometer micrometre micron
mg milligram | µg mcg microgram | g gram gramme | kg kilogram kilo | t tonne | ton | lb lbs
oz ounce | stone | ml mL millilitre milliliter | cl centilitre centiliter | l L litre liter
gallon | pint | quart | barrel | acre | ha hectare | tsp teaspoon | tbsp tablespoon | cup
ms millisecond | s sec second | min minute | h hr hrs hour | day | week | fortnight | month
year yr yrs | decade | century centuries | bit | byte | kB KB kilobyte | MB megabyte | GB gigabyte
TB terabyte | PB petabyte | KiB | MiB | GiB | TiB | Kbps kbps | Mbps | Gbps | W watt | kW kilowatt
MW megawatt | GW gigawatt | Wh | kWh kilowatt-hour | MWh | GWh | TWh | J joule | kJ kilojoule | cal calorie
kcal kilocalorie | V volt | kV kilovolt | amp ampere | mAh | Hz hertz | kHz kilohertz | MHz megahertz
GHz gigahertz | Pa pascal | kPa | MPa | mmHg | psi | bar | dB decibel | px pixel | dpi | ppm | ppb
mol mole | mmol | IU | mi/h mph | km/h kph kmh | m/s mps | rpm | bp bps bip | x times | ° degree | °C celsius
°F fahrenheit | K kelvin | hp horsepower | people
% percent pct percents | cent ¢ | pound quid | USD dollar buck | EUR euro | JPY yen 円 | CNY yuan renminbi 元
INR rupee | CHF franc | RUB rouble ruble | BTC bitcoin | MXN peso
"""
_NO_UNIT = ("K", "people", "nm")


def _units() -> dict[str, str]:
    """Every written form of a unit, mapped to its canonical form."""
    table: dict[str, str] = dict(_SIGNS)
    table |= {code: code for code in _CODES}
    for row in _MEASURES.replace("\n", "|").split("|"):
        for form in row.split():
            table[form] = row.split()[0]
            if len(form) > 2 and form.isalpha() and form.islower():
                table[form + "s"] = row.split()[0]
    for name in _NO_UNIT:
        table.pop(name, None)
    return table


_UNITS = _units()
_LENGTHS = ("mm", "cm", "m", "km", "inch", "ft", "yd", "mi")
_PAIRS = (
    {"per cent": "%", "percentage point": "%", "percentage points": "%"}
    | {"basis point": "bp", "basis points": "bp", "light year": "ly", "light years": "ly"}
    | {"pounds sterling": "GBP", "nautical miles": "nmi", "metric tons": "t", "metric ton": "t"}
    | {
        "degrees celsius": "°C",
        "degrees c": "°C",
        "degree celsius": "°C",
        "u.s. dollars": "USD",
    }
    | {"degrees fahrenheit": "°F", "degrees f": "°F", "us dollars": "USD"}
    | {"canadian dollars": "CAD", "australian dollars": "AUD", "indian rupees": "INR"}
    | {
        f"{word} {form}": f"{unit}{power}"
        for form, unit in _UNITS.items()
        if unit in _LENGTHS
        for word, power in (("square", "²"), ("sq", "²"), ("sq.", "²"), ("cubic", "³"), ("cu", "³"))
    }
)
_SHOUTED = frozenset(("KM", "KG", "CM", "ML", "LB", "LBS", "FT", "OZ", "HR", "MG"))
ALIKE = {"pound": ("pound", "GBP", "lb"), "GBP": ("GBP", "pound"), "lb": ("lb", "pound")}
"""Units that can mean the same."""

_UNIT = re.compile(
    r"([\s-]?)(?:(\\?%)|(°\s?[CF]?|[‰¢€£¥₹₩₽₺₦₱₫₪฿₿円元]|(?:US)?\$(?![0-9]))"
    r"|((?:[A-Za-zµμ][A-Za-z]*|u\.s\.|U\.S\.)(?:[²³]|\^?[23](?![0-9]))?)"
    rf"{_END}(?:\.?[\s-]([A-Za-z]+){_END})?)"
)
_GLUED = re.compile(r"(_{1,3}(?!\w))|[xX][$€£]?\.?[0-9]")
"""The end of emphasis, or a following factor: `_5_`, `293x2`; but `0x2` is a name."""
_PER = re.compile(rf"(?:\s?/\s?|\sper\s|\san?\s)([A-Za-z]+){_END}")


def _read_unit(plain: str, reading: _Reading) -> bool:
    """Read the unit after the number; False if letters there make the number part of a name."""
    after = plain[reading.end : reading.end + 1]
    if after in _NOTHING_AFTER:
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
        _take_unit(reading, _UNITS.get(sign.replace(" ", ""), sign), found.end())
        return True
    return _read_unit_word(plain, reading, gap, word, second, found)


def _read_unit_word(
    plain: str, reading: _Reading, gap: str, word: str, second: str | None, found: re.Match[str]
) -> bool:
    pair = _PAIRS.get(f"{word} {second}".lower()) if second else None
    unit = pair or _unit_of(word)
    if unit == "x" and word == "x" and gap:
        return True  # `293 x 2` multiplies
    if not unit:
        is_name = not gap or (gap == "-" and (len(word) == 1 or word.isupper()))
        return not is_name or (not gap and not is_word(word[0]))
    if not gap and word == "s" and plain[reading.end - 1] == "0":
        return False  # `1980s`, `in his 20s`
    end = found.end() if pair else found.end(4)
    per = None if unit in MONEY or unit == "%" else _PER.match(plain, end)
    below = _unit_of(per[1]) if per else None
    if per and below:
        unit, end = f"{unit}/{below}", per.end()
    _take_unit(reading, unit, end)
    return True


def _unit_of(word: str) -> str | None:
    if unit := _UNITS.get(word):
        return unit
    power = ""
    if word[-1] in "23²³":
        power = "²" if word[-1] in "2²" else "³"
        word = word[:-1].rstrip("^")
    word = word.replace("μ", "µ")
    unit = _UNITS.get(word)
    if unit is None and (len(word) > 3 or word in _SHOUTED or word[1:].islower()):
        unit = _UNITS.get(word.lower()) if len(word) > 1 else None
    if power and unit not in _LENGTHS:
        return None
    return f"{unit}{power}" if unit else None


def _take_unit(reading: _Reading, unit: str, end: int) -> None:
    """Set the unit; a currency before the number is only replaced by another currency."""
    if not reading.unit or (unit in MONEY and unit not in ("cent", "pound")):
        reading.unit = unit
        reading.end = end


_BETWEEN = re.compile(r"\s?-\s?|\sto\s")


def _lend_in_ranges(plain: str, readings: Sequence[_Reading]) -> None:
    """Apply scale and unit to both bounds of a range: `5-10 million`, `$5-10`, `10 to 20%`."""
    for low, high in pairwise(readings):
        between = _BETWEEN.fullmatch(plain, low.end, high.start)
        if not between:
            continue
        dashed = "-" in between[0]
        if high.scale and dashed and not low.scale and low.value < 1000:
            low.scale = high.scale
        if not low.unit:
            low.unit = high.unit
        elif not high.unit and dashed and low.unit in MONEY:
            high.unit = low.unit


# Spelled numbers ----------------------------------------------------------------------------------

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_WORD_VALUES = {word: value for value, word in enumerate(_SMALL.split())} | {
    word: 20 + 10 * i for i, word in enumerate(_TENS.split())
}
_BIG = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_ONES = "|".join(_SMALL.split()[:0:-1])  # of words with the same beginning, the longest first
_BELOW_100 = (
    rf"(?:(?:{'|'.join(_TENS.split())})(?:[\s-](?:{'|'.join(_SMALL.split()[1:10])})\b)?|{_ONES})\b"
)
_BELOW_1000 = rf"{_BELOW_100}(?:[\s-]hundred\b(?:[\s-](?:and\s)?{_BELOW_100})?)?"
_THOUSANDS = rf"(?:[\s-](?:{'|'.join(_BIG)})\b(?:[\s-](?:and\s)?{_BELOW_1000})?)*"
_SPELLED = re.compile(
    rf"(?:zero\b|dozen\b|{_BELOW_1000}(?:\sdozen\b|{_THOUSANDS})|a\shundred\b(?:\s(?:and\s)?{_BELOW_100})?{_THOUSANDS}"
    rf"|a(?=\s(?:{'|'.join(_BIG)})\b){_THOUSANDS})",
    re.IGNORECASE,
)


# Each alternative starts at a rare letter, which is fastest to find, and ends at the third letter.
_STEM = re.compile(
    "n(?:(?<=on)e|in(?=e)|(?<=ten))|w(?<=tw)(?:o|e(?=l|nty))|h(?:r(?=ee)|i(?=rt))(?<=th.)"
    "|f(?:ou(?=r)|iv(?=e)|if(?=t)|or(?=ty))|x(?<=six)|v(?<=sev)|g(?<=eig)|l(?<=el)e(?=v)"
    "|z(?:er(?=o)|(?<=doz))"
)
_AFTER_ONE = ("hundred", "thousand", "million", "billion", "trillion")


_NTH = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth"
    " fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
_RANKS = {word: rank for rank, word in enumerate(_NTH.split(), start=1)}
_BELOW = {word: rank for word, rank in _RANKS.items() if rank > 2} | {
    "half": 2,
    "halve": 2,
    "quarter": 4,
    "hundredth": 100,
    "thousandth": 1000,
}
"""The denominators of fractions in words."""
_PART = re.compile(rf"(-|\s(?:and\s(?:a\s)?)?)({'|'.join(_RANKS.keys() | _BELOW.keys())})(s?)\b")


def _is_ordinal(value: Decimal, part: re.Match[str]) -> bool:
    """Whether the number is an ordinal: `seventy-fifth`, `two hundred and fifth`, `two hundredth`."""
    gap, name, plural = part.groups()
    if gap == " and ":
        return value % 100 == 0
    if gap == "-" and value % 10 == 0 and value % 100 >= 20:
        return _RANKS.get(name, 10) < 10
    return _BELOW.get(name, 0) >= 100 and not plural and value > 1


def _read_part(lowered: str, reading: _Reading, part: re.Match[str]) -> bool:
    """Read the fraction of `two-thirds`, `one third` or `two and a half`; True if it is unambiguous."""
    gap, name, plural = part.groups()
    below = _BELOW.get(name, 0)
    if below and gap == " and a ":
        reading.value = _EXACT.add(reading.value, _DIVIDING.divide(Decimal(1), Decimal(below)))
        reading.end = part.end()
        _read_scale(lowered, reading)
        return True
    has_of = lowered.startswith(" of ", part.end())
    is_unambiguous = gap == "-" or has_of or (plural != "" and name != "quarter")
    if "and" in gap or not 0 < reading.value < below or not (is_unambiguous or reading.value == 1):
        return False
    reading.value = _DIVIDING.divide(reading.value, Decimal(below))
    reading.end = part.end()
    return is_unambiguous


def _spelled(text: str) -> Iterator[Quantity]:
    """Numbers in words; `one` and `a dozen` only match, `a` counts only before `hundred` and above."""
    lowered = lower_letters(text)
    starts = [found.end() - 3 for found in _STEM.finditer(lowered)]
    if "hundred" in lowered or "thousand" in lowered or "illion" in lowered:
        starts = sorted(starts + positions(lowered, ("a ",)))
    last = 0
    for start in starts:
        before = text[start - 1] if start else " "
        if start < last or before.isalnum() or before in "_'-":
            continue
        found = _SPELLED.match(lowered, start)
        if not found or found[0] == "a":
            continue
        last = found.end()
        reading = _Reading(start, last, _word_value(found[0]))
        is_vague = found[0] in ("one", "dozen")
        if part := _PART.match(lowered, last):
            if _is_ordinal(reading.value, part):
                continue
            is_vague &= not _read_part(lowered, reading, part)
        before = lowered[max(0, start - 7) : start]
        if before.endswith(_AFTER_SIGN_WORD) and _read_sign(lowered, reading):
            reading.value = reading.value.copy_negate()
        elif is_vague and before.endswith(("no ", "half a ")):
            if found[0] == "one":
                continue
            reading.start, reading.value = start - 7, Decimal(6)
        if _read_unit(text, reading):
            last = max(last, reading.end)
            yield _quantity(text, reading, spelled=True, only_matches=is_vague)


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
            group += _WORD_VALUES[word]
    return Decimal(total + group)
