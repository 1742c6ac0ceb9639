"""Targets on this machine: a Python function, sync, async or a generator, by object or by name; and a shell command."""

import asyncio
import importlib
import inspect
import json
import os
import shlex
import signal
import sys
import time
import traceback
from collections.abc import AsyncIterable, Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ragauge.asking.calling import Calls
from ragauge.asking.target import OpenTarget, Response, Target
from ragauge.errors import PlanError, did_you_mean
from ragauge.network.endpoints import OVERLOADED, Unanswered, may_pass, retry_after
from ragauge.plugins import import_file
from ragauge.runs.code import user_code
from ragauge.samples.fields import FIELDS
from ragauge.storage.regular_file import is_file

if TYPE_CHECKING:
    from ragauge.asking.spans import Spans

WHOLE = ("row", "sample", "fields", "inputs", "item", "example")
"""Names of a first parameter that takes all fields of the question as a mapping."""
Function = Callable[..., object]
Outcome = Callable[..., Coroutine[object, None, "Response | BaseException"]]


def open_function(given: "str | Function | Target") -> OpenTarget:
    """A function, an object with `answer`, or `file.py:name` or `package.module:name`, as a target.

    PlanError if it cannot be imported or called.
    """
    named = _imported(given) if isinstance(given, str) else given
    shown = given if isinstance(given, str) else repr(given)
    if isinstance(named, type) or not (callable(named) or isinstance(named, Target)):
        raise PlanError(f"the target {shown:.200} is {type(named).__name__}, not a function")
    is_object = isinstance(named, Target) and not inspect.isroutine(named)
    # What of the target determines its answers: its code, or at least its name.
    name = getattr(named, "__qualname__", type(named).__qualname__)
    identity = f"{name} {user_code([type(named) if is_object else named]).digest()}"
    if isinstance(named, Target) and is_object:
        return OpenTarget(named, identity)
    target = FunctionTarget.of(cast(Function, named), shown)
    with suppress(ImportError):  # without the extra `otel`
        from ragauge.asking.spans import collected

        target.new_spans = collected()
    fields = None if target.row else frozenset(target.fields.values())
    settings = None if target.takes_any else frozenset(target.settings)
    return OpenTarget(target, identity, "target", fields, settings, frozenset(target.required))


def _imported(text: str) -> object:
    """What a target's name stands for; PlanError with what its import raised, and where."""
    place, _, name = text.rpartition(":")
    if not place or not all(part.isidentifier() for part in name.split(".")):
        raise PlanError(
            f"the target {text!r:.200} names no function; give file.py:function or "
            "package.module:function, a URL with --url, or a model with --chat"
        )
    file = Path(place)
    is_python = file.suffix == ".py"
    if is_python and not is_file(file):
        raise PlanError(f"the target {text!r:.200}: there is no file {place}")
    folder = str(file.absolute().parent if is_python else Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)  # so that it can import its neighbours, as a script does
    found: object
    try:
        found = import_file(file, "ragauge_target") if is_python else importlib.import_module(place)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # user code may raise anything; name its file
        *_, (frame, line) = traceback.walk_tb(error.__traceback__)
        what, at = f"{type(error).__name__}: {error}", frame.f_code.co_filename
        if not isinstance(error, SyntaxError) and "importlib" not in at:
            what += f" ({Path(at).name}:{line})"
        raise PlanError(f"the target {text!r:.200} cannot be imported: {what:.500}") from None
    for part in name.split("."):
        if not hasattr(found, part):
            known = [each for each in vars(found) if callable(getattr(found, each, None))]
            raise PlanError(f"{place} has no function {name!r}{did_you_mean(name, known)}")
        found = getattr(found, part)
    return found


