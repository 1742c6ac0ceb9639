"""Fit the weights of `support` on answers that people labelled, and measure it on sets left out.

    RAGAUGE_DATA=… python benchmarks/support_fit.py [--precision int8] [PARTS.json]

Prints for each set the area under the ROC curve of `support` as shipped, of weights fitted without the
set's family, and of three single parts; then the weights fitted on all families. SNLI, ConjNLI and QAGS are
measured but not fitted: the first two are no answers with passages, the terms of QAGS allow measuring only.
PARTS.json keeps the parts of all answers, so that a second run does not compute them again.
"""

import json
import os
import random
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from grounded_sets import GroundedCase, grounded_sets
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
    "NLI": ("snli", "conjnli"),
    "QAGS": ("qags",),
}
"""The families of sets, by the beginnings of the sets' names."""
MEASURED_ONLY = ("NLI", "QAGS")
PARTS = tuple(WEIGHTS)
SHOWN = ("coverage", "precision", "best_sentence")
MAX_LOWEST = 0.8
"""Without this bound the fit gives `lowest` more weight, for the edited summaries, and Q² gets worse: people
call replies in a dialogue supported in spite of words of courtesy that no context has."""
PENALTY = 1e-3
"""Of the squares of the weights, so that parts that say the same share the weight."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The answers of a set that have a score: people's labels, the score, and its parts (n, parts)."""

    is_supported: NDArray[np.bool_]
    scores: Numbers
    parts: Numbers
    n_left_out: int


@dataclass(frozen=True, slots=True)
class Fitted:
    """A logistic curve over the parts."""

    weights: Numbers
    tipping_point: float

    def sums(self, one: Measured) -> Numbers:
        return one.parts @ self.weights


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
    rows: dict[str, list[tuple[bool, float | None, list[float]]]] = {}
    if kept and kept.exists():
        rows = json.loads(kept.read_text(encoding="utf-8"))
    encoder = CachedEncoder(MiniLM(precision))
    for name, cases in grounded_sets(folder).items():
        if name not in rows:
            rows[name] = scored(sampled(name, cases), encoder)
            if kept:
                kept.write_text(json.dumps(rows), encoding="utf-8")
    return {name: measured(each) for name, each in rows.items()}


def sampled(name: str, cases: Sequence[GroundedCase]) -> list[GroundedCase]:
    """The cases that people label supported or not, or a sample of them in the order of the set."""
    clear = [case for case in cases if case.is_supported is not None]
    is_pair = name.startswith(("summedits", "fever", "fool", "factcheck", "snli", "conjnli"))
    most = MAX_PAIRS if is_pair else MAX_CASES
    if len(clear) <= most:
        return clear
    return [clear[at] for at in sorted(random.Random(SEED).sample(range(len(clear)), most))]


def scored(
    cases: Sequence[GroundedCase], encoder: CachedEncoder
) -> list[tuple[bool, float | None, list[float]]]:
    """For each case its label, score and parts."""
    rows: list[tuple[bool, float | None, list[float]]] = []
    for start in range(0, len(cases), ROWS_PER_CALL):
        some = cases[start : start + ROWS_PER_CALL]
        answers, contexts = [case.answer for case in some], [case.contexts for case in some]
        given = [[quantities(text) for text in texts] for texts in contexts]
        found = support(answers, contexts, [*map(quantities, answers)], given, encoder=encoder)
        for case, score in zip(some, found, strict=True):
            parts = [float(str((score.evidence or {}).get(part, 0))) for part in PARTS]
            rows.append((bool(case.is_supported), score.value, parts))
    return rows


def measured(rows: Sequence[tuple[bool, float | None, list[float]]]) -> Measured:
    there = [(label, value, parts) for label, value, parts in rows if value is not None]
    labels = np.array([label for label, _, _ in there])
    parts = np.array([parts for _, _, parts in there])
    # From the parts, so that kept parts serve other weights.
    sums = parts @ np.array(list(WEIGHTS.values()))
    scores = 1 / (1 + np.exp(TIPPING_POINT - sums))
    return Measured(labels, scores, parts, len(rows) - len(there))


def fitted(families: Sequence[Sequence[Measured]]) -> Fitted:
    """Weights of the sign they have in WEIGHTS; families, their sets and both labels weigh the same."""
    sets = [(one, 1 / len(family) / len(families)) for family in families for one in family]
    parts = np.concatenate([one.parts for one, _ in sets])
    signs = np.concatenate([np.where(one.is_supported, 1.0, -1.0) for one, _ in sets])
    shares = np.concatenate([share * even_weights(one.is_supported) for one, share in sets])

    def loss(values: Numbers) -> tuple[float, Numbers]:
        margins = signs * (parts @ values[:-1] - values[-1])
        slopes = -signs * shares / (1 + np.exp(margins))
        gradient = np.append(slopes @ parts + 2 * PENALTY * values[:-1], -slopes.sum())
        penalty = PENALTY * float(values[:-1] @ values[:-1])
        return float(shares @ np.logaddexp(0, -margins)) + penalty, gradient

    bounds = [(0.0, None) if WEIGHTS[part] > 0 else (None, 0.0) for part in PARTS]
    bounds[PARTS.index("lowest")] = (0.0, MAX_LOWEST)
    start = np.zeros(len(PARTS) + 1)
    values = np.asarray(
        minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[*bounds, (None, None)]).x
    )
    return Fitted(values[:-1], float(values[-1]))


def even_weights(is_supported: NDArray[np.bool_]) -> Numbers:
    """Weights that sum to a half for either label."""
    n = is_supported.sum()
    return np.where(is_supported, 0.5 / n, 0.5 / (len(is_supported) - n))


def report(sets: Mapping[str, Measured], families: Mapping[str, Sequence[str]]) -> None:
    print("area under the ROC curve, with its 95 % interval over 1,000 resamples of the answers\n")
    print(row("set", "yes / no", "support", "fitted without its family", *SHOWN))
    print(row(*["---"] * (4 + len(SHOWN))))
    areas: dict[str, list[float]] = {}
    for family, names in families.items():
        others = [f for f in families if f != family and f not in MEASURED_ONLY]
        without = fitted([[sets[name] for name in families[other]] for other in others])
        for name in names:
            one = sets[name]
            columns = [one.scores, without.sums(one)]
            columns += [one.parts[:, PARTS.index(part)] for part in SHOWN]
            areas[name] = [area(values, one.is_supported) for values in columns]
            n = int(one.is_supported.sum())
            cells = [interval(values, one.is_supported) for values in columns[:2]]
            cells += [f"{each:.3f}" for each in areas[name][2:]]
            print(row(name, f"{n} / {len(one.is_supported) - n}", *cells))
    print(row("mean of sets", "", *means(list(areas.values()))))
    by_family = [np.mean([areas[name] for name in names], axis=0) for names in families.values()]
    print(row("mean of families", "", *means(by_family)))
    print(f"\n{sum(one.n_left_out for one in sets.values())} answers have no content words")
    used = [names for family, names in families.items() if family not in MEASURED_ONLY]
    found = fitted([[sets[name] for name in names] for names in used])
    print("\n" + row("", *PARTS, "tipping point"))
    print(row(*["---"] * (2 + len(PARTS))))
    print(row("fitted", *(f"{each:.2f}" for each in found.weights), f"{found.tipping_point:.2f}"))
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
