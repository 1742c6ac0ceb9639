"""What is shown of a run besides its first screen: one question, one conversation, and lists of answers, scores and findings."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, cast

from ragauge.conversations.tool_calls import TranscriptError
from ragauge.conversations.transcript import read_transcript
from ragauge.errors import PlanError, StoreError
from ragauge.people.review_verdicts import PEOPLE, people_say
from ragauge.report.plain import counted, some
from ragauge.report.report import Lines, Report, Table
from ragauge.runs.findings import find
from ragauge.runs.numbers import SummaryRow, number
from ragauge.runs.scored_run import ScoredRun
from ragauge.runs.steadiness import wrong_turns
from ragauge.views.evidence import Item, Line, calls_of, evidence_lines
from ragauge.views.run_files import frame_records, score_json
from ragauge.views.summary import NAME_WIDTH, short, unavailable

if TYPE_CHECKING:
    import polars as pl

ANSWER_WIDTH = 80
TEXT_LENGTH = 1_000
EVIDENCE_LENGTH = 4_000
BRIEF_LENGTH, BRIEF_LINES = 300, 12
NAMES_SHOWN = 4
NOT_GIVEN = "(none given)"
MESSAGES = "messages"
TEXTS = ("references", "contexts", "gold_contexts")
N_ITEMS = 20  # most texts of one field that are shown; the others are counted
MAX_TURN = 400  # characters of what is said at a turn of a conversation


def question_report(
    run: ScoredRun, id: str, *, calls: bool = False, is_brief: bool = False
) -> Report:
    """The question with its texts, scores and evidence, short if `is_brief`; with `calls`, also the judges' replies."""
    samples = list(run.samples_of([id]).iter_rows(named=True))
    displays = {metric.metric: metric for metric in run.metrics if not metric.unavailable}
    found = run.of_question(id)
    found = found.filter(found["metric"].is_in(list(displays)))
    rows = list(found.iter_rows(named=True))
    people = people_say(run)
    # The fields that all systems share, such as the question and its references.
    shared = [
        name
        for name, value in samples[0].items()
        if len(samples) > 1 and name != "id" and all(each[name] == value for each in samples)
    ]
    lines = [Lines(tuple(_fields({name: samples[0][name] for name in shared})))]
    scores: list[tuple[str, str, str]] = []
    # Each call once, in the order of first use, and the metrics of each system that use it.
    used: dict[str, tuple[Item, dict[str, dict[str, None]]]] = {}
    for row in rows:
        display, system = displays[row["metric"]], cast(str, row["system"])
        value = row["status"] if row["value"] is None else number(display, row["value"])
        scores.append((system, display.name, value))
        for call in calls_of(_evidence(row)):
            _, used_by = used.setdefault(f"{call['key']}", (call, {}))
            used_by.setdefault(system, {})[display.name] = None
    for sample in samples:
        system = cast(str, sample["system"])
        own = _fields({name: item for name, item in sample.items() if name not in shared})
        says = people.get((id, system))
        lines.append(Lines([*own, *([(PEOPLE, says)] if says else [])], f"{id} · {system}"))
        for row, (_, metric, value) in zip(rows, scores, strict=True):
            if row["system"] != system:
                continue
            name = short(metric, 4 * NAME_WIDTH)
            label = "" if name == row["metric"] else row["metric"]
            reason = [("reason", row["reason"])] if row["reason"] else []
            below = [*reason, *evidence_lines(_evidence(row))]
            texts = [(f"  {word}", _cut(text, EVIDENCE_LENGTH)) for word, text in below]
            lines.append(Lines(texts, heading=(name, value, label)))
    notes: list[str] = []
    if is_brief:  # short texts, and fewer lines below a heading
        for at, each in enumerate(lines):
            most = BRIEF_LINES if each.heading else len(each.lines)
            n_more = len(each.lines) - most
            more = [("", f"… {counted(n_more, 'more line')}")] if n_more > 0 else []
            kept = [(label, _short(text, BRIEF_LENGTH)) for label, text in each.lines[:most]]
            lines[at] = each._replace(lines=[*kept, *more])
    elif calls:
        lines += _call_lines(list(used.values()))
    elif used:
        notes = [f"judged in {counted(len(used), 'call')}; print the replies with --calls"]
    return Report(
        f"{id} · {counted(len(samples), 'answer')}",
        tables=[Table(("system", "metric", "score"), scores, n_names=2, only_in=("latex",))],
        lines=lines,
        notes=[] if is_brief else [*notes, *unavailable(run)],
        records=lambda: frame_records([found]),
        data=lambda: {"id": id, "samples": samples, "scores": list(map(score_json, rows))},
    )


