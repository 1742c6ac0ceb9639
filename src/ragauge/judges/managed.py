"""What a run needs of a judge besides its replies, with defaults for a user's own judge."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol, cast, runtime_checkable

from ragauge.judges.protocol import Judge, Reply, Request
from ragauge.network.endpoints import excerpt, secrets_of
from ragauge.network.redaction import redacted

MIN_SECRET = 8


@runtime_checkable
class JudgeDefaults(Protocol):
    """Defaults for what a run needs of a judge besides its replies. All judges of ragauge derive from it."""

    is_recorded: bool = False
    """Whether replies come from a recording: they are free, need no cache, and are the only ones."""
    digest: str | None = None
    """A digest of the recording's content; None where replies are not recorded."""

    @property
    def source(self) -> "ManagedJudge":
        """The judge that replies: itself, unless it records another one."""
        return cast(ManagedJudge, self)

    def details(self) -> Mapping[str, object]:
        """What the run's manifest says of it: rejected parameters, address, whether it is recorded."""
        return {"dropped": {}, "address": None, "is_recorded": self.is_recorded}

    def check_key(self) -> None:
        """Raise JudgeError when the judge needs a key and there is none."""

    def close_connections(self) -> None:
        """Close connections; a later request opens new ones."""

    def secrets(self) -> Sequence[str]:
        """What no text that is kept or shown may contain; by default what the environment holds for judges."""
        return _secrets("", "")

    def redact(self, text: str) -> str:
        """The text of an error on one line, with secrets hidden."""
        return excerpt(text, self.secrets())

    def without_secrets(self, reply: Reply) -> Reply:
        """The reply with secrets of 8 or more characters hidden (shorter ones are words such as
        "none"), then without logprobs."""
        long = [secret for secret in self.secrets() if len(secret) >= MIN_SECRET]
        clean = {
            name: redacted(text, long)
            for name in ("text", "finish_reason", "model")
            if isinstance(text := getattr(reply, name), str)
        }
        if all(getattr(reply, name) == text for name, text in clean.items()):
            return reply
        return replace(reply, logprobs=None, **clean)

    def note(self, request: Request, reply: Reply) -> None:
        """Take note of a reply that the run uses."""

    def has(self, key: bytes) -> bool:  # noqa: ARG002
        """Whether the recording holds the reply with this key."""
        return False


class ManagedJudge(Judge, JudgeDefaults, Protocol):
    """A judge with all that a run needs."""


class PlainJudge(JudgeDefaults):
    """A user's own judge, with the defaults. The user closes it and checks its key."""

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self.name, self.identity, self.reply = judge.name, judge.identity, judge.reply

    def secrets(self) -> Sequence[str]:
        """As the default, and the secrets of the judge's `base_url` and `api_key_env`."""
        own = (getattr(self.judge, name, None) for name in ("base_url", "api_key_env"))
        return _secrets(*(str(value or "") for value in own))


def managed(judge: Judge) -> ManagedJudge:
    """The judge with the defaults where it has none of its own."""
    return cast("ManagedJudge", judge) if isinstance(judge, JudgeDefaults) else PlainJudge(judge)


def _secrets(url: str, key: str) -> list[str]:
    environment = os.environ.get("OPENAI_BASE_URL") or ""
    keys = [value.strip() for name, value in os.environ.items() if name.endswith("_API_KEY")]
    return [*secrets_of(url, key), *secrets_of(environment, "OPENAI_API_KEY"), *keys]
