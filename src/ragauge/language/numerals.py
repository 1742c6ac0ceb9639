"""Numbers in digits, read with their sign, scale and unit, and which of them are not quantities."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from ragauge.language.characters import is_word
from ragauge.language.continental import continental_end, in_english, may_be_continental
from ragauge.language.date_parts import Date
from ragauge.language.quantity import DIVIDING, EXACT, MAX_LENGTH, Reading, scaled
from ragauge.language.units import CODE, MONEY, PAIRS, SCALES, SIGNS, UNITS, unit_of

_VULGAR = (
    {"½": "1/2", "⅓": "1/3", "⅔": "2/3", "¼": "1/4", "¾": "3/4", "⅕": "1/5", "⅖": "2/5"}
    | {"⅗": "3/5", "⅘": "4/5", "⅙": "1/6", "⅚": "5/6", "⅛": "1/8", "⅜": "3/8", "⅝": "5/8"}
    | {"⅞": "7/8"}
)
_DIGIT = re.compile(rf"[\d{''.join(_VULGAR)}]")
_ASCII_DIGIT = re.compile("[0-9]")
# At most 12 groups before a unit: with no bound, each number of `345 345 345 …` would look at all others.
_NUMERAL = re.compile(
    r"(?:[1-9][0-9]{0,2}(?:([,'\u00a0])[0-9]{3}(?:\1[0-9]{3})*|[ ]0[0-9]{2}(?:[ ][0-9]{3})*)(?![0-9])"
    r"|[1-9][0-9]{0,2}(?:[ ][0-9]{3}){1,12}(?=[ ]?(?:thousand|million|billion|trillion|[mb]n|euros?|dollars?|people"
    r"|[€$£]|(?:USD|EUR|GBP|CHF|SEK|NOK|DKK|PLN|CZK)(?![A-Za-z])))"
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


def digit_in(text: str) -> re.Pattern[str]:
    """The pattern of a digit for this text: the one for ASCII is much faster."""
    return _ASCII_DIGIT if text.isascii() else _DIGIT


def numbers_in_digits(plain: str, stated: Sequence[Date]) -> Iterator[Reading]:
    """The quantities in digits outside dates, list numbers and the like."""
    others = _others(plain, stated)
    start, stop = next(others, (len(plain), len(plain)))
    at = 0
    digit = digit_in(plain)
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
        digits = plain[at:end]
        if may_be_continental(plain, digits, end) and (whole := continental_end(plain, at)):
            end, digits = whole, in_english(plain[at:whole])
        reading = None if name else _read(plain, at, end, digits)
        at = max(name.end() if name else end, reading.end if reading else end)
        if reading:
            yield reading


def _read(plain: str, start: int, end: int, digits: str) -> Reading | None:
    """The quantity whose numeral is at start:end; None if it is part of a name."""
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
    if _is_known_name(plain, start, end):
        return None
    value, end = _value(plain, digits, end)
    reading = Reading(start, end, value)
    if plain[end : end + 1] != ")" or not read_accounting(plain, reading):
        _read_before(plain, reading)
    read_scale(plain, reading)
    return reading if read_unit(plain, reading) else None


_OPERATORS = "times|cdot|div|pm|approx|sim|to|eq|neq|leq?|geq?"
_SEPARATE_PREFIX = re.compile(
    rf"(?:{CODE}|(?<!\w)_{{1,3}}|(?:[1-9%)]|[0-9.,]0)[xX]|\\(?:{_OPERATORS}))$"
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


_PARAGRAPH = re.compile(r"\([a-z]\)")
_INDEX = re.compile(
    r"\b(?:S&P|Fortune|FTSE|Nasdaq|Russell|Nikkei|Stoxx|Dow(?: Jones)?|CAC|Forbes)[ -]$",
    re.IGNORECASE,
)
_INDEX_SIZES = frozenset(
    ("30", "40", "50", "100", "225", "250", "400", "500", "600", "1000", "2000")
)


def _is_known_name(plain: str, start: int, end: int) -> bool:
    """Whether it is in a name that looks like a quantity: `3M`, `401(k)`, `S&P 500`."""
    after = plain[end : end + 1]
    if after == "M":
        is_3m = plain[start:end] == "3" and not is_word(plain[end + 1 : end + 2])
        return is_3m and plain[start - 1 : start] not in _MONEY_SIGNS
    if after == "(":
        return _PARAGRAPH.match(plain, end) is not None
    if plain[start:end] in _INDEX_SIZES and plain[start - 1 : start] in _BLANK_OR_HYPHEN:
        return _INDEX.search(plain, max(0, start - 12), start) is not None
    return False


_MONEY_SIGNS = frozenset("$€£¥₹")
_BLANK_OR_HYPHEN = frozenset(" -")


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
        return scaled(value, int(power[1])), power.end()
    if not is_whole:
        return value, end
    mixed = _MIXED.match(plain, end)
    part = _fraction(_VULGAR.get(mixed[1]) or mixed[2]) if mixed else Decimal(0)
    if mixed and 0 < part < 1:
        return EXACT.add(value, part), mixed.end()
    return value, end


def _fraction(text: str) -> Decimal:
    above, below = text.split("/")
    return DIVIDING.divide(Decimal(above), Decimal(below)) if int(below) else Decimal(0)


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
    return bool(words) and (words[-1] in WORD_VALUES or words[-1] in _AFTER_ONE)


_CURRENCY_BEFORE = re.compile(
    rf"(?:(?<=-)\\)?((?<![A-Za-z])(?:US|AU|CA|NZ|HK|[ACSR])\$|[$€£¥₹₩₽₺₦₱₫₪฿₿]|{CODE})\s?([-+]?)$"
)
_MATH_BEFORE = re.compile(r"(?<!\\)\$(?:[^$\n]*\\[A-Za-z%][^$\n]*)?$")
_MATH_AFTER = re.compile(r"(?:\\?%)?\$(?![0-9])|\s?\\[a-z%]")
_SIGN_BEFORE = re.compile(
    r"(?:(?:(?<![^\s(\[{<>=~≈:;,|\"'“”‘«»„`/\\*_$×÷])(?<!\+/)|(?<=[0-9%]-))([-+])"
    r"|(?<![\w-])(minus|negative)\s)$",
    re.IGNORECASE,
)
AFTER_SIGN_WORD = ("us ", "ve ")
"""The ends of `minus` and `negative`; checked first, because it is fast."""
_DIGIT_BEFORE = re.compile(r"[0-9%)]\s?$")


def _read_before(plain: str, reading: Reading) -> None:
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
    if start < 0 or plain[start] != "(" or _ends_in_number(plain, start):
        return False
    is_money = plain[max(0, start - 1) : start] in _MONEY_SIGNS
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
        _DIGIT_BEFORE.search(plain, max(0, start - 2), start) or _ends_in_number(plain, start)
    ):
        return ""  # `10 minus 5` subtracts
    reading.start = start
    return "-" if word else signed[1]


_END = r"(?!_{0,3}[0-9A-Za-z\u00c0-\u058f])"
_SCALE = re.compile(
    rf"[\s-]?(hundred|mil millones|mill(?:ionen|iarden?|iard|ones|ón)|billionen|mili(?:oni|ardi)|milj(?:oen|ard)"
    rf"|milhões|bilhões|t(?:housand|rillion|rn|n)|la(?:kh|c)|m(?:illion|ln|io|rd|n)|crore|b(?:illion|ln|n)"
    rf"|quadrillion)s?{_END}|([万萬億亿兆])",
    re.IGNORECASE,
)
_NOTHING_AFTER = frozenset(".,;:)]?!\"'/") | {""}
_SCALE_STARTS = frozenset("htlmcbqkHTLMCBQK万萬億亿兆")
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
_PER = re.compile(rf"(?:\s?/\s?|\sper\s|\san?\s)([A-Za-z]+){_END}")


def read_unit(plain: str, reading: Reading) -> bool:
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


SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
)
TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
WORD_VALUES = {word: value for value, word in enumerate(SMALL.split())} | {
    word: 20 + 10 * i for i, word in enumerate(TENS.split())
}
_AFTER_ONE = ("hundred", "thousand", "million", "billion", "trillion")
