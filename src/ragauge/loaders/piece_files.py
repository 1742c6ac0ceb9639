"""Pieces of samples, in memory or on disk: rows of a question get the same id, and all become samples with columns of one type each."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, count, pairwise
from math import inf
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ragauge.errors import Problem
from ragauge.loaders.conflicts import BY_PLACE, excerpt, name_of, question_of, system_of
from ragauge.loaders.table import Table
from ragauge.samples.file import SampleFile, TemporaryFolder, rows_at_once
from ragauge.samples.frame import frame_of
from ragauge.samples.samples import FIELDS, Row, to_columns

if TYPE_CHECKING:
    Ints = NDArray[np.int64]


FRAME_BYTES = 64 * 2**20  # samples of up to about this are a frame in memory, larger ones a file
LINE, SOURCE, NUMBERED, ROW = (f"ragauge {name}" for name in ("line", "source", "numbered", "row"))
_TYPES: "dict[type, Any]" = {int: pl.Int64, float: pl.Float64, bool: pl.Boolean, str: pl.String}


@dataclass(slots=True)
class PieceFiles:
    """Pieces of samples, each with the columns and types of its own rows.

    They are frames until they are larger than `most_bytes` together, and then files. `texts`: slice
    fields whose values become text, because they have several types in all pieces together.
    """

    most_bytes: float = inf
    texts: frozenset[str] = frozenset()
    folder: TemporaryFolder | None = None
    starts: list[int] = field(default_factory=list[int])  # the first row of each piece
    n_rows: int = 0
    kinds: dict[str, set[type]] = field(default_factory=dict[str, set[type]])  # types of slices
    sources: dict[str, int] = field(default_factory=dict[str, int])
    systems: dict[str, int] = field(default_factory=dict[str, int])
    rows_at_once: int = 0
    _frames: "list[pl.DataFrame]" = field(default_factory=list[Any])
    _n_bytes: float = 0

    def add(
        self,
        values: list[dict[str, object]],
        rows: Sequence[Row],
        numbered: Sequence[bool] | None = None,
    ) -> None:
        """Write values as the next piece, with the places of their rows."""
        for each in values:
            for name, value in each.items():
                kinds = self.kinds.setdefault(name, set())
                if value is not None and name not in FIELDS:
                    kinds.add(type(value))
                    if name in self.texts and not isinstance(value, str):
                        each[name] = json.dumps(value)
            self.systems.setdefault(cast(str, each["system"]), len(self.systems))
        sources = [self.sources.setdefault(row.source, len(self.sources)) for row in rows]
        frame = frame_of(values)
        self.rows_at_once = min(self.rows_at_once or rows_at_once(frame), rows_at_once(frame))
        places = (
            pl.Series(LINE, [row.line for row in rows], dtype=pl.UInt32),
            pl.Series(SOURCE, sources, dtype=pl.UInt32),
            pl.Series(NUMBERED, numbered or [False] * len(rows), dtype=pl.Boolean),
        )
        self._write(len(self.starts), frame.with_columns(places))
        self.starts.append(self.n_rows)
        self.n_rows += len(rows)

    def _write(self, number: int, frame: "pl.DataFrame") -> None:
        """Keep a piece, in place of the one with its number."""
        if self.folder is not None:
            self.folder.write(number, frame)
            return
        before = self._frames[number : number + 1]
        self._frames[number : number + 1] = [frame]
        self._n_bytes += frame.estimated_size() - sum(old.estimated_size() for old in before)
        if self._n_bytes > self.most_bytes:
            self.folder = TemporaryFolder()
            for place, kept in enumerate(self._frames):
                self._write(place, kept)
            self._frames.clear()

    def _scan(self, number: int) -> "pl.LazyFrame":
        return self._frames[number].lazy() if self.folder is None else self.folder.scan(number)

    def _schemas(self) -> "list[pl.Schema]":
        return [self._scan(number).collect_schema() for number in range(len(self.starts))]

    def mixed(self) -> set[str]:
        """Slice fields with several types, whose values some piece has in one of them instead of as text."""
        kinds = {n: k for n, k in self.kinds.items() if len(k) > 1 and k != {int, float}}
        schemas = self._schemas() if kinds else []
        texts = (None, pl.String(), pl.Null())
        return {name for name in kinds if any(each.get(name) not in texts for each in schemas)}

    def rows(self, wanted: "Sequence[int] | Ints", columns: Sequence[str]) -> "pl.DataFrame":
        """These columns of some rows, in ascending order of the rows' numbers; absent ones are null."""
        numbers = np.unique(np.asarray(wanted, dtype=np.int64))
        piece_of = np.searchsorted(self.starts, numbers, side="right") - 1
        found: list[pl.DataFrame] = []
        for piece in cast("list[int]", np.unique(piece_of).tolist()):
            own = numbers[piece_of == piece] - self.starts[piece]
            frame = self.piece(piece, columns)
            found.append(frame[own].with_columns(pl.Series(ROW, own + self.starts[piece])))
        return pl.concat(found, how="diagonal_relaxed")

    def as_rows(self, frame: "pl.DataFrame") -> list[Row]:
        """Rows with their places; the frame has these columns."""
        names = list(self.sources)
        places = cast("list[tuple[int, int | None]]", frame.select(SOURCE, LINE).rows())
        columns = to_columns(frame.drop(SOURCE, LINE))
        cells = zip(*columns.values(), strict=True)
        return [
            Row(dict(zip(columns, values, strict=True)), names[source], line)
            for (source, line), values in zip(places, cells, strict=True)
        ]

    def piece(self, number: int, columns: Sequence[str]) -> "pl.DataFrame":
        """These columns of one piece, those of them that it has."""
        if self.folder is None:
            frame = self._frames[number]
            # `select` is a lazy query, which takes long on few rows.
            return frame[[name for name in columns if name in frame.columns]]
        lazy = self._scan(number)
        own = lazy.collect_schema()
        return lazy.select([name for name in columns if name in own]).collect()

    def pieces(self, columns: Sequence[str]) -> "Iterator[pl.DataFrame]":
        for number in range(len(self.starts)):
            yield self.piece(number, columns)

    def rename(self, number: int, ids: Sequence[str]) -> None:
        """Give the rows of a piece other ids."""
        frame = self._scan(number).collect()
        self._write(number, frame.with_columns(pl.Series("id", ids, pl.String)))

    def copy_values(
        self, name: str, rows: "Sequence[int] | Ints", donors: "Sequence[int] | Ints"
    ) -> None:
        """Give these rows the value of a field that other rows of the same id have."""
        wanted, given = (np.asarray(numbers, dtype=np.int64) for numbers in (rows, donors))
        order = np.argsort(wanted)
        wanted, given = wanted[order], given[order]
        for number, (start, end) in enumerate(pairwise([*self.starts, self.n_rows])):
            own = slice(*np.searchsorted(wanted, [start, end]))
            if own.start == own.stop:
                continue
            frame, found = self._scan(number).collect(), self.rows(given[own], ["id", name])
            copied = found[np.searchsorted(found[ROW].to_numpy(), given[own])]
            at = wanted[own] - start
            is_same = (frame["id"][at] == copied["id"]).to_numpy()  # two ids may have the same hash
            values = copied[name].filter(is_same)
            before = pl.Series(name, [None] * frame.height, values.dtype)
            before = frame[name].cast(values.dtype) if name in frame.columns else before
            place = np.arange(frame.height)
            place[at[is_same]] = frame.height + np.arange(len(values))
            frame = frame.with_columns(pl.concat([before, values]).gather(place))
            self._write(number, frame)
            self.rows_at_once = min(self.rows_at_once, rows_at_once(frame))

    def finish(self) -> "pl.DataFrame | SampleFile":
        """All rows as one frame or file; the pieces are removed."""
        names = [name for name in FIELDS if name in self.kinds]
        names += [name for name in self.kinds if name not in FIELDS]
        if self.folder is None and len(self._frames) == 1:
            return self._frames.pop()[names]
        types: dict[str, Any] = {}
        schemas = self._schemas()
        for own in schemas:
            types = {**own, **types}
        for name, kinds in self.kinds.items():
            if name not in FIELDS:
                single = next(iter(kinds)) if len(kinds) == 1 else str
                kind = float if kinds == {int, float} else single
                types[name] = _TYPES[kind] if kinds else pl.Null
        pieces = [
            self._scan(number).select(
                (pl.col(name) if name in own else pl.lit(None)).cast(types[name]).alias(name)
                for name in names
            )
            for number, own in enumerate(schemas)
        ]
        if self.folder is not None:
            return self.folder.joined(pl.concat(pieces), len(schemas), self.rows_at_once)
        frame = pl.concat(pieces).collect()
        self._frames.clear()
        return frame


