"""What the review view of the page gets from its server, typed once: web/src/view.ts is generated from these."""

from dataclasses import dataclass
from typing import cast

from ragauge.people.review import YES_NO, Review
from ragauge.people.review_labels import ReviewLabel, says
from ragauge.people.review_queue import ReviewItem
from ragauge.people.review_verdicts import AnswerLabels


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
    """The queue as this person sees it now: the conflicts that they can settle, then the others in its order."""
    labels = review.labels()
    found: list[ReviewRow] = []
    for item in review.queue.items:
        answer = labels.of((item.id, item.system))
        if not review.settles_only or answer.state in ("conflict", "settled"):
            own = own_label(review, answer, rater)
            said = "" if own is None else says(own.value)
            found.append(ReviewRow(item.key, item.id, review.task(answer, rater), said))
    if not review.settles_only:
        found.sort(key=lambda row: row.task != "settle")
    notes = list(labels.notes)
    if labels.n_stale:
        notes.append(f"{labels.n_stale:,} labels are stale and not applied: the texts have changed")
    return ReviewQueueView(review.queue.question, rater, tuple(found), tuple(notes))


def own_label(review: Review, answer: AnswerLabels, rater: str) -> ReviewLabel | None:
    """The label that this person gave last; when only conflicts are settled, their decision."""
    settled = answer.adjudication
    if settled is not None and settled.rater == rater:
        return settled
    labels = () if review.settles_only else answer.labels
    return next((label for label in labels if label.rater == rater), None)


def item_view(review: Review, item: ReviewItem, rater: str) -> ReviewItemView:
    """An answer as this person may see it now: verdicts and others' labels after their own, labels also to settle a conflict."""
    answer = review.labels().of((item.id, item.system))
    task, own = review.task(answer, rater), own_label(review, answer, rater)
    texts = review.queue.texts(item)
    is_labelled = own is not None
    sees_labels = is_labelled or task == "settle"
    said = (*answer.labels, *([answer.adjudication] if answer.adjudication else []))

    def listed(name: str) -> tuple[str, ...]:
        found = texts.get(name)
        return tuple(map(str, cast("list[object]", found))) if isinstance(found, list) else ()

    def label_view(label: ReviewLabel) -> LabelView:
        return LabelView(label.label, label.rater, says(label.value), label.note, label.round)

    automatic = [
        VerdictView(found.metric.name, "–", found.why_not)
        if found.value is None
        else VerdictView(found.metric.name, found.value_text, YES_NO[found.is_yes])
        for found in (review.automatic(item) if is_labelled else ())
    ]
    return ReviewItemView(
        key=item.key,
        id=item.id,
        why=item.why,
        task=task,
        before=str(texts.get("conversation_before") or ""),
        question=str(texts.get("question", "")),
        references=listed("references"),
        answer=str(texts.get("answer", "")),
        contexts=listed("contexts"),
        own=None if own is None else label_view(own),
        others=tuple(label_view(label) for label in said if label != own) if sees_labels else (),
        state=answer.state if sees_labels else "",
        verdict=answer.verdict if sees_labels else "",
        automatic=tuple(automatic),
        system=item.system if is_labelled else "",
    )
