"""The ranking measures of trec_eval and others, computed for many rankings at once."""

import math
from collections.abc import Iterator, Sequence
from functools import cache, partial
from itertools import pairwise
from operator import lt
from typing import Annotated, Literal

import numpy as np

from ragauge.rankings.hits import (
    Bools,
    Cause,
    Compat,
    Floats,
    Hits,
    Ints,
    judged_hits,
    measure,
    n_found,
    n_hits,
    n_places,
    n_relevant,
    nonrelevant_hits,
    ranks_within,
    relevant_hits,
)
from ragauge.rankings.hits import one_hit as one_hit  # for the examples
from ragauge.setting import Constraint, Count, Share

Discount = Literal["log2", "reciprocal"]
Ideal = Literal["judged", "retrieved", "all"]
Gains = Literal["linear", "exponential"]
Factor = Annotated[float, Constraint("a number above 0", partial(lt, 0))]
HIGHEST_EXPONENT = 1_000
EPSILON = 0.00001
"""infAP's smoothing, as in trec_eval."""
LARGEST_TABLE = 1 << 20


def _ratio(part: Floats | Ints, whole: Floats | Ints) -> Floats:
    """part / whole; 0.0 where the whole is 0."""
    return np.divide(part, whole, out=np.zeros(len(part)), where=whole != 0)


def _log2(numbers: Ints) -> Floats:
    """Computed with Python's log2: the last digits of NumPy's depend on the processor."""
    most = int(numbers.max(initial=0))
    if most >= LARGEST_TABLE:
        return np.array([math.log2(number) for number in numbers.tolist()])
    return _log2_table(max(most.bit_length(), 5))[numbers]


@cache
def _log2_table(n_bits: int) -> Floats:
    return np.array([0.0, *map(math.log2, range(1, 1 << n_bits))])


def _gain(grade: Ints, gains: Gains) -> Floats | Ints:
    grade = np.maximum(grade, 0)
    if gains == "exponential":
        return np.ldexp(1.0, np.minimum(grade, HIGHEST_EXPONENT)) - 1
    return grade


def _discounted(
    gain: Floats | Ints, rank: Ints, discount: Discount = "log2", k: int | None = None
) -> Floats:
    """The gains divided by the discounts of their ranks; 0.0 after the first k."""
    ranks = np.arange(int(rank.max(initial=0)) + 1)
    by_rank = ranks.astype(np.float64) if discount == "reciprocal" else _log2(ranks + 1)
    if k is not None:
        by_rank[k + 1 :] = np.inf
    return gain / by_rank[rank]


def _by_place(query: Ints, n: int) -> Iterator[Ints]:
    """The index of each query's first row in a column sorted by query; then of each second row."""
    place = ranks_within(query, n)
    order = np.argsort(place, kind="stable")
    for start, stop in pairwise(np.cumsum(np.bincount(place)).tolist()):
        yield order[start:stop]


# Graded measures


def credited_hits(hits: Hits, *, ideal: Ideal = "judged", k: int | None = None) -> Bools:
    """Which hits gain, (h,): of passages that match the same gold passage the first, or all."""
    top = judged_hits(hits, k=k)
    return top if ideal == "retrieved" else top & (hits.n_new > 0)


def dcg(
    hits: Hits,
    *,
    discount: Discount = "log2",
    ideal: Ideal = "judged",
    gains: Gains = "linear",
    k: int | None = None,
) -> Floats:
    """The sum of the discounted gains of the first k, (n,)."""
    gain = _gain(hits.grade, gains)
    gain = gain if ideal == "retrieved" else gain * (hits.n_new > 0)
    return hits.total(hits.query, _discounted(gain, hits.rank, discount, k))


def ideal_dcg(
    hits: Hits,
    *,
    discount: Discount = "log2",
    ideal: Ideal = "judged",
    gains: Gains = "linear",
    k: int | None = None,
) -> Floats:
    """The DCG of the ideal ranking, (n,)."""
    if ideal == "retrieved":
        top = judged_hits(hits, k=k)
        query = hits.query[top]
        grade = hits.grade[top][np.lexsort((-hits.grade[top], query))]
        amount = _discounted(_gain(grade, gains), ranks_within(query, hits.n), discount)
        return hits.total(query, amount)
    k = None if ideal == "all" else k
    amount = _discounted(_gain(hits.judged_grade, gains), hits.ideal_rank, discount, k)
    return hits.total(hits.judged_query, amount)


