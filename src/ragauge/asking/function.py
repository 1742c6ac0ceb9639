"""A Python function as a target: sync, async or a generator, by object or by name."""

import asyncio
import importlib
import inspect
import os
import sys
import threading
import time
from collections.abc import AsyncIterable, Awaitable, Callable, Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import cast

from ragauge.asking.target import OpenTarget, Refused, Response, Target
from ragauge.calls.loop import started_loop
from ragauge.errors import PlanError, did_you_mean
from ragauge.network.endpoints import OVERLOADED, may_pass, retry_after
from ragauge.runs.code import user_code
from ragauge.samples.samples import FIELDS
from ragauge.storage.python_file import import_file
from ragauge.storage.regular_file import is_file

WHOLE = ("row", "sample", "fields", "inputs", "item", "example")
"""Names of a first parameter that takes all fields of the question as a mapping."""
Function = Callable[..., object]


def open_function(given: "str | Function | Target") -> OpenTarget:
    """A function, an object with `answer`, or `file.py:name` or `package.module:name`, as a target.

    PlanError if it cannot be imported or called.
    """
    named = _imported(given) if isinstance(given, str) else given
    shown = given if isinstance(given, str) else repr(given)
    if isinstance(named, type) or not (callable(named) or isinstance(named, Target)):
        raise PlanError([f"the target {shown:.200} is {type(named).__name__}, not a function"])
    if isinstance(named, Target) and not inspect.isroutine(named):
        return OpenTarget(named, _code_of(named, type(named)))
    function = named
    call = _Call.of(function, shown)
    return OpenTarget(
        _FunctionTarget(function, call),
        _code_of(function, function),
        fields=None if call.takes_row else frozenset(call.fields.values()),
        settings=None if call.takes_any else frozenset(call.settings),
        required=frozenset(call.required),
    )


def _code_of(target: object, code: object) -> str:
    """What of the target determines its answers: its code, or at least its name."""
    name = getattr(target, "__qualname__", type(target).__qualname__)
    return f"{name} {user_code([code]).digest()}"


def _imported(text: str) -> object:
    place, _, name = text.rpartition(":")
    if not place or not all(part.isidentifier() for part in name.split(".")):
        raise PlanError(
            [
                f"the target {text!r:.200} names no function; give file.py:function or "
                "package.module:function, a URL with --url, or a model with --chat"
            ]
        )
    found: object = _module(place, text)
    for part in name.split("."):
        if not hasattr(found, part):
            known = [each for each in vars(found) if callable(getattr(found, each, None))]
            raise PlanError([f"{place} has no function {name!r}{did_you_mean(name, known)}"])
        found = getattr(found, part)
    return found


def _module(place: str, text: str) -> object:
    """The module of a target; PlanError with what its import raised, and where."""
    file = Path(place)
    if file.suffix == ".py" and not is_file(file):
        raise PlanError([f"the target {text!r:.200}: there is no file {place}"])
    folder = str(file.absolute().parent if file.suffix == ".py" else Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)  # so that it can import its neighbours, as a script does
    try:
        if file.suffix == ".py":
            return import_file(file, "ragauge_target")
        return importlib.import_module(place)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # user code may raise anything; name its file
        what = f"{type(error).__name__}: {error}"
        raise PlanError([f"the target {text!r:.200} cannot be imported: {what:.500}"]) from None


@dataclass(frozen=True, slots=True)
class _Call:
    """How a function is called: which parameter takes which field.

    `fields`: field by parameter. `takes_row`: the first parameter takes all fields. `takes_any`: it has
    `**settings`. `required`: the fields and settings without which it cannot be called.
    """

    fields: Mapping[str, str]
    settings: tuple[str, ...]
    required: tuple[str, ...]
    row: str = ""
    takes_any: bool = False

    @property
    def takes_row(self) -> bool:
        return bool(self.row)

    @classmethod
    def of(cls, function: Function, shown: str) -> "_Call":
        try:
            signature = inspect.signature(function)
        except (TypeError, ValueError):  # a builtin: it takes the question
            return cls({"question": "question"}, (), ())
        parameters = list(signature.parameters.values())
        takes_any = any(each.kind is each.VAR_KEYWORD for each in parameters)
        named = [each for each in parameters if each.kind not in (each.VAR_KEYWORD,)]
        if not named or (
            named[0].kind is named[0].KEYWORD_ONLY
            and "question" not in (each.name for each in named)
        ):
            raise PlanError([f"the target {shown:.200} takes no question; give it a parameter"])
        first, *others = named
        row = first.name if first.name in WHOLE else ""
        fields = {} if row else {first.name: "question"}
        for each in others:
            if each.name in FIELDS or each.default is each.empty:
                fields[each.name] = each.name
        settings = [each.name for each in others if each.name not in FIELDS]
        required = [each.name for each in others if each.default is each.empty]
        return cls(fields, tuple(settings), tuple(required), row, takes_any)

    def arguments(self, inputs: Mapping[str, object]) -> tuple[list[object], dict[str, object]]:
        """The arguments of a call: the question first, by place, all others by name."""
        keywords = {
            name: inputs[field] for name, field in self.fields.items() if field in inputs
        } | {name: inputs[name] for name in self.settings if name in inputs}
        if self.takes_any:
            keywords |= {name: it for name, it in inputs.items() if name not in FIELDS}
        if self.row:
            return [dict(inputs)], {name: it for name, it in keywords.items() if name != self.row}
        first = next(iter(self.fields))
        return [keywords.pop(first, None)], keywords


