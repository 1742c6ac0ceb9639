"""The review queue: which answers a person should look at, why, and in which order."""

import hashlib
import json
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, cast, get_args

from ragauge.engine.measure import DISPUTE, without_judge
from ragauge.errors import LabelError, PlanError, did_you_mean
from ragauge.label import Label
from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.scored_run import ScoredRun
from ragauge.runs.scores import collected
from ragauge.score import Flag

if TYPE_CHECKING:
    import polars as pl

ReasonKind = Literal["parts", "judges", "offline", "marked", "threshold", "unscored", "sample"]
KINDS: tuple[ReasonKind, ...] = get_args(ReasonKind)
"""The kinds of reasons, in the order in which people see their answers; the first four are disputes."""
N_SAMPLE = 50
MARGIN = 0.1
COMPOSITE = "answer_match"
JUDGED = ("gpt_score", "answer_class", "factual_correctness", "factual_accuracy")
"""Judges' verdicts on whether an answer matches the reference."""
OFFLINE = ("correct", "fuzzy_match", "exact_match", "number_match", "keyword_coverage", "token_f1")
"""The same without a judge: the first that a run has gives the offline verdict."""
PARTS = {"fuzzy_match", "gpt_score"}
QUESTION = "Does the answer match the reference?"
TEXTS = ("conversation_before", "question", "references", "answer", "contexts")
Answer = tuple[str, str]
"""The id of a question, and a system."""
ANSWER = ("id", "system")  # its columns


@dataclass(frozen=True, slots=True)
class ReviewReason:
    """Why an answer is in the review queue, in words that do not reveal any verdict.

    `kind`: "parts" (the parts of `answer_match` disagree), "judges" (two judges disagree), "offline" (a judge
    disagrees with the offline metric), "marked" (a metric marked the score for review), "threshold" (a value
    is near its threshold), "unscored" (a part of `answer_match` has no value), "sample" (drawn at random).
    `distance` is how far the value is from the threshold, as a share of the scale.
    """

    kind: ReasonKind
    says: str
    distance: float = 0.0

    @property
    def is_dispute(self) -> bool:
        return self.kind in KINDS[:4]


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
    shown = _reviewed_metrics(run, about, metrics)
    own = {run.metric(name).metric: value for name, value in (thresholds or {}).items()}
    middles = {each.metric: each.middle for each in shown if each.middle is not None}
    chosen = _Reasons(run, shown, {**middles, **own}, margin)
    digests = answer_digests(run, about)
    places = {answer: at for at, answer in enumerate(random_order(digests, seed))}
    found = {answer: why for answer, why in chosen.by_answer().items() if answer in digests}
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
        *(run, about, asked, ordered, seed),
        n_sample=min(n_sample, len(digests)),
        n_left_out=len(run.samples) - len(digests),
        digests=digests,
        metrics=shown,
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
    return _sha256([id, system])[:16]


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


def _reviewed_metrics(
    run: ScoredRun, about: str | None, names: Sequence[str]
) -> tuple[MetricDisplay, ...]:
    """The named metrics, those of `about`, or the usual verdicts on answers; PlanError for an unknown name."""
    if names:
        return tuple(run.metric(name) for name in dict.fromkeys(names))
    if about is not None:
        return metrics_about(run, about)
    # The judges' verdicts on the answer, and the first offline metric that the run has.
    metrics = [(bare_name(each.metric), each) for each in run.metrics]
    judged = [each for name, each in metrics if name in (COMPOSITE, *JUDGED)]
    offline = [each for wanted in OFFLINE for name, each in metrics if name == wanted]
    return tuple(each for each in (*judged, *offline[:1]) if not each.unavailable)


