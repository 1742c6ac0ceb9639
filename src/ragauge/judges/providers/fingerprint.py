"""Digests of a function's code and plain values, as cache keys of its replies."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from hashlib import sha256
from types import FunctionType
from typing import Any, cast


def code_digest(function: object) -> str:
    """A digest of a function's code and of the plain values it was created with."""
    return _digest(_traits(function))


def script_digest(function: object) -> str:
    """As `code_digest`, including the functions and plain values of its module that it names.

    It changes more often, which suits replies that cost nothing.
    """
    return _digest(_with_named(function, set()))


def _digest(traits: Iterable[str]) -> str:
    found = sha256()
    for trait in traits:
        found.update(f"{len(trait)} {trait}".encode("utf-8", "surrogatepass"))
    return found.hexdigest()[:8]


def _traits(function: Any) -> Iterator[str]:
    """A function's code, and the texts and numbers it was created with."""
    inner = function.func if isinstance(function, partial) else function
    owner = getattr(inner, "__self__", inner)
    called = _called(function)
    yield from _code(getattr(called, "__code__", None))
    yield from _plain(getattr(owner, "__dict__", {}))
    if isinstance(function, partial):
        yield from _plain((function.args, function.keywords))
    for name in ("__defaults__", "__kwdefaults__"):
        yield from _plain(getattr(called, name, None))
    for cell in getattr(called, "__closure__", None) or ():
        yield from _plain(cell.cell_contents)


def _called(function: Any) -> Any:
    """The underlying function, which has the code."""
    inner = function.func if isinstance(function, partial) else function
    return inner if hasattr(inner, "__code__") else type(inner).__call__


def _with_named(function: Any, seen: set[int]) -> Iterator[str]:
    """The traits of a function and of what it calls: names in its module or class, and functions it
    was created with."""
    yield from _traits(function)
    called = _called(function)
    module: Mapping[str, object] = getattr(called, "__globals__", {})
    inner = function.func if isinstance(function, partial) else function
    owner = getattr(inner, "__self__", inner)
    for name in sorted(_names(getattr(called, "__code__", None))):
        value = module.get(name)
        method = getattr(cast(object, type(owner)), name, None)
        if not isinstance(value, FunctionType):
            yield from _plain(value)
        elif value.__globals__ is module:
            yield from _once(value, seen)
        if isinstance(method, FunctionType):
            yield from _once(method, seen)
    for value in _given(function, called):
        if callable(value) and not isinstance(value, type):
            yield from _once(value, seen)


def _once(function: Any, seen: set[int]) -> Iterator[str]:
    if id(function) not in seen:
        seen.add(id(function))
        yield from _with_named(function, seen)


def _given(function: Any, called: Any) -> Iterator[object]:
    """Arguments and closure values of a function."""
    if isinstance(function, partial):
        yield from (*function.args, *function.keywords.values())
    for cell in getattr(called, "__closure__", None) or ():
        with suppress(ValueError):  # not yet filled
            yield cell.cell_contents


def _names(code: Any) -> set[str]:
    """The names that code uses, and the code of functions in it."""
    if code is None:
        return set()
    inner = (_names(constant) for constant in code.co_consts if hasattr(constant, "co_code"))
    return set(code.co_names).union(*inner)


def _code(code: Any) -> Iterator[str]:
    if code is not None:
        yield f"{code.co_code.hex()} {code.co_names}"
        for constant in code.co_consts:
            yield from _code(constant) if hasattr(constant, "co_code") else _plain(constant)


def _plain(value: object) -> Iterator[str]:
    """Texts and numbers in a value, in a fixed order."""
    if isinstance(value, Mapping):
        value = sorted(cast(Mapping[object, object], value).items(), key=repr)
    if isinstance(value, frozenset | set):
        value = sorted(cast(Iterable[object], value), key=repr)
    if isinstance(value, tuple | list):
        for item in cast(Iterable[object], value):
            yield from _plain(item)
    elif value is None or isinstance(value, str | bytes | int | float):
        yield repr(value)