def beyond_exponent(hits: Hits, *, gains: Gains = "linear") -> Cause:
    """Queries with a grade too high for exponential gains."""
    is_exponential = gains == "exponential"
    where = (hits.n_relevant(HIGHEST_EXPONENT + 1) > 0) & is_exponential
    return Cause(where, f"a grade above {HIGHEST_EXPONENT} is too high for exponential gains")


@measure(
    beyond=beyond_exponent,
    by_text=True,
    shown=credited_hits,
    parts={"dcg": dcg, "ideal_dcg": ideal_dcg},
)
def ndcg(
    hits: Hits,
    *,
    discount: Discount = "log2",
    ideal: Ideal = "judged",
    gains: Gains = "linear",
    k: Count | None = None,
) -> Floats:
    """Normalised discounted cumulative gain: how high the relevant documents are ranked.

    In [0, 1]. DCG sums gain / log2(rank + 1) over the first `k`, or gain / rank with
    `discount="reciprocal"`; a grade below 0 gains 0; `gains="exponential"` gains 2^grade - 1. It is
    divided by the DCG of the ideal ranking: of the judged documents, cut at `k` (`ideal="judged"`);
    of the judged documents, not cut (`"all"`, as in the suite factual-qa); or of the relevant ones
    among the retrieved (`"retrieved"`, as in passage-retrieval). Of passages that match the same
    gold text only the first gains, except with `"retrieved"`. Undefined if no judged document has
    grade ≥ 1, and for a grade over 1000 with exponential gains.

    Source: Järvelin & Kekäläinen 2002; trec_eval's `ndcg` and `ndcg_cut`; the suites factual-qa and
    passage-retrieval.

    >>> ndcg(one_hit(rank=2), k=10).tolist()
    [0.6309297535714575]
    """
    gained = dcg(hits, discount=discount, ideal=ideal, gains=gains, k=k)
    possible = ideal_dcg(hits, discount=discount, ideal=ideal, gains=gains, k=k)
    return _ratio(gained, possible)


# Binary measures


@measure(
    by_text=True,
    shown=relevant_hits,
    parts={"n_found": n_found, "n_relevant": n_relevant},
)
def recall(hits: Hits, *, min_grade: Count = 1, k: Count | None = None) -> Floats:
    """Share of the relevant documents that are among the first `k` retrieved.

    In [0, 1]. Relevant is a grade of at least `min_grade`; with `match="text"` the share of the
    gold passages that one of the first `k` passages matches. Undefined if nothing is relevant. The
    source of the suite factual-qa calls this "modified precision".

    Source: Manning et al. 2008, section 8.3; trec_eval's `recall` and `set_recall`; the suites
    factual-qa and passage-retrieval.

    >>> recall(one_hit(rank=2)).tolist(), recall(one_hit(rank=2), k=1).tolist()
    ([1.0], [0.0])
    """
    return _ratio(n_found(hits, min_grade=min_grade, k=k), hits.n_relevant(min_grade))


@measure(by_text=True, shown=relevant_hits, parts={"n_places": n_places})
def precision(hits: Hits, *, min_grade: Count = 1, k: Count | None = None) -> Floats:
    """Share of the first `k` places that hold a relevant document.

    In [0, 1]. With `k` the divisor is `k`, even if fewer were retrieved; without it, the number
    retrieved. Retrieving nothing gives 0. Undefined if no relevant document is judged.

    Source: Manning et al. 2008, section 8.3; trec_eval's `P` and `set_P`.

    >>> precision(one_hit(rank=2), k=10).tolist()
    [0.1]
    """
    return _ratio(n_hits(hits, min_grade=min_grade, k=k), n_places(hits, k=k))


