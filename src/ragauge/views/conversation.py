"""One conversation of a run: turn by turn what was said and called, with each system's scores at the turn."""

import json
from collections.abc import Mapping
from typing import cast

from ragauge.conversations.tool_calls import TranscriptError
from ragauge.conversations.transcript import read_transcript
from ragauge.report.plain import counted
from ragauge.report.report import Lines, Report, Table
from ragauge.runs.numbers import SummaryRow, number
from ragauge.runs.scored_run import ScoredRun
from ragauge.runs.wrong_turns import wrong_turns
from ragauge.views.run_data import frame_records, score_json
from ragauge.views.summary import short

MAX_TEXT = 400


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

    turns = run.collect(run.samples.scan().filter(pl.col("conversation") == id)).sort(
        "turn", maintain_order=True
    )
    frames = [run.of_question(each) for each in turns["id"].unique(maintain_order=True)]
    displays = {metric.metric: metric for metric in run.metrics if not metric.unavailable}
    scores: dict[tuple[str, str], list[tuple[str, str]]] = {}
    rows: list[SummaryRow] = []
    for row in (row for frame in frames for row in frame.iter_rows(named=True)):
        display = displays.get(cast(str, row["metric"]))
        if display is None:
            continue
        rows.append(row)
        of_turn = scores.setdefault((row["id"], row["system"]), [])
        if row["value"] is not None:
            of_turn.append((display.name, number(display, cast(float, row["value"]))))
    lines = [
        Lines(_turn_lines(turn, scores.get((turn["id"], turn["system"]), [])), _title(turn))
        for turn in turns.iter_rows(named=True)
    ]
    table = Table(
        ("turn", "system", "metric", "score"),
        [(at, system, *each) for (at, system), found in scores.items() for each in found],
        n_names=3,
        only_in=("latex",),
    )
    wrong = wrong_turns(run, displays.values())
    until = [
        f"{short(each.system)}: {each.says}, by {wrong.metric.name}"
        for each in (wrong.first if wrong else ())
        if wrong and each.conversation == id
    ]
    return Report(
        " · ".join([id, counted(turns["turn"].n_unique(), "turn"), *until]),
        tables=[table],
        lines=lines,
        records=lambda: frame_records(frames),
        data=lambda: {"conversation": id, "samples": turns.to_dicts(), "scores": list(map(score_json, rows))},
    )  # fmt: skip


def _title(turn: Mapping[str, object]) -> str:
    return f"{turn['id']} · {turn['system']}"


def _turn_lines(turn: Mapping[str, object], scores: list[tuple[str, str]]) -> list[tuple[str, str]]:
    said = said_in(str(turn["messages"])) if turn.get("messages") else []
    shown = " · ".join(f"{short(name)} {value}" for name, value in scores)
    return [
        *((label, text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}…") for label, text in said),
        ("scores", shown or "none"),
    ]  # fmt: skip


def said_in(messages: str) -> list[tuple[str, str]]:
    """Who says what, and which tools are called with what result; the text itself if it is no conversation."""
    try:
        transcript = read_transcript(messages)
    except TranscriptError:
        return [("messages", messages)]
    lines: list[tuple[str, str]] = []
    for message in transcript.messages:
        if message.role != "tool" and message.text:
            lines.append((message.role, message.text))
        lines += [("", f"({each})") for each in message.others]
        for call in message.calls:
            given = (
                call.invalid
                if call.arguments is None
                else json.dumps(call.arguments, ensure_ascii=False)
            )
            lines.append(("calls", f"{call.name}({given})"))
            lines += [] if call.result is None else [("  result", call.result)]
    return lines
