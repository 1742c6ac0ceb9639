"""Dates and times in English text, found by rules, each with the parts that it states.

Found are: ISO dates and times, `5 March 2021`, `March 5-7, 2021`, `March 2021`, `03/05/2021`,
`5.3.2021`, `2021年3月5日`, `03/2021`, years after a word such as `in`, `since`, `by`, `of` or `fiscal`, years in
parentheses and ranges of years, `FY2022`, `Q3 2021`, `third quarter of 2021`, `summer of 2021`,
`1990s`, `the 90s`, `20th century`, `44 BC`, `9:30`, `5 p.m.`, noon, weekdays, and months after a
word such as `in`. Relative dates (`yesterday`, `two years ago`) and holidays are not found.
"""

import re
from calendar import monthrange
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date as calendar_date

Parts = Mapping[str, int | str]

STATED_ONLY = frozenset(("year", "season", "month", "day", "hour", "half", "minute", "second"))
"""Parts that no other part implies."""


@dataclass(frozen=True, slots=True)
class Date:
    """A date or time in a text: its span, and the parts that it states.

    The parts are century, decade, year (negative for BC), season, quarter, month, day, weekday (1 is
    Monday), hour, half, minute and second. Hours are from 1 to 12, with the half "am" or "pm" if it is
    known: `21:30` states it, `9:30` does not. `either_order`: in `03/05/2021`, the month may be first
    or second; `parts` has it first.

    >>> dates("on 5 March 2021")[0].parts
    {'year': 2021, 'month': 3, 'day': 5}
    """

    text: str
    start: int
    end: int
    parts: Parts = field(hash=False)
    either_order: bool = False

    @property
    def year(self) -> int | None:
        """The year; None if it is not stated."""
        year = self.parts.get("year")
        return None if year is None else int(year)


def dates(text: str) -> tuple[Date, ...]:
    """All dates and times in the text, in order and without overlap.

    A year from 1100 on counts if a word or sign before it marks it as a year; other numbers that could
    be years are left to `quantities`.

    >>> [date.text for date in dates("Founded in 1998, sold on March 5, 2021 at 9:30.")]
    ['1998', 'March 5, 2021', '9:30']
    """
    plain = plain_signs(text)
    found = [*_words(plain, text), *_numbered(plain, text)]
    if len(found) < 2:
        return tuple(found)
    found.sort(key=lambda date: (date.start, -date.end))
    kept: list[Date] = []
    for date in found:
        if not kept or date.start >= kept[-1].end:
            kept.append(date)
    return tuple(kept)


def supports(given: Date, stated: Date) -> bool:
    """Whether `given` states or implies every part of `stated`.

    A year implies its decade and century, a month its quarter, a full date its weekday.

    >>> march, year = dates("in March 2021, not in 2021")
    >>> supports(march, year), supports(year, march)
    (True, False)
    """
    if stated.either_order and given.either_order:
        return _covers(given.parts, stated.parts)
    if not (stated.either_order or given.either_order):
        if _covers(given.parts, stated.parts):
            return True
        if any(
            given.parts.get(name) != stated.parts.get(name)
            for name in STATED_ONLY & stated.parts.keys()
        ):
            return False
    return any(
        _covers(implied(one), other) for one in readings(given) for other in readings(stated)
    )


# Signs and digits ---------------------------------------------------------------------------------

_ZEROS = (
    *(0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6),
    *(0x0D66, 0x0DE6, 0x0E50, 0x0ED0, 0x0F20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0),
    *(0x1A80, 0x1A90, 0x1B50, 0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0),
    *(0xAA50, 0xABF0, 0xFF10, 0x1D7CE, 0x1D7D8, 0x1D7E2, 0x1D7EC, 0x1D7F6),
)
_PLAIN = (
    {zero + digit: str(digit) for zero in _ZEROS for digit in range(10)}
    | {ord(sign): "-" for sign in "−﹣－‐‑–"}
    | {ord(space): "\u00a0" for space in "\u2007\u2009\u202f"}
    | {ord(quote): "'" for quote in "’ʼ＇"}
    | {ord(sign): chr(ord(sign) - 0xFEE0) for sign in "，．％＄＋／：（）"}
    | {0x066B: ".", 0x066C: ",", 0x066A: "%", 0x2044: "/", 0x2215: "/", 0xFFE1: "£"}
    | {0xFFE5: "¥", 0xFE69: "$", 0xFE6A: "%"}
)
_UNUSUAL = re.compile(f"[{re.escape(''.join(map(chr, _PLAIN)))}]")


