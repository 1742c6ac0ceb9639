"""A shell command as a target: it reads one JSON line, and writes its answer as JSON or as text."""

import asyncio
import json
import os
import shlex
import signal
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from ragauge.asking.target import OpenTarget, Response
from ragauge.errors import PlanError
from ragauge.network.endpoints import Unanswered
from ragauge.storage.regular_file import is_file

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
