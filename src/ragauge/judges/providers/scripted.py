"""Judges without a model: replies from a script or a recording."""

import json
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, cast

from ragauge.errors import JudgeError, PlanError, StoreError
from ragauge.judges.managed import JudgeDefaults, ManagedJudge, managed
from ragauge.judges.protocol import (
    Identity,
    Judge,
    Reply,
    Request,
    key_of,
    packed_reply,
    unpacked_reply,
)
from ragauge.judges.providers.factory import script_digest
from ragauge.storage.regular_file import exists, is_file, is_folder, read_regular

ScriptedReply = str | Reply | JudgeError | Mapping[str, object]
"""A reply's text, an object that becomes JSON, or an error to raise."""
Script = (
    Callable[[Request], ScriptedReply]
    | Mapping[str, ScriptedReply | Sequence[ScriptedReply]]
    | Sequence[ScriptedReply]
)
RECORDING = "ragauge recording 1"
MAX_BYTES = 2_000_000_000


class ScriptedJudge(JudgeDefaults):
    """A judge that replies from a script, for tests, demonstrations and replies from elsewhere.

    `script`: a function of the request, a mapping from prompt names to one reply or a sequence of
    replies, or one sequence of replies for all requests. JudgeError when no reply is left. Replies are
    cached by name and script, so a changed script is asked again. For a function, the script is its
    code and the functions and plain values of its module that it names; if what it reads elsewhere
    changes, change the name.

    >>> ScriptedJudge({"verdict": {"reason": "same", "verdict": "CORRECT"}}).name
    'scripted'
    """

    def __init__(self, script: Script, *, name: str = "scripted") -> None:
        self.script = script
        self.name = name
        self.requests: list[Request] = []
        self._n_asked: Counter[str] = Counter()

    @cached_property
    def identity(self) -> Identity:
        """Its name and a digest of its script, computed at first use."""
        if callable(self.script):
            return {"model": self.name, "script": script_digest(self.script)}
        text = json.dumps(self.script, default=repr, sort_keys=True)
        return {"model": self.name, "script": sha256(text.encode()).hexdigest()[:8]}

    async def reply(self, request: Request) -> Reply:
        """The script's reply."""
        script: Script | ScriptedReply = self.script
        place = len(self.requests)
        self.requests.append(request)
        if isinstance(script, Mapping):
            if request.prompt not in script:
                raise JudgeError(f"{self.name}: the script has no reply to {request.prompt!r}")
            script = cast("ScriptedReply | Sequence[ScriptedReply]", script[request.prompt])
            place = self._n_asked[request.prompt]
            self._n_asked[request.prompt] += 1
        if callable(script):
            reply = script(request)
        elif isinstance(script, str | Reply | JudgeError | Mapping):
            reply = script
        elif place < len(script):
            reply = script[place]
        else:
            raise JudgeError(
                f"{self.name}: the script has {len(script)} replies, and {request.prompt!r} "
                "needs another"
            )
        if isinstance(reply, JudgeError):
            raise reply
        if isinstance(reply, Reply):
            return reply
        return Reply(reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False))


_OF_JUDGE = (
    *("is_recorded", "digest", "details", "check_key", "close_connections"),
    *("secrets", "redact", "without_secrets", "has"),
)
"""What a RecordingJudge has from the judge that it records."""


