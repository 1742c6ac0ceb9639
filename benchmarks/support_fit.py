"""Fit the weights of `support` on answers that people labelled, and measure it on sets left out.

    RAGAUGE_DATA=… python benchmarks/support_fit.py [--precision int8] [PARTS.json]

Prints for each set the area under the ROC curve of `support` as shipped and of weights fitted without the
set's family; then the weights fitted on all families. SNLI, ConjNLI and QAGS are
measured but not fitted: the first two are no answers with passages, the terms of QAGS allow measuring only.
PARTS.json keeps the parts of all answers, so that a second run does not compute them again.
"""

import gzip
import json
import os
import random
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from grounded_sets import GroundedCase, grounded_sets, held_out_scenes
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.stats import rankdata

from ragauge.encoders.cached import CachedEncoder
from ragauge.encoders.embedded import MiniLM
from ragauge.language.numbers.numbers import quantities
from ragauge.metrics.groundedness import TIPPING_POINT, WEIGHTS, support

Numbers = NDArray[np.float64]

MAX_CASES = 500
MAX_PAIRS = 150
"""Cases sampled of a larger set, and of each set in the folder `entailment`."""
ROWS_PER_CALL = 32
RESAMPLES = 1_000
SEED = 20_251
FAMILIES = {
    "BEGIN": ("begin",),
    "WiCE": ("wice",),
    "Q²": ("q2",),
    "SummEdits": ("summedits",),
    "FEVER": ("fever",),
    "Fool Me Twice": ("fool me twice",),
    "Factcheck-GPT": ("factcheck-gpt",),
    "scenes": ("scenes",),
    "unseen scenes": ("unseen scenes",),
    "situations": ("situations",),
    "unseen situations": ("unseen situations",),
    "NLI": ("snli", "conjnli"),
    "QAGS": ("qags",),
}
"""The families of sets, by the beginnings of the sets' names."""
MEASURED_ONLY = ("unseen scenes", "unseen situations", "NLI", "QAGS")
WITH_ERRORS_ON_PURPOSE = ("SummEdits", "FEVER", "Fool Me Twice", "scenes", "situations")
"""Families whose wrong claims people wrote to be wrong; they weigh `SHARE` of the others, as `contradicted` is made for them."""
SHARE = 0.5
PARTS = tuple(WEIGHTS)
PENALTY = 1e-3
"""Of the squares of the weights, so that parts that say the same share the weight."""

Read = tuple[bool, float | None, list[list[float]]]
"""An answer's label and score, and each sentence's content words and parts."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The answers of a set that have a score: people's labels, and the sentences of all answers in order.

    `parts`: (sentences, parts); `shares`: (sentences), the share of the content words of its answer; `first`: where each answer's
    sentences begin; `most`: (answers), what an answer can get at most.
    """

    is_supported: NDArray[np.bool_]
    parts: Numbers
    shares: Numbers
    first: NDArray[np.intp]
    most: Numbers
    n_left_out: int

    def values(self, weights: Numbers) -> Numbers:
        """The score of each answer; the last of the weights is the tipping point."""
        logs = -np.logaddexp(0, weights[-1] - self.parts @ weights[:-1])
        return self.most * np.exp(np.add.reduceat(self.shares * logs, self.first))

    def slopes(self, weights: Numbers) -> Numbers:
        """The derivative of each answer's logarithm by each weight, (answers, weights)."""
        doubt = 1 - 1 / (1 + np.exp(weights[-1] - self.parts @ weights[:-1]))
        inputs = np.column_stack([self.parts, -np.ones(len(self.parts))])
        return np.add.reduceat((self.shares * doubt)[:, None] * inputs, self.first)


def main() -> None:
    folder = os.environ.get("RAGAUGE_DATA")
    if not folder:
        sys.exit(
            "RAGAUGE_DATA is not set: give the folder that holds begin, entailment, q2 and wice"
        )
    began = time.perf_counter()
    precision = "int8" if "int8" in sys.argv else "fp32"
    kept = [Path(one) for one in sys.argv[1:] if one.endswith(".json")]
    sets = measured_sets(Path(folder), precision, kept[0] if kept else None)
    report(sets, by_family(sets))
    print(f"\n{time.perf_counter() - began:.0f} s, {precision}")


