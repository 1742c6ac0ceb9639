"""Open a target by what it is given as: a function or its name, a URL, a chat model, a command."""

from typing import TypeAlias
from urllib.parse import urlsplit

from ragauge.asking.function import Function, open_function
from ragauge.asking.http import EndpointOptions, open_chat, open_url
from ragauge.asking.shell import open_command
from ragauge.asking.target import OpenTarget, Target

TargetLike: TypeAlias = "str | Function | Target | OpenTarget"
URLS = ("http://", "https://")
CHAT, SHELL = "chat:", "shell:"
"""How the text of a target begins that is a chat model, and one that is a command."""


def open_target(given: TargetLike, options: EndpointOptions | None = None) -> OpenTarget:
    """The target; PlanError if it cannot be opened. `options` are of endpoints."""
    options = options or EndpointOptions()
    if isinstance(given, OpenTarget):
        return given
    if isinstance(given, str) and given.startswith(URLS):
        return open_url(given, options)
    if isinstance(given, str) and given.startswith(CHAT):
        return open_chat(given.removeprefix(CHAT), options)
    if isinstance(given, str) and given.startswith(SHELL):
        return open_command(given.removeprefix(SHELL), options.version)
    return open_function(given)


def name_of(given: TargetLike) -> str:
    """What a system is called whose target this is: the function, the host, the model, the command.

    >>> name_of("app.py:answer"), name_of("https://me:key@host/ask"), name_of("chat:gpt-4o-mini")
    ('answer', 'host', 'gpt-4o-mini')
    """
    if isinstance(given, OpenTarget):
        return given.name
    if not isinstance(given, str):
        name = str(getattr(given, "__name__", type(given).__name__))
        return "target" if name.startswith("<") else name
    if given.startswith(URLS):
        return urlsplit(given).netloc.rpartition("@")[2] or "target"
    if given.startswith(SHELL):
        return given.removeprefix(SHELL).split()[0].rpartition("/")[2] if given[6:].strip() else ""
    return given.partition(":")[2] if given.startswith(CHAT) else given.rpartition(":")[2] or given
