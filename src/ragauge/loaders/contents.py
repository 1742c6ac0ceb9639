"""Leave out the extra columns whose contents are not understood, and name them.

An extra field holds a text, a number or a flag of each sample, or a short list or object of these. An
image, a vector, a list of messages or an object of some class is none of that.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from ragauge.loaders.documents import parts_of
from ragauge.loaders.table import listed
from ragauge.samples.samples import FIELDS, Row

MAX_NUMBERS = 50
"""Longest list of numbers that is not a vector."""


@dataclass(slots=True)
class ExtraColumns:
    """What the extra columns of all rows read so far hold: one that is not understood is left out."""

    left_out: dict[str, str] = field(default_factory=dict[str, str])
    as_json: dict[str, None] = field(default_factory=dict[str, None])

    def read(self, rows: Sequence[Row]) -> Sequence[Row]:
        """The rows without the columns that are left out by now."""
        for row in rows:
            for name, value in row.values.items():
                if value is None or isinstance(value, str | int | float):
                    continue
                if name not in FIELDS and name not in self.left_out:
                    kind = _unknown(value)
                    self.left_out |= {name: kind} if kind is not None else {}
                    self.as_json |= {name: None} if isinstance(value, Mapping) else {}
        if not self.left_out:
            return rows
        kept = (
            {name: value for name, value in row.values.items() if name not in self.left_out}
            for row in rows
        )
        return [Row(values, row.source, row.line) for row, values in zip(rows, kept, strict=True)]

    def notes(self) -> tuple[str, ...]:
        notes: list[str] = []
        kept = listed([repr(name) for name in self.as_json if name not in self.left_out])
        if kept:
            notes.append(f"kept as JSON text: {kept}")
        if self.left_out:
            named = listed([f"{name!r} ({kind})" for name, kind in self.left_out.items()])
            notes.append(f"left out {named}: not a text, a number or a short list of them")
        documents = [name for name, kind in self.left_out.items() if kind == "lists of documents"]
        if documents:
            notes.append(f"if {documents[0]!r} holds the contexts: --map contexts={documents[0]}")
        return tuple(notes)


def _are_documents(items: Sequence[object]) -> bool:
    """Whether all have a text, and none is a message."""
    return all(
        parts_of(item) is not None and not (isinstance(item, Mapping) and "role" in item)
        for item in items
    )


def _unknown(value: object, depth: int = 2) -> str | None:
    """What kind of value cannot be an extra field; None for one that can."""
    if value is None or isinstance(value, str | int | float):
        return None
    if isinstance(value, Mapping):
        parts = list(cast(Mapping[object, object], value).values())
        is_flat = all(part is None or isinstance(part, str | int | float) for part in parts)
        return None if is_flat else "nested objects"
    if isinstance(value, list | tuple):
        items = cast(Sequence[object], value)
        if len(items) > MAX_NUMBERS and all(isinstance(item, int | float) for item in items):
            return f"lists of {len(items):,} numbers"
        if any(isinstance(item, Mapping) for item in items):
            return "lists of documents" if _are_documents(items) else "lists of objects"
        kinds = [_unknown(item, depth - 1) for item in items] if depth else ["nested lists"]
        return next((kind for kind in kinds if kind is not None), None)
    return f"{type(value).__name__} values"
