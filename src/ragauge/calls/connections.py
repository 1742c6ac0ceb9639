"""HTTP connections to an endpoint, by openai's clients: the one on aiohttp where possible, else httpx."""

import ssl
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, cast
from urllib.parse import urlunsplit
from urllib.request import getproxies, proxy_bypass

from ragauge.network.endpoints import Address, Unanswered

OPENAI = "https://api.openai.com/v1"
MAX_BYTES = 8_000_000
"""A longer reply is rejected and not read to its end."""
MAX_ERROR_BYTES = 65_536
_CONNECTIONS_PER_POOL = 16
"""httpx scans all connections of a pool for every request; with a hundred, that takes most of the time."""
_TRANSPORTS = frozenset(
    ("openai", "httpx", "httpx2", "httpcore", "httpcore2", "aiohttp", "anyio", "h11", "zlib")
)
_MAX_PLAIN_BODY = 2**20
"""Bytes; aiohttp warns unless a longer body comes in parts."""


@dataclass(frozen=True, slots=True)
class Received:
    """A response. `headers`: of an error only, names in lower case.

    `content`: of an error at most MAX_ERROR_BYTES, and only its beginning if the connection broke; of
    another reply more than MAX_BYTES if it is too long.
    """

    status: int
    headers: Mapping[str, str]
    content: bytes

    @property
    def is_error(self) -> bool:
        return self.status >= 300


@dataclass(frozen=True, slots=True)
class Destination:
    """Where a request goes, with its headers."""

    url: str
    headers: Mapping[str, str]
    method: str = "POST"


@dataclass(slots=True, eq=False)
class _Pool:
    """A client with its own connections, and its number of pending requests."""

    client: Any
    n_busy: int = 0


@dataclass
class _Body:
    """A long body in parts, as aiohttp wants it. A redirect sends it again."""

    body: bytes

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for start in range(0, len(self.body), _MAX_PLAIN_BODY):
            yield self.body[start : start + _MAX_PLAIN_BODY]