def by_family(sets: Mapping[str, Measured]) -> dict[str, list[str]]:
    """The names of each family's sets."""
    return {
        family: [name for name in sets if name.startswith(starts)]
        for family, starts in FAMILIES.items()
    }


def measured_sets(folder: Path, precision: str, kept: Path | None) -> dict[str, Measured]:
    rows: dict[str, list[Read]] = {}
    if kept and kept.exists():
        rows = json.loads(kept.read_text(encoding="utf-8"))
    encoder = CachedEncoder(MiniLM(precision))
    for name, cases in {**grounded_sets(folder), **scenes(), **situations()}.items():
        if name not in rows:
            rows[name] = scored(sampled(name, cases), encoder)
            if kept:
                kept.write_text(json.dumps(rows), encoding="utf-8")
    return {name: measured(each) for name, each in rows.items()}


def scenes() -> dict[str, list[GroundedCase]]:
    """Answers beside the passages of a scene, by language: "scenes" to fit, "unseen scenes" to measure."""
    sets: dict[str, list[GroundedCase]] = {}
    for to_fit in (True, False):
        for scene in held_out_scenes(to_fit=to_fit):
            name = f"{'scenes' if to_fit else 'unseen scenes'} {scene['language']}"
            for item in scene["items"]:
                answers = [(answer, True) for answer in (*item["right"], item["reference"])]
                answers += [(wrong["answer"], False) for wrong in item["wrong"]]
                sets.setdefault(name, []).extend(
                    GroundedCase(
                        answer, tuple(scene["passages"]), is_right, question=item["question"]
                    )
                    for answer, is_right in answers
                )
    return sets


def situations() -> dict[str, list[GroundedCase]]:
    """Answers to everyday questions, right or wrong in one detail: those that details were read for to fit, the others to measure."""
    path = Path(__file__).parent / "contrast" / "situations.jsonl.gz"
    sets: dict[str, list[GroundedCase]] = {}
    for row in map(json.loads, gzip.decompress(path.read_bytes()).splitlines()):
        name = "situations" if row["part"] == "seen" else "unseen situations"
        case = GroundedCase(
            row["answer"], tuple(row["contexts"]), row["is_right"], question=row["question"]
        )
        sets.setdefault(name, []).append(case)
    return sets


def sampled(name: str, cases: Sequence[GroundedCase]) -> list[GroundedCase]:
    """The cases that people label supported or not, or a sample of them in the order of the set."""
    clear = [case for case in cases if case.is_supported is not None]
    is_pair = name.startswith(("summedits", "fever", "fool", "factcheck", "snli", "conjnli"))
    most = MAX_PAIRS if is_pair else MAX_CASES
    if len(clear) <= most:
        return clear
    return [clear[at] for at in sorted(random.Random(SEED).sample(range(len(clear)), most))]


def scored(cases: Sequence[GroundedCase], encoder: CachedEncoder) -> list[Read]:
    rows: list[Read] = []
    for start in range(0, len(cases), ROWS_PER_CALL):
        some = cases[start : start + ROWS_PER_CALL]
        answers, contexts = [case.answer for case in some], [case.contexts for case in some]
        given = [[quantities(text) for text in texts] for texts in contexts]
        asked = [case.question for case in some]
        found = support(
            answers, contexts, [*map(quantities, answers)], given, asked, encoder=encoder
        )
        for case, score in zip(some, found, strict=True):
            evidence: Mapping[str, Any] = score.evidence or {}
            sentences = [
                [each["n_content_words"], *(each[part] for part in PARTS)]
                for each in evidence.get("best_sentences", ())
            ]
            rows.append((bool(case.is_supported), score.value, sentences))
    return rows


def measured(rows: Sequence[Read]) -> Measured:
    there = [each for each in rows if each[1] is not None and each[2]]
    sentences = [np.array(each[2]) for each in there]
    shipped = np.array([*WEIGHTS.values(), TIPPING_POINT])
    read = Measured(
        np.array([each[0] for each in there]),
        np.concatenate(sentences)[:, 1:],
        np.concatenate([each[:, 0] / each[:, 0].sum() for each in sentences]),
        np.cumsum([0, *map(len, sentences[:-1])]),
        np.ones(len(there)),
        len(rows) - len(there),
    )
    # What details that contradict leave of the value.
    return replace(read, most=np.array([each[1] for each in there]) / read.values(shipped))


