"""Measure how well the metrics of groundedness and meaning agree with people.

    RAGAUGE_DATA=… python benchmarks/agreement.py [--all]

All with the embedded encoder. Answers and contexts: BEGIN, WiCE and Q² responses, labelled by people as
supported by the contexts or not. Prints the area under the ROC curve of each measure for each set (0.5
is chance); then the area of `support` if it were chosen, or fitted, on another family of sets. Sentence
pairs: STS 2015, correlation with people's grades by layer, and the thresholds above which people call
two sentences equivalent. Without `--all`, WiCE documents above 8,000 characters are skipped.
"""

import csv
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import pearsonr, rankdata, spearmanr
from sklearn.linear_model import LogisticRegression

from ragauge.encoders.cached import CachedEncoder, TextVector
from ragauge.encoders.embedded import LAYERS, MiniLM
from ragauge.features.context_index import context_index, passage_words
from ragauge.features.dates import context_dates
from ragauge.features.matches import ALIKE, TokenMatch, token_match
from ragauge.features.numbers import context_quantities
from ragauge.language.anchors import Anchors, embedded_anchors
from ragauge.language.dates import dates
from ragauge.language.numbers import quantities
from ragauge.metrics.anchor_support import answer_ngrams, context_ngrams, hallucination
from ragauge.metrics.groundedness import STEEPNESS, TIPPING_POINT, support
from ragauge.score import Score

Numbers = NDArray[np.float64]

MAX_LENGTH = 8_000
"""Longest WiCE document, in characters, that is read without `--all`."""
PASSAGE = 1_000
"""WiCE documents are split between sentences into passages of about this many characters."""
PAIRS = 3_000
"""The number of sentence pairs sampled for the layers before the last."""
RESAMPLES = 1_000
SEED = 20_250
HIGH = 0.85
"""The threshold of the suite factual-qa, which was set for another model."""

MEASURES = ("support", "anchors", "overlap", "cosine", "precision", "F1")
FAMILIES = {
    "BEGIN": ("begin cmu", "begin wow"),
    "WiCE": ("wice",),
    "Q²": ("q2 dodeca", "q2 memnet", "q2 others"),
}
VARIANTS: Mapping[str, Callable[[Mapping[str, float]], float]] = {
    "coverage": lambda e: e["coverage"],
    "precision": lambda e: e["precision"],
    "coverage + precision": lambda e: e["coverage"] + e["precision"],
    "… + pairs/2": lambda e: e["coverage"] + e["precision"] + e["pairs"] / 2,
    "… - numbers/4": lambda e: e["sum"] + e["numbers_not_found"] / 4,
    "… - numbers/2": lambda e: e["sum"],
    "… - numbers": lambda e: e["sum"] - e["numbers_not_found"] / 2,
}
"""Combinations of the parts of `support`."""
OWN = "… - numbers/2"
"""The combination that `support` uses."""


@dataclass(frozen=True, slots=True)
class Case:
    """An answer, its contexts, and people's label: "yes", "no", or something between."""

    answer: str
    contexts: tuple[str, ...]
    label: str


@dataclass(frozen=True, slots=True)
class Measured:
    """A set of answers: people's labels, each measure's values, and the parts of `support`."""

    labels: NDArray[np.str_]
    values: Mapping[str, Numbers]
    parts: Sequence[Mapping[str, float]]
    n_left_out: int = 0

    @property
    def is_supported(self) -> NDArray[np.bool_]:
        return self.labels == "yes"

    def clear(self) -> "Measured":
        """Without the answers that people label neither "yes" nor "no"."""
        return self.at(np.flatnonzero(np.isin(self.labels, ("yes", "no"))))

    def at(self, places: NDArray[np.int64]) -> "Measured":
        values = {name: each[places] for name, each in self.values.items()}
        return Measured(self.labels[places], values, [self.parts[at] for at in places.tolist()])

    def by(self, variant: str) -> Numbers:
        return np.array([VARIANTS[variant](one) for one in self.parts])


