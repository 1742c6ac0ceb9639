"""ragas's ways to name a judge."""

import sys
from typing import Any

from ragauge.compat import refusing
from ragauge.errors import PlanError
from ragauge.judges.protocol import Judge
from ragauge.judges.providers.factory import open_judge

OLLAMA = "http://localhost:11434"


def LangchainLLMWrapper(langchain_llm: Any, **_: object) -> Any:  # noqa: N802
    """The LangChain model itself, which `llm=` takes."""
    return langchain_llm


def llm_factory(
    model: str,
    provider: str = "openai",
    client: Any = None,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    **_: object,
) -> Judge:
    """The model behind an OpenAI-compatible endpoint: that of `base_url`, of `client`, or OpenAI's; of others through any-llm.

    The key is read from OPENAI_API_KEY, or from the variable of the `provider`. PlanError for a key as `api_key`.
    """
    if api_key is not None:
        where = "keys are read from the environment, such as OPENAI_API_KEY"
        raise PlanError(f"llm_factory(api_key=…) is not covered; {where}")
    if provider == "ollama":
        base_url = f"{(base_url or OLLAMA).removesuffix('/').removesuffix('/v1')}/v1"
    elif provider not in ("openai", "litellm") and base_url is None:
        return open_judge(f"any-llm:{provider.replace('google', 'gemini')}:{model}")
    address = base_url or (str(client.base_url) if hasattr(client, "base_url") else None)
    return open_judge(model, **({"base_url": address} if address else {}))


__getattr__ = refusing("ragas")
base = sys.modules[f"{__name__}.base"] = sys.modules[__name__]
"""The second place at which ragas has `llm_factory`."""
