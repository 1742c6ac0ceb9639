"""The loopback server: HTTP around a viewer, with the guard before and the same headers on every answer."""

import socket
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from ragauge.errors import RagaugeError, StoreError
from ragauge.web.guard import READING, Refusal, headers_of, loopback_address, refusal
from ragauge.web.viewer import Content, Viewer

TIMEOUT_S = 30
"""A connection without a whole request for this long is closed."""


class LoopbackServer(ThreadingHTTPServer):
    """Serves one viewer on a loopback address; `port` 0 takes a free one."""

    daemon_threads = True
    allow_reuse_address = False

    def __init__(self, viewer: Viewer, host: str = "127.0.0.1", port: int = 0) -> None:
        address = loopback_address(host)
        self.viewer = viewer
        self.address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
        try:
            super().__init__((address, port), _Handler)
        except OSError as error:
            raise StoreError(
                f"cannot serve on {address}, port {port}: {error.strerror or error}; choose another with "
                "--port, or leave it out for a free one"
            ) from None

    @property
    def url(self) -> str:
        host, port = self.server_address[:2]
        name = f"[{host!s}]" if ":" in str(host) else str(host)
        return f"http://{name}:{port}/"

    def handle_error(self, request: object, client_address: object) -> None:
        """A connection that broke concerns nobody; the server goes on."""


class _Handler(BaseHTTPRequestHandler):
    server: LoopbackServer  # pyright: ignore[reportIncompatibleVariableOverride]
    protocol_version = "HTTP/1.1"
    timeout = TIMEOUT_S

    def _answer(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        hosts = self.headers.get_all("Host") or []
        refused = refusal(self.command, hosts, self.server.server_port, headers)
        if refused is not None:
            self._refuse(refused)
            return
        try:
            content = self.server.viewer.find(self.path)
        except RagaugeError as error:  # the run's folder has changed since it was opened
            self._refuse(Refusal(500, str(error)))
            return
        if content is None:
            self._refuse(Refusal(404, "there is nothing at this address"))
            return
        self._send(200, content)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_PATCH = do_OPTIONS = _answer  # noqa: N815

    def _refuse(self, refused: Refusal) -> None:
        text = f"{refused.status} {refused.why}\n".encode()
        # What follows in the connection may be the body of what was refused.
        self.close_connection = True
        allow = {"Allow": ", ".join(READING)} if refused.status == 405 else {}
        self._send(refused.status, Content("text/plain; charset=utf-8", text), allow)

    def _send(self, status: int, content: Content, more: Mapping[str, str] | None = None) -> None:
        self.send_response_only(status)
        every = headers_of(self.server.viewer.policy)
        for name, value in {**every, **(more or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Type", content.type)
        self.send_header("Content-Length", str(len(content.body)))
        if self.close_connection:
            self.send_header("Connection", "close")
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
def serving(viewer: Viewer, host: str = "127.0.0.1", port: int = 0) -> Generator[LoopbackServer]:
    """A server that answers in a thread of its own until the block ends."""
    with LoopbackServer(viewer, host, port) as server:
        thread = Thread(target=server.serve_forever, name="ragauge view", daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
