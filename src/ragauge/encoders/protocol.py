"""The encoder protocol: texts in, unit vectors out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

LongText = Literal["cut", "windows"]
"""How to read a text that is too long for the model.

`cut`: read the first tokens, as the reference packages do. `windows`: read the whole text in windows
that overlap by half; each token keeps its vector from the window where it is farthest from an edge. A text
of more than 16,384 tokens has no vectors then.
"""


@dataclass(frozen=True, slots=True)
class TokenVectors:
    """The tokens of one text for a model, including special tokens.

    `vectors`: (t, d) float32, rows of length 1. `ids`: (t,) of the vocabulary. `special`: (t,), true
    for special tokens. `spans`: (t, 2), each token's character offsets in the text, (0, 0) for special
    tokens; None if the tokenizer has no offsets. `n_tokens`: tokens of the whole text, including
    special ones; more than t if the text was cut.
    """

    vectors: Floats
    ids: Ints
    special: Bools
    spans: Ints | None
    n_tokens: int

    @property
    def is_cut(self) -> bool:
        return self.n_tokens > len(self.ids)


class Encoder(Protocol):
    """A model that turns texts into vectors.

    The same text gives the same vector, whatever other texts are in the call. Any text is accepted,
    including the empty one. EncoderError says why there are no vectors.
    """

    @property
    def name(self) -> str:
        """The model as labels name it."""
        ...

    @property
    def identity(self) -> Mapping[str, str | int | float | None]:
        """What determines the vectors, as JSON data: name, revision, precision. No secrets."""
        ...

    def encode(self, texts: Sequence[str], *, long_text: LongText = "cut") -> Floats:
        """One unit vector for each text: (n, d) float32."""
        ...

    def encode_tokens(
        self, texts: Sequence[str], *, layer: int | None = None, long_text: LongText = "cut"
    ) -> list[TokenVectors]:
        """The vectors of each text's tokens at a layer (None: the last layer).

        EncoderError if the encoder has no tokens, as an embeddings endpoint, or no such layer.
        """
        ...

    def token_ids(self, texts: Sequence[str], *, long_text: LongText = "cut") -> list[Ints]:
        """The ids of the tokens of `encode_tokens`, without computing vectors."""
        ...

    def count_tokens(self, texts: Sequence[str]) -> list[tuple[int, int]] | None:
        """For each text its number of tokens, special ones included, and how many `encode` reads at once.

        None if the encoder cannot count tokens, as an endpoint.
        """
        ...