@measure(name="map", by_text=True, shown=relevant_hits)
def average_precision(hits: Hits, *, min_grade: Count = 1, k: Count | None = None) -> Floats:
    """Precision at the rank of each relevant document, averaged over all of them.

    In [0, 1]. A relevant document that is not among the first `k` retrieved counts 0. Of passages
    that match the same gold text only the first counts. Undefined if no relevant document is
    judged. The mean over queries is MAP.

    Source: Buckley & Voorhees 2005, section 3.1; trec_eval's `map` and `map_cut`.

    >>> average_precision(one_hit(rank=4)).tolist()
    [0.25]
    """
    at = np.flatnonzero(relevant_hits(hits, min_grade=min_grade, k=k))
    query = hits.query[at]
    amount = hits.n_new[at] * (ranks_within(query, hits.n) / hits.rank[at])
    return _ratio(hits.total(query, amount), hits.n_relevant(min_grade))


@measure(by_text=True, shown=relevant_hits)
def mrr(hits: Hits, *, min_grade: Count = 1, k: Count | None = None) -> Floats:
    """One over the rank of the first relevant document, 0 when none is among the first `k`.

    In [0, 1]. Undefined if no relevant document is judged. The mean over queries is the mean
    reciprocal rank.

    Source: Voorhees 1999, "The TREC-8 Question Answering Track Report"; trec_eval's `recip_rank`.

    >>> mrr(one_hit(rank=4)).tolist(), mrr(one_hit(rank=4), k=3).tolist()
    ([0.25], [0.0])
    """
    found = relevant_hits(hits, min_grade=min_grade, k=k)
    highest = np.zeros(hits.n)
    np.maximum.at(highest, hits.query[found], 1 / hits.rank[found])
    return highest


@measure(by_text=True, shown=relevant_hits)
def success(hits: Hits, *, min_grade: Count = 1, k: Count | None = None) -> Floats:
    """Whether a relevant document is among the first `k` retrieved: 1.0 or 0.0.

    Also called hit rate. Undefined if no relevant document is judged.

    Source: Craswell & Hawking 2004, "Overview of the TREC 2004 Web Track"; trec_eval's `success`.

    >>> success(one_hit(rank=4), k=5).tolist(), success(one_hit(rank=4), k=3).tolist()
    ([1.0], [0.0])
    """
    return (n_hits(hits, min_grade=min_grade, k=k) > 0).astype(np.float64)


@measure(by_text=True, shown=relevant_hits)
def r_precision(hits: Hits, *, min_grade: Count = 1, multiple: Factor = 1.0) -> Floats:
    """Precision after as many documents as there are relevant ones, or a `multiple` of that.

    In [0, 1]. A cut-off is rounded up if its fractional part is .1 or more, else down. Undefined if
    no relevant document is judged.

    Source: Buckley & Voorhees 2005, section 3.1; trec_eval's `Rprec` and `Rprec_mult`.

    >>> r_precision(one_hit(rank=2)).tolist(), r_precision(one_hit(rank=2), multiple=2).tolist()
    ([0.0], [0.5])
    """
    cut = np.floor(multiple * hits.n_relevant(min_grade) + 0.9)
    found = relevant_hits(hits, min_grade=min_grade) & (hits.rank <= cut[hits.query])
    return _ratio(hits.count(hits.query, found), cut)


@measure(by_text=True, shown=relevant_hits, parts={"n_found": n_found})
def f_measure(
    hits: Hits, *, min_grade: Count = 1, beta: Factor = 1.0, k: Count | None = None
) -> Floats:
    """The weighted harmonic mean of precision and recall, of the first `k` or all retrieved.

    In [0, 1]; 0.0 when nothing relevant is found. Recall weighs `beta` times as much as precision.
    Undefined if no relevant document is judged.

    Source: van Rijsbergen 1979, chapter 7; trec_eval's `set_F`, whose parameter is beta squared.

    >>> f_measure(one_hit(rank=3)).tolist()
    [0.5]
    """
    exact = _ratio(n_hits(hits, min_grade=min_grade, k=k), n_places(hits, k=k))
    whole = _ratio(n_found(hits, min_grade=min_grade, k=k), hits.n_relevant(min_grade))
    weight = beta * beta
    return _ratio((1 + weight) * exact * whole, weight * exact + whole)


@measure(shown=relevant_hits)
def set_map(hits: Hits, *, min_grade: Count = 1) -> Floats:
    """Precision times recall of all that is retrieved, whatever its order.

    In [0, 1]; retrieving nothing gives 0. Undefined if no relevant document is judged.

    Source: trec_eval's `set_map`.

    >>> set_map(one_hit(rank=4)).tolist()
    [0.25]
    """
    n = n_hits(hits, min_grade=min_grade)
    return _ratio(n, hits.n_retrieved) * _ratio(n, hits.n_relevant(min_grade))


