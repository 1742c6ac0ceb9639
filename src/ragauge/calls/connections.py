"""HTTP connections to an endpoint, by openai's clients: the one on aiohttp where possible, else httpx.

`post` sends a body and returns the whole response, whatever its status. Headers are openai's own.
"""

import ssl
from collections.abc import AsyncIterable, AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any, Protocol, cast
from urllib.parse import urlunsplit
from urllib.request import getproxies, proxy_bypass

from ragauge.network.endpoints import Address

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
        return _is_error(self.status)


@dataclass(frozen=True, slots=True)
class Destination:
    """Where a request goes, with its headers."""

    url: str
    headers: Mapping[str, str]
    method: str = "POST"


class Connections(Protocol):
    """Connections to one endpoint, for one event loop. They stay open for the next request."""

    async def post(self, body: bytes) -> Received:
        """Send a JSON body to a chat endpoint. `is_transport_error` tells whether an exception means a lost connection."""
        ...

    async def send(
        self, destination: Destination, body: bytes, arrived: Callable[[int], None]
    ) -> Received:
        """Send a JSON body anywhere, without following redirects.

        `arrived` gets the number of bytes of the reply that are there, whenever more have come.
        """
        ...

    async def close(self) -> None:
        """Close them all."""
        ...


def connections_to(address: Address, most: int) -> Connections:
    """Connections for at most this many requests at once. The first one takes a moment to create."""
    openai = cast(Any, import_module("openai"))
    if find_spec("aiohttp") is not None and not _is_behind_a_proxy(address):
        try:
            return _Clients(openai, address, most, uses_aiohttp=True)
        except (AttributeError, RuntimeError):  # an older openai, without its transport by aiohttp
            pass
    room = min(_CONNECTIONS_PER_POOL, most)
    return _Clients(openai, address, room, uses_aiohttp=False)


def is_transport_error(error: Exception) -> bool:
    """Whether an exception comes from the HTTP packages, or from a host name that cannot exist."""
    is_plain = isinstance(error, (OSError, UnicodeError, ExceptionGroup))
    return is_plain or type(error).__module__.partition(".")[0] in _TRANSPORTS


@dataclass(slots=True, eq=False)
class _Pool:
    """A client with its own connections, and its number of pending requests."""

    client: Any
    room: int
    n_busy: int = 0


class _Body:
    """A long body in parts, as aiohttp wants it. A redirect sends it again."""

    def __init__(self, body: bytes) -> None:
        self._body = body

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for start in range(0, len(self._body), _MAX_PLAIN_BODY):
            yield self._body[start : start + _MAX_PLAIN_BODY]


class _Clients:
    """Connections by openai's clients, below their `create` and `post`, which take longer than sending.

    `room`: requests at once for one client; more clients are opened as needed.
    """

    def __init__(self, openai: Any, address: Address, room: int, *, uses_aiohttp: bool) -> None:
        self.uses_aiohttp = uses_aiohttp
        self._kind = openai.DefaultAioHttpClient if uses_aiohttp else openai.DefaultAsyncHttpxClient
        self._address, self._room = address, room
        self._httpx = cast(Any, _package_below(openai))
        self._tls = _tls(self._httpx, address)
        self._pools = [self._opened()]
        self._openai = openai

    @cached_property
    def _chat(self) -> Destination:
        return _target(self._openai, self._pools[0].client, self._address)

    async def post(self, body: bytes) -> Received:
        return await self._sent(self._chat, body, follow_redirects=True)

    async def send(
        self, destination: Destination, body: bytes, arrived: Callable[[int], None]
    ) -> Received:
        headers = {"content-type": "application/json", **destination.headers}
        there = Destination(destination.url, headers, destination.method)
        return await self._sent(there, body, arrived, follow_redirects=False)

    async def _sent(
        self,
        destination: Destination,
        body: bytes,
        arrived: Callable[[int], None] = lambda _: None,
        *,
        follow_redirects: bool,
    ) -> Received:
        pool = self._pool()
        pool.n_busy += 1
        try:
            request = self._httpx.Request(
                destination.method, destination.url, **_content(destination.headers, body)
            )
            reply = await pool.client.send(request, stream=True, follow_redirects=follow_redirects)
            try:
                content = await _read(reply.status_code, reply.aiter_bytes(), arrived)
            finally:
                await reply.aclose()
            return _received(reply.status_code, reply.headers, content)
        finally:
            pool.n_busy -= 1

    async def close(self) -> None:
        while self._pools:
            await self._pools.pop().client.aclose()

    def _pool(self) -> _Pool:
        """The first pool with room for another request, or a new one."""
        for pool in self._pools:
            if pool.n_busy < pool.room:
                return pool
        self._pools.append(self._opened())
        return self._pools[-1]

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
        return _Pool(client, self._room)


def _content(given: Mapping[str, str], body: bytes) -> dict[str, object]:
    if len(body) <= _MAX_PLAIN_BODY:
        return {"headers": given, "content": body}
    return {"headers": {**given, "content-length": str(len(body))}, "content": _Body(body)}


def _is_error(status: int) -> bool:
    return status >= 300


async def _read(
    status: int, chunks: AsyncIterable[bytes], arrived: Callable[[int], None]
) -> bytearray:
    """A reply's content, up to a little more than the limit."""
    content, most = bytearray(), MAX_ERROR_BYTES if _is_error(status) else MAX_BYTES
    try:
        async for chunk in chunks:
            content += chunk
            arrived(len(content))
            if len(content) > most:
                break
    except Exception as error:
        if not (_is_error(status) and is_transport_error(error)):
            raise
    return content


def _received(status: int, headers: Mapping[str, str], content: bytearray) -> Received:
    if not _is_error(status):
        return Received(status, {}, bytes(content))
    small = {name.lower(): value for name, value in headers.items()}
    return Received(status, small, bytes(content[:MAX_ERROR_BYTES]))


def _target(openai: Any, client: Any, address: Address) -> Destination:
    """The URL of requests, and the headers that openai sends."""
    # openai wants a key where the server needs none.
    key = address.key() or "none"
    asking = openai.AsyncOpenAI(api_key=key, base_url=OPENAI, max_retries=0, http_client=client)
    headers: dict[str, str] = {}
    for name, value in (*client.headers.items(), *asking.default_headers.items()):
        if isinstance(value, str):
            headers[name.lower()] = value
    headers["authorization"] = f"Basic {address.login}" if address.login else f"Bearer {key}"
    parts = address.parts
    path = f"{parts.path.rstrip('/')}/chat/completions"
    return Destination(urlunsplit((parts.scheme, address.host, path, parts.query, "")), headers)


def _tls(httpx: Any, address: Address) -> ssl.SSLContext:
    """The TLS context; for plain HTTP on this machine an empty one.

    The full one takes a tenth of a second to create, which blocks the event loop.
    """
    if address.is_local and address.parts.scheme == "http":
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return httpx.create_ssl_context()


def _is_behind_a_proxy(address: Address) -> bool:
    """Whether requests go through a proxy. httpx supports more kinds of them."""
    proxies = getproxies()
    is_meant = address.parts.scheme in proxies or "all" in proxies
    return is_meant and not address.is_local and not proxy_bypass(address.host)


def _package_below(openai: Any) -> ModuleType:
    """The package that openai sends requests with: httpx or httpx2."""
    kinds: Sequence[type] = openai.DefaultAsyncHttpxClient.__mro__
    names = (kind.__module__.partition(".")[0] for kind in kinds)
    return import_module(next(name for name in names if name.startswith("httpx")))
