"""The settings of metrics, features and measures: their types, and reading given values into them."""

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import NoneType, UnionType
from typing import Annotated, Literal, NamedTuple, Union, cast, get_args, get_origin

from ragauge.errors import LabelError, did_you_mean
from ragauge.label import SettingValue
from ragauge.storage.tomlfile import TYPE_NAMES


class Constraint(NamedTuple):
    """A condition on a setting, as in `Annotated[int, Constraint("an even number", is_even)]`."""

    description: str
    check: Callable[..., bool]


class Renamed(NamedTuple):
    """Old spellings of a setting's values, still accepted: `Annotated[Literal["b"], Renamed({"a": "b"})]`."""

    values: Mapping[str, str]


def is_within(value: float, low: float, high: float = float("inf")) -> bool:
    return low <= value <= high


Count = Annotated[int, Constraint("a whole number of at least 1", partial(is_within, low=1))]
_is_tolerance = partial(is_within, low=0, high=sys.float_info.max)
Tolerance = Annotated[float, Constraint("a number of at least 0", _is_tolerance)]
Share = Annotated[float, Constraint("a number from 0 to 1", partial(is_within, low=0, high=1))]


class Setting(NamedTuple):
    """A keyword-only parameter with a default."""

    name: str
    default: SettingValue
    type: object

    def read(self, value: SettingValue) -> SettingValue:
        """The value converted to the setting's type; LabelError if it does not fit."""
        read = _read(self.type, value)
        if read is _UNREADABLE:
            raise LabelError(f"{self.name} must be {_type_name(self.type)}, got {value!r:.80}")
        return cast(SettingValue, read)


def read_setting(parameter: inspect.Parameter) -> Setting:
    """The setting that a keyword-only parameter with a default declares."""
    default, annotation = cast(SettingValue, parameter.default), cast(object, parameter.annotation)
    kind = type(default) if annotation is parameter.empty else annotation
    return Setting(parameter.name, default, kind)


def read_settings(
    owner: str, settings: Sequence[Setting], given: Mapping[str, SettingValue]
) -> dict[str, SettingValue]:
    """All `settings` of a metric or measure, with defaults; LabelError names every bad one."""
    known = {setting.name: setting for setting in settings}
    problems: list[str] = []
    values = {setting.name: setting.default for setting in settings}
    for name, value in given.items():
        if name not in known:
            has = f"it has {', '.join(known)}" if known else "it has none"
            hint = did_you_mean(name, known) or f"; {has}"
            problems.append(f"{owner} has no setting {name!r}{hint}")
            continue
        try:
            values[name] = known[name].read(value)
        except LabelError as error:
            problems.append(f"{owner}: {error}")
    if problems:
        raise LabelError("\n".join(problems))
    return values


def alternatives(annotation: object) -> tuple[object, ...]:
    """The types of a union, as in `int | None`; empty for other types."""
    return get_args(annotation) if get_origin(annotation) in (Union, UnionType) else ()


_UNREADABLE = object()


def _read(kind: object, value: SettingValue) -> SettingValue | object:
    """The value converted to `kind`, or _UNREADABLE."""
    if choices := alternatives(kind):
        readings = (_read(choice, value) for choice in choices)
        return next((reading for reading in readings if reading is not _UNREADABLE), _UNREADABLE)
    origin, inner = get_origin(kind) or kind, cast("tuple[object, ...]", get_args(kind))
    if origin is Annotated:
        for mark in inner[1:]:
            if isinstance(mark, Renamed) and isinstance(value, str):
                value = mark.values.get(value, value)
        read = _read(inner[0], value)
        checks = [mark.check for mark in inner if isinstance(mark, Constraint)]
        is_valid = read is not _UNREADABLE and all(check(read) for check in checks)
        return read if is_valid else _UNREADABLE
    if origin is Literal:
        return value if any(value == c and type(c) is type(value) for c in inner) else _UNREADABLE
    if kind is NoneType or kind is None:
        return None if value is None else _UNREADABLE
    if kind is bool or isinstance(value, bool):
        return value if kind is bool and isinstance(value, bool) else _UNREADABLE
    if kind is float:
        if isinstance(value, int | float) and abs(value) <= sys.float_info.max:
            return float(value)
        return _UNREADABLE
    if kind is int or kind is str:
        return value if isinstance(value, kind) else _UNREADABLE
    shape = {tuple: tuple, Sequence: tuple, Mapping: Mapping, dict: Mapping}.get(cast(type, origin))
    if shape is None or (isinstance(value, shape) and not inner):
        return value
    if not isinstance(value, shape):
        return _UNREADABLE
    # The items of a list are of the first type in the brackets, the values of a table of the last.
    if isinstance(value, tuple):
        items = tuple(_read(inner[0], cast(SettingValue, item)) for item in value)
        return _UNREADABLE if _UNREADABLE in items else items
    given = cast(Mapping[str, SettingValue], value).items()
    table = {name: _read(inner[-1], item) for name, item in given}
    return _UNREADABLE if _UNREADABLE in table.values() else table


def _type_name(kind: object) -> str:
    if choices := alternatives(kind):
        return " or ".join(map(_type_name, choices))
    constraints = [mark for mark in get_args(kind) if isinstance(mark, Constraint)]
    if constraints:
        return " and ".join(constraint.description for constraint in constraints)
    if get_origin(kind) is Annotated:
        return _type_name(get_args(kind)[0])
    if get_origin(kind) is Literal:
        return "one of " + ", ".join(map(repr, get_args(kind)))
    for known, name in TYPE_NAMES.items():
        if kind is known:
            return name
    origin = get_origin(kind)
    if origin is tuple and get_args(kind):
        return f"a list, each item {_type_name(get_args(kind)[0])}"
    return "a list" if origin is tuple else "a table" if origin is Mapping else str(kind)
