"""Measure batches: run the nodes of each, combine what several judges and repeats say, and state the scores as a frame."""

import json
import json.encoder
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from itertools import accumulate, chain
from time import monotonic
from typing import TYPE_CHECKING, cast

from ragauge.calls import Measured, ignore
from ragauge.engine.batch import Batch, Cells, Scores, is_best
from ragauge.engine.graph import Node, Plan, PlannedMetric
from ragauge.engine.resources import Resources
from ragauge.errors import MetricError
from ragauge.label import Label, without_settings
from ragauge.language.detection import language_of
from ragauge.metric import PROMPTS
from ragauge.samples.fields import Columns
from ragauge.samples.samples import RowRange, columns_of
from ragauge.score import FLAGGING, LANGUAGE, LOST_PARTS, Evidence, Flag, Score
from ragauge.storage.memory import gc_paused
from ragauge.trust import trust_in

if TYPE_CHECKING:
    import polars as pl

FIRST_ROWS = 16
GOLDEN_RATIO = (1 + 5**0.5) / 2
PIECE_S, REMOTE_PIECE_S = 1.0, 10.0
"""How long a piece of a watched batch should take; longer where an encoder elsewhere reads many texts at a time."""
DISPUTE = 0.5
"""Judges whose values differ by at least this much disagree on the row."""
MIN_ROWS_FOR_WORKERS = 6_000
"""Below this many rows, worker processes take longer to start than they save."""
MAX_JUDGED_BATCHES = 2
"""Batches that wait for judges at the same time: the last replies to one do not delay the next."""
KEYS = ("id", "system", "metric")
SCORES = (*KEYS, "value", "status", "reason", "flags", "parts")
"""Columns of the parts of scores. `parts` is null unless the metric has a custom aggregate."""
TYPES = {
    **dict.fromkeys((*KEYS, "status", "reason", "evidence"), "String"),
    "value": "Float64",
    "flags": "List(String)",
    "parts": "List(Float64)",
}
"""The type of each column, as polars prints it."""
EVIDENCE = (*KEYS, "evidence")
"""Columns of the parts of evidence, which summaries never read."""
TEXTS = ("question", "references", "answer")
"""The columns that say in which language a sample is, of those that the plan reads."""

BatchRows = Columns | RowRange
"""The columns of a batch, or where its rows are: whoever measures it then reads them."""
NumberedBatches = Iterable[tuple[int, BatchRows]]
Results = Iterator[tuple[int, "pl.DataFrame"]]
"""The score frame of each batch, with its number, in the order in which they finish."""
Executing = Callable[[Plan, NumberedBatches, Resources], Results]


def choose(plan: Plan, n_rows: int, workers: int, resources: Resources) -> tuple[Executing, bool]:
    """The fastest way, and whether the run's listener gets events while a batch is measured.

    Few rows at a time under a budget; threads if batches wait for judges or Python has no GIL;
    processes if there are enough rows and a new process can import every metric; otherwise this process.
    """
    from ragauge.engine import executors

    if plan.has_async_nodes and resources.has_budget:
        return executors.within_budget, True
    if plan.has_async_nodes:
        return partial(executors.on_threads, n=MAX_JUDGED_BATCHES), True
    has_gil = getattr(sys, "_is_gil_enabled", lambda: True)()
    is_large = workers > 1 and n_rows >= MIN_ROWS_FOR_WORKERS
    if is_large and executors.is_portable(plan) and resources.is_portable():
        return partial(executors.in_processes, n=workers), False
    is_alone = workers <= 1 or has_gil
    return (in_process if is_alone else partial(executors.on_threads, n=workers)), True


def in_process(plan: Plan, batches: NumberedBatches, resources: Resources) -> Results:
    """Batches one after the other, in this process."""
    for number, batch in batches:
        yield number, score_frame(plan, columns_of(batch), resources)


def measure(plan: Plan, columns: Columns, resources: Resources) -> list[Scores]:
    """The scores of each metric of the plan, in its order, for every row; missing corpus features
    are made of these rows alone.

    Raises MetricError, which names the metric and the sample, if a metric or feature raises an
    error.
    """
    batch, scope = Batch(columns, resources), nullcontext()
    if plan.has_async_nodes:
        from ragauge.calls.loop import cancel_scope

        scope = cancel_scope()
    with scope:
        run_all(batch, plan.nodes)
        scores = _with_repeats(plan, batch)
    return _with_disputes(plan, scores) if len(batch.resources.judge_names) > 1 else scores


