"""A server of chat completions or embeddings on this machine that answers and fails as a test wants.

In a test: `with FaultyServer(answer) as server`, where `answer(number, body)` says what becomes of
the request of that number, from 1. `benchmarks/judge_server.py` serves with it too.
"""

import asyncio
import json
import socket
import struct
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Any, Literal

Body = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """What becomes of a request.

    `fate`: "send" the answer; "hang" on to the connection in silence; "reset" it; "cut" it off in
    the middle of `body`; "drip" or "flood" spaces without end. `latency_s` passes before that, None for the
    server's own.
    """

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    fate: Literal["send", "hang", "reset", "cut", "drip", "flood"] = "send"
    latency_s: float | None = None


Answers = Callable[[int, Body], Answer]

HANG = Answer(fate="hang")
RESET = Answer(fate="reset")
DRIP = Answer(fate="drip")
FLOOD = Answer(fate="flood")
ENDLESS = {"Content-Length": "1000000000"}
SERVED = ("/chat/completions", "/embeddings")


def ok(
    text: object,
    *,
    finish_reason: str = "stop",
    refusal: str | None = None,
    usage: object = None,
    logprobs: object = None,
    **changed: object,
) -> Answer:
    """A completion that says `text`; anything but a string or None is said as JSON."""
    content = text if isinstance(text, str) or text is None else json.dumps(text)
    message = {"role": "assistant", "content": content, "refusal": refusal}
    choice = {"index": 0, "message": message, "finish_reason": finish_reason, "logprobs": logprobs}
    envelope = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "judge-2025-01-01",
        "choices": [choice],
        "usage": usage or {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
    }
    return Answer(body=json.dumps({**envelope, **changed}).encode())


def refusal(status: int, message: str, *, headers: dict[str, str] | None = None, **error: object):
    """An error as OpenAI puts it."""
    body = {"error": {"message": message, "type": None, "param": None, "code": None, **error}}
    return Answer(status, json.dumps(body).encode(), headers or {})


def too_many(retry_after: str | None = None) -> Answer:
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    return refusal(429, "slow down", headers=headers)


def everything_about(error: BaseException) -> str:
    """Its messages, fields and traceback, and those of what caused it."""
    chain, one = [], error
    while one is not None:
        chain.append(f"{one!r} {one} {one.__dict__}")
        one = one.__cause__ or one.__context__
    return " ".join((*chain, *traceback.format_exception(error)))


class FaultyServer:
    """Serves from a thread of its own between `with` and its end.

    Above `in_flight` requests at once it refuses with 429.
    `asked`: the bodies, in order; `headers`: theirs; `most`: the most that were under way at once;
    `n_refused`: those that `in_flight` did not let in.
    """

    def __init__(
        self,
        answer: Answers | None = None,
        *,
        latency_s: float = 0.0,
        in_flight: int | None = None,
        keeps: bool = True,
    ) -> None:
        self.answer: Answers = answer or (lambda *_: ok("yes"))
        self.latency_s, self.in_flight = latency_s, in_flight
        self.keeps = keeps
        self.asked: list[Body] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.n_requests = self.n_refused = self.n_connections = 0
        self.now = self.most = 0
        self.port = 0
        self._loop = asyncio.new_event_loop()
        self._connections: set[Connection] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def n_open(self) -> int:
        """The connections that are open now."""
        return len(self._connections)

    @property
    def stats(self) -> dict[str, int]:
        names = ("n_requests", "n_refused", "n_connections", "now", "most")
        return {name: getattr(self, name) for name in names}

    def __enter__(self) -> "FaultyServer":
        self._listening = self._loop.run_until_complete(self.listen())
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._loop.call_soon_threadsafe(self._stop)
        self._thread.join(10)
        self._loop.close()

    async def listen(self, port: int = 0) -> asyncio.Server:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: Connection(self), "127.0.0.1", port, backlog=2048)
        self.port = server.sockets[0].getsockname()[1]
        return server

    def _stop(self) -> None:
        self._listening.close()
        for connection in list(self._connections):
            connection.abort()
        self._loop.call_soon(self._loop.stop)

    def what_becomes_of(self, body: Body) -> Answer:
        """Counts a request in, and says what becomes of it."""
        self.n_requests += 1
        if self.in_flight is not None and self.now >= self.in_flight:
            self.n_refused += 1
            return replace(too_many(), latency_s=0.0)
        return self.answer(self.n_requests, body)


