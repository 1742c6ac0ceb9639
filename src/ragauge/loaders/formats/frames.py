"""Read tables and objects in memory: polars and pandas frames, data sets, lists of dicts or objects, samples of other tools."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence, Sized
from typing import TYPE_CHECKING, Any, cast

from ragauge.errors import PlanError, Problem
from ragauge.loaders.documents import is_list, parts_of
from ragauge.loaders.formats.jsonl import kind_of
from ragauge.loaders.mapping import field_of
from ragauge.loaders.table import (
    Table,
    items_in,
    listed,
    mapping_in,
    named_values,
    plain,
    unreadable,
    value_of,
)
from ragauge.samples.fields import Row, plain_value

if TYPE_CHECKING:
    import polars as pl

COLLECTIONS = ("samples", "test_cases", "goldens", "examples", "predictions")
"""Where a data set keeps its samples; the first that has any is read."""
CONVERSATIONS = ("turns", "messages")
METADATA = ("additional_metadata", "metadata", "meta")
NOT_ENOUGH = {None, "id", "system", "context_scores", "contexts"}
"""Fields that a retrieved document has too."""
SPLIT = "split"


def object_table(source: object, chosen: Collection[str] = ()) -> Table:
    """The rows of a list, a frame or another object; PlanError if it is of no kind that is read."""
    kind = type(source).__name__
    if is_polars(source):
        return polars_table(cast("pl.DataFrame", source))
    if is_pandas(source):
        return pandas_table(source)
    if is_list(source):
        return rows_table(cast(Sequence[object], source))
    if isinstance(source, Mapping):
        return _mapping_table(cast(Mapping[str, object], source), chosen)
    if hasattr(source, "column_names") and hasattr(source, "features"):  # of Hugging Face
        return _dataset_table(source, "Dataset")
    if hasattr(source, "column_names") and callable(getattr(source, "to_pydict", None)):
        if problem := _repeated(list(cast(Any, source).column_names)):
            return unreadable(f"Arrow {kind}", problem)
        return _columns_table(cast(Any, source).to_pydict(), f"Arrow {kind}")
    if hasattr(source, "__arrow_c_stream__"):
        import polars as pl

        return polars_table(pl.DataFrame(cast(Any, source)), f"{kind} table")
    if (samples := _samples_in(source)) is not None:
        return rows_table(samples[0], kind, samples[1])
    if isinstance(source, Iterable) and not isinstance(source, bytes | set | frozenset):
        return rows_table(list(cast(Iterable[object], source)))
    hint = "; call .collect() first" if kind == "LazyFrame" else ""
    raise PlanError([f"cannot load a {kind}; give a file, a list of dicts or a frame{hint}"])


def is_pandas(source: object) -> bool:
    """Whether it is a pandas frame, without importing pandas."""
    return _package_of(source) == "pandas"


def is_polars(source: object) -> bool:
    """Whether it is a polars frame, without importing polars."""
    return _package_of(source) == "polars"


def _package_of(frame: object) -> str:
    kind = type(frame)
    return kind.__module__.partition(".")[0] if kind.__name__ == "DataFrame" else ""


def polars_table(frame: "pl.DataFrame", source: str = "polars frame", n_before: int = 0) -> Table:
    """The frame's rows, which `n_before` other rows of the source precede."""
    return _numbered(frame.iter_rows(named=True), source, n_before)


def _numbered(given: Iterable[Mapping[str, object]], source: str, n_before: int = 0) -> Table:
    rows = tuple(
        Row({name: plain(value) for name, value in values.items()}, source, number)
        for number, values in enumerate(given, start=n_before + 1)
    )
    return Table(rows, source, may_print_lists=True)


def pandas_table(given: object, source: str = "pandas frame") -> Table:
    """The frame's rows; a named index is a column, an unnamed one is not."""
    frame = cast(Any, given)
    if any(name is not None for name in frame.index.names):
        frame = frame.reset_index()
    names = cast("list[str]", list(frame.columns))
    problem = _repeated(names)
    if nameless := [repr(name) for name in names if not isinstance(cast(object, name), str)]:
        problem = f"has columns whose names are not text: {listed(nameless)}; rename them"
    if problem:
        return unreadable(source, problem)
    return _columns_table({name: cells_of_pandas(frame[name]) for name in names}, source)


def cells_of_pandas(column: Any) -> list[object]:
    """The cells of a series of pandas; every kind of null is None."""
    nulls = column.isna().tolist()
    return [None if is_null else cell for cell, is_null in zip(column.tolist(), nulls, strict=True)]


def _repeated(names: Sequence[str]) -> str:
    """The problem of columns with the same name; empty if there are none."""
    twice = [repr(name) for name in dict.fromkeys(names) if names.count(name) > 1]
    return f"has duplicate columns: {listed(twice)}; rename them" if twice else ""


def rows_table(
    given: Sequence[object], source: str = "list of rows", notes: tuple[str, ...] = ()
) -> Table:
    """The list's dicts and objects as rows; an item without named values is a problem."""
    rows: list[Row] = []
    problems: list[Problem] = []
    for number, item in enumerate(given, start=1):
        values: Mapping[str, object] | str
        if item is None or isinstance(item, str):
            values = f"is {kind_of(item)}, not a dict of column name to value"
        elif not isinstance(item, Mapping):
            values = values_of(item)
        else:
            values = cast(Mapping[str, object], item)
            nameless = [name for name in values if not isinstance(cast(object, name), str)]
            values = f"has a key that is not text: {nameless[0]!r}" if nameless else values
        if isinstance(values, str):
            problems.append(Problem(values, source, number))
        else:
            rows.append(Row({name: plain(each) for name, each in values.items()}, source, number))
    return Table(tuple(rows), source, notes, tuple(problems))


