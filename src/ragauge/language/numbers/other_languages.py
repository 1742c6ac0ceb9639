"""Units and number words of German, French, Spanish and Chinese: `14 Tage`, `zwölf Monate`, `cinq pour cent`."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import cache

from ragauge.language.detection import language_of
from ragauge.language.facts.vocabulary import vocabulary
from ragauge.language.numbers.quantity import Quantity
from ragauge.language.numbers.unit_conversion import is_time
from ragauge.language.numbers.words import PER_CENT
from ragauge.language.words import words_of

_TEENS = {
    11: "elf",
    13: "dreizehn treize trece",
    14: "vierzehn quatorze catorce",
    16: "sechzehn seize dieciséis",
    17: "siebzehn diecisiete",
    18: "achtzehn dieciocho",
    19: "neunzehn diecinueve",
}
_TWENTIES = "veintiún veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve"
_TENS = {
    40: "vierzig quarante cuarenta",
    50: "fünfzig cinquante cincuenta",
    60: "sechzig soixante sesenta",
    70: "siebzig setenta",
    80: "achtzig ochenta",
    90: "neunzig noventa",
}
_GERMAN_ONES = "ein zwei drei vier fünf sechs sieben acht neun"
_GERMAN_TENS = "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig"
_ENGLISH_TOO = frozenset(("sept", "seize", "elf", "quince"))
_RUN = re.compile(r"[^\W\d_]+(?:(?:-| y |-et-| et )[^\W\d_]+)*")
_JOINT = re.compile(r"-et-| et | y |-")
_AFTER = re.compile(r"[\s-]?((?:pour cent|por ciento)\b|[^\W\d_]{1,20}(?![^\W\d_]))")
"""The word after a number, unless it is longer than any unit."""


@cache
def _numbers() -> dict[str, int]:
    """The values of the number words up to a hundred, of which French and Spanish join several."""
    table = {word: n for n, listed in (_TEENS | _TENS).items() for word in listed.split()}
    table |= {word: 21 + n for n, word in enumerate(_TWENTIES.split())}
    table |= {
        f"{one}und{ten}": 10 * tens + n
        for tens, ten in enumerate(_GERMAN_TENS.split(), start=2)
        for n, one in enumerate(_GERMAN_ONES.split(), start=1)
    }
    return {**vocabulary().numbers, **table, "quatre-vingt": 80, "vingts": 20}


def in_other_languages(text: str, found: Sequence[Quantity]) -> Sequence[Quantity]:
    """The quantities with the units of time and the percentages that other languages name, and their number words.

    Number words only match, as English ones do. `un`, `eine` and the like are left out, and so is what English has too
    (`sept`, `elf`), unless the text is in one of these languages.

    >>> [(each.text, str(each.value), each.unit) for each in in_other_languages("zwölf Monate", ())]
    [('zwölf Monate', '12', 'month')]
    """
    ends = {each.end for each in found}
    spelled = [each for each in _in_words(text) if each.end not in ends]
    if not (found or spelled):
        return found
    both = sorted([*found, *spelled], key=lambda each: each.start)
    return tuple(_with_unit(text, each) for each in both)


_TIME = re.compile(
    r"\b(?:à|dès|vers|avant|après)\s([01]?[0-9]|2[0-4])\s?h(?:eures)?(?![a-z])(?:\s?([0-5][0-9])\b)?"
    r"|(?:(上午|早上|凌晨)|下午|晚上)([0-9]{1,2})[点點时時](?:([0-5]?[0-9])分?|(半))?",
    re.IGNORECASE,
)


def times_of_day(text: str) -> Iterator[Quantity]:
    """`à 17 h 30` and `下午5点`, in minutes from midnight.

    >>> [(each.text, str(each.value)) for each in times_of_day("à 17 h 30")]
    [('à 17 h 30', '1050')]
    """
    for found in _TIME.finditer(text) if not text.isascii() else ():
        hour, minute, is_morning, twelfth, past, half = found.groups()
        hours = int(hour) if hour else int(twelfth) % 12 + 12 * (not is_morning)
        value = Decimal(60 * hours + (30 if half else int(minute or past or 0)))
        yield Quantity(found[0], *found.span(), value, "time")


def _in_words(text: str) -> Iterator[Quantity]:
    table = _numbers()
    words = table.keys() & words_of(text).listed
    if not words or (words <= _ENGLISH_TOO and language_of(text) not in ("de", "es", "fr")):
        return
    for run in _RUN.finditer(text):
        value = last = 0
        for part in _JOINT.split(run[0].lower()):
            number = table.get(part)
            if number is None:
                break
            value = value * number if (last, number) == (4, 20) else value + number
            last = number
        else:
            yield Quantity(run[0], *run.span(), Decimal(value), spelled=True)


def _with_unit(text: str, quantity: Quantity) -> Quantity:
    """The quantity with the unit after it, where English has no such word."""
    if quantity.unit or quantity.is_year:
        return quantity
    start, end = quantity.start, quantity.end
    if text.endswith(PER_CENT, 0, start):
        start -= len(PER_CENT)
        return quantity._replace(text=text[start:end], start=start, unit="%")
    found = _AFTER.match(text, end)
    word = found[1].lower() if found else ""
    unit = "%" if word.startswith(("pour ", "por ")) else vocabulary().units.get(word, "")
    if not (found and unit) or not (unit == "%" or is_time(unit)) or word == "an":
        return quantity
    return quantity._replace(text=text[start : found.end()], end=found.end(), unit=unit)
