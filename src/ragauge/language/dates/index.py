"""DateIndex: the dates of a text, so that one that states the parts of another is found at once."""

from collections.abc import Callable, Sequence

from ragauge.language.dates.parts import Date, Parts, implied, readings

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
