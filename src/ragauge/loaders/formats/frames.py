"""Read tables in memory: polars and pandas frames, and lists of dicts or objects.

Rows are numbered from 1. In a pandas cell NaN, NaT, NA and None mean null; inside a list, and in
polars, NaN is an error as everywhere else. numpy arrays become lists, numpy numbers become numbers,
and dates become ISO text.
"""

import datetime
import decimal
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Sized
from typing import TYPE_CHECKING, Protocol, cast

from ragauge.errors import Problem
from ragauge.loaders.formats.jsonl import kind_of
from ragauge.loaders.formats.objects import values_of
from ragauge.loaders.mapping import field_of
from ragauge.loaders.table import Table, listed, unreadable
from ragauge.loaders.values import named_values
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


SPLIT = "split"


class _Arrow(Protocol):
    column_names: Sequence[str]

    def to_pydict(self) -> Mapping[str, Sequence[object]]: ...


class _Dataset(Protocol):
    column_names: Sequence[str]

    def to_dict(self) -> Mapping[str, Sequence[object]]: ...


def is_arrow(source: object) -> bool:
    """Whether it has columns as Arrow tables and record batches have."""
    return hasattr(source, "column_names") and callable(getattr(source, "to_pydict", None))


def is_dataset(source: object) -> bool:
    """Whether it is a Dataset of Hugging Face."""
    is_own = hasattr(source, "column_names") and hasattr(source, "features")
    return is_own and not isinstance(source, Mapping)


def is_splits(source: object) -> bool:
    """Whether it is a DatasetDict: its keys are splits and not systems."""
    return isinstance(source, Mapping) and hasattr(cast(object, source), "column_names")


def is_columns(source: object, chosen: Collection[str] = ()) -> bool:
    """Whether it is a dict of columns: lists of which one has the name of a field or a chosen column.

    >>> is_columns({"question": ["Where?"], "answer": ["Here"]})
    True
    >>> is_columns({"baseline": [{"answer": "Here"}]})
    False
    """
    if not isinstance(source, Mapping) or not source:
        return False
    columns = cast(Mapping[object, object], source)
    if not all(isinstance(name, str) and _is_column(column) for name, column in columns.items()):
        return False
    named = cast(Mapping[str, object], columns)
    return any(
        (field_of(name) is not None or name in chosen) and not _holds_rows(column)
        for name, column in named.items()
    )


def _is_column(value: object) -> bool:
    """A list, an array or a series; a frame has a shape of two."""
    if isinstance(value, list | tuple):
        return True
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Sized):
        return False
    shape = getattr(value, "shape", None)
    is_flat = shape is None or (isinstance(shape, tuple) and len(cast(tuple[int, ...], shape)) == 1)
    return is_flat and hasattr(value, "__getitem__") and hasattr(value, "__iter__")


def _holds_rows(column: object) -> bool:
    items = cast(Sequence[object], column)
    return len(items) > 0 and isinstance(items[0], Mapping)


def columns_table(source: object, name: str = "dict of columns") -> Table:
    """The rows of a dict of columns."""
    columns = {key: _values(column) for key, column in cast(Mapping[str, object], source).items()}
    return _table(columns, name)


def arrow_table(source: object) -> Table:
    """The rows of an Arrow table or record batch."""
    name = f"Arrow {type(source).__name__}"
    columns = list(cast(_Arrow, source).column_names)
    twice = [repr(column) for column in dict.fromkeys(columns) if columns.count(column) > 1]
    if twice:
        return unreadable(name, f"has duplicate columns: {listed(twice)}; rename them")
    return _table(cast(_Arrow, source).to_pydict(), name)


def dataset_table(source: object, name: str = "Dataset") -> Table:
    """The rows of a Dataset; an IterableDataset is read to its end."""
    if callable(getattr(source, "to_dict", None)):
        return _table(cast(_Dataset, source).to_dict(), name)
    rows = [
        Row({key: plain(value) for key, value in values.items()}, name, number)
        for number, values in enumerate(cast(Iterable[Mapping[str, object]], source), start=1)
    ]
    return Table(tuple(rows), name, may_print_lists=True)


def splits_table(source: object, name: str = "DatasetDict") -> Table:
    """The rows of every split; with several, an extra field names the split."""
    splits = cast(Mapping[str, object], source)
    tables = {split: dataset_table(given, f"{name}[{split!r}]") for split, given in splits.items()}
    if len(tables) == 1:
        return next(iter(tables.values()))
    rows = tuple(
        Row({SPLIT: split, **row.values}, row.source, row.line)
        for split, table in tables.items()
        for row in table.rows
    )
    counted = listed([f"{split!r} ({len(table.rows):,} rows)" for split, table in tables.items()])
    note = f"read the splits {counted} together, with {SPLIT!r} as an extra field"
    return Table(rows, name, (note,) if tables else (), may_print_lists=True)


def _table(columns: Mapping[str, Sequence[object]], name: str) -> Table:
    lengths = {key: len(column) for key, column in columns.items()}
    if len(set(lengths.values())) > 1:
        counted = listed([f"{length:,} of {key!r}" for key, length in lengths.items()])
        return unreadable(name, f"has columns of different lengths: {counted}")
    names = list(columns)
    rows = tuple(
        Row(dict(zip(names, map(plain, values), strict=True)), name, number)
        for number, values in enumerate(zip(*columns.values(), strict=True), start=1)
    )
    return Table(rows, name, may_print_lists=True)


def _values(column: object) -> Sequence[object]:
    """The column as a list; pandas' nulls become None."""
    nulls: object = getattr(column, "isna", None)
    items = list(cast(Iterable[object], column))
    if not callable(nulls):
        return items
    is_null = cast(Callable[[], Iterable[bool]], nulls)()
    return [None if null else item for item, null in zip(items, is_null, strict=True)]