@measure(shown=relevant_hits)
def relative_precision(hits: Hits, *, min_grade: Count = 1, k: Count | None = None) -> Floats:
    """Precision of the first `k`, or of all retrieved, as a share of the highest possible.

    In [0, 1]: the number of relevant ones among them, divided by the number of places or of
    relevant documents, whichever is lower; retrieving nothing gives 0. Undefined if no relevant
    document is judged.

    Source: trec_eval's `relative_P` and `set_relative_P`.

    >>> relative_precision(one_hit(rank=4), k=10).tolist()
    [1.0]
    """
    possible = np.minimum(n_places(hits, k=k), hits.n_relevant(min_grade))
    return _ratio(n_hits(hits, min_grade=min_grade, k=k), possible)


@measure(by_text=True, shown=relevant_hits)
def rbp(hits: Hits, *, p: Share = 0.9, min_grade: Count = 1, k: Count | None = None) -> Floats:
    """Rank-biased precision: the share of relevant documents for a reader who continues with chance `p`.

    In [0, 1]: (1 - p) times the sum of p^(rank - 1) over the relevant among the first `k`; below 1
    for every ranking of finite length. Undefined if no relevant document is judged.

    Source: Moffat & Zobel 2008, section 4; trec_eval 10's `rbp` for grades of 0 and 1; ir_measures'
    `RBP(rel=1)`, whose default p is 0.8.

    >>> rbp(one_hit(rank=2), p=0.5).tolist()
    [0.25]
    """
    found = relevant_hits(hits, min_grade=min_grade, k=k)
    query, rank = hits.query[found], hits.rank[found]
    chance = np.full(int(rank.max(initial=1)), p)
    chance[0] = 1.0
    seen = np.cumprod(chance)[rank - 1]
    return (1 - p) * hits.total(query, seen)


@measure(undefined="never", lower_is_better=True, ranked=False)
def rbp_residual(hits: Hits, *, p: Share = 0.9) -> Floats:
    """How much rank-biased precision would rise if all unjudged documents were relevant.

    In [0, 1]: 1 less (1 - p) times the sum of p^(rank - 1) over the judged documents retrieved; 0.0
    where every document retrieved is judged. A negative grade does not count as a judgement.

    Source: Moffat & Zobel 2008, section 5; trec_eval 10's `rbp_resid`.

    >>> rbp_residual(one_hit(rank=2), p=0.5).tolist()  # 1 - 0.5 · 0.5
    [0.75]
    """
    is_judged = hits.grade >= 0
    query = hits.query[is_judged]
    known = (1 - p) * hits.total(query, np.power(p, hits.rank[is_judged] - 1.0))
    all_judged = hits.count(hits.query, is_judged) == hits.n_retrieved
    return np.where(all_judged, 0.0, 1 - known)


def cut_of(recall: float, n_relevant: Ints, compat: Compat) -> Floats:
    """The number of relevant documents for this recall, (n,), as trec_eval 9 or 10 rounds it."""
    wanted = recall * n_relevant
    return np.floor(wanted + 0.9) if compat == "trec9" else np.floor(wanted) + (wanted % 1 >= 0.5)


def _interpolated(
    hits: Hits, recalls: Sequence[float], min_grade: int, compat: Compat
) -> Iterator[Floats]:
    """For each recall, each query's highest precision at this recall or beyond."""
    at = np.flatnonzero(relevant_hits(hits, min_grade=min_grade))
    query = hits.query[at]
    reached = ranks_within(query, hits.n) / hits.rank[at]
    found = hits.so_far(np.where(hits.grade >= min_grade, hits.n_new, 0))[at]
    for share in recalls:
        cut = cut_of(share, hits.n_relevant(min_grade), compat)
        beyond = found >= cut[query]
        highest = np.zeros(hits.n)
        np.maximum.at(highest, query[beyond], reached[beyond])
        yield highest