@dataclass(slots=True)
class FunctionTarget:
    """Calls a function: a coroutine on an event loop of its own, anything else in a thread.

    `fields`: the field that each parameter takes. `row`: the first parameter, if it takes all
    fields. `takes_any`: it has `**settings`. `required`: what it cannot be called without. `by_name`: it
    takes the question by name only.
    """

    function: Function
    fields: Mapping[str, str]
    settings: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    row: str = ""
    takes_any: bool = False
    by_name: bool = False
    threads: "Calls[Response | BaseException]" = field(default_factory=Calls)
    tasks: "Calls[Response | BaseException]" = field(default_factory=Calls)
    new_spans: "type[Spans] | None" = None

    @classmethod
    def of(cls, function: Function, shown: str) -> "FunctionTarget":
        """Reads the signature; PlanError if it takes no question."""
        try:
            signature = inspect.signature(function)
        except (TypeError, ValueError):  # a builtin: it takes the question
            return cls(function, {"question": "question"})
        parameters = list(signature.parameters.values())
        takes_any = any(each.kind is each.VAR_KEYWORD for each in parameters)
        named = [each for each in parameters if each.kind is not each.VAR_KEYWORD]
        by_name = not named or named[0].kind is named[0].KEYWORD_ONLY
        if by_name:
            named.sort(key=lambda each: each.name != "question")
            if not named or named[0].name != "question":
                raise PlanError(f"the target {shown:.200} takes no question; give it a parameter")
        first, *others = named
        others = [each for each in others if each.kind is not each.VAR_POSITIONAL]
        row = first.name if first.name in WHOLE else ""
        fields = {} if row else {first.name: "question"}
        for each in others:
            if each.name in FIELDS or each.default is each.empty:
                fields[each.name] = each.name
        settings = tuple(each.name for each in others if each.name not in FIELDS)
        required = tuple(each.name for each in others if each.default is each.empty)
        return cls(function, fields, settings, required, row, takes_any, by_name)

    def arguments(self, inputs: Mapping[str, object]) -> tuple[list[object], dict[str, object]]:
        """The arguments of a call: the question first, by place, all others by name."""
        takes = {**self.fields, **{name: name for name in self.settings}}
        keywords = {name: inputs[field] for name, field in takes.items() if field in inputs}
        if self.takes_any:
            keywords |= {name: it for name, it in inputs.items() if name not in FIELDS}
        if self.row:
            return [dict(inputs)], {name: it for name, it in keywords.items() if name != self.row}
        if self.by_name:
            return [], keywords
        first = next(iter(self.fields))
        return [keywords.pop(first, None)], keywords

    async def answer(self, inputs: Mapping[str, object]) -> Response:
        given, keywords = self.arguments(inputs)
        function = self.function
        spans = None if self.new_spans is None else self.new_spans()
        inner = function if inspect.isroutine(function) else function.__call__
        call = partial(_outcome, partial(function, *given, **keywords), spans)
        if inspect.iscoroutinefunction(inner) or inspect.isasyncgenfunction(inner):
            outcome = await self.tasks.result(partial(call, is_async=True), is_async=True)
        else:
            outcome = await self.threads.result(partial(_at_once, call), is_async=False)
        if isinstance(outcome, Response) and inspect.isawaitable(outcome.value):
            value = outcome.value
            call = partial(_outcome, lambda: value, spans, is_async=True)
            outcome = await self.tasks.result(call, is_async=True)
        if not isinstance(outcome, Response):
            raise refusal_of(outcome)
        return outcome if spans is None else replace(outcome, spans=spans)


async def _outcome(
    call: Callable[[], object], spans: "Spans | None", *, is_async: bool
) -> Response | BaseException:
    """The result, or the error as a value: an exit raised by a task would end its loop."""
    start = time.perf_counter()
    timed: list[tuple[object, float]] = []
    try:
        if spans is not None:
            spans.begin()
        value = call()
        if is_async and inspect.isawaitable(value):
            value = await value
        if is_async and isinstance(value, AsyncIterable):
            async for part in cast(AsyncIterable[object], value):
                timed.append((part, time.perf_counter() - start))  # noqa: PERF401
        elif not is_async and inspect.isgenerator(value):
            timed += ((part, time.perf_counter() - start) for part in value)
        else:
            return Response(value, time.perf_counter() - start)
        first_s = next((came_s for part, came_s in timed if part), None)
        return Response(_joined([part for part, _ in timed]), time.perf_counter() - start, first_s)
    except BaseException as error:
        return error


