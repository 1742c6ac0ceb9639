"""Dates and times in English text, found by rules, each with the parts that it states.

Found are: ISO dates and times, `5 March 2021`, `March 5-7, 2021`, `March 2021`, `03/05/2021`,
`5.3.2021`, `2021年3月5日`, `03/2021`, years after a word such as `in`, `since`, `by`, `of` or `fiscal`, years in
parentheses and ranges of years, `FY2022`, `Q3 2021`, `third quarter of 2021`, `summer of 2021`,
`1990s`, `the 90s`, `20th century`, `44 BC`, `9:30`, `5 p.m.`, noon, weekdays, and months after a
word such as `in`. Relative dates (`yesterday`, `two years ago`) and holidays are not found.
"""

import re
from collections.abc import Iterator

from ragauge.language.characters import is_word, plain_signs
from ragauge.language.dates.names import COUNTED, dates_by_name
from ragauge.language.dates.parts import Date, date_of, full_year
from ragauge.language.reading_cache import ReadingCache


@ReadingCache
def dates(text: str) -> tuple[Date, ...]:
    """All dates and times in the text, in order and without overlap.

    A year from 1100 on counts if a word or sign before it marks it as a year; other numbers that could
    be years are left to `quantities`.

    >>> [date.text for date in dates("Founded in 1998, sold on March 5, 2021 at 9:30.")]
    ['1998', 'March 5, 2021', '9:30']
    """
    plain = plain_signs(text).replace("\u00a0", " ")
    found = [*dates_by_name(plain, text), *_numbered(plain, text)]
    found.sort(key=lambda date: (date.start, -date.end))
    kept: list[Date] = []
    for date in found:
        if not kept or date.start >= kept[-1].end:
            kept.append(date)
    return tuple(kept)


_RUN = re.compile("[0-9][0-9]*")  # `[0-9]+` would be tried at every character
_ERA = re.compile(r"(\d{1,4})\s?(B\.?C\.?(?:E\b\.?)?|bce?|A\.?D\b\.?|CE\b)(?!\w)", re.ASCII)
_SEASON = re.compile(r"\b(spring|summer|autumn|fall|winter)\s(?:of\s)?$", re.IGNORECASE)
_SHORT_YEAR = re.compile(r"[-/](\d\d)(?![\w-]|[.,/]\d)", re.ASCII)


def _numbered(plain: str, text: str) -> Iterator[Date]:
    """Dates that begin with a number, of which the length selects the rule."""
    linked_from = -1
    for run in _RUN.finditer(plain):
        start, end = run.span()
        before = plain[start - 1] if start else " "
        after, beyond = plain[end : end + 1], plain[end + 1 : end + 2]
        if end - start == 4:
            if after in _AFTER_YEAR or (after == " " and beyond == "Q"):
                yield from _year_first(plain, text, start, before)
            if _is_stated_year(plain, start, end, linked_from):
                linked_from, year = end, int(run[0])
                season = _SEASON.search(plain, max(0, start - 12), start)
                name = season[1].lower().replace("fall", "autumn") if season else None
                first = season.start() if season else start
                yield date_of(text, first, end, year=year, season=name)
                short = _SHORT_YEAR.match(plain, end)
                if short and int(short[1]) > year % 100:  # `2019-20`
                    yield date_of(text, *short.span(1), year=year - year % 100 + int(short[1]))
        elif end - start <= 2:
            yield from _short_number(plain, text, start, before)
        if after and (beyond if after == " " else after) in "ABCb":
            era = None if is_word(before) or before in ".," else _ERA.match(plain, start)
            if era:  # `44 BC`, `79 AD`
                year = -int(era[1]) if era[2][0] in "Bb" else int(era[1])
                yield date_of(text, start, era.end(), year=year)
        elif plain[start - 3 : start] == "AD ":
            yield date_of(text, start - 3, end, year=run[0])


_AFTER_YEAR = frozenset("s-/.年Q")
_YEAR_FIRST = re.compile(
    r"(\d{4})(?:([-/.])(\d{1,2})\2(\d{1,2})(?=T\d|(?![\w-]|[./]\d))"
    r"|年(?:\s?(\d{1,2})月(?:\s?(\d{1,2})日)?)?|-(0[1-9]|1[0-2])(?![\w-]|[.,]\d)|[ -]?Q([1-4])(?!\w)|(s)(?!\w))",
    re.ASCII,
)