@dataclass(frozen=True)
class _Reasons:
    """Why answers should be looked at, by the verdicts of some metrics.

    `thresholds` are by label; a metric without one, on an open scale, gives no verdict.
    """

    run: ScoredRun
    metrics: tuple[MetricDisplay, ...]
    thresholds: Mapping[str, float]
    margin: float

    def by_answer(self) -> dict[Answer, list[ReviewReason]]:
        """The reasons by answer: disputes, then values near their threshold."""
        import polars as pl

        found: dict[Answer, list[ReviewReason]] = {}
        names, order = {each.metric: each.name for each in self.metrics}, ["metric", *ANSWER]

        def add(rows: "pl.DataFrame", kind: ReasonKind, says: str) -> None:
            """Say this of each row; {} is the name of its metric."""
            columns = [*order, *(["distance"] if kind == "threshold" else [])]
            for metric, id, system, *distance in rows.select(columns).iter_rows():
                text = says.replace("{}", metric if kind == "judges" else names[metric])
                own = found.setdefault((id, system), [])
                if all(text != other.says for other in own):
                    own.append(ReviewReason(kind, text, *distance))

        for answer, reason in self._parts():
            own = found.setdefault(answer, [])
            own += [] if reason in own else [reason]
        # Several judges of one metric whose values are far apart.
        plain = {label: without_judge(label) for label in names if "judge=" in label}
        judged = self.scores.filter(pl.col("metric").is_in(list(plain)))
        judged = judged.with_columns(pl.col("metric").replace(plain)).group_by(order)
        apart = judged.agg(range=pl.col("value").max() - pl.col("value").min()).sort(order)
        add(apart.filter(pl.col("range") >= DISPUTE), "judges", "the judges of {} disagree")
        explained = pl.DataFrame([*found], dict.fromkeys(ANSWER, pl.String), orient="row")
        # A judge whose verdict is not that of the first metric without one.
        offline = next((label for name in OFFLINE for label in self._of(name)), "")
        own = self.scores.filter(pl.col("metric") == offline).select(*ANSWER, offline="is_yes")
        for label in self._of(*JUDGED) if offline else ():
            if not self._of(COMPOSITE) or {bare_name(label), bare_name(offline)} != PARTS:
                both = self.scores.filter(pl.col("metric") == label).join(own, on=ANSWER)
                differ = both.filter(pl.col("is_yes") != pl.col("offline")).sort(order)
                add(differ, "offline", f"{names[label]} and {names[offline]} disagree")
        # Scores that their metric marks for a reason of its own, such as a quote that is in no context.
        marked = self.scores.filter("is_marked").join(explained, on=ANSWER, how="anti").sort(order)
        add(marked, "marked", "{} is marked for review")
        # Rounded, or 0.6 would be farther than 0.1 from 0.5 and 0.4 nearer.
        near = self.scores.filter(pl.col("distance").round(9) <= self.margin)
        add(near.sort("distance", *ANSWER), "threshold", "{} is near its threshold")
        return found

    @cached_property
    def scores(self) -> "pl.DataFrame":
        """The values of these metrics: id, system, metric, value, is_marked, is_yes, distance."""
        import polars as pl

        marked = pl.col("flags").list.contains(str(Flag.NEEDS_REVIEW)).fill_null(value=False)
        rows = self.run.scan().filter(
            pl.col("metric").is_in([each.metric for each in self.metrics])
        )
        frame = self.run.collect(rows.select("id", "system", "metric", "value", is_marked=marked))
        scales = [
            (each.metric, self.thresholds[each.metric], each.low, each.high, each.lower_is_better)
            for each in {each.metric: each for each in self.metrics}.values()
            if each.metric in self.thresholds
        ]
        numbers = dict.fromkeys(("threshold", "low", "high"), pl.Float64) | {"is_low": pl.Boolean}
        known = pl.DataFrame(scales, schema={"metric": pl.String, **numbers}, orient="row")
        value, threshold = pl.col("value"), pl.col("threshold")
        is_yes = pl.when("is_low").then(value <= threshold).otherwise(value >= threshold)
        width = pl.col("high") - pl.col("low")  # null if the scale is open
        distance = (value - threshold).abs() / pl.when(width > 0).then(width)
        joined = frame.join(known, on="metric", how="left")
        return joined.with_columns(is_yes=is_yes, distance=distance).drop(numbers)

    def _of(self, *names: str) -> list[str]:
        """The labels of the metrics with these bare names."""
        return [each.metric for each in self.metrics if bare_name(each.metric) in names]

    def _parts(self) -> Iterator[tuple[Answer, ReviewReason]]:
        """Seed rule: the fuzzy match and the judge's verdict differ, or one could not be scored."""
        import polars as pl

        for label in self._of(COMPOSITE):
            is_it = pl.col("metric") == label
            rows = self.scores.filter(is_it & pl.col("is_marked"))
            wanted = is_it & pl.col("id").is_in(rows["id"].unique().to_list())
            evidence = self.run.source.scan_evidence().filter(wanted)
            stored = collected(evidence, self.run.folder).select(*ANSWER, "evidence")
            both = rows.join(stored, on=ANSWER, how="left", maintain_order="left")
            for id, system, text in both.select(*ANSWER, "evidence").iter_rows():
                found = cast("dict[str, object]", json.loads(text)) if text else {}
                left_out = found.get("left_out")
                reason = ReviewReason("parts", "fuzzy_match and gpt_score disagree")
                if left_out and isinstance(left_out, dict):
                    missing = next(iter(cast("dict[str, str]", left_out)))
                    reason = ReviewReason("unscored", f"{missing} could not be scored")
                yield (id, system), reason


def metrics_about(run: ScoredRun, about: str) -> tuple[MetricDisplay, ...]:
    """The metrics that a name means: a label, a shown name, or the bare name of several variants."""
    found = tuple(
        each for each in run.metrics if about in (each.metric, each.name, bare_name(each.metric))
    )
    if not found:
        known = list(dict.fromkeys(bare_name(each.metric) for each in run.metrics))
        hint = did_you_mean(about, known) or f"; it has {', '.join(known)}"
        raise PlanError(f"the run has no metric {about!r}{hint}")
    return found


def bare_name(metric: str) -> str:
    """The name of a metric without its settings; a check's name as it is."""
    try:
        return Label.parse(metric).name
    except LabelError:
        return metric


def _order(item: ReviewItem) -> tuple[int, int, float, int]:
    """Disputes first, those with most reasons before others; then by distance; then what a metric could not score."""
    n_disputes = sum(reason.is_dispute for reason in item.reasons)
    distances = [reason.distance for reason in item.reasons if reason.kind == "threshold"]
    if n_disputes:
        return 0, -n_disputes, 0.0, item.place
    if distances:
        return 1, 0, min(distances), item.place
    return 2 if "unscored" in item.kinds else 3, 0, 0.0, item.place
