"""Read values of any type: lists, mappings, and the named values of an object: dataclass, pydantic model, named tuple, attrs class or plain class.

No package of these is imported; the object's own description of its fields is used.
"""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import cast


def named_values(item: object) -> dict[str, object] | None:
    """The public fields of an object with their values; None for values without fields.

    >>> from types import SimpleNamespace
    >>> named_values(SimpleNamespace(question="Where?", _cache=1))
    {'question': 'Where?'}
    >>> named_values("text") is None
    True
    """
    if isinstance(item, type | Mapping):
        return None
    values: dict[str, object] = {}
    for name in _names(item):
        if name.startswith("_"):
            continue
        try:
            values[name] = getattr(item, name)
        except AttributeError:  # a field that was never set
            continue
    return values or None


def value_of(item: object, name: str) -> object:
    """The value under this key of a mapping, or of this attribute of an object; None without it.

    A property that raises has no value: LlamaIndex's nodes raise for a text that they do not have.
    """
    if isinstance(item, Mapping):
        return cast(Mapping[str, object], item).get(name)
    try:
        return cast(object, getattr(item, name, None))
    except (ValueError, TypeError, NotImplementedError):
        return None


def items_in(value: object) -> Sequence[object]:
    """The items of a list or a tuple; none for any other value."""
    return cast(Sequence[object], value) if isinstance(value, list | tuple) else ()


def mapping_in(value: object) -> Mapping[str, object]:
    """The mapping, or an empty one for any other value."""
    return cast(Mapping[str, object], value) if isinstance(value, Mapping) else {}


def mappings_in(value: object) -> list[Mapping[str, object]]:
    """The items of a list that are mappings."""
    return [
        cast(Mapping[str, object], item) for item in items_in(value) if isinstance(item, Mapping)
    ]


def _names(item: object) -> list[str]:
    kind = type(item)
    if kind.__module__ in ("builtins", "numpy"):
        return []
    for declared in ("model_fields", "__fields__", "_fields"):  # pydantic 2 and 1, named tuples
        names: object = getattr(kind, declared, None)
        if isinstance(names, Mapping | tuple):
            extra: object = getattr(item, "__pydantic_extra__", None)
            return [*_texts(cast(object, names)), *_texts(extra or ())]
    if dataclasses.is_dataclass(item):
        return [field.name for field in dataclasses.fields(item)]
    slots = getattr(kind, "__slots__", ())
    slots = (slots,) if isinstance(slots, str) else slots
    return [*getattr(item, "__dict__", ()), *_texts(slots)]


def _texts(names: object) -> list[str]:
    return [name for name in cast(Iterable[object], names) if isinstance(name, str)]
