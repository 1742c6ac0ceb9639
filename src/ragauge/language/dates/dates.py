"""Dates and times in a text, found by rules, each with the parts that it states."""

import re
from collections.abc import Iterable, Iterator

from ragauge.language.characters import is_word, lower_letters, plain_signs, positions
from ragauge.language.dates.parts import Date, date_of, full_year, is_day
from ragauge.language.reading_cache import ReadingCache
from ragauge.language.words import MONTHS, RANKS, WEEKDAYS, words_of

_RUN = re.compile("[0-9][0-9]*")  # `[0-9]+` would be tried at every character
_ERA = re.compile(r"(\d{1,4})\s?(B\.?C\.?(?:E\b\.?)?|bce?|A\.?D\b\.?|CE\b)(?!\w)", re.ASCII)
_SEASON = re.compile(r"\b(spring|summer|autumn|fall|winter)\s(?:of\s)?$", re.IGNORECASE)
_SHORT_YEAR = re.compile(r"[-/](\d\d)(?![\w-]|[.,/]\d)", re.ASCII)


@ReadingCache
def dates(text: str) -> tuple[Date, ...]:
    """All dates and times in the text, in order and without overlap.

    A year from 1100 on counts if a word or sign before it marks it as a year (`in`, `since`, `FY`, a bracket, a range);
    other numbers that could be years are left to `quantities`. Seasons, quarters, decades, centuries, weekdays and
    months after a word such as `in` are found; relative dates (`yesterday`, `two years ago`) and holidays are not.

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


_MONTHS = [name[:3] for name in MONTHS]
_MONTH = re.compile(
    rf"(?:{'|'.join((*MONTHS, 'sept', *_MONTHS))})(?![^\W_])", re.IGNORECASE | re.ASCII
)
_COUNTED = (
    r"[\s-]?(?:%|(?:percent|per\scent|pct|hundred|thousand|million|billion|trillion|lakhs?|crores?"
    r"|dollars?|euros?|people|persons|times|cases|users|units|employees|members|students|patients"
    r"|points|words|copies|miles|km|kg|metres|meters|feet|calories|kcal)\b)"
)
_DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
_TO = r"\s?-\s?|\sto\s|\sand\s"
_DAY_BEFORE = re.compile(
    rf"(?<![\w.,:/$€£-])(?:{_DAY}(?:{_TO}))?{_DAY}(?:\s(?:of\s)?|-)$", re.ASCII
)
_BEFORE_MONTH = frozenset("0123456789tdhf")
"""The last characters of a day, `1st`, `4th` and `5 of`; a line break is searched too, as `$` also matches before one."""
_DAY_AFTER = re.compile(
    rf"\.?\s(?:the\s)?{_DAY}(?![\w%]|[.,:]\d|{_COUNTED})(?:(?:{_TO}){_DAY}(?![\w%]|[.,]\d))?"
    r"(?:,?\s(?:of\s)?(\d{4})(?![\w%]|[.,]\d))?",
    re.ASCII,
)
_YEAR_AFTER = re.compile(r"(?:[.,]?\s(?:of\s)?|-)(\d{4}|(?<=-)\d\d)(?![\w%]|[.,]\d)", re.ASCII)
_MONTH_CUE = re.compile(
    r"\b(?:in|of|since|by|until|till|during|last|next|this|early|mid|late|through|every|each)[\s-]$",
    re.IGNORECASE,
)
_CENTURIES = (*RANKS, "twenty-first")
_VERBS = ("may", "march", "mar")
"""Spellings of months that may be verbs."""
_NAMED = re.compile(
    rf"(?<![^\W_])(?:(noon|midnight)|({'|'.join(reversed(_CENTURIES))})[\s-]centur(?:y|ies)"
    rf"|({'|'.join(WEEKDAYS)})s?|(first|second|third|fourth|[1-4](?:st|nd|rd|th))[\s-]quarter)(?![^\W_])"
    r"(?:(?<=quarter)(?:(?:,?\sof|,)?\s(?:fiscal\s(?:year\s)?|FY\s?)?(\d{4})(?![\w%]|[.,]\d)))?",
    re.IGNORECASE | re.ASCII,
)


def dates_by_name(plain: str, text: str) -> Iterator[Date]:
    """Dates that begin with a name: months with day and year, weekdays, noon, centuries, quarters."""
    names = words_of(text).date_names
    for month in months_of(plain, lower_letters(plain), names) if names else ():
        yield from _with_month(plain, text, month)
    if all(name[:3] in _MONTHS for name in names):
        return
    for found in _NAMED.finditer(plain):
        hour, century, weekday, quarter, year = (part and part.lower() for part in found.groups())
        if hour:
            half = "pm" if hour == "noon" else "am"
            yield date_of(text, *found.span(), hour=12, minute=0, half=half)
        elif century:
            yield date_of(text, *found.span(), century=_CENTURIES.index(century) + 1)
        elif weekday:
            yield date_of(text, *found.span(), weekday=WEEKDAYS.index(weekday) + 1)
        else:
            number = RANKS.get(quarter) or quarter[0]
            yield date_of(text, *found.span(), quarter=number, year=year)


def months_of(plain: str, lowered: str, names: Iterable[str]) -> Iterator[re.Match[str]]:
    """The names of months in order; `names` are those of the text's words that are names of dates."""
    months = [name for name in names if name[:3] in _MONTHS]
    for start in sorted(set(positions(lowered, months))):
        found = _MONTH.match(plain, start)
        if found and not (start and plain[start - 1].isalnum()):
            yield found


