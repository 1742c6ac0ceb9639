"""What an encoder is: texts in, unit vectors out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

LongText = Literal["cut", "windows"]
"""What is done with a text that is longer than the model takes.

`cut`: the first tokens are read, as the reference packages do. `windows`: the whole text is read in
windows that overlap by half, and each token keeps the vector of the window it stands deepest in.
"""


@dataclass(frozen=True, slots=True)
class TokenVectors:
    """The tokens of one text as a model sees them, special ones among them.

    `vectors`: (t, d) float32, each row of length 1. `ids`: (t,) of the vocabulary. `special`: (t,),
    true for the marks that the model puts around a text. `spans`: (t, 2), where each token stands in
    the text, in characters, (0, 0) for special ones; None where the tokenizer cannot tell.
    `n_tokens`: tokens of the whole text, special ones included; more than t where it was cut.
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

    The same text gives the same vector, whatever stands beside it in the call. A text of any
    content and length is taken, the empty one too. EncoderError says why there are no vectors.
    """

    @property
    def name(self) -> str:
        """The model as labels name it."""
        ...

    @property
    def identity(self) -> Mapping[str, str | int | float | None]:
        """All that fixes the vectors, as JSON data: name, revision, precision. No secrets."""
        ...

    def encode(self, texts: Sequence[str], *, long_text: LongText = "cut") -> Floats:
        """One unit vector for each text: (n, d) float32."""
        ...

    def encode_tokens(
        self, texts: Sequence[str], *, layer: int | None = None, long_text: LongText = "cut"
    ) -> list[TokenVectors]:
        """The vectors of each text's tokens as that layer gives them (None: the last layer).

        EncoderError when the encoder has no tokens, as an embeddings endpoint, or no such layer.
        """
        ...

    def token_ids(self, texts: Sequence[str], *, long_text: LongText = "cut") -> list[Ints]:
        """The ids of the tokens that `encode_tokens` gives vectors of, without computing those."""
        ...

    def count_tokens(self, texts: Sequence[str]) -> list[tuple[int, int]] | None:
        """For each text its tokens, special ones included, and how many `encode` reads at once.

        None where the encoder cannot tell, as an endpoint.
        """
        ...
