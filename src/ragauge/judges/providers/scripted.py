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
from ragauge.judges.protocol import Identity, Judge, Reply, Request
from ragauge.judges.providers.factory import script_digest
from ragauge.judges.reply_ledger import key_of, packed_reply, unpacked_reply
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
"""Most bytes of a recording."""


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
        """The requests, in order."""
        self._n_asked: Counter[str] = Counter()

    @cached_property
    def identity(self) -> Identity:
        """Its name and a digest of its script, computed at first use."""
        return {"model": self.name, "script": _digest_of(self.script)}

    async def reply(self, request: Request) -> Reply:
        """The script's reply."""
        n_before, n_of_prompt = len(self.requests), self._n_asked[request.prompt]
        self.requests.append(request)
        self._n_asked[request.prompt] += 1
        if callable(self.script):
            return _as_reply(self.script(request))
        if not isinstance(self.script, Mapping):
            return _as_reply(self._nth(self.script, n_before, request))
        if request.prompt not in self.script:
            raise JudgeError(f"{self.name}: the script has no reply to {request.prompt!r}")
        reply = self.script[request.prompt]
        if isinstance(reply, str | Reply | JudgeError | Mapping):
            return _as_reply(reply)
        return _as_reply(self._nth(reply, n_of_prompt, request))

    def _nth(self, replies: Sequence[ScriptedReply], n: int, request: Request) -> ScriptedReply:
        if n >= len(replies):
            raise JudgeError(
                f"{self.name}: the script has {len(replies)} replies, and {request.prompt!r} "
                "needs another"
            )
        return replies[n]


def _digest_of(script: Script) -> str:
    if callable(script):
        return script_digest(script)
    text = json.dumps(script, default=repr, sort_keys=True)
    return sha256(text.encode()).hexdigest()[:8]


def _as_reply(reply: ScriptedReply) -> Reply:
    if isinstance(reply, JudgeError):
        raise reply
    if isinstance(reply, Reply):
        return reply
    return Reply(reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False))


