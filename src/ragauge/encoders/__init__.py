"""Encoders: models that turn texts into vectors, on this machine or behind an endpoint.

Local models batch texts of exactly the same number of tokens, so nothing is padded or masked, and a text
has the same vector to the last bit in any batch. Batches run in parallel, each model call on one thread.
The embedded model is built with the package (`hatch_build.py`): weights, and a graph per precision. In
int8 each token has its own scale, since one of the whole batch would let neighbours change a text's
vector, and weights have 7 bits, so that no processor's 16-bit sums overflow. `CachedEncoder` is between
model and metrics: it encodes each distinct text once, keeps vectors in memory and in the cache, gives a
text that cannot be encoded its own reason, and stops calling an encoder that is down.
`open_encoder` opens one by its name; `model_info` has what is measured of known ones: BERTScore's layer and
baseline, a threshold for sentences.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from ragauge.errors import EncoderError
from ragauge.plugins import open_model
from ragauge.storage.tomlfile import shipped_toml

if TYPE_CHECKING:
    from ragauge.encoders.protocol import Encoder

EMBEDDED = "all-MiniLM-L6-v2"
DEFAULT_PRECISION = "fp32"
"""In which every model computes if nothing names another; parity with the reference packages is that of fp32."""
PRECISIONS = ("fp32", "fp16", "bf16", "int8")


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
    return {
        name: ModelInfo(row["layer"], tuple(row.get("baseline", ())) or None, row.get("threshold"))
        for name, row in shipped_toml("encoders/models.toml").items()
    }


def open_encoder(
    model: str = EMBEDDED,
    *,
    precision: str | None = None,
    revision: str | None = None,
    device: str | None = None,
    base_url: str | None = None,
    api_key_env: str | None = None,
    dimensions: int | None = None,
    threads: int | None = None,
) -> "Encoder":
    """The embedded encoder by its name, an endpoint if `base_url` is given, else a Hugging Face
    model, in fp32 by default.

    `PREFIX:MODEL` is a model of a package's entry point `ragauge.encoders`, which gets the given
    settings. Large models are loaded at first use. EncoderError for settings that do not go
    together; PlanError for a key in place of a name; MissingExtraError.
    """
    settings = {
        "precision": precision,
        "revision": revision,
        "device": device,
        "base_url": base_url,
        "api_key_env": api_key_env,
        "dimensions": dimensions,
        "threads": threads,
    }
    given = {name: value for name, value in settings.items() if value is not None}
    if (encoder := open_model("encoders", model, given)) is not None:
        return encoder
    if base_url is not None:
        _refuse("an endpoint", model, given, "revision", "device")
        if precision not in (None, "fp32"):
            raise EncoderError(f"{model}: an endpoint has no precision to choose; leave it out")
        from ragauge.encoders.endpoint import Endpoint

        key = "OPENAI_API_KEY" if api_key_env is None else api_key_env
        return Endpoint(model, base_url=base_url, dimensions=dimensions, api_key_env=key)
    precision = precision or DEFAULT_PRECISION
    if model == EMBEDDED:
        names = ("revision", "device", "api_key_env", "dimensions")
        _refuse("the embedded encoder", model, given, *names)
        from ragauge.encoders.embedded import MiniLM

        return MiniLM(precision, threads=threads)
    _refuse("a model on this machine", model, given, "api_key_env", "dimensions")
    from ragauge.encoders.huggingface import HuggingFace
    from ragauge.network.endpoints import refuse_key_as_name

    refuse_key_as_name(model)
    return HuggingFace(
        model, revision=revision, device=device, precision=precision, threads=threads
    )


def _refuse(what: str, model: str, given: Mapping[str, object], *names: str) -> None:
    for name in names:
        if name in given:
            value = given[name]
            raise EncoderError(f"{model}: {what} has no {name}; leave {name} = {value!r} out")
