"""Sources of answers: which reader a file, folder or object has, and its reading in pieces, with the layout of the rows read so far."""

import glob
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from ragauge.errors import Problem
from ragauge.loaders import traces
from ragauge.loaders.formats.csv import CsvNotes, csv_tables, without_fillers
from ragauge.loaders.formats.frames import is_columns, is_splits, object_table
from ragauge.loaders.formats.json import read_json
from ragauge.loaders.formats.jsonl import jsonl_tables, read_jsonl
from ragauge.loaders.formats.parquet import FooterError, parquet_tables, read_footer
from ragauge.loaders.mapping import field_of, learn_columns
from ragauge.loaders.shapes import benchmarks, conversations, layouts, nested
from ragauge.loaders.shapes import table as shapes
from ragauge.loaders.table import NeedsAllRowsError, Table, listed, unreadable
from ragauge.samples.fields import Row
from ragauge.storage.regular_file import as_url, exists, is_file, is_folder

if TYPE_CHECKING:
    from ragauge.loaders.rows import Decisions

    Layout = tuple[layouts.Groups, layouts.Layout | None]


class Frame(Protocol):
    """A polars or pandas frame."""

    @property
    def columns(self) -> object: ...
    @property
    def shape(self) -> tuple[int, int]: ...


Source = str | os.PathLike[str] | Sequence[Mapping[str, object]] | Frame

_PIECES: dict[str, Callable[[Path, float], Iterator[Table]]] = {
    ".jsonl": jsonl_tables,
    ".ndjson": jsonl_tables,
    ".csv": partial(csv_tables, delimiter=","),
    ".tsv": partial(csv_tables, delimiter="\t"),
    ".parquet": parquet_tables,
}
PIECE_BYTES = 8 * 2**20  # about what of a file is rows in memory at the same time
KINDS = tuple(_PIECES)  # of the files that a set may hold; those of text also packed
SAME = {".ndjson": ".jsonl"}
PACKED = (".gz", ".zst")
RUN, UNFINISHED = "manifest.json", "answers.sqlite"  # of a run, of `ragauge ask` before it ends
MAX_PATTERN = 4_096  # characters, as bytes of a path on Linux: reading one takes quadratic time
MAX_LEVELS = 4  # `**` of a pattern: each way to divide the folders of a path among them is tried
TEXTS = (".jsonl", ".ndjson", ".json", ".csv", ".tsv")
ENDINGS = (*TEXTS, *(f"{ending}{packed}" for ending in TEXTS for packed in PACKED), ".parquet")
_UNPACKED = 5  # packed files, and Parquet, are taken to hold this many times their own size
_VALUE_BYTES = 32  # of a value of Parquet in memory: a repeated one takes no room in the file
_REFUSED = {
    "loading it could execute code in it; export it as JSON Lines or Parquet": (
        ".pkl", ".pickle", ".joblib", ".dill", ".pt", ".pth", ".npy", ".npz",
    ),
    "unpack it first": (".zst", ".zstd", ".bz2", ".xz", ".zip", ".7z", ".tar", ".tgz"),
    "save the sheet as CSV": (".xls", ".xlsx", ".ods"),
    "rankings and judgements are scored with 'ragauge rank QRELS RUN'": (".trec", ".run", ".qrels"),
}  # fmt: skip


def read_source(source: object, chosen: Collection[str] = ()) -> Table:
    """The rows and problems of a file or object, without its columns in `chosen` unpacked; PlanError for other types."""
    if isinstance(source, str | os.PathLike):
        table = _read_file(cast("str | os.PathLike[str]", source))
    else:
        table = object_table(source, chosen)
    table = of_other_tools(table, chosen)
    return layouts.with_passages(layouts.with_lists(table, keep=chosen), keep=chosen)


def of_other_tools(table: Table, chosen: Collection[str], *, is_piece: bool = False) -> Table:
    """The rows of other tools and data sets as samples, and conversations as their turns.

    NeedsAllRowsError if a piece of a source has such rows, conversations in CSV, or some without ids, which count all rows.
    """
    before = benchmarks.recognised(traces.recognised(shapes.recognised(table, chosen)), keep=chosen)
    turns = conversations.recognised(before, chosen)
    read = nested.unwrapped(shapes.with_field_names(turns, keep=chosen), keep=chosen)
    read = nested.with_results(shapes.with_nested_fields(read, keep=chosen))
    read = layouts.with_split_texts(read, keep=chosen)
    if is_piece:
        is_numbered = any(row.values.get("id") is None for row in table.rows)
        counts_rows = turns is not before and (table.all_text or is_numbered)
        is_other = before is not table or read is not turns or counts_rows
        if is_other or benchmarks.as_legalbench(read) is not read:
            raise NeedsAllRowsError("its rows have the shape of another tool's")
    return read


