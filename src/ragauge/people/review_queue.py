"""The review queue: which answers a person should look at, why, and in which order."""

import hashlib
import json
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ragauge.errors import PlanError, did_you_mean
from ragauge.people.review_reasons import (
    KINDS,
    MARGIN,
    N_SAMPLE,
    Answer,
    ReasonKind,
    ReviewReason,
    bare_name,
    metrics_about,
    reviewed_metrics,
)
from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.scored_run import ScoredRun

if TYPE_CHECKING:
    import polars as pl

QUESTION = "Does the answer match the reference?"
KEY_LENGTH = 16
TEXTS = ("conversation_before", "question", "references", "answer", "contexts")


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """An answer in the queue, and why it is there.

    `key` is made from id and system, for addresses and files. `digest` is that of the texts that a label
    is about. `place` is the answer's position in the random order of all answers; the random sample are
    the first ones.
    """

    key: str
    id: str
    system: str
    reasons: tuple[ReviewReason, ...]
    digest: str
    place: int

    @property
    def answer(self) -> Answer:
        return self.id, self.system

    @property
    def kinds(self) -> tuple[ReasonKind, ...]:
        return tuple(reason.kind for reason in self.reasons)

    @property
    def why(self) -> str:
        """Why it is in the queue, in words."""
        return "; ".join(reason.says for reason in self.reasons)


@dataclass(frozen=True)
class ReviewQueue:
    """The answers to review, in order: disputes, values near their threshold, those of which `answer_match`
    lacks a part, the random sample.

    `about` is the metric that the labels are about; None for "does the answer match the reference", which
    is compared with every metric. `n_sample` answers were drawn with `seed`. `n_left_out` answers cannot be
    reviewed, since they have no answer or no reference. `metrics` are those that people are compared with, and
    `thresholds` by label say from which value their verdict is yes.
    """

    run: ScoredRun
    about: str | None
    question: str
    items: tuple[ReviewItem, ...]
    seed: int
    n_sample: int
    n_left_out: int
    digests: Mapping[Answer, str]
    """The digest of every answer of the run that can be reviewed, in the queue or not."""
    metrics: tuple[MetricDisplay, ...]
    thresholds: Mapping[str, float]

    def __len__(self) -> int:
        return len(self.items)

    def __repr__(self) -> str:
        return f"<ReviewQueue {len(self):,} answers>"

    def texts(self, item: ReviewItem) -> dict[str, object]:
        """What a person reads about an item: question, references, answer, contexts, as far as they are given."""
        frame = self.run.samples.frame
        known = [name for name in TEXTS if name in frame.columns]
        is_it = (frame["id"] == item.id) & (frame["system"] == item.system)
        (found,) = frame.filter(is_it).select(known).head(1).to_dicts()
        return {name: value for name, value in found.items() if value is not None}

    @cached_property
    def by_key(self) -> Mapping[str, ReviewItem]:
        return {item.key: item for item in self.items}

    @cached_property
    def frame(self) -> "pl.DataFrame":
        """A row for each item: key, id, system, kinds, why."""
        import polars as pl

        rows = [
            (item.key, item.id, item.system, list(item.kinds), [each.says for each in item.reasons])
            for item in self.items
        ]
        texts = ("key", "id", "system")
        types = {**dict.fromkeys(texts, pl.String()), "kinds": pl.List(pl.String)}
        return pl.DataFrame(rows, schema={**types, "why": pl.List(pl.String)}, orient="row")


