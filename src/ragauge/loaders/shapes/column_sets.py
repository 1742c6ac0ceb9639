"""Read tables that only their columns together tell apart: one name alone could mean something else.

`source` is a file's name in most tables, and the text that was summarised beside `summary`; `label`
is a verdict in most, and the expected answers in BERGEN's.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from ragauge.loaders.mapping import field_of, folded
from ragauge.loaders.table import Table, listed


@dataclass(frozen=True, slots=True)
class ColumnSet:
    """Columns that a table must have, and what some are called here; `texts` holds texts in every row."""

    needs: frozenset[str]
    names: Mapping[str, str]
    texts: str | None = None


COLUMN_SETS = (
    # Vectara's HHEM and other checks of summaries
    ColumnSet(
        frozenset({"source", "summary"}),
        {"source": "contexts", "summary": "answer"},
        "source",
    ),
    # BERGEN
    ColumnSet(
        frozenset({"question", "instruction", "response", "label"}),
        {"label": "references"},
        "label",
    ),
    # Cohere's chat, with its documents
    ColumnSet(
        frozenset({"message", "text", "documents"}), {"message": "question", "text": "answer"}
    ),
    # RAGTruth: `id` is the response's, so that no two systems share one
    ColumnSet(frozenset({"id", "source_id", "model", "response"}), {"source_id": "id"}),
)


def recognised(table: Table, keep: Collection[str] = ()) -> Table:
    """The table with the columns of a known set under their fields' names; other tables as they are.

    Columns in `keep` stay as they are, and a field that another column gives.
    """
    columns = {folded(name): name for name in table.columns()}
    for known in COLUMN_SETS:
        names = {columns[name]: ours for name, ours in known.names.items() if name in columns}
        # A column that the set needs may give way: RAGTruth's own `id`.
        given = {
            field_of(name)
            for name in columns.values()
            if name not in names and folded(name) not in known.needs
        }
        if not known.needs <= columns.keys() or names.keys() & set(keep):
            continue
        if given & set(names.values()) or not _holds_texts(table, columns.get(known.texts or "")):
            continue
        read = listed([f"{theirs!r} as {ours}" for theirs, ours in names.items()])
        ours = set(names.values())
        renamed = (
            {names.get(name, name): value for name, value in row.values.items() if name not in ours}
            for row in table.rows
        )
        return table.with_values(renamed, f"read {read}")
    return table


def _holds_texts(table: Table, column: str | None) -> bool:
    """Whether the column is a list, a text longer than a word, or empty in every row."""
    values = [row.values.get(column) for row in table.rows] if column else []
    return all(
        len(value.split()) > 1 if isinstance(value, str) else isinstance(value, list | tuple | None)
        for value in values
    )
