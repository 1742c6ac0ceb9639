"""Read tables in memory: polars and pandas frames, and lists of dicts or objects.

Rows are numbered from 1. In a pandas cell NaN, NaT, NA and None mean null; inside a list, and in
polars, NaN is an error as everywhere else. numpy arrays become lists, numpy numbers become numbers,
and dates become ISO text.
"""

import datetime
import decimal
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, cast

from ragauge.errors import Problem
from ragauge.loaders.attributes import named_values
from ragauge.loaders.jsonl import kind_of
from ragauge.loaders.objects import values_of
from ragauge.loaders.table import Table, listed, unreadable
from ragauge.samples.samples import Row

if TYPE_CHECKING:
    import polars as pl


class _Nulls(Protocol):
    def to_numpy(self) -> Sequence[Sequence[bool]]: ...


class _Index(Protocol):
    names: Sequence[object]


class _PandasFrame(Protocol):
    """The parts of a pandas frame that are used; this module never imports pandas."""

    columns: Sequence[object]
    index: _Index

    def isna(self) -> _Nulls: ...
    def reset_index(self) -> "_PandasFrame": ...
    def itertuples(self, *, index: bool, name: None) -> Sequence[Sequence[object]]: ...


def is_pandas(source: object) -> bool:
    """Whether it is a pandas frame, without importing pandas."""
    kind = type(source)
    return kind.__module__.partition(".")[0] == "pandas" and kind.__name__ == "DataFrame"


def is_polars(source: object) -> bool:
    """Whether it is a polars frame, without importing polars."""
    kind = type(source)
    return kind.__module__.partition(".")[0] == "polars" and kind.__name__ == "DataFrame"


def polars_table(frame: "pl.DataFrame", source: str = "polars frame", n_before: int = 0) -> Table:
    """The frame's rows, which `n_before` other rows of the source precede."""
    rows = tuple(
        Row({name: plain(value) for name, value in values.items()}, source, number)
        for number, values in enumerate(frame.iter_rows(named=True), start=n_before + 1)
    )
    return Table(rows, source, may_print_lists=True)


def pandas_table(given: object, source: str = "pandas frame") -> Table:
    """The frame's rows; a named index is a column, an unnamed one is not."""
    frame = cast(_PandasFrame, given)
    if any(name is not None for name in frame.index.names):
        frame = frame.reset_index()
    nameless = [repr(name) for name in frame.columns if not isinstance(name, str)]
    if nameless:
        return unreadable(
            source, f"has columns whose names are not text: {listed(nameless)}; rename them"
        )
    names = cast(Sequence[str], list(frame.columns))
    if len(set(names)) < len(names):
        twice = [repr(name) for name in dict.fromkeys(names) if names.count(name) > 1]
        return unreadable(source, f"has duplicate columns: {listed(twice)}; rename them")
    nulls = frame.isna().to_numpy()
    rows = tuple(
        Row(_pandas_values(names, cells, nulls[number]), source, number + 1)
        for number, cells in enumerate(frame.itertuples(index=False, name=None))
    )
    return Table(rows, source, may_print_lists=True)


def _pandas_values(
    names: Sequence[str], cells: Sequence[object], nulls: Sequence[bool]
) -> dict[str, object]:
    return {
        name: None if is_null else plain(cell)
        for name, cell, is_null in zip(names, cells, nulls, strict=True)
    }


def rows_table(
    given: Sequence[object], source: str = "list of rows", notes: tuple[str, ...] = ()
) -> Table:
    """The list's dicts and objects as rows; an item without named values is a problem."""
    rows: list[Row] = []
    problems: list[Problem] = []
    for number, item in enumerate(given, start=1):
        values = _values_of_row(item)
        if isinstance(values, str):
            problems.append(Problem(values, source, number))
            continue
        plain_values = {name: plain(value) for name, value in values.items()}
        rows.append(Row(plain_values, source, number))
    return Table(tuple(rows), source, notes, tuple(problems))


def _values_of_row(item: object) -> Mapping[str, object] | str:
    """The values by column, or the problem of an item that is not a row."""
    if item is None or isinstance(item, str):
        return f"is {kind_of(item)}, not a dict of column name to value"
    if not isinstance(item, Mapping):
        return values_of(item)
    names = [name for name in cast(Mapping[object, object], item) if not isinstance(name, str)]
    if names:
        return f"has a key that is not text: {names[0]!r}"
    return cast(Mapping[str, object], item)


def plain(value: object, depth: int = 50) -> object:
    """The value in plain Python types: no numpy, no dates. Values nested deeper than `depth` are kept.

    >>> plain(datetime.date(2024, 5, 1))
    '2024-05-01'
    """
    if value is None or isinstance(value, str | bool | int):
        # A member of a string enum becomes its value.
        return str.__str__(value) if isinstance(value, str) else value
    if isinstance(value, float):
        return float(value)
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, decimal.Decimal | datetime.timedelta):
        return str(value)
    if depth == 0:
        return value
    if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        if type(value).__name__ == "datetime64":
            return str(value)
        return plain(cast("_Numpy", value).tolist(), depth - 1)
    return _plain_items(value, depth - 1)


def _plain_items(value: object, depth: int) -> object:
    if isinstance(value, Mapping):
        items = cast(Mapping[object, object], value).items()
        return {plain(name, 0): plain(item, depth) for name, item in items}
    if isinstance(value, tuple) and hasattr(cast(object, value), "_fields"):
        return _plain_items(named_values(cast(object, value)) or {}, depth)
    if isinstance(value, list | tuple):
        return [plain(item, depth) for item in cast(Sequence[object], value)]
    return value


class _Numpy(Protocol):
    def tolist(self) -> object: ...