def main() -> None:
    folder = os.environ.get("RAGAUGE_DATA")
    if not folder:
        sys.exit("RAGAUGE_DATA is not set: give the folder that holds begin, q2, sts and wice")
    began = time.perf_counter()
    encoder = CachedEncoder(MiniLM(), in_memory=2**31)
    sets = {
        name: measured(list(cases), encoder)
        for name, cases in data_sets(Path(folder), "--all" in sys.argv)
    }
    clear = {name: one.clear() for name, one in sets.items()}
    report_areas(clear, {f"{name}, all": sets[name] for name in ("begin cmu", "wice")})
    report_choice(clear)
    report_calibration(clear | {"wice": sets["wice"]})
    report_high(clear)
    report_sentences(Path(folder) / "sts" / "sts2015.tsv", encoder)
    print(f"\n{time.perf_counter() - began:.0f} s")


def data_sets(folder: Path, is_whole: bool) -> Iterator[tuple[str, Iterator[Case]]]:
    for part in ("cmu", "wow"):
        yield f"begin {part}", begin(folder / "begin" / f"begin_dev_{part}.tsv")
    yield "wice", wice(folder / "wice" / "claim_dev.jsonl", sys.maxsize if is_whole else MAX_LENGTH)
    for system in ("dodeca", "memnet"):
        yield f"q2 {system}", q2(folder / "q2", system)
    yield "q2 others", q2_others(folder / "q2")


def begin(path: Path) -> Iterator[Case]:
    """Generic responses say nothing that could be attributed: they are neither."""
    labels = {"fully attributable": "yes", "not fully attributable": "no"}
    for row in table(path, "\t"):
        label = labels.get(row["begin_label"].lower(), "generic")
        yield Case(row["response"], (row["knowledge"],), label)


def wice(path: Path, longest: int) -> Iterator[Case]:
    labels = {"supported": "yes", "not_supported": "no"}
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if sum(map(len, row["evidence"])) <= longest:
            contexts = tuple(passages(row["evidence"]))
            yield Case(row["claim"], contexts, labels.get(row["label"], "partly"))


def passages(sentences: Sequence[str]) -> Iterator[str]:
    """The sentences in runs of at most `PASSAGE` characters, unless one alone is longer."""
    run: list[str] = []
    for sentence in sentences:
        if run and sum(map(len, run)) + len(sentence) > PASSAGE:
            yield " ".join(run)
            run = []
        run.append(sentence)
    yield " ".join(run)


def q2(folder: Path, system: str) -> Iterator[Case]:
    for label in ("consistent", "inconsistent"):
        for row in table(folder / f"{system}_{label}.csv"):
            is_so = "yes" if label == "consistent" else "no"
            yield Case(row["response"], (row["knowledge"],), is_so)


def q2_others(folder: Path) -> Iterator[Case]:
    """The responses of the cross annotation, 1 for inconsistent, that are in none of the four files."""
    known = {
        (case.answer, case.contexts)
        for system in ("dodeca", "memnet")
        for case in q2(folder, system)
    }
    for row in table(folder / "cross_annotation.csv"):
        for system in ("dodeca", "memnet"):
            answer, contexts = row[f"{system}_response"], (row["knowledge"],)
            if (answer, contexts) not in known:
                yield Case(answer, contexts, "no" if row[f"{system}_label"] == "1" else "yes")


def table(path: Path, delimiter: str = ",") -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file, delimiter=delimiter)


