"""ragas's ways to name a judge."""

from typing import Any

from ragauge.judges.protocol import Judge


def LangchainLLMWrapper(langchain_llm: Any, **_: object) -> Any:  # noqa: N802
    """The LangChain model itself, which `llm=` takes."""
    return langchain_llm


def llm_factory(
    model: str, *, base_url: str | None = None, client: Any = None, **_: object
) -> Judge:
    """The model behind an OpenAI-compatible endpoint: that of `client` (its address; the key is read from OPENAI_API_KEY)."""
    from ragauge.judges.providers.factory import open_judge

    address = base_url or (None if client is None else str(client.base_url))
    return open_judge(model, **({"base_url": address} if address else {}))
