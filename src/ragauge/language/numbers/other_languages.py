"""Units and number words of German, French, Spanish and Chinese: `14 Tage`, `zwölf Monate`, `cinq pour cent`."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import cache, lru_cache
from operator import attrgetter

from ragauge.language.detection import language_of
from ragauge.language.facts.vocabulary import vocabulary
from ragauge.language.numbers.numbers import quantities
from ragauge.language.numbers.numerals import ENGLISH_WORDS
from ragauge.language.numbers.quantity import Quantity, scaled
from ragauge.language.numbers.units import is_measure, is_time, unit_of
from ragauge.language.numbers.words import PER_CENT, value_of
from ragauge.language.text import by_word, word_set
from ragauge.language.words import WORD_VALUES, words_of

_LISTED = """
11 elf | 13 dreizehn treize trece | 14 vierzehn quatorze catorce | 16 sechzehn seize dieciséis | 17 siebzehn diecisiete
18 achtzehn dieciocho | 19 neunzehn diecinueve | 21 veintiuno veintiún | 22 veintidós | 23 veintitrés | 24 veinticuatro
25 veinticinco | 26 veintiséis | 27 veintisiete | 28 veintiocho | 29 veintinueve | 40 vierzig quarante cuarenta
50 fünfzig cinquante cincuenta | 60 sechzig soixante sesenta | 70 siebzig setenta | 80 achtzig ochenta quatre-vingt
90 neunzig noventa | 20 vingts | 12 dutzend douzaine douzaines docena docenas | 100 hundert cent cents cien ciento
200 doscientos doscientas | 300 trescientos trescientas | 400 cuatrocientos cuatrocientas | 500 quinientos quinientas
600 seiscientos seiscientas | 700 setecientos setecientas | 800 ochocientos ochocientas | 900 novecientos novecientas | 1000 tausend mille mil
"""
_FACTORS = word_set(
    "dutzend douzaine douzaines docena docenas hundert cent cents tausend mille mil"
)
"""Words that multiply what precedes: `deux mille`, `zwei Dutzend`."""
_GERMAN_ONES = "ein zwei drei vier fünf sechs sieben acht neun"
_GERMAN_TENS = "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig"
_ENGLISH_TOO = word_set("sept seize elf quince cent cents mille mil")
_WORD = re.compile(r"[^\W\d_]+")
_JOINTS = frozenset(("-", " y ", "-et-", " et "))
_COMPOUND = re.compile(r"(?:(\w*)(tausend))?(?:(\w*?)(hundert))?(?:und)?(\w*)")
_THOUSAND = " mil "
_AFTER = re.compile(
    r"[\s-]?((?:pour cent|por ciento)\b|[^\W\d_]{1,20}(?![^\W\d_]))( et demie?\b| y medi[ao]\b)?"
)
"""The word after a number, unless it is longer than any unit, and what adds a half to it."""
_AND_A_HALF = re.compile(r" (?:et demie?|y medi[ao])\b")
_POWER = re.compile(r" (?:(carrés?|cuadrados?)|cubes?|cúbicos?)\b")
_HALF = Decimal("0.5")
_OF_TIME = re.compile(
    r"\b(?:(ein(?:e[mnr]?)?(?: ganze[nrs]?)?|une?|una|an? (?:full|whole|entire))(?! halb|[ -]demi| medi)|(half an?|(?:eine )?halbe[ns]?|(?:une )?demi|(?:una )?media|medio)|(\w{3,7})einhalb|(anderthalb))[ -]([^\W\d_]{1,10})\b|(?<!个)半个?(小时|年|天|月)"
    r"|(?<![\d.一二两三四五六七八九十])(\d{1,2}|[一二两三四五六七八九十]{1,3})(?:个半(小时|钟头|月|星期)|(年|天|周)半)"
    r"|(?<!\d )\b(hora|día|semana|mes|año)(?= y medi)"
    r"|(?:(tres cuartos|trois quarts|drei ?viertel ?)|un cuarto|un quart|viertel)(?: de | d['’])?(hora|heure|stunde)n?\b",
    re.IGNORECASE,
)
"""One, a half or some and a half of a unit of time; German `ein Jahr`, but no `ein` alone."""
_ONE_OR_HALF = word_set(
    "ein eine einem einen einer un une una full whole entire half halber halbes halben halbem halbe demi media medio anderthalb"
)
"""The words of which such a span has one, unless it is `zweieinhalb` or `半年`."""


@cache
def _numbers() -> dict[str, int]:
    """The values of the number words up to a hundred, of which French and Spanish join several."""
    return {**vocabulary().numbers, **by_word(_LISTED)} | {
        f"{one}und{ten}": 10 * tens + n
        for tens, ten in enumerate(_GERMAN_TENS.split(), start=2)
        for n, one in enumerate(_GERMAN_ONES.split(), start=1)
    }


def in_other_languages(text: str, found: Sequence[Quantity]) -> Sequence[Quantity]:
    """The quantities with the units of time and the percentages that other languages name, and their number words.

    Number words only match, as English ones do. `un`, `eine` and the like count only before a unit of time; left out is what English has too
    (`sept`, `elf`), unless the text is in one of these languages.

    >>> [(each.text, str(each.value), each.unit) for each in in_other_languages("zwölf Monate", ())]
    [('zwölf Monate', '12', 'month')]
    """
    listed, lowered = words_of(text).listed, text.lower()
    spelled: list[Quantity] = []
    words = _numbers().keys() & listed
    if "hundert" in lowered or "tausend" in lowered:
        words.update(word for word in listed if "hundert" in word or "tausend" in word)
    if words and (words - _ENGLISH_TOO or language_of(text) in ("de", "es", "fr")):
        spelled += _in_words(text)
    # Most texts have none of these, and the pattern takes a hundred times as long.
    has_quarter = "viertel" in lowered or "quart" in lowered or "cuarto" in lowered
    if has_quarter or not _ONE_OR_HALF.isdisjoint(listed) or "einhalb" in lowered or "半" in text:
        spelled += _spans_of_time(text)
    if spelled:
        ends = {each.end for each in found}
        found = [*found, *(each for each in spelled if each.end not in ends)]
        found.sort(key=attrgetter("start"))
    return tuple(_with_unit(text, each) for each in found)


@lru_cache(maxsize=4_096)
def quantities_of(text: str) -> Sequence[Quantity]:
    """The quantities of a text in any of these languages; the question and the reference of many answers are read once."""
    return in_other_languages(text, quantities(text))


def _in_words(text: str) -> Sequence[Quantity]:
    table = {**_numbers(), "ein": 1, "": 0}
    read: list[Quantity] = []
    end = total = group = last = 0
    for found in _WORD.finditer(text):
        word, joint = found[0].lower(), text[end : found.start()]
        number = _numbers().get(word)
        parts = _COMPOUND.fullmatch(word) if number is None else None
        if parts and (parts[2] or parts[4]):  # `zweitausendfünfhundert`
            above, middle, rest = (table.get(part or "") for part in parts.group(1, 3, 5))
            if above is not None and middle is not None and rest is not None:
                number = rest + (1000 * max(above, 1) if parts[2] else 0)
                number += 100 * max(middle, 1) if parts[4] else 0
        if word in ("un", "une", "uno") and end and joint in _JOINTS:
            number = 1  # `vingt et un`
        if number is None or text.endswith(("pour ", "por "), 0, found.start()):
            continue
        factor, start = word in _FACTORS, found.start()
        if end and (joint in _JOINTS or (joint == " " and (factor or last >= 100))):
            start = read.pop().start
        else:
            total = group = 0
        if number == 1000:
            total, group = total + max(group, 1) * 1000, 0
        elif factor or (last, number) == (4, 20):
            group = max(group, 1) * number
        else:
            group += number
        end, last = found.end(), number
        read.append(Quantity(text[start:end], start, end, Decimal(total + group), spelled=True))
    return read


def _spans_of_time(text: str) -> Iterator[Quantity]:
    """`einen Monat`, `half an hour`, `zweieinhalb Stunden`, `半年`."""
    for found in _OF_TIME.finditer(text):
        one, half, many, _, noun, han, of_half, *nouns, bare, three, hour = found.groups()
        noun = next(each for each in (noun, han, *nouns, bare, hour) if each)
        unit = vocabulary().units.get(noun.lower(), "") or unit_of(noun) or ""
        more = _AND_A_HALF.match(text, found.end())
        whole: int | None = _numbers().get(many.lower()) if many else 1
        if of_half:
            whole = int(of_half) if of_half.isdecimal() else value_of(of_half)
        if not is_time(unit) or whole is None or one == "UN":  # `UN Day`
            continue
        value = _HALF if half or han else Decimal(1) if one or bare else whole + _HALF
        if hour:  # `tres cuartos de hora`
            value = _HALF * (3 if three else 1) * _HALF
        start, end = found.start(), more.end() if more else found.end()
        value += _HALF * bool(more)
        yield Quantity(text[start:end], start, end, value, unit, spelled=True)


def _with_unit(text: str, quantity: Quantity) -> Quantity:
    """The quantity with the unit after it, where English has no such word."""
    start, end = quantity.start, quantity.end
    if quantity.unit or quantity.is_year:
        return quantity
    if (
        not (quantity.scale or quantity.spelled)
        and text.startswith(_THOUSAND, end)
        and ENGLISH_WORDS.isdisjoint(text.lower().split())  # not `a 2 mil thick film`
    ):
        value, end = scaled(quantity.value, 3), end + len(_THOUSAND) - 1
        return quantity._replace(text=text[start:end], end=end, value=value, scale=3)
    if text.endswith(PER_CENT, 0, start):
        start -= len(PER_CENT)
        return quantity._replace(text=text[start:end], start=start, unit="%")
    found = _AFTER.match(text, end)
    word = found[1].lower() if found else ""
    unit = "%" if word.startswith(("pour ", "por ")) else vocabulary().units.get(word, "")
    unit = unit or (unit_of(word) or "" if len(word) > 3 else "")
    is_measured = unit == "%" or is_time(unit) or (is_measure(unit) and len(word) > 2)
    if not found or not is_measured or word == "an":
        return quantity
    value, end = quantity.value + _HALF if found[2] else quantity.value, found.end()
    if power := _POWER.match(text, end):
        unit, end = f"{unit}{'²' if power[1] else '³'}", power.end()
    return quantity._replace(text=text[start:end], end=end, unit=unit, value=value)


_HOUR = "(?:[01]?[0-9]|2[0-4])"
_HAN_HOUR = "(?:[0-9]{1,2}|十[一二]?|[一二两三四五六七八九])"
_TIME = re.compile(
    rf"\b(?:à|dès|vers|avant|après)\s({_HOUR})\s?h(?:eures)?(?![a-z])(?:\s?([0-5][0-9])\b)?"
    rf"|(?:上午|早上|凌晨|下午|晚上)({_HAN_HOUR})(?:[点點时時]|:(?=[0-5][0-9]))(?:([0-5]?[0-9]|[一二三四五]?十[一二三四五六七八九]?)分?|(半))?"
    rf"|\b((?:[7-9]|1[0-9]|2[0-4]))\s?h\s?([0-5][0-9])\b|\b({_HOUR})\suhr\s([0-5][0-9])\b"
    rf"|(?<![0-9一二两三四五六七八九十])({_HAN_HOUR})[点點](?:([0-5]?[0-9]|[一二三四五]?十[一二三四五六七八九]?)分|(半))|\bhalb\s([a-zäöüß]+|[0-9]{{1,2}})\b"
    rf"|\blas\s({_HOUR})[.:]([0-5][0-9])\b|\b({_HOUR})(?=(?:\s?[-–]\s?|\sbis\s){_HOUR}(?::[0-5][0-9])?\suhr)|(?<=[-–])({_HOUR})\suhr\b",
    re.IGNORECASE,
)
"""An hour and perhaps its minutes; in the first seven groups, the time is in one half of the day."""
_N_OF_SURE = 7
_HOUR_SIGN = re.compile(r"[0-9]\s?(?:h|uhr)|[点點时時上早晨下晚]|halb|las [0-9]")
_SPOKEN_HOUR = r"([^\W\d_]+|1?[0-9])"
_SPOKEN = re.compile(
    rf"\b(?:((?:a\s)?[a-z-]+)(?:\sminutes)?\s(past|to)\s{_SPOKEN_HOUR}|(?:at|until|till|before|around|about)\s(half)\s(?!past){_SPOKEN_HOUR}|([a-zäöüß]+)\s(nach|vor)\s{_SPOKEN_HOUR}"
    rf"|(?:(?:à|dès|vers|avant|après|passé|est)\s{_SPOKEN_HOUR}\sheures?(\set)?|{_SPOKEN_HOUR}\sheures?\s(moins))\s(?:le\s|un\s)?([a-z]+(?:-[a-z]+)*)|las?\s{_SPOKEN_HOUR}\s(y|menos)\s([a-zé]+))\b",
    re.IGNORECASE,
)
"""`half past nine`, `Viertel vor sechs`, `neuf heures et demie`, `las nueve y media`."""
_SPOKEN_HINTS = (
    *(" past ", " half ", "quarter to ", "minutes to ", " nach ", " vor ", " heure"),
    *("la una ", "las "),
)
_QUARTERS = frozenset[str](("quarter", "a quarter", "viertel", "quart", "cuarto"))
_MINUTES = dict.fromkeys(_QUARTERS, 15) | dict.fromkeys(("half", "demie", "demi", "media"), 30)
_MORNING = "in the morning|vormittags|morgens|du matin|de la mañana"
_EVENING = "in the (?:afternoon|evening)|(?:nach)?mittags|abends|de l['’]après-midi|du soir|de la (?:tarde|noche)"
_HALF_OF_DAY = re.compile(rf"\s?(?:{_MORNING}|a\.?m\b|({_EVENING}|p\.?m\b))", re.IGNORECASE)
_HALF_HINTS = (
    *["morn", "noon", "ning", "mitta", "morge", "abend", "matin", "midi", "soir"],
    "de la ",
)
_HOUR_OF_HALF = re.compile(
    rf"\b(?:(?:at|by|until|till|from|before|after|around|about|um|gegen|ab|bis|vor|nach|las?|à|dès|vers|avant|après)\s{_SPOKEN_HOUR}(?:\s(?:uhr|o['’]clock|heures?))?"
    rf"|{_SPOKEN_HOUR}\s(?:uhr|o['’]clock))(?=\s(?:{_MORNING}|{_EVENING}))",
    re.IGNORECASE,
)
"""`at five in the afternoon`, `9 Uhr morgens`, `a las 5 de la tarde`."""


def times_of_day(text: str) -> Iterator[Quantity]:
    """`à 17 h 30`, `下午5点`, `half past nine`, in minutes from midnight; no `five to six`, which may be a range."""
    lowered = text.lower()
    for found in _TIME.finditer(text) if _HOUR_SIGN.search(lowered) else ():
        hour, minute = (*(part for part in found.groups() if part), "0")[:2]
        hours = int(hour) if hour.isdigit() else _numbers().get(hour.lower()) or value_of(hour) or 0
        minutes = (
            30 if minute == "半" else int(minute) if minute.isdecimal() else value_of(minute) or 0
        )
        if found[0][:4].lower() == "halb":
            if not 0 < hours <= 12:
                continue  # `halb voll`
            minutes = -30
        elif found[0][:2] in ("上午", "早上", "凌晨", "下午", "晚上"):
            hours = hours % 12 + 12 * (found[0][0] in "下晚")
        is_sure = (found.lastindex or 0) <= _N_OF_SURE
        yield _time_of_day(text, found, 60 * hours + minutes, is_sure=is_sure)
    of_halves = any([hint in lowered for hint in _HALF_HINTS])  # noqa: C419, a list is faster
    if not of_halves and not any([hint in lowered for hint in _SPOKEN_HINTS]):  # noqa: C419
        return
    known = {**WORD_VALUES, **_numbers(), "una": 1, "une": 1}
    for found in _HOUR_OF_HALF.finditer(text) if of_halves else ():
        hour = (found[1] or found[2]).lower()
        hours = int(hour) if hour.isdigit() else known.get(hour, 0)
        if 0 < hours <= 12:
            yield _time_of_day(text, found, 60 * hours, is_sure=False)
    for found in _SPOKEN.finditer(text):
        one, *two = (each.lower() for each in found.groups() if each)
        sign, other = two if len(two) > 1 else ("past", *two)  # `at half eight`
        minute, hour = (other, one) if found[9] or found[11] or found[14] else (one, other)
        minutes = _MINUTES.get(minute) or known.get(minute)
        if not minutes and "-" in minute and len(parts := _in_words(minute)) == 1:
            minutes = int(parts[0].value)  # `dix heures quarante-sept`
        hours = int(hour) if hour.isdigit() else known.get(hour, 0)
        is_range = sign == "to" and minute not in _QUARTERS and "minutes" not in found[0]
        if minutes and 0 < hours <= 12 and not is_range:
            minutes = -minutes if sign in ("to", "vor", "moins", "menos") else minutes
            yield _time_of_day(text, found, (60 * hours + minutes) % 720, is_sure=False)


def _time_of_day(text: str, found: "re.Match[str]", minutes: int, *, is_sure: bool) -> Quantity:
    """The time; `is_sure`: it can be in one half of the day only, unless a word after it says which."""
    half = None if minutes >= 780 else _HALF_OF_DAY.match(text, found.end())
    if half:
        minutes = minutes % 720 + 720 * bool(half[1])
    unit = "time" if is_sure or half or minutes >= 780 else "time?"
    start, end = found.start(), half.end() if half else found.end()
    return Quantity(text[start:end], start, end, Decimal(minutes), unit)
