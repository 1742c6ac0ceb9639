"""ragas's ways to name an encoder. Keys are read from environment variables such as OPENAI_API_KEY."""

import sys
from typing import Any

from ragauge.compat import refusing
from ragauge.errors import PlanError

OPENAI = "https://api.openai.com/v1"


def LangchainEmbeddingsWrapper(embeddings: Any, **_: object) -> Any:  # noqa: N802
    """LangChain's embeddings themselves, which `embeddings=` takes."""
    return embeddings


def OpenAIEmbeddings(  # noqa: N802
    client: Any = None,
    model: str = "text-embedding-3-small",
    base_url: str | None = None,
    **_: object,
) -> Any:
    """A model behind an OpenAI-compatible endpoint: that of `base_url`, of `client`, or OpenAI's."""
    from ragauge.encoders import open_encoder

    address = base_url or (OPENAI if client is None else str(client.base_url))
    return open_encoder(model, base_url=address)


def HuggingFaceEmbeddings(model: str, **_: object) -> Any:  # noqa: N802
    """A model of Hugging Face, by its name."""
    return model


def embedding_factory(
    provider: str = "openai", model: str | None = None, client: Any = None, **options: Any
) -> Any:
    """The model of a provider: `openai` or `huggingface`; others are not covered. A single argument is OpenAI's model."""
    if model is None and provider not in ("openai", "huggingface"):
        provider, model = "openai", provider
    given = {"client": client, **options, **({"model": model} if model else {})}
    if provider == "openai":
        return OpenAIEmbeddings(**given)
    if provider == "huggingface" and model:
        return model
    what = f"embedding_factory({provider!r}, {model!r}) is not covered"
    raise PlanError(f"{what}; give 'openai', or 'huggingface' and a model's name")


__getattr__ = refusing("ragas")
base = sys.modules[f"{__name__}.base"] = sys.modules[__name__]
"""The second place at which ragas has `embedding_factory`."""
