"""An encoder in a run: each distinct text is encoded once, and fails on its own."""

import json
import struct
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import RLock
from typing import TypeVar

import numpy as np

from ragauge.encoders.local import LocalEncoder
from ragauge.encoders.protocol import Encoder, Floats, Ints, LongText, TokenVectors
from ragauge.errors import EncoderError
from ragauge.storage.cache import Cache, digest

MEMORY_BYTES = 256 * 2**20
CHARACTERS_PER_CALL = 200_000
UNIT_ROUNDING = 1e-3
"""How far from 1 the square of a vector's length may be."""
DOWN_LIMIT = 2
"""After this many calls in a row that find the encoder down, it is not called again."""

Row = TypeVar("Row")
Texts = TypeVar("Texts", bound=tuple[str, ...])


@dataclass(frozen=True, slots=True)
class TextVector:
    """The unit vector of one text, (d,) float32; tokens of the text, and tokens used, None if the
    encoder cannot count them."""

    vector: Floats
    n_tokens: int | None = None
    n_read: int | None = None


@dataclass(frozen=True, slots=True)
class NoVector:
    """Why a text has no vector."""

    reason: str


T = TypeVar("T", TextVector, TokenVectors)


class CachedEncoder:
    """One encoder for all metrics of a run, its vectors kept in memory, the recently used, and in
    `cache` if there is one.

    A text that the encoder refuses gets a NoVector; once it is down DOWN_LIMIT times in a row, all
    other texts do.
    """

    def __init__(
        self, encoder: Encoder, cache: Cache | None = None, *, in_memory: int = MEMORY_BYTES
    ) -> None:
        self.encoder = encoder
        self.cache = cache
        self._recent = _Recent(in_memory)
        self._lock = RLock()
        self._n_down = 0
        self._reason = ""
        self.n_encoded = 0
        """Texts that the encoder itself received."""
        self.wanted_tokens: frozenset[tuple[int | None, LongText]] = frozenset()
        """Layers whose token vectors are needed later, with `long_text`. Those of the last layer are
        computed together with the text vectors."""

    @property
    def name(self) -> str:
        return self.encoder.name

    @property
    def identity(self) -> Mapping[str, str | int | float | None]:
        return self.encoder.identity

    def vectors(
        self, texts: Iterable[str], *, long_text: LongText = "cut"
    ) -> dict[str, TextVector | NoVector]:
        """The vector of each distinct text, or the reason for none."""
        kind = f"vector {long_text}"
        return self._made(kind, texts, _unpacked_vector, lambda new: self._encode(new, long_text))

    def tokens(
        self,
        texts: Iterable[str],
        *,
        layer: int | None = None,
        long_text: LongText = "cut",
        in_file: bool = True,
    ) -> dict[str, TokenVectors | NoVector]:
        """The token vectors of each distinct text, or the reason for none. No layer: the last one.

        They take 1.5 kB a token: without `in_file`, for callers who keep what they make of them, they are not written to the cache.
        """
        layer = self.layer(layer)

        def encode(new: Sequence[str]) -> list[TokenVectors]:
            return self.encoder.encode_tokens(new, layer=layer, long_text=long_text)

        # Texts read with the other `long_text` that fit the model, where both give the same.
        other = _tokens(layer, "windows" if long_text == "cut" else "cut")
        most = getattr(self.encoder, "max_tokens", 0)
        found: dict[str, TokenVectors | NoVector] = dict.fromkeys(texts, NoVector(""))
        for text in found:
            if kept := self._recent.used(self._key(other, text)):
                tokens = _unpacked_tokens(kept)
                if tokens.n_tokens <= most:
                    found[text] = tokens
        rest = [text for text, tokens in found.items() if isinstance(tokens, NoVector)]
        kind = _tokens(layer, long_text)
        return found | self._made(kind, rest, _unpacked_tokens, encode, in_file=in_file)

    def layer(self, layer: int | None) -> int | None:
        """The layer's number; None if the encoder does not report its last layer."""
        last = self.identity.get("n_layers")
        return last if layer is None and isinstance(last, int) else layer

    def kept(self, kind: str, rows: Sequence[Texts]) -> dict[Texts, bytes]:
        """Values kept for these texts, in this or an earlier run."""
        if self.cache is None:
            return {}
        keys = {digest(self._identity, kind, *texts): texts for texts in rows}
        return {keys[key]: made for key, made in self.cache.find(list(keys)).items()}

    def keep(self, kind: str, made: Mapping[Texts, bytes]) -> None:
        """Keep in the cache values that depend only on texts, this encoder's vectors and `kind`."""
        if self.cache is not None and made:
            keyed = {digest(self._identity, kind, *texts): result for texts, result in made.items()}
            self.cache.keep(f"{self.name} {kind}", keyed)

    def token_ids(self, texts: Sequence[str], *, long_text: LongText = "cut") -> list[Ints]:
        """The ids of each text's tokens."""
        return self.encoder.token_ids(texts, long_text=long_text)

    def _encode(self, texts: Sequence[str], long_text: LongText) -> list[TextVector]:
        made = self._encode_both(texts)
        if rest := [text for text in texts if text not in made]:
            vectors = self.encoder.encode(rest, long_text=long_text)
            if len(vectors) != len(rest):
                what = f"{self.name} gives {len(vectors)} vectors for {len(rest)} texts"
                raise EncoderError(what)
            # A user's own encoder may have none.
            count = getattr(self.encoder, "count_tokens", None)
            counts: list[tuple[int, int]] | None = count(rest) if count else None
            if counts is None:
                return [TextVector(vector) for vector in vectors]
            for text, vector, (n, most) in zip(rest, vectors, counts, strict=True):
                made[text] = TextVector(vector, n, min(n, most) if long_text == "cut" else n)
        return [made[text] for text in texts]

    def _encode_both(self, texts: Sequence[str]) -> dict[str, TextVector]:
        """The vectors of texts whose token vectors are needed later, which are kept too."""
        last = self.identity.get("n_layers")
        wanted = [pair for pair in self.wanted_tokens if pair[0] in (None, last)]
        if not (wanted and isinstance(self.encoder, LocalEncoder) and self.encoder.reads_alike):
            return {}
        both = zip(texts, self.encoder.encode_both(texts), strict=True)
        found = {text: pair for text, pair in both if pair is not None}
        for kind in {_tokens(last, long_text) for _, long_text in wanted}:
            made = {self._key(kind, text): tokens for text, (_, tokens) in found.items()}
            self._keep(kind, made, in_file=False)
        return {
            text: TextVector(vector, tokens.n_tokens, tokens.n_tokens)
            for text, (vector, tokens) in found.items()
        }

    def _key(self, kind: str, text: str) -> bytes:
        return digest(self._identity, kind, text)

    @cached_property
    def _identity(self) -> str:
        return json.dumps(dict(self.identity), sort_keys=True)

    def _made(
        self,
        kind: str,
        texts: Iterable[str],
        unpack: Callable[[bytes], T],
        encode: Callable[[Sequence[str]], list[T]],
        *,
        in_file: bool = True,
    ) -> dict[str, T | NoVector]:
        distinct = list(dict.fromkeys(texts))
        with self._lock:
            keys = {text: self._key(kind, text) for text in distinct}
            found: dict[str, T | NoVector] = {}
            late: dict[bytes, bytes] = {}
            for text in distinct:
                if kept := self._recent.used(keys[text]):
                    found[text] = unpack(kept)
                    if in_file and keys[text] in self._recent.not_in_file:
                        late[keys[text]] = kept
            self._write(kind, late)
            absent = [text for text in distinct if text not in found]
            wanted = {keys[text]: text for text in absent}
            in_cache = self.cache.find(list(wanted)) if self.cache is not None and wanted else {}
            for key, packed in in_cache.items():
                try:
                    found[wanted[key]] = unpack(packed)
                except (ValueError, struct.error):  # an unreadable entry counts as missing
                    continue
                self._recent.add(key, packed)
            missing = [text for text in absent if text not in found]
            for piece in pieces(missing, len):
                made = self._try(piece, encode)
                new = {keys[text]: result for text, result in made.items()}
                self._keep(kind, new, in_file=in_file)
                found |= made
        return found

    def _keep(
        self,
        kind: str,
        made: Mapping[bytes, TextVector | TokenVectors | NoVector],
        *,
        in_file: bool,
    ) -> None:
        packed = {key: _packed(it) for key, it in made.items() if not isinstance(it, NoVector)}
        for key, value in packed.items():
            self._recent.add(key, value)
        if in_file:
            self._write(kind, packed)
        elif self.cache is not None:
            self._recent.not_in_file.update(packed.keys() & self._recent.keys())

    def _write(self, kind: str, packed: Mapping[bytes, bytes]) -> None:
        if self.cache is not None and packed:
            self.cache.keep(f"{self.name} {kind}", packed)
            self._recent.not_in_file.difference_update(packed)

    def _try(
        self, texts: Sequence[str], encode: Callable[[Sequence[str]], list[T]]
    ) -> dict[str, T | NoVector]:
        """The result for each text; halving finds the texts that break a call."""
        if self._n_down >= DOWN_LIMIT:
            return dict.fromkeys(texts, NoVector(f"{self._reason}; not asked again in this run"))
        self.n_encoded += len(texts)
        try:
            made = encode(texts)
            if len(made) != len(texts):
                raise EncoderError(f"{self.name} gives {len(made)} vectors for {len(texts)} texts")
            for result in made:
                rows = result.vector if isinstance(result, TextVector) else result.vectors
                lengths = np.square(rows).sum(axis=-1)
                if not np.isfinite(lengths).all():
                    raise EncoderError(f"{self.name} gives vectors that are not finite numbers")
                if np.any(np.abs(lengths - 1) > UNIT_ROUNDING):
                    raise EncoderError(f"{self.name} gives vectors that are not of length 1")
        except EncoderError as error:
            if error.is_down:
                self._n_down += 1
                self._reason = str(error)
            if error.is_down or len(texts) == 1:
                return dict.fromkeys(texts, NoVector(str(error)))
            half = len(texts) // 2
            return self._try(texts[:half], encode) | self._try(texts[half:], encode)
        self._n_down = 0
        return dict(zip(texts, made, strict=True))


