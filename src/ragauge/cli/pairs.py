"""Options whose values are pairs, such as `--map FIELD=COLUMN`."""

from collections.abc import Sequence

import click


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


def pairs_once(pairs: Sequence[tuple[str, str]], what: str) -> dict[str, str]:
    """The pairs by name; UsageError for a duplicate name.

    >>> pairs_once([("answer", "response")], "field")
    {'answer': 'response'}
    """
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise click.UsageError(f"{what} {name!r} is given twice")
    return dict(pairs)
