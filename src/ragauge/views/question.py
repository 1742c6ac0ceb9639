"""One question of a run: its texts, and each system's answer with scores, reasons and evidence."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import cast

from ragauge.errors import StoreError
from ragauge.people.review_verdicts import PEOPLE, people_say
from ragauge.report.plain import counted, some
from ragauge.report.report import Lines, Report, Table
from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.numbers import SummaryRow, number
from ragauge.runs.scored_run import ScoredRun
from ragauge.views.evidence import Item, Line, calls_of, evidence_lines
from ragauge.views.summary import NAME_WIDTH, short, unavailable

TEXT_LENGTH = 1_000
EVIDENCE_LENGTH = 4_000
BRIEF_LENGTH, BRIEF_LINES = 300, 12
NAMES_SHOWN = 4
NOT_GIVEN = "(none given)"
TEXTS = ("references", "contexts", "gold_contexts")
N_ITEMS = 20
"""Most texts of one field that are shown; the others are counted."""


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


def question_report(
    run: ScoredRun, id: str, *, calls: bool = False, is_brief: bool = False
) -> Report:
    """The question with its texts, scores and evidence; with `calls`, also the judges' replies.

    CSV and LaTeX have a row for each score. What `is_brief` has short texts and evidence, and no calls.
    """
    question = read_question(run, id)
    question = brief(question) if is_brief else question
    lines = [Lines(question.shared)]
    for answer in question.answers:
        lines.append(Lines(answer.fields, title=f"{id} · {answer.system}"))
        lines += map(_score_lines, answer.scores)
    if calls:
        lines += _call_lines(question.calls)
    n_calls = len(question.calls)
    judged = f"judged in {counted(n_calls, 'call')}; print the replies with --calls"
    scores = [
        (id, answer.system, score.label, score.value, "; ".join(text for _, text in score.lines))
        for answer in question.answers
        for score in answer.scores
    ]
    header = ("id", "system", "metric", "score", "why")
    return Report(
        f"{id} · {counted(len(question.answers), 'answer')}",
        tables=[Table(header, scores, n_names=3, sides="lllrl", only_in=("csv", "latex"))],
        lines=lines,
        notes=[
            *([judged] if n_calls and not calls else []),
            *([] if is_brief else unavailable(run)),
        ],
        data=lambda: asdict(question),
    )


def _score_lines(score: QuestionScore) -> Lines:
    label = "" if score.name == score.label else score.label
    lines = [(f"  {name}", text) for name, text in score.lines]
    return Lines(lines, heading=(score.name, score.value, label))


def _call_lines(calls: Sequence[QuestionCall]) -> Iterator[Lines]:
    """Each call: which scores use it, and what was asked and replied."""
    title = f"{counted(len(calls), 'call')} to judges"
    for place, each in enumerate(calls):
        used = [
            (f"  for {short(system)}", some(names, NAMES_SHOWN))
            for system, names in each.used_by.items()
        ]
        others = [
            (f"  {name}", item if isinstance(item, str) else _json(item))
            for name, item in each.call.items()
            if name not in ("prompt", "key")
        ]
        heading = f"{each.call['prompt']}  {each.call['key']}"
        yield Lines([*used, *others], "" if place else title, (heading,))


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


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _cut(text: str, length: int) -> str:
    if len(text) <= length:
        return text
    return f"{text[:length]}… ({len(text) - length:,} more characters)"