@dataclass(slots=True)
class Paired:
    """The gold with its new ids, and notes; or why rows cannot be paired."""

    gold: Table | None
    notes: list[str] = field(default_factory=list[str])
    problems: list[Problem] = field(default_factory=list[Problem])


def paired_by_question(pieces: PieceFiles, gold: Table | None) -> Paired:
    """Give rows without an id that of the rows with their question, or the next number that is no id."""
    naming = _Naming()
    for row in chain(() if gold is None else gold.rows, chain.from_iterable(_rows(pieces))):
        naming.learn(row)
    if gold is not None:
        gold = _with_ids(gold, [naming.id_of(row, None) for row in gold.rows])
    ids = [[naming.id_of(row, system_of(row)) for row in rows] for rows in _rows(pieces)]
    if problems := naming.problems():
        return Paired(gold, problems=problems)
    for number, own in enumerate(ids):
        pieces.rename(number, cast("list[str]", own))
    n = naming.n_unnamed
    counted = "1 row has" if n == 1 else f"{n:,} rows have"
    return Paired(gold, [f"{counted} no id: paired by the text of the question"])


def _with_ids(gold: Table, ids: Sequence[object]) -> Table:
    given = zip(gold.rows, ids, strict=True)
    return gold.with_values({**row.values, "id": id} for row, id in given)