@measure(by_text=True, shown=relevant_hits)
def iprec(
    hits: Hits, *, recall: Share = 0.1, min_grade: Count = 1, compat: Compat = "trec9"
) -> Floats:
    """Interpolated precision at a `recall`: the highest precision at this recall or beyond.

    In [0, 1]; 0.0 where the recall is not reached. The number of relevant documents for this recall
    is rounded up from .1 on with `compat="trec9"`, and to the nearest whole number with `"trec10"`.
    Undefined if no relevant document is judged.

    Source: Manning et al. 2008, section 8.4; trec_eval's `iprec_at_recall`.

    >>> iprec(one_hit(rank=4), recall=0.5).tolist()
    [0.25]
    """
    (highest,) = _interpolated(hits, [recall], min_grade, compat)
    return highest


@measure(by_text=True, shown=relevant_hits)
def avg_11pt(hits: Hits, *, min_grade: Count = 1, compat: Compat = "trec9") -> Floats:
    """Interpolated precision averaged over the recalls 0, 0.1, 0.2 … 1.

    In [0, 1]. `compat` is as in `iprec`. Undefined if no relevant document is judged.

    Source: Manning et al. 2008, section 8.4; trec_eval's `11pt_avg`.

    >>> avg_11pt(one_hit(rank=4)).tolist()
    [0.25]
    """
    recalls = [tenth / 10 for tenth in range(11)]
    return sum(_interpolated(hits, recalls, min_grade, compat), np.zeros(hits.n)) / len(recalls)


# Geometric means


@measure(aggregation="geometric_mean", by_text=True, shown=relevant_hits)
def gmap(hits: Hits, *, min_grade: Count = 1) -> Floats:
    """Average precision with a geometric mean over queries, which is sensitive to poor queries.

    In [0, 1]; one query's value is its `map`; in the mean, values below 0.00001 count as 0.00001.
    Undefined if no relevant document is judged.

    Source: Robertson 2006, "On GMAP"; trec_eval's `gm_map`.

    >>> gmap(one_hit(rank=4)).tolist()
    [0.25]
    """
    return average_precision(hits, min_grade=min_grade)


@measure(aggregation="geometric_mean")
def gm_bpref(hits: Hits, *, min_grade: Count = 1) -> Floats:
    """bpref with a geometric mean over queries.

    In [0, 1]; one query's value is its `bpref`; in the mean, values below 0.00001 count as 0.00001.
    Undefined if no relevant document is judged.

    Source: trec_eval's `gm_bpref`.

    >>> gm_bpref(one_hit(rank=4)).tolist()
    [1.0]
    """
    return bpref(hits, min_grade=min_grade)


# Measures of incomplete judgements


@measure()
def bpref(hits: Hits, *, min_grade: Count = 1) -> Floats:
    """How rarely documents judged nonrelevant are ranked above relevant ones.

    In [0, 1]. The mean over the R relevant documents of 1 - min(n, R) / min(R, N), where n of the N
    judged nonrelevant documents are ranked above the document; one that is not retrieved counts 0.
    Documents that are unjudged or graded below 0 are ignored. Undefined if no relevant document is
    judged.

    Source: Buckley & Voorhees 2004, as implemented in trec_eval's `bpref`.

    >>> bpref(one_hit(rank=4)).tolist()
    [1.0]
    """
    n_wanted = hits.n_relevant(min_grade)
    n_unwanted = hits.n_relevant(0) - n_wanted
    above = hits.so_far(nonrelevant_hits(hits, min_grade=min_grade))
    at = np.flatnonzero(relevant_hits(hits, min_grade=min_grade))
    query = hits.query[at]
    held_against = np.minimum(above[at], n_wanted[query])
    kept = 1.0 - _ratio(held_against, np.minimum(n_unwanted, n_wanted)[query])
    return _ratio(hits.total(query, kept), n_wanted)


@measure(name="infAP")
def inferred_ap(hits: Hits, *, min_grade: Count = 1) -> Floats:
    """Average precision inferred from a sample of judgements.

    In [0, 1]. A grade below 0 means pooled but not judged; such a document is assumed relevant as
    often as the judged ones above it. Undefined if no relevant document is judged.

    Source: Yilmaz & Aslam 2006, as trec_eval's `infAP` smooths it.

    >>> inferred_ap(one_hit(rank=4)).tolist()
    [0.25]
    """
    relevant = relevant_hits(hits, min_grade=min_grade)
    unwanted = hits.so_far(nonrelevant_hits(hits, min_grade=min_grade))[relevant]
    pooled = hits.so_far(hits.grade < 0)[relevant]
    wanted = hits.so_far(relevant)[relevant] - 1
    rank, query = hits.rank[relevant], hits.query[relevant]
    share = (wanted + EPSILON) / (wanted + unwanted + 2 * EPSILON)
    above = rank - 1
    inferred = 1 / rank + above / rank * _ratio(wanted + unwanted + pooled, above) * share
    return _ratio(hits.total(query, inferred), hits.n_relevant(min_grade))


