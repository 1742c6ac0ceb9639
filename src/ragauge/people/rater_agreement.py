"""How well people agree with each other: the most that a metric can be asked for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ragauge.people.verdicts import MatchedLabels
from ragauge.stats.agreement import (
    Level,
    alpha_of,
    chance_corrected_of_draws,
    kappa_of,
    spearman_of,
)
from ragauge.stats.intervals import Estimate, Floats1d, Floats2d
from ragauge.stats.resampling import (
    QuestionResamples,
    Statistic,
    mean_by_size,
    numbered,
    plain_value,
)

if TYPE_CHECKING:
    from ragauge.people.metric_agreement import MetricAgreement

    Ints = NDArray[np.int64]

MAX_PAIRS = 200
"""Most pairs of raters whose agreement is computed one by one; with more, alpha says it."""
LEAST_COMMON = 2
"""Fewest answers that two raters must both have labelled."""


@dataclass(frozen=True, slots=True)
class RaterPair:
    """Two raters, how many answers both labelled, and their agreement.

    `value` is Cohen's kappa for yes and no and for preferences, Spearman's correlation for grades; None if
    one of them gives every answer the same label, as `note` says.
    """

    left: str
    right: str
    n: int
    value: float | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class RaterAgreement:
    """How well the raters agree with each other.

    `n` answers were labelled by two raters or more. `between` is the agreement of two raters: the mean of
    the pairs' values, weighted by their answers. `alpha` is Krippendorff's, by level: "nominal" for yes
    and no and preferences, "ordinal" and "interval" for grades. `n_labels` is by rater.
    """

    n: int
    n_labels: Mapping[str, int]
    between: Estimate | None
    alpha: Mapping[Level, Estimate]
    pairs: tuple[RaterPair, ...]
    notes: tuple[str, ...] = ()


def rater_agreement(
    labels: MatchedLabels, *, seed: int, clusters: Mapping[str, str] | None = None
) -> RaterAgreement | None:
    """The agreement of the raters; None for a single rater. Questions of one of `clusters` are drawn together."""
    counts = dict(labels.frame.group_by("rater").len().sort("rater").iter_rows())
    if len(counts) < 2:
        return None
    # A row for each labelled answer and a column for each rater.
    keys = [pl.col(name).fill_null("") for name in ("id", "system", "other", "metric")]
    keyed = labels.frame.with_columns(pl.concat_str(keys, separator="\0").alias("item"))
    wide = keyed.pivot("rater", index=["item", "id"], values="value", aggregate_function="first")
    wide = wide.sort("item")
    raters = sorted(set(wide.columns) - {"item", "id"})
    ratings = wide.select(raters).to_numpy().astype(float)
    several = (~np.isnan(ratings)).sum(axis=1) > 1
    ids, ratings = wide["id"].filter(pl.Series(several)), ratings[several]
    pairs, people = _compared(ratings, raters, labels.kind)
    notes = [f"rater {name!r} gave a single label" for name, size in counts.items() if size == 1]
    n, between, alpha = len(ratings), None, dict[Level, Estimate]()
    if not n:
        notes.append("no answer was labelled by two raters, so their agreement is unknown")
    else:
        if comb(len(raters), 2) <= MAX_PAIRS and people is None:
            what = "two answers that both labelled, with different labels"
            notes.append(f"no two raters can be compared: it takes {what}")
        elif comb(len(raters), 2) > MAX_PAIRS:
            notes.append(f"{len(raters)} raters are too many to compare pair by pair")
        drawn = numbered([id if clusters is None else clusters[id] for id in ids])
        resamples = QuestionResamples(drawn, seed=seed)
        items, places = np.nonzero(~np.isnan(ratings))
        given = ratings[items, places]
        # How often two of all ratings agree by chance.
        sizes = np.unique(given, return_counts=True)[1]
        by_chance = float((sizes * (sizes - 1)).sum()) / (len(given) * (len(given) - 1))

        def estimate(statistic: Statistic) -> Estimate | None:
            if labels.kind == "graded":
                return resamples.estimate(statistic)
            (found,) = resamples.draws([statistic])
            return found and chance_corrected_of_draws(*found, by_chance, n, resamples)

        between = None if people is None else estimate(people)
        levels: list[Level] = ["ordinal", "interval"] if labels.kind == "graded" else ["nominal"]
        for level in levels:
            of_items = _of_items(alpha_of(items, given, level), items)
            alpha |= {} if (found := estimate(of_items)) is None else {level: found}
    return RaterAgreement(n, counts, between, alpha, pairs, tuple(notes))


def _of_items(statistic: Statistic, items: "Ints") -> Statistic:
    """A statistic of ratings as one of the weights of their items."""
    return lambda weights: statistic(weights[:, items])


def _compared(
    ratings: Floats2d, raters: Sequence[str], kind: str
) -> tuple[tuple[RaterPair, ...], Statistic | None]:
    """The pairs of raters, none if there are too many; the mean agreement of those with a value, None if none has."""
    pairs: list[RaterPair] = []
    known: list[tuple[Statistic, int]] = []
    is_few = comb(len(raters), 2) <= MAX_PAIRS
    for left, right in combinations(range(len(raters)), 2) if is_few else ():
        both = np.flatnonzero(~np.isnan(ratings[:, left]) & ~np.isnan(ratings[:, right]))
        if len(both) >= LEAST_COMMON:
            statistic = _agreement_on(both, ratings[both, left], ratings[both, right], kind)
            value = plain_value(statistic, len(ratings))
            note = "" if value is not None else "one of the two gives every answer the same label"
            pairs.append(RaterPair(raters[left], raters[right], len(both), value, note))
            known += [] if value is None else [(statistic, len(both))]
    return tuple(pairs), _mean_of(known) if known else None


def _agreement_on(rows: "Ints", left: Floats1d, right: Floats1d, kind: str) -> Statistic:
    """The agreement of two raters on some rows, as a statistic of all rows' weights."""
    own = spearman_of(left, right) if kind == "graded" else kappa_of(left, right)
    return lambda weights: own(weights[:, rows])