def _rows(pieces: PieceFiles) -> Iterator[Sequence[Row]]:
    """The rows of each piece with what pairs them; the id is None if the source had none."""
    for frame in pieces.pieces(["id", "system", "question", LINE, SOURCE, NUMBERED]):
        unnamed = frame.with_columns(pl.when(~pl.col(NUMBERED)).then(pl.col("id")))
        yield pieces.as_rows(unnamed.drop(NUMBERED))


def are_repeated(pieces: PieceFiles) -> bool:
    """Whether two rows have the same question or none."""
    questions = [hash(question_of(row)) for row in chain.from_iterable(_rows(pieces))]
    return len(set(questions)) < len(questions)


def paired_by_place(pieces: PieceFiles, gold: Table | None) -> Paired:
    """Give the n-th row of each system the id of the n-th row of the gold, or of the first system; numbers without unique ids."""
    keys = pl.concat(pieces.pieces(["id", "system", SOURCE, NUMBERED]))
    keys = keys.with_columns(place=pl.int_range(pl.len()).over("system"))
    of_system = keys.group_by("system", maintain_order=True).agg(pl.len(), pl.col(SOURCE).first())
    sources = list(pieces.sources)
    counted = cast("list[tuple[str, int, int]]", of_system.rows())
    first, n, source = counted[0][0], counted[0][1], sources[counted[0][2]]
    if gold is not None:
        n, source = len(gold.rows), gold.rows[0].source
    problems = [
        Problem(
            f"system {system!r} has {n_rows:,} rows, but {source} has {n:,}; "
            "rows can be paired by place only if their numbers are equal",
            sources[own],
        )
        for system, n_rows, own in counted
        if n_rows != n
    ]
    if problems:
        return Paired(gold, problems=problems)
    if gold is not None:
        ids = [id for row in gold.rows if (id := name_of(row, "id")) is not None]
    else:
        of_first = keys.filter(pl.col("system") == first)
        ids = [] if of_first[NUMBERED].any() else of_first["id"].to_list()
    ids = ids if len(set(ids)) == n else [str(at + 1) for at in range(n)]
    new = pl.Series("new", ids, pl.String)[keys["place"]]
    renamed = keys.filter((keys["id"] != new) & ~keys[NUMBERED])["id"].n_unique()
    for number, (start, end) in enumerate(pairwise([*pieces.starts, pieces.n_rows])):
        pieces.rename(number, new[start:end].to_list())
    notes = [f"paired by place: {n:,} rows of each"]
    if renamed:
        notes.append(f"{renamed:,} ids are not used, as rows are paired by place")
    return Paired(None if gold is None else _with_ids(gold, ids), notes)


