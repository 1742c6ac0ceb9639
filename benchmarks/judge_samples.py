"""The samples of `judge.py`, made by rule from a seed, and the codes by which their facts are told."""

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HANDBOOK = Path(__file__).parents[1] / "examples" / "handbook" / "handbook.md"
N_CONTEXTS = 5
CODE = re.compile(r"\b[AR]\d+s\d+[xy]\b")
"""Of one fact of an answer or a reference; it stands nowhere else."""
CLAUSE = re.compile(r"\b[AR]\d+s\d+[xy](?: [a-z]+)+?(?= and [AR]\d+s|\.)")
"""One fact: its code, and words."""
CONTEXT = re.compile(r"\bK\d+c\d+\b")
"""The code of a context."""


def make_samples(n: int, seed: int = 5) -> Iterator[dict[str, Any]]:
    """So many samples, of the handbook's words."""
    found = re.findall(r"\b[a-z]{2,}\b", HANDBOOK.read_text("utf-8"))
    words = [word for word in found if word != "and"]
    chance = random.Random(seed)

    def some(least: int, most: int) -> str:
        return " ".join(chance.choices(words, k=chance.randint(least, most)))

    def said(code: str, n_sentences: int) -> str:
        return " ".join(
            f"{code}s{at}x {some(5, 11)} and {code}s{at}y {some(5, 11)}."
            for at in range(n_sentences)
        )

    for at in range(n):
        yield {
            "id": f"q{at}",
            "question": f"What of {some(6, 12)}?",
            "answer": said(f"A{at}", chance.randint(2, 4)),
            "reference": said(f"R{at}", chance.randint(1, 3)),
            "contexts": [f"K{at}c{place} {some(160, 200)}." for place in range(N_CONTEXTS)],
        }
