"""Open an encoder by its model's name."""

from collections.abc import Mapping

from ragauge.encoders import DEFAULT_PRECISION
from ragauge.encoders.embedded import NAME, MiniLM
from ragauge.encoders.protocol import Encoder
from ragauge.errors import EncoderError
from ragauge.plugins import open_model

PRECISIONS = ("fp32", "fp16", "bf16", "int8")


def open_encoder(
    model: str = NAME,
    *,
    precision: str | None = None,
    revision: str | None = None,
    device: str | None = None,
    base_url: str | None = None,
    api_key_env: str | None = None,
    dimensions: int | None = None,
    threads: int | None = None,
) -> Encoder:
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
    if model == NAME:
        names = ("revision", "device", "api_key_env", "dimensions")
        _refuse("the embedded encoder", model, given, *names)
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