def _at_once(call: Outcome) -> Response | BaseException:
    """The result of a call that waits for nothing, in a thread without a loop."""
    try:
        call(is_async=False).send(None)
    except StopIteration as ended:
        return ended.value
    raise AssertionError("a call that is not async has waited")


def _joined(parts: Sequence[object]) -> object:
    """The parts of a stream as one result: texts joined, with the fields of the mappings among them; a single part as it is."""
    texts = [part for part in parts if isinstance(part, str)]
    others = [part for part in parts if not isinstance(part, str) and part is not None]
    if not others:
        return "".join(texts) if texts else None
    if not texts and len(others) == 1:
        return others[0]
    fields: dict[str, object] = {"answer": "".join(texts)} if texts else {}
    for part in others:
        if not isinstance(part, Mapping):
            kind = type(part).__name__
            raise Unanswered(f"yielded {kind}, neither text nor a mapping", is_final=True)
        fields |= cast("Mapping[str, object]", part)
    return fields


def refusal_of(error: BaseException) -> Unanswered:
    """What a function raised, as Unanswered: the class, the message, and whether a retry may help."""
    if isinstance(error, Unanswered):
        return error
    if isinstance(error, SystemExit):
        return Unanswered(f"called sys.exit({error.code!r})", is_final=True)
    reason = f"{type(error).__name__}: {error}".removesuffix(": ")
    response = getattr(error, "response", None)
    names, holders = ("status_code", "status"), (error, response)
    statuses = (getattr(holder, name, None) for holder in holders for name in names)
    status = next((status for status in statuses if type(status) is int), None)
    if status in OVERLOADED or (status is None and "RateLimit" in type(error).__name__):
        headers = cast("Mapping[str, str]", getattr(response, "headers", None) or {})
        lower = {name.lower(): value for name, value in headers.items()}
        return Unanswered(reason, retry_after(lower), is_overload=True)
    is_final = status is not None and status >= 400 and not may_pass(status)
    return Unanswered(reason, is_final=is_final)


ERROR_SHOWN = 300


def open_command(command: str, version: str = "") -> OpenTarget:
    """A command as a target. Its identity is its text, and the files that it names."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise PlanError(f"the command {command!r:.100} cannot be read: {error}") from None
    if not words:
        raise PlanError("the command is empty; give one with --shell")
    files = [sha256(Path(word).read_bytes()).hexdigest() for word in words if is_file(word)]
    identity = f"shell {command} {version} {' '.join(files)}"
    return OpenTarget(ShellTarget(command), identity, Path(words[0]).name)


@dataclass(frozen=True, slots=True)
class ShellTarget:
    """Runs the command once for each question; one that takes too long is killed with all it started.

    The answer is the JSON of the output, or of its last line; any other output is the answer as text.
    """

    command: str

    async def answer(self, inputs: Mapping[str, object]) -> Response:
        line = json.dumps(dict(inputs), ensure_ascii=False, default=str) + "\n"
        start = time.perf_counter()
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), asyncio.subprocess.PIPE)
        process = await asyncio.create_subprocess_shell(
            self.command, start_new_session=True, **pipes
        )
        try:
            written, errors = await process.communicate(line.encode("utf-8", "replace"))
        except BaseException:
            with suppress(ProcessLookupError):
                if hasattr(os, "killpg"):
                    os.killpg(process.pid, signal.SIGKILL)
                else:
                    process.kill()
            raise
        latency_s = time.perf_counter() - start
        if process.returncode:
            said = " ".join(errors.decode("utf-8", "replace").split())[-ERROR_SHOWN:]
            said = said or "nothing on standard error"
            raise Unanswered(f"exit code {process.returncode}: {said}")
        try:
            text = written.decode().strip()
        except UnicodeDecodeError as error:
            raise Unanswered(f"wrote what is not UTF-8 ({error.reason})", is_final=True) from None
        if not text:
            raise Unanswered("wrote nothing to standard output", is_final=True)
        for part in (text, text.rpartition("\n")[2]):
            with suppress(ValueError, RecursionError):
                return Response(json.loads(part), latency_s)
        return Response(text, latency_s)
