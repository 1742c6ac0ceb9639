"""Reviewing in a terminal: one answer or question after another, with one key for each verdict."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from ragauge.errors import PlanError
from ragauge.people.review import Review, Saved
from ragauge.people.review_labels import Value
from ragauge.people.review_queue import ReviewItem
from ragauge.questions.people import ASPECTS, NO_ANSWER, QuestionLabel, digest_of, save_label
from ragauge.questions.question import Question
from ragauge.report.plain import counted, for_terminal

if TYPE_CHECKING:
    from rich.console import Console

    from ragauge.questions.evidence import PassageIndex

VALUES: dict[str, Value] = {"1": 1, "y": 1, "2": 0, "n": 0, "0": 0, "u": None}
SAYS = {"y": True, "1": True, "n": False, "2": False, "0": False, "u": None}
NOTE = "w"
LABEL_WIDTH = 10
BEFORE = "1 or y match · 2 or n contradict · u unsure · w note · c contexts · z undo · Enter skip · q quit"
AFTER = "Enter next · z undo · q quit"
ENTER = ("", "\r", "\n")
N_NEAREST = 3
"""Passages shown of a question that shall have no answer."""


class Keys:
    """Keys pressed in a terminal, without Enter; without one, a line of the input for each key.

    In a line, what follows `w` is the text of the note.
    """

    def __init__(self, *, is_terminal: bool) -> None:
        self.is_terminal = is_terminal
        self.rest = ""

    def key(self) -> str | None:
        """The next key; "" for Enter, None at the end of the input."""
        if self.is_terminal:
            key = click.getchar()
            return None if key in ("\x04", "\x1a") else "" if key in ENTER else key
        line = sys.stdin.readline()
        if not line:
            return None
        line = line.strip()
        self.rest = line[1:].strip() if line.startswith(NOTE) else ""
        return NOTE if line.startswith(NOTE) else line

    def text(self, prompt: str) -> str:
        """A line of text."""
        if self.is_terminal:
            return str(click.prompt(prompt, default="", show_default=False))
        return self.rest or sys.stdin.readline().strip()


@dataclass
class Session:
    """One person's way through the queue."""

    review: Review
    rater: str
    keys: Keys
    out: "Console"
    history: list[tuple[ReviewItem, Saved]] = field(
        default_factory=list["tuple[ReviewItem, Saved]"]
    )
    skipped: set[str] = field(default_factory=set[str])

    def run(self) -> int:
        """Go on until the queue or the input ends, and return how many labels were saved."""
        item = self._next()
        while item is not None:
            item = self._answer(item)
        left = len(self.review.pending(self.rater))
        done = counted(len(self.history), "label")
        self.out.print()
        self._say(f"{done} saved" + (f"; {left:,} left" if left else "; nothing is left"))
        return len(self.history)

    def _next(self) -> ReviewItem | None:
        """The next answer for this person that was not skipped."""
        pending = self.review.pending(self.rater)
        return next((item for item in pending if item.key not in self.skipped), None)

    def _answer(self, item: ReviewItem) -> ReviewItem | None:
        """Show an answer until it is labelled or skipped; the answer to show next, None at the end.

        No automatic verdict is shown before the label is saved, nor the system, which is a verdict too for those
        who know the systems. Somebody who settles a conflict sees what the others said.
        """
        labels, queue = self.review.labels(), self.review.queue
        answer, texts = labels.of(item.answer), queue.texts(item)
        settles = self.review.task(answer, self.rater) == "settle"
        contexts, note = _texts(texts.get("contexts")), ""
        left = len(self.review.pending(self.rater, labels))
        self.out.print()
        self._say(f"{left:,} left · question {item.id} · {item.why}", "bold")
        named = {"conversation_before": "before", "references": "reference"}
        shown = [
            (named.get(name, name), text)
            for name in ("conversation_before", "question", "references", "answer")
            for text in _texts(texts.get(name))
        ]
        shown += [("contexts", f"{len(contexts):,}; c shows them")] if contexts else []
        shown += [("conflict", label.text) for label in (answer.labels if settles else ())]
        self._print(shown)
        self._say(queue.question, "cyan")
        self._say(BEFORE)
        for key in self._pressed():
            if key in VALUES:
                saved = self.review.save(item, self.rater, VALUES[key], note, settles=settles)
                self.history.append((item, saved))
                for line in saved.lines(self.review.automatic(item)):
                    self._say(f"  {line}")
                self._say(AFTER)
                for later in self._pressed():
                    if later in ENTER or later == "z":
                        return (self._undo() if later == "z" else None) or self._next()
                    self._say(f"{later!r} does nothing here, the label is saved; {AFTER}")
                return None
            if key == NOTE:
                note = self.keys.text("note")
                self._say(f"note: {note}" if note else "no note")
            elif key == "c":
                numbered = [(f"context {place}", text) for place, text in enumerate(contexts, 1)]
                self._print(numbered or [("contexts", "none")])
            elif key == "z":
                return self._undo() or item
            elif key in ENTER:
                self.skipped.add(item.key)
                return self._next()
            else:
                self._say(f"{key!r} does nothing here; {BEFORE}")
        return None

    def _print(self, texts: Sequence[tuple[str, str]]) -> None:
        from rich.table import Table
        from rich.text import Text

        for name, text in texts:
            table = Table.grid(padding=(0, 2, 0, 0))
            table.add_column(min_width=LABEL_WIDTH, style="dim")
            table.add_column(overflow="fold")
            table.add_row(Text(name), Text(for_terminal(text, lines=True)))
            self.out.print(table)

    def _undo(self) -> ReviewItem | None:
        """Take the last label of this session back, and return its answer."""
        if not self.history:
            self._say("nothing to undo: no label was saved in this session")
            return None
        item, saved = self.history.pop()
        try:
            self.review.undo(saved.label.label, self.rater)
        except PlanError as error:  # taken back elsewhere in the meantime
            self._say(str(error))
            return None
        self._say("taken back; a new label is marked as given after the verdicts were seen")
        return item

    def _pressed(self) -> Iterator[str]:
        """The keys until q or the end of the input."""
        while (key := self.keys.key()) is not None and key != "q":
            yield key

    def _say(self, line: str, style: str = "") -> None:
        from rich.text import Text

        self.out.print(Text(for_terminal(line), style))