def measured(cases: Sequence[Case], encoder: CachedEncoder) -> Measured:
    """All measures of a set; answers without a value of `support` are left out of all."""
    answers = [case.answer for case in cases]
    contexts = [case.contexts for case in cases]
    given = [[quantities(text) for text in texts] for texts in contexts]
    scores = support(answers, contexts, list(map(quantities, answers)), given, encoder=encoder)
    matched = matches(cases, encoder)
    anchors, overlaps = zip(*map(by_anchors, cases), strict=True)
    values = {
        "support": [score.value or 0.0 for score in scores],
        "anchors": list(anchors),
        "overlap": list(overlaps),
        "cosine": cosines(cases, encoder),
        "precision": [max(one.precision for one in each) for each in matched],
        "F1": [max(one.f1 for one in each) for each in matched],
    }
    keep = [at for at, score in enumerate(scores) if score.value is not None]
    return Measured(
        np.array([case.label for case in cases])[keep],
        {name: np.array(each)[keep] for name, each in values.items()},
        [parts_of(scores[at]) for at in keep],
        len(cases) - len(keep),
    )


def parts_of(score: Score) -> dict[str, float]:
    evidence = score.evidence or {}
    names = ("coverage", "precision", "pairs", "numbers_not_found", "sum")
    return {name: float(str(evidence.get(name, 0))) for name in names}


def by_anchors(case: Case) -> tuple[float, float]:
    """1 - `hallucination` with the embedded extractor, and the share of words that are in contexts."""
    words, dated = passage_words(case.contexts), context_dates(case.contexts)
    there = context_index(case.contexts, words, context_quantities(case.contexts, dated), dated)
    stated = dates(case.answer)
    anchors = embedded_anchors(case.answer, quantities(case.answer, stated), stated)
    score = hallucination(
        Anchors(anchors, "embedded"), there, answer_ngrams(case.answer), context_ngrams(words)
    )
    overlap = (score.evidence or {}).get("overlap")
    return 1 - (score.value or 0.0), float(str(overlap or 0))


def cosines(cases: Sequence[Case], encoder: CachedEncoder) -> list[float]:
    """The highest cosine of the answer's embedding with that of a context."""
    texts = [text for case in cases for text in (case.answer, *case.contexts)]
    found = encoder.vectors(texts)
    return [
        max(cosine(found[case.answer], found[text]) for text in case.contexts) for case in cases
    ]


def cosine(one: object, other: object) -> float:
    assert isinstance(one, TextVector)
    assert isinstance(other, TextVector)
    return float(one.vector @ other.vector)


def matches(cases: Sequence[Case], encoder: CachedEncoder) -> list[list[TokenMatch]]:
    """BERTScore of each answer with each of its contexts."""
    pairs = [(case.answer, text) for case in cases for text in case.contexts]
    found = iter(bertscores(pairs, encoder))
    return [[next(found) for _ in case.contexts] for case in cases]


def bertscores(
    pairs: Sequence[tuple[str, str]], encoder: CachedEncoder, layer: int | None = None
) -> list[TokenMatch]:
    left, right = zip(*pairs, strict=True)
    weights = [ALIKE] * len(pairs)
    found = token_match(left, right, weights, encoder=encoder, layer=layer, long_text="windows")
    return [one for one in found if isinstance(one, TokenMatch)]


def report_areas(sets: Mapping[str, Measured], wider: Mapping[str, Measured]) -> None:
    print("area under the ROC curve, with its 95 % interval over 1,000 resamples of the answers\n")
    print(row("set", "yes", "no", *MEASURES))
    print(row(*["---"] * (3 + len(MEASURES))))
    resampled = {name: resampled_areas(one) for name, one in (sets | wider).items()}
    for name, one in sets.items():
        print(row(name, *counts(one), *map(interval, resampled[name])))
    means = np.mean([resampled[name] for name in sets], axis=0)
    print(row("mean", "", "", *map(interval, means)))
    for name, one in wider.items():
        print(row(name, *counts(one), *map(interval, resampled[name])))
    print("\nmean of support less that of")
    for at, name in enumerate(MEASURES[1:], 1):
        print(f"  {name}: {interval(means[0] - means[at])}")
    left_out = sum(one.n_left_out for one in wider.values())
    print(f"\n{left_out} answers without content words are left out of all measures")


def counts(one: Measured) -> tuple[int, int]:
    n_supported = int(one.is_supported.sum())
    return n_supported, len(one.labels) - n_supported