class _Naming:
    """Finds the id of a row by its question, and collects the rows for which there is none by why and source."""

    def __init__(self) -> None:
        self.n_unnamed = 0
        self._ids: dict[str, list[str]] = {}
        self._taken: set[str] = set()
        self._n = count(1)
        self._asked: set[tuple[str | None, str]] = set()
        self._unpaired: dict[tuple[str, str], list[Row]] = {}

    def learn(self, row: Row) -> None:
        """Take the id of a row that has one; all such rows come before those to be named."""
        self.n_unnamed += row.values.get("id") is None
        id, question = name_of(row, "id"), question_of(row)
        if id is not None and id.isdigit():  # only a number could be given again
            self._taken.add(id)
        if id is not None and question is not None:
            ids = self._ids.setdefault(question, [])
            if id not in ids:
                ids.append(id)

    def id_of(self, row: Row, system: str | None) -> object:
        """The row's own id, or that of its question; None if there is none. `system` is None for gold."""
        if (id := row.values.get("id")) is not None:
            return id
        question, why = question_of(row), ""
        if question is None:
            why = "unasked"
        elif system is not None and (system, question) in self._asked:
            why = "repeated"
        else:
            self._asked.add((system, question))
            if question not in self._ids:
                number = next(number for n in self._n if (number := str(n)) not in self._taken)
                self._ids[question] = [number]
            if len(self._ids[question]) == 1:
                return self._ids[question][0]
        self._unpaired.setdefault((why, row.source), []).append(row)
        return None

    def problems(self) -> list[Problem]:
        """One problem for each source and reason, naming the first row."""
        problems: list[Problem] = []
        order = ("unasked", "repeated", "")
        for (why, source), rows in sorted(
            self._unpaired.items(), key=lambda x: order.index(x[0][0])
        ):
            n, line = len(rows) - 1, rows[0].line
            if why == "unasked":
                n_rows = f"{n + 1:,} rows have" if n else "1 row has"
                way_out = f"add an id, or map the column: --map id=COLUMN; or use {BY_PLACE}"
                text = f"{n_rows} no id and no question, so they cannot be paired; {way_out}"
                problems.append(Problem(text, source, line))
                continue
            others = f" (and {n:,} more question{'s' * (n > 1)})" if n else ""
            text = f"is asked twice without an id{others}, so rows cannot be paired by the question; add ids"
            if why != "repeated":
                ids = self._ids[question_of(rows[0]) or ""]
                text = f"has no id here, and elsewhere the ids {ids[0]!r} and {ids[1]!r}{others}; add ids here"
            text = f"{excerpt(rows[0])} {text}, or use {BY_PLACE}"
            problems.append(Problem(text, source, line, "question"))
        return problems