def _tokens(layer: object, long_text: LongText) -> str:
    return f"tokens {layer} {long_text}"


def pieces(
    rows: Sequence[Row], size: Callable[[Row], int], most: int = CHARACTERS_PER_CALL
) -> Iterator[Sequence[Row]]:
    """The rows in pieces of at most `most` text each; a longer row is a piece by itself."""
    start = total = 0
    for at, row in enumerate(rows):
        own = size(row)
        if at > start and total + own > most:
            yield rows[start:at]
            start, total = at, 0
        total += own
    if start < len(rows):
        yield rows[start:]


class _Recent(OrderedDict[bytes, bytes]):
    """Packed vectors by key; the least recently used is removed first. `not_in_file`: those that the cache lacks."""

    def __init__(self, most_bytes: int) -> None:
        super().__init__()
        self.most_bytes, self.n_bytes = most_bytes, 0
        self.not_in_file: set[bytes] = set()

    def used(self, key: bytes) -> bytes | None:
        if key in self:
            self.move_to_end(key)
        return self.get(key)

    def add(self, key: bytes, value: bytes) -> None:
        if key in self or len(value) > self.most_bytes:
            return
        self[key] = value
        self.n_bytes += len(value)
        while self.n_bytes > self.most_bytes:
            oldest, removed = self.popitem(last=False)
            self.n_bytes -= len(removed)
            self.not_in_file.discard(oldest)


