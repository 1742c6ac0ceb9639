"""Score the labelled sets with ragauge's public API and compare the scores with the labels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from pathlib import Path

import numpy as np
from agreement_figures import (
    Bools,
    Counts,
    Floats,
    Interval,
    area,
    rank_correlation,
    system_tau,
    unit_weights,
)
from agreement_sets import LabelledSet

import ragauge as rg
from ragauge import catalog
from ragauge.encoders import EMBEDDED, model_info
from ragauge.label import Label

LEAST_SYSTEMS = 4
"""Fewest systems for a rank correlation of systems."""
LEAST_OF_EACH = 10
"""Fewest scored rows with each label; with fewer no figure is given."""

WITH_REFERENCES = (
    "correct",
    "exact_match",
    'exact_match(normalize="squad")',
    "fuzzy_match",
    "token_f1",
    'token_f1(count="set")',
    "rouge1",
    "rouge2",
    "rougeL",
    "rougeLsum",
    'rougeL(measure="recall")',
    "bleu",
    "chrf",
    "keyword_coverage",
    'keyword_coverage(extractor="regex")',
    "number_match",
    'number_match(extractor="regex")',
    "number_precision",
    "answer_completeness",
    'answer_completeness(extractor="regex")',
    "semantic_similarity",
    "bertscore",
    "bertscore_precision",
    "bertscore_recall",
    "sentence_coverage",
    "sentences_covered",
    'sentences_covered(threshold="model")',
)
WITH_CONTEXTS = (
    "support",
    "hallucination",
    "topic_drift",
    "number_precision",
)
WITH_QUESTIONS = ("question_coverage", "hybrid_relevance")
ANSWER_ALONE = ("citation_quality",)
REFUSALS = ("dont_know", 'dont_know(phrases="graphrag")')

FITTED_ON = {
    "correct": ("evouna-nq",),
    "support": (
        "begin",
        "wice",
        "q2",
        "summedits",
        "fever",
        "fool me twice",
        "factcheck-gpt",
        "snli",
        "conjnli",
    ),
    # The layer and the threshold of the embedded model.
    "bertscore": ("sts 2015",),
    "bertscore_precision": ("sts 2015",),
    "bertscore_recall": ("sts 2015",),
    "sentence_coverage": ("sts 2015",),
    "sentences_covered": ("sts 2015",),
}
"""The sets, by the beginning of their names, on which weights, layer or threshold of a metric were fitted."""

MODEL_THRESHOLD = ("bertscore", "bertscore_precision", "bertscore_recall", "sentence_coverage")
"""Judged by the threshold that models.toml has for the encoder; all others by 0.5."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """How one metric agrees with people on one set.

    `is_fitted`: parts of the metric were fitted on the set. `n` rows are labelled, `n_scored` of them have a score. `tau` is None with fewer than four systems,
    `rho` without grades; all figures are None if too few scored rows have one of the labels.
    """

    metric: str
    version: int
    set: str
    kind: str
    claim: str
    n: int
    n_all: int
    n_yes: int
    n_scored: int
    n_systems: int
    threshold: float
    is_fitted: bool
    auroc: Interval | None = None
    accuracy: float | None = None
    tau: Interval | None = None
    rho: Interval | None = None


def metrics_for(labelled: LabelledSet) -> list[str]:
    """The labels of the metrics for which the set has columns and which ragauge has."""
    if labelled.claim == "refusal":
        return list(REFUSALS)
    wanted = WITH_CONTEXTS if labelled.claim == "supported" else WITH_REFERENCES
    if labelled.claim != "equivalent":
        wanted += ANSWER_ALONE
        if all("question" in row.fields for row in labelled.rows):
            wanted += WITH_QUESTIONS
    known = catalog.metrics()
    return [label for label in wanted if Label.parse(label).name in known]


def agreements(
    labelled: LabelledSet,
    *,
    cache: Path | None = None,
    workers: int = 1,
    only: Sequence[str] | None = None,
) -> list[Agreement]:
    """The agreement of every metric with the labels of one set; `only` of these, if given."""
    labels = [
        label for label in metrics_for(labelled) if not only or Label.parse(label).name in only
    ]
    if not labels:
        return []
    run = rg.evaluate(
        [dict(row.fields) for row in labelled.rows], labels, cache=cache, workers=workers
    )
    scores = run.scores.select("id", "system", "metric", "value")
    weights = unit_weights([row.unit for row in labelled.rows])
    names = [metric.metric for metric in run.manifest.metrics]
    assert len(names) == len(labels), "one column of scores for each label"
    found: list[Agreement] = []
    for label, name in zip(labels, names, strict=True):
        rows = scores.filter(scores["metric"] == name)
        values = {(id, system): value for id, system, _, value in rows.iter_rows()}
        found.append(agreement(label, labelled, values, weights))
    return found


def agreement(
    label: str,
    labelled: LabelledSet,
    values: Mapping[tuple[str, str], float | None],
    weights: Counts,
) -> Agreement:
    metric, _ = catalog.find(Label.parse(label))
    given = [values[str(row.fields["id"]), str(row.fields["system"])] for row in labelled.rows]
    places = [place for place, value in enumerate(given) if value is not None]
    scored = np.array([given[place] for place in places], dtype=float)
    is_yes = np.array([row.is_yes for row in labelled.rows])
    systems = [labelled.systems[place] for place in places]
    limit = threshold(metric.name)
    whole = Agreement(
        label,
        metric.version,
        labelled.name,
        labelled.kind,
        labelled.claim,
        len(given),
        labelled.n_all,
        int(is_yes.sum()),
        len(places),
        len(set(labelled.systems)),
        limit,
        labelled.name.startswith(FITTED_ON.get(metric.name, ("no set",))),
    )
    is_yes, weights = is_yes[places], weights[:, places]
    if min(is_yes.sum(), (~is_yes).sum()) < LEAST_OF_EACH:
        return whole
    says_yes = scored <= limit if metric.lower_is_better else scored >= limit
    better = -scored if metric.lower_is_better else scored
    grades = [labelled.rows[place].grade for place in places]
    return replace(
        whole,
        auroc=area(better, is_yes, weights),
        accuracy=float(np.mean(says_yes == is_yes)),
        tau=tau_of(better, is_yes, systems, weights),
        rho=rho_of(better, grades, weights),
    )


def tau_of(
    values: Floats, is_yes: Bools, systems: Sequence[str], weights: Counts
) -> Interval | None:
    if len(set(systems)) < LEAST_SYSTEMS:
        return None
    tau = system_tau(values, is_yes, systems, weights)
    return None if isnan(tau.value) else tau


def rho_of(values: Floats, grades: Sequence[float | None], weights: Counts) -> Interval | None:
    if any(grade is None for grade in grades):
        return None
    return rank_correlation(values, np.array(grades, dtype=float), weights)


def threshold(name: str) -> float:
    """The value from which the metric counts as yes; for `hallucination`, up to which."""
    if name in MODEL_THRESHOLD:
        return model_info(EMBEDDED).threshold or 0.5
    return 0.5
