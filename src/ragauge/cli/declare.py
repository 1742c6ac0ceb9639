"""Declare commands: the parameters of a function are its arguments and options, each with its type, default and help.

A parameter that is a dataclass is a group of options, whose fields are declared in the same way; several commands
have it. `docs/command-line.md` and `--help` are made from these declarations.
"""

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import wraps
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin

import click

ENDS = ("min", "max", "min_open", "max_open")


class FiniteRange(click.FloatRange):
    """A number in a range. click's own type accepts nan, which is in no range."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return number


class _Declared(NamedTuple):
    kind: type[click.Parameter]
    names: tuple[str, ...]
    settings: Mapping[str, Any]


def option(help: str, *names: str, **settings: Any) -> Any:
    """An option: `--like-the-parameter` if it has no other names; the settings are click's, and `min` and `max`.

    The parameter's type decides what it takes: a bool makes a flag, a tuple a repeatable option.
    """
    return _Declared(click.Option, names, {"help": help, **settings})


def argument(metavar: str | None = None, **settings: Any) -> Any:
    """An argument with settings of click's; without any it needs no declaration."""
    return _Declared(click.Argument, (), {"metavar": metavar, **settings})


def group(**changes: Mapping[str, Any]) -> Any:
    """A group of options, of which a command changes some settings, by the options' parameters."""
    return changes


def declare(
    name: str, parent: click.Group | None = None, *, short_help: str | None = None
) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a command of a function that declares its parameters."""

    def make(function: Callable[..., Any]) -> click.Command:
        parameters: list[click.Parameter] = []
        groups: dict[str, type[Any]] = {}
        for each in inspect.signature(function).parameters.values():
            kind: Any = each.annotation
            if isinstance(kind, type) and is_dataclass(kind):
                groups[each.name] = kind
                changes: dict[str, Any] = {} if each.default is each.empty else each.default
                for field in fields(kind):
                    own = changes.get(field.name, {})
                    parameters.append(_parameter(field.name, field.type, field.default, **own))
            else:
                parameters.append(_parameter(each.name, each.annotation, each.default))

        @wraps(function)
        def call(**values: Any) -> Any:
            for parameter, group in groups.items():
                own = {field.name: values.pop(field.name) for field in fields(group)}
                values[parameter] = group(**own)
            return function(**values)

        made = click.Command(
            name, callback=call, params=parameters, help=function.__doc__, short_help=short_help
        )
        if parent is not None:
            parent.add_command(made)
        return made

    return make


def _parameter(name: str, annotation: object, declared: object, **changes: Any) -> click.Parameter:
    if not isinstance(declared, _Declared):  # only an argument needs no declaration
        declared = argument(required=declared is inspect.Parameter.empty)
        assert isinstance(declared, _Declared)
    settings = {**declared.settings, **changes}
    ends = {end: settings.pop(end) for end in ENDS if end in settings}
    if get_origin(annotation) in (UnionType, Union):
        annotation = next(each for each in get_args(annotation) if each is not NoneType)
    is_repeated = get_origin(annotation) is tuple and get_args(annotation)[-1] is Ellipsis
    annotation = get_args(annotation)[0] if is_repeated else annotation
    if get_origin(annotation) is Literal:
        settings["type"] = click.Choice(get_args(annotation))
    elif annotation is Path:
        settings.setdefault("type", click.Path(path_type=Path))
    elif annotation is int:
        settings.setdefault("type", click.IntRange(**ends) if ends else int)
    elif annotation is float:
        settings.setdefault("type", FiniteRange(**ends) if ends else float)
    if declared.kind is click.Argument:
        return click.Argument([name], nargs=-1 if is_repeated else 1, **settings)
    if annotation is bool:
        settings["is_flag"] = True
    elif "default" in settings:
        # A default that the help explains is not repeated.
        settings.setdefault(
            "show_default", settings["default"] != "" and "[default" not in settings["help"]
        )
    names = declared.names or (f"--{name.replace('_', '-')}",)
    return click.Option([*names, name], multiple=is_repeated, **settings)