_VECTOR_HEAD = struct.Struct("<iii")
"""Dimension, tokens, tokens read; -1 for unknown."""
_TOKENS_HEAD = struct.Struct("<iiiii")
"""Tokens, dimension, tokens of the whole text, whether there are spans; one to align."""


def _packed(made: TextVector | TokenVectors) -> bytes:
    """The cached form of vectors, from which `_unpacked_…` gives the same to the last bit."""
    if isinstance(made, TextVector):
        counts = (-1 if n is None else n for n in (made.n_tokens, made.n_read))
        return _VECTOR_HEAD.pack(len(made.vector), *counts) + made.vector.tobytes()
    head = _TOKENS_HEAD.pack(*made.vectors.shape, made.n_tokens, made.spans is not None, 0)
    whole = [made.ids] if made.spans is None else [made.ids, made.spans]
    parts = [made.vectors.tobytes(), *(array.astype(np.int32).tobytes() for array in whole)]
    return b"".join([head, *parts, made.special.tobytes()])


def _unpacked_vector(packed: bytes) -> TextVector:
    dimension, *counts = _VECTOR_HEAD.unpack_from(packed)
    vector = np.frombuffer(packed, np.float32, dimension, _VECTOR_HEAD.size)
    return TextVector(vector, *(None if n < 0 else n for n in counts))


def _unpacked_tokens(packed: bytes) -> TokenVectors:
    n, dimension, n_tokens, has_spans, _ = _TOKENS_HEAD.unpack_from(packed)
    at = _TOKENS_HEAD.size
    vectors = np.frombuffer(packed, np.float32, n * dimension, at).reshape(n, dimension)
    at += vectors.nbytes
    numbers = np.frombuffer(packed, np.int32, 3 * n if has_spans else n, at).astype(np.int64)
    special = np.frombuffer(packed, np.bool_, n, at + 4 * len(numbers))
    spans = numbers[n:].reshape(n, 2) if has_spans else None
    return TokenVectors(vectors, numbers[:n], special, spans, n_tokens)
