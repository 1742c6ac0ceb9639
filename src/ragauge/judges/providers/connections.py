"""The connections by which an endpoint is asked: aiohttp's where it can be used, or else openai's.

Either takes a body and gives what came back, whole, whatever its status. What a request carries
beside its body is what openai puts there.
"""

import ssl
from collections.abc import AsyncIterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from io import BytesIO
from types import ModuleType
from typing import Any, Protocol, cast
from urllib.parse import urlunsplit
from urllib.request import getproxies, proxy_bypass

from ragauge.endpoints import Address

OPENAI = "https://api.openai.com/v1"
MAX_BYTES = 8_000_000
"""A reply of more is none, and is not read to its end."""
MAX_ERROR_BYTES = 65_536
_CONNECTIONS_PER_POOL = 16
"""httpx looks at every connection of a pool for every request: with a hundred, that takes longer than
all the rest."""
_TRANSPORTS = frozenset(
    ("openai", "httpx", "httpx2", "httpcore", "httpcore2", "aiohttp", "anyio", "h11", "zlib")
)
_ABILITIES = frozenset(("accept-encoding", "connection"))
"""The headers by which a client says what it is able to do."""
_REDIRECTS = frozenset((301, 302, 303, 307, 308))
_MAX_HEADER_BYTES = 65_536
_MAX_PLAIN_BODY = 2**20
"""Of a longer body, aiohttp would have it in parts."""


@dataclass(frozen=True, slots=True)
class Received:
    """A reply as it came. `headers`: an error's, their names in small letters.

    `content`: of an error no more than MOST_ERROR_BYTES, and what came of it if it broke off; of
    anything else more than MOST_BYTES where there is too much of it.
    """

    status: int
    headers: Mapping[str, str]
    content: bytes

    @property
    def is_error(self) -> bool:
        return _is_error(self.status)


class Connections(Protocol):
    """Those to one endpoint, of one event loop. They stay open for the next request."""

    async def post(self, body: bytes) -> Received:
        """What comes back for a body of JSON. What it raises is_transport_error when the connection is lost."""
        ...

    async def close(self) -> None:
        """Close them all."""
        ...


def connections_to(address: Address, most: int) -> Connections:
    """Connections for at most so many requests at once. The first takes a moment to be made."""
    openai = cast(Any, import_module("openai"))
    if find_spec("aiohttp") is not None and not _is_behind_a_proxy(address):
        return _AioHttp(openai, address, most)
    return _Httpx(openai, address, most)


def is_transport_error(error: Exception) -> bool:
    """Whether an exception comes from what carries requests, or from a host's name that cannot be."""
    is_plain = isinstance(error, (OSError, UnicodeError, ExceptionGroup))
    return is_plain or type(error).__module__.partition(".")[0] in _TRANSPORTS


class _AioHttp:
    """By aiohttp itself, which takes a quarter of the time that openai's client does over it.

    Where an address leads elsewhere, all goes by httpx from then on: it minds proxies and keys on the
    way as openai has it.
    """

    def __init__(self, openai: Any, address: Address, most: int) -> None:
        self._openai, self._address, self._most = openai, address, most
        self._aiohttp = cast(Any, import_module("aiohttp"))
        httpx = cast(Any, _package_below(openai))
        self._tls = _tls(httpx, address)
        # openai wants a client; this one is asked for its headers alone, and can carry nothing.
        client = httpx.AsyncClient(transport=httpx.AsyncBaseTransport())
        url, headers = _target(openai, client, address)
        self._url = cast(Any, import_module("yarl")).URL(url)
        self._headers = {name: one for name, one in headers.items() if name not in _ABILITIES}
        self._session: Any = None
        self._httpx: _Httpx | None = None

    async def post(self, body: bytes) -> Received:
        if self._httpx is None:
            data = body if len(body) <= _MAX_PLAIN_BODY else BytesIO(body)
            async with self._opened().post(self._url, data=data, allow_redirects=False) as reply:
                leads = reply.status in _REDIRECTS and "location" in reply.headers
                if not leads:
                    content = await _read(reply.status, reply.content.iter_any())
                    return _received(reply.status, reply.headers, content)
        if self._httpx is None:
            self._httpx = _Httpx(self._openai, self._address, self._most)
        return await self._httpx.post(body)

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
        if self._httpx is not None:
            await self._httpx.close()

    def _opened(self) -> Any:
        """The session, made with the first request: one that is never used is not to be closed."""
        if self._session is None:
            aiohttp = self._aiohttp
            self._session = aiohttp.ClientSession(
                # More than is asked at once: connections that are given up take a moment to close.
                connector=aiohttp.TCPConnector(limit=2 * self._most, ssl=self._tls),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),
                cookie_jar=aiohttp.DummyCookieJar(),
                headers=self._headers,
                max_line_size=_MAX_HEADER_BYTES,
                max_field_size=_MAX_HEADER_BYTES,
            )
        return self._session


