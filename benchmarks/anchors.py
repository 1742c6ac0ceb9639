"""Measure how well the anchors' verdicts agree with people.

    RAGAUGE_DATA=… python benchmarks/anchors.py

For each data set: the area under the ROC curve of `hallucination` for separating unsupported from
supported answers (0.5 is chance), how often each kind of anchor is supported in both kinds of answers,
and the time per answer. Data sets: WiCE claims, BEGIN and Q² responses.
"""

import csv
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from scipy.stats import rankdata  # pyright: ignore[reportUnknownVariableType]

from ragauge.features.texts import context_dates, context_quantities, passage_words
from ragauge.language.claims.context_index import Anchors, ContextIndex, embedded_anchors, support
from ragauge.language.dates.dates import dates
from ragauge.language.dates.parts import Date
from ragauge.language.numbers.numbers import quantities
from ragauge.language.numbers.quantity import Quantity
from ragauge.metrics.claim_support import answer_ngrams, context_ngrams, hallucination

Case = tuple[str, list[str], bool]
"""Answer, contexts, and whether people found the answer supported."""


def main() -> None:
    folder = os.environ.get("RAGAUGE_DATA")
    if not folder:
        sys.exit("set RAGAUGE_DATA to the folder of the data sets (begin, q2, wice)")
    for name, cases in data_sets(Path(folder)):
        report(name, list(cases))


def data_sets(folder: Path) -> Iterator[tuple[str, Iterable[Case]]]:
    yield "wice", wice(folder / "wice" / "claim_dev.jsonl")
    for part in ("cmu", "wow"):
        yield f"begin {part}", begin(folder / "begin" / f"begin_dev_{part}.tsv")
    for system in ("dodeca", "memnet"):
        yield f"q2 {system}", q2(folder / "q2", system)


def wice(path: Path) -> Iterator[Case]:
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["label"] != "partially_supported":
            yield row["claim"], [" ".join(row["evidence"])], row["label"] == "supported"


def begin(path: Path) -> Iterator[Case]:
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            label = row["begin_label"].lower()
            if label != "generic":
                yield row["response"], [row["knowledge"]], label == "fully attributable"


def q2(folder: Path, system: str) -> Iterator[Case]:
    for label in ("consistent", "inconsistent"):
        with (folder / f"{system}_{label}.csv").open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                yield row["response"], [row["knowledge"]], label == "consistent"


def report(name: str, cases: list[Case]) -> None:
    scores: list[float] = []
    kinds: Counter[tuple[str, bool, bool]] = Counter()
    wrong: list[str] = []
    began = time.perf_counter()
    for answer, contexts, supported in cases:
        given = passage_words(contexts)
        dated = context_dates(contexts)
        context_index = ContextIndex(contexts, given, context_quantities(contexts, dated), dated)
        found = embedded_anchors(answer, quantities(answer), dates(answer))
        score = hallucination(
            Anchors(found, "embedded"), context_index, answer_ngrams(answer), context_ngrams(given)
        )
        scores.append(score.value or 0.0)
        for anchor in found:
            borne_out = support(anchor, context_index) is not None
            kinds[kind(anchor), supported, borne_out] += 1
            if supported and not borne_out and kind(anchor) == os.environ.get("SHOW"):
                wrong.append(f"  {anchor.text!r}  |  {answer[:120]!r} | {contexts[0][:300]!r}")
    took = time.perf_counter() - began
    n_supported = sum(supported for *_, supported in cases)
    area = area_under_curve(scores, [not supported for *_, supported in cases])
    print(
        f"{name}: {len(cases)} answers, {n_supported} supported, area {area:.3f}, "
        f"{took / len(cases) * 1e6:.0f} µs each"
    )
    for name in ("number", "date", "claim"):
        counts = [kinds[name, s, True] + kinds[name, s, False] for s in (True, False)]
        rates = [
            kinds[name, s, True] / max(1, count)
            for s, count in zip((True, False), counts, strict=True)
        ]
        print(
            f"  {name}: {rates[0]:.2f} of {counts[0]} supported in supported answers, "
            f"{rates[1]:.2f} of {counts[1]} in others"
        )
    print("\n".join(wrong))


def kind(anchor: object) -> str:
    return (
        "number"
        if isinstance(anchor, Quantity)
        else "date"
        if isinstance(anchor, Date)
        else "claim"
    )


def area_under_curve(scores: list[float], positive: list[bool]) -> float:
    """How often a positive case scores above a negative one, ties counting half."""
    n_positive = sum(positive)
    ranks = rankdata(scores)
    above = sum(rank for rank, one in zip(ranks, positive, strict=True) if one)
    return (above - n_positive * (n_positive + 1) / 2) / (n_positive * (len(positive) - n_positive))


if __name__ == "__main__":
    main()
