"""ragas's ways to name an encoder."""

from typing import Any


def LangchainEmbeddingsWrapper(embeddings: Any, **_: object) -> Any:  # noqa: N802
    """LangChain's embeddings themselves, which `embeddings=` takes."""
    return embeddings
