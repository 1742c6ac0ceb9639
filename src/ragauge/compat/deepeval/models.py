"""deepeval's base class for models that a script defines."""


class DeepEvalBaseLLM:
    """A model that a script defines: `a_generate(prompt)` gives the reply's text, `get_model_name()` its name."""

    async def a_generate(self, prompt: str) -> str:
        """The reply to a prompt."""
        raise NotImplementedError

    def get_model_name(self) -> str:
        """The model's name, by which replies are cached."""
        return type(self).__name__
