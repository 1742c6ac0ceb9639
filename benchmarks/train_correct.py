"""Fit the weights of the metric `correct` on people's judgements, and check them on answers not used.

    RAGAUGE_DATA=… python benchmarks/train_correct.py [--write] [--cache FILE]

Training: the answers of five systems to the questions of EVOUNA-NQ (Apache-2.0), twice. Once with their
references, which are names and dates; once with a paragraph as reference, which is another system's
answer that people called correct. The second kind has weights of its own. Checks: five folds by
question; each system with the weights of the other four; FinanceBench, which trains nothing.
`--write` replaces src/ragauge/metrics/estimated_correctness.toml; without it, the fitted weights are compared with it.
`--cache` keeps the matched vectors, so that the next time takes a minute.
"""

import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np
from answer_sets import AnswerCase, answer_sets
from grounded_sets import held_out_scenes
from numpy.typing import NDArray
from scipy.optimize import minimize, minimize_scalar
from scipy.stats import kendalltau, rankdata

from ragauge.encoders.cached import CachedEncoder
from ragauge.encoders.embedded import MiniLM
from ragauge.features.correctness import FEATURES, Likeness, reference_likeness
from ragauge.metrics.estimated_correctness import Weights, weights
from ragauge.storage.cache import Cache

Numbers = NDArray[np.float64]

SHORT, LONG = 4, 16
"""Words of a reference up to which the first weights count alone, and from which the second do."""
NOT_BELOW_0 = ("new_words", "meaning", "recall", "verbatim", "shared")
NOT_ABOVE_0 = ("contradiction", "refusal")
PENALTY = 1e-3
"""Of the squares of the weights of standardised features."""
ROUNDS = 4
"""The likeliest reference of each answer is chosen and the weights are fitted, this many times."""
FOLDS = 5
SHORTEST_PARAGRAPH = 8
SEED = 20_261
DIGITS = 3
RESAMPLES = 1_000
FILE = Path(__file__).parents[1] / "src" / "ragauge" / "metrics" / "estimated_correctness.toml"


@dataclass(frozen=True, slots=True)
class Rows:
    """Answers with their features: for each answer a row of columns for each of its references."""

    cases: Sequence[AnswerCase]
    columns: Sequence[Numbers]
    is_correct: NDArray[np.bool_]
    ids: NDArray[np.str_]
    systems: NDArray[np.str_]

    def where(self, chosen: NDArray[np.bool_]) -> "Rows":
        at = np.flatnonzero(chosen)
        cases, columns = [self.cases[i] for i in at], [self.columns[i] for i in at]
        return Rows(cases, columns, self.is_correct[at], self.ids[at], self.systems[at])

    def and_also(self, other: "Rows") -> "Rows":
        return rows_of([*self.cases, *other.cases], [*self.columns, *other.columns])


def main() -> None:
    folder = os.environ.get("RAGAUGE_DATA")
    if not folder:
        sys.exit("RAGAUGE_DATA is not set: give the folder that holds evouna and financebench")
    began = time.perf_counter()
    sets = answer_sets(Path(folder))
    kept = sys.argv[sys.argv.index("--cache") + 1] if "--cache" in sys.argv else None
    encoder = CachedEncoder(MiniLM(), Cache(kept) if kept else None, in_memory=2**31)
    short = compared(sets["evouna-nq"], encoder)
    long = compared(with_paragraphs(sets["evouna-nq"]), encoder)
    finance = compared(sets["financebench"], encoder)
    print(f"{len(short.cases)} answers compared in {time.perf_counter() - began:.0f} s\n")
    written = compared(scenes(), encoder)
    fitted = fit(short.and_also(long))
    figures = check(short, long, finance, fitted)
    for name, rows in (("paragraphs", long), ("FinanceBench", finance), ("scenes", written)):
        area_without = area(probabilities(rows, fitted, 0.0), rows.is_correct)
        area_with = area(probabilities(rows, fitted), rows.is_correct)
        likeliest = reader_weight(rows, fitted)
        print(
            f"reader, {name}: {area_without:.3f}, with it {area_with:.3f}; likeliest weight {likeliest:.2f}"
        )
    text = as_toml(fitted, len(short.cases), len(long.cases), figures)
    if "--write" in sys.argv:
        FILE.write_text(text, encoding="utf-8")
        print(f"\nwritten: {FILE}")
    else:
        print(f"\nlargest difference from the weights in the package: {distance(fitted):.3f}")
    print(f"{time.perf_counter() - began:.0f} s")


