"""Embeddings from an endpoint that speaks OpenAI's protocol, through the package openai."""

import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from itertools import count
from threading import Event, Lock
from typing import Any, NoReturn, cast
from urllib.parse import parse_qsl, urlunsplit

import numpy as np

from ragauge.encoders.cached import pieces
from ragauge.encoders.local import unit_rows
from ragauge.encoders.protocol import Floats, Ints, LongText, TokenVectors
from ragauge.errors import EncoderError, MissingExtraError
from ragauge.network import endpoints
from ragauge.network.endpoints import Address, Unanswered

CHARACTERS_PER_REQUEST = 200_000
"""Endpoints limit the total tokens of a request, OpenAI to 300,000."""
BYTES_PER_VECTOR = 2_000_000
"""A longer reply per text is rejected and not read to its end."""
MAX_REFUSALS_IN_A_ROW = 16
"""More than bisection needs to find one refused text among thousands."""
_STATE = Lock()


@dataclass(eq=False, repr=False)
class Endpoint:
    """A model behind an endpoint, `POST {base_url}/embeddings`.

    `api_key_env`: the environment variable that holds the key; an endpoint on this machine needs
    none. `dimensions`: for models that can shorten their vectors. A request has at most `batch_size`
    texts; `concurrency` requests run at a time. Each is sent at most `max_attempts` times within
    `deadline_s`. It is retried after 408, 409, 429, 5xx, a lost connection, a truncated reply, and
    `timeout_s` without data. Pauses double from `first_wait_s` to `max_wait_s`, each shortened by up
    to half at random, or follow Retry-After, at most `max_wait_s`.

    EncoderError with `is_down` if all attempts fail, or after MAX_REFUSALS_IN_A_ROW refusals in a row.
    EncoderError without `is_down` for a refused request, a wrong reply, or a blank text, which is
    never sent: endpoints refuse it together with the whole request. MissingExtraError without openai.
    """

    model: str
    _: KW_ONLY
    base_url: str
    api_key_env: str = "OPENAI_API_KEY"
    dimensions: int | None = None
    timeout_s: float = 60
    deadline_s: float = 300
    batch_size: int = 128
    concurrency: int = 4
    max_attempts: int = 6
    first_wait_s: float = 0.5
    max_wait_s: float = 60

    def __post_init__(self) -> None:
        words = ("model", "base_url", "api_key_env")
        numbers = {name: number for name, number in vars(self).items() if name not in words}
        endpoints.check_above_zero(self.model, numbers)
        if find_spec("openai") is None:
            what = f"the endpoint of {self.model!r} needs the package openai"
            raise MissingExtraError(what, "openai")
        self.name = self.model
        self._dimension = self.dimensions
        self._n_refused = 0
        self.address = Address(self.model, self.base_url, self.api_key_env, EncoderError)
        self.host, parts = self.address.host, self.address.parts
        self.identity: Mapping[str, str | int | float | None] = {
            "name": self.model,
            "base_url": urlunsplit((parts.scheme, self.host, parts.path.rstrip("/"), "", "")),
            "dimensions": self.dimensions,
        }
        if parts.query:  # which may name a deployment, or hold a secret
            self.identity = {**self.identity, "query": sha256(parts.query.encode()).hexdigest()}
        self.address.key()

    def __getstate__(self) -> dict[str, object]:
        """Without connections and key; a copy in another process opens its own."""
        return {name: value for name, value in self.__dict__.items() if name != "_client"}

    def encode(self, texts: Sequence[str], *, long_text: LongText = "cut") -> Floats:
        """One unit vector for each text: (n, d) float32, in order. The server cuts or refuses texts
        that are too long for the model."""
        if long_text == "windows":
            raise EncoderError(
                f"{self.name}: an endpoint does not report tokens, so long_text = 'windows' is not "
                "possible; use long_text = 'cut', or a model on this machine"
            )
        for place, text in enumerate(texts, 1):
            if not text.strip():
                what = f"{self.name}: text {place} of {len(texts)} is blank"
                raise EncoderError(f"{what}, and an endpoint has no vector for it; leave it out")
        if not texts:
            return np.empty((0, 0), np.float32)
        stop = Event()
        requests = [
            [endpoints.sendable(text) for text in piece[start : start + self.batch_size]]
            for piece in pieces(texts, len, CHARACTERS_PER_REQUEST)
            for start in range(0, len(piece), self.batch_size)
        ]
        with ThreadPoolExecutor(min(self.concurrency, len(requests))) as pool:
            asked = [pool.submit(self._answer, request, stop) for request in requests]
            try:
                wait(asked, return_when=FIRST_EXCEPTION)
                for call in asked:  # the first error among the finished ones
                    if call.done():
                        call.result()
                return np.concatenate([call.result() for call in asked])
            finally:
                stop.set()
                for call in asked:
                    call.cancel()

    def encode_tokens(
        self,
        texts: Sequence[str],  # noqa: ARG002
        *,
        layer: int | None = None,  # noqa: ARG002
        long_text: LongText = "cut",  # noqa: ARG002
    ) -> list[TokenVectors]:
        """Raise EncoderError: an endpoint gives no tokens."""
        raise EncoderError(
            f"{self.name}: an endpoint gives vectors of whole texts, not of tokens; use the "
            "embedded encoder or a Hugging Face model for this"
        )

    def token_ids(self, texts: Sequence[str], *, long_text: LongText = "cut") -> list[Ints]:
        """Raise EncoderError: an endpoint gives no tokens."""
        return [tokens.ids for tokens in self.encode_tokens(texts, long_text=long_text)]

    def count_tokens(self, texts: Sequence[str]) -> None:  # noqa: ARG002
        """None: an endpoint does not report tokens."""
        return

    def _answer(self, texts: Sequence[str], stop: Event) -> Floats:
        """The unit vectors of one request's texts, with retries."""
        start = time.monotonic()
        end = start + self.deadline_s
        for attempt in count(1):
            try:
                return self._rows(self._reply(texts, end), len(texts))
            except Unanswered as unanswered:
                reason = unanswered.reason
                waits = {"first_wait_s": self.first_wait_s, "max_wait_s": self.max_wait_s}
                pause = endpoints.pause_s(attempt, unanswered.wait_s, **waits)
            is_last = attempt == self.max_attempts or time.monotonic() + pause >= end
            if is_last or stop.wait(pause):
                took = f"{attempt} attempts and {time.monotonic() - start:.0f} s"
                what = f"{self.address}: no answer in {took}, the last error: {reason}"
                way_out = "check the server and base_url, then run it again"
                raise EncoderError(f"{what}; {way_out}", is_down=True)
        raise AssertionError

    def _reply(self, texts: Sequence[str], end: float) -> bytes:
        """The body of the server's reply. Unanswered if there is none, EncoderError if refused."""
        openai = cast(Any, import_module("openai"))
        left = max(min(self.timeout_s, end - time.monotonic()), 0.001)
        shortened = {} if self.dimensions is None else {"dimensions": self.dimensions}
        with _STATE:  # one client for all threads
            client = self._client
        body = bytearray()
        try:
            with client.embeddings.with_streaming_response.create(
                model=self.name,
                input=list(texts),
                encoding_format="float",
                timeout=left,
                **shortened,
            ) as reply:
                for chunk in reply.iter_bytes():
                    body += chunk
                    if len(body) > BYTES_PER_VECTOR * len(texts):
                        what = f"its reply has more than {len(body)} bytes for {len(texts)} texts"
                        self._refuse(what)
                    if time.monotonic() > end:
                        raise Unanswered("the reply did not end in time")
                return bytes(body)
        except openai.APIStatusError as error:
            status, message = int(error.status_code), endpoints.message_of(error.response.text)
            reason = f"{status}: {self.address.shown(message) or 'no message'}"
            if endpoints.may_pass(status):
                raise Unanswered(reason, endpoints.retry_after(error.response.headers)) from None
        except openai.APITimeoutError:
            raise Unanswered(f"no data for {left:.1f} s") from None
        except openai.APIConnectionError as error:
            raise Unanswered(self.address.shown(str(error.__cause__ or error))) from None
        except Exception as error:
            # A connection lost while reading raises an error of the package below openai.
            if not type(error).__module__.startswith("httpx"):
                raise
            what = f"{type(error).__name__}: {error}"
            raise Unanswered(f"the reply was cut off ({self.address.shown(what)})") from None
        # Here and not above, where the error would hold openai's, whose body may repeat the key.
        return self._refuse(f"the request was refused with {reason}")

    def _refuse(self, reason: str) -> NoReturn:
        with _STATE:
            self._n_refused += 1
            is_down = self._n_refused > MAX_REFUSALS_IN_A_ROW
        raise EncoderError(f"{self.address}: {reason}", is_down=is_down) from None

    @cached_property
    def _client(self) -> Any:
        parts = self.address.parts
        return cast(Any, import_module("openai")).OpenAI(
            # openai requires a key even if the server does not.
            api_key=self.address.key() or "none",
            base_url=urlunsplit((parts.scheme, parts.netloc, parts.path, "", "")),
            default_query=dict(parse_qsl(parts.query)),
            max_retries=0,
        )

    def _rows(self, body: bytes, n_texts: int) -> Floats:
        """The reply's vectors, normalized; EncoderError if they are wrong."""
        if endpoints.is_page(body):
            self._refuse(endpoints.IS_A_PAGE)
        vectors = self._in_order(endpoints.json_of(body), n_texts)
        with _STATE:
            self._dimension = self._dimension or len(vectors[0])
        for vector in vectors:
            if len(vector) != self._dimension or not vector:
                before = "requested" if self.dimensions else "given before"
                what = (
                    f"a vector of {len(vector)} dimensions, where {self._dimension} were {before}"
                )
                why = "vectors of different models cannot be compared"
                self._refuse(f"its reply has {what}; {why}")
            if not all(type(number) in (int, float) for number in vector):
                self._refuse("its reply has a vector with items that are not numbers")
        try:
            rows = np.array(vectors, np.float64)
        except OverflowError:
            rows = np.array([np.inf])
        if not np.isfinite(rows).all():
            self._refuse("its reply holds numbers that are not finite")
        highest = np.abs(rows).max(axis=1, keepdims=True)
        if not highest.all():
            self._refuse("its reply contains a vector of length 0, which has no direction")
        with _STATE:
            self._n_refused = 0
        return unit_rows((rows / highest).astype(np.float32))

    def _in_order(self, reply: object, n_texts: int) -> list[list[object]]:
        """The vectors in the order of the texts; the reply may have another order."""
        items = endpoints.fields_of(reply).get("data")
        if not isinstance(items, list):
            self._refuse("its reply has no list named data")
        placed: dict[object, list[object]] = {}
        for item in cast(list[object], items):
            index, vector = (endpoints.fields_of(item).get(name) for name in ("index", "embedding"))
            if type(index) is not int or not isinstance(vector, list) or index in placed:
                self._refuse("its reply has an item without a unique index and a vector")
            placed[index] = cast(list[object], vector)
        if sorted(cast(Iterable[int], placed)) != list(range(n_texts)):
            self._refuse(
                f"its reply has {len(placed)} vectors, not one for each of {n_texts} texts"
            )
        return [placed[place] for place in range(n_texts)]
