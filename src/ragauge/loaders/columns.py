"""Read objects that hold columns: a dict of columns, Hugging Face datasets, Arrow tables.

Each is read column by column. Nothing is imported: an object is recognised by its methods.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Sized
from typing import Protocol, cast

from ragauge.loaders.frames import plain
from ragauge.loaders.mapping import field_of
from ragauge.loaders.table import Table, listed, unreadable
from ragauge.samples.samples import Row

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
