"""Give rows about the same question the same id: by the question's text, or by place."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, count, pairwise
from typing import cast

import polars as pl

from ragauge.errors import Problem
from ragauge.loaders.conflicts import BY_PLACE, excerpt, name_of, question_of, system_of
from ragauge.loaders.piece_files import LINE, NUMBERED, SOURCE, PieceFiles
from ragauge.loaders.table import Table
from ragauge.samples.samples import Row


@dataclass(slots=True)
class Paired:
    """The gold with its new ids, and notes; or why rows cannot be paired."""

    gold: Table | None
    notes: list[str] = field(default_factory=list[str])
    problems: list[Problem] = field(default_factory=list[Problem])


def paired_by_question(pieces: PieceFiles, gold: Table | None) -> Paired:
    """Give rows without an id that of the rows with their question, or the next number that is no id.

    About 200 bytes of each question are in memory.
    """
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
    """Give the n-th row of each system the id of the n-th row of the gold, or of the first system.

    Ids that are missing or repeated there are numbers from 1.
    """
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