def _texts(value: object) -> list[str]:
    if isinstance(value, list):
        return [*map(str, cast("list[object]", value))]
    return [] if value is None else [str(value)]


def ask_about(
    sample: Sequence[Question],
    known: Sequence[QuestionLabel],
    rater: str,
    path: Path,
    keys: Keys,
    index: "PassageIndex | None" = None,
) -> list[QuestionLabel]:
    """Ask about each question of a sample that this person has not labelled, until it ends or they quit."""
    done = {(each.id, each.digest) for each in known if each.rater == rater}
    left = [each for each in sample if (each.id, digest_of(each)) not in done]
    saved: list[QuestionLabel] = []
    at, key = 0, ""
    while at < len(left) and key not in (None, "q"):
        question = left[at]
        passages = [each["text"] for each in question.gold_contexts]
        if index is not None:
            found = index.gold(question).passages or index.nearest(question.whole, N_NEAREST)
            passages = [each.text for each in dict.fromkeys(found)] or passages
        parts = [
            *(("before", each) for each in question.history),
            (f"question {at + 1} of {len(left)}", question.question),
            ("reference", " / ".join(question.references) or "–"),
            *(("passage", each) for each in passages),
        ]
        click.echo()
        for name, text in parts:
            click.echo(f"{name}: {for_terminal(text, lines=True)}")
        says: dict[str, bool | None] = {}
        for name, asked in ASPECTS.items():
            text = NO_ANSWER if name == "answerable" and not question.answerable else asked
            click.echo(f"  {text} y · n · u unsure · Enter next · z back · q quit")
            while (key := keys.key()) not in (*SAYS, None, "", "z", "q"):
                click.echo(f"  {for_terminal(repr(key))} is no key")
            if key not in SAYS:  # it leaves the question
                break
            says[name] = SAYS[key]
        if len(says) == len(ASPECTS):
            label = QuestionLabel(question.id, rater, digest_of(question), says)
            save_label(path, label)
            saved.append(label)
        at = max(at - 1, 0) if key == "z" else at + 1
    return saved
