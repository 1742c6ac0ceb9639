"""Shared code of all endpoints: addresses and keys, redacted messages, retries."""

import ipaddress
import json
import math
import os
import random
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cached_property
from typing import cast
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from ragauge.errors import EncoderError, JudgeError, PlanError
from ragauge.network.redaction import redacted

Fields = Mapping[str, object]
Fault = type[EncoderError] | type[JudgeError]
IS_A_PAGE = "its reply is a page of HTML and not JSON; base_url may want a /v1"
_TRANSIENT_STATUS = frozenset((408, 409, 429))
OVERLOADED = frozenset((429, 503, 529))
"""Refusals that lower concurrency may avoid; 529 is Anthropic's "overloaded"."""
_EXCERPT = 300
_VARIABLE_OF_KEY = r"[A-Z][A-Z0-9_]*(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?|AUTH)[A-Z0-9_]{0,10}"
_VARIABLE = rf"{_VARIABLE_OF_KEY}|[A-Z]+(_[A-Z]+)+"
"""How people name variables. A key with digits, small letters or hyphens does not match."""
_KEY = re.compile(
    r"(?:^|[:/=\s])(?:(?:sk|xai|pplx)-[\w-]{20,}|(?:gsk|hf|r8|ghp)_[A-Za-z0-9]{20,}|AIza[\w-]{30,}"
    r"|eyJ[\w-]{17,}\.[\w-]{17,}\.[\w-]{17,})"
)
"""How keys of providers begin, and JSON web tokens."""
_SURROGATE = re.compile("[\ud800-\udfff]")


class Unanswered(Exception):
    """No answer, for a reason that says how to go on: after `wait_s`, with fewer requests
    (`is_overload`), not at all (`is_final`).

    `is_lost`: there was no connection, or it broke.
    """

    def __init__(
        self,
        reason: str,
        wait_s: float | None = None,
        *,
        is_overload: bool = False,
        is_lost: bool = False,
        is_final: bool = False,
    ) -> None:
        self.reason, self.wait_s = reason, wait_s
        self.is_overload, self.is_lost, self.is_final = is_overload, is_lost, is_final
        super().__init__(reason)


@dataclass(frozen=True)
class Address:
    """A model's address, and the variable that holds its key. Problems raise `fault`."""

    model: str
    base_url: str
    api_key_env: str
    fault: Fault

    def __post_init__(self) -> None:
        """Raise `fault` unless base_url is a web address. The message hides its secrets."""
        refuse_key_as_name(self.model)
        problem = "is no address; give https://host/v1"
        with suppress(ValueError):
            parts = self.parts
            is_host = re.fullmatch(r"[\w.:-]+", parts.hostname or "") and parts.port != 0
            (parts.hostname or "").encode("idna")  # a label may be empty or too long
            if parts.scheme in ("http", "https") and is_host and " " not in self.base_url:
                return
            problem = (
                f"is an address of the kind {parts.scheme or 'without a scheme'!r}, or has no host; "
                "give http:// or https://, a host and a path, as https://host/v1"
            )
        error = self.fault(f"{self.model}: base_url {problem}")
        error.exit_code = PlanError.exit_code  # nothing was asked, so nothing is unreachable
        raise error

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
        """User name and password as HTTP sends them; empty without."""
        return _login(self.parts)

    @property
    def is_local(self) -> bool:
        """Whether it is on this machine, which needs no key and no proxy."""
        host = self.parts.hostname or ""
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return host == "localhost" or host.endswith(".localhost")

    def key(self) -> str:
        """The key; empty if an endpoint on this machine needs none. Raises `fault` if it is missing."""
        key = os.environ.get(self.api_key_env, "").strip()
        if not key and not self.is_local:
            way_out = (
                "api_key_env must be the name of an environment variable that holds the key, such as "
                "OPENAI_API_KEY; what was given is not printed, since it may be the key itself"
            )
            if is_variable(self.api_key_env):
                way_out = (
                    f"put it into the environment variable {self.api_key_env}, or name another with "
                    "--judge-key or --encoder-key (in Python api_key_env=)"
                )
            raise self.fault(f"{self}: no key; {way_out}", is_down=True)
        if not (key.isascii() and key.isprintable()):
            raise self.fault(
                f"{self}: the environment variable {self.api_key_env} holds signs that are in no "
                "key; look at what it was set from",
                is_down=True,
            )
        return key

    def shown(self, text: str) -> str:
        """An excerpt on one line, without secrets."""
        return excerpt(text, secrets_of(self.base_url, self.api_key_env))


def check_above_zero(model: str, numbers: Mapping[str, float | None]) -> None:
    """Raise PlanError unless each number is finite and above 0, or None."""
    for name, number in numbers.items():
        if number is not None and not 0 < number < math.inf:
            raise PlanError(f"{model}: {name} is {number}; it must be above 0")


def sendable(text: str) -> str:
    """The text with lone surrogates, which cannot be sent, replaced by U+FFFD.

    >>> sendable("a\\ud800b")
    'a\ufffdb'
    """
    return _SURROGATE.sub("\ufffd", text)


