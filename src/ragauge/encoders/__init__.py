"""Encoders: models that turn texts into vectors, on this machine or behind an endpoint.

Local models batch texts of exactly the same number of tokens, so nothing is padded or masked, and a text
has the same vector to the last bit in any batch. Batches run in parallel, each model call on one thread.
The embedded model is built with the package (`hatch_build.py`): weights, and a graph per precision. In
int8 each token has its own scale, since one of the whole batch would let neighbours change a text's
vector, and weights have 7 bits, so that no processor's 16-bit sums overflow. `CachedEncoder` is between
model and metrics: it encodes each distinct text once, keeps vectors in memory and in the cache, gives a
text that cannot be encoded its own reason, and stops calling an encoder that is down.
What is measured of known models stands here: BERTScore's layer and baseline, a threshold for sentences.
"""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources

EMBEDDED = "all-MiniLM-L6-v2"
DEFAULT_PRECISION = "fp32"
"""In which every model computes if nothing names another; parity with the reference packages is that of fp32."""


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """Measured values of one model; None if not measured.

    `layer`: the one whose token vectors BERTScore uses. `baseline`: the mean precision, recall and
    F1 of unrelated English sentences at this layer, for rescaling. `threshold`: the F1 that best
    separates pairs of sentences that people call equivalent from others.
    """

    layer: int | None = None
    baseline: tuple[float, float, float] | None = None
    threshold: float | None = None


def model_info(model: str) -> ModelInfo:
    """The measured values of the model with this name; all None for most models."""
    return _table().get(model, ModelInfo())


@cache
def _table() -> dict[str, ModelInfo]:
    text = (resources.files("ragauge") / "encoders" / "models.toml").read_text("utf-8")
    return {
        name: ModelInfo(row["layer"], tuple(row.get("baseline", ())) or None, row.get("threshold"))
        for name, row in tomllib.loads(text).items()
    }