class RecordingJudge(JudgeDefaults):
    """A judge whose replies are also written to a file, for a RecordedJudge to replay.

    An existing recording of the same judge is continued. PlanError if the file is something else or
    cannot be written.
    """

    def __init__(self, judge: Judge, path: str | Path) -> None:
        self.judge = managed(judge)
        self.name, self.identity = judge.name, judge.identity
        for name in _OF_JUDGE:
            setattr(self, name, getattr(self.judge, name))
        self.path = Path(path)
        self._file: IO[str] | None = None
        self._head = {"format": RECORDING, "judge": self.name, "identity": dict(self.identity)}
        self._check()

    @property
    def source(self) -> ManagedJudge:
        return self.judge.source

    async def reply(self, request: Request) -> Reply:
        """The judge's reply, after it is written to the file."""
        reply = self.judge.without_secrets(await self.judge.reply(request))
        self.note(request, reply)
        return reply

    def note(self, request: Request, reply: Reply) -> None:
        """Write a reply to the file. StoreError if it cannot be written."""
        line = {
            "key": key_of(self.identity, request).hex(),
            "prompt": request.prompt,
            "reply": json.loads(packed_reply(reply)),
        }
        try:
            if self._file is None:
                is_new = not exists(self.path) or self._is_begun()
                content = "" if is_new else read_regular(self.path, MAX_BYTES).decode()
                self._file = self.path.open("a", encoding="utf-8")
                kept = _without_cut_line(content)
                # Cut and never rewritten, so that a process that is killed here loses no reply.
                self._file.truncate(len(kept.encode()))
                if is_new:
                    self._file.write(json.dumps(self._head) + "\n")
                elif not kept.endswith("\n"):
                    self._file.write("\n")
            self._file.write(json.dumps(line) + "\n")
            self._file.flush()
        except OSError as error:
            raise StoreError(
                f"{self.path}: cannot be written: {error.strerror}; free space or choose another place"
            ) from error

    def _check(self) -> None:
        """Raise PlanError, before any cost, if the file cannot hold the replies."""
        folder, problem = self.path.parent, ""
        if is_file(self.path):
            if self._is_begun():
                return
            existing = RecordedJudge(self.path)
            if dict(existing.identity) != dict(self.identity):
                problem = (
                    f"holds replies of {existing.name} with other parameters or of another judge; name "
                    "another file"
                )
        elif exists(self.path):
            problem = f"cannot be written: {self.path} is not a file"
        else:
            if not (is_folder(folder) and os.access(folder, os.W_OK)):
                problem = f"cannot be written: {folder} is not a writable folder"
            try:
                self.path.stat()
            except FileNotFoundError:
                pass
            except OSError as error:  # a name that is too long, links that form a circle
                problem = f"cannot be written: {error.strerror}"
        if problem:
            raise PlanError(f"{self.path}: {problem}")

    def _is_begun(self) -> bool:
        """Whether the file is empty, or ends within the first line: its process was killed there."""
        head = f"{json.dumps(self._head)}\n".encode()
        return self.path.stat().st_size < len(head) and head.startswith(self.path.read_bytes())


def _without_cut_line(text: str) -> str:
    """The text without an incomplete last line, left by a killed process."""
    body = text.rstrip()
    start = body.rfind("\n") + 1
    try:
        json.loads(body[start:])
    except (ValueError, RecursionError):
        return text[:start]
    return text


class RecordedJudge(JudgeDefaults):
    """A judge that replays recorded replies only, under the identity of the recorded judge; `digest` is the file's."""

    is_recorded = True

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        try:
            content = read_regular(self.path, MAX_BYTES)
            self.digest = sha256(content).hexdigest()
            text = _without_cut_line(content.decode())
            lines = [json.loads(line) for line in text.split("\n") if line.strip()]
            if not lines:
                raise ValueError("it has no complete line; record it again with --record")
            head = cast(dict[str, Any], lines[0])
            if head["format"] != RECORDING:
                raise ValueError(f"its format is {head['format']!r:.80}")
            self.name = str(head["judge"])
            self.identity: Identity = head["identity"]
            if not isinstance(self.identity, dict):
                raise TypeError(f"its identity is {self.identity!r:.80}")
            json.dumps(self.identity, allow_nan=False)
            self._replies = {
                str(line["key"]): unpacked_reply(json.dumps(line["reply"])) for line in lines[1:]
            }
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            why = getattr(error, "strerror", None) or error
            raise PlanError(
                f"{self.path}: is not a recording of a judge's replies: {why!s:.200}"
            ) from error

    async def reply(self, request: Request) -> Reply:
        """The recorded reply. JudgeError if this request has none."""
        key = key_of(self.identity, request)
        if not self.has(key):
            raise JudgeError(
                f"{self.path} has no reply to this {request.prompt!r}: the samples or prompts are "
                "not those of the recording; record it again with --record"
            )
        return self._replies[key.hex()]

    def redact(self, text: str) -> str:
        """The text as it is: a recording holds no key."""
        return text

    def has(self, key: bytes) -> bool:
        """Whether the recording has a reply with this key."""
        return key.hex() in self._replies