def fitted(families: Mapping[str, Sequence[Measured]]) -> Numbers:
    """Weights with the tipping point; the sets of a family and both labels weigh the same."""
    sets = [
        (one, (SHARE if family in WITH_ERRORS_ON_PURPOSE else 1.0) / len(family_sets))
        for family, family_sets in families.items()
        for one in family_sets
    ]
    total = sum(share for _, share in sets)

    def loss(weights: Numbers) -> tuple[float, Numbers]:
        value, gradient = PENALTY * float(weights[:-1] @ weights[:-1]), 2 * PENALTY * weights
        gradient[-1] = 0
        for one, share in sets:
            found = np.clip(one.values(weights), 1e-9, 1 - 1e-9)
            even = share / total * even_weights(one.is_supported)
            value -= float(even @ np.log(np.where(one.is_supported, found, 1 - found)))
            by_log = np.where(one.is_supported, -1.0, found / (1 - found))
            gradient = gradient + (even * by_log) @ one.slopes(weights)
        return value, gradient

    start = np.zeros(len(PARTS) + 1)
    return np.asarray(minimize(loss, start, jac=True, method="L-BFGS-B").x)


def even_weights(is_supported: NDArray[np.bool_]) -> Numbers:
    """Weights that sum to a half for either label."""
    n = is_supported.sum()
    return np.where(is_supported, 0.5 / n, 0.5 / (len(is_supported) - n))


def report(sets: Mapping[str, Measured], families: Mapping[str, Sequence[str]]) -> None:
    print("area under the ROC curve, with its 95 % interval over 1,000 resamples of the answers\n")
    print(row("set", "yes / no", "support", "fitted without its family"))
    print(row(*["---"] * 4))
    shipped = np.array([*WEIGHTS.values(), TIPPING_POINT])
    used = {
        family: [sets[name] for name in names]
        for family, names in families.items()
        if family not in MEASURED_ONLY
    }
    areas: dict[str, list[float]] = {}
    for family, names in families.items():
        without = fitted({name: each for name, each in used.items() if name != family})
        for name in names:
            one = sets[name]
            columns = [one.values(shipped), one.values(without)]
            areas[name] = [area(values, one.is_supported) for values in columns]
            n = int(one.is_supported.sum())
            cells = [interval(values, one.is_supported) for values in columns]
            print(row(name, f"{n} / {len(one.is_supported) - n}", *cells))
    print(row("mean of sets", "", *means(list(areas.values()))))
    by_family = [np.mean([areas[name] for name in names], axis=0) for names in families.values()]
    print(row("mean of families", "", *means(by_family)))
    print(f"\n{sum(one.n_left_out for one in sets.values())} answers have no content words")
    print("\n" + row("", *PARTS, "tipping point"))
    print(row(*["---"] * (2 + len(PARTS))))
    print(row("fitted", *(f"{each:.2f}" for each in fitted(used))))
    print(row("shipped", *WEIGHTS.values(), TIPPING_POINT))
    whole = sum(max(weight, 0) for weight in WEIGHTS.values())
    print(f"\na verbatim answer scores {1 / (1 + np.exp(TIPPING_POINT - whole)):.2f}")


def means(rows: Sequence[Sequence[float] | Numbers]) -> list[str]:
    return [f"{each:.3f}" for each in np.mean(rows, axis=0)]


def area(values: Numbers, is_positive: NDArray[np.bool_]) -> float:
    """How often a positive case scores above a negative one, ties counting half."""
    n = int(is_positive.sum())
    above = rankdata(values)[is_positive].sum() - n * (n + 1) / 2
    return float(above / (n * (len(values) - n)))


def interval(values: Numbers, is_positive: NDArray[np.bool_]) -> str:
    rng = np.random.default_rng(SEED)
    draws = (rng.integers(0, len(values), len(values)) for _ in range(RESAMPLES))
    areas = [
        area(values[at], is_positive[at]) for at in draws if 0 < is_positive[at].sum() < len(at)
    ]
    low, high = np.quantile(areas, (0.025, 0.975))
    return f"{area(values, is_positive):.3f} ({low:.2f}–{high:.2f})"


def row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    main()
