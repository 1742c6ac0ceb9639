"""The review queue in words: an answer to label, and what was saved."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from ragauge.people.review import AutomaticVerdict, Saved, Task
from ragauge.people.review_exchange import texts_of
from ragauge.people.review_labels import ReviewLabel
from ragauge.people.review_queue import ReviewItem, ReviewQueue
from ragauge.people.review_verdicts import AnswerLabels, says
from ragauge.report.plain import for_terminal
from ragauge.runs.numbers import number

if TYPE_CHECKING:
    from rich.console import Console


YES_NO = {True: "yes", False: "no", None: ""}
LABEL_WIDTH = 10
MAX_MORE_DIGITS = 4
"""Decimals that a score near its threshold may have beyond those of its metric."""


def why(item: ReviewItem) -> str:
    """Why an answer is in the queue."""
    return "; ".join(reason.says for reason in item.reasons)


def automatic_text(found: AutomaticVerdict) -> str:
    """A metric's score and verdict: "correct 0.94 (yes)"."""
    if found.value is None:
        return f"{found.metric.name} – ({found.why_not})"
    verdict = YES_NO[found.is_yes]
    value = value_text(found)
    return f"{found.metric.name} {value}" + (f" ({verdict})" if verdict else "")


def value_text(found: AutomaticVerdict) -> str:
    """The score with enough decimals to differ from its threshold: 0.4996, not 0.500."""
    metric, value, threshold = found.metric, found.value, found.threshold
    if value is None or threshold is None or value == threshold:
        return number(metric, value)
    for more in range(MAX_MORE_DIGITS):
        exact = replace(metric, digits=metric.digits + more)
        if number(exact, value) != number(exact, threshold):
            return number(exact, value)
    return repr(value * metric.scale)


def label_text(label: ReviewLabel) -> str:
    """Who says what, and their note: "ann: match – a synonym"."""
    return f"{label.rater}: {says(label.value)}" + (f" – {label.note}" if label.note else "")


def saved_lines(saved: Saved, automatic: Sequence[AutomaticVerdict]) -> list[str]:
    """What was saved, what others say, and the automatic verdicts, which are shown only now."""
    note = f" – {saved.label.note}" if saved.label.note else ""
    lines = [f"saved: {says(saved.label.value)} · {saved.label.rater}{note}"]
    lines += map(label_text, saved.others)
    if saved.answer.state == "conflict":
        lines.append("conflict: both labels are kept, and somebody else settles it")
    elif saved.answer.state == "settled":
        lines.append(f"settled: {saved.answer.verdict}")
    shown = ", ".join(map(automatic_text, automatic)) or "no metric has a score"
    return [*lines, f"automatic: {shown} · answer of {saved.label.system}"]


def print_item(
    out: "Console",
    queue: ReviewQueue,
    item: ReviewItem,
    position: str,
    task: Task,
    answer: AnswerLabels,
) -> None:
    """Print an answer to label: its texts and why it is in the queue, and no automatic verdict.

    Nor the system, which is a verdict too for those who know the systems. Somebody who settles a conflict
    sees what the others say.
    """
    from rich.text import Text

    out.print(Text(for_terminal(f"{position} · {item.id} · {why(item)}"), "bold"))
    texts = texts_of(queue, item)
    for name in ("question", "references", "answer"):
        for text in _texts(texts.get(name)):
            _print_text(out, name.removesuffix("s"), text)
    contexts = list(_texts(texts.get("contexts")))
    if contexts:
        _print_text(out, "contexts", f"{len(contexts):,}; c shows them")
    if task == "settle":
        for label in answer.labels:
            _print_text(out, "conflict", label_text(label))
    out.print(Text(for_terminal(queue.question), "cyan"))


def print_contexts(out: "Console", queue: ReviewQueue, item: ReviewItem) -> None:
    contexts = list(_texts(texts_of(queue, item).get("contexts")))
    for place, text in enumerate(contexts, 1):
        _print_text(out, f"context {place}", text)
    if not contexts:
        _print_text(out, "contexts", "none")


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, list):
        yield from map(str, cast("list[object]", value))
    elif value is not None:
        yield str(value)


def _print_text(out: "Console", name: str, text: str) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(min_width=LABEL_WIDTH, style="dim")
    table.add_column(overflow="fold")
    table.add_row(Text(name), Text(for_terminal(text, lines=True)))
    out.print(table)