def run_all(batch: Batch, nodes: Sequence[Node]) -> None:
    """Run each node once, starting all async nodes that can start before waiting for any."""
    waits: set[str] = set()
    for node in nodes:
        if node.definition.is_async or not waits.isdisjoint(_needs(node)):
            waits.add(node.key)
    waiting = [node for node in nodes if node.key in waits]
    for node in waiting:
        if not _needs(node):
            batch.run(node)
    _run_in_pieces(batch, [node for node in nodes if node.key not in waits])
    waiting = [node for node in waiting if node.key not in batch.pending]
    while waiting or batch.pending:
        later: list[Node] = []
        for node in waiting:
            needs = _needs(node)
            pending = [batch.pending[key] for key in needs if key in batch.pending]
            # An async node can await pending cells row by row. One that takes all references of
            # a row at once needs their cells complete and grouped.
            can_wait = node.definition.is_async and all(
                not is_best(each) and each.per_reference <= node.per_reference for each in pending
            )
            if needs & {other.key for other in later} or (pending and not can_wait):
                later.append(node)
            else:
                batch.run(node)
        waiting = later
        if batch.pending:
            from ragauge.calls.loop import gather, run

            columns = run(gather([batch.computed[key] for key in batch.pending]))
            for node, cells in zip(batch.pending.values(), columns, strict=True):
                batch.keep(node, cells)
            batch.pending.clear()


