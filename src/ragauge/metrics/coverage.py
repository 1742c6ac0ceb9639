"""How much of the reference's content the answer has: keywords and length."""

from ragauge.language.keywords import Extractor
from ragauge.language.reasons import why_complete, why_covered
from ragauge.metric import NOTHING_EXPECTED, metric
from ragauge.score import Score
from ragauge.setting import Share


@metric(version=13)
def keyword_coverage(
    answer_keywords: frozenset[str],
    reference_keywords: frozenset[str],
    *,
    extractor: Extractor = "default",
    on_nothing_expected: Share | None = None,
) -> Score:
    """Share of the reference's keywords that are among the answer's keywords.

    In [0, 1]; best over the references. Keywords are phrases of capitalised words, capitalised words
    with their number or code, numbers, and words of four or more letters that are not stop words;
    `extractor="regex"` uses the patterns of the suite answer-quality. Undefined if the reference has no
    keywords, or `on_nothing_expected` if no reference has any.

    Source: the suite answer-quality.

    >>> keyword_coverage(frozenset({"604", "rate"}), frozenset({"rate", "change"})).value
    0.5
    """
    if not reference_keywords and on_nothing_expected is None:
        return Score.undefined("the reference has no keywords")
    if not reference_keywords:
        nothing: dict[str, object] = {"matched": [], "unmatched": [], NOTHING_EXPECTED: True}
        return Score(on_nothing_expected, evidence=nothing)
    has = sorted(reference_keywords & answer_keywords)
    lacks = sorted(reference_keywords - answer_keywords)
    evidence = {"matched": has, "unmatched": lacks, "why": why_covered(has, lacks)}
    return Score(len(has) / len(reference_keywords), evidence=evidence)


@metric(version=13)
def answer_completeness(
    answer: str,
    reference: str,
    answer_keywords: frozenset[str],
    reference_keywords: frozenset[str],
    *,
    extractor: Extractor = "default",
    on_nothing_expected: Share | None = None,
) -> Score:
    """Mean of the length ratio min(answer words / reference words, 1) and `keyword_coverage`.

    In [0, 1]; best over the references. Words are split on whitespace. Undefined if the reference has no
    keywords; with `on_nothing_expected`, that value is used for the coverage, and for the length ratio if
    the reference has no words.

    Source: the suite answer-quality.

    >>> words = frozenset({"premium"})
    >>> answer_completeness("The premium", "The premium is due", words, words).value
    0.75
    """
    coverage = keyword_coverage(
        answer_keywords,
        reference_keywords,
        extractor=extractor,
        on_nothing_expected=on_nothing_expected,
    )
    if coverage.value is None:
        return coverage
    n_answer, n_reference = len(answer.split()), len(reference.split())
    length = min(n_answer / n_reference, 1.0) if n_reference else on_nothing_expected or 0.0
    evidence: dict[str, object] = {
        "length": length,
        "n_answer_words": n_answer,
        "n_reference_words": n_reference,
        "keyword_coverage": coverage.value,
        **(coverage.evidence or {}),
    }
    if isinstance(covered := evidence.get("why"), str):
        evidence["why"] = why_complete(n_answer, n_reference, covered)
    return Score((length + coverage.value) / 2, evidence=evidence)