class _FunctionTarget:
    """Calls a function: a coroutine on an event loop of its own, anything else in a thread of its own.

    A thread cannot be ended from outside: one that never returns is left behind, and does not keep the
    process alive.
    """

    def __init__(self, function: Function, call: _Call) -> None:
        self.function, self.call = function, call
        inner = function if inspect.isroutine(function) else function.__call__
        self.is_async = inspect.iscoroutinefunction(inner) or inspect.isasyncgenfunction(inner)

    async def answer(self, inputs: Mapping[str, object]) -> Response:
        given, keywords = self.call.arguments(inputs)
        if self.is_async:
            future = asyncio.run_coroutine_threadsafe(
                _caught(self.function, given, keywords), _loop_of_targets()
            )
        else:
            future = _in_thread(self.function, given, keywords)
        outcome = await asyncio.wrap_future(future)
        if isinstance(outcome, Response) and inspect.isawaitable(outcome.value):
            waiting = asyncio.run_coroutine_threadsafe(
                _caught(_awaited, [outcome.value], {}), _loop_of_targets()
            )
            outcome = await asyncio.wrap_future(waiting)
        if not isinstance(outcome, Response):
            raise refusal_of(outcome)
        return outcome


async def _awaited(value: Awaitable[object]) -> object:
    return await value


@cache
def _loop_of_targets() -> asyncio.AbstractEventLoop:
    """Another loop than ours: a target that blocks its loop must not hold up timeouts and the ledger."""
    return started_loop("ragauge targets")


def _in_thread(
    function: Function, given: list[object], keywords: Mapping[str, object]
) -> "Future[Response | BaseException]":
    future: Future[Response | BaseException] = Future()
    future.set_running_or_notify_cancel()
    process = os.getpid()

    def work() -> None:
        start = time.perf_counter()
        try:
            value, first_s = function(*given, **keywords), None
            if inspect.isgenerator(value):
                value, first_s = _collected(cast("Iterable[object]", value), start)
            outcome: Response | BaseException = Response(
                value, time.perf_counter() - start, first_s
            )
        except BaseException as error:
            outcome = error
        if os.getpid() != process:  # the target forked, and this is its child: it must not answer
            os._exit(0)
        future.set_result(outcome)

    threading.Thread(target=work, name="ragauge target", daemon=True).start()
    return future


async def _caught(
    function: Function, given: list[object], keywords: Mapping[str, object]
) -> Response | BaseException:
    """The result, or the error as a value: an exit raised by a task would end its loop."""
    start = time.perf_counter()
    try:
        value, first_s = function(*given, **keywords), None
        if inspect.isawaitable(value):
            value = await value
        if isinstance(value, AsyncIterable):
            parts: list[object] = []
            async for part in cast(AsyncIterable[object], value):
                first_s = time.perf_counter() - start if first_s is None and part else first_s
                parts.append(part)
            value = _joined(parts)
        return Response(value, time.perf_counter() - start, first_s)
    except asyncio.CancelledError:
        raise
    except BaseException as error:
        return error


def _collected(parts: Iterable[object], start: float) -> tuple[object, float | None]:
    """The parts of a generator as one result, and the seconds until the first."""
    first_s: float | None = None
    collected: list[object] = []
    for part in parts:
        first_s = time.perf_counter() - start if first_s is None and part else first_s
        collected.append(part)
    return _joined(collected), first_s


def _joined(parts: list[object]) -> object:
    """Texts joined, with the fields of the mappings among them; a single part as it is."""
    texts = [part for part in parts if isinstance(part, str)]
    others = [part for part in parts if not isinstance(part, str) and part is not None]
    if not others:
        return "".join(texts) if texts else None
    if not texts and len(others) == 1:
        return others[0]
    if unknown := [part for part in others if not isinstance(part, Mapping)]:
        kind = type(unknown[0]).__name__
        raise Refused(f"yielded {kind}, neither text nor a mapping", is_final=True)
    fields: dict[str, object] = {"answer": "".join(texts)} if texts else {}
    for part in others:
        fields |= cast("Mapping[str, object]", part)
    return fields


def refusal_of(error: BaseException) -> Refused:
    """What a function raised, as Refused: the class, the message, and whether a retry may help."""
    if isinstance(error, Refused):
        return error
    if isinstance(error, SystemExit):
        return Refused(f"called sys.exit({error.code!r})", is_final=True)
    reason = f"{type(error).__name__}: {error}".removesuffix(": ")
    response = getattr(error, "response", None)
    statuses = (
        getattr(holder, name, None)
        for holder in (error, response)
        for name in ("status_code", "status")
    )
    status = next((status for status in statuses if type(status) is int), None)
    if status in OVERLOADED or (status is None and "RateLimit" in type(error).__name__):
        headers = cast("Mapping[str, str]", getattr(response, "headers", None) or {})
        lower = {name.lower(): value for name, value in headers.items()}
        return Refused(reason, retry_after(lower), is_overload=True)
    return Refused(reason, is_final=status is not None and status >= 400 and not may_pass(status))