@dataclass(slots=True, eq=False)
class _Pool:
    """A client with connections of its own, and how many requests are under way on them."""

    client: Any
    room: int
    n_busy: int = 0


class _Httpx:
    """By openai's client, below its `create` and `post`: what these do to a request takes longer than
    sending it."""

    def __init__(self, openai: Any, address: Address, most: int) -> None:
        self._openai, self._address, self._most = openai, address, most
        self._httpx = cast(Any, _package_below(openai))
        self._tls = _tls(self._httpx, address)
        self._pools = [self._opened()]
        url, self._headers = _target(openai, self._pools[0].client, address)
        self._url = self._httpx.URL(url)

    async def post(self, body: bytes) -> Received:
        pool = self._pool()
        pool.n_busy += 1
        try:
            request = self._httpx.Request("POST", self._url, headers=self._headers, content=body)
            reply = await pool.client.send(request, stream=True)
            try:
                content = await _read(reply.status_code, reply.aiter_bytes())
            finally:
                await reply.aclose()
            return _received(reply.status_code, reply.headers, content)
        finally:
            pool.n_busy -= 1

    async def close(self) -> None:
        while self._pools:
            await self._pools.pop().client.aclose()

    def _pool(self) -> _Pool:
        """The first that has room for a request more, or a new one."""
        for pool in self._pools:
            if pool.n_busy < pool.room:
                return pool
        self._pools.append(self._opened())
        return self._pools[-1]

    def _opened(self) -> _Pool:
        room = min(_CONNECTIONS_PER_POOL, self._most)
        client = self._openai.DefaultAsyncHttpxClient(
            # More than there is room for: connections that are given up take a moment to close.
            limits=self._httpx.Limits(max_connections=2 * room, max_keepalive_connections=room),
            timeout=None,
            trust_env=not self._address.is_local,
            verify=self._tls,
        )
        return _Pool(client, room)


def _is_error(status: int) -> bool:
    return status >= 300


async def _read(status: int, chunks: AsyncIterable[bytes]) -> bytearray:
    """A reply's content, up to a little more than is ever wanted of it."""
    content, most = bytearray(), MAX_ERROR_BYTES if _is_error(status) else MAX_BYTES
    try:
        async for chunk in chunks:
            content += chunk
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


def _target(openai: Any, client: Any, address: Address) -> tuple[str, dict[str, str]]:
    """The URL that requests go to, and the headers they have, as openai has them."""
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
    return urlunsplit((parts.scheme, address.host, path, parts.query, "")), headers


def _tls(httpx: Any, address: Address) -> ssl.SSLContext:
    """What TLS needs; where there can be none, a context that trusts nobody.

    The other takes a tenth of a second to make, in which nothing is asked.
    """
    if address.is_local and address.parts.scheme == "http":
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return httpx.create_ssl_context()


def _is_behind_a_proxy(address: Address) -> bool:
    """Whether requests go by a proxy, of which kind ever: httpx speaks to more of them."""
    proxies = getproxies()
    is_meant = address.parts.scheme in proxies or "all" in proxies
    return is_meant and not address.is_local and not proxy_bypass(address.host)


def _package_below(openai: Any) -> ModuleType:
    """The package by which openai sends requests: httpx, or httpx2."""
    kinds: Sequence[type] = openai.DefaultAsyncHttpxClient.__mro__
    names = (kind.__module__.partition(".")[0] for kind in kinds)
    return import_module(next(name for name in names if name.startswith("httpx")))