def _mean_of(sized: Sequence[tuple[Statistic, int]]) -> Statistic:
    """The mean of statistics, weighted by size; those without a value in a resample do not count."""
    sizes = np.array([[size] for _, size in sized], dtype=float)
    return lambda weights: mean_by_size(
        np.stack([statistic(weights) for statistic, _ in sized]), sizes
    )


@dataclass(frozen=True, slots=True)
class Ceiling:
    """A metric's agreement with one person, beside that of two people, on answers that two labelled.

    `difference` is metric minus people, with its interval. Cohen's kappa of held-out verdicts for yes and
    no, Spearman's correlation for grades.
    """

    metric: float
    people: float
    difference: Estimate


def ceiling(agreement: "MetricAgreement", labels: MatchedLabels, *, seed: int) -> Ceiling | None:
    """The comparison of a metric with people; None without two raters of the same answers."""
    scores, about = agreement.scores, labels.about(agreement.metric)
    raters = sorted(set(about["rater"].unique().to_list()))
    if len(raters) < 2 or (labels.kind == "binary" and agreement.held_out is None):
        return None
    # Rows on which people are tied count too: without them people would seem to agree more than they do.
    rows = pl.concat([scores.frame, scores.tied])
    said = scores.oriented(rows) if agreement.held_out is None else agreement.held_out.astype(float)
    said = np.sign(said) if labels.kind == "preference" else said
    answer = ["id", "system", "other"]
    verdicts = rows.select(*answer, said=pl.Series(said))
    wide = about.pivot("rater", index=answer, values="value", aggregate_function="first")
    wide = wide.join(verdicts, on=answer, how="inner").sort(answer)
    ratings = wide.select(raters).to_numpy().astype(float)
    several = (~np.isnan(ratings)).sum(axis=1) > 1
    wide, ratings = wide.filter(pl.Series(several)), ratings[several]
    _, people = _compared(ratings, raters, labels.kind)
    if people is None:
        return None
    # The mean agreement of the metric's verdicts with each rater.
    given_to = wide["said"].to_numpy()
    labelled = [(np.flatnonzero(~np.isnan(given)), given) for given in ratings.T]
    metric = _mean_of(
        [
            (_agreement_on(rows, given_to[rows], given[rows], labels.kind), len(rows))
            for rows, given in labelled
            if len(rows) >= LEAST_COMMON
        ]
    )
    resamples = QuestionResamples(scores.drawn(wide), seed=seed)
    difference = resamples.estimate(lambda weights: metric(weights) - people(weights))
    own, theirs = plain_value(metric, len(ratings)), plain_value(people, len(ratings))
    if difference is None or own is None or theirs is None:
        return None
    return Ceiling(own, theirs, difference)
