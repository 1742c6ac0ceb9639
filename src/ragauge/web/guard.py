"""Who may ask the server, and the headers of every answer.

A page of another site can make the reader's browser send requests to this server, or resolve a name of
its own to 127.0.0.1. So a request must name this server in its Host header, other sites' pages may not
read, frame or embed an answer, and only this server's own page may write.
"""

import hmac
import ipaddress
import re
import socket
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from ragauge.errors import PlanError

LOOPBACK = {"127.0.0.1": "127.0.0.1", "localhost": "127.0.0.1", "::1": "::1", "[::1]": "::1"}
"""The addresses that the server may have without a token, by the names that people write."""
LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "[::1]"})
WILDCARDS = ("0.0.0.0", "::")
READING = ("GET", "HEAD")
MAX_BODY = 65_536
"""Bytes of a request's body."""
HTTP_PORT = 80
MIN_TOKEN = 16


@dataclass(frozen=True, slots=True)
class Refusal:
    """The status of a refused request and why, in one line."""

    status: int
    why: str


@dataclass(frozen=True, slots=True)
class Asked:
    """The head of a request: all values of each header, by its name in lower case."""

    method: str
    address: str
    headers: Mapping[str, Sequence[str]]

    def only(self, name: str) -> str | None:
        """The header's value; None if it is missing or there several times."""
        values = self.headers.get(name, ())
        return values[0] if len(values) == 1 else None


@dataclass(frozen=True, slots=True)
class Access:
    """Which names the server answers to, and the token that every request must have; None for none.

    `any_address`: any IP address is a name, for a server on all of the machine's addresses. Another
    site's name that resolves to this machine is no IP address.
    """

    address: str = "127.0.0.1"
    names: frozenset[str] = LOOPBACK_NAMES
    any_address: bool = False
    token: str | None = None

    @classmethod
    def of(cls, host: str, token: str | None = None) -> "Access":
        """Access to a server on an address; PlanError for one that others can reach, without a token."""
        if token is not None and (len(token) < MIN_TOKEN or not token.isascii()):
            raise PlanError(f"a token needs at least {MIN_TOKEN} ASCII characters")
        if token is not None and not all(char.isalnum() or char in "-_" for char in token):
            raise PlanError("a token has letters, digits, - and _ only")
        if host in LOOPBACK or token is None:
            return cls(loopback_address(host), token=token)
        address = host.strip("[]")
        # In a Host header IPv6 addresses are in brackets.
        name = f"[{address.lower()}]" if ":" in address else address.lower()
        names = frozenset({*LOOPBACK_NAMES, name, socket.gethostname().lower()})
        return cls(address, names, address in WILDCARDS, token)

    def is_named(self, host: str, port: int) -> bool:
        """Whether a Host header names this server."""
        name, colon, given = host.lower().rpartition(":")
        if not colon or given.endswith("]"):  # no port: browsers leave out that of HTTP
            name, given = host.lower(), str(HTTP_PORT)
        if given != str(port):
            return False
        if name in self.names or not self.any_address:
            return name in self.names
        with suppress(ValueError):
            return bool(ipaddress.ip_address(name.strip("[]")))
        return False

    def lets_in(self, asked: Asked, port: int) -> bool:
        """Whether a request has the token: in a cookie, or as a bearer."""
        if self.token is None:
            return True
        bearer = (asked.only("authorization") or "").removeprefix("Bearer ")
        cookies = "; ".join(asked.headers.get("cookie", ())).split("; ")
        prefix = f"{cookie_name(port)}="
        given = [each.removeprefix(prefix) for each in cookies if each.startswith(prefix)]
        return any(self.is_token(each) for each in (bearer, *given))

    def is_token(self, given: str) -> bool:
        expected = (self.token or "").encode()
        return hmac.compare_digest(given.encode("utf-8", "replace"), expected)


def cookie_name(port: int) -> str:
    # Cookies do not know ports: two servers on one machine would take each other's.
    return f"ragauge-{port}"


def token_in(address: str) -> str | None:
    """The token of an address such as /?token=…, with which a person comes in; None for others."""
    parts = urlsplit(address)
    found = parse_qsl(parts.query)
    is_it = parts.path == "/" and [name for name, _ in found] == ["token"]
    return found[0][1] if is_it else None


def loopback_address(host: str) -> str:
    """The loopback address that a name stands for; PlanError for any other."""
    if host not in LOOPBACK:
        why = "the viewer shows your data to whoever reaches it, so it serves this machine only"
        advice = "from another one, forward the port: ssh -L 8712:127.0.0.1:8712 …"
        raise PlanError(f"{host!r} is not a loopback address: {why}; {advice}")
    return LOOPBACK[host]


def refusal(
    asked: Asked, port: int, access: Access | None = None, *, can_write: bool = False
) -> Refusal | None:
    """Why a request is refused; None if it may be answered.

    >>> def host(name):
    ...     return Asked("GET", "/", {"host": [name]})
    >>> refusal(host("127.0.0.1:8712"), 8712) is None
    True
    >>> refusal(host("evil.example:8712"), 8712).status
    400
    """
    access = access or Access()
    host = asked.only("host")
    if host is None or not access.is_named(host, port):
        return Refusal(400, "the Host header must name this server")
    if not access.lets_in(asked, port):
        why = "the token is missing or wrong; open the address that the server printed"
        return Refusal(403, why)
    if asked.method not in (*READING, *(["POST"] if can_write else [])):
        takes = "only reads" if not can_write else "takes GET, HEAD and POST"
        return Refusal(405, f"this server {takes}")
    # Browsers send this header themselves; a page cannot change it.
    site = asked.headers.get("sec-fetch-site", ["none"])
    is_foreign = any(each not in ("none", "same-origin") for each in site)
    if asked.method != "POST":
        is_refused = is_foreign and asked.only("sec-fetch-mode") != "navigate"
        return Refusal(403, "only this server's own page may ask") if is_refused else None
    if asked.only("origin") != f"http://{host}" or is_foreign:
        return Refusal(403, "only this server's own page may write")
    # A body must be JSON of a known size.
    kind = (asked.only("content-type") or "").split(";")[0].strip().lower()
    if kind != "application/json":
        return Refusal(415, "the Content-Type must be application/json")
    # The number of digits is bounded too: reading thousands of them takes long.
    length = asked.only("content-length") or ""
    if "transfer-encoding" in asked.headers or not re.fullmatch("[0-9]{1,14}", length):
        return Refusal(411, "one Content-Length is needed")
    return Refusal(413, f"the body may have {MAX_BODY:,} bytes") if int(length) > MAX_BODY else None


def headers_of(policy: str) -> Mapping[str, str]:
    """The headers of every answer, also of errors."""
    return {
        "Content-Security-Policy": f"{policy}; frame-ancestors 'none'",
        "X-Frame-Options": "DENY",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cache-Control": "no-store",
    }
