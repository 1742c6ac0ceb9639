"""Give the gold that the file of one system holds to the systems whose files hold none."""

from collections.abc import Mapping, Sequence

from ragauge.loaders.pairing import name_of, system_of
from ragauge.samples.samples import Row

SHARED = ("references", "gold_contexts", "relevant", "answerable")
"""Fields that belong to a question, whoever answers it."""


def with_shared_gold(rows: Sequence[Row]) -> tuple[list[Row], tuple[str, ...]]:
    """The rows with these fields of their question, and notes on whose were used.

    Only for a system of which no row has the field: a null is what its author wrote.
    """
    systems = dict.fromkeys(map(system_of, rows))
    absent = {system: [*SHARED] for system in systems}
    values: dict[str, dict[str, tuple[str, object]]] = {}
    for row in rows:
        system, id = system_of(row), name_of(row, "id")
        for field in SHARED:
            value = row.values.get(field)
            if field in row.values and field in absent[system]:
                absent[system].remove(field)
            if id is not None and value is not None:
                values.setdefault(field, {}).setdefault(id, (system, value))
    used: dict[tuple[str, str, str], int] = {}
    found = [_filled(row, absent[system_of(row)], values, used) for row in rows]
    notes = tuple(
        shared_note(field, owner, n, system) for (field, owner, system), n in used.items()
    )
    return found, notes


def shared_note(field: str, owner: str, n: int, system: str) -> str:
    """The note on `n` answers of a system without a field, which have that of another system."""
    return f"{field} of {owner!r} used for {n:,} answers of {system!r}, which has none"


def _filled(
    row: Row,
    fields: Sequence[str],
    values: Mapping[str, Mapping[str, tuple[str, object]]],
    used: dict[tuple[str, str, str], int],
) -> Row:
    """The row with these fields of its question; `used` counts them."""
    id, system = name_of(row, "id"), system_of(row)
    more: dict[str, object] = {}
    for field in fields:
        given = values.get(field, {}).get(id or "")
        if given is not None:
            owner, more[field] = given
            used[field, owner, system] = used.get((field, owner, system), 0) + 1
    return Row({**row.values, **more}, row.source, row.line) if more else row
