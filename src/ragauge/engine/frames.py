"""The scores of a batch as a frame: one row per score, with flags, and evidence as JSON."""

import json
import json.encoder
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from ragauge.engine.batch import measure
from ragauge.engine.graph import Plan, PlannedMetric
from ragauge.engine.resources import Resources
from ragauge.errors import MetricError
from ragauge.language.detection import language_of
from ragauge.samples.samples import Columns
from ragauge.score import FLAGGING, LANGUAGE, Evidence, Flag, Score
from ragauge.storage.memory import gc_paused
from ragauge.trust import trust_in

if TYPE_CHECKING:
    import polars as pl

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
