"""Judges of other providers, through the package any-llm."""

import asyncio
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, cast

from ragauge.errors import JudgeError, MissingExtraError
from ragauge.judges.protocol import Reply, Request
from ragauge.judges.providers.endpoint import first_choice, json_schema_of, reply_of
from ragauge.judges.providers.provider import Provider
from ragauge.network.endpoints import Unanswered, excerpt, fields_of, may_pass, secrets_of

TRANSIENT = ("RateLimitError", "ProviderError", "UpstreamProviderError", "GatewayTimeoutError")
BAD_REQUEST_ERRORS = ("InvalidRequestError", "ContextLengthExceededError", "ContentFilterError")


@dataclass(eq=False, repr=False, kw_only=True)
class AnyLLM(Provider):
    """A model of any provider that any-llm supports, as `provider:model`: a Judge, retried and with
    errors as ChatEndpoint.

    The key is read from the provider's own variable, or `api_key_env`. MissingExtraError without
    any-llm or the provider's package.
    """

    api_key_env: str | None = None

    def __post_init__(self) -> None:
        provider, _, self._model = self.model.partition(":")
        if not (provider and self._model):
            raise JudgeError(
                f"any-llm wants PROVIDER:MODEL, as in mistral:mistral-small; got {self.model!r}"
            )
        super().__post_init__()
        if find_spec("any_llm") is None:
            raise MissingExtraError(
                f"the judge {self.model!r} needs the package any-llm-sdk", "any-llm"
            )
        self._client: Any = None
        key, *_ = self.secrets()
        try:
            self._client = cast(Any, import_module("any_llm")).AnyLLM.create(
                provider,
                api_key=key or None,
                api_base=self.base_url,
                max_retries=0,
                unified_exceptions=True,
            )
        except ImportError as error:
            raise JudgeError(
                f"{self.model}: any-llm lacks the provider's package: {error!s:.200}; install "
                f"any-llm-sdk[{provider}]"
            ) from None
        except Exception as error:  # any-llm raises various errors for a missing provider or key
            raise JudgeError(f"{self.model}: {self._shown(error)}") from None

    async def answer(self, request: Request) -> Reply:
        settings: dict[str, Any] = {
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "seed": self.seed,
        }
        if request.schema is not None:
            settings["response_format"] = json_schema_of(request.prompt, request.schema)
        messages = [{"role": each.role, "content": each.content} for each in request.messages]
        try:
            async with asyncio.timeout(self.timeout_s):
                completion = await self._client.acompletion(
                    model=self._model,
                    messages=messages,
                    **{name: value for name, value in settings.items() if value is not None},
                )
            envelope = fields_of(completion.model_dump())
            return reply_of(envelope, first_choice(envelope))
        except Exception as error:  # any-llm or a provider's package may raise anything
            reason, kind = self._shown(error), type(error).__name__
            status = getattr(error, "status_code", None)
            passes = may_pass(status) if isinstance(status, int) else kind in TRANSIENT
            is_transient = passes or isinstance(error, TimeoutError | OSError)
        if is_transient:
            raise Unanswered(reason, is_overload=kind == "RateLimitError")
        raise JudgeError(f"{self.name}: {reason}", is_down=kind not in BAD_REQUEST_ERRORS)

    def secrets(self) -> tuple[str, ...]:
        """The key first: from `api_key_env`, or else the provider's own variable."""
        own: str = getattr(self._client, "ENV_API_KEY_NAME", "")
        return secrets_of(self.base_url or "", self.api_key_env or own)

    def _shown(self, error: BaseException) -> str:
        """An exception's message on one line, without secrets."""
        return excerpt(f"{type(error).__name__}: {error}", self.secrets())
