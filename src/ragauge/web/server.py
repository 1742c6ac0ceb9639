"""The server of the page: HTTP around a site, with the guard before and the same headers on every answer."""

import errno
import io
import os
import socket
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from threading import Thread
from typing import Any

from ragauge.errors import PlanError, RagaugeError, StoreError
from ragauge.web.guard import (
    READING,
    Access,
    Asked,
    Refusal,
    cookie_name,
    headers_of,
    refusal,
    token_in,
)
from ragauge.web.sites import Content, ReviewSite, Viewer

TEXT = "text/plain; charset=utf-8"
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
POLL_S = 0.05
"""How often a server looks whether it should stop."""
TIMEOUT_S = 30
"""A connection without a whole request for this long is closed, however many bytes arrive meanwhile."""
WAITING = 128
"""Connections that wait for a thread; more are delayed by the system, by seconds."""


Site = Viewer | ReviewSite
"""What a server serves."""


class PageServer(ThreadingHTTPServer):
    """Serves one site, on a loopback address unless there is a token; `port` 0 takes a free one."""

    daemon_threads = True
    allow_reuse_address = os.name == "posix"
    """A port can be used again at once after Ctrl-C; on Windows this would take the port of another server."""
    request_queue_size = WAITING

    def __init__(
        self, site: Site, host: str = "127.0.0.1", port: int = 0, *, token: str | None = None
    ) -> None:
        self.access = Access.of(host, token)
        self.site = site
        address = self.access.address
        self.address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
        try:
            super().__init__((address, port), _Handler)
        except OSError as error:
            advice = "choose another with --port, or leave it out for a free one"
            if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
                advice = "give an address of this machine with --host"
            what = f"cannot serve on {address}, port {port}: {error.strerror or error}"
            raise StoreError(f"{what}; {advice}") from None

    def server_bind(self) -> None:
        # Not HTTPServer's own: it asks the network for the machine's full name.
        TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), self.server_address[1]

    @property
    def url(self) -> str:
        """The address to open, with the token if there is one."""
        host, access = self.server_name, self.access
        host = socket.gethostname().lower() if access.any_address else host
        name = f"[{host}]" if ":" in host else host
        token = "" if access.token is None else f"?token={access.token}"
        return f"http://{name}:{self.server_port}/{token}"

    def handle_error(self, request: object, client_address: object) -> None:
        """A connection that broke concerns nobody; the server goes on."""


class _InTime(io.RawIOBase):
    """What a connection sends, as long as it comes before the deadline; TimeoutError after it.

    A socket's own time limit is for each piece that arrives: one byte a second would keep it open for ever.
    """

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.deadline = time.monotonic() + TIMEOUT_S

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self.connection.settimeout(left)
        try:
            return self.connection.recv_into(buffer)
        finally:
            self.connection.settimeout(TIMEOUT_S)  # for what is sent


class _Handler(BaseHTTPRequestHandler):
    server: PageServer  # pyright: ignore[reportIncompatibleVariableOverride]
    protocol_version = "HTTP/1.1"
    timeout = TIMEOUT_S

    def setup(self) -> None:
        super().setup()
        self.rfile.close()
        self.incoming = _InTime(self.connection)
        self.rfile = io.BufferedReader(self.incoming)

    def handle_one_request(self) -> None:
        self.incoming.deadline = time.monotonic() + TIMEOUT_S
        super().handle_one_request()

    def _answer(self) -> None:
        headers: dict[str, list[str]] = {}
        for name, value in self.headers.items():
            headers.setdefault(name.lower(), []).append(value)
        if self.command in READING and {"content-length", "transfer-encoding"} & {*headers}:
            self.close_connection = True  # nobody reads that body: it is not the next request
        asked = Asked(self.command, self.path, headers)
        site, access, port = self.server.site, self.server.access, self.server.server_port
        refused = refusal(asked, port, access, can_write=site.can_write)
        given = token_in(self.path) if self.command == "GET" else None
        may_come_in = access.token is not None and given is not None and access.is_token(given)
        if refused is None:
            self._serve(asked)
        elif refused.status == 403 and may_come_in:
            # Who opens the printed address gets the cookie with which everything else is asked.
            cookie = f"{cookie_name(port)}={access.token}; Path=/; HttpOnly; SameSite=Lax"
            self._send(303, Content(TEXT, b""), {"Location": "/", "Set-Cookie": cookie})
        else:
            self._refuse(refused)

    def _serve(self, asked: Asked) -> None:
        site, content = self.server.site, Refusal(400, "the body ended early")
        try:
            if asked.method != "POST":
                content = site.find(self.path)
            else:
                length = int(asked.only("content-length") or 0)
                body = self.rfile.read(length)
                content = site.write(self.path, body) if len(body) == length else content
        except PlanError as error:  # of what was sent
            content = Refusal(400, "; ".join(error.problems))
        except RagaugeError as error:  # no room on the disk, or the run's folder has changed
            cause = error.__cause__
            is_full = isinstance(cause, OSError) and cause.errno in NO_ROOM
            content = Refusal(507 if is_full else 500, str(error))
        if isinstance(content, Content):
            self._send(200, content)
        else:
            self._refuse(content or Refusal(404, "there is nothing at this address"))

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_PATCH = do_OPTIONS = _answer  # noqa: N815

    def _refuse(self, refused: Refusal) -> None:
        text = f"{refused.status} {refused.why}\n".encode()
        # What follows in the connection may be the body of what was refused.
        self.close_connection = True
        methods = [*READING, *(["POST"] if self.server.site.can_write else [])]
        allow = {"Allow": ", ".join(methods)} if refused.status == 405 else {}
        self._send(refused.status, Content(TEXT, text), allow)

    def _send(self, status: int, content: Content, more: Mapping[str, str] | None = None) -> None:
        self.send_response_only(status)
        own = {"Content-Type": content.type, "Content-Length": str(len(content.body))}
        own |= {"Connection": "close"} if self.close_connection else {}
        for name, value in {**headers_of(self.server.site.policy), **(more or {}), **own}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content.body)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:  # noqa: ARG002
        """What the standard library refuses by itself, such as a request that is not HTTP."""
        self.command = getattr(self, "command", None) or "GET"
        self.request_version = self.protocol_version  # or the answer would have no headers
        self._refuse(Refusal(code, HTTPStatus(code).phrase.lower()))

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are nobody's business: nothing is logged."""


@contextmanager
def serving(
    site: Site, host: str = "127.0.0.1", port: int = 0, *, token: str | None = None
) -> Generator[PageServer]:
    """A server that answers in a thread of its own until the block ends."""
    with PageServer(site, host, port, token=token) as server:
        thread = Thread(target=server.serve_forever, args=(POLL_S,), name="ragauge", daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