def _evidence(row: SummaryRow) -> Item:
    text = cast("str | None", row["evidence"])
    with suppress(ValueError, RecursionError):
        if isinstance(evidence := json.loads(text or "{}"), dict):
            return cast(Item, evidence)
    raise StoreError(
        f"the run is damaged: the evidence of {row['id']!r:.80} is {text!r:.40}; run it again "
        "into another folder"
    )


def _call_lines(calls: Sequence[tuple[Item, Mapping[str, Iterable[str]]]]) -> Iterator[Lines]:
    """Each call: which scores use it, and what was asked and replied."""
    title = f"{counted(len(calls), 'call')} to judges"
    for place, (call, used_by) in enumerate(calls):
        lines = [(f"  for {short(s)}", some([*names], NAMES_SHOWN)) for s, names in used_by.items()]
        for name, item in call.items():
            if name not in ("prompt", "key"):
                lines.append((f"  {name}", item if isinstance(item, str) else _json(item)))
        yield Lines(lines, "" if place else title, (f"{call['prompt']}  {call['key']}",))


def _fields(sample: SummaryRow) -> Iterator[Line]:
    for name, value in sample.items():
        if name in ("id", "system", "whole_conversation", "conversation_before"):
            continue
        if name == MESSAGES and value is not None:
            value = [f"{who.strip()}: {text}" if who else text for who, text in said_in(str(value))]
        items = cast("list[object]", value) if isinstance(value, list) else []
        if items and name in (*TEXTS, MESSAGES):
            for place, item in enumerate(items[:N_ITEMS], 1):
                yield f"{name} {place}", _cut(str(item), TEXT_LENGTH)
            if len(items) > N_ITEMS:
                yield name, f"… and {len(items) - N_ITEMS:,} more, in samples.parquet"
            continue
        if name == "relevant" and value is not None:
            graded = cast("list[dict[str, object]]", items)
            value = _json({each["id"]: each["grade"] for each in graded})
        value = _json(items) if isinstance(value, list) else value
        yield name, NOT_GIVEN if value is None else _cut(str(value), TEXT_LENGTH)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _short(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[:length]}…"


def _cut(text: str, length: int) -> str:
    more = f"… ({len(text) - length:,} more characters)" if len(text) > length else ""
    return text[:length] + more


def is_conversation(run: ScoredRun, id: str) -> bool:
    """Whether the id is that of a conversation of several turns, whose questions are its turns."""
    import polars as pl

    if "conversation" not in run.samples.columns:
        return False
    named = run.samples.scan().filter((pl.col("conversation") == id) & (pl.col("id") != id))
    return bool(run.collect(named.select("id").head(1)).height)


def conversation_report(run: ScoredRun, id: str) -> Report:
    """The turns of a conversation in their order, side by side for all systems; JSON has the scores as stored."""
    import polars as pl

    rows_of = run.samples.scan().filter(pl.col("conversation") == id)
    turns = run.collect(rows_of).sort("turn", maintain_order=True)
    frames = [run.of_question(each) for each in turns["id"].unique(maintain_order=True)]
    displays = {metric.metric: metric for metric in run.metrics if not metric.unavailable}
    all_rows = (row for frame in frames for row in frame.iter_rows(named=True))
    rows = [row for row in all_rows if row["metric"] in displays]
    scores: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for row in rows:
        of_turn = scores.setdefault((row["id"], row["system"]), [])
        if row["value"] is not None:
            metric = displays[row["metric"]]
            of_turn.append((metric.name, number(metric, row["value"])))
    lines: list[Lines] = []
    for turn in turns.iter_rows(named=True):
        said = said_in(str(turn["messages"])) if turn.get("messages") else []
        texts = [(label, _short(text, MAX_TURN)) for label, text in said]
        found = scores.get((turn["id"], turn["system"]), [])
        shown = " · ".join(f"{short(name)} {value}" for name, value in found)
        texts.append(("scores", shown or "none"))
        lines.append(Lines(texts, f"{turn['id']} · {turn['system']}"))
    wrong = wrong_turns(run, displays.values())
    until = [
        f"{short(each.system)}: {each.says}, by {wrong.metric.name}"
        for each in (wrong.first if wrong else ())
        if wrong and each.conversation == id
    ]
    header = ("turn", "system", "metric", "score")
    cells = [(*key, *each) for key, of_turn in scores.items() for each in of_turn]
    return Report(
        " · ".join([id, counted(turns["turn"].n_unique(), "turn"), *until]),
        tables=[Table(header, cells, n_names=3, only_in=("latex",))],
        lines=lines,
        records=lambda: frame_records(frames),
        data=lambda: {
            "conversation": id,
            "samples": turns.to_dicts(),
            "scores": list(map(score_json, rows)),
        },
    )


