"""Measures of one ranking against its judgements."""

from collections.abc import Sequence
from math import log2
from typing import Literal

from ragauge.features.rankings import Hit, Judged, Match
from ragauge.metric import Count, metric
from ragauge.score import Score

Discount = Literal["log2", "reciprocal"]
Ideal = Literal["judged", "retrieved", "all"]
Gains = Literal["linear", "exponential"]

HIGHEST_EXPONENT = 1_000
NOTHING_RELEVANT = "no relevant document is judged"


@metric(version=1)
def ndcg(
    judged: Judged,
    *,
    discount: Discount = "log2",
    ideal: Ideal = "judged",
    gains: Gains = "linear",
    match: Match = "id",
    k: Count | None = None,
) -> Score:
    """Normalised discounted cumulative gain: how high the relevant documents stand.

    In [0, 1]. DCG sums gain / log2(rank + 1) over the first `k`, or gain / rank with
    `discount="reciprocal"`; a grade below 0 gains 0; `gains="exponential"` gains 2^grade - 1. It is
    divided by the DCG of the ideal ranking: of the judged documents, cut at `k` (`ideal="judged"`);
    of the judged documents, not cut (`"all"`, seed 000); or of the relevant ones among the
    retrieved (`"retrieved"`, seed 003). Of passages that match the same gold text only the first
    gains, except with `"retrieved"`. No judged document of grade ≥ 1: undefined; a grade over 1000
    with exponential gains, too.

    Source: Järvelin & Kekäläinen 2002; trec_eval's `ndcg` and `ndcg_cut`; seeds 000 and 003.

    >>> from ragauge.features.rankings import judged
    >>> ndcg(judged(["x", "a"], {"a": 1}, None, None), k=10).value
    0.6309297535714575
    """
    if not judged.n_relevant():
        return Score.undefined(NOTHING_RELEVANT)
    if gains == "exponential" and judged.grades[0] > HIGHEST_EXPONENT:
        return Score.undefined(f"2 to the grade {judged.grades[0]} is beyond any number")
    hits = judged.top(k)
    counted = hits if ideal == "retrieved" else tuple(hit for hit in hits if hit.n_new)
    dcg = sum(_gain(hit.grade, gains) / _discount(hit.rank, discount) for hit in counted)
    grades = sorted((hit.grade for hit in hits), reverse=True)
    grades = grades if ideal == "retrieved" else judged.grades
    cut = None if ideal == "all" else k
    ideal_dcg = sum(
        _gain(grade, gains) / _discount(rank, discount)
        for rank, grade in enumerate(grades[:cut], 1)
    )
    evidence = {
        **_evidence(counted, judged),
        "dcg": dcg,
        "ideal_dcg": ideal_dcg,
    }
    return Score(dcg / ideal_dcg if ideal_dcg else 0.0, evidence=evidence)


@metric(version=1)
def recall(
    judged: Judged, *, min_grade: int = 1, match: Match = "id", k: Count | None = None
) -> Score:
    """Share of the relevant documents that are among the first `k` retrieved.

    In [0, 1]. Relevant is a grade of at least `min_grade`; with `match="text"` the share of the
    gold passages that one of the first `k` passages matches. Nothing relevant: undefined. Seed 000
    calls this "modified precision".

    Source: Manning et al. 2008, section 8.3; trec_eval's `recall`; seeds 000 and 003.

    >>> from ragauge.features.rankings import judged
    >>> recall(judged(["x", "a"], {"a": 1, "b": 1}, None, None)).value
    0.5
    """
    n_relevant = judged.n_relevant(min_grade)
    if not n_relevant:
        return Score.undefined(NOTHING_RELEVANT)
    hits = tuple(hit for hit in judged.top(k) if hit.grade >= min_grade)
    n_found = sum(hit.n_new for hit in hits)
    evidence = {**_evidence(hits, judged), "n_found": n_found, "n_relevant": n_relevant}
    return Score(n_found / n_relevant, evidence=evidence)


@metric(version=1)
def precision(
    judged: Judged, *, min_grade: int = 1, match: Match = "id", k: Count | None = None
) -> Score:
    """Share of the first `k` places that hold a relevant document.

    In [0, 1]. With `k` it is divided by `k`, however few were retrieved; without, by the number
    retrieved, and retrieving nothing gives 0. Nothing relevant is judged: undefined.

    Source: Manning et al. 2008, section 8.3; trec_eval's `P` and `set_P`.

    >>> from ragauge.features.rankings import judged
    >>> precision(judged(["x", "a"], {"a": 1}, None, None), k=10).value
    0.1
    """
    if not judged.n_relevant(min_grade):
        return Score.undefined(NOTHING_RELEVANT)
    hits = tuple(hit for hit in judged.top(k) if hit.grade >= min_grade)
    n_places = judged.n_retrieved if k is None else k
    evidence = {**_evidence(hits, judged), "n_places": n_places}
    return Score(len(hits) / n_places if n_places else 0.0, evidence=evidence)


def _gain(grade: int, gains: Gains) -> float:
    grade = max(grade, 0)
    return 2.0**grade - 1 if gains == "exponential" else float(grade)


def _discount(rank: int, discount: Discount) -> float:
    return float(rank) if discount == "reciprocal" else log2(rank + 1)


def _evidence(hits: Sequence[Hit], judged: Judged) -> dict[str, object]:
    found = [{"rank": hit.rank, "grade": hit.grade, "name": hit.name} for hit in hits]
    return {"hits": found, "n_retrieved": judged.n_retrieved, "judged": list(judged.grades)}
