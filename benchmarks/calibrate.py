"""How often corrected rates hold the truth on answers that people labelled, and how they compare with ppi-python.

    RAGAUGE_DATA=… python benchmarks/calibrate.py [--questions 400] [--draws 1000] [--cache FILE]

Every answer of the two sets has a label, so each system's true rate in the set is known. A draw takes as
many answers as the set has, at random with replacement, labels some of them, and corrects the rate of
`correct` with these. The table has how often each interval holds the true rate, and its mean half-width. The second part compares `prediction_powered` with
ppi-python, if that is installed.
"""

import argparse
import os
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from answer_sets import AnswerCase, answer_sets

import ragauge as rg
from ragauge.stats import prediction_powered, rogan_gladen
from ragauge.stats.agreement import share_interval
from ragauge.stats.corrected_rates import CorrectedRate

LABELLED = {"evouna-nq": 100, "financebench": 60}
METHODS = ("reported", "labels alone", "corrected", "by its errors")


def main() -> None:
    options = arguments()
    folder = os.environ.get("RAGAUGE_DATA")
    if not folder:
        sys.exit("RAGAUGE_DATA is not set: give the folder that holds the labelled sets")
    for name, cases in answer_sets(Path(folder)).items():
        chosen = some_questions(cases, options.questions)
        covered(name, chosen, n_draws=options.draws, cache=options.cache)
    beside_ppi_python()


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--questions", type=int, default=400, help="questions of a set [400]")
    parser.add_argument("--draws", type=int, default=1_000, help="draws of labels [1000]")
    parser.add_argument("--cache", type=Path, help="file that keeps vectors for the next time")
    return parser.parse_args()


def some_questions(cases: Sequence[AnswerCase], n: int) -> list[AnswerCase]:
    """All answers to n random questions."""
    ids = np.array(sorted({case.id for case in cases}))
    kept = set(np.random.default_rng(0).permutation(ids)[:n].tolist())
    return [case for case in cases if case.id in kept]


def covered(name: str, cases: Sequence[AnswerCase], *, n_draws: int, cache: Path | None) -> None:
    """Print how often each interval holds the true rate, by system."""
    rows = [
        {
            "id": case.id,
            "system": case.system,
            "question": case.question,
            "answer": case.answer,
            "references": list(case.references),
        }
        for case in cases
    ]
    run = rg.evaluate(rows, "correct", cache=cache)
    labels = [{"id": case.id, "system": case.system, "label": case.is_correct} for case in cases]
    start = time.perf_counter()
    run.calibrate(labels)
    seconds = time.perf_counter() - start
    n_labelled = LABELLED[name]
    print(f"\n{name}: run.calibrate of {len(labels):,} labels: {seconds:.2f} s")
    print(f"{n_draws:,} draws of {n_labelled} labelled questions\n")
    print("| system | answers | true rate | " + " | ".join(METHODS) + " |")
    print("| :-- | --: | --: |" + " --: |" * len(METHODS))
    scores = run.scores.select("id", "system", "value")
    truth = {(case.id, case.system): float(case.is_correct) for case in cases}
    for (system,), of_system in sorted(scores.partition_by("system", as_dict=True).items()):
        values = of_system["value"].to_numpy()
        people = np.array([truth[id, str(system)] for id in of_system["id"].to_list()])
        found = coverage(values, people, n_labelled=n_labelled, n_draws=n_draws)
        cells = [f"{found[method][0]:.1%} (± {found[method][1] / 2:.3f})" for method in METHODS]
        print(f"| {system} | {len(values):,} | {people.mean():.3f} | {' | '.join(cells)} |")


def coverage(
    values: np.ndarray, people: np.ndarray, *, n_labelled: int, n_draws: int
) -> Mapping[str, tuple[float, float]]:
    """For each method, how often its interval holds the true rate, and its mean width."""
    random = np.random.default_rng(1)
    truth = people.mean()
    sums = {method: np.zeros(2) for method in METHODS}
    for _ in range(n_draws):
        drawn = random.integers(0, len(values), len(values))
        values_in, people_in = values[drawn], people[drawn]
        labels = np.where(np.arange(len(drawn)) < n_labelled, people_in, np.nan)
        says = values_in >= 0.5
        for method, (low, high) in {
            "reported": share_interval(float(says.mean()), len(says)),
            "labels alone": bounds(prediction_powered(values_in, labels, tuning=0.0)),
            "corrected": bounds(prediction_powered(values_in, labels)),
            "by its errors": bounds(rogan_gladen(says, labels)),
        }.items():
            sums[method] += low <= truth <= high, high - low
    return {method: tuple(total / n_draws) for method, total in sums.items()}


def bounds(rate: CorrectedRate | None) -> tuple[float, float]:
    return (0.0, 1.0) if rate is None else (rate.low, rate.high)


def beside_ppi_python() -> None:
    """Print the largest difference from ppi-python's interval, and both times."""
    try:
        from ppi_py import ppi_mean_ci
    except ImportError:
        print("\nppi-python is not installed: pip install ppi-python")
        return
    random = np.random.default_rng(2)
    differences: list[float] = []
    seconds = np.zeros(2)
    for _ in range(200):
        n, n_other = int(random.integers(30, 300)), int(random.integers(50, 3_000))
        values = random.beta(2, 1, n + n_other)
        people = (random.random(n + n_other) < values).astype(float)
        labels = np.where(np.arange(n + n_other) < n, people, np.nan)
        start = time.perf_counter()
        ours = prediction_powered(values, labels, small_sample=False)
        middle = time.perf_counter()
        theirs = ppi_mean_ci(people[:n], values[:n], values[n:], alpha=0.05)
        seconds += middle - start, time.perf_counter() - middle
        assert ours is not None
        if 0 < (ours.tuning or 0.0) <= 1 and ours.low > 0 and ours.high < 1:
            differences += [
                abs(ours.low - float(theirs[0][0])),
                abs(ours.high - float(theirs[1][0])),
            ]
    print(
        f"\nppi-python, {len(differences) // 2} samples: largest difference of a bound "
        f"{max(differences):.1e}; {seconds[0] / 200 * 1e3:.2f} ms ours, {seconds[1] / 200 * 1e3:.2f} ms theirs"
    )


if __name__ == "__main__":
    main()
