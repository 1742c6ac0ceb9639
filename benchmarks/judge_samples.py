"""Generate the samples of `judge.py` with a fixed random seed; codes identify their facts."""

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HANDBOOK = Path(__file__).parents[1] / "examples" / "handbook" / "handbook.md"
N_CONTEXTS = 5
CODE = re.compile(r"\b[AR]\d+s\d+[xy]\b")
"""The code of one fact of an answer or a reference; it occurs nowhere else."""
CLAUSE = re.compile(r"\b[AR]\d+s\d+[xy](?: [a-z]+)+?(?= and [AR]\d+s|\.)")
"""One fact: its code and words."""
CONTEXT = re.compile(r"\bK\d+c\d+\b")
"""The code of a context."""


def make_samples(n: int, seed: int = 5) -> Iterator[dict[str, Any]]:
    """`n` samples made of the handbook's words."""
    found = re.findall(r"\b[a-z]{2,}\b", HANDBOOK.read_text("utf-8"))
    words = [word for word in found if word != "and"]
    chance = random.Random(seed)

    def some(least: int, most: int) -> str:
        return " ".join(chance.choices(words, k=chance.randint(least, most)))

    def facts(code: str, n_sentences: int) -> str:
        return " ".join(
            f"{code}s{at}x {some(5, 11)} and {code}s{at}y {some(5, 11)}."
            for at in range(n_sentences)
        )

    for at in range(n):
        yield {
            "id": f"q{at}",
            "question": f"What of {some(6, 12)}?",
            "answer": facts(f"A{at}", chance.randint(2, 4)),
            "reference": facts(f"R{at}", chance.randint(1, 3)),
            "contexts": [f"K{at}c{place} {some(160, 200)}." for place in range(N_CONTEXTS)],
        }
