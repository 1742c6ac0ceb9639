"""Reviewing a test set in a terminal: three keys for each question."""

from collections.abc import Sequence
from pathlib import Path

import click

from ragauge.cli.commands.review_session import Keys
from ragauge.questions.evidence import PassageIndex
from ragauge.questions.people import (
    ASPECTS,
    NO_ANSWER,
    QuestionLabel,
    digest_of,
    save_label,
)
from ragauge.questions.question import Question
from ragauge.report.plain import for_terminal

SAYS = {"y": True, "1": True, "n": False, "2": False, "0": False, "u": None}
N_NEAREST = 3
"""Passages shown of a question that shall have no answer."""


def ask_about(
    sample: Sequence[Question],
    known: Sequence[QuestionLabel],
    rater: str,
    path: Path,
    keys: Keys,
    index: PassageIndex | None = None,
) -> list[QuestionLabel]:
    """Ask about each question of a sample that this person has not labelled, until it ends or they quit."""
    done = {(each.id, each.digest) for each in known if each.rater == rater}
    left = [each for each in sample if (each.id, digest_of(each)) not in done]
    saved: list[QuestionLabel] = []
    at = 0
    while at < len(left):
        says = _asked(left[at], f"{at + 1} of {len(left)}", keys, index)
        if says == "q":
            break
        if says == "z":
            at = max(at - 1, 0)
            continue
        if isinstance(says, dict):
            label = QuestionLabel(left[at].id, rater, digest_of(left[at]), says)
            save_label(path, label)
            saved.append(label)
        at += 1
    return saved


def _asked(
    question: Question, place: str, keys: Keys, index: PassageIndex | None
) -> dict[str, bool | None] | str:
    """What the person says of each aspect; "q", "z", or "" for the next question."""
    passages = [each["text"] for each in question.gold_contexts]
    if index is not None:
        found = index.gold(question).passages or index.nearest(question.whole, N_NEAREST)
        passages = [each.text for each in found] or passages
    parts = [
        *(("before", each) for each in question.history),
        (f"question {place}", question.question),
        ("reference", " / ".join(question.references) or "–"),
        *(("passage", each) for each in passages),
    ]
    click.echo()
    for name, text in parts:
        lines = "\n".join(map(for_terminal, text.splitlines()))
        click.echo(f"{name}: {lines}")
    says: dict[str, bool | None] = {}
    for name, asked in ASPECTS.items():
        if name == "answerable" and not question.answerable:
            asked = NO_ANSWER
        click.echo(f"  {asked} y · n · u unsure · Enter next · z back · q quit")
        key = keys.key()
        while key not in (*SAYS, None, "", "z", "q"):
            click.echo(f"  {for_terminal(repr(key))} is no key")
            key = keys.key()
        if key not in SAYS:
            return "q" if key is None else key
        says[name] = SAYS[key]
    return says
