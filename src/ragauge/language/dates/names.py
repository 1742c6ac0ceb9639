"""Dates that begin with a name: months, weekdays, noon, centuries and quarters."""

import re
from collections.abc import Iterable, Iterator

from ragauge.language.characters import lower_letters, positions
from ragauge.language.dates.parts import Date, date_of, full_year, is_day
from ragauge.language.words import RANKS, words_of

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTH = re.compile(
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sep(?:t|tember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)(?![^\W_])",
    re.IGNORECASE | re.ASCII,
)
COUNTED = (
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
"""The last characters of a day, `1st`, `2nd`, `4th` and `5 of`; checked first, because it is fast.

`$` also matches before a final line break, so a line break must always be searched.
"""
_DAY_AFTER = re.compile(
    rf"\.?\s(?:the\s)?{_DAY}(?![\w%]|[.,:]\d|{COUNTED})(?:(?:{_TO}){_DAY}(?![\w%]|[.,]\d))?"
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
    rf"|({'|'.join(_WEEKDAYS)})s?|(first|second|third|fourth|[1-4](?:st|nd|rd|th))[\s-]quarter)(?![^\W_])"
    r"(?:(?<=quarter)(?:(?:,?\sof|,)?\s(?:fiscal\s(?:year\s)?|FY\s?)?(\d{4})(?![\w%]|[.,]\d)))?",
    re.IGNORECASE | re.ASCII,
)


def dates_by_name(plain: str, text: str) -> Iterator[Date]:
    """Dates that begin with a name: months with day and year, weekdays, noon, centuries, quarters."""
    names = words_of(text).date_names
    for found in months_of(plain, lower_letters(plain), names) if names else ():
        yield from _with_month(plain, text, found)
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
            yield date_of(text, *found.span(), weekday=_WEEKDAYS.index(weekday) + 1)
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
