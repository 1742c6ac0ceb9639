"""Date: the parts that a date or time states, and whether one date states those of another."""

from calendar import monthrange
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date as calendar_date

Parts = Mapping[str, int | str]


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
    """
    if given.either_order == stated.either_order and _covers(given.parts, stated.parts):
        return True
    return not (stated.either_order and given.either_order) and any(
        _covers(implied(ours), theirs) for ours in readings(given) for theirs in readings(stated)
    )


def date_of(
    text: str, start: int, end: int, *, either_order: bool = False, **parts: str | int | None
) -> Date:
    """The date of this span; parts that are None are not stated."""
    stated = {
        name: part if name in ("season", "half") else int(part)
        for name, part in parts.items()
        if part is not None
    }
    return Date(text[start:end], start, end, stated, either_order)


def full_year(year: str) -> int:
    """The full year: two digits mean 1970 to 2069, four digits are the year itself."""
    number = int(year.lstrip("'"))
    if len(year) == 4:
        return number
    return number + (1900 if number >= 70 else 2000)


def is_day(number: str) -> bool:
    return 1 <= int(number) <= 31


def implied(parts: Parts) -> dict[str, int | str]:
    """The parts and those that they imply."""
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
    """The possible parts of the date: two if the order of month and day is ambiguous."""
    if not date.either_order:
        return (date.parts,)
    swapped = {"month": date.parts["day"], "day": date.parts["month"]}
    return date.parts, {**date.parts, **swapped}


def _covers(given: Parts, stated: Parts) -> bool:
    return all(given.get(name) == value for name, value in stated.items())


class DateIndex:
    """Some dates, for looking up what they state of another date."""

    def __init__(self, dates: Sequence[Date]) -> None:
        self._rows: dict[object, list[tuple[int, Parts]]] = defaultdict(list)
        self._names: set[tuple[str, ...]] = set()
        for place, date in enumerate(dates):
            own = date.parts if date.either_order else implied(date.parts)
            self._rows[date.either_order].append((place, own))
            for reading in readings(date):
                self._rows["all"].append((place, implied(reading)))
                self._names.add(names := tuple(reading))
                self._rows[names].append((place, reading))
        self._places: dict[object, dict[tuple[int | str, ...], int]] = {}

    def supports(self, stated: Date) -> bool:
        """Whether one of the dates states or implies every part of this one, as `supports` of two dates."""
        return self.first(stated) is not None

    def first(self, stated: Date) -> int | None:
        """The place of the first of these dates; None if there is none."""
        if not stated.either_order:
            return self._first("all", stated.parts)
        found = [self._first(True, stated.parts)]
        found += [self._first(False, reading) for reading in readings(stated)]
        return min((place for place in found if place is not None), default=None)

    def agrees(self, other: Date) -> bool:
        """Whether one of the dates shares a part with this one and differs in none that both state."""
        shared = (
            (names, {name: reading[name] for name in names if name in reading})
            for reading in readings(other)
            for names in self._names
        )
        return any(parts and self._first(names, parts) is not None for names, parts in shared)

    def _first(self, rows: object, parts: Parts) -> int | None:
        """The place of the first of the rows that has all these parts."""
        names = tuple(parts)
        if (rows, names) not in self._places:
            self._places[rows, names] = {
                tuple(row[name] for name in names): place
                for place, row in reversed(self._rows[rows])
                if row.keys() >= parts.keys()
            }
        return self._places[rows, names].get(tuple(parts.values()))
