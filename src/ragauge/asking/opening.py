"""Open a target by what it is given as: a function, its name, or an endpoint."""

from typing import TypeAlias

from ragauge.asking.function import Function, open_function
from ragauge.asking.target import OpenTarget, Target

TargetLike: TypeAlias = "str | Function | Target | OpenTarget"


def open_target(given: TargetLike) -> OpenTarget:
    """The target; PlanError if it cannot be opened."""
    return given if isinstance(given, OpenTarget) else open_function(given)


def name_of(given: TargetLike) -> str:
    """What a system is called whose target this is: the function's own name.

    >>> name_of("app.py:answer")
    'answer'
    """
    if isinstance(given, str):
        return given.rpartition(":")[2] or given
    if isinstance(given, OpenTarget):
        return given.name
    name = str(getattr(given, "__name__", type(given).__name__))
    return "target" if name.startswith("<") else name
