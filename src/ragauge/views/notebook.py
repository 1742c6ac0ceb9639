"""A run, a question and the worst answers in a notebook and at a Python prompt."""

from collections.abc import Iterator, Sequence
from io import StringIO
from typing import TYPE_CHECKING

from ragauge.report.html_table import html_table, html_text, small
from ragauge.report.plain import counted
from ragauge.report.rendered import Rendered
from ragauge.report.terminal import console
from ragauge.runs.numbers import metric_name, number
from ragauge.runs.scored_run import ScoredRun
from ragauge.views.evidence import NO, YES, Line
from ragauge.views.first_screen import FirstScreen
from ragauge.views.first_screen_table import MARK, Cell
from ragauge.views.first_screen_text import print_first_screen
from ragauge.views.question import Question, QuestionAnswer, brief, question_text, read_question

if TYPE_CHECKING:
    import polars as pl

MAX_SYSTEMS = 10
"""Most systems side by side."""
ANSWER_WIDTH = 120
COLORS = {YES: "green", NO: "firebrick"}


def run_text(run: ScoredRun) -> str:
    """The first screen, as `ragauge run` prints it."""
    file = StringIO()
    print_first_screen(console(file), run)
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines())


def run_html(run: ScoredRun) -> str:
    """The first screen: headline, means with their intervals, marks, notes and the worst answers."""
    screen = FirstScreen(run, MAX_SYSTEMS, len(run.metrics))
    n_names = 2 if screen.has_families else 1
    rows = [
        [
            *([small(html_text(row.family))] if screen.has_families else []),
            html_text(row.metric),
            *map(_mean, row.cells),
            small(html_text(row.n)),
        ]
        for row in screen.rows
    ]
    sides = ["left"] * n_names + ["right"] * (len(screen.header) - n_names)
    table = html_table(list(map(html_text, screen.header)), rows, sides) if rows else ""
    worst = [f"worst: {text} ({id})" for text, id in screen.worst]
    lines = "".join(
        f"<div>{small(html_text(line, None))}</div>" for line in (*screen.notes, *worst)
    )
    title = small(html_text(screen.title, None))
    return f"<div><b>{html_text(screen.headline, None)}</b><div>{title}</div>{table}{lines}</div>"


def _mean(cell: Cell) -> str:
    """A mean, red where it differs from the best one beyond chance, and its interval below it."""
    mark = f'<span style="color: {COLORS[NO]}">{MARK}</span>' if cell.differs else ""
    below = f"<br>{small(html_text(cell.interval))}" if cell.interval else ""
    return f"{html_text(cell.value)}{mark}{below}"


def rendered_question(run: ScoredRun, id: str) -> Rendered:
    """One question: its texts and, for each system, the answer, scores, reasons and short evidence."""
    question = brief(read_question(run, id))
    return Rendered(question_text(question), _question_html(question))


def answers_html(run: ScoredRun, metric: str, answers: "pl.DataFrame") -> str:
    """The answers with their values of a metric."""
    display = run.metric(metric)
    texts = [name for name in ("answer",) if name in answers.columns]
    rows = [
        [
            html_text(row["id"]),
            html_text(row["system"]),
            number(display, row["value"]),
            *(html_text(row[name] or "", ANSWER_WIDTH) for name in texts),
        ]
        for row in answers.iter_rows(named=True)
    ]
    header = ["id", "system", html_text(metric_name(display)), *texts]
    return html_table(header, rows, ["left", "left", "right", *["left" for _ in texts]])


def _question_html(question: Question) -> str:
    title = f"{question.id} · {counted(len(question.answers), 'answer')}"
    parts = [f"<b>{html_text(title, None)}</b>"]
    if question.shared:
        parts.append(_lines_table(question.shared))
    parts += map(_answer_html, question.answers)
    return f"<div>{''.join(parts)}</div>"


def _answer_html(answer: QuestionAnswer) -> str:
    fields = dict(answer.fields)
    text = html_text(fields.pop("answer", ""), None)
    others = f"<details><summary>fields</summary>{_lines_table(tuple(fields.items()))}</details>"
    scores = html_table(
        ["metric", "score", "why"],
        [
            [html_text(score.name), html_text(score.value), "<br>".join(_why(score.lines))]
            for score in answer.scores
        ],
        ["left", "right", "left"],
    )
    return (
        f'<div style="margin-top: 1em"><b>{html_text(answer.system)}</b> {text}'
        f"{others if fields else ''}{scores}</div>"
    )


def _why(lines: Sequence[Line]) -> Iterator[str]:
    for label, text in lines:
        mark = label.strip()
        if mark in COLORS:
            yield f'<span style="color: {COLORS[mark]}">{mark}</span> {html_text(text, None)}'
        elif mark:
            yield f"{small(html_text(mark))} {html_text(text, None)}"
        else:
            yield f"&emsp;{small(html_text(text, None))}"


def _lines_table(lines: Sequence[Line]) -> str:
    rows = [[small(html_text(label)), html_text(text, None)] for label, text in lines]
    return html_table(["", ""], rows)
