"""Score runs against judgements with trec_eval's numbers."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, get_args

import numpy as np

import ragauge.rankings.measures  # noqa: F401  # pyright: ignore[reportUnusedImport]  # declares them
from ragauge.errors import LabelError, PlanError
from ragauge.label import SettingValue, outside_brackets
from ragauge.rankings.hits import Bools, Compat, Floats
from ragauge.rankings.judgements import Judgements
from ragauge.rankings.measure import MEASURES
from ragauge.rankings.names import AskedMeasure, read_measure
from ragauge.rankings.reading.sources import judged_runs, named_runs, read_judgements
from ragauge.rankings.reading.streams import refuse_read_twice
from ragauge.rankings.result import RankingResult, Undefined

if TYPE_CHECKING:
    from ragauge.rankings.reading.sources import RankingSource

DEFAULT_MEASURES = ("ndcg@10", "map", "mrr@10", "recall@100", "precision@10")

LARGEST_DEPTH = 1 << 62
COUNTED_WITHOUT_RESULTS = ("num_q", "num_rel")
"""Counts that include queries for which the run has no results."""


def rank(
    qrels: "RankingSource | Judgements",
    runs: "RankingSource | Sequence[RankingSource] | Mapping[str, RankingSource]",
    measures: str | Sequence[str] = DEFAULT_MEASURES,
    *,
    min_grade: int = 1,
    complete: bool = False,
    depth: int | None = None,
    judged_only: bool = False,
    undefined: Undefined = "zero",
    compat: Compat = "trec9",
    seed: int = 0,
) -> RankingResult:
    """Score runs against judgements, with trec_eval's numbers.

    `qrels` and each run are a file (TREC text, also gzip or zstd; Parquet, CSV, JSON), a BEIR folder,
    a mapping query → document → grade or score as in pytrec_eval, a frame, or samples. Pass several
    runs as a list, or as a mapping of names to runs. Measures have ragauge's or trec_eval's names.

    Means are over the queries that are in both the judgements and the run; with `complete`
    (trec_eval's -c) over all judged queries, where a query without results scores 0. A query without
    a relevant judged document is undefined: `undefined="zero"` counts it as 0, as trec_eval does,
    `"leave_out"` leaves it out. `min_grade` (-l) is the lowest grade that counts as relevant; nDCG
    and other gain measures ignore it. `depth` (-M) truncates every ranking, `judged_only` (-J)
    removes unjudged documents. Ties are ordered by document name, descending by bytes; scores are
    compared as 32-bit floats as in trec_eval 9 and pytrec_eval, or as 64-bit floats with
    `compat="trec10"`.

    Raises DataError when a source cannot be read or shares no query with the judgements, LabelError
    for an unknown measure, PlanError for invalid settings.

    >>> ranked = rank({"q1": {"d1": 1}}, {"q1": {"d1": 0.5, "d2": 0.9}}, ["mrr"])
    >>> ranked.mean("mrr")
    0.5
    """
    counts = [("min_grade", min_grade, 1), ("seed", seed, 0)]
    counts += [] if depth is None else [("depth", depth, 1)]
    problems = [
        f"{name} must be a whole number of at least {least}, got {value!r}"
        for name, value, least in counts
        if type(value) is not int or value < least
    ]
    for name, value, known in (
        ("undefined", undefined, get_args(Undefined)),
        ("compat", compat, get_args(Compat)),
    ):
        if value not in known:
            problems.append(f"{name} must be {' or '.join(map(repr, known))}, got {value!r}")
    if problems:
        raise PlanError(problems)
    asked = _measures([measures] if isinstance(measures, str) else measures)
    declared = [MEASURES[measure.label.name] for measure in asked]
    settings: list[dict[str, SettingValue]] = []
    for own, measure in zip(declared, asked, strict=True):
        # A label's settings go before the common ones.
        common: dict[str, SettingValue] = {"min_grade": min_grade, "compat": compat}
        common = {name: value for name, value in common.items() if name in own.setting_names}
        settings.append(own.read_settings({**common, **measure.label.settings}))
    refuse_read_twice([qrels, *(source for _, source in named_runs(runs))])
    judgements = read_judgements(qrels)
    by_name = judged_runs(runs, judgements, compat)
    values: list[list[Floats]] = []
    is_undefined: list[list[Bools]] = []
    for run in by_name.values():
        hits = run.hits if depth is None else run.hits.up_to(min(depth, LARGEST_DEPTH))
        hits = hits.judged_only() if judged_only else hits
        values.append([])
        is_undefined.append([])
        for own, given in zip(declared, settings, strict=True):
            found = own.values(hits, given)
            # Queries without results score 0, with `complete` too.
            is_all = own.name in COUNTED_WITHOUT_RESULTS
            values[-1].append(found.value if is_all else np.where(run.is_present, found.value, 0.0))
            is_undefined[-1].append(found.undefined)
    present = np.array([run.is_present for run in by_name.values()])
    return RankingResult(
        judgements,
        tuple(by_name),
        asked,
        np.array(values),
        np.array(is_undefined),
        np.ones_like(present) if complete else present,
        present,
        tuple(run.n_unjudged_queries for run in by_name.values()),
        undefined,
        seed,
        tuple(f"{name}: {note}" for name, run in by_name.items() for note in run.notes),
    )


def _measures(names: Sequence[str]) -> tuple[AskedMeasure, ...]:
    """The measures of these names, or of several in one, separated by commas or blanks.

    LabelError lists every unknown name.
    """
    measures: list[AskedMeasure] = []
    problems: list[str] = []
    for name in names:
        try:
            try:
                measures += read_measure(name)
            except LabelError:
                parts = outside_brackets(r"[,\s]+", name.strip())
                if len(parts) == 1:
                    raise
                measures += [measure for part in parts for measure in read_measure(part)]
        except LabelError as error:
            problems.append(str(error))
    if problems:
        raise LabelError("\n".join(problems))
    if not measures:
        raise PlanError("no measure given; give one such as ndcg@10")
    return tuple(measures)