def plain_signs(text: str) -> str:
    """The text with the digits, signs and separators of other scripts as ASCII, at the same offsets.

    >>> plain_signs("−５％")
    '-5%'
    """
    if text.isascii() or not _UNUSUAL.search(text):
        return text
    return text.translate(_PLAIN)


def is_word(sign: str) -> bool:
    """Whether a character next to a number makes it part of a name: `_`, or a letter of a script with spaces.

    >>> [is_word(sign) for sign in ("B", "_", "円", " ", "")]
    [True, True, False, False, False]
    """
    return sign == "_" or ("" < sign < "\u0590" and sign.isalpha())


# Words --------------------------------------------------------------------------------------------

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
# Each alternative starts at its rarest letter, which is fastest to find, and ends at the third.
_MONTH_NAMED = re.compile(
    "j(?:an|u[nl])|m(?:ar|ay)|b(?<=feb)|p(?<=ap)r|p(?<=sep)|g(?<=aug)|c(?<=oc)t|c(?<=dec)|v(?<=nov)"
)
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTH = re.compile(
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sep(?:t|tember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)(?![^\W_])",
    re.IGNORECASE | re.ASCII,
)
_ORDINAL = "(?:st|nd|rd|th)?"
_COUNTED = (
    r"[\s-]?(?:%|(?:percent|per\scent|pct|hundred|thousand|million|billion|trillion|lakhs?|crores?"
    r"|dollars?|euros?|people|persons|times|cases|users|units|employees|members|students|patients"
    r"|points|words|copies|miles|km|kg|metres|meters|feet|calories|kcal)\b)"
)
_DAY_BEFORE = re.compile(
    rf"(?<![\w.,:/$€£-])(?:(\d{{1,2}}){_ORDINAL}(?:\s?-\s?|\sto\s|\sand\s))?(\d{{1,2}}){_ORDINAL}"
    r"(?:\s(?:of\s)?|-)$",
    re.ASCII,
)
_BEFORE_MONTH = frozenset("0123456789tdhf")
"""The last characters of a day, `1st`, `2nd`, `4th` and `5 of`; checked first, because it is fast.

`$` also matches before a final line break, so a line break must always be searched.
"""
_DAY_AFTER = re.compile(
    rf"\.?\s(?:the\s)?(\d{{1,2}}){_ORDINAL}(?![\w%]|[.,:]\d|{_COUNTED})"
    rf"(?:(?:\s?-\s?|\sto\s|\sand\s)(\d{{1,2}}){_ORDINAL}(?![\w%]|[.,]\d))?"
    r"(?:,?\s(?:of\s)?(\d{4})(?![\w%]|[.,]\d))?",
    re.ASCII,
)
_YEAR_AFTER = re.compile(r"(?:[.,]?\s(?:of\s)?|-)(\d{4}|(?<=-)\d\d)(?![\w%]|[.,]\d)", re.ASCII)
_MONTH_CUE = re.compile(
    r"\b(?:in|of|since|by|until|till|during|last|next|this|early|mid|late|through|every|each)[\s-]$",
    re.IGNORECASE,
)


def positions(text: str, words: Sequence[str]) -> list[int]:
    """The positions of the words in the text, in order; much faster than a pattern of alternatives.

    >>> positions("ten of tens", ("ten", "of"))
    [0, 4, 7]
    """
    found: list[int] = []
    for word in words:
        at = text.find(word)
        while at >= 0:
            found.append(at)
            at = text.find(word, at + 1)
    found.sort()
    return found


