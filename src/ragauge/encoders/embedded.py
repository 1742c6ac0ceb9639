"""The embedded encoder: all-MiniLM-L6-v2 on onnxruntime, without torch.

Reimers and Gurevych 2019 (Sentence-BERT); the model is sentence-transformers' all-MiniLM-L6-v2 under
the Apache License 2.0. The package has its weights in half precision; the numbers are computed
in single precision.
"""

import os
from collections.abc import Sequence
from functools import cached_property, lru_cache
from importlib import import_module, resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from ragauge.encoders import EMBEDDED
from ragauge.encoders.local import LocalEncoder, Tokens
from ragauge.encoders.protocol import Floats, Ints
from ragauge.errors import EncoderError

if TYPE_CHECKING:
    from ragauge.encoders.wordpiece import WordPiece

NAME = EMBEDDED
REVISION = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""SHA-256 of the upstream weights."""
DIMENSION, LAYERS = 384, 6

Precision = Literal["fp32", "int8"]


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
