"""Measure BERTScore of unrelated sentences by layer: the baselines that rescaling maps to 0.

    RAGAUGE_DATA=… python benchmarks/baselines.py

Sentences from privacy policies, STS, medical answers, answers to Natural Questions and WiCE's claims,
in equal numbers; pairs are random, and two sentences of one text are never paired. Prints the mean
precision, recall and F1 of the embedded encoder at each of its layers.
"""

import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from ragauge.encoders.cached import CachedEncoder
from ragauge.encoders.embedded import LAYERS, MiniLM
from ragauge.features.matches import ALIKE, TokenMatch, token_match
from ragauge.language.text import sentences

OF_EACH = 800
"""Sentences of each source."""
PAIRS = 25_000
WORDS = range(4, 61)
"""Lengths of the sentences used: shorter ones are headings, longer ones lists."""
AT_ONCE = 2_500
SEED = 20_250

Sentence = tuple[str, str]
"""The text that a sentence is from, and the sentence."""


def main() -> None:
    folder = os.environ.get("RAGAUGE_DATA")
    if not folder:
        sys.exit(
            "RAGAUGE_DATA is not set: give the folder that holds evouna, graphrag_bench, "
            "privacy_qa, sts and wice"
        )
    pairs = unrelated(Path(folder))
    encoder = CachedEncoder(MiniLM())
    print(f"{len(pairs):,} pairs of {len({text for pair in pairs for text in pair}):,} sentences")
    for layer in range(1, LAYERS + 1):
        found = np.array(list(scores(pairs, encoder, layer)))
        means, errors = found.mean(axis=0), found.std(axis=0) / np.sqrt(len(found))
        shown = ", ".join(
            f"{mean:.6f} ± {error:.6f}" for mean, error in zip(means, errors, strict=True)
        )
        print(f"layer {layer}: P, R, F1 {shown}")


def unrelated(folder: Path) -> list[tuple[str, str]]:
    random = np.random.default_rng(SEED)
    drawn: list[Sentence] = []
    for source in (policies, similar, medical, answers, claims):
        own = sorted(set(source(folder)))
        own = [one for one in own if len(one[1].split()) in WORDS]
        drawn += [own[at] for at in random.permutation(len(own))[:OF_EACH].tolist()]
    pairs: list[tuple[str, str]] = []
    while len(pairs) < PAIRS:
        one, other = (drawn[at] for at in random.integers(0, len(drawn), 2).tolist())
        if one[0] != other[0]:
            pairs.append((one[1], other[1]))
    return pairs


def policies(folder: Path) -> Iterator[Sentence]:
    for path in sorted((folder / "privacy_qa" / "corpus").glob("*.txt")):
        yield from of_text(path.read_text(encoding="utf-8"), path.stem)


def similar(folder: Path) -> Iterator[Sentence]:
    """The graded pairs of STS; the two sentences of a pair count as one text."""
    lines = (folder / "sts" / "sts2015.tsv").read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        _, *pair = line.split("\t")
        for text in pair:
            yield from of_text(text, f"sts {number}")


def medical(folder: Path) -> Iterator[Sentence]:
    rows = json.loads((folder / "graphrag_bench" / "medical_questions.json").read_text("utf-8"))
    for one in rows:
        yield from of_text(one["answer"], one["id"])


def answers(folder: Path) -> Iterator[Sentence]:
    for one in json.loads((folder / "evouna" / "NQ.json").read_text("utf-8")):
        yield from of_text(one["answer_gpt4"], one["question"])


def claims(folder: Path) -> Iterator[Sentence]:
    lines = (folder / "wice" / "claim_dev.jsonl").read_text("utf-8").splitlines()
    for number, line in enumerate(lines):
        one = json.loads(line)
        yield from of_text(one["claim"], f"wice {number}")
        for sentence in one["evidence"]:
            yield from of_text(sentence, f"wice {number}")


def of_text(text: str, name: str) -> Iterator[Sentence]:
    return ((name, sentence) for sentence in sentences(text))


def scores(
    pairs: Sequence[tuple[str, str]], encoder: CachedEncoder, layer: int
) -> Iterator[tuple[float, float, float]]:
    for start in range(0, len(pairs), AT_ONCE):
        left, right = zip(*pairs[start : start + AT_ONCE], strict=True)
        for one in token_match(left, right, [ALIKE] * len(left), encoder=encoder, layer=layer):
            assert isinstance(one, TokenMatch), one
            yield one.precision, one.recall, one.f1


if __name__ == "__main__":
    main()