@measure(undefined="nothing retrieved", ranked=False)
def judged(hits: Hits, *, k: Count | None = None) -> Floats:
    """Share of the first `k` retrieved that are judged, relevant or not.

    In [0, 1]. Where fewer than `k` are retrieved it is the share of those; a grade below 0 means
    that the document is not judged. Undefined if nothing is retrieved.

    Source: ir_measures' `Judged`, which counts a grade below 0 as a judgement.

    >>> judged(one_hit(rank=4), k=10).tolist()
    [0.25]
    """
    places = hits.n_retrieved if k is None else np.minimum(hits.n_retrieved, k)
    return _ratio(n_hits(hits, min_grade=0, k=k), places)


@measure(undefined="never", lower_is_better=True, ranked=False)
def unjudged(hits: Hits, *, k: Count | None = None) -> Floats:
    """Share of the first `k` places that hold an unjudged document; lower is better.

    In [0, 1]. With `k` the divisor is `k`, even if fewer were retrieved; without it, the number
    retrieved. Retrieving nothing gives 0. A grade below 0 means that the document is not judged.

    Source: trec_eval 10's `unj`.

    >>> unjudged(one_hit(rank=4), k=10).tolist()
    [0.3]
    """
    n = hits.n_retrieved if k is None else np.minimum(hits.n_retrieved, k)
    return _ratio(n - n_hits(hits, min_grade=0, k=k), n_places(hits, k=k))


# More graded measures


def above_max_grade(hits: Hits, *, max_grade: int = 4) -> Cause:
    """Queries with a grade above `max_grade`."""
    where = hits.n_relevant(max_grade + 1) > 0
    hint = "give the highest one, as in err(max_grade=10)"
    return Cause(where, f"a grade is above max_grade, {max_grade}; {hint}")


@measure(beyond=above_max_grade)
def err(hits: Hits, *, max_grade: Count = 4, k: Count | None = None) -> Floats:
    """Expected reciprocal rank of the document at which a reader is satisfied and stops.

    In [0, 1), not normalised by the ideal ranking. A document of grade g satisfies the reader with
    probability (2^g - 1) / 2^max_grade; one below 0 or not judged never does. Undefined if no
    judged document has grade ≥ 1, and for a grade above `max_grade`.

    Source: Chapelle et al. 2009, "Expected Reciprocal Rank for Graded Relevance"; gdeval's and
    ir_measures' `ERR`, whose highest grade is 4.

    >>> err(one_hit(rank=2, grade=4)).tolist()
    [0.46875]
    """
    at = np.flatnonzero(relevant_hits(hits, k=k))
    query, rank = hits.query[at], hits.rank[at]
    grade = np.minimum(hits.grade[at], max_grade)
    satisfied = np.ldexp(1.0, grade - max_grade) - np.ldexp(1.0, np.array(-max_grade))
    expected, still_reading = np.zeros(hits.n), np.ones(hits.n)
    for here in _by_place(query, hits.n):
        reader = query[here]
        expected[reader] += still_reading[reader] * satisfied[here] / rank[here]
        still_reading[reader] *= 1 - satisfied[here]
    return expected


@measure(name="ndcg_rel")
def ndcg_rel(hits: Hits) -> Floats:
    """nDCG at the rank of each document of grade ≥ 1, averaged over all of them.

    In [0, 1]. A document that is not retrieved counts the nDCG of the whole ranking. Undefined if
    no judged document has grade ≥ 1.

    Source: trec_eval's `ndcg_rel`.

    >>> ndcg_rel(one_hit(rank=3)).tolist()
    [0.5]
    """
    gained, best = _running_and_ideal(hits)
    n_wanted, whole = hits.n_relevant(), _ratio(gained.whole, best.whole)
    n_missed = n_wanted - hits.count(hits.query, hits.grade > 0)
    at_hits = gained.value / best.until(gained.query, gained.rank)
    return _ratio(hits.total(gained.query, at_hits) + n_missed * whole, n_wanted)


