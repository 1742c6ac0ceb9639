"""Open the judge that a user names or passes: a model's name, an object, or a function."""

import inspect
import json
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from hashlib import sha256
from types import FunctionType
from typing import Any, cast

from ragauge.errors import JudgeError, PlanError, did_you_mean
from ragauge.judges.managed import JudgeDefaults
from ragauge.judges.protocol import Identity, Judge, Reply, Request
from ragauge.network.endpoints import refuse_key_as_name
from ragauge.plugins import open_model

JUDGE_ATTRIBUTES = ("name", "identity", "reply")
AsyncFunction = Callable[[Request], Awaitable[str | Reply]]
JudgeLike = Judge | str | AsyncFunction


def open_judge(given: JudgeLike, **settings: object) -> Judge:
    """Open a judge; JudgeError or PlanError if it cannot be opened.

    A name is a model's behind an OpenAI-compatible endpoint with these `settings` (`base_url`,
    `api_key_env`, `temperature` …), `replay:FILE`, `any-llm:PROVIDER:MODEL`, or `PREFIX:MODEL` of a
    package's entry point `ragauge.judges`. An async function is called with each request.
    """
    if isinstance(given, str):
        return _named(given, settings)
    if settings:
        raise PlanError(f"{', '.join(settings)} are of an endpoint, and the judge is {given!r:.80}")
    unavailable = ", ".join(name for name in JUDGE_ATTRIBUTES if not hasattr(given, name))
    if unavailable or isinstance(given, type):
        if callable(given):
            return CalledJudge(given)
        raise PlanError(
            f"judge must be a model's name, a judge or an async function, got {given!r:.80}, "
            f"which has no {unavailable}"
        )
    judge = cast(Judge, given)
    try:
        json.dumps(dict(judge.identity), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise PlanError(
            f"the judge {judge.name!r:.80} has an identity that is not JSON data: {error!s:.200}; "
            "give its model and parameters as texts and numbers"
        ) from None
    return judge


def _named(name: str, settings: Mapping[str, object]) -> Judge:
    if not name.strip():
        raise PlanError("the judge has an empty name; give a model's")
    prefix, _, rest = name.partition(":")
    if prefix == "replay":
        from ragauge.judges.providers.scripted import RecordedJudge

        return RecordedJudge(rest)
    refuse_key_as_name(name)
    if prefix == "any-llm":
        from ragauge.judges.providers.any_llm import AnyLLM

        return AnyLLM(rest, **settings)  # pyright: ignore[reportArgumentType]
    if (judge := open_model("judges", name, settings)) is not None:
        return judge
    from ragauge.judges.providers.endpoint import ChatEndpoint

    known = inspect.signature(ChatEndpoint).parameters
    for setting in settings:
        if setting not in known:
            hint = did_you_mean(setting, known) or f"; they are {', '.join(known)}"
            raise PlanError(f"the judge has no setting {setting!r}{hint}")
    return ChatEndpoint(name, **settings)  # pyright: ignore[reportArgumentType]


class CalledJudge(JudgeDefaults):
    """An async function as a judge: a Request in, a Reply or its text out.

    Its replies are cached by its name, module, code and plain values; a more complex judge should
    define its own `identity`.
    """

    def __init__(self, function: AsyncFunction) -> None:
        called = getattr(function, "__call__", function)  # noqa: B004
        if not inspect.iscoroutinefunction(function) and not inspect.iscoroutinefunction(called):
            raise PlanError(
                f"the judge {function!r:.80} is not an async function; write it as async def"
            )
        self.function = function
        inner: object = getattr(function, "func", function)
        self.name = str(getattr(inner, "__name__", type(inner).__name__))
        module = str(getattr(inner, "__module__", ""))
        code = _digest(_traits(function))
        self.identity: Identity = {"model": self.name, "module": module, "code": code}

    async def reply(self, request: Request) -> Reply:
        """The function's reply. What it raises becomes a JudgeError."""
        try:
            reply = await self.function(request)
        except JudgeError:
            raise
        except (Exception, SystemExit) as error:  # a user's own judge may raise anything
            raise JudgeError(f"{self.name}: {type(error).__name__}: {error!s:.300}") from error
        if isinstance(reply, Reply):
            return reply
        if not isinstance(reply, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise JudgeError(f"{self.name} returned {reply!r:.80}, not text or a Reply")
        return Reply(reply)


def script_digest(function: object) -> str:
    """A digest of a function's code and plain values and of what it names in its module; it changes
    more often than CalledJudge's."""
    return _digest(_traits(function, set()))


def _digest(traits: Iterable[str]) -> str:
    found = sha256()
    for trait in traits:
        found.update(f"{len(trait)} {trait}".encode("utf-8", "surrogatepass"))
    return found.hexdigest()[:8]


def _traits(function: Any, seen: set[int] | None = None) -> Iterator[str]:
    """A function's code, and the texts and numbers it was created with; with `seen`, also those of what it calls."""
    inner = function.func if isinstance(function, partial) else function
    called = inner if hasattr(inner, "__code__") else type(inner).__call__
    owner: Any = getattr(inner, "__self__", inner)
    code, given = getattr(called, "__code__", None), list[object]()
    yield from _code(code)
    yield from _plain(getattr(owner, "__dict__", {}))
    if isinstance(function, partial):
        yield from _plain((function.args, function.keywords))
        given += (*function.args, *function.keywords.values())
    for name in ("__defaults__", "__kwdefaults__"):
        yield from _plain(getattr(called, name, None))
    for cell in getattr(called, "__closure__", None) or ():
        with suppress(ValueError):  # not yet filled
            given.append(cell.cell_contents)
            yield from _plain(cell.cell_contents)
    if seen is None:
        return
    module: Mapping[str, object] = getattr(called, "__globals__", {})
    functions = [each for each in given if callable(each) and not isinstance(each, type)]
    named: list[object] = []
    for name in sorted(names_in(code)):
        value, method = module.get(name), getattr(cast(object, type(owner)), name, None)
        if not isinstance(value, FunctionType) or value.__globals__ is module:
            named.append(value)
        named += [method] if isinstance(method, FunctionType) else []
    for place, value in enumerate((*named, *functions)):
        if place < len(named) and not isinstance(value, FunctionType):
            yield from _plain(value)
        elif id(value) not in seen:
            seen.add(id(value))
            yield from _traits(value, seen)


def names_in(code: Any) -> set[str]:
    """The names that code uses, and the code of functions in it."""
    if code is None:
        return set()
    inner = (names_in(constant) for constant in code.co_consts if hasattr(constant, "co_code"))
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
