"""The rows of a table of cases, each of which is a test."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest


def cases(*rows: Any, ids: Any = None) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run the test once with each row; its first parameters are the columns.

    A row is a tuple or a `pytest.param`, or a value alone where there is one column.
    """

    def parametrized(test: Callable[..., None]) -> Callable[..., None]:
        names = [*inspect.signature(test).parameters]
        first = rows[0].values if type(rows[0]) is type(pytest.param()) else rows[0]
        columns = names[: len(first)] if isinstance(first, tuple) else names[0]
        return pytest.mark.parametrize(columns, rows, ids=ids)(test)

    return parametrized