def with_paragraphs(cases: Sequence[AnswerCase]) -> list[AnswerCase]:
    """The same answers, with a correct answer of another system as their reference."""
    random = Random(SEED)
    by_question: dict[str, list[AnswerCase]] = {}
    for case in cases:
        by_question.setdefault(case.id, []).append(case)
    found: list[AnswerCase] = []
    for answers in by_question.values():
        whole = [
            case
            for case in answers
            if case.is_correct and len(case.answer.split()) >= SHORTEST_PARAGRAPH
        ]
        if not whole:
            continue
        chosen = random.choice(whole)
        found += [
            AnswerCase(
                case.id,
                case.question,
                (chosen.answer,),
                case.answer,
                case.is_correct,
                None,
                case.system,
            )
            for case in answers
            if case is not chosen
        ]
    return found


def compared(cases: Sequence[AnswerCase], encoder: CachedEncoder) -> Rows:
    """The features of each answer with each of its references."""
    flat = [(case, reference) for case in cases for reference in case.references]
    found = reference_likeness(
        [case.question for case, _ in flat],
        [case.answer for case, _ in flat],
        [reference for _, reference in flat],
        encoder=encoder,
    )
    columns: dict[int, list[Numbers]] = {}
    for (case, _), likenesses in zip(flat, found, strict=True):
        if isinstance(likenesses, tuple):
            columns.setdefault(id(case), []).extend(map(row_of, likenesses))
    known = [case for case in cases if id(case) in columns]
    return rows_of(known, [np.array(columns[id(case)]) for case in known])


def rows_of(cases: Sequence[AnswerCase], columns: Sequence[Numbers]) -> Rows:
    return Rows(
        cases,
        columns,
        np.array([case.is_correct for case in cases]),
        np.array([case.id for case in cases]),
        np.array([case.system for case in cases]),
    )


def row_of(likeness: Likeness) -> Numbers:
    """The features for short references and for long ones, each times its share, and the two shares; last what the reader says."""
    share = min(1.0, max(0.0, (likeness.match.n_words - SHORT) / (LONG - SHORT)))
    features = np.array([likeness.features[name] for name in FEATURES] + [1.0])
    says = [likeness.features["reader"]]
    return np.concatenate([(1 - share) * features, share * features, says])


def fit(rows: Rows) -> Numbers:
    """The weights in the order of `row_of`, without that of the reader; of an answer's references the likeliest counts."""
    chosen = [int(np.argmax(each[:, 0] + each[:, len(FEATURES) + 1])) for each in rows.columns]
    found = np.zeros(rows.columns[0].shape[1] - 1)
    for _ in range(ROUNDS):
        table = np.array([each[at, :-1] for each, at in zip(rows.columns, chosen, strict=True)])
        found = logistic(table, rows.is_correct.astype(float))
        chosen = [int(np.argmax(each[:, :-1] @ found)) for each in rows.columns]
    return found


def logistic(table: Numbers, labels: Numbers) -> Numbers:
    """Penalised maximum likelihood with bounds; the intercepts are free of the penalty."""
    scale = np.sqrt((table**2).mean(axis=0)) + 1e-9
    scaled = table / scale
    n = len(FEATURES) + 1
    is_intercept = np.arange(2 * n) % n == n - 1

    def loss(beta: Numbers) -> tuple[float, Numbers]:
        odds = scaled @ beta
        penalised = np.where(is_intercept, 0.0, beta)
        value = (np.logaddexp(0, odds) - labels * odds).mean() + PENALTY * (penalised**2).sum() / 2
        error = 1 / (1 + np.exp(-odds)) - labels
        return float(value), scaled.T @ error / len(labels) + PENALTY * penalised

    options = {"maxiter": 5_000, "maxfun": 50_000, "ftol": 1e-15, "gtol": 1e-9}
    done = minimize(
        loss, np.zeros(2 * n), jac=True, method="L-BFGS-B", bounds=bounds(), options=options
    )
    return done.x / scale


