"""Read Python's syntax in several threads: one text at a time."""

import ast
from threading import Lock

_LOCK = Lock()


def parsed(source: str | bytes) -> ast.Module:
    """The tree of a module's source; raises what `ast.parse` raises.

    CPython 3.11 counts the depth of all trees that are built at the same time in one place, and ends with a
    SystemError if two threads build one (its issue 106905).

    >>> len(parsed("a = 1").body)
    1
    """
    with _LOCK:
        return ast.parse(source)


def parsed_expression(text: str) -> ast.Expression:
    """The tree of one expression; `ast.literal_eval` reads a literal's value from it.

    >>> ast.literal_eval(parsed_expression("[1, 2]"))
    [1, 2]
    """
    with _LOCK:
        return ast.parse(text.lstrip(" \t"), mode="eval")
