"""The labels of a run's review as verdicts that metrics are calibrated with."""

from collections.abc import Sequence

import polars as pl

from ragauge.errors import DataError, Problem
from ragauge.loaders.verdicts import Verdicts
from ragauge.people.review_queue import answer_digests
from ragauge.people.review_reasons import Answer
from ragauge.people.review_verdicts import ReviewLabels, applied
from ragauge.people.run_labels import RunLabels
from ragauge.runs.manifest import LABELS
from ragauge.runs.scored_run import ScoredRun

TEXTS = ("id", "system", "other", "metric", "rater")


def verdicts_of_labels(
    run: ScoredRun, *, is_sample_only: bool = False, subjects: Sequence[str | None] | None = None
) -> Verdicts:
    """The labels of a run as verdicts: each rater's own, and what settled a conflict.

    `subjects` are the metrics that the labels are about, with None for "does the answer match the
    reference"; all by default.
    With `is_sample_only`, only labels of the random sample, up to the first answer of it that nobody has
    labelled: what is left out later would not be random. Raises DataError if there are no labels.
    """
    log = RunLabels.of(run).read()
    source = f"{run.place}/{LABELS}"
    if subjects is None:
        subjects = list(dict.fromkeys(label.metric for label in log.valid))
    read = [applied(log, answer_digests(run, about, log.ids), about) for about in subjects]
    rows: list[tuple[object, ...]] = []
    settled: list[tuple[object, ...]] = []
    n_picked = 0
    for labels in read:
        drawn = _drawn(labels)
        for answer, each in labels.answers.items():
            n_picked += answer not in drawn
            if is_sample_only and answer not in drawn:
                continue
            given = each.sure or (() if each.adjudication is None else (each.adjudication,))
            rows += [
                (*answer, None, labels.about, label.rater, float(label.value), None)
                for label in given
                if label.value is not None
            ]
            if each.state == "settled" and each.value is not None:
                settled.append((*answer, labels.about, float(each.value)))
    if not rows:
        what = "no labels of a random sample" if is_sample_only and log.valid else "no labels"
        command = f"ragauge review next {run.place}"
        raise DataError([Problem(f"{what} yet; label answers with: {command}", source)])
    counts = {
        "stale labels, not applied because the texts have changed: {:,}": [
            labels.n_stale for labels in read
        ],
        "labels of answers that the run does not have: {:,}": [labels.n_unknown for labels in read],
        "conflicts that nobody has settled: {:,}": [
            labels.states.get("conflict", 0) for labels in read
        ],
        "labelled answers that are not part of the random sample: {:,}; for rates, --sample-only "
        "leaves them out": [] if is_sample_only else [n_picked],
    }
    notes = [text.format(n) for text, numbers in counts.items() if (n := sum(numbers))]
    texts = dict.fromkeys(TEXTS, pl.String())
    frame = pl.DataFrame(
        rows, schema={**texts, "value": pl.Float64(), "answer": pl.String()}, orient="row"
    )
    of_settled = {name: pl.String() for name in ("id", "system", "metric")}
    decided = pl.DataFrame(settled, schema={**of_settled, "settled": pl.Float64()}, orient="row")
    return Verdicts(frame, "binary", source, (*log.notes, *notes), decided)


def _drawn(labels: ReviewLabels) -> set[Answer]:
    """The labelled answers of the random sample, up to its first answer without a label."""
    places = {
        (label.sample.seed, label.sample.place): answer
        for answer, each in labels.answers.items()
        for label in (each.adjudication, *each.labels)
        if label is not None and label.sample is not None
    }
    drawn: set[Answer] = set()
    for seed in {seed for seed, _ in places}:
        place = 0
        while (seed, place) in places:
            drawn.add(places[seed, place])
            place += 1
    return drawn