def resampled_areas(one: Measured) -> Numbers:
    """For each measure the area, then those of resamples: (measures, 1 + RESAMPLES)."""
    random = np.random.default_rng(SEED)
    n = len(one.labels)
    draws = [np.arange(n), *(random.integers(0, n, n) for _ in range(RESAMPLES))]
    return np.array(
        [[area(one.values[m][at], one.is_supported[at]) for at in draws] for m in MEASURES]
    )


def area(values: Numbers, is_positive: NDArray[np.bool_]) -> float:
    """How often a positive case scores above a negative one, ties counting half."""
    n = int(is_positive.sum())
    above = rankdata(values)[is_positive].sum() - n * (n + 1) / 2
    return float(above / (n * (len(values) - n)))


def interval(areas: Numbers) -> str:
    low, high = np.quantile(areas[1:], (0.025, 0.975))
    return f"{areas[0]:.3f} ({low:.2f}–{high:.2f})"


def report_choice(sets: Mapping[str, Measured]) -> None:
    """What each sum of parts reaches on each family, and what choosing on one gives on the others."""
    print("\nmean area of sums of support's parts, by family\n")
    print(row("sum", *FAMILIES))
    print(row(*["---"] * (1 + len(FAMILIES))))
    reached = {
        variant: [
            float(np.mean([area(sets[n].by(variant), sets[n].is_supported) for n in names]))
            for names in FAMILIES.values()
        ]
        for variant in VARIANTS
    }
    for variant, areas in reached.items():
        print(row(variant, *(f"{one:.3f}" for one in areas)))
    print()
    for at, family in enumerate(FAMILIES):
        best = max(reached, key=lambda variant: reached[variant][at])
        others = [f"{one:.3f} on {name}" for name, one in zip(FAMILIES, reached[best], strict=True)]
        del others[at]
        print(f"best on {family}: {best}; it has {' and '.join(others)}")


def report_calibration(sets: Mapping[str, Measured]) -> None:
    """The curve as fitted on each family, and how its 0.5 parts the answers of every family."""
    print("\ntipping point and steepness fitted on a family; balanced accuracy at 0.5\n")
    print(row("fitted on", "tipping point", "steepness", *FAMILIES))
    print(row(*["---"] * (3 + len(FAMILIES))))
    curves = {name: fitted([sets[one] for one in names]) for name, names in FAMILIES.items()}
    for name, (tip, steepness) in (curves | {"shipped": (TIPPING_POINT, STEEPNESS)}).items():
        right = [
            np.mean([balanced(sets[n].by(OWN), sets[n].is_supported, tip) for n in names])
            for names in FAMILIES.values()
        ]
        print(row(name, f"{tip:.2f}", f"{steepness:.1f}", *(f"{one:.3f}" for one in right)))
    print("\nof as many answers of either sort, how many are supported, by value of support\n")
    edges = (0.2, 0.4, 0.6, 0.8)
    print(row("family", "< 0.2", "< 0.4", "< 0.6", "< 0.8", "≤ 1"))
    print(row(*["---"] * 6))
    for family, names in FAMILIES.items():
        bins, weights, is_yes = [
            np.concatenate(each)
            for each in zip(
                *(
                    (
                        np.digitize(sets[n].values["support"], edges),
                        even_weights(sets[n].is_supported),
                        sets[n].is_supported,
                    )
                    for n in names
                ),
                strict=True,
            )
        ]
        shares = [
            (weights * is_yes)[bins == one].sum() / weights[bins == one].sum() for one in range(5)
        ]
        print(row(family, *(f"{one:.2f}" for one in shares)))


def fitted(sets: Sequence[Measured]) -> tuple[float, float]:
    """Tipping point and steepness of the logistic curve, answers of either sort weighing the same."""
    sums = np.concatenate([one.by(OWN) for one in sets])
    is_supported = np.concatenate([one.is_supported for one in sets])
    weights = np.concatenate([even_weights(one.is_supported) for one in sets])
    return curve(sums, is_supported, weights * len(sums))