class RecordingJudge(JudgeDefaults):
    """A judge whose replies are also written to a file, for a RecordedJudge to replay.

    An existing recording of the same judge is continued. PlanError if the file is something else or
    cannot be written.
    """

    def __init__(self, judge: Judge, path: str | Path) -> None:
        self.judge = managed(judge)
        self.path = Path(path)
        self._file: IO[str] | None = None
        self._check()

    @property
    def name(self) -> str:
        return self.judge.name

    @property
    def identity(self) -> Identity:
        return self.judge.identity

    async def reply(self, request: Request) -> Reply:
        """The judge's reply, after it is written to the file."""
        reply = self.judge.without_secrets(await self.judge.reply(request))
        self.note(request, reply)
        return reply

    @property
    def is_recorded(self) -> bool:
        return self.judge.is_recorded

    @property
    def digest(self) -> str | None:
        return self.judge.digest

    @property
    def source(self) -> ManagedJudge:
        return self.judge.source

    def details(self) -> Mapping[str, object]:
        return self.judge.details()

    def check_key(self) -> None:
        self.judge.check_key()

    def close_connections(self) -> None:
        self.judge.close_connections()

    def secrets(self) -> Sequence[str]:
        return self.judge.secrets()

    def redact(self, text: str) -> str:
        return self.judge.redact(text)

    def without_secrets(self, reply: Reply) -> Reply:
        return self.judge.without_secrets(reply)

    def has(self, key: bytes) -> bool:
        return self.judge.has(key)

    def note(self, request: Request, reply: Reply) -> None:
        """Write a reply to the file. StoreError if it cannot be written."""
        line = {
            "key": key_of(self.identity, request).hex(),
            "prompt": request.prompt,
            "reply": json.loads(packed_reply(reply)),
        }
        try:
            if self._file is None:
                self._open()
            self._write(line)
        except OSError as error:
            raise StoreError(
                f"{self.path}: cannot be written: {error.strerror}; free space or choose another place"
            ) from error

    def _check(self) -> None:
        """Raise PlanError, before any cost, if the file cannot hold the replies."""
        if not exists(self.path):
            folder = self.path.parent
            try:
                self.path.stat()
            except FileNotFoundError:
                pass
            except OSError as error:  # a name that is too long, links that form a circle
                raise PlanError([f"{self.path}: cannot be written: {error.strerror}"]) from None
            if not (is_folder(folder) and os.access(folder, os.W_OK)):
                raise PlanError(
                    [f"{self.path}: cannot be written: {folder} is not a writable folder"]
                )
            return
        if not is_file(self.path):
            raise PlanError([f"{self.path}: cannot be written: {self.path} is not a file"])
        if self._is_begun():
            return
        existing = RecordedJudge(self.path)
        if dict(existing.identity) != dict(self.identity):
            raise PlanError(
                [
                    f"{self.path}: holds replies of {existing.name} with other parameters or of another "
                    "judge; name another file"
                ]
            )

    def _is_begun(self) -> bool:
        """Whether the file is empty, or ends within the first line: its process was killed there."""
        head = f"{json.dumps(self._head())}\n".encode()
        return self.path.stat().st_size < len(head) and head.startswith(self.path.read_bytes())

    def _open(self) -> None:
        is_new = not exists(self.path) or self._is_begun()
        content = "" if is_new else read_regular(self.path, MAX_BYTES).decode()
        self._file = self.path.open("a", encoding="utf-8")
        kept = _without_cut_line(content)
        # Cut and never rewritten, so that a process that is killed here loses no reply.
        self._file.truncate(len(kept.encode()))
        if is_new:
            self._write(self._head())
        elif not kept.endswith("\n"):
            self._file.write("\n")

    def _head(self) -> Mapping[str, object]:
        return {"format": RECORDING, "judge": self.name, "identity": dict(self.identity)}

    def _write(self, line: Mapping[str, object]) -> None:
        assert self._file is not None
        self._file.write(json.dumps(line) + "\n")
        self._file.flush()


def _whole_lines(text: str) -> list[str]:
    """The lines that are not blank, without an incomplete last one."""
    return [line for line in _without_cut_line(text).split("\n") if line.strip()]


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
    """A judge that replays recorded replies only.

    Its identity is the recorded judge's, under which replies are found; `digest` is the file's.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        try:
            content = read_regular(self.path, MAX_BYTES)
            self._digest = sha256(content).hexdigest()
            lines = _whole_lines(content.decode())
            if not lines:
                raise ValueError("it has no complete line; record it again with --record")
            head = cast(dict[str, Any], json.loads(lines[0]))
            if head["format"] != RECORDING:
                raise ValueError(f"its format is {head['format']!r:.80}")
            self.name = str(head["judge"])
            self.identity: Identity = _read_identity(head["identity"])
            self._replies = dict(_recorded(line) for line in lines[1:])
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            why = getattr(error, "strerror", None) or error
            raise PlanError(
                [f"{self.path}: is not a recording of a judge's replies: {why!s:.200}"]
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

    @property
    def is_recorded(self) -> bool:
        return True

    @property
    def digest(self) -> str:
        return self._digest

    def redact(self, text: str) -> str:
        """The text as it is: a recording holds no key."""
        return text

    def has(self, key: bytes) -> bool:
        """Whether the recording has a reply with this key."""
        return key.hex() in self._replies


def _read_identity(value: object) -> Identity:
    """The identity of the recorded judge; ValueError or TypeError for anything but strict JSON data."""
    if not isinstance(value, dict):
        raise TypeError(f"its identity is {value!r:.80}")
    json.dumps(value, allow_nan=False)
    return cast(Identity, value)


def _recorded(line: str) -> tuple[str, Reply]:
    fields = cast(dict[str, Any], json.loads(line))
    return str(fields["key"]), unpacked_reply(json.dumps(fields["reply"]))