def said_in(messages: str) -> list[tuple[str, str]]:
    """Who says what, and which tools are called with what result; the text itself if it is no conversation."""
    try:
        transcript = read_transcript(messages)
    except TranscriptError:
        return [("messages", messages)]
    lines: list[tuple[str, str]] = []
    for message in transcript.messages:
        has_text = message.role != "tool" and message.text
        lines += [(message.role, message.text)] if has_text else []
        lines += [("", f"({each})") for each in message.others]
        for call in message.calls:
            given = call.invalid if call.arguments is None else _json(call.arguments)
            lines.append(("calls", f"{call.name}({given})"))
            lines += [] if call.result is None else [("  result", call.result)]
    return lines


def answers_report(run: ScoredRun, metric: str, answers: "pl.DataFrame") -> Report:
    """Answers with their values of a metric; texts are cut but in CSV and JSON."""
    shown = run.metric(metric)
    rows: list[tuple[str, ...]] = []
    for row in answers.iter_rows(named=True):
        text = short(row.get("answer") or "", ANSWER_WIDTH)
        rows.append((row["id"], row["system"], number(shown, row["value"]), text))
    end = "Highest" if shown.lower_is_better else "Lowest"
    header, caption = ("id", "system", shown.name, "answer"), f"{end} {shown.name}"
    return Report(
        "",
        tables=[Table(header, rows, sides="llrl", wraps=True, caption=caption)],
        records=lambda: (answers.columns, answers.iter_rows()),
        data=answers.to_dicts,
    )


def scores_report(run: ScoredRun, status: str, n_rows: int) -> Report:
    """The first scores with a status, and why they have no value; all of them in CSV and JSON."""
    import polars as pl

    names = {metric.metric: metric.name for metric in run.metrics}
    columns = ("id", "system", "metric", "reason")
    found = run.collect(run.scan().filter(pl.col("status") == status).select(columns))
    given = found.head(n_rows).fill_null("").iter_rows()
    rows = [
        (id, system, names.get(metric) or str(metric), reason)
        for id, system, metric, reason in given
    ]
    more = f"{n_rows} of {counted(found.height, 'score')}; more with -n"
    return Report(
        "" if rows else f"No score is {status}.",
        tables=[Table(columns, rows, n_names=4, wraps=True, caption=f"Scores: {status}")],
        notes=[more] if found.height > n_rows else [],
        records=lambda: (columns, found.iter_rows()),
        data=found.to_dicts,
    )


def finding_report(run: ScoredRun, text: str) -> Report:
    """All answers with a finding that contains the text; PlanError lists the findings if none does."""
    findings = find(run)
    matching = [finding for finding in findings if text.casefold() in finding.says.casefold()]
    if not matching:
        known = "; ".join(dict.fromkeys(finding.says for finding in findings)) or "none"
        raise PlanError([f"no finding contains {text!r}; the run's findings are: {known}"])
    rows = [(id, finding.system, finding.says) for finding in matching for id in finding.ids]
    header = ("id", "system", "finding")
    table = Table(header, rows, n_names=3, wraps=True, caption=f"Finding: {text}")
    return Report("", tables=[table])