class Connection(asyncio.Protocol):
    """One connection: HTTP/1.1, kept alive, a request after the other."""

    def __init__(self, server: FaultyServer) -> None:
        self.server = server
        self.received = bytearray()
        self.is_busy = False
        self.timers: list[asyncio.TimerHandle] = []

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self.server.n_connections += 1
        self.server._connections.add(self)
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def connection_lost(self, exc: Exception | None) -> None:
        self.server._connections.discard(self)
        self.abort()

    def abort(self) -> None:
        for timer in self.timers:
            timer.cancel()
        self._leave()
        self.transport.abort()

    def data_received(self, data: bytes) -> None:
        self.received += data
        if not self.is_busy:
            self._next()

    def _next(self) -> None:
        """Begin the next request, when all of it is there."""
        end = self.received.find(b"\r\n\r\n")
        if end < 0:
            return
        lines = self.received[:end].decode("latin-1").split("\r\n")
        headers = {
            name.strip().lower(): value.strip()
            for name, _, value in (line.partition(":") for line in lines[1:])
        }
        full = end + 4 + int(headers.get("content-length", "0"))
        if len(self.received) < full:
            return
        content = bytes(self.received[end + 4 : full])
        del self.received[:full]
        method, path, _ = lines[0].split(" ", 2)
        if method == "POST" and path.partition("?")[0].endswith(SERVED):
            self._begin(path, headers, content)
        else:
            self._send(refusal(404, f"no {method} {path}"))

    def _begin(self, path: str, headers: dict[str, str], content: bytes) -> None:
        server, body = self.server, json.loads(content)
        if server.keeps:
            server.asked.append(body)
            server.headers.append(headers)
            server.paths.append(path)
        n_refused = server.n_refused
        answer = server.what_becomes_of(body)
        self.is_busy, self.is_let_in = True, server.n_refused == n_refused
        server.now += self.is_let_in
        server.most = max(server.most, server.now)
        latency_s = server.latency_s if answer.latency_s is None else answer.latency_s
        if latency_s:
            self._later(latency_s, self._end, answer)
        else:
            self._end(answer)

    def _later(self, seconds: float, *call: Any) -> None:
        self.timers = [asyncio.get_running_loop().call_later(seconds, *call)]

    def _leave(self) -> None:
        if self.is_busy:
            self.is_busy = False
            self.server.now -= self.is_let_in

    def _end(self, answer: Answer) -> None:
        if answer.fate == "send":
            self._leave()
            self._send(answer)
            if self.received:
                self._next()
        elif answer.fate == "reset":
            linger = struct.pack("ii", 1, 0)
            sock = self.transport.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self.abort()
        elif answer.fate == "cut":
            self._leave()
            self.transport.write(self._head(answer) + answer.body[: len(answer.body) // 2])
            self.transport.close()
        elif answer.fate in ("drip", "flood"):
            self.transport.write(self._head(replace(answer, headers=ENDLESS)))
            self._drip(b" " if answer.fate == "drip" else b" " * 100_000)

    def _drip(self, spaces: bytes) -> None:
        if not self.transport.get_write_buffer_size():
            self.transport.write(spaces)
        self._later(0.02 if len(spaces) == 1 else 0.001, self._drip, spaces)

    def _send(self, answer: Answer) -> None:
        self.transport.write(self._head(answer) + answer.body)
        if "Content-Length" in answer.headers:
            self.transport.close()

    def _head(self, answer: Answer) -> bytes:
        phrases = {status.value: status.phrase for status in HTTPStatus}
        headers = {
            "Content-Type": "application/json",
            "Content-Length": str(len(answer.body)),
            **answer.headers,
        }
        lines = [f"HTTP/1.1 {answer.status} {phrases.get(answer.status, 'Unnamed')}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