def _run_in_pieces(batch: Batch, nodes: Sequence[Node]) -> None:
    """Run nodes that wait for nothing; if somebody watches, on a few rows at a time, which tell how long the others take."""
    tell, size, start = batch.resources.listener, FIRST_ROWS, 0
    if tell is ignore or batch.n <= size or not nodes:
        for node in nodes:
            batch.run(node)
        if nodes:
            tell(Measured(batch.n))
        return
    piece_s = REMOTE_PIECE_S if any(map(batch.resources.encodes_elsewhere, nodes)) else PIECE_S
    # Spread over the batch, as neighbours are alike: answers of one system, or about one document.
    order = sorted(range(batch.n), key=lambda row: row * GOLDEN_RATIO % 1)
    computed: dict[str, list[Cells]] = {node.key: [()] * batch.n for node in nodes}
    while start < batch.n:
        began, rows = monotonic(), order[start : start + size]
        columns = {name: [cells[at] for at in rows] for name, cells in batch.columns.items()}
        piece = Batch(columns, batch.resources)
        for node in nodes:
            piece.run(node)
            ends = [at + 1 for at in range(piece.n)]
            if node.key in piece.paired:
                ends = list(accumulate(n or 0 for n in piece.n_references))
            for row, begin, end in zip(rows, (0, *ends), ends):  # noqa: B905
                computed[node.key][row] = piece.computed[node.key][begin:end]
        batch.paired |= piece.paired
        tell(Measured(piece.n))
        start += size
        took = max(monotonic() - began, piece_s / 100)
        size = max(FIRST_ROWS // 2, min(round(size * piece_s / took), 4 * size))
    batch.computed |= {key: [*chain(*by_row)] for key, by_row in computed.items()}


def _needs(node: Node) -> set[str]:
    return {source.node for source in node.inputs if source.node}


def _with_repeats(plan: Plan, batch: Batch) -> list[Scores]:
    """The scores; those that depend on a judge are means over all repeats."""
    scores = [batch.scores(metric) for metric in plan.metrics]
    n_repeats = batch.resources.judging.repeat
    if n_repeats == 1:
        return scores
    judged, repeats = plan.judged, [scores]
    for number in range(1, n_repeats):
        # The nodes that depend on a judge are computed again.
        again = Batch(batch.columns, batch.resources.for_repeat(number))
        again.computed = {key: batch.computed[key] for key in batch.computed.keys() - judged}
        again.paired = batch.paired - judged
        run_all(again, [node for node in plan.nodes if node.key in judged])
        repeats.append([again.scores(metric) for metric in plan.metrics])
    return [
        [_mean_score(row) for row in zip(*(each[place] for each in repeats), strict=True)]
        if metric.node in judged
        else scores[place]
        for place, metric in enumerate(plan.metrics)
    ]


def _mean_score(repeats: Sequence[Score | None]) -> Score | None:
    """The mean score of one row over the repeats, with their values and spread as evidence."""
    given = [score for score in repeats if score is not None]
    scored = [score for score in given if score.value is not None]
    lost = [score for score in given if score.is_lost or LOST_PARTS in (score.evidence or {})]
    if not scored:
        return next((score for score in lost if score.is_lost), repeats[0])
    values = [cast(float, score.value) for score in scored]
    # The mean of equal values is exactly that value, without the rounding error of a sum.
    mean = values[0] if len(set(values)) == 1 else sum(values) / len(values)
    spread = (sum((value - mean) ** 2 for value in values) / len(values)) ** 0.5
    by_repeat = [
        score.value if score and score.value is not None else score and score.reason
        for score in repeats
    ]
    evidences = [score.evidence or {} for score in scored]
    evidence = {**evidences[0], "repeats": by_repeat, "spread": spread}
    if any(each.get("needs_review") for each in evidences):
        evidence["needs_review"] = True
    if lost:
        evidence[LOST_PARTS] = evidence.get(LOST_PARTS, [f"{len(lost)} of {len(repeats)} repeats"])
    if "grade" in evidence and len(set(values)) > 1:  # the grade of the first repeat only
        evidence["grades"] = [each.get("grade") for each in evidences]
        del evidence["grade"]
    return Score(mean, evidence=evidence)


def _with_disputes(plan: Plan, scores: Sequence[Scores]) -> list[Scores]:
    """The scores; where judges disagree on a row, their scores are marked for review."""
    by_metric: dict[str, list[int]] = {}
    for place, metric in enumerate(plan.metrics):
        if "judge=" in metric.metric:
            by_metric.setdefault(without_judge(metric.metric), []).append(place)
    out = [list(column) for column in scores]
    for places in (places for places in by_metric.values() if len(places) > 1):
        labels = [Label.parse(plan.metrics[place].metric) for place in places]
        names = [str(label.settings.get("judge")) for label in labels]
        for row, given in enumerate(zip(*(scores[place] for place in places), strict=True)):
            values = [score.value for score in given if score and score.value is not None]
            if len(values) < 2 or max(values) - min(values) < DISPUTE:
                continue
            by_judge = {name: it and it.value for name, it in zip(names, given, strict=True)}
            marks: dict[str, object] = {"needs_review": True, "judges": by_judge}
            for place, score in zip(places, given, strict=True):
                if score and score.value is not None:
                    out[place][row] = replace(score, evidence={**(score.evidence or {}), **marks})
    return out


def without_judge(metric: str) -> str:
    """A label without its judge and prompts: equal for the same metric scored by several judges."""
    return without_settings(metric, ("judge", PROMPTS)) if "judge=" in metric else metric


@gc_paused()
def score_frame(plan: Plan, columns: Columns, resources: Resources) -> "pl.DataFrame":
    """A batch's scores by sample, then by metric, with the columns of SCORES and EVIDENCE."""
    import polars as pl

    measured, kept = measure(plan, columns, resources), resources.evidence
    metrics = [metric.metric for metric in plan.metrics]
    has_parts = [callable(getattr(metric.definition, "aggregate", None)) for metric in plan.metrics]
    # The places of each score's row and metric.
    rows, places, scores = list[int](), list[int](), list[Score]()
    for row, across in enumerate(zip(*measured, strict=True)):
        for place, score in enumerate(across):
            if score is not None:
                rows.append(row)
                places.append(place)
                scores.append(score)
    ids, systems = columns["id"], columns["system"]
    evidence: list[str | None] = []
    try:
        for score in scores:
            is_kept = kept == "all" or (
                (score.value is None or bool(score.flags))
                if kept == "failed"
                else Flag.REPEATED in score.flags
            )
            evidence.append(evidence_json(score.evidence) if is_kept else None)
    except (TypeError, ValueError, RecursionError) as error:
        at = len(evidence)
        raise MetricError(
            f"metric {metrics[places[at]]} returned evidence that is not JSON for sample "
            f"{ids[rows[at]]!r} of system {systems[rows[at]]!r}: {error!s:.200}"
        ) from error
    parts: list[list[float] | None] = []
    for place, score in zip(places, scores, strict=True):
        given = (score.evidence or {}).get("parts")
        if not has_parts[place] or score.value is None:
            parts.append(None)
        elif isinstance(given, list | tuple):
            parts.append([float(part) for part in cast("Sequence[float]", given)])
        else:
            raise MetricError(
                f"metric {metrics[place]} has a custom aggregate, but a score has no list of numbers in "
                "evidence['parts']; return Score(value, evidence={'parts': [...]})"
            )
    of_row = pl.Series(rows, dtype=pl.UInt32)
    return pl.DataFrame(
        {
            "id": pl.Series(ids, dtype=pl.String).gather(of_row),
            "system": pl.Series(systems, dtype=pl.String).gather(of_row),
            "metric": pl.Series(metrics, dtype=pl.String).gather(places),
            "value": pl.Series([score.value for score in scores], dtype=pl.Float64),
            "status": pl.Series([score.status for score in scores], dtype=pl.String),
            "reason": pl.Series([score.reason for score in scores], dtype=pl.String),
            "flags": _flags(scores, in_other_languages(plan.metrics, columns, rows, places)),
            "parts": pl.Series(parts, dtype=pl.List(pl.Float64)),
            "evidence": pl.Series(evidence, dtype=pl.String),
        }
    )


def in_other_languages(
    planned: Sequence[PlannedMetric], columns: Columns, rows: Sequence[int], places: Sequence[int]
) -> dict[int, str]:
    """The flags of the scores, by position, in languages that their metrics were not compared with people in."""
    found = [metric.definition and trust_in(metric.definition.name) for metric in planned]
    measured = [trust.languages if trust else () for trust in found]
    if not any(measured):
        return {}
    texts: list[list[str]] = [[] for _ in columns["id"]]
    for name in TEXTS:
        for of_sample, cell in zip(texts, columns.get(name, ())):  # noqa: B905
            of_sample += [cell] if isinstance(cell, str) else cast("Sequence[str]", cell or ())
    # The language of each sample, by its texts together; None if unclear.
    languages = [language_of("\n".join(of_sample)) for of_sample in texts]
    return {
        at: f"{LANGUAGE}{language}"
        for at, (row, place) in enumerate(zip(rows, places, strict=True))
        if measured[place] and (language := languages[row]) and language not in measured[place]
    }


def _flags(scores: Sequence[Score], more: Mapping[int, str]) -> "pl.Series":
    """The flags of each score, with `more` by position; polars is slow with many empty lists."""
    import polars as pl

    flags: dict[int, list[str]] = {}
    for at, score in enumerate(scores):
        if at in more or (score.evidence and not FLAGGING.isdisjoint(score.evidence)):
            own = [*score.flags, *([more[at]] if at in more else [])]
            if own:
                flags[at] = own
    column = pl.Series([[]], dtype=pl.List(pl.String)).new_from_index(0, len(scores))
    if not flags:
        return column
    own = pl.Series(list(flags.values()), dtype=pl.List(pl.String))
    # The place of each score's list: 0 is the empty one.
    places = [0] * len(scores)
    for place, at in enumerate(flags, start=1):
        places[at] = place
    return column.head(1).append(own).gather(places)


def evidence_json(evidence: Evidence | None) -> str | None:
    """Evidence as strict JSON; raises TypeError or ValueError if it is not JSON data."""
    if evidence is None:
        return None
    text = "".join(_ITERATE(evidence, 0))
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


_JSON = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, check_circular=False, separators=(",", ":")
)


# The encoder that `_JSON.encode` would build for each text; one for all saves a third of the time.
_COMPILED = getattr(json.encoder, "c_make_encoder", None)  # not in every Python
_ITERATE: Callable[[object, int], Iterable[str]] = (
    _COMPILED(
        None, _JSON.default, json.encoder.encode_basestring, None, ":", ",", False, False, False
    )
    if _COMPILED
    else lambda value, _: _JSON.iterencode(value)
)
