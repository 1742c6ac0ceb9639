"""How far scores in int8 are from scores in fp32, with the embedded encoder, on labelled answers.

    RAGAUGE_DATA=… python benchmarks/precision.py [ROWS]

Prints a row for each metric and set of at most ROWS (1,000) answers: the mean in fp32, its difference in int8, and
the mean and the largest difference of single values.
"""

import os
import sys
from pathlib import Path

import numpy as np
from agreement_sets import LabelledSet, labelled_sets

import ragauge as rg
from ragauge.encoders.embedded import MiniLM

REFERENCES = (
    "correct",
    "semantic_similarity",
    "bertscore",
    "bertscore_precision",
    "bertscore_recall",
    "sentence_coverage",
    "sentences_covered",
    'sentences_covered(threshold="model")',
)
METRICS = {"correct": REFERENCES, "equivalent": REFERENCES, "supported": ("support",)}


def main() -> None:
    n_rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    print("| metric | set | n | mean in fp32 | int8 − fp32 | mean apart | max apart |")
    print("|---|---|---|---|---|---|---|")
    for labelled in labelled_sets(Path(os.environ["RAGAUGE_DATA"]), is_whole=False):
        if labelled.claim in METRICS:
            compare(labelled, n_rows)


def compare(labelled: LabelledSet, n_rows: int) -> None:
    rows = [row.fields for row in labelled.rows[:n_rows]]
    metrics = METRICS[labelled.claim]
    single, whole = (
        rg.evaluate(rows, list(metrics), encoder=MiniLM(precision)).scores["value"].to_numpy()
        for precision in ("fp32", "int8")
    )
    for at, metric in enumerate(metrics):
        one, two = single[at :: len(metrics)], whole[at :: len(metrics)]
        is_scored = ~(np.isnan(one) | np.isnan(two))
        one, apart = one[is_scored], (two - one)[is_scored]
        print(
            f"| `{metric}` | {labelled.name} | {len(one):,} | {one.mean():.4f} | {apart.mean():+.4f} | "
            f"{np.abs(apart).mean():.4f} | {np.abs(apart).max():.3f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
