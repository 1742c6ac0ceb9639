"""Numbers in digits, read with their sign, scale and unit, and which of them are not quantities."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from decimal import Decimal

from ragauge.language.characters import is_word
from ragauge.language.dates.parts import Date
from ragauge.language.numbers.affixes import (
    MONEY_SIGNS,
    NOTHING_AFTER,
    ends_in_number,
    read_before,
    read_scale,
    read_unit,
)
from ragauge.language.numbers.quantity import DIVIDING, EXACT, MAX_LENGTH, Reading, scaled
from ragauge.language.numbers.units import CODE, FOREIGN_SCALES
from ragauge.language.text import Span, word_set

_UNIT = (
    r"(?=[ \u00a0]?(?:%|[€£]|\$(?![0-9])|(?:percent|per cent|M(?:io|rd)|thousand|[mbtr]{1,2}illions?|[mbt]n"
    rf"|(?i:{FOREIGN_SCALES}|euros?|dollars?|prozent)"
    r"|EUR|USD|CHF|SEK|NOK|DKK|PLN|CZK|BRL|[kcmµ]?[mgl]|[kMGT]i?[BWV]h?|ha|°[CF]"
    r"|(?i:tonnen?|tonelada|lit(?:er|re|ro)|(?:kilo|kiló|zenti|centí?i?|milli|milí?i?)?(?:m(?:e|è)t(?:er|re|ro)|gram(?:m?e?|o))|kilo"
    r"|stunde|minut[eo]|sekunde|second[eo]?|segundo|tag|woche|monat|jahr|grad|heure|jour|semaine|mois|ans|degré|hour|day|week"
    r"|month|year|hora|día|semana|mes|año|grado)(?:e?[ns]|es)?)\b))"
)
_NUMBER_ENDS = r"(?![0-9]|[.,][0-9])"
# At most 12 groups: with no bound, each number of `345 345 345 …` would look at all others.
_CONTINENTAL = re.compile(
    rf"[1-9][0-9]{{0,2}}(?:\.[0-9]{{3}}){{2,12}}(?:,[0-9]{{1,2}})?{_NUMBER_ENDS}"
    r"|[1-9][0-9]{0,2}(?:(?:\.[0-9]{3}){1,12}|(?:'[0-9]{3}){1,12}|(?:[\u00a0][0-9]{3}){1,12}),[0-9]{1,2}"
    rf"{_NUMBER_ENDS}"
    rf"|(?:[0-9]{{1,3}}(?:[ ][0-9]{{3}}){{0,12}}|[0-9]{{4,15}}),[0-9]{{1,2}}{_UNIT}"
    rf"|(?:(?<=[€£$])|(?<=EUR[ ]))[0-9]{{1,3}},[0-9]{{2}}{_NUMBER_ENDS}|0,[0-9]{{1,15}}{_NUMBER_ENDS}"
    r"|\A[0-9]{1,15},[0-9]{1,2}\Z"
    rf"|[1-9][0-9]{{0,2}}(?:\.[0-9]{{3}}){{1,12}}(?=[ \u00a0](?:(?i:{FOREIGN_SCALES})|M(?:io|rd))\b)"
)
_SPACES = r"[1-9][0-9]{0,2}(?:[ ][0-9]{3}){1,12}(?![\w-])"
_POINTS = rf"(?:[1-9][0-9]{{0,2}}(?:\.[0-9]{{3}}){{1,12}}|{_SPACES})(?:,[0-9]{{1,15}})?"
_GERMAN = re.compile(rf"(?:{_POINTS}|[0-9]{{1,15}},[0-9]{{1,15}}){_NUMBER_ENDS}")
_ROMANCE = re.compile(rf"(?:{_POINTS}|[0-9]{{1,15}},(?![0-9]{{3}}\b)[0-9]{{1,15}}){_NUMBER_ENDS}")
_SEPARATORS = re.compile("[.'\u00a0 ]")
_SEPARATED = re.compile(r"[0-9][., ][0-9]")
_BEFORE_VERSION = ("ersion ", "elease ")
_GERMAN_WORDS = word_set(
    "der das und ist sind beträgt betrug kostet kosten für mit nicht ein eine einen auf bei im zum zur wurde wurden"
    " hat haben liegt lag es von insgesamt uhr prozent"
)
_ROMANCE_WORDS = word_set(
    "el los las del con una unos unas fue cuesta costó hay cerca la le les de du à al aux elle en est sont pour avec dans une coûte environ"
)
ENGLISH_WORDS = word_set("the and of is are was were with for to at from")
_DOZEN = re.compile(r"\s?(?:(?:dozen|dutzend|douzaines?|docenas?)\b|打)", re.IGNORECASE)


def _with_commas(text: str) -> re.Pattern[str] | None:
    """How a text in German, French or Spanish writes numbers; None in other languages and without a sign inside numbers."""
    if not _SEPARATED.search(text):
        return None
    words = {word.strip('.,;:!?()"') for word in text.lower().split()}
    if not words.isdisjoint(ENGLISH_WORDS):
        return None
    is_romance = not words.isdisjoint(_ROMANCE_WORDS)
    return _GERMAN if not words.isdisjoint(_GERMAN_WORDS) else _ROMANCE if is_romance else None


_VULGAR = {
    sign: unicodedata.normalize("NFKC", sign).replace("⁄", "/") for sign in "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
}
_DIGIT = re.compile(rf"[\d{''.join(_VULGAR)}]")
_ASCII_DIGIT = re.compile("[0-9]")
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


def digit_in(text: str) -> re.Pattern[str]:
    """The pattern of a digit for this text: the one for ASCII is much faster."""
    return _ASCII_DIGIT if text.isascii() else _DIGIT


def numbers_in_digits(plain: str, stated: Sequence[Date]) -> Iterator[Reading]:
    """The quantities in digits outside dates, list numbers, web addresses and the like."""
    commas = _with_commas(plain)
    others = _other_numbers(plain, stated)
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
        after = plain[end : end + 1]
        if after == "-" and (name := _HYPHENATED.match(plain, at)):
            at = name.end()
            continue
        digits = plain[at:end]
        # A number with a decimal comma, or with points between thousands.
        may_be = commas or after in ", \u00a0" or digits.count(".") > 1
        if may_be and not plain.endswith(_BEFORE_VERSION, 0, at):
            whole = (commas and commas.match(plain, at)) or _CONTINENTAL.match(plain, at)
            if whole and not _is_address(whole[0].split(".")):
                end, digits = whole.end(), _SEPARATORS.sub("", whole[0]).replace(",", ".")
        reading = _read(plain, at, end, digits)
        at = max(end, reading.end) if reading else end
        if reading:
            yield reading


def _is_address(parts: Sequence[str]) -> bool:
    return len(parts) == 4 and all(part.isdigit() and int(part) < 256 for part in parts)


_OPERATORS = "times|cdot|div|pm|approx|sim|to|eq|neq|leq?|geq?"
_SEPARATE_PREFIX = re.compile(
    rf"(?:{CODE}|(?<!\w)_{{1,3}}|(?:[1-9%)]|[0-9.,]0)[xX]|\\(?:{_OPERATORS}))$"
)
"""Letters before a number that do not make it part of a name: `USD5`, `_5_`, `293x5`, `\\times5`."""
_NAME = re.compile(r"(?<![^\W_])([^\W\d_][^\W_]*+)-$")
_PREFIXES = word_set(
    "mid sub top bottom under over pre post near plus net about around roughly nearly almost up down to by of and or is"
    " at from first last next"
)
"""Words before a hyphen that do not make the number part of a name: `mid-20`."""
_PARAGRAPH = re.compile(r"\([a-z]\)")
_INDEX = re.compile(
    r"\b(?:S&P|Fortune|FTSE|Nasdaq|Russell|Nikkei|Stoxx|Dow(?: Jones)?|CAC|Forbes)[ -]$",
    re.IGNORECASE,
)
_INDEX_SIZES = word_set("30 40 50 100 225 250 400 500 600 1000 2000")
_LABEL = re.compile(
    r"(?:\A|\n|[.!?:;)]\s)[ \t>*#_([-]{0,8}"
    r"(?:step|question|item|option|part|chapter|section|figure|table)\s$",
    re.IGNORECASE,
)
_LABELLED = re.compile(r"[*_]{0,3}[:.)\]][*_]{0,3}\s{1,4}\S")


def _read(plain: str, start: int, end: int, digits: str) -> Reading | None:
    """The quantity whose numeral is at start:end; None if it is part of a name."""
    if len(digits) > MAX_LENGTH or _is_in_name(plain, start, end):
        return None
    if start and plain[start - 1] == "." and digits[0].isdigit():
        if "." in digits or plain[start - 2 : start - 1].isalnum():
            return None
        start -= 1
        digits = f".{digits}"
    if digits.count(".") > 1:
        return None
    value, end = _value(plain, digits, end)
    reading = Reading(start, end, value)
    read_before(plain, reading)
    read_scale(plain, reading)
    return reading if read_unit(plain, reading) else None


def _is_in_name(plain: str, start: int, end: int) -> bool:
    """Whether the number is part of a name or label: `B12`, `COVID-19`, `3M`, `401(k)`, `S&P 500`, `Step 1:`."""
    before, after = plain[start - 1] if start else "", plain[end : end + 1]
    if is_word(before):
        return not _SEPARATE_PREFIX.search(plain, max(0, start - 8), start)
    if before == "-":
        name = _NAME.search(plain, max(0, start - 24), start)
        if name and name[1].lower() not in _PREFIXES:
            return True
    if after == "M":
        is_3m = plain[start:end] == "3" and not is_word(plain[end + 1 : end + 2])
        return is_3m and before not in MONEY_SIGNS
    if after == "(":
        return _PARAGRAPH.match(plain, end) is not None
    if before in " -" and plain[start:end] in _INDEX_SIZES:
        return _INDEX.search(plain, max(0, start - 12), start) is not None
    is_labelled = before == " " and _LABELLED.match(plain, end) is not None
    return is_labelled and _LABEL.search(plain, max(0, start - 24), start) is not None


def _value(plain: str, digits: str, end: int) -> tuple[Decimal, int]:
    """The numeral's value including a following fraction, and where it ends."""
    if digits in _VULGAR:
        return _fraction(_VULGAR[digits]), end
    is_whole = digits.isdecimal()
    value = Decimal(digits if is_whole else _SEPARATOR.sub("", digits))
    if is_whole and (below := _FRACTION.match(plain, end)):
        is_proper = 0 < value < int(below[1]) <= 100
        return (_fraction(digits + below[0]), below.end()) if is_proper else (value, end)
    if plain[end : end + 1] in NOTHING_AFTER:
        return value, end
    if power := _POWER.match(plain, end):
        return scaled(value, int(power[1])), power.end()
    if is_whole and (dozen := _DOZEN.match(plain, end)):
        return 12 * value, dozen.end()
    mixed = _MIXED.match(plain, end) if is_whole else None
    part = _fraction(_VULGAR.get(mixed[1]) or mixed[2]) if mixed else Decimal(0)
    return (EXACT.add(value, part), mixed.end()) if mixed and 0 < part < 1 else (value, end)