def bounds() -> list[tuple[float | None, float | None]]:
    """Of the weights of the features."""
    return [
        (0.0 if name in NOT_BELOW_0 else None, 0.0 if name in NOT_ABOVE_0 else None)
        for name in (*FEATURES, "intercept") * 2
    ]


def probabilities(rows: Rows, fitted: Numbers, of_reader: float | None = None) -> Numbers:
    last = weights().of_reader if of_reader is None else of_reader
    every = np.append(fitted, last)
    return np.array([1 / (1 + np.exp(-np.max(each @ every))) for each in rows.columns])


def reader_weight(rows: Rows, fitted: Numbers) -> float:
    """The likeliest weight of the reader, the others held."""

    def loss(weight: float) -> float:
        values = np.clip(probabilities(rows, fitted, weight), 1e-6, 1 - 1e-6)
        return float(-np.log(np.where(rows.is_correct, values, 1 - values)).mean())

    return float(minimize_scalar(loss, bounds=(0, 2), method="bounded").x)


def scenes() -> list[AnswerCase]:
    """Answers of scenes beside their reference; neither the reader nor the weights have learned from them."""
    return [
        AnswerCase(
            scene["id"], item["question"], (item["reference"],), answer, is_right, None, "scenes"
        )
        for scene in held_out_scenes(to_fit=False)
        for item in scene["items"]
        for is_right, answers in (
            (True, item["right"]),
            (False, [wrong["answer"] for wrong in item["wrong"]]),
        )
        for answer in answers
    ]


def check(short: Rows, long: Rows, finance: Rows, fitted: Numbers) -> dict[str, float]:
    """Print how the weights do on answers that did not train them; the figures for the package."""
    folds = {name: at % FOLDS for at, name in enumerate(dict.fromkeys(short.ids.tolist()))}
    crossed = {"short": np.zeros(len(short.cases)), "long": np.zeros(len(long.cases))}
    fold_of = {
        name: np.array([folds[one] for one in rows.ids.tolist()])
        for name, rows in (("short", short), ("long", long))
    }
    for fold in range(FOLDS):
        there = fit(
            short.where(fold_of["short"] != fold).and_also(long.where(fold_of["long"] != fold))
        )
        for name, rows in (("short", short), ("long", long)):
            held = fold_of[name] == fold
            crossed[name][held] = probabilities(rows.where(held), there)
    print("| answers | n | AUROC (95 %) | calibration error | mean, people | τ of systems |")
    print("|---|---|---|---|---|---|")
    report("EVOUNA-NQ, other questions", short, crossed["short"])
    report("EVOUNA-NQ with paragraphs, other questions", long, crossed["long"])
    finance_values = probabilities(finance, fitted)
    report("FinanceBench", finance, finance_values)
    is_number = np.array(
        [
            len(case.references[0].split()) == 1 and case.references[0][:1].isdigit()
            for case in finance.cases
        ]
    )
    for name, chosen in (("one number", is_number), ("text", ~is_number)):
        report(f"FinanceBench, {name}", finance.where(chosen), finance_values[chosen])
    for system in dict.fromkeys(short.systems.tolist()):
        held = short.systems == system
        there = fit(short.where(~held).and_also(long.where(long.systems != system)))
        rows = short.where(held)
        report(f"EVOUNA-NQ, {system}, trained without it", rows, probabilities(rows, there))
    return {
        "auroc_short": area(crossed["short"], short.is_correct),
        "calibration_error_short": calibration_error(crossed["short"], short.is_correct),
        "auroc_long": area(crossed["long"], long.is_correct),
        "calibration_error_long": calibration_error(crossed["long"], long.is_correct),
        "auroc_financebench": area(finance_values, finance.is_correct),
        "calibration_error_financebench": calibration_error(finance_values, finance.is_correct),
    }