def curve(values: Numbers, is_positive: NDArray[np.bool_], weights: Numbers) -> tuple[float, float]:
    """Where the fitted logistic curve is a half, and its steepness there."""
    model = LogisticRegression(C=1e6).fit(values[:, None], is_positive, weights)
    steepness = float(model.coef_[0, 0])
    return -float(model.intercept_[0]) / steepness, steepness


def even_weights(is_supported: NDArray[np.bool_]) -> Numbers:
    """Weights that sum to a half for either sort."""
    n = is_supported.sum()
    return np.where(is_supported, 0.5 / n, 0.5 / (len(is_supported) - n))


def balanced(values: Numbers, is_positive: NDArray[np.bool_], threshold: float) -> float:
    """Mean of the share of positive cases at or above it and of negative ones below it."""
    above = values >= threshold
    return float(above[is_positive].mean() + (~above[~is_positive]).mean()) / 2


def best_threshold(values: Numbers, is_positive: NDArray[np.bool_]) -> float:
    """The threshold in hundredths of the best balanced accuracy; the middle one of equals."""
    candidates = np.arange(1, 100) / 100
    reached = np.array([balanced(values, is_positive, one) for one in candidates])
    return float(np.median(candidates[reached >= reached.max() - 1e-9]))


def report_high(sets: Mapping[str, Measured]) -> None:
    print(f"\nanswers whose BERTScore F1 with a context reaches {HIGH}; the best F1 threshold\n")
    print(row("set", "supported", "others", "threshold", "balanced accuracy on the other half"))
    print(row(*["---"] * 5))
    for name, one in sets.items():
        f1, is_so = one.values["F1"], one.is_supported
        shares = [f"{np.mean(f1[which] >= HIGH):.0%}" for which in (is_so, ~is_so)]
        print(row(name, *shares, *halves(f1, is_so)))


def halves(values: Numbers, is_positive: NDArray[np.bool_]) -> tuple[str, str]:
    """The threshold chosen on a random half, and its balanced accuracy on the other."""
    order = np.random.default_rng(SEED).permutation(len(values))
    chosen, tested = order[: len(order) // 2], order[len(order) // 2 :]
    threshold = best_threshold(values[chosen], is_positive[chosen])
    reached = balanced(values[tested], is_positive[tested], threshold)
    return f"{threshold:.2f}", f"{reached:.3f}"


def report_sentences(path: Path, encoder: CachedEncoder) -> None:
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    graded = [(float(one[0]), (one[1], one[2])) for one in rows if one[0]]
    order = np.random.default_rng(SEED).permutation(len(graded)).tolist()
    grades = np.array([graded[at][0] for at in order])
    pairs = [graded[at][1] for at in order]
    print("\ngraded pairs of sentences, STS 2015; equivalent are those of a grade of at least 4\n")
    heads = ("pairs", "Pearson", "Spearman", f"equivalent ones ≥ {HIGH}", "even odds")
    print(row("", *heads, "best threshold", "balanced accuracy on the other half"))
    print(row(*["---"] * 8))
    found = encoder.vectors([text for pair in pairs for text in pair])
    print(sentence_row("cosine", np.array([cosine(found[a], found[b]) for a, b in pairs]), grades))
    for layer in range(1, LAYERS + 1):
        some = pairs if layer == LAYERS else pairs[:PAIRS]
        f1 = np.array([one.f1 for one in bertscores(some, encoder, layer)])
        print(sentence_row(f"F1, layer {layer}", f1, grades[: len(some)]))


def sentence_row(name: str, values: Numbers, grades: Numbers) -> str:
    same = grades >= 4
    correlations = [f"{f(values, grades).statistic:.3f}" for f in (pearsonr, spearmanr)]
    share = f"{np.mean(values[same] >= HIGH):.0%}"
    even, _ = curve(values, same, np.ones(len(values)))
    return row(name, len(values), *correlations, share, f"{even:.2f}", *halves(values, same))


def row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    main()
