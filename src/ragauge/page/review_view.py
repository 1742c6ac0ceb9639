"""What the review view of the page gets from its server, typed once: web/src/view.ts is generated from these.

Automatic verdicts, the system and other people's labels are in an item only after the person has labelled
it; who settles a conflict sees the labels before.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from ragauge.people.review import YES_NO, AutomaticVerdict, Review
from ragauge.people.review_labels import ReviewLabel, says
from ragauge.people.review_queue import ReviewItem
from ragauge.people.review_verdicts import AnswerLabels, ReviewLabels


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """One answer in the list of the queue. `task` is "label", "settle" or "done"; `own` is the person's own label in words."""

    key: str
    id: str
    task: str
    own: str


@dataclass(frozen=True, slots=True)
class ReviewQueueView:
    """The queue as one person sees it. `asks` is the question about each answer."""

    asks: str
    rater: str
    rows: tuple[ReviewRow, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LabelView:
    """What somebody says of an answer. `label` names it; `round` is "first", "second" or "adjudication"."""

    label: str
    rater: str
    says: str
    note: str
    round: str


@dataclass(frozen=True, slots=True)
class VerdictView:
    """An automatic score: its value as it is shown, and "yes", "no" or why there is none."""

    metric: str
    value: str
    verdict: str


@dataclass(frozen=True, slots=True)
class ReviewItemView:
    """One answer to label; `before` is what was said before it in a conversation. `own`, `others`, `automatic` and `system` are empty until they may be seen."""

    key: str
    id: str
    why: str
    task: str
    before: str
    question: str
    references: tuple[str, ...]
    answer: str
    contexts: tuple[str, ...]
    own: LabelView | None
    others: tuple[LabelView, ...]
    state: str
    verdict: str
    automatic: tuple[VerdictView, ...]
    system: str


def queue_view(review: Review, rater: str) -> ReviewQueueView:
    """The queue as this person sees it now."""
    labels = review.labels()
    rows: list[ReviewRow] = []
    for item in _in_order(review, labels, rater):
        answer = labels.of((item.id, item.system))
        own = own_label(review, answer, rater)
        said = "" if own is None else says(own.value)
        rows.append(ReviewRow(item.key, item.id, review.task(answer, rater), said))
    notes = list(labels.notes)
    if labels.n_stale:
        notes.append(f"{labels.n_stale:,} labels are stale and not applied: the texts have changed")
    return ReviewQueueView(review.queue.question, rater, tuple(rows), tuple(notes))


def _in_order(review: Review, labels: ReviewLabels, rater: str) -> Sequence[ReviewItem]:
    """The conflicts that this person can settle, then the queue in its order."""
    if not review.settles_only:
        return sorted(
            review.queue.items,
            key=lambda item: review.task(labels.of((item.id, item.system)), rater) != "settle",
        )
    shown = ("conflict", "settled")
    return [i for i in review.queue.items if labels.of((i.id, i.system)).state in shown]


def own_label(review: Review, answer: AnswerLabels, rater: str) -> ReviewLabel | None:
    """The label that this person gave last; when only conflicts are settled, their decision."""
    settled = answer.adjudication
    if settled is not None and settled.rater == rater:
        return settled
    if review.settles_only:
        return None
    return next((label for label in answer.labels if label.rater == rater), None)


def item_view(review: Review, item: ReviewItem, rater: str) -> ReviewItemView:
    """An answer as this person may see it now."""
    answer = review.labels().of((item.id, item.system))
    task = review.task(answer, rater)
    own = own_label(review, answer, rater)
    texts = review.queue.texts(item)
    is_labelled = own is not None
    settles = task == "settle"
    said = (*answer.labels, *([answer.adjudication] if answer.adjudication else []))
    others = tuple(label_view(label) for label in said if label != own)
    return ReviewItemView(
        key=item.key,
        id=item.id,
        why=item.why,
        task=task,
        before=str(texts.get("conversation_before") or ""),
        question=str(texts.get("question", "")),
        references=_texts(texts.get("references")),
        answer=str(texts.get("answer", "")),
        contexts=_texts(texts.get("contexts")),
        own=None if own is None else label_view(own),
        others=others if is_labelled or settles else (),
        state=answer.state if is_labelled or settles else "",
        verdict=answer.verdict if is_labelled or settles else "",
        automatic=tuple(map(verdict_view, review.automatic(item))) if is_labelled else (),
        system=item.system if is_labelled else "",
    )


def label_view(label: ReviewLabel) -> LabelView:
    return LabelView(label.label, label.rater, says(label.value), label.note, label.round)


def verdict_view(found: AutomaticVerdict) -> VerdictView:
    if found.value is None:
        return VerdictView(found.metric.name, "–", found.why_not)
    return VerdictView(found.metric.name, found.value_text, YES_NO[found.is_yes])


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(str, cast("list[object]", value))) if isinstance(value, list) else ()
