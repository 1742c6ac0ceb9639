"""Date: the parts that a date or time states, and whether one date states those of another."""

from calendar import monthrange
from collections.abc import Callable, Mapping, Sequence
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

    >>> from ragauge.language.dates.dates import dates
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


def supports(given: Date, stated: Date) -> bool:
    """Whether `given` states or implies every part of `stated`.

    A year implies its decade and century, a month its quarter, a full date its weekday.

    >>> from ragauge.language.dates.dates import dates
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
        _covers(implied(ours), theirs) for ours in readings(given) for theirs in readings(stated)
    )


def date_of(
    text: str,
    start: int,
    end: int,
    *,
    either_order: bool = False,
    season: str | None = None,
    half: str | None = None,
    **numbers: str | int | None,
) -> Date:
    parts: dict[str, int | str] = {
        name: int(value) for name, value in numbers.items() if value is not None
    }
    if season:
        parts["season"] = season
    if half:
        parts["half"] = half
    return Date(text[start:end], start, end, parts, either_order)


def full_year(year: str) -> int:
    """The full year: two digits mean 1970 to 2069, four digits are the year itself."""
    number = int(year.lstrip("'"))
    if len(year) == 4:
        return number
    return number + (1900 if number >= 70 else 2000)


def is_day(number: str) -> bool:
    return 1 <= int(number) <= 31


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

    >>> from ragauge.language.dates.dates import dates
    >>> readings(dates("03/05/2021")[0])[1]
    {'year': 2021, 'month': 5, 'day': 3}
    """
    if not date.either_order:
        return (date.parts,)
    swapped = {"month": date.parts["day"], "day": date.parts["month"]}
    return date.parts, {**date.parts, **swapped}


def _covers(given: Parts, stated: Parts) -> bool:
    return all(given.get(name) == value for name, value in stated.items())


Names = tuple[str, ...]
Values = frozenset[tuple[int | str, ...]]


class DateIndex:
    """Some dates, for looking up what they state of another date.

    >>> from ragauge.language.dates.dates import dates
    >>> index = DateIndex(dates("on 5 March 2021, and in 1998"))
    >>> index.supports(dates("in March 2021")[0]), index.supports(dates("in March 1998")[0])
    (True, False)
    """

    def __init__(self, dates: Sequence[Date]) -> None:
        known = [date for date in dates if not date.either_order]
        either = [date for date in dates if date.either_order]
        self._either = _Table(lambda: [date.parts for date in either])
        self._known = _Table(lambda: [implied(date.parts) for date in known])
        self._all = _Table(
            lambda: [
                *(date.parts for date in known),
                *(implied(reading) for date in dates for reading in readings(date)),
            ]
        )
        by_names: dict[Names, list[Parts]] = {}
        for date in dates:
            for reading in readings(date):
                by_names.setdefault(tuple(reading), []).append(reading)
        self._by_names = {names: _Table(lambda some=some: some) for names, some in by_names.items()}

    def supports(self, stated: Date) -> bool:
        """Whether one of the dates states or implies every part of this one, as `supports` of two dates."""
        if not stated.either_order:
            return self._all.has(stated.parts)
        return self._either.has(stated.parts) or any(map(self._known.has, readings(stated)))

    def agrees(self, other: Date) -> bool:
        """Whether one of the dates shares a part with this one and differs in none that both state."""
        for reading in readings(other):
            for names, table in self._by_names.items():
                common = {name: reading[name] for name in names if name in reading}
                if common and table.has(common):
                    return True
        return False


class _Table:
    """Parts of dates, for looking up whether some of them have certain values."""

    def __init__(self, read: Callable[[], Sequence[Parts]]) -> None:
        self._read = read
        self._rows: Sequence[Parts] | None = None
        self._values: dict[Names, Values] = {}

    def has(self, parts: Parts) -> bool:
        """Whether one of the rows has all these parts."""
        names = tuple(parts)
        if names not in self._values:
            if self._rows is None:
                self._rows = self._read()
            self._values[names] = frozenset(
                tuple(row[name] for name in names)
                for row in self._rows
                if all(name in row for name in names)
            )
        return tuple(parts.values()) in self._values[names]