def report(name: str, rows: Rows, values: Numbers) -> None:
    low, high = interval(rows, values)
    areas = f"{area(values, rows.is_correct):.3f} ({low:.3f}–{high:.3f})"
    means = f"{values.mean():.3f}, {rows.is_correct.mean():.3f}"
    error = calibration_error(values, rows.is_correct)
    print(f"| {name} | {len(values)} | {areas} | {error:.3f} | {means} | {order(rows, values)} |")


def order(rows: Rows, values: Numbers) -> str:
    """Kendall's τ of the systems' means with people's."""
    systems = list(dict.fromkeys(rows.systems.tolist()))
    if len(systems) < 2:
        return "–"
    ours = [values[rows.systems == system].mean() for system in systems]
    theirs = [rows.is_correct[rows.systems == system].mean() for system in systems]
    return f"{kendalltau(ours, theirs).statistic:.2f}"


def area(values: Numbers, is_correct: NDArray[np.bool_]) -> float:
    """How often a correct answer scores above a wrong one, ties counting half."""
    n = int(is_correct.sum())
    above = rankdata(values)[is_correct].sum() - n * (n + 1) / 2
    return float(above / (n * (len(values) - n)))


def interval(rows: Rows, values: Numbers) -> tuple[float, float]:
    """The 95 % interval of the area over resamples of the questions."""
    random = np.random.default_rng(SEED)
    places: dict[str, list[int]] = {}
    for at, name in enumerate(rows.ids.tolist()):
        places.setdefault(name, []).append(at)
    groups = list(places.values())
    areas = []
    for _ in range(RESAMPLES):
        drawn = random.integers(0, len(groups), len(groups))
        at = np.array([place for group in drawn for place in groups[group]])
        areas.append(area(values[at], rows.is_correct[at]))
    low, high = np.quantile(areas, (0.025, 0.975))
    return float(low), float(high)


def calibration_error(values: Numbers, is_correct: NDArray[np.bool_]) -> float:
    """Expected calibration error over ten bins of equal width."""
    bins = np.minimum((values * 10).astype(int), 9)
    return float(
        sum(
            abs(values[bins == one].sum() - is_correct[bins == one].sum())
            for one in np.unique(bins)
        )
        / len(values)
    )


def as_toml(fitted: Numbers, n_short: int, n_long: int, figures: Mapping[str, float]) -> str:
    """The file of the package: provenance, figures, weights."""
    lines = [
        "# The weights of `correct`, written by benchmarks/train_correct.py --write.",
        f'fitted = "{time.strftime("%Y-%m-%d")}"',
        'encoder = "all-MiniLM-L6-v2, layer 6, fp32"',
        'data = "EVOUNA-NQ (Wang et al. 2023, Evaluating Open-QA Evaluation)"',
        'licence = "Apache-2.0"',
        f"n_answers = {n_short}",
        f"n_answers_with_paragraphs = {n_long}",
        "",
        "# On answers to questions that did not train the weights; FinanceBench trains none.",
        "[figures]",
        *(f"{name} = {value:.3f}" for name, value in figures.items()),
        "",
        "[reference_words]",
        f"short = {SHORT}",
        f"long = {LONG}",
        "",
        "# Of the embedded reader's log-odds, for references of more than `short` words; set by hand, see benchmarks/README.md.",
        "[reader]",
        f"weight = {weights().of_reader}",
    ]
    for name, of in (("short", fitted[: len(FEATURES) + 1]), ("long", fitted[len(FEATURES) + 1 :])):
        lines += ["", f"[weights.{name}]"]
        lines += [
            f"{feature} = {value + 0.0:.{DIGITS}f}"
            for feature, value in zip((*FEATURES, "intercept"), np.round(of, DIGITS), strict=True)
        ]
    return "\n".join(lines) + "\n"


def distance(fitted: Numbers) -> float:
    known: Weights = weights()
    names = (*FEATURES, "intercept")
    shipped = [known.of_short[name] for name in names] + [known.of_long[name] for name in names]
    return float(np.abs(np.round(fitted, DIGITS) - shipped).max())


if __name__ == "__main__":
    main()
