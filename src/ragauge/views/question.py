"""One question of a run: its texts, and each system's answer with scores, reasons and evidence."""

import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from ragauge.errors import StoreError
from ragauge.people.review_verdicts import PEOPLE, people_say
from ragauge.report.plain import counted, for_terminal, some
from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.numbers import SummaryRow, number
from ragauge.runs.scored_run import ScoredRun
from ragauge.views.evidence import NO, YES, Item, Line, calls_of, evidence_lines
from ragauge.views.tables import NAME_WIDTH, short

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

LABEL_WIDTH = 18
TEXT_LENGTH = 1_000
EVIDENCE_LENGTH = 4_000
BRIEF_LENGTH, BRIEF_LINES = 300, 12
REPR_WIDTH = 100
NAMES_SHOWN = 4
NOT_GIVEN = "(none given)"
TEXTS = ("references", "contexts", "gold_contexts")
N_ITEMS = 20
"""Most texts of one field that are shown; the others are counted."""
MARK_STYLES = {YES: "not dim green", NO: "not dim red"}


@dataclass(frozen=True, slots=True)
class QuestionScore:
    """One score of an answer: the metric's name, label and value (or status), and why."""

    name: str
    label: str
    value: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class QuestionAnswer:
    """The answer of one system: the fields that others do not share, and its scores."""

    system: str
    fields: tuple[Line, ...]
    scores: tuple[QuestionScore, ...]


@dataclass(frozen=True, slots=True)
class QuestionCall:
    """One call to a judge, and the scores that use its reply, by system."""

    call: Item
    used_by: Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Question:
    """One question with its answers. `calls`: each call to a judge once."""

    id: str
    shared: tuple[Line, ...]
    answers: tuple[QuestionAnswer, ...]
    calls: tuple[QuestionCall, ...]


def read_question(run: ScoredRun, id: str) -> Question:
    """The question of a run with this id."""
    samples = list(run.samples_of([id]).iter_rows(named=True))
    shared = _shared(samples)
    displays = {metric.metric: metric for metric in run.metrics if not metric.unavailable}
    found = run.of_question(id)
    rows = list(found.filter(found["metric"].is_in(list(displays))).iter_rows(named=True))
    people = people_say(run)
    answers = tuple(
        QuestionAnswer(
            sample["system"],
            (
                *_fields({name: item for name, item in sample.items() if name not in shared}),
                *((PEOPLE, says) for says in [people.get((id, sample["system"]))] if says),
            ),
            tuple(_score(row, displays) for row in rows if row["system"] == sample["system"]),
        )
        for sample in samples
    )
    texts = tuple(_fields({name: samples[0][name] for name in shared}))
    return Question(id, texts, answers, _calls(rows, displays))


def print_question(out: "Console", question: Question, *, calls: bool = False) -> None:
    """Print a question; with `calls`, also the judge's replies."""
    from rich.text import Text

    out.print(
        Text(for_terminal(f"{question.id} · {counted(len(question.answers), 'answer')}"), "bold")
    )
    _print_lines(out, question.shared)
    for answer in question.answers:
        out.print()
        title = Text(for_terminal(f"{question.id} · {answer.system}"))
        out.rule(title, align="left", characters="─")
        _print_lines(out, answer.fields)
        out.print()
        for score in answer.scores:
            out.print(_heading(score))
            _print_lines(out, ((f"  {label}", text) for label, text in score.lines))
    if calls and question.calls:
        _print_calls(out, question.calls)
    elif question.calls:
        n = len(question.calls)
        out.print(
            Text(f"\n  judged in {counted(n, 'call')}; print the replies with --calls", "dim")
        )


def brief(question: Question) -> Question:
    """The question with short texts and evidence, and without the calls."""
    answers = tuple(
        replace(
            answer,
            fields=tuple(_brief(answer.fields)),
            scores=tuple(
                replace(score, lines=tuple(_brief(score.lines[:BRIEF_LINES])) + _more(score.lines))
                for score in answer.scores
            ),
        )
        for answer in question.answers
    )
    return Question(question.id, tuple(_brief(question.shared)), answers, ())


def _brief(lines: Iterable[Line]) -> Iterator[Line]:
    for label, text in lines:
        yield label, text if len(text) <= BRIEF_LENGTH else f"{text[:BRIEF_LENGTH]}…"


def _more(lines: Sequence[Line]) -> tuple[Line, ...]:
    n = len(lines) - BRIEF_LINES
    return (("", f"… {counted(n, 'more line')}"),) if n > 0 else ()


def question_text(question: Question) -> str:
    """The question as plain text, for a Python prompt."""
    from ragauge.report.terminal import console

    file = io.StringIO()
    out = console(file)
    out.width = REPR_WIDTH
    print_question(out, question)
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines())