def is_splits(source: object) -> bool:
    """Whether it is a DatasetDict: its keys are splits and not systems."""
    return isinstance(source, Mapping) and hasattr(cast(object, source), "column_names")


def is_columns(source: object, chosen: Collection[str] = ()) -> bool:
    """Whether it is a dict of columns: lists of which one has the name of a field or a chosen column."""
    columns = cast("Mapping[str, Sequence[object]]", mapping_in(source))
    return all(
        isinstance(cast(object, name), str) and _is_column(columns[name]) for name in columns
    ) and any(
        (field_of(name) is not None or name in chosen)
        and not (len(column) > 0 and isinstance(column[0], Mapping))
        for name, column in columns.items()
    )


def _is_column(value: object) -> bool:
    """A list, an array or a series; a frame has a shape of two."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Sized):
        return False
    shape = getattr(value, "shape", (1,))
    is_flat = isinstance(shape, tuple) and len(cast("tuple[int, ...]", shape)) == 1
    return is_flat and hasattr(value, "__getitem__") and hasattr(value, "__iter__")


def _mapping_table(source: Mapping[str, object], chosen: Collection[str]) -> Table:
    """The rows of every split, of columns, or of one sample; with several splits, an extra field names the split."""
    if not is_splits(source):
        if not is_columns(source, chosen):
            return rows_table([source], "dict")
        columns = {
            name: cells_of_pandas(column) if hasattr(column, "isna") else list(column)
            for name, column in cast(Mapping[str, Iterable[object]], source).items()
        }
        return _columns_table(columns, "dict of columns")
    name = "DatasetDict"
    tables = {split: _dataset_table(given, f"{name}[{split!r}]") for split, given in source.items()}
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


def _dataset_table(source: object, name: str) -> Table:
    """The rows of a Dataset; an IterableDataset is read to its end."""
    if callable(getattr(source, "to_dict", None)):
        return _columns_table(cast(Any, source).to_dict(), name)
    return _numbered(cast(Iterable[Mapping[str, object]], source), name)


def _columns_table(columns: Mapping[str, Sequence[object]], name: str) -> Table:
    lengths = {key: len(column) for key, column in columns.items()}
    if len(set(lengths.values())) > 1:
        counted = listed([f"{length:,} of {key!r}" for key, length in lengths.items()])
        return unreadable(name, f"has columns of different lengths: {counted}")
    rows = zip(*columns.values(), strict=True)
    return _numbered((dict(zip(columns, values, strict=True)) for values in rows), name)


def _samples_in(source: object) -> tuple[Sequence[object], tuple[str, ...]] | None:
    """The samples of a data set or of a single sample, with notes; None for other objects."""
    given = (
        {} if isinstance(source, str) else {name: value_of(source, name) for name in COLLECTIONS}
    )
    found = {name: items for name, value in given.items() if (items := items_in(value))}
    if found:
        first, *rest = found
        notes = tuple(f"read its {first}, left out its {len(found[name])} {name}" for name in rest)
        return found[first], notes
    if any(isinstance(value, list) for value in given.values()):
        return (), ()
    is_sample = named_values(source) is not None and isinstance(values_of(source), Mapping)
    return ((source,), ()) if is_sample else None


def values_of(item: object) -> Mapping[str, object] | str:
    """The item's values by column; the problem as text if it is not a sample."""
    named, kind = named_values(item), type(item).__name__
    if named is None:
        return f"is {kind}, not a dict of column name to value"
    has_messages = any(isinstance(named.get(name), list) for name in CONVERSATIONS)
    is_multi_turn = isinstance(named.get("user_input"), list)  # ragas' MultiTurnSample
    if is_multi_turn or (has_messages and not named.keys() & {"question", "input", "answer"}):
        try:
            said = {name: each for name, each in named.items() if each is not None and each != []}
            return _with_metadata(json.loads(json.dumps(said, default=plain_value)))
        except (TypeError, ValueError) as error:
            return f"is a conversation whose messages cannot be read: {error}"
    is_result = {"source_nodes", "documents"} & named.keys()
    if not is_result and {field_of(name) for name in named} <= NOT_ENOUGH:
        if parts_of(item) is not None:
            return (
                f"is a {kind}, a retrieved document and not a sample; "
                "put the documents of a question into its contexts"
            )
        names = listed([repr(name) for name in named])
        return f"is a {kind} without question, answer or reference; its attributes are {names}"
    # A pydantic model's value that is its class's default says nothing of the sample.
    declared = mapping_in(getattr(type(item), "model_fields", None))

    def is_default(name: str, value: object) -> bool:
        is_plain = isinstance(value, bool | str | int | float)
        own = getattr(declared.get(name), "default", None)
        return field_of(name) is None and name in declared and is_plain and value == own

    said = {name: value for name, value in named.items() if not is_default(name, value)}
    return _with_metadata({name: value for name, value in said.items() if value is not None})


def _with_metadata(values: Mapping[str, object]) -> Mapping[str, object]:
    """The values, with texts and numbers of the metadata beside them that could be no field but id or answerable."""
    flat = dict(values)
    for holder in METADATA:
        if not isinstance(metadata := flat.get(holder), Mapping):
            continue
        kept: dict[str, object] = {}
        for key, value in cast(Mapping[object, object], metadata).items():
            name, is_plain = str(key), isinstance(value, str | int | float)
            if is_plain and name not in flat and field_of(name) in (None, "id", "answerable"):
                flat[name] = value
            else:
                kept[name] = value
        flat[holder] = kept
        if not kept:
            del flat[holder]
    return flat
