"""Read a table with one row for each retrieved passage: the rows of a question become one sample."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from ragauge.loaders.documents import ID_KEYS, SCORE_KEYS, score_of
from ragauge.loaders.mapping import field_of, folded
from ragauge.loaders.table import Table, listed
from ragauge.samples.samples import Row

TEXT_NAMES = frozenset({"passage", "passage_text", "chunk", "chunk_text", "document", "snippet"})
"""Names of one passage; those of a list of contexts count too."""
ID_NAMES = frozenset({*ID_KEYS, "chunk", "source"}) - {"id", "_id", "id_"}
RANKS = frozenset({"rank", "position", "passage_rank", "chunk_rank", "passage_number"})
IDENTITY = ("id", "question", "system")
SAME = ("answer", "references", "gold_contexts", "relevant", "answerable")
"""What must be the same in all rows of a question; an empty cell repeats what is above it."""


@dataclass(frozen=True, slots=True)
class _Columns:
    text: str
    id: str | None
    score: str | None
    rank: str | None


def recognised(table: Table, keep: Collection[str] = ()) -> Table:
    """The table with one row for each question and system, its passages as contexts.

    Only if some question has several rows, which differ in nothing but the passage and what belongs
    to it. Columns in `keep` stay as they are.
    """
    columns = table.columns()
    passage = _columns([name for name in columns if name not in keep])
    if passage is None:
        return table
    fields = {name: field_of(name) for name in columns}
    identity = [name for name in columns if fields[name] in IDENTITY]
    groups: dict[tuple[object, ...], list[Row]] = {}
    for row in table.rows:
        key = tuple(_hashable(row.values.get(name)) for name in identity)
        groups.setdefault(key, []).append(row)
    same = [name for name in columns if fields[name] in SAME]
    is_asked = {"id", "question"} & {fields[name] for name in identity}
    if not is_asked or len(groups) == len(table.rows):
        return table
    if not all(_are_passages(rows, passage) for rows in groups.values()):
        return table
    if not all(_agree(rows, name) for rows in groups.values() for name in same):
        return table
    others = [
        name
        for name in columns
        if name not in (passage.text, passage.id, passage.score, passage.rank)
    ]
    differing = [name for name in others if not all(_agree(rows, name) for rows in groups.values())]
    kept = [name for name in others if name not in differing]
    samples = tuple(_sample(rows, kept, passage) for rows in groups.values())
    note = (
        f"read {len(table.rows):,} rows, one for each {passage.text!r}, as {len(samples):,} samples"
    )
    if differing:
        note += f"; left out {listed([repr(name) for name in differing])}"
    return replace(table, rows=samples, notes=(*table.notes, note))


def may_be_passages(columns: Sequence[str]) -> bool:
    """Whether the rows of a table with these columns may each be a passage of a question."""
    return _columns(columns) is not None


def _columns(columns: Sequence[str]) -> _Columns | None:
    """The columns of a passage: the only one with its text, and its id, score and rank."""
    names = {name: folded(name) for name in columns}
    texts = [
        name for name, usual in names.items() if usual in TEXT_NAMES or field_of(name) == "contexts"
    ]
    if len(texts) != 1:
        return None
    first = {
        key: next(
            (name for name, usual in names.items() if usual in usuals and name != texts[0]), None
        )
        for key, usuals in (("id", ID_NAMES), ("score", SCORE_KEYS), ("rank", RANKS))
    }
    return _Columns(texts[0], first["id"], first["score"], first["rank"])


def _are_passages(rows: Sequence[Row], passage: _Columns) -> bool:
    """Whether each row has one text, which is another in each row."""
    texts = [row.values.get(passage.text) for row in rows]
    ids = [row.values.get(passage.id) if passage.id is not None else None for row in rows]
    is_text = all(isinstance(text, str) and not text.lstrip().startswith("[") for text in texts)
    return is_text and len(set(zip(texts, map(_hashable, ids), strict=True))) == len(rows)


def _agree(rows: Sequence[Row], name: str) -> bool:
    given = {_hashable(value) for row in rows if (value := row.values.get(name)) not in (None, "")}
    return len(given) <= 1


def _hashable(value: object) -> object:
    return value if value is None or isinstance(value, str | int | float) else repr(value)


def _sample(rows: Sequence[Row], kept: Sequence[str], passage: _Columns) -> Row:
    first = rows[0]
    values = {
        name: next(
            (value for row in rows if (value := row.values.get(name)) not in (None, "")),
            first.values.get(name),
        )
        for name in kept
        if name in first.values
    }
    if passage.rank is not None:
        rows = sorted(rows, key=lambda row: _rank(row.values.get(passage.rank or "")))
    filled = [row.values for row in rows if row.values.get(passage.text) not in (None, "")]
    values["contexts"] = [each[passage.text] for each in filled]
    for column, field in ((passage.id, "context_ids"), (passage.score, "context_scores")):
        given = [] if column is None else [each.get(column) for each in filled]
        if given and None not in given and "" not in given:
            is_score = field == "context_scores"
            values[field] = [score_of(value) if is_score else value for value in given]
    return Row(values, first.source, first.line)


def _rank(value: object) -> float:
    try:
        return float(str(value))
    except ValueError:
        return float("inf")