def review_queue(
    run: ScoredRun,
    *,
    about: str | None = None,
    metrics: Sequence[str] = (),
    thresholds: Mapping[str, float] | None = None,
    margin: float = MARGIN,
    n_sample: int = N_SAMPLE,
    reasons: Sequence[str] = (),
    seed: int | None = None,
) -> ReviewQueue:
    """The answers of a run that a person should look at; see `Run.review_queue`."""
    problems = [
        f"unknown reason {name!r}{did_you_mean(name, KINDS)}; the reasons are {', '.join(KINDS)}"
        for name in reasons
        if name not in KINDS
    ]
    if not (math.isfinite(margin) and 0 <= margin <= 1):
        problems.append(f"the margin is a share of the scale, from 0 to 1; got {margin:g}")
    if n_sample < 0:
        problems.append(f"the random sample needs a size of at least 0, got {n_sample}")
    if problems:
        raise PlanError(problems)
    seed = run.manifest.seed if seed is None else seed
    chosen = reviewed_metrics(run, about, metrics, thresholds or {}, margin)
    digests = answer_digests(run, about)
    places = {answer: at for at, answer in enumerate(random_order(digests, seed))}
    found = {answer: why for answer, why in chosen.reasons().items() if answer in digests}
    for answer, place in places.items():
        if place < n_sample:
            found.setdefault(answer, []).append(ReviewReason("sample", "drawn at random"))
    wanted = set(reasons) or set(KINDS)
    items: list[ReviewItem] = []
    for answer, why in found.items():
        kept = [reason for reason in why if reason.kind in wanted]
        kept.sort(key=lambda reason: KINDS.index(reason.kind))
        if kept:
            key, place = item_key(*answer), places[answer]
            items.append(ReviewItem(key, *answer, tuple(kept), digests[answer], place))
    ordered, asked = tuple(sorted(items, key=_order)), question_about(run, about)
    return ReviewQueue(
        run,
        about,
        asked,
        ordered,
        seed,
        n_sample=min(n_sample, len(digests)),
        n_left_out=len(run.samples) - len(digests),
        digests=digests,
        metrics=chosen.displays,
        thresholds=chosen.thresholds,
    )


def question_about(run: ScoredRun, about: str | None) -> str:
    """What a person is asked about each answer; PlanError if the run has no such metric."""
    if about is None:
        return QUESTION
    from ragauge import catalog

    name = bare_name(metrics_about(run, about)[0].metric)
    metric = catalog.metrics().get(name)
    meaning = f" ({metric.summary.rstrip('.')})" if metric else ""
    return f"{about}: yes or no?{meaning}"


def answer_digests(
    run: ScoredRun, about: str | None, ids: Collection[str] | None = None
) -> dict[Answer, str]:
    """The digest of each answer that can be reviewed, in the order of the samples; with `ids` of these questions.

    It covers what a person reads: question, answer and references; for a label about one metric also the
    contexts. A label that was given for other texts is stale.
    """
    frame = run.samples.frame
    if ids is not None:
        frame = frame.filter(frame["id"].is_in(list(ids)))
    names = ["question", "answer", "references", *(["contexts"] if about else [])]
    known = [name for name in names if name in frame.columns]
    found: dict[Answer, str] = {}
    for row in frame.select("id", "system", *known).iter_rows(named=True):
        if row.get("answer") is None or (about is None and not row.get("references")):
            continue
        texts = [row.get(name) for name in names]
        found[row["id"], row["system"]] = _sha256(texts)[:32]
    return found


def item_key(id: str, system: str) -> str:
    """The key of an answer: the same wherever it is computed, and safe in addresses.

    >>> item_key("q1", "a") == item_key("q1", "a") != item_key("q1a", "")
    True
    """
    return _sha256([id, system])[:KEY_LENGTH]


def random_order(answers: Iterable[Answer], seed: int) -> list[Answer]:
    """The answers in a random order that depends on the seed and on nothing else.

    Each answer's place follows from its own digest, so other rows or another order of rows change nothing
    about who comes before whom, and a larger sample contains the smaller one.

    >>> random_order([("q1", "a"), ("q2", "a")], 1) == random_order([("q2", "a"), ("q1", "a")], 1)
    True
    """
    return sorted(answers, key=lambda answer: (_sha256([seed, *answer]), answer))


def _sha256(value: object) -> str:
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _order(item: ReviewItem) -> tuple[int, int, float, int]:
    """Disputes first, those with most reasons before others; then by distance; then what a metric could not score."""
    n_disputes = sum(reason.is_dispute for reason in item.reasons)
    distances = [reason.distance for reason in item.reasons if reason.kind == "threshold"]
    if n_disputes:
        return 0, -n_disputes, 0.0, item.place
    if distances:
        return 1, 0, min(distances), item.place
    return 2 if "unscored" in item.kinds else 3, 0, 0.0, item.place