def _score(row: SummaryRow, displays: Mapping[str, MetricDisplay]) -> QuestionScore:
    display = displays[cast(str, row["metric"])]
    value, reason = cast("float | None", row["value"]), cast("str | None", row["reason"])
    shown = cast(str, row["status"]) if value is None else number(display, value)
    lines = [*([("reason", reason)] if reason else []), *evidence_lines(_evidence(row))]
    kept = tuple((label, _cut(text, EVIDENCE_LENGTH)) for label, text in lines)
    return QuestionScore(short(display.name, 4 * NAME_WIDTH), display.metric, shown, kept)


def _evidence(row: SummaryRow) -> Item:
    text = cast("str | None", row["evidence"])
    if not text:
        return {}
    try:
        evidence = cast(object, json.loads(text))
    except (ValueError, RecursionError):
        evidence = None
    if not isinstance(evidence, dict):
        raise StoreError(
            f"the run is damaged: the evidence of {row['id']!r:.80} is {text!r:.40}; run it again "
            "into another folder"
        )
    return cast("dict[str, object]", evidence)


def _calls(
    rows: Iterable[SummaryRow], displays: Mapping[str, MetricDisplay]
) -> tuple[QuestionCall, ...]:
    """Each call of the scores once, in the order of their first use."""
    calls: dict[str, Item] = {}
    used_by: dict[str, dict[str, list[str]]] = {}
    for row in rows:
        name, system = displays[cast(str, row["metric"])].name, cast(str, row["system"])
        for call in calls_of(_evidence(row)):
            key = f"{call['key']}"
            calls.setdefault(key, call)
            names = used_by.setdefault(key, {}).setdefault(system, [])
            names += [] if name in names else [name]
    return tuple(QuestionCall(call, used_by[key]) for key, call in calls.items())


def _print_calls(out: "Console", calls: Sequence[QuestionCall]) -> None:
    from rich.text import Text

    out.print()
    out.rule(Text(f"{counted(len(calls), 'call')} to judges"), align="left", characters="─")
    for each in calls:
        out.print(Text(for_terminal(f"{each.call['prompt']}  {each.call['key']}"), "bold"))
        for system, names in each.used_by.items():
            _print_lines(out, [(f"  for {short(system)}", some(names, NAMES_SHOWN))])
        others = {name: text for name, text in each.call.items() if name not in ("prompt", "key")}
        _print_lines(out, ((f"  {name}", _text(item)) for name, item in others.items()))


def _text(value: object) -> str:
    return value if isinstance(value, str) else _json(value)


def _shared(samples: Sequence[SummaryRow]) -> list[str]:
    """The fields that all systems share, such as the question and its references."""
    if len(samples) < 2:
        return []
    return [
        name
        for name, value in samples[0].items()
        if name != "id" and all(sample[name] == value for sample in samples)
    ]


def _fields(sample: SummaryRow) -> Iterator[Line]:
    for name, value in sample.items():
        if name in ("id", "system"):
            continue
        if value is None:
            yield name, NOT_GIVEN
            continue
        if not isinstance(value, list):
            yield name, _cut(str(value), TEXT_LENGTH)
            continue
        items = cast(list[object], value)
        if name == "relevant":
            grades = {
                document["id"]: document["grade"]
                for document in cast(list[dict[str, object]], items)
            }
            yield name, _cut(_json(grades), TEXT_LENGTH)
        elif name in TEXTS and items:
            for place, item in enumerate(items[:N_ITEMS], 1):
                yield f"{name} {place}", _cut(str(item), TEXT_LENGTH)
            if len(items) > N_ITEMS:
                yield name, f"… and {len(items) - N_ITEMS:,} more, in samples.parquet"
        else:
            yield name, _cut(_json(items), TEXT_LENGTH)


def _heading(score: QuestionScore) -> "Text":
    from rich.text import Text

    text = Text(for_terminal(f"{score.name}  "), "bold").append(score.value, "cyan")
    same = score.name == score.label
    return text if same else text.append(f"  {for_terminal(score.label)}", "dim")


def _print_lines(out: "Console", lines: Iterable[Line]) -> None:
    """Print labels and their texts side by side."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(min_width=LABEL_WIDTH, max_width=NAME_WIDTH, overflow="fold", style="dim")
    table.add_column(overflow="fold")
    for label, text in lines:
        style = MARK_STYLES.get(label.strip(), "")
        table.add_row(Text(for_terminal(label), style), Text(for_terminal(text)))
    out.print(table)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _cut(text: str, length: int) -> str:
    if len(text) <= length:
        return text
    return f"{text[:length]}… ({len(text) - length:,} more characters)"