def kind_of_file(path: Path) -> str | None:
    """The ending that says how a file of rows is read, without that of its packing; None for others."""
    name = path.name.lower()
    bare = name.removesuffix(".gz").removesuffix(".zst")
    kind = next((kind for kind in KINDS if bare.endswith(kind)), None)
    return None if kind == ".parquet" and bare != name else kind


def is_set(path: Path) -> bool:
    """Whether the path names several files: a folder, or a pattern that is no file's name."""
    # Unlike Path.is_dir, False for names that no file can have.
    return os.path.isdir(path) or (  # noqa: PTH112
        len(str(path)) <= MAX_PATTERN and glob.has_magic(str(path)) and not os.path.lexists(path)
    )


def files_of_set(path: Path) -> Sequence[Path] | Table:
    """The files in the order of their names, or an empty table with the problem."""
    source = str(path)
    what, base = "is a pattern", path.parent
    if is_folder(path):
        if exists(path / RUN):
            return unreadable(
                source, "is the folder of a run; look at it with: ragauge show FOLDER"
            )
        what, base = "is a folder", path
        found = [file for file in path.iterdir() if not file.name.startswith(".")]
    elif path.parts.count("**") > MAX_LEVELS:
        return unreadable(source, f"has more than {MAX_LEVELS} `**`; one matches any folders")
    else:
        names = glob.glob(source, recursive=True)  # noqa: PTH207 - the path is the pattern
        found = [Path(name) for name in dict.fromkeys(names)]
    files = sorted(file for file in found if kind_of_file(file) and file.is_file())
    kinds = sorted({SAME.get(kind, kind) for file in files if (kind := kind_of_file(file))})
    if len(kinds) > 1:
        several = f"{what} with files of several kinds ({listed(kinds)})"
        return unreadable(
            source, f"{several}; choose one kind by a pattern: {base / '*'}{kinds[0]}"
        )
    problem = f"{what} without data files ({', '.join(KINDS)}); give a file"
    if not files and exists(path / UNFINISHED):
        problem = "has no answers yet: ragauge ask was ended before; run the same command again"
    return files or unreadable(source, problem)


def file_tables(files: Sequence[Path], most_bytes: float = inf) -> Iterator[Table]:
    """The rows of files in tables of about `most_bytes` bytes; JSON is one value."""
    for file in files:
        kind = kind_of_file(file)
        yield from [read_json(file)] if kind is None else _PIECES[kind](file, most_bytes)


def files_in_pieces(source: object, most_bytes: float | None = None) -> Sequence[Path] | None:
    """The files of a source that are more than one piece of about `most_bytes` (PIECE_BYTES); None for any other source."""
    if not isinstance(source, str | os.PathLike):
        return None
    path = Path(cast("str | os.PathLike[str]", source))
    if "://" in str(path):
        return None
    try:
        files = files_of_set(path) if is_set(path) else [path]
        if isinstance(files, Table) or not all(
            kind_of_file(each) and is_file(each) for each in files
        ):
            return None
        most_bytes = PIECE_BYTES if most_bytes is None else most_bytes
        return files if size_of(files) > most_bytes else None
    except (OSError, ValueError):
        return None


def size_of(files: Sequence[Path]) -> int:
    """About how many bytes the files hold unpacked."""
    size = 0
    for file in files:
        ending, own = file.suffix.lower(), file.stat().st_size
        size += own * (_UNPACKED if ending in (*PACKED, ".parquet") else 1)
        if ending == ".parquet":
            with suppress(FooterError, OSError):
                size = max(size, _VALUE_BYTES * read_footer(file).n_values)
    return size


