"""The embedded models, on onnxruntime and without torch: the encoder all-MiniLM-L6-v2, and a reader made from it.

Reimers and Gurevych 2019 (Sentence-BERT); the model is sentence-transformers' all-MiniLM-L6-v2 under
the Apache License 2.0. The package has its weights in half precision; the numbers are computed
in single precision.

The reader says how likely a passage says what a claim says: all-MiniLM-L6-v2 trained as a cross-encoder by benchmarks/reader/train.py,
which names the data and its terms. `reader.onnx` holds what the training added to the encoder's weights, as matrices of low rank, and
takes the rest from `minilm/weights.bin`. It computes in 8-bit whole numbers, each token by itself, so that a value does not depend on
what else is read.
"""

import os
from collections.abc import Sequence
from functools import cache, cached_property, lru_cache
from importlib import import_module, resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

import numpy as np

from ragauge.encoders import EMBEDDED
from ragauge.encoders.local import LocalEncoder, Tokens, batches_of
from ragauge.encoders.protocol import Floats, Ints
from ragauge.errors import EncoderError

if TYPE_CHECKING:
    from ragauge.encoders.wordpiece import WordPiece

NAME = EMBEDDED
REVISION = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""SHA-256 of the upstream weights."""
DIMENSION, LAYERS = 384, 6

Precision = Literal["fp32", "int8"]
MAX_TOKENS = 160
"""Of a claim with its passage; the longer one is cut."""
TOKENS_PER_BATCH = 512
SUREST = 6.0
"""The most that a value can be, up or down."""


class MiniLM(LocalEncoder):
    """all-MiniLM-L6-v2: 384 dimensions, 6 layers; `encode` reads 256 tokens, `encode_tokens` 512.

    `precision="int8"` computes the matrix products in 8-bit whole numbers: twice as fast, the
    vectors at a mean cosine of 0.996 to those of `fp32`. `threads`: None for one a processor.
    EncoderError when the installation holds no model.
    """

    sentence_tokens = 256
    max_tokens = 512
    tokens_a_batch = 512

    def __init__(
        self,
        precision: Precision | str = "fp32",
        *,
        threads: int | None = None,
        folder: Path | None = None,
    ) -> None:
        if precision not in ("fp32", "int8"):
            raise EncoderError(f"{NAME} has the precisions fp32 and int8, not {precision!r}")
        self.name = NAME
        self.precision = precision
        self.threads = threads or available_processors()
        self.folder = folder or Path(str(resources.files("ragauge") / "encoders" / "minilm"))
        files = (f"{precision}.onnx", "weights.bin", "vocab.txt", "MADE")
        check_installed(f"encoder {NAME}", self.folder, *files)
        self.identity = {
            "name": NAME,
            "revision": REVISION,
            "graph": (self.folder / "MADE").read_text("ascii").split()[0],
            "precision": precision,
            "dimension": DIMENSION,
            "n_layers": LAYERS,
            "runtime": "onnxruntime",
        }

    def tokenize(self, texts: Sequence[str]) -> list[Tokens]:
        return [self._tokenizer.tokenize(text) for text in texts]

    def hidden(self, ids: Ints, layer: int | None) -> Floats:
        wanted = LAYERS if layer is None else layer
        if not 0 <= wanted <= LAYERS:
            raise EncoderError(f"{NAME} has the layers 0 to {LAYERS}, not {layer}")
        return self._session.run([f"hidden_{wanted}"], {"ids": ids})[0]

    @cached_property
    def _tokenizer(self) -> "WordPiece":
        return _tokenizer_of(self.folder / "vocab.txt")

    @cached_property
    def _session(self) -> Any:
        return _session_of(self.folder / f"{self.precision}.onnx")


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
    def _tokenizer(self) -> "WordPiece":
        return _tokenizer_of(self.folder / "minilm" / "vocab.txt")

    @cached_property
    def _session(self) -> Any:
        return open_graph(self.folder / "reader.onnx")


@cache
def embedded_reader() -> Reader:
    """The reader of this process."""
    return Reader()


# Opening takes 50 ms, which would be paid for each answer that is scored alone: the last one stays open.


@lru_cache(maxsize=1)
def _tokenizer_of(vocabulary: Path) -> "WordPiece":
    from ragauge.encoders.wordpiece import WordPiece

    return WordPiece(vocabulary.read_text("utf-8").splitlines())


@lru_cache(maxsize=1)
def _session_of(graph: Path) -> Any:
    return open_graph(graph)


def check_installed(what: str, folder: Path, *files: str) -> None:
    """EncoderError if one of the files of an embedded model is missing."""
    for file in files:
        if not (folder / file).is_file():
            raise EncoderError(
                f"the embedded {what} is not in this installation: {file} is missing "
                "beside its code; install ragauge again: pip install --force-reinstall ragauge"
            )


def open_graph(path: Path) -> Any:
    """A graph as onnxruntime's InferenceSession, opened to compute in one thread."""
    # onnxruntime sends telemetry unless this is set before its import: calling its own switch after
    # the import is too late.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    try:
        onnxruntime = cast(Any, import_module("onnxruntime"))
    except ImportError as error:
        what = f"the embedded encoder needs onnxruntime, which cannot be imported: {error}"
        raise EncoderError(what) from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # batches run side by side instead
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Its next level fuses normalisation and GELU into operators slower than their parts.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's own exceptions share no other base
        what = f"{path} cannot be read: {error!s:.200}; install ragauge again"
        raise EncoderError(what) from error


def available_processors() -> int:
    """The number of processors available to this process."""
    try:
        return len(os.sched_getaffinity(0)) or 1
    except AttributeError:  # not on macOS and Windows
        return os.cpu_count() or 1
