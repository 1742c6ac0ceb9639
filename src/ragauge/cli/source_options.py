"""The options by which commands read files as samples, and the types of their values."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


class Pair(click.ParamType[tuple[str, str]]):
    """A pair such as NAME=VALUE."""

    def __init__(self, name: str) -> None:
        self.name = name

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        name, equals, rest = str(value).partition("=")
        if not (name and equals and rest):
            self.fail(f"expected {self.name}, got {value!r}", param, ctx)
        return name, rest


OPTIONS = (
    click.option(
        "--gold",
        type=click.Path(path_type=Path),
        help="File with the expected answers, joined by id, or by question where there is no id.",
    ),
    click.option(
        "--prefer",
        type=click.Choice(("gold", "answers", "first")),
        help="Value to use where sources disagree on a question or its gold.",
    ),
    click.option(
        "--by-place", is_flag=True, help="Pair the n-th rows of all files, not rows of the same id."
    ),
    click.option(
        "--map",
        "mapping",
        multiple=True,
        type=Pair("FIELD=COLUMN"),
        help="Read COLUMN as FIELD, e.g. answer=response. Repeatable.",
    ),
)


def source_options(command: Command) -> Command:
    """Add `--gold`, `--prefer`, `--by-place` and `--map` to a command, in this order."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command
