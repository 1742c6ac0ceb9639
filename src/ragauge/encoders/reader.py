"""The embedded reader: a model that says how likely a passage says what a claim says.

all-MiniLM-L6-v2 trained as a cross-encoder by benchmarks/reader/train.py, which names the data and its terms. `reader.onnx` holds what the
training added to the encoder's weights, as matrices of low rank, and takes the rest from `minilm/weights.bin`. It computes in 8-bit
whole numbers, each token by itself, so that a value does not depend on what else is read.
"""

from collections.abc import Sequence
from functools import cache, cached_property
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ragauge.encoders.embedded import check_installed, open_graph
from ragauge.encoders.local import batches_of
from ragauge.encoders.wordpiece import WordPiece

MAX_TOKENS = 160
"""Of a claim with its passage; the longer one is cut."""
TOKENS_PER_BATCH = 512
SUREST = 6.0
"""The most that a value can be, up or down."""


class Claim(NamedTuple):
    """A statement, the question that it answers ("" for none), and the passage that should say it."""

    question: str
    text: str
    passage: str


class Reader:
    """Log-odds that a passage says what a claim says; `folder` has reader.onnx and minilm."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or Path(str(resources.files("ragauge") / "encoders"))
        files = ("reader.onnx", "minilm/weights.bin", "minilm/vocab.txt")
        check_installed("reader", self.folder, *files)

    def log_odds(self, claims: Sequence[Claim]) -> list[float]:
        """One number for each claim, in order, from -6 to 6; 0 is even odds."""
        read = [self._tokens(claim) for claim in claims]
        found = [0.0] * len(claims)
        lengths = [len(ours) + len(theirs) for ours, theirs in read]
        for batch in batches_of(lengths, TOKENS_PER_BATCH):
            ids = np.array([[*read[at][0], *read[at][1]] for at in batch], np.int64)
            n_ours = np.array([[len(read[at][0])] for at in batch])
            kinds = (np.arange(lengths[batch[0]]) >= n_ours).astype(np.int64)
            values: list[float]
            values = self._session.run(["log_odds"], {"ids": ids, "kinds": kinds})[0].tolist()
            for at, value in zip(batch, values, strict=True):
                found[at] = max(-SUREST, min(SUREST, value))
        return found

    def _tokens(self, claim: Claim) -> tuple[list[int], list[int]]:
        """The ids of the claim between [CLS] and [SEP], and those of the passage before [SEP]."""
        question = claim.question.strip()
        text = f"{question} = {claim.text}" if question else claim.text
        ours, theirs = (self._tokenizer.tokenize(each).ids for each in (text, claim.passage))
        theirs = theirs[1:]
        most = MAX_TOKENS - 3
        n_theirs = min(len(theirs) - 1, max(most - (len(ours) - 2), most // 2))
        n_ours = min(len(ours) - 2, most - n_theirs)
        return [*ours[: n_ours + 1], ours[-1]], [*theirs[:n_theirs], theirs[-1]]

    @cached_property
    def _tokenizer(self) -> WordPiece:
        return WordPiece((self.folder / "minilm" / "vocab.txt").read_text("utf-8").splitlines())

    @cached_property
    def _session(self) -> Any:
        return open_graph(self.folder / "reader.onnx")


@cache
def embedded_reader() -> Reader:
    """The reader of this process."""
    return Reader()