def _year_first(plain: str, text: str, start: int, before: str) -> Iterator[Date]:
    """`2021-03-05`, `2021-03`, `2021年3月5日`, `2021 Q3` and `1990s`."""
    found = None if is_word(before) else _YEAR_FIRST.match(plain, start)
    if not found:
        return
    year, span = int(found[1]), found.span()
    if found[9]:
        if year % 10 == 0 and 1000 <= year < 2100:
            yield date_of(text, *span, decade=year)
    elif before in "-./":
        return
    elif found[8]:
        yield date_of(text, *span, year=year, quarter=found[8])
    # With a dash, `2010–12` is two years.
    elif not found[7] or (text[found.start(7) - 1] == "-" and 1900 <= year < 2100):
        yield from _ymd(text, span, year, found[3] or found[5] or found[7], found[4] or found[6])


_QUARTER = re.compile(
    r"([1-4])(?!\w)(?:(?:[\s,/-]{1,2}|\sof\s)(?:fiscal\s(?:year\s)?|FY\s?)?"
    r"(\d{4}|(?<=FY)\d\d|'\d\d)(?![\w%]|[.,]\d))?",
    re.ASCII,
)
_FISCAL = re.compile(r"\bFY\s?'?$")
_TWO_DIGITS = re.compile(r"\d\d(?![\w%]|[.,]\d)", re.ASCII)
_HALF = r"([aApP])(?:[mM]\b|\.\s?[mM]\.)"
_SHORT = re.compile(
    r"(\d{1,2})(?:/(\d{1,2})/(\d{4}|\d\d)(?![\w/]|[.]\d)|([-.])(\d{1,2})\4(\d{4})(?![\w-]|[.]\d)"
    rf"|月(\d{{1,2}})日|/((?:19|20)\d\d)(?![\w/%°$€£¥]|[.,]\d|{COUNTED})"
    r"|(s)(?!\w)|(nd|rd|th)[\s-](?i:centur(?:y|ies))\b"
    rf"|(:)([0-5]\d)(?::([0-5]\d)(?:\.\d{{1,9}})?)?(?![\d:])(?:\s?{_HALF})?"
    rf"|[ ]?(?:{_HALF}|o(?i:'clock)\b)|(?:\.([0-5]\d))?[ ](U)hr\b)",
    re.ASCII,
)
_DECADE_CUE = re.compile(r"(?:\bthe\s(?:(?:early|late|mid)[\s-]?)?'?|')$", re.IGNORECASE)
_MONTH_BEFORE = re.compile(r"/(?:19|20)\d\d-$", re.ASCII)