def is_variable(name: str) -> bool:
    """Whether this is the name of an environment variable, or looks like one for a key, and not like a key.

    >>> is_variable("MY_API_KEY"), is_variable("sk-1234"), is_variable("AIzaSyA12345")
    (True, False, False)
    """
    return name in os.environ or re.fullmatch(_VARIABLE, name) is not None


def refuse_key_as_name(model: str) -> None:
    """Raise PlanError, without the name, if a model's name is the value of a variable for a key, or looks like a key."""
    if _KEY.search(model) or model.strip() in environment_keys():
        raise PlanError(
            "the name of a model looks like a key, so it is not printed; give the model's name, and put the "
            "key into an environment variable such as OPENAI_API_KEY"
        )


def environment_keys() -> set[str]:
    """The values of the environment's variables for keys; values of fewer than 12 characters may be names of models."""
    names = (name for name in os.environ if re.fullmatch(_VARIABLE_OF_KEY, name))
    return {value for name in names if len(value := os.environ[name].strip()) >= 12}


def secrets_of(base_url: str, api_key_env: str) -> tuple[str, ...]:
    """The key (also in place of its variable's name), and the secrets of an address."""
    key = os.environ.get(api_key_env, "").strip()
    if not is_variable(api_key_env):
        key = api_key_env.strip()
    try:
        address = urlsplit(base_url)
    except ValueError:  # any part of it may be secret
        return key, base_url
    query = (value for _, value in parse_qsl(address.query))
    return key, unquote(address.password or ""), _login(address), *query


def excerpt(text: str, secrets: Iterable[str]) -> str:
    """The start of a text on one line, with secrets of 4 or more characters redacted.

    >>> excerpt("no such key:\\n sk-1234", ["sk-1234"])
    'no such key: [redacted]'
    """
    text = redacted(text, secrets)
    printable = "".join(sign if sign.isprintable() else " " for sign in text)
    return " ".join(printable.split())[:_EXCERPT]


def _login(address: SplitResult) -> str:
    if address.username is None and address.password is None:
        return ""
    name, password = unquote(address.username or ""), unquote(address.password or "")
    return b64encode(f"{name}:{password}".encode()).decode()


def fields_of(value: object) -> Fields:
    """The fields of a JSON object; empty for anything else."""
    return cast(Fields, value) if isinstance(value, dict) else {}


def listed(value: object) -> list[object]:
    """The items of a JSON array; empty for anything else."""
    return cast(list[object], value) if isinstance(value, list) else []


def json_of(body: bytes | bytearray) -> object:
    """A reply's body as JSON; NaN and infinity as in Python. Unanswered if it is not JSON."""
    try:
        return cast(object, json.loads(body))
    except (ValueError, RecursionError) as error:
        why = str(error).partition("\n")[0][:100]
    raise Unanswered(f"the reply is not JSON ({why}), {len(body)} bytes of it")


def is_page(body: bytes) -> bool:
    """Whether a body is HTML, as from a website's address."""
    return body.lstrip().startswith(b"<")


def message_of(body: str) -> str:
    """The message in the body of an error, as OpenAI-compatible servers write it.

    >>> message_of('{"error": {"message": "no such model"}}')
    'no such model'
    """
    try:
        content: object = json.loads(body)
    except (ValueError, RecursionError):
        return body
    for name in ("error", "message", "detail"):
        content = fields_of(content).get(name, content)
    if isinstance(content, str):
        return content
    # A list of pydantic errors: places and messages, without the input.
    items = [fields_of(item) for item in listed(content)]
    if items and all("msg" in item for item in items):
        places = (item.get("loc") for item in items)
        shown = (".".join(map(str, listed(place) or [place])) for place in places)
        return "; ".join(f"{at}: {item['msg']}" for at, item in zip(shown, items, strict=True))
    return json.dumps(content, ensure_ascii=False)


def may_pass(status: int) -> bool:
    """Whether a refusal with this status may be transient."""
    return status in _TRANSIENT_STATUS or status >= 500


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds of Retry-After, a number or a date (0.0 if past); None without a usable value."""
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return max(milliseconds / 1000, 0.0)
    text = headers.get("retry-after", "").strip()
    seconds = _number(text)
    if seconds is None:
        try:
            until = parsedate_to_datetime(text)
        except (ValueError, TypeError):
            return None
        until = until if until.tzinfo else until.replace(tzinfo=UTC)
        seconds = (until - datetime.now(UTC)).total_seconds()
    return max(seconds, 0.0)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def pause_s(
    n_attempts: int, server_wait_s: float | None = None, *, first_wait_s: float, max_wait_s: float
) -> float:
    """The pause after `n_attempts` (from 1).

    `server_wait_s`, at most `max_wait_s`, plus up to 10 % at random; without it, `first_wait_s`
    doubled each time, at most `max_wait_s`, minus up to 50 % at random. The randomness separates
    requests that failed together.
    """
    if server_wait_s is not None:
        return min(server_wait_s, max_wait_s) * random.uniform(1, 1.1)
    return min(first_wait_s * 2.0 ** min(n_attempts - 1, 60), max_wait_s) * random.uniform(0.5, 1)
