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
from ragauge.language.dates.parts import Date, date_of, full_year, is_day
from ragauge.language.reading_cache import ReadingCache


def dates(text: str) -> tuple[Date, ...]:
    """All dates and times in the text, in order and without overlap.

    A year from 1100 on counts if a word or sign before it marks it as a year; other numbers that could
    be years are left to `quantities`.

    >>> [date.text for date in dates("Founded in 1998, sold on March 5, 2021 at 9:30.")]
    ['1998', 'March 5, 2021', '9:30']
    """
    return _kept(text)


def _read(text: str) -> tuple[Date, ...]:
    plain = plain_signs(text).replace("\u00a0", " ")
    found = [*dates_by_name(plain, text), *_numbered(plain, text)]
    found.sort(key=lambda date: (date.start, -date.end))
    kept: list[Date] = []
    for date in found:
        if not kept or date.start >= kept[-1].end:
            kept.append(date)
    return tuple(kept)


_kept = ReadingCache(_read)

_RUN = re.compile("[0-9][0-9]*")  # `[0-9]+` would be tried at every character
_YEAR_FIRST = re.compile(
    r"(\d{4})(?:([-/.])(\d{1,2})\2(\d{1,2})(?=T\d|(?![\w-]|[./]\d))"
    r"|年(?:\s?(\d{1,2})月(?:\s?(\d{1,2})日)?)?"
    r"|-(0[1-9]|1[0-2])(?![\w-]|[.,]\d))",
    re.ASCII,
)
_DAY_OR_MONTH_FIRST = re.compile(
    r"(\d{1,2})/(\d{1,2})/(\d{4}|\d\d)(?![\w/]|[.]\d)"
    r"|(\d{1,2})([-.])(\d{1,2})\5(\d{4})(?![\w-]|[.]\d)"
    r"|(\d{1,2})月(\d{1,2})日",
    re.ASCII,
)
_MONTH_AND_YEAR = re.compile(
    rf"(1[0-2]|0?[1-9])/((?:19|20)\d\d)(?![\w/%°$€£¥]|[.,]\d|{COUNTED})", re.ASCII
)
_MONTH_BEFORE = re.compile(r"/(?:19|20)\d\d-$", re.ASCII)


def _numbered(plain: str, text: str) -> Iterator[Date]:
    """Dates that begin with a number; its length and neighbours select the rule."""
    linked_from = -1
    for run in _RUN.finditer(plain):
        start, end = run.span()
        before = plain[start - 1] if start else " "
        after, beyond = plain[end : end + 1], plain[end + 1 : end + 2]
        if end - start == 4:
            if after in _AFTER_YEAR or (after == " " and beyond == "Q"):
                yield from _year_first(plain, text, start, before, after)
            if _is_stated_year(plain, start, end, linked_from):
                linked_from = end
                yield from _bare_years(plain, text, start, end)
        elif (
            end - start <= 2
            and (
                before in _BEFORE_SHORT
                or after in _AFTER_SHORT
                or (
                    after in _BLANK_OR_POINT  # `5 p.m.`, `5.3.`, `FY 22`
                    and (
                        (beyond in "aApPoU" if after == " " else beyond.isdigit())
                        or plain[start - 2 : start] == "Y "
                    )
                )
            )
        ):
            yield from _short_number(plain, text, start, before, after)
        if after and (beyond if after == " " else after) in "ABCb":
            era = None if is_word(before) or before in ".," else _ERA.match(plain, start)
            if era:  # `44 BC`, `79 AD`
                year = -int(era[1]) if era[2][0] in "Bb" else int(era[1])
                yield date_of(text, start, era.end(), year=year)
        elif plain[start - 3 : start] == "AD ":
            yield date_of(text, start - 3, end, year=plain[start:end])


def _year_first(plain: str, text: str, start: int, before: str, after: str) -> Iterator[Date]:
    """`2021-03-05`, `2021-03`, `2021年3月5日`, `2021 Q3` and `1990s`."""
    if is_word(before) or (before in "-./" and after != "s"):
        return
    if after == "s":
        if decade := _DECADE.match(plain, start):
            yield date_of(text, *decade.span(), decade=int(decade[1]) * 10)
        return
    if after in " -Q" and (quarter := _QUARTER_AFTER.match(plain, start)):
        yield date_of(text, *quarter.span(), year=quarter[1], quarter=quarter[2])
    found = _YEAR_FIRST.match(plain, start) if after and after in "-/.年" else None
    if not found:
        return
    if found[7] and (text[found.start(7) - 1] != "-" or not 1900 <= int(found[1]) < 2100):
        return  # `2010–12` with a dash: two years
    month, day = found[3] or found[5] or found[7], found[4] or found[6]
    yield from _ymd(text, start, found.end(), found[1], month, day)


