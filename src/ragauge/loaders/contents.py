"""Leave out the extra columns whose contents are not understood, and name them.

An extra field holds a text, a number or a flag of each sample, or a short list or object of these. An
image, a vector, a list of messages or an object of some class is none of that.
"""

from collections.abc import Mapping, Sequence
from typing import cast

from ragauge.loaders.table import listed
from ragauge.sample import FIELDS, Row

MAX_NUMBERS = 50
"""Longest list of numbers that is not a vector."""


def without_unknown(rows: Sequence[Row]) -> tuple[Sequence[Row], tuple[str, ...]]:
    """The rows without extra columns that cannot be extra fields, and a note on these."""
    left_out: dict[str, str] = {}
    for row in rows:
        for name, value in row.values.items():
            if value is None or isinstance(value, str | int | float):
                continue
            if name not in FIELDS and name not in left_out:
                kind = _unknown(value)
                left_out |= {name: kind} if kind is not None else {}
    if not left_out:
        return rows, ()
    named = listed([f"{name!r} ({kind})" for name, kind in left_out.items()])
    kept = [
        Row(
            {name: value for name, value in row.values.items() if name not in left_out},
            row.source,
            row.line,
        )
        for row in rows
    ]
    return kept, (f"left out {named}: not a text, a number or a short list of them",)


def _unknown(value: object, depth: int = 3) -> str | None:
    """What kind of value cannot be an extra field; None for one that can."""
    if value is None or isinstance(value, str | int | float):
        return None
    if isinstance(value, Mapping):
        parts = list(cast(Mapping[object, object], value).values())
        kinds = [_unknown(part, depth - 1) for part in parts] if depth else ["nested objects"]
        return next((kind for kind in kinds if kind is not None), None)
    if isinstance(value, list | tuple):
        items = cast(Sequence[object], value)
        if len(items) > MAX_NUMBERS and all(isinstance(item, int | float) for item in items):
            return f"lists of {len(items):,} numbers"
        if any(isinstance(item, Mapping) for item in items):
            return "lists of objects"
        kinds = [_unknown(item, depth - 1) for item in items] if depth else ["nested lists"]
        return next((kind for kind in kinds if kind is not None), None)
    return f"{type(value).__name__} values"