def lower_letters(text: str) -> str:
    """The text in lower case at the same offsets; letters whose lower case is longer stay unchanged."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := letter.lower()) == 1 else letter for letter in text)


def _words(plain: str, text: str) -> Iterator[Date]:
    """Dates that begin with a name: months with day and year, weekdays, noon, centuries, quarters."""
    lowered = lower_letters(plain)
    for named in _MONTH_NAMED.finditer(lowered):
        start = named.end() - 3
        found = _MONTH.match(plain, start)
        if found and not (start and plain[start - 1].isalnum()):
            month = _MONTHS.index(lowered[start : start + 3]) + 1
            yield from _month(plain, text, found, month)
    if "day" in lowered:
        yield from _weekdays(lowered, text)
    if "noon" in lowered or "midnight" in lowered:
        yield from _named_hours(plain, text)
    if "centur" in lowered:
        yield from _named_centuries(plain, text)
    if "quarter" in lowered:
        yield from _named_quarters(plain, text)


def _month(plain: str, text: str, found: re.Match[str], month: int) -> Iterator[Date]:
    start = found.start()
    if plain[start - 2 : start - 1] in _BEFORE_MONTH or plain[start - 1 : start] == "\n":
        before = _DAY_BEFORE.search(plain, max(0, start - 24), start)
        if before and _is_day(before[2]):
            return _day_first(plain, text, found, before, month)
    return _month_first(plain, text, found, month)


def _day_first(
    plain: str, text: str, found: re.Match[str], before: re.Match[str], month: int
) -> Iterator[Date]:
    """`5 March 2021`, `5-7 March`, `05-Mar-2021`."""
    year_found = _YEAR_AFTER.match(plain, found.end())
    year = _full_year(year_found[1]) if year_found else None
    if year is None and _is_common_word(found[0]):
        return
    end = year_found.end() if year_found else found.end()
    if before[1] and _is_day(before[1]):
        yield _date(text, before.start(1), before.end(1), year=year, month=month, day=before[1])
    yield _date(text, before.start(2), end, year=year, month=month, day=before[2])


def _month_first(plain: str, text: str, found: re.Match[str], month: int) -> Iterator[Date]:
    """`March 5-7, 2021`, `March 2021`, and `March` alone after a word such as `in`."""
    start, end = found.span()
    day = _DAY_AFTER.match(plain, end)
    if day and _is_day(day[1]):
        if day[3] or not _is_common_word(found[0]):
            yield from _days_after(text, start, day, month)
        return
    year = _YEAR_AFTER.match(plain, end)
    if year and len(year[1]) == 4:
        yield _date(text, start, year.end(), year=year[1], month=month)
    elif _is_full_name(found[0]) and _MONTH_CUE.search(plain, max(0, start - 8), start):
        yield _date(text, start, end, month=month)


def _days_after(text: str, start: int, found: re.Match[str], month: int) -> Iterator[Date]:
    """The day or two days of `March 5` and `March 5-7, 2021`."""
    year = found[3]
    if not found[2]:
        yield _date(text, start, found.end(), year=year, month=month, day=found[1])
        return
    yield _date(text, start, found.end(1), year=year, month=month, day=found[1])
    if _is_day(found[2]):
        yield _date(text, found.start(2), found.end(), year=year, month=month, day=found[2])


def _weekdays(lowered: str, text: str) -> Iterator[Date]:
    for start in positions(lowered, _WEEKDAYS):
        end = lowered.index("day", start) + 3
        end += lowered.startswith("s", end)
        if (
            not lowered[max(0, start - 1) : start].isalnum()
            and not lowered[end : end + 1].isalnum()
        ):
            weekday = _WEEKDAYS.index(lowered[start : lowered.index("day", start) + 3]) + 1
            yield _date(text, start, end, weekday=weekday)


_NAMED_HOUR = re.compile(r"\b(?:noon|midnight)\b", re.IGNORECASE | re.ASCII)


def _named_hours(plain: str, text: str) -> Iterator[Date]:
    for found in _NAMED_HOUR.finditer(plain):
        half = "pm" if found[0][0] in "nN" else "am"
        yield _date(text, *found.span(), hour=12, minute=0, half=half)


_CENTURIES = (
    *(
        "first",
        "second",
        "third",
        "fourth",
        "fifth",
        "sixth",
        "seventh",
        "eighth",
        "ninth",
        "tenth",
    ),
    *("eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth"),
    *("eighteenth", "nineteenth", "twentieth", "twenty-first"),
)
_NAMED_CENTURY = re.compile(
    rf"\b({'|'.join(reversed(_CENTURIES))})[\s-]centur(?:y|ies)\b", re.IGNORECASE | re.ASCII
)


def _named_centuries(plain: str, text: str) -> Iterator[Date]:
    for found in _NAMED_CENTURY.finditer(plain):
        yield _date(text, *found.span(), century=_CENTURIES.index(found[1].lower()) + 1)


_NAMED_QUARTER = re.compile(
    r"\b(?:first|second|third|fourth|[1-4](?:st|nd|rd|th))[\s-]quarter\b"
    r"(?:(?:,?\sof|,)?\s(?:fiscal\s(?:year\s)?|FY\s?)?(\d{4})(?![\w%]|[.,]\d))?",
    re.IGNORECASE | re.ASCII,
)
_ORDINALS = ("fi1", "se2", "th3", "fo4")


def _named_quarters(plain: str, text: str) -> Iterator[Date]:
    for found in _NAMED_QUARTER.finditer(plain):
        word = found[0][:2].lower()
        quarter = word[0] if word[0].isdigit() else next(o[2] for o in _ORDINALS if o[:2] == word)
        yield _date(text, *found.span(), quarter=quarter, year=found[1])


# Numbers ------------------------------------------------------------------------------------------

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
    rf"(1[0-2]|0?[1-9])/((?:19|20)\d\d)(?![\w/%°$€£¥]|[.,]\d|{_COUNTED})", re.ASCII
)
_MONTH_BEFORE = re.compile(r"/(?:19|20)\d\d-$", re.ASCII)


def _numbered(plain: str, text: str) -> Iterator[Date]:
    """Dates that begin with a number; its length and neighbours select the rule."""
    linked_from = -1
    for run in _RUN.finditer(plain):
        start, end = run.span()
        before = plain[start - 1] if start else " "
        after = plain[end : end + 1]
        beyond = plain[end + 1 : end + 2]
        if end - start == 4:
            if after in _AFTER_YEAR or (after == " " and beyond == "Q"):
                yield from _year_first(plain, text, start, before, after)
            if _is_stated_year(plain, start, end, linked_from):
                linked_from = end
                yield from _bare_years(plain, text, start, end)
        elif end - start <= 2 and (
            before in _BEFORE_SHORT
            or after in _AFTER_SHORT
            or (after in _BLANK_OR_POINT and _goes_on(plain, start, after, beyond))
        ):
            yield from _short_number(plain, text, start, before, after)
        if after and (beyond if after == " " else after) in "ABCb":
            yield from _eras(plain, text, start, before)
        elif plain[start - 3 : start] == "AD ":
            yield _date(text, start - 3, end, year=plain[start:end])


def _year_first(plain: str, text: str, start: int, before: str, after: str) -> Iterator[Date]:
    """`2021-03-05`, `2021-03`, `2021年3月5日`, `2021 Q3` and `1990s`."""
    if after == "s":
        yield from _decade(plain, text, start, before)
        return
    if is_word(before) or before in "-./":
        return
    if after in " -Q" and (quarter := _QUARTER_AFTER.match(plain, start)):
        yield _date(text, *quarter.span(), year=quarter[1], quarter=quarter[2])
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


def _goes_on(plain: str, start: int, after: str, beyond: str) -> bool:
    """Whether a short number before a space or point may begin a date: `5 p.m.`, `5.3.`, `FY 22`."""
    goes_on = beyond in "aApPo" if after == " " else beyond.isdigit()
    return goes_on or plain[start - 2 : start] == "Y "


def _short_number(plain: str, text: str, start: int, before: str, after: str) -> Iterator[Date]:
    """Dates that begin with a number of one or two digits."""
    if before in "Qq" and (found := _QUARTER.match(plain, start)):
        if not plain[max(0, start - 2) : start - 1].isalnum():
            year = _full_year(found[2]) if found[2] else None
            yield _date(text, start - 1, found.end(), quarter=found[1], year=year)
    elif (
        before in "Y '"
        and "FY" in plain[max(0, start - 4) : start]
        and (fiscal := _FISCAL.search(plain, max(0, start - 5), start))
    ):
        if _TWO_DIGITS.match(plain, start):
            yield _date(text, fiscal.start(), start + 2, year=_full_year(plain[start : start + 2]))
    elif after == "s":
        yield from _short_decade(plain, text, start)
    elif after and after in "snrt":
        yield from _centuries(plain, text, start)
    next_letter = plain[start + 1 : start + 4].lstrip("0123456789 ")[:1]
    if after == ":" or (next_letter and next_letter in "aApPo"):
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
    if found[1]:
        yield from _either_order(text, start, found.end(), found[1], found[2], found[3])
    elif found[4]:
        yield from _ymd(text, start, found.end(), found[7], found[6], found[4])
    else:
        yield from _ymd(text, start, found.end(), None, found[8], found[9])


_TWO_DIGITS = re.compile(r"\d\d(?![\w%]|[.,]\d)", re.ASCII)


def _either_order(
    text: str, start: int, end: int, first: str, second: str, year: str
) -> Iterator[Date]:
    """`03/05/2021`: month first, unless that is impossible."""
    full = str(_full_year(year))
    if int(first) > 12 or int(second) > 12 or first == second:
        month, day = (second, first) if int(first) > 12 else (first, second)
        yield from _ymd(text, start, end, full, month, day)
    elif int(first) and int(second):
        yield _date(text, start, end, year=full, month=first, day=second, either_order=True)


def _ymd(
    text: str, start: int, end: int, year: str | None, month: str | None, day: str | None
) -> Iterator[Date]:
    if month and not 1 <= int(month) <= 12:
        return
    if day and not _is_day(day):
        return
    yield _date(text, start, end, year=year, month=month, day=day)


_NOT_A_YEAR = re.compile(rf"[.,:]\d|[%°$€£¥\w]|-[A-Za-z]|{_COUNTED}", re.ASCII)
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


def _is_stated_year(plain: str, start: int, end: int, linked_from: int) -> bool:
    """Whether a cue, parentheses or a preceding year mark these four digits as a year."""
    year = int(plain[start:end])
    if not 1100 <= year < 2100 or _NOT_A_YEAR.match(plain, end):
        return False
    before = plain[start - 1 : start]
    if before in "Yy" and plain[max(0, start - 2) : start].upper() == "FY":
        return True
    if before and (before in ".,:$€£¥₹#+'" or is_word(before)):
        return False
    may_be_cue = _may_be_cue(plain[max(0, start - 3) : start])
    if may_be_cue and _YEAR_CUE.search(plain, max(0, start - 14), start):
        return True
    if linked_from >= 0 and start - linked_from < 12 and _LINK.fullmatch(plain, linked_from, start):
        return True
    return _is_marked_year(plain, start, end, year, may_be_cue=may_be_cue)


def _may_be_cue(before: str) -> bool:
    """Whether a search for a cue may succeed; always after a line break, which `$` ignores."""
    return before[:2].lower() in _CUE_ENDS or before[-1:] == "\n" or not before.isascii()


def _is_marked_year(plain: str, start: int, end: int, year: int, *, may_be_cue: bool) -> bool:
    """Whether it is in parentheses, the first of a range of years, or after a weak cue."""
    after = plain[end : end + 1]
    if plain[start - 1 : start] == "(" and after and after in "),;-":
        return True
    if not 1900 <= year < 2100:
        return False
    if after == "-" and (other := _FOUR_DIGITS.match(plain, end + 1)):
        return year < int(other[0]) < 2100 and not _NOT_A_YEAR.match(plain, other.end())
    short = _SHORT_YEAR.match(plain, end) if after in "-/" else None
    if short and 0 < int(short[1]) - year % 100 <= 10:
        return True
    return may_be_cue and _WEAK_CUE.search(plain, max(0, start - 9), start) is not None


_FOUR_DIGITS = re.compile(r"\d{4}(?!\d)", re.ASCII)


def _bare_years(plain: str, text: str, start: int, end: int) -> Iterator[Date]:
    """The year at start:end, with its season, and the second year of `2019-20`."""
    year = int(plain[start:end])
    season = _SEASON.search(plain, max(0, start - 12), start)
    if season:
        name = season[1].lower()
        name = "autumn" if name == "fall" else name
        yield _date(text, season.start(), end, year=year, season=name)
    else:
        yield _date(text, start, end, year=year)
    short = _SHORT_YEAR.match(plain, end)
    if short and int(short[1]) > year % 100:
        yield _date(text, *short.span(1), year=year - year % 100 + int(short[1]))


_TIME = re.compile(
    r"([01]?\d|2[0-4]):([0-5]\d)(?::([0-5]\d)(?:\.\d{1,9})?)?(?![\d:])"
    r"(?:\s?([ap])(?:m\b|\.\s?m\.))?"
    r"|(1[0-2]|0?[1-9])\s?(?:([ap])(?:m\b|\.\s?m\.)|o'clock\b)",
    re.IGNORECASE | re.ASCII,
)


def _times(plain: str, text: str, start: int, before: str) -> Iterator[Date]:
    in_iso = before == "T" and plain[max(0, start - 2) : start - 1].isdigit()
    if not in_iso and (is_word(before) or before in ".,:/$€£¥-"):
        return
    found = _TIME.match(plain, start)
    if not found:
        return
    hour = int(found[1] or found[5])
    letter = (found[4] or found[6] or "").lower()
    half = f"{letter}m" if letter else _half_of_day(found[1] or "")
    minute = found[2] if found[1] else 0
    end = found.end()
    yield _date(text, start, end, hour=hour % 12 or 12, minute=minute, second=found[3], half=half)


def _half_of_day(hour: str) -> str | None:
    """The half of the day of an hour without am or pm; None unless it is clear, as in `21`, `00` and `09`."""
    if not hour or (len(hour) == 1 and hour != "0") or hour in ("10", "11", "12"):
        return None
    return "am" if int(hour) < 12 or hour == "24" else "pm"


_DECADE = re.compile(r"((?:1\d|20)\d)0s(?!\w)", re.ASCII)
_SHORT_DECADE = re.compile(r"[3-9]0s(?!\w)", re.ASCII)
_DECADE_CUE = re.compile(r"(?:\bthe\s(?:(?:early|late|mid)[\s-]?)?'?|')$", re.IGNORECASE)
_CENTURY = re.compile(r"(\d{1,2})(?:st|nd|rd|th)[\s-]centur(?:y|ies)\b", re.IGNORECASE | re.ASCII)
_ERA = re.compile(r"(\d{1,4})\s?(B\.?C\.?(?:E\b\.?)?|bce?|A\.?D\b\.?|CE\b)(?!\w)", re.ASCII)


def _decade(plain: str, text: str, start: int, before: str) -> Iterator[Date]:
    if (found := _DECADE.match(plain, start)) and not is_word(before):
        yield _date(text, *found.span(), decade=int(found[1]) * 10)


def _short_decade(plain: str, text: str, start: int) -> Iterator[Date]:
    """`the 90s`, `'90s`; `in his 30s` is an age."""
    found = _SHORT_DECADE.match(plain, start)
    if found and _DECADE_CUE.search(plain, max(0, start - 12), start):
        yield _date(text, *found.span(), decade=1900 + int(found[0][:2]))


def _centuries(plain: str, text: str, start: int) -> Iterator[Date]:
    if found := _CENTURY.match(plain, start):
        yield _date(text, *found.span(), century=found[1])


def _eras(plain: str, text: str, start: int, before: str) -> Iterator[Date]:
    """`44 BC`, `79 AD`."""
    if is_word(before) or before in ".,":
        return
    if (found := _ERA.match(plain, start)) is not None:
        year = int(found[1])
        yield _date(text, start, found.end(), year=-year if found[2][0] in "Bb" else year)


# Parts --------------------------------------------------------------------------------------------


def _date(
    text: str,
    start: int,
    end: int,
    *,
    either_order: bool = False,
    season: str | None = None,
    half: str | None = None,
    **numbers: str | int | None,
) -> Date:
    parts: dict[str, int | str] = {}
    for name, value in numbers.items():
        if value is not None:
            parts[name] = int(value)
    if season:
        parts["season"] = season
    if half:
        parts["half"] = half
    return Date(text[start:end], start, end, parts, either_order)


def _full_year(year: str) -> int:
    """The full year: two digits mean 1970 to 2069, four digits are the year itself."""
    number = int(year.lstrip("'"))
    if len(year) == 4:
        return number
    return number + (1900 if number >= 70 else 2000)


def _is_day(number: str) -> bool:
    return 1 <= int(number) <= 31


def _is_full_name(name: str) -> bool:
    return name[0].isupper() and (len(name) > 3 or name == "May")


def _is_common_word(name: str) -> bool:
    """Whether a month's name in this spelling may be a verb."""
    return name in ("may", "march", "mar")