def is_one_source(source: object, chosen: Collection[str] = ()) -> bool:
    """Whether a mapping is one source: columns, splits or a sample, which has a text, and not systems by name."""
    if not isinstance(source, Mapping):
        return True
    values = cast(Mapping[object, object], source)
    if is_splits(values) or is_columns(values, chosen):
        return True
    named = {name: value for name, value in values.items() if isinstance(name, str)}
    texts = [value for name, value in named.items() if field_of(name) in ("question", "answer")]
    is_sample = any(isinstance(text, str) and not text.lower().endswith(ENDINGS) for text in texts)
    return is_sample or nested.is_result(named)


def _read_file(source: str | os.PathLike[str]) -> Table:
    path = Path(source)
    if (url := as_url(source)) is not None:
        problem = "is a URL of a kind that is not read (s3:// and gs:// are); download it first"
        return unreadable(url, problem)
    is_stream = str(path) == "/dev/stdin" or str(path.parent) in ("/dev/fd", "/proc/self/fd")
    if is_stream or (str(path) == "-" and not exists(path)):  # as shells pass on a stream
        problem = (
            "is standard input or a pipe, and answers are read more than once, also when a run is resumed; "
            "save them in a file first, as answers.jsonl"
        )
        return unreadable(str(source), problem)
    files = files_of_set(path) if is_set(path) else [path]
    if isinstance(files, Table):
        return files
    name = path.name.lower()
    if is_set(path) or name.endswith(ENDINGS):
        tables = [without_fillers(each) if each.all_text else each for each in file_tables(files)]
        return Table(
            tuple(row for table in tables for row in table.rows),
            str(path),
            tuple(dict.fromkeys(note for table in tables for note in table.notes)),
            tuple(problem for table in tables for problem in table.problems),
            all_text=any(table.all_text for table in tables),
            may_print_lists=any(table.may_print_lists for table in tables),
        )
    for why, suffixes in _REFUSED.items():
        if name.endswith(suffixes):
            return unreadable(str(path), f"is not supported: {why}")
    if not exists(path):
        return read_jsonl(path)  # reports that it does not exist, with a similar name
    known = f"{', '.join(TEXTS)} (each also .gz, .zst) and .parquet"
    return unreadable(str(path), f"has an unknown ending; use one of {known}")


@dataclass(frozen=True, slots=True)
class AnswerSource:
    """Files of answers, or one table with a row for each answer. `system` gave all of them, if it is known."""

    name: str
    system: str | None = None
    files: Sequence[Path] = ()
    table: Table | None = None


