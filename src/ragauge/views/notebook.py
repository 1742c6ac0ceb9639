"""A run, a question and the worst answers in a notebook and at a Python prompt."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from io import StringIO
from typing import TYPE_CHECKING, cast

from ragauge.report.html_table import MAX_ROWS, html_table, html_text, small
from ragauge.report.plain import counted
from ragauge.report.rendered import Rendered
from ragauge.report.terminal import console
from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.numbers import SummaryRow, aggregate, interval, metric_name, number
from ragauge.runs.scored_run import ScoredRun
from ragauge.views.evidence import NO, YES, Line
from ragauge.views.first_screen_text import print_first_screen
from ragauge.views.question import Question, QuestionAnswer, brief, question_text, read_question
from ragauge.views.terminal import MAX_DIGITS, unavailable

if TYPE_CHECKING:
    import polars as pl

MAX_SYSTEMS_ACROSS = 6
"""With more systems they are rows, not columns."""
ANSWER_WIDTH = 120
COLORS = {YES: "green", NO: "firebrick"}


def run_text(run: ScoredRun) -> str:
    """The first screen, as `ragauge run` prints it."""
    file = StringIO()
    print_first_screen(console(file), run)
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines())


def run_html(run: ScoredRun) -> str:
    """The metrics of each system side by side: mean, 95 % interval, and counts if some have no value.

    Metrics that lack a judge, an encoder or an extra are named in a note.
    """
    metrics = [
        replace(metric, digits=min(metric.digits, MAX_DIGITS))
        for metric in run.metrics
        if not metric.unavailable
    ]
    systems = run.samples.systems
    n, n_systems = counted(len(run.samples), "answer"), counted(len(systems), "system")
    title = f"{run.manifest.suite} · {n} · {n_systems}"
    notes = [*run.problems, *unavailable(run)]
    lines = "".join(f"<div>{small(html_text(note, None))}</div>" for note in notes)
    return f"<div><b>{html_text(title, None)}</b>{_pivot(run, metrics, systems)}{lines}</div>"


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


def _pivot(run: ScoredRun, metrics: Sequence[MetricDisplay], systems: Sequence[str]) -> str:
    rows = {
        (cast(str, row["metric"]), cast(str, row["system"])): row
        for row in run.summary().iter_rows(named=True)
    }
    cells = [
        [_cell(metric, rows.get((metric.metric, name))) for name in systems] for metric in metrics
    ]
    names = [html_text(metric_name(metric)) for metric in metrics]
    if len(systems) <= MAX_SYSTEMS_ACROSS:
        header = ["metric", *map(html_text, systems)]
        body = [[name, *line] for name, line in zip(names, cells, strict=True)]
        return html_table(header, body, ["left", *["right" for _ in systems]])
    shown = systems[:MAX_ROWS]
    body = [
        [html_text(system), *(line[place] for line in cells)] for place, system in enumerate(shown)
    ]
    table = html_table(["system", *names], body, ["left", *["right" for _ in names]])
    more = len(systems) - len(shown)
    return table + (small(f"… {counted(more, 'more system')}") if more else "")


def _cell(metric: MetricDisplay, row: SummaryRow | None) -> str:
    """The mean, and below it the interval and how many answers have a value if not all."""
    if row is None:
        return ""
    below = [interval(metric, row)] if interval(metric, row) else []
    below += [] if row["ok"] == row["n"] else [f"{row['ok']:,} of {row['n']:,}"]
    text = html_text(aggregate(metric, row))
    return f"{text}<br>{small(html_text(' · '.join(below)))}" if below else text


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
