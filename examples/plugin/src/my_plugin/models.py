"""Models: a judge that answers requests, and an encoder that turns texts into vectors."""

from collections.abc import Sequence

import numpy as np

from ragauge.judges.managed import JudgeDefaults
from ragauge.judges.protocol import Reply, Request

ALPHABET = "abcdefghijklmnopqrstuvwxyz"


class LettersJudge(JudgeDefaults):
    """Calls an answer correct whatever it says. A real one sends `request.messages` to a model."""

    def __init__(self, model: str, **settings: object) -> None:
        self.name = f"letters:{model}"
        self.identity = {"model": self.name, **{key: str(value) for key, value in settings.items()}}

    async def reply(self, request: Request) -> Reply:
        """The reply to one request, which asks for JSON of `request.schema`."""
        return Reply("CORRECT" if request.prompt == "verdict" else "{}")


class LettersEncoder:
    """A text's vector has how often each letter occurs in it. A real one runs a model."""

    def __init__(self, model: str, **settings: object) -> None:
        self.name = f"letters:{model}"
        self.identity = {"name": self.name, **{key: str(value) for key, value in settings.items()}}

    def encode(self, texts: Sequence[str], *, long_text: str = "cut") -> np.ndarray:  # noqa: ARG002
        """One vector of length 1 for each text: (n, 26) float32."""
        counts = np.array([[text.lower().count(letter) for letter in ALPHABET] for text in texts])
        lengths = np.linalg.norm(counts, axis=1, keepdims=True)
        return (counts / np.where(lengths == 0, 1, lengths)).astype(np.float32)
