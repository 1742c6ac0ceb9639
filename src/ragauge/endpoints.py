"""What all endpoints have in common, whatever is asked of them.

Their addresses and keys, what may be shown of their words, and whether and when to ask again.
"""

import html
import ipaddress
import json
import math
import os
import random
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cached_property
from typing import cast
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlsplit

from ragauge.errors import EncoderError, JudgeError

Fields = Mapping[str, object]
Fault = type[EncoderError] | type[JudgeError]
IS_A_PAGE = "its reply is a page of HTML and not JSON; base_url may want a /v1"
_TRANSIENT_STATUS = frozenset((408, 409, 429))
_EXCERPT = 300
_BACKSLASHES = r"(?:\\++(?:u005c)?|%5C)++"
"""Any number of them, written in any way."""
_SURROGATE = re.compile("[\ud800-\udfff]")


class Unanswered(Exception):
    """A request that may fare better when sent again, after `wait_s` where the server says so.

    `is_overload`: the server has too much to do; there is nothing wrong with this request. `is_lost`:
    there was no connection, or it broke.
    """

    def __init__(
        self,
        reason: str,
        wait_s: float | None = None,
        *,
        is_overload: bool = False,
        is_lost: bool = False,
    ) -> None:
        self.reason, self.wait_s = reason, wait_s
        self.is_overload, self.is_lost = is_overload, is_lost
        super().__init__(reason)


# Addresses and keys -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Address:
    """Where a model is asked, and by which key. Whatever is wrong with these is raised as `fault`.

    `api_key_env`: the environment variable that holds the key, which is kept nowhere else.
    """

    model: str
    base_url: str
    api_key_env: str
    fault: Fault

    def __post_init__(self) -> None:
        """`fault` unless it is an address of the web, without what may be secret in it."""
        try:
            parts = self.parts
            is_host = re.fullmatch(r"[\w.:-]+", parts.hostname or "") and parts.port != 0
            (parts.hostname or "").encode("idna")  # a part of it may be empty, or too long
        except ValueError:
            raise self.fault(
                f"{self.model}: base_url is no address; give https://host/v1"
            ) from None
        if parts.scheme not in ("http", "https") or not is_host or " " in self.base_url:
            raise self.fault(
                f"{self.model}: base_url is an address of the kind "
                f"{parts.scheme or 'without a scheme'!r}, or has no host; give http:// or https://, "
                "a host and a path, as https://host/v1"
            )

    def __repr__(self) -> str:
        return f"{self.model} at {self.host}"

    @cached_property
    def parts(self) -> SplitResult:
        return urlsplit(self.base_url)

    @property
    def host(self) -> str:
        """Host and port, without a login."""
        return self.parts.netloc.rpartition("@")[2]

    @property
    def login(self) -> str:
        """Name and password as HTTP sends them; empty without."""
        return _login(self.parts)

    @property
    def is_local(self) -> bool:
        """Whether it is on this machine, where no key is needed and no proxy used."""
        host = self.parts.hostname or ""
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return host == "localhost" or host.endswith(".localhost")

    def key(self) -> str:
        """The key; empty where an endpoint on this machine needs none. `fault` without one."""
        key = os.environ.get(self.api_key_env, "").strip()
        if not key and not self.is_local:
            raise self.fault(
                f"{self}: no key; put it into the environment variable {self.api_key_env}, or name "
                "another with api_key_env",
                is_down=True,
            )
        if not (key.isascii() and key.isprintable()):
            raise self.fault(
                f"{self}: the environment variable {self.api_key_env} holds signs that are in no "
                "key; look at what it was set from",
                is_down=True,
            )
        return key

    def shown(self, text: str) -> str:
        """An excerpt on one line, without anything secret."""
        return excerpt(text, secrets_of(self.base_url, self.api_key_env))


def check_above_zero(model: str, numbers: Mapping[str, float | None], fault: Fault) -> None:
    """`fault` unless each is finite and above 0, or None."""
    for name, number in numbers.items():
        if number is not None and not 0 < number < math.inf:
            raise fault(f"{model}: {name} is {number}; it must be above 0")


# What is sent, and what is shown ------------------------------------------------------------------


def sendable(text: str) -> str:
    """The text with U+FFFD for each lone surrogate, which cannot be sent.

    >>> sendable("a\\ud800b")
    'a\ufffdb'
    """
    return _SURROGATE.sub("\ufffd", text)


def secrets_of(base_url: str, api_key_env: str) -> tuple[str, ...]:
    """The key, and what may be secret in an address: its password and the values of its query."""
    key = os.environ.get(api_key_env, "").strip()
    try:
        address = urlsplit(base_url)
    except ValueError:  # it cannot be told what in it is secret
        return key, base_url
    query = (value for _, value in parse_qsl(address.query))
    return key, unquote(address.password or ""), _login(address), *query