@measure(name="Rndcg")
def r_ndcg(hits: Hits, *, min_grade: Count = 1) -> Floats:
    """Mean nDCG at the last rank of each grade in the ideal ranking.

    In [0, 1]. The last of these ranks is the number of documents of grade ≥ 1; if at least two more
    are retrieved, the end of the ranking is added. Undefined if no relevant document is judged;
    `min_grade` affects nothing else.

    Source: trec_eval's `Rndcg`.

    >>> r_ndcg(one_hit(rank=3)).tolist()
    [0.25]
    """
    gained, best = _running_and_ideal(hits)
    ends = (np.diff(best.grade, append=0) != 0) | (np.diff(best.query, append=-1) != 0)
    query, rank = best.query[ends], best.rank[ends]
    at_ends = gained.until(query, rank) / best.until(query, rank)
    n_graded = hits.n_relevant()
    goes_on = hits.n_retrieved > n_graded + 1
    at_end = np.where(goes_on, _ratio(gained.whole, best.whole), 0.0)
    n_ranks = np.bincount(query, minlength=hits.n) + goes_on
    return _ratio(hits.total(query, at_ends) + at_end, n_ranks)


class _RunningDcg:
    """DCG after each document of grade ≥ 1, for n rankings, in columns sorted by query and rank.

    `whole` (n,) is that of the whole rankings.
    """

    def __init__(self, query: Ints, rank: Ints, grade: Ints, n: int) -> None:
        is_graded = grade > 0
        self.query, self.rank, self.grade = query[is_graded], rank[is_graded], grade[is_graded]
        amount = _discounted(self.grade, self.rank)
        self.whole, self.value = np.zeros(n), np.zeros(len(amount))
        for at in _by_place(self.query, n):
            self.whole[self.query[at]] += amount[at]
            self.value[at] = self.whole[self.query[at]]

    def until(self, query: Ints, rank: Ints) -> Floats:
        """The DCG of these queries' rankings down to these ranks."""
        if not len(self.query):
            return np.zeros(len(query))
        width = int(max(self.rank.max(), rank.max(initial=0))) + 1
        at = np.searchsorted(self.query * width + self.rank, query * width + rank, side="right") - 1
        return np.where((at >= 0) & (self.query[at] == query), self.value[at], 0.0)


def _running_and_ideal(hits: Hits) -> tuple[_RunningDcg, _RunningDcg]:
    """The DCG of each ranking, and of the ideal one."""
    return (
        _RunningDcg(hits.query, hits.rank, hits.grade, hits.n),
        _RunningDcg(hits.judged_query, hits.ideal_rank, hits.judged_grade, hits.n),
    )


@measure(name="G")
def g(hits: Hits) -> Floats:
    """Sum of gains, each discounted by the gain that the ranking lacks at that rank.

    In [0, 1]: the grades of the retrieved documents, each divided by log2(2 + ideal - actual),
    summed and divided by the sum of all grades. `ideal` is the gain of the ideal ranking down to
    this rank, at least 1 per rank; `actual` is the gain of this ranking. Undefined if no judged
    document has grade ≥ 1.

    Source: trec_eval's `G`.

    >>> g(one_hit(rank=3)).tolist()
    [0.5]
    """
    best = np.zeros(hits.n, np.int64)
    np.add.at(best, hits.judged_query, np.maximum(hits.judged_grade, 0))
    graded = np.flatnonzero(hits.grade > 0)
    query, rank = hits.query[graded], hits.rank[graded]
    found = hits.so_far(np.maximum(hits.grade, 0))[graded]
    # The gain of the ideal ranking down to the ranks: below the graded documents 1 per rank.
    n_graded = hits.n_relevant()
    total = np.concatenate([[0], np.cumsum(hits.judged_grade[hits.judged_grade > 0])])
    first = (np.cumsum(n_graded) - n_graded)[query]
    within = np.minimum(rank, n_graded[query])
    ideal = total[first + within] - total[first] + rank - within
    return _ratio(hits.total(query, hits.grade[graded] / _log2(2 + ideal - found)), best)


