"""Open the judge that a user names or passes: a model's name, an object, or a function."""

import inspect
import json
from collections.abc import Awaitable, Callable, Mapping
from importlib.metadata import entry_points
from typing import cast

from ragauge.errors import JudgeError, PlanError, did_you_mean
from ragauge.judges.managed import JudgeDefaults
from ragauge.judges.protocol import Identity, Judge, Reply, Request
from ragauge.judges.providers.fingerprint import code_digest
from ragauge.network.endpoints import refuse_key_as_name

ENTRY_POINT = "ragauge.judges"
JUDGE_ATTRIBUTES = ("name", "identity", "reply")
AsyncFunction = Callable[[Request], Awaitable[str | Reply]]
JudgeLike = Judge | str | AsyncFunction


def open_judge(given: JudgeLike, **settings: object) -> Judge:
    """Open a judge.

    A name is a model's behind an OpenAI-compatible endpoint with these `settings` (`base_url`,
    `api_key_env`, `temperature` …), `replay:FILE`, `any-llm:PROVIDER:MODEL`, or `PREFIX:MODEL` of a
    package's entry point `ragauge.judges`. An async function is called with each request. JudgeError
    or PlanError if it cannot be opened.
    """
    if isinstance(given, str):
        return _named(given, settings)
    if settings:
        raise PlanError(
            [f"{', '.join(settings)} are of an endpoint, and the judge is {given!r:.80}"]
        )
    if all(hasattr(given, name) for name in JUDGE_ATTRIBUTES) and not isinstance(given, type):
        return _checked(cast(Judge, given))
    if callable(given):
        return CalledJudge(given)
    unavailable = ", ".join(name for name in JUDGE_ATTRIBUTES if not hasattr(given, name))
    raise PlanError(
        [
            f"judge must be a model's name, a judge or an async function, got {given!r:.80}, "
            f"which has no {unavailable}"
        ]
    )


def _named(name: str, settings: Mapping[str, object]) -> Judge:
    if not name.strip():
        raise PlanError(["the judge has an empty name; give a model's"])
    prefix, _, rest = name.partition(":")
    if prefix == "replay":
        from ragauge.judges.providers.scripted import RecordedJudge

        return RecordedJudge(rest)
    refuse_key_as_name(name)
    if prefix == "any-llm":
        from ragauge.judges.providers.any_llm import AnyLLM

        return AnyLLM(rest, **settings)  # pyright: ignore[reportArgumentType]
    offered = {entry.name: entry for entry in entry_points(group=ENTRY_POINT)}
    if rest and prefix in offered:
        try:
            return cast(Judge, offered[prefix].load()(rest, **settings))
        except Exception as error:  # another package may raise anything; name it
            raise JudgeError(
                f"the judge {name!r} of the entry point {prefix!r} cannot be opened: "
                f"{type(error).__name__}: {error!s:.300}"
            ) from error
    from ragauge.judges.providers.endpoint import ChatEndpoint

    known = inspect.signature(ChatEndpoint).parameters
    for setting in settings:
        if setting not in known:
            hint = did_you_mean(setting, known) or f"; they are {', '.join(known)}"
            raise PlanError([f"the judge has no setting {setting!r}{hint}"])
    return ChatEndpoint(name, **settings)  # pyright: ignore[reportArgumentType]


def _checked(judge: Judge) -> Judge:
    """The judge; PlanError if its identity cannot be a cache key."""
    try:
        json.dumps(dict(judge.identity), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise PlanError(
            [
                f"the judge {judge.name!r:.80} has an identity that is not JSON data: {error!s:.200}; "
                "give its model and parameters as texts and numbers"
            ]
        ) from None
    return judge


class CalledJudge(JudgeDefaults):
    """An async function as a judge: a Request in, a Reply or its text out.

    Replies are cached by its name, module and code, and the plain values it was created with. A more
    complex judge should define its own `identity`.
    """

    def __init__(self, function: AsyncFunction) -> None:
        called = getattr(function, "__call__", function)  # noqa: B004
        if not inspect.iscoroutinefunction(function) and not inspect.iscoroutinefunction(called):
            raise PlanError(
                [f"the judge {function!r:.80} is not an async function; write it as async def"]
            )
        self.function = function
        inner: object = getattr(function, "func", function)
        self.name = str(getattr(inner, "__name__", type(inner).__name__))
        module = str(getattr(inner, "__module__", ""))
        self.identity: Identity = {
            "model": self.name,
            "module": module,
            "code": code_digest(function),
        }

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