_AFTER_YEAR = frozenset("s-/.年Q")
_AFTER_SHORT = frozenset(":snrtaApPo")
_BLANK_OR_POINT = frozenset(" /-.月")
_BEFORE_SHORT = frozenset("QqY'")
_QUARTER_AFTER = re.compile(r"(\d{4})[\s-]?Q([1-4])(?!\w)", re.ASCII)
_QUARTER = re.compile(
    r"([1-4])(?!\w)(?:(?:[\s,/-]{1,2}|\sof\s)(?:fiscal\s(?:year\s)?|FY\s?)?"
    r"(\d{4}|(?<=FY)\d\d|'\d\d)(?![\w%]|[.,]\d))?",
    re.ASCII,
)
_FISCAL = re.compile(r"\bFY\s?'?$")


def _short_number(plain: str, text: str, start: int, before: str, after: str) -> Iterator[Date]:
    """Dates that begin with a number of one or two digits."""
    if before in "Qq" and (found := _QUARTER.match(plain, start)):
        if not plain[max(0, start - 2) : start - 1].isalnum():
            year = full_year(found[2]) if found[2] else None
            yield date_of(text, start - 1, found.end(), quarter=found[1], year=year)
    elif (
        before in "Y '"
        and "FY" in plain[max(0, start - 4) : start]
        and (fiscal := _FISCAL.search(plain, max(0, start - 5), start))
    ):
        if _TWO_DIGITS.match(plain, start):
            yield date_of(text, fiscal.start(), start + 2, year=full_year(plain[start : start + 2]))
    elif after == "s":  # `the 90s`, `'90s`; `in his 30s` is an age
        decade = _SHORT_DECADE.match(plain, start)
        if decade and _DECADE_CUE.search(plain, max(0, start - 12), start):
            yield date_of(text, *decade.span(), decade=1900 + int(decade[0][:2]))
    elif after and after in "snrt" and (century := _CENTURY.match(plain, start)):
        yield date_of(text, *century.span(), century=century[1])
    next_letter = plain[start + 1 : start + 4].lstrip("0123456789 ")[:1]
    if after == ":" or (next_letter and next_letter in "aApPoU") or _CLOCK.match(plain, start):
        yield from _times(plain, text, start, before)
    if not after or after not in "/-.月" or is_word(before):
        return
    if after == "/" and (found := _MONTH_AND_YEAR.match(plain, start)):
        if before not in "./$€£¥:," and (
            before != "-" or _MONTH_BEFORE.search(plain, max(0, start - 8), start)
        ):
            yield from _ymd(text, start, found.end(), found[2], found[1], None)
        return
    if before in "-./":
        return
    found = _DAY_OR_MONTH_FIRST.match(plain, start)
    if not found:
        return
    if found[1]:  # `03/05/2021`: month first, unless that is impossible
        month, day, year = found[1], found[2], str(full_year(found[3]))
        is_open = int(month) <= 12 and int(day) <= 12 and month != day
        if is_open and int(month) and int(day):
            end = found.end()
            yield date_of(text, start, end, year=year, month=month, day=day, either_order=True)
        elif not is_open:
            month, day = (day, month) if int(month) > 12 else (month, day)
            yield from _ymd(text, start, found.end(), year, month, day)
    elif found[4]:
        yield from _ymd(text, start, found.end(), found[7], found[6], found[4])
    else:
        yield from _ymd(text, start, found.end(), None, found[8], found[9])


_TWO_DIGITS = re.compile(r"\d\d(?![\w%]|[.,]\d)", re.ASCII)


def _ymd(
    text: str, start: int, end: int, year: str | None, month: str | None, day: str | None
) -> Iterator[Date]:
    if (not month or 1 <= int(month) <= 12) and (not day or is_day(day)):
        yield date_of(text, start, end, year=year, month=month, day=day)