@measure(name="binG", shown=relevant_hits)
def binary_g(hits: Hits, *, min_grade: Count = 1) -> Floats:
    """Share of relevant documents retrieved, each discounted by the number of others above it.

    In [0, 1]: 1 / log2(2 + others above) of each relevant document retrieved, averaged over all
    relevant ones. Undefined if no relevant document is judged.

    Source: trec_eval's `binG`.

    >>> binary_g(one_hit(rank=3)).tolist()
    [0.5]
    """
    at = np.flatnonzero(relevant_hits(hits, min_grade=min_grade))
    query = hits.query[at]
    others = hits.rank[at] - ranks_within(query, hits.n)
    return _ratio(hits.total(query, 1 / _log2(2 + others)), hits.n_relevant(min_grade))


@measure(undefined="never", low=None, high=None, shown=relevant_hits)
def utility(
    hits: Hits,
    *,
    found: float = 1.0,
    wrong: float = -1.0,
    missed: float = 0.0,
    left_out: float = 0.0,
    n_documents: int = 0,
    min_grade: Count = 1,
) -> Floats:
    """Utility of the retrieved set: a weight for each document found, wrong, missed or left out.

    Unbounded. The weights are for relevant documents retrieved (`found`) or not (`missed`), and for
    other documents retrieved (`wrong`) or not (`left_out`); `left_out` needs `n_documents`, the
    size of the collection.

    Source: trec_eval's `utility`.

    >>> utility(one_hit(rank=3)).tolist()
    [-1.0]
    """
    n, n_wanted = n_hits(hits, min_grade=min_grade), hits.n_relevant(min_grade)
    n_left_out = n_documents + n - hits.n_retrieved - n_wanted
    return (
        found * n + wrong * (hits.n_retrieved - n) + missed * (n_wanted - n) + left_out * n_left_out
    )


# Counts: their totals are sums

count = partial(measure, undefined="never", aggregation="sum", high=None)


@count(ranked=False)
def num_q(hits: Hits) -> Floats:
    """The number of queries: 1 for each.

    Source: trec_eval's `num_q`.

    >>> num_q(one_hit(rank=3)).tolist()
    [1.0]
    """
    return np.ones(hits.n)


@count(ranked=False)
def num_ret(hits: Hits) -> Floats:
    """The number of documents retrieved; the total is their sum.

    Source: trec_eval's `num_ret`.

    >>> num_ret(one_hit(rank=3)).tolist()
    [3.0]
    """
    return hits.n_retrieved.astype(np.float64)


@count(ranked=False, shown=relevant_hits)
def num_rel(hits: Hits, *, min_grade: Count = 1) -> Floats:
    """The number of relevant documents, retrieved or not; the total is their sum.

    Source: trec_eval's `num_rel`.

    >>> num_rel(one_hit(rank=3)).tolist()
    [1.0]
    """
    return hits.n_relevant(min_grade).astype(np.float64)


@count(shown=relevant_hits)
def num_rel_ret(hits: Hits, *, min_grade: Count = 1, k: Count | None = None) -> Floats:
    """The number of relevant documents among the first `k` retrieved; the total is their sum.

    Source: trec_eval's `num_rel_ret`.

    >>> num_rel_ret(one_hit(rank=3)).tolist()
    [1.0]
    """
    return n_hits(hits, min_grade=min_grade, k=k).astype(np.float64)


@count(lower_is_better=True)
def num_nonrel_judged_ret(hits: Hits, *, min_grade: Count = 1) -> Floats:
    """The number of documents retrieved that are judged not relevant; the total is their sum.

    Source: trec_eval's `num_nonrel_judged_ret`.

    >>> num_nonrel_judged_ret(one_hit(rank=3, grade=0)).tolist()
    [1.0]
    """
    unwanted = nonrelevant_hits(hits, min_grade=min_grade)
    return hits.count(hits.query, unwanted).astype(np.float64)


@count(lower_is_better=True, ranked=False)
def num_nonjudged_ret(hits: Hits) -> Floats:
    """The number of unjudged documents retrieved; the total is their sum.

    A grade below 0 means that the document is not judged.

    Source: trec_eval 10's `num_nonjudged_ret`.

    >>> num_nonjudged_ret(one_hit(rank=3)).tolist()
    [2.0]
    """
    return (hits.n_retrieved - n_hits(hits, min_grade=0)).astype(np.float64)