def implied(parts: Parts) -> dict[str, int | str]:
    """The parts and those that they imply.

    >>> implied({"year": 1815, "month": 5})
    {'year': 1815, 'month': 5, 'decade': 1810, 'century': 19, 'quarter': 2}
    """
    known = dict(parts)
    year, month, day = (int(parts.get(name, 0)) for name in ("year", "month", "day"))
    if year:
        known["decade"] = year // 10 * 10
    if year > 0:
        known["century"] = (year - 1) // 100 + 1  # the 20th century is 1901 to 2000
    if "decade" in parts:
        known["century"] = int(parts["decade"]) // 100 + 1
    if month:
        known["quarter"] = (month + 2) // 3
    if year > 0 and month and 1 <= day <= monthrange(year, month)[1]:
        known["weekday"] = calendar_date(year, month, day).isoweekday()
    return known


def readings(date: Date) -> tuple[Parts, ...]:
    """The possible parts of the date: two if the order of month and day is ambiguous.

    >>> readings(dates("03/05/2021")[0])[1]
    {'year': 2021, 'month': 5, 'day': 3}
    """
    if not date.either_order:
        return (date.parts,)
    swapped = {"month": date.parts["day"], "day": date.parts["month"]}
    return date.parts, {**date.parts, **swapped}


def _covers(given: Parts, stated: Parts) -> bool:
    return all(given.get(name) == value for name, value in stated.items())