_NOT_A_YEAR = re.compile(rf"[.,:]\d|[%°$€£¥\w]|-[A-Za-z]|{COUNTED}", re.ASCII)
_YEAR_CUE = re.compile(
    r"(?<![\w-])(?:(?:in|since|until|till|before|after|during|from|between|around|circa|ca?\."
    r"|year|years|early|late|mid|fiscal|fy|born|died|dated|copyright"
    r"|(?:spring|summer|autumn|fall|winter)(?:\sof)?)[\s-]|fy|©\s?)$",
    re.IGNORECASE,
)
_CUE_ENDS = frozenset((
    *("in", "ce", "il", "ll", "re", "er", "ng", "om", "en", "nd", "ca", "a.", "c.", "ar", "rs"),
    *("ly", "te", "id", "al", "fy", "rn", "ed", "ht", "mn", "of", "by", "gh"),
))  # fmt: skip
"""The ends of these cues and the weak ones in ASCII; checked first, because it is fast."""
# These also occur before counts, so only years from 1900 to 2099 count after them.
_WEAK_CUE = re.compile(r"(?:^|\W)(?:by|of|through)\s$", re.IGNORECASE)
_LINK = re.compile(
    r"\s?(?:,\s?(?:and\s|or\s)?|-|/|and\s|or\s|to\s|through\s|until\s|&\s)\s?", re.IGNORECASE
)
_SHORT_YEAR = re.compile(r"[-/](\d\d)(?![\w-]|[.,/]\d)", re.ASCII)
_SEASON = re.compile(r"\b(spring|summer|autumn|fall|winter)\s(?:of\s)?$", re.IGNORECASE)


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
    ending = plain[max(0, start - 3) : start]
    # A line break, which `$` ignores, may follow any cue.
    may_be_cue = ending[:2].lower() in _CUE_ENDS or ending[-1:] == "\n" or not ending.isascii()
    if (
        (may_be_cue and _YEAR_CUE.search(plain, max(0, start - 14), start))
        or (
            linked_from >= 0
            and start - linked_from < 12
            and _LINK.fullmatch(plain, linked_from, start)
        )
        or (before == "(" and after and after in "),;-")
    ):
        return True
    if year < 1900:
        return False
    if after == "-" and (other := _FOUR_DIGITS.match(plain, end + 1)):
        return year < int(other[0]) < 2100 and not _NOT_A_YEAR.match(plain, other.end())
    short = _SHORT_YEAR.match(plain, end) if after in "-/" else None
    if short and 0 < int(short[1]) - year % 100 <= 10:
        return True
    return may_be_cue and _WEAK_CUE.search(plain, max(0, start - 9), start) is not None


def _bare_years(plain: str, text: str, start: int, end: int) -> Iterator[Date]:
    """The year at start:end, with its season, and the second year of `2019-20`."""
    year = int(plain[start:end])
    season = _SEASON.search(plain, max(0, start - 12), start)
    name = season[1].lower().replace("fall", "autumn") if season else None
    yield date_of(text, season.start() if season else start, end, year=year, season=name)
    short = _SHORT_YEAR.match(plain, end)
    if short and int(short[1]) > year % 100:
        yield date_of(text, *short.span(1), year=year - year % 100 + int(short[1]))


_TIME = re.compile(
    r"([01]?\d|2[0-4]):([0-5]\d)(?::([0-5]\d)(?:\.\d{1,9})?)?(?![\d:])"
    r"(?:\s?([ap])(?:m\b|\.\s?m\.))?"
    r"|(1[0-2]|0?[1-9])\s?(?:([ap])(?:m\b|\.\s?m\.)|o'clock\b)"
    r"|([01]?\d|2[0-4])(?:\.([0-5]\d))?\sUhr\b",
    re.IGNORECASE | re.ASCII,
)


def _times(plain: str, text: str, start: int, before: str) -> Iterator[Date]:
    in_iso = before == "T" and plain[max(0, start - 2) : start - 1].isdigit()
    if not in_iso and (is_word(before) or before in ".,:/$€£¥-"):
        return
    found = _TIME.match(plain, start)
    if not found:
        return
    hour = int(found[1] or found[5] or found[7])
    letter = (found[4] or found[6] or "").lower()
    half = f"{letter}m" if letter else None
    written = found[1] or found[7] or ""
    if not half and (written == "0" or len(written) == 2) and written not in ("10", "11", "12"):
        half = "am" if hour < 12 or hour == 24 else "pm"  # clear in `21`, `00` and `09`
    minute, hour = found[2] or found[8] or 0, hour % 12 or 12
    yield date_of(text, *found.span(), hour=hour, minute=minute, second=found[3], half=half)


_CLOCK = re.compile(r"\d{1,2}\.[0-5]\d Uhr\b", re.ASCII)


_DECADE = re.compile(r"((?:1\d|20)\d)0s(?!\w)", re.ASCII)
_SHORT_DECADE = re.compile(r"[3-9]0s(?!\w)", re.ASCII)
_DECADE_CUE = re.compile(r"(?:\bthe\s(?:(?:early|late|mid)[\s-]?)?'?|')$", re.IGNORECASE)
_CENTURY = re.compile(r"(\d{1,2})(?:st|nd|rd|th)[\s-]centur(?:y|ies)\b", re.IGNORECASE | re.ASCII)
_ERA = re.compile(r"(\d{1,4})\s?(B\.?C\.?(?:E\b\.?)?|bce?|A\.?D\b\.?|CE\b)(?!\w)", re.ASCII)