def _with_month(plain: str, text: str, found: re.Match[str]) -> Iterator[Date]:
    """`5 March 2021`, `5-7 March`, `March 5-7, 2021`, `March 2021`, and `March` alone after a word such as `in`."""
    start, end = found.span()
    month, may_be_verb = _MONTHS.index(found[0][:3].lower()) + 1, found[0] in _VERBS
    before = None
    if plain[start - 2 : start - 1] in _BEFORE_MONTH or plain[start - 1 : start] == "\n":
        before = _DAY_BEFORE.search(plain, max(0, start - 24), start)
    after = _YEAR_AFTER.match(plain, end)
    if before and is_day(before[2]):
        year = full_year(after[1]) if after else None
        if year is None and may_be_verb:
            return
        if before[1] and is_day(before[1]):
            yield date_of(text, *before.span(1), year=year, month=month, day=before[1])
        end = after.end() if after else end
        yield date_of(text, before.start(2), end, year=year, month=month, day=before[2])
        return
    day = _DAY_AFTER.match(plain, end)
    if day and is_day(day[1]):
        if day[3] or not may_be_verb:
            end = day.end(1) if day[2] else day.end()
            yield date_of(text, start, end, year=day[3], month=month, day=day[1])
            if day[2] and is_day(day[2]):
                yield date_of(text, day.start(2), day.end(), year=day[3], month=month, day=day[2])
    elif after and len(after[1]) == 4:
        yield date_of(text, start, after.end(), year=after[1], month=month)
    elif (
        found[0][0].isupper()
        and (len(found[0]) > 3 or found[0] == "May")
        and _MONTH_CUE.search(plain, max(0, start - 8), start)
    ):
        yield date_of(text, start, end, month=month)


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
        elif (
            plain[start - 3 : start] == "AD " and not plain[max(0, start - 4) : start - 3].isalnum()
        ):
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
    rf"|月(\d{{1,2}})日|/((?:19|20)\d\d)(?![\w/%°$€£¥]|[.,]\d|{_COUNTED})"
    r"|(s)(?!\w)|(nd|rd|th)[\s-](?i:centur(?:y|ies))\b"
    rf"|(:)([0-5]\d)(?::([0-5]\d)(?:\.\d{{1,9}})?)?(?![\d:])(?:\s?{_HALF})?"
    rf"|(?:\.([0-5]\d))?(?:[ ]?(?:{_HALF}|o(?i:'clock)\b)|[ ](U)hr\b))",
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
        letter, written = found[14] or found[16], found[1]
        half = f"{letter.lower()}m" if letter else None
        if not half and is_of_24 and (written == "0" or written[1:]) and not 10 <= number <= 12:
            half = "am" if number in (*range(12), 24) else "pm"  # clear in `21`, `00` and `09`
        minute, hour = found[12] or found[15] or 0, number % 12 or 12
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


_NOT_A_YEAR = re.compile(rf"[.,:]\d|[%°$€£¥\w]|-[A-Za-z]|{_COUNTED}", re.ASCII)
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