def _fraction(text: str) -> Decimal:
    above, below = text.split("/")
    return DIVIDING.divide(Decimal(above), Decimal(below)) if int(below) else Decimal(0)


_LINE_NUMBER = re.compile(r"(?:\A|(?<=\n))[ \t>*#-]{0,8}([0-9]{1,3})[.)](?=[ \t]+\S)")
_NEXT_NUMBER = re.compile(r"(?<=[.;:!?,][ ])([0-9]{1,2})\.(?=[ ]+[A-Z*\"'])")
_BRACKETED = re.compile(r"(?<!\S)\(([0-9]{1,2})\)|(?<![^\s])([0-9]{1,2})\)(?=\s)")
_NO_QUANTITY = re.compile(
    r"\[[0-9]{1,3}(?:\s?[,;-]\s?[0-9]{1,3})*\]"
    r"|\+[0-9]{1,3}[\s.-]?\(?[0-9]{1,4}\)?(?:[\s.-][0-9]{2,4}){2,4}(?![0-9])"
    r"|\([0-9]{3}\)\s?[0-9]{3}[-.\s][0-9]{4}(?![0-9])|(?:https?://|www\.|@[A-Za-z])[^\s<>()\"]*"
)
"""A citation, a telephone number or a web address."""


def _other_numbers(plain: str, stated: Sequence[Date]) -> Iterator[Span]:
    """The spans of numbers that are not quantities, in order and without overlap."""
    spans = [(date.start, date.end) for date in stated]
    spans += [found.span() for found in _NO_QUANTITY.finditer(plain)]
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


def _line_numbers(plain: str) -> list[Span]:
    """Numbers of list items: 1, or one with a neighbour (not of a single `42. That is the answer.`); and those within a line."""
    found = list(_LINE_NUMBER.finditer(plain))
    numbers = {int(number[1]) for number in found}
    items = [
        each.span(1)
        for each in found
        if (n := int(each[1])) == 1 or n - 1 in numbers or n + 1 in numbers
    ]
    expected = 2
    for number in _NEXT_NUMBER.finditer(plain) if 1 in numbers else ():
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
        number, start = int(found[style]), found.start()
        if number not in (1, expected[style]):
            continue
        if style == 1:  # a repetition, as in `five (5)`
            belongs = ends_in_number(plain, start)
        else:  # the end of an earlier bracket
            opened, closed = (plain.rfind(sign, max(0, start - 200), start) for sign in "()")
            belongs = opened > closed
        if not belongs:
            expected[style] = number + 1
            items.append(found.span())
    return items