def _short_number(plain: str, text: str, start: int, before: str) -> Iterator[Date]:
    """Dates and times that begin with a number of one or two digits."""
    if before in "Qq" and (quarter := _QUARTER.match(plain, start)):
        if not plain[max(0, start - 2) : start - 1].isalnum():
            year = full_year(quarter[2]) if quarter[2] else None
            yield date_of(text, start - 1, quarter.end(), quarter=quarter[1], year=year)
        return
    if (
        before in "Y '"
        and "FY" in plain[max(0, start - 4) : start]
        and (fiscal := _FISCAL.search(plain, max(0, start - 5), start))
    ):
        if year := _TWO_DIGITS.match(plain, start):
            yield date_of(text, fiscal.start(), start + 2, year=full_year(year[0]))
        return
    found = _SHORT.match(plain, start)
    if not found:
        return
    number, span = int(found[1]), found.span()
    if found[9]:  # `the 90s`, `'90s`; `in his 30s` is an age
        is_decade = number >= 30 and number % 10 == 0
        if is_decade and _DECADE_CUE.search(plain, max(0, start - 12), start):
            yield date_of(text, *span, decade=1900 + number)
    elif found[10]:
        yield date_of(text, *span, century=number)
    elif is_word(before) and (before != "T" or not plain[max(0, start - 2) : start - 1].isdigit()):
        return
    elif found[8]:
        if before not in "./$€£¥:," and (
            before != "-" or _MONTH_BEFORE.search(plain, max(0, start - 8), start)
        ):
            yield from _ymd(text, span, found[8], number, None)
    elif found[2] or found[4] or found[7]:
        if before in "-./":
            return
        if found[2]:  # `03/05/2021`: month first, unless that is impossible
            month, day = sorted((number, int(found[2]))) if number > 12 else (number, int(found[2]))
            is_open = month != day and day <= 12
            year = full_year(found[3])
            yield from _ymd(text, span, year, month, day, either_order=is_open)
        elif found[4]:
            yield from _ymd(text, span, found[6], found[5], number)
        else:
            yield from _ymd(text, span, None, number, found[7])
    elif before not in ".,:/$€£¥-":
        is_of_24 = bool(found[11] or found[17])
        if not (0 <= number <= 24 if is_of_24 else 1 <= number <= 12):
            return
        letter, written = found[14] or found[15], found[1]
        half = f"{letter.lower()}m" if letter else None
        if not half and is_of_24 and (written == "0" or written[1:]) and not 10 <= number <= 12:
            half = "am" if number in (*range(12), 24) else "pm"  # clear in `21`, `00` and `09`
        minute, hour = found[12] or found[16] or 0, number % 12 or 12
        yield date_of(text, *span, hour=hour, minute=minute, second=found[13], half=half)


def _ymd(
    text: str,
    span: tuple[int, int],
    year: str | int | None,
    month: str | int | None,
    day: str | int | None,
    *,
    either_order: bool = False,
) -> Iterator[Date]:
    if (month is None or 1 <= int(month) <= 12) and (day is None or 1 <= int(day) <= 31):
        yield date_of(text, *span, year=year, month=month, day=day, either_order=either_order)


_NOT_A_YEAR = re.compile(rf"[.,:]\d|[%°$€£¥\w]|-[A-Za-z]|{COUNTED}", re.ASCII)
_YEAR_CUE = re.compile(
    r"(?:(?<![\w-])(?:(?:in|since|until|till|before|after|during|from|between|around|circa|ca?\."
    r"|year|years|early|late|mid|fiscal|fy|born|died|dated|copyright"
    r"|(?:spring|summer|autumn|fall|winter)(?:\sof)?)[\s-]|fy|©\s?)|(?<!\w)(by|of|through)\s)$",
    re.IGNORECASE,
)
"""What marks a year; `by`, `of` and `through` (the group) are also before counts, so only years from 1900 on count there."""
_LINK = re.compile(
    r"\s?(?:,\s?(?:and\s|or\s)?|-|/|and\s|or\s|to\s|through\s|until\s|&\s)\s?", re.IGNORECASE
)
_FOUR_DIGITS = re.compile(r"\d{4}(?!\d)", re.ASCII)


def _is_stated_year(plain: str, start: int, end: int, linked_from: int) -> bool:
    """Whether a cue, parentheses, a preceding year or a range mark these four digits as a year."""
    year, before, after = int(plain[start:end]), plain[start - 1 : start], plain[end : end + 1]
    if not 1100 <= year < 2100 or _NOT_A_YEAR.match(plain, end):
        return False
    if before in "Yy" and plain[max(0, start - 2) : start].upper() == "FY":
        return True
    if before and (before in ".,:$€£¥₹#+'" or is_word(before)):
        return False
    cue = _YEAR_CUE.search(plain, max(0, start - 14), start)
    is_linked = linked_from >= 0 and start - linked_from < 12
    if (
        (cue and not cue[1])
        or (is_linked and _LINK.fullmatch(plain, linked_from, start))
        or (before == "(" and after and after in "),;-")
    ):
        return True
    if year < 1900:
        return False
    if after == "-" and (other := _FOUR_DIGITS.match(plain, end + 1)):
        return year < int(other[0]) < 2100 and not _NOT_A_YEAR.match(plain, other.end())
    short = _SHORT_YEAR.match(plain, end) if after in "-/" else None
    return cue is not None or (short is not None and 0 < int(short[1]) - year % 100 <= 10)
