"""Who may ask the loopback server, and the headers of every answer.

A page of another site can make the reader's browser send requests to this server, or resolve a name of
its own to 127.0.0.1. So a request must name this server in its Host header, and other sites' pages
may not read, frame or embed an answer.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragauge.errors import PlanError

LOOPBACK = {"127.0.0.1": "127.0.0.1", "localhost": "127.0.0.1", "::1": "::1", "[::1]": "::1"}
"""The addresses that the server may have, by the names that people write."""
READING = ("GET", "HEAD")


@dataclass(frozen=True, slots=True)
class Refusal:
    """The status of a refused request and why, in one line."""

    status: int
    why: str


def loopback_address(host: str) -> str:
    """The loopback address that a name stands for; PlanError for any other."""
    if host not in LOOPBACK:
        raise PlanError(
            [
                f"{host!r} is not a loopback address: the viewer shows your data to whoever reaches it, so "
                "it serves this machine only; from another one, forward the port: "
                "ssh -L 8712:127.0.0.1:8712 …"
            ]
        )
    return LOOPBACK[host]


def refusal(
    method: str, hosts: Sequence[str], port: int, headers: Mapping[str, str]
) -> Refusal | None:
    """Why a request is refused; None if it may be answered. `hosts` are all its Host headers.

    >>> refusal("GET", ["127.0.0.1:8712"], 8712, {}) is None
    True
    >>> refusal("GET", ["evil.example:8712"], 8712, {}).status
    400
    """
    known = {f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")}
    if len(hosts) != 1 or hosts[0].lower() not in known:
        return Refusal(400, "the Host header must name this server")
    if method not in READING:
        return Refusal(405, "this server only reads")
    # Browsers send this header themselves; a page cannot change it.
    is_foreign = headers.get("sec-fetch-site", "none") not in ("none", "same-origin")
    is_visit = headers.get("sec-fetch-mode") == "navigate"
    if is_foreign and not is_visit:
        return Refusal(403, "only this server's own page may ask")
    return None


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