@dataclass(slots=True)
class Reading:
    """One reading of a source, whose layout is that of the rows read so far: numbered columns, systems side by side."""

    source: AnswerSource
    decisions: "Decisions"
    csv: CsvNotes = field(default_factory=CsvNotes)
    problems: list[Problem] = field(default_factory=list[Problem])
    n_rows: int = 0
    _columns: dict[str, None] = field(default_factory=dict[str, None])
    _with_words: set[str] = field(default_factory=set[str])  # columns that may be answers
    _layout: "Layout | None" = None
    _used_layout: "Layout | None" = None
    _has_one_layout: bool = True
    _turns: dict[str, int] = field(default_factory=dict[str, int])
    _of_chats: dict[str, None] = field(default_factory=dict[str, None])
    _other_systems: set[str] = field(default_factory=set[str])

    @classmethod
    def first(cls, source: AnswerSource, chosen: Mapping[str, str], *, has_gold: bool) -> "Reading":
        """`chosen`: the user's choice of columns; `has_gold`: gold is in another file."""
        from ragauge.loaders.rows import Decisions

        settled = () if source.system is None else ("system",)
        return cls(source, Decisions(chosen, settled, has_gold, source.table is not None))

    def tables(self) -> Iterable[Table]:
        """All rows, some at a time."""
        own = self.source
        return (own.table,) if own.table is not None else file_tables(own.files, PIECE_BYTES)

    def read(self, table: Table) -> Sequence[Row]:
        """The rows of a piece with fields as names."""
        if self.source.table is None:
            table = self._unpacked(self.csv.read(table) if table.all_text else table)
        table = self._laid_out(table)
        self.problems += table.problems
        self.n_rows += len(table.rows)
        rows = self.decisions.read(table, self.problems)
        system = self.source.system
        if system is None:
            return rows
        for row in rows:
            name = row.values.get("system")
            if name not in (None, system) and repr(name) not in self._other_systems:
                self._other_systems.add(repr(name))
                given = f"the answers were given as system {system!r}; remove one of the two"
                self.problems.append(
                    Problem(f"is {name!r}, but {given}", row.source, row.line, "system")
                )
        return [Row({**row.values, "system": system}, row.source, row.line) for row in rows]

    def _unpacked(self, table: Table) -> Table:
        """A piece with conversations as their turns, whose notes are counted over all pieces."""
        read = of_other_tools(table, self.decisions.chosen.values(), is_piece=True)
        if read is not table:
            new = read.notes[len(table.notes) :]
            self._of_chats |= {note: None for note in new if conversations.BY_TURN not in note}
            said, by_turn = " ".join(new), conversations.BY_TURN
            names = (each for each in conversations.CHATS if f"read {each!r} {by_turn}" in said)
            name = next(names, "")
            n_turns = sum({"conversation", "messages"} <= {*row.values} for row in read.rows)
            if n_turns:
                self._turns[name] = self._turns.get(name, 0) + n_turns
        return read

    def _laid_out(self, table: Table) -> Table:
        """The table with lists, and with a row for each system, unless the source's system is known."""
        is_whole, has_system = self.source.table is not None, self.source.system is not None
        if not has_system:
            one_column = layouts.spread(table)
            if one_column is not table and not is_whole:
                raise NeedsAllRowsError("a column holds the answers of several systems")
            table = one_column
        is_new = learn_columns(self._columns, table.rows)
        for name in () if has_system else filter(layouts.may_be_answers, self._columns):
            cells = (row.values.get(name) for row in table.rows)
            if name not in self._with_words and any(map(layouts.is_words, cells)):
                self._with_words.add(name)
                is_new = True
        chosen = self.decisions.chosen
        if is_new or self._layout is None:
            groups = layouts.numbered_groups(tuple(self._columns), tuple(chosen.values()))
            layout = None
            if not has_system:
                has_words = self._with_words.__contains__
                layout = layouts.layout_of(self._gathered(groups), chosen.get("answer"), has_words)
            self._layout = groups, layout
        self._has_one_layout &= self._used_layout in (None, self._layout)
        groups, layout = self._used_layout = self._layout
        table = layouts.gathered(table, groups) if groups else table
        if not is_whole and layouts.with_passages(table, tuple(chosen.values())) is not table:
            raise NeedsAllRowsError("its rows are the passages of questions")
        return table if layout is None else layouts.by_system(table, layout)

    def _gathered(self, groups: layouts.Groups) -> list[str]:
        """The columns with lists for the numbered ones."""
        taken = {column.name for group in groups.values() for column in group}
        return [*(name for name in self._columns if name not in taken), *groups]

    @property
    def may_be_passages(self) -> bool:
        """Whether each row may be a passage of a question, which has other rows far from it."""
        if self._layout is None or self.source.table is not None:
            return False
        chosen = self.decisions.chosen.values()
        free = [name for name in self._gathered(self._layout[0]) if name not in chosen]
        return layouts.passage_columns(free) is not None

    def column_problems(self) -> list[Problem]:
        """What is wrong with the source's rows and columns; not with their values."""
        names = self.decisions.naming().problems if self.n_rows else ()
        problems = [*self.problems, *(Problem(text, self.source.name) for text in names)]
        if not self.n_rows and not problems:
            return [Problem("holds no samples; is it the right file?", self.source.name)]
        return problems

    def notes(self) -> list[str]:
        """How columns and values were read."""
        groups, layout = self._layout or ({}, None)
        return [
            *(() if self.source.table is None else self.source.table.notes),
            *dict.fromkeys(self.csv.notes()),
            *conversations.notes_on(self._turns),
            *self._of_chats,
            *([layouts.note_of_groups(groups)] if groups else ()),
            *([] if layout is None else [layouts.note_of_systems(layout)]),
            *self.decisions.notes(),
        ]

    @property
    def is_settled(self) -> bool:
        """Whether all rows were read by what is decided now."""
        is_settled = self._has_one_layout and self.decisions.is_settled
        return self.source.table is not None or is_settled

    def again(self) -> "Reading":
        """The same source, to be read from the beginning by what is decided now."""
        # In another layout the columns are others.
        from_nothing = self.source.table is not None or not self._has_one_layout
        new = Reading(self.source, self.decisions.again(from_nothing=from_nothing))
        new._columns, new._with_words, new._layout = self._columns, self._with_words, self._layout
        return new

    def lacks(self, column: str) -> bool:
        return self.n_rows > 0 and column not in self.decisions.columns