class Connections:
    """Connections to one endpoint, for one event loop, which stay open for the next request.

    `most`: requests at once. Unanswered if a connection is lost. Uses openai's clients below their `create` and `post`, which take longer than
    sending; more clients are opened as needed. The first one takes a moment to create.
    """

    def __init__(self, address: Address, most: int) -> None:
        openai = cast(Any, import_module("openai"))
        self._address = address
        kinds = openai.DefaultAsyncHttpxClient.__mro__
        names = (kind.__module__.partition(".")[0] for kind in kinds)
        # The package that openai sends requests with: httpx or httpx2.
        self._httpx: Any = import_module(next(name for name in names if name.startswith("httpx")))
        if address.is_local and address.parts.scheme == "http":
            # The full context takes a tenth of a second to create, which blocks the event loop.
            self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        else:
            self._tls = self._httpx.create_ssl_context()
        proxies = getproxies()
        is_meant = address.parts.scheme in proxies or "all" in proxies
        is_behind_a_proxy = is_meant and not address.is_local and not proxy_bypass(address.host)
        # httpx supports more kinds of proxies.
        self.uses_aiohttp = find_spec("aiohttp") is not None and not is_behind_a_proxy
        if self.uses_aiohttp:
            self._room = most
            try:
                self._kind = openai.DefaultAioHttpClient
                self._pools = [self._opened()]
            except (AttributeError, RuntimeError):  # an older openai, without it
                self.uses_aiohttp = False
        if not self.uses_aiohttp:
            self._room = min(_CONNECTIONS_PER_POOL, most)
            self._kind = openai.DefaultAsyncHttpxClient
            self._pools = [self._opened()]
        self._openai = openai
        self._chat: Destination | None = None

    async def post(self, body: bytes) -> Received:
        """Send a JSON body to a chat endpoint."""
        self._chat = self._chat or self._chat_destination()
        return await self._sent(self._chat, body, follow_redirects=True)

    async def send(
        self, destination: Destination, body: bytes, arrived: Callable[[int], None]
    ) -> Received:
        """Send a JSON body anywhere, without following redirects.

        `arrived` gets the number of bytes of the reply that are there, whenever more have come.
        """
        headers = {"content-type": "application/json", **destination.headers}
        there = Destination(destination.url, headers, destination.method)
        return await self._sent(there, body, arrived, follow_redirects=False)

    async def close(self) -> None:
        """Close them all."""
        while self._pools:
            await self._pools.pop().client.aclose()

    def _opened(self) -> _Pool:
        client = self._kind(
            # Twice the room: cancelled connections take a moment to close.
            limits=self._httpx.Limits(
                max_connections=2 * self._room, max_keepalive_connections=self._room
            ),
            timeout=None,
            trust_env=not self._address.is_local,
            verify=self._tls,
        )
        return _Pool(client)

    def _chat_destination(self) -> Destination:
        """The URL of chat completions, and the headers that openai sends."""
        address, client = self._address, self._pools[0].client
        # openai wants a key where the server needs none.
        key = address.key() or "none"
        asking = self._openai.AsyncOpenAI(
            api_key=key, base_url=OPENAI, max_retries=0, http_client=client
        )
        given = (*client.headers.items(), *asking.default_headers.items())
        headers = {name.lower(): value for name, value in given if isinstance(value, str)}
        headers["authorization"] = f"Basic {address.login}" if address.login else f"Bearer {key}"
        parts = address.parts
        path = f"{parts.path.rstrip('/')}/chat/completions"
        return Destination(urlunsplit((parts.scheme, address.host, path, parts.query, "")), headers)

    async def _sent(
        self,
        destination: Destination,
        body: bytes,
        arrived: Callable[[int], None] = lambda _: None,
        *,
        follow_redirects: bool,
    ) -> Received:
        pool = next((pool for pool in self._pools if pool.n_busy < self._room), None)
        if pool is None:
            pool = self._opened()
            self._pools.append(pool)
        headers, sent = destination.headers, body
        if len(body) > _MAX_PLAIN_BODY:
            headers, sent = {**headers, "content-length": str(len(body))}, _Body(body)
        pool.n_busy += 1
        try:
            where = destination.method, destination.url
            request = self._httpx.Request(*where, headers=headers, content=sent)
            reply = await pool.client.send(request, stream=True, follow_redirects=follow_redirects)
            try:
                return await _received(reply, arrived)
            finally:
                await reply.aclose()
        except Exception as error:
            if not is_transport_error(error):
                raise
            why = self._address.shown(f"{type(error).__name__}: {error}".removesuffix(": "))
        finally:
            pool.n_busy -= 1
        # Outside the except, so that the error does not reference the request and its key.
        raise Unanswered(f"the connection was lost ({why})", is_lost=True)


async def _received(reply: Any, arrived: Callable[[int], None]) -> Received:
    """A reply with its content, up to a little more than the limit."""
    status: int = reply.status_code
    is_error = status >= 300
    most = MAX_ERROR_BYTES if is_error else MAX_BYTES
    content = bytearray()
    try:
        async for chunk in reply.aiter_bytes():
            content += chunk
            arrived(len(content))
            if len(content) > most:
                break
    except Exception as error:
        if not (is_error and is_transport_error(error)):
            raise
    if not is_error:
        return Received(status, {}, bytes(content))
    headers = {name.lower(): value for name, value in reply.headers.items()}
    return Received(status, headers, bytes(content[:MAX_ERROR_BYTES]))


def is_transport_error(error: Exception) -> bool:
    """Whether an exception comes from the HTTP packages, or from a host name that cannot exist."""
    is_plain = isinstance(error, (OSError, UnicodeError, ExceptionGroup))
    return is_plain or type(error).__module__.partition(".")[0] in _TRANSPORTS
