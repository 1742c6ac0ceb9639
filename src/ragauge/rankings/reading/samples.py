"""Read judgements and rankings from samples: `relevant` and `context_ids`."""

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

import numpy as np

from ragauge.errors import DataError, Problem
from ragauge.rankings.judgements import NOT_JUDGED, JudgedRun, Judgements
from ragauge.rankings.reading.fields import field_of_series
from ragauge.rankings.reading.in_memory import SortedRun, rank_rows
from ragauge.rankings.reading.rows import Chosen, refuse, rows_of
from ragauge.samples.samples import Samples, to_columns

_CHOSEN = Chosen("id", "context_ids", "context_ids", "score")


def judgements_of_samples(samples: Samples) -> Judgements:
    """The judgements in `relevant`; DataError if the systems have different ones for a question."""
    _refuse_without(samples, "relevant")
    columns = to_columns(samples.frame.select("id", "system", "relevant"))
    judged: dict[str, Mapping[str, int]] = {}
    given_by: dict[str, object] = {}
    problems: list[Problem] = []
    for id, system, relevant in zip(*columns.values(), strict=True):
        if relevant is None:
            continue
        query, grades = cast(str, id), cast(Mapping[str, int], relevant)
        given_by.setdefault(query, system)
        if judged.setdefault(query, grades) != grades:
            what = f"systems {given_by[query]!r} and {system!r} have different `relevant`; use the same for every system"
            problems.append(Problem(what, samples.source, None, "relevant", query))
    if not judged:
        problems.append(Problem("is null in every row", samples.source, None, "relevant"))
    refuse(problems)
    return Judgements.from_mapping(judged, samples.source)


def rank_samples(samples: Samples) -> dict[str, SortedRun]:
    """Each system's rankings: `context_ids` in their order.

    A repeated id counts once, at its first rank, and later ones move up. Scores are 0, -1, -2 …
    Questions with null or empty `context_ids` are left out.
    """
    import polars as pl

    _refuse_without(samples, "context_ids")
    found: dict[str, SortedRun] = {}
    for system in samples.systems:
        ids = (
            samples.frame.filter(pl.col("system") == system)
            .select("id", "context_ids")
            .explode("context_ids")
            .drop_nulls("context_ids")
            .unique(maintain_order=True, keep="first")
        )
        if not ids.height:
            if not _searched(samples, system):
                what = f"is null for every question of system {system!r}"
                raise DataError([Problem(what, samples.source, None, "context_ids")])
            continue
        first = (ids["id"] != ids["id"].shift(1)).fill_null(value=True).arg_true()
        begins = first.to_numpy().astype(np.int64)
        size = np.diff(begins, append=ids.height)
        rows = rows_of(
            samples.source,
            _CHOSEN,
            field_of_series(ids["id"].gather(first)),
            field_of_series(ids["context_ids"]),
            (np.repeat(begins, size) - np.arange(ids.height)).astype(np.float64),
            first=begins,
        )
        found[system] = rank_rows(rows, "", "trec9")
    return found


def match_samples_to_qrels(samples: Samples, judgements: Judgements) -> dict[str, JudgedRun]:
    """Each system's retrieved documents matched to judgements, in the order of `context_ids`.

    A sample with empty `context_ids` retrieved nothing; one with null was not searched and is left
    out.
    """
    rankings = rank_samples(samples)
    seen: dict[str, JudgedRun] = {}
    for system in samples.systems:
        known = [judgements.numbers.get(id, NOT_JUDGED) for id in _searched(samples, system)]
        searched = np.zeros(judgements.n_queries, np.bool_)
        searched[[place for place in known if place != NOT_JUDGED]] = True
        ranking = rankings.get(system)
        found = ranking.matched_to(judgements) if ranking else JudgedRun.nothing(judgements)
        n_unjudged = known.count(NOT_JUDGED)
        seen[system] = replace(found, searched=searched, n_unjudged_queries=n_unjudged)
    return seen


def _searched(samples: Samples, system: str) -> list[str]:
    """The questions that the system searched for: those with `context_ids`, also an empty list."""
    import polars as pl

    found = samples.frame.filter(pl.col("system") == system, pl.col("context_ids").is_not_null())
    return found["id"].to_list()


def _refuse_without(samples: Samples, field: str) -> None:
    if field not in samples.columns:
        what = f"is not a column; the columns are {', '.join(samples.columns)}"
        raise DataError([Problem(what, samples.source, None, field)])
