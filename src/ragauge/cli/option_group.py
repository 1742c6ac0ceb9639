"""Options that belong together, given to a command as one object."""

from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import wraps
from typing import Any, TypeVar

Command = TypeVar("Command", bound=Callable[..., Any])


def option_group(
    parameter: str, kind: type[Any], options: Sequence[Callable[[Any], Any]]
) -> Callable[[Command], Command]:
    """Add options to a command, which takes their values as one object of the dataclass `kind`.

    The options have the names of the dataclass's fields; the command has the parameter `parameter`.
    """
    names = [field.name for field in fields(kind)]

    def add(command: Command) -> Command:
        @wraps(command)
        def grouped(**values: object) -> object:
            group = kind(**{name: values.pop(name) for name in names})
            return command(**values, **{parameter: group})

        decorated: Any = grouped
        for option in reversed(options):
            decorated = option(decorated)
        return decorated

    return add
