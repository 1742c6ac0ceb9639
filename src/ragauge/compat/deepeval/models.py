"""deepeval's base class for models that a script defines. Its own classes for providers are not covered: give a model's name."""

import sys
from typing import Any

from ragauge.compat import refusing


class DeepEvalBaseLLM:
    """A model that a script defines: `a_generate(prompt)` gives the reply's text, `get_model_name()` its name."""

    def __init__(self, model: str | None = None, *_: object, **__: object) -> None:
        self.name = model
        self.model: Any = self.load_model()

    def load_model(self) -> Any:
        """The model, kept as `model`."""
        return self

    async def a_generate(self, prompt: str) -> str:
        """The reply to a prompt."""
        raise NotImplementedError

    def get_model_name(self) -> str:
        """The model's name, by which replies are cached."""
        return self.name or type(self).__name__


__getattr__ = refusing("deepeval")
base_model = sys.modules[f"{__name__}.base_model"] = sys.modules[__name__]
"""The second place at which deepeval has its base class."""