def excerpt(text: str, secrets: Iterable[str]) -> str:
    """The first of a text on one line, without what is secret. What is shorter than 4 signs is none.

    >>> excerpt("no such key:\\n sk-1234", ["sk-1234"])
    'no such key: [redacted]'
    """
    for secret in secrets:
        if len(secret) > 3:
            text = re.sub(_any_form(secret), "[redacted]", text, flags=re.IGNORECASE)
    printable = "".join(sign if sign.isprintable() else " " for sign in text)
    return " ".join(printable.split())[:_EXCERPT]


def _any_form(secret: str) -> str:
    """A pattern of a secret as it is, and as JSON within JSON, addresses and pages write it."""
    # JSON may have any number of backslashes before a sign, a half of them at each level. Looked at
    # from the first of them only, and never given back: else a body of nothing else would take minutes.
    runs = re.findall(r"\\+|[^\\]", secret, re.DOTALL)
    return r"(?<!\\)" + "".join(_BACKSLASHES if one[0] == "\\" else _forms(one) for one in runs)


def _forms(sign: str) -> str:
    units = sign.encode("utf-16-be", "surrogatepass")
    numbers = (f"u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
    plain = {sign, quote(sign, "", errors="surrogatepass"), html.escape(sign)}
    forms = [*sorted(map(re.escape, plain)), r"\\*+".join(numbers)]
    return rf"\\*+(?:{'|'.join(forms)})"


def _login(address: SplitResult) -> str:
    if address.username is None and address.password is None:
        return ""
    name, password = unquote(address.username or ""), unquote(address.password or "")
    return b64encode(f"{name}:{password}".encode()).decode()


# What comes back ----------------------------------------------------------------------------------


def fields_of(said: object) -> Fields:
    """The fields of a JSON object; none of anything else."""
    return cast(Fields, said) if isinstance(said, dict) else {}


def json_of(body: bytes | bytearray) -> object:
    """A reply's body as JSON, NaN and infinity as Python has them. Unanswered where it is none."""
    try:
        return cast(object, json.loads(body))
    except (ValueError, RecursionError) as error:
        why = str(error).partition("\n")[0][:100]
    raise Unanswered(f"the reply is no JSON ({why}), {len(body)} bytes of it")


def is_page(body: bytes) -> bool:
    """Whether a body is HTML, as where an address is a website's."""
    return body.lstrip().startswith(b"<")


def message_of(body: str) -> str:
    """What the body of an error says, as OpenAI and its kin put it.

    >>> message_of('{"error": {"message": "no such model"}}')
    'no such model'
    """
    try:
        said: object = json.loads(body)
    except (ValueError, RecursionError):
        return body
    for name in ("error", "message", "detail"):
        said = fields_of(said).get(name, said)
    if isinstance(said, str):
        return said
    # A list as pydantic makes it: places and messages, not the input beside.
    items = [fields_of(item) for item in cast(list[object], said)] if isinstance(said, list) else []
    if items and all("msg" in item for item in items):
        return "; ".join(f"{_place(item.get('loc'))}: {item['msg']}" for item in items)
    return json.dumps(said, ensure_ascii=False)


def _place(loc: object) -> str:
    return ".".join(map(str, cast(Iterable[object], loc) if isinstance(loc, list) else [loc]))


# Asking again -------------------------------------------------------------------------------------


def may_pass(status: int) -> bool:
    """Whether what was refused with this status may be answered later."""
    return status in _TRANSIENT_STATUS or status >= 500


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds that a server says to wait, as a number or a date.

    None where it says nothing that can be used; 0.0 for a time that is past.
    """
    told_ms = _number(headers.get("retry-after-ms", ""))
    if told_ms is not None:
        return max(told_ms / 1000, 0.0)
    told = headers.get("retry-after", "").strip()
    seconds = _number(told)
    if seconds is None:
        try:
            until = parsedate_to_datetime(told)
        except (ValueError, TypeError):
            return None
        until = until if until.tzinfo else until.replace(tzinfo=UTC)
        seconds = (until - datetime.now(UTC)).total_seconds()
    return max(seconds, 0.0)


def _number(told: str) -> float | None:
    try:
        number = float(told)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def pause_s(
    n_attempts: int, server_wait_s: float | None = None, *, first_wait_s: float, max_wait_s: float
) -> float:
    """How long to wait after so many attempts, from 1: what the server says, at most
    `max_wait_s` and up to a tenth more at random; else from `first_wait_s` on twice as long each
    time, at most `max_wait_s`, and up to a half less. So those that failed together come apart.
    """
    if server_wait_s is not None:
        return min(server_wait_s, max_wait_s) * random.uniform(1, 1.1)
    return min(first_wait_s * 2.0 ** min(n_attempts - 1, 60), max_wait_s) * random.uniform(0.5, 1)
