"""How much of what the reference holds the answer holds too: keywords, numbers, length."""

import re
from collections.abc import Sequence
from typing import Literal

from ragauge.language.keywords import Extractor, by_value
from ragauge.language.numbers import Quantity
from ragauge.metric import NOTHING_EXPECTED, Share, metric
from ragauge.score import Score

# What the group of the seed's [\$]?(\d+\.?\d*)%? holds: the signs around it change nothing.
SEED_NUMBER = re.compile(r"\d\d*\.?\d*")

NumberExtractor = Literal["default", "regex"]


@metric(version=2)
def keyword_coverage(
    answer_keywords: frozenset[str],
    reference_keywords: frozenset[str],
    *,
    extractor: Extractor = "default",
    on_nothing_expected: Share | None = None,
) -> Score:
    """Share of the reference's keywords that are among the answer's.

    In [0, 1]; best over the references. A reference without keywords: undefined, or
    `on_nothing_expected`, which counts only where no reference has any. `extractor="regex"` is the
    seed system's own way of finding keywords.
    Source: seed 001, "Keyword Coverage".

    >>> keyword_coverage(frozenset({"604", "rate"}), frozenset({"rate", "change"})).value
    0.5
    """
    return _coverage(answer_keywords, reference_keywords, "keywords", on_nothing_expected)


@metric(version=2)
def number_match(
    answer: str,
    reference: str,
    answer_numbers: frozenset[str],
    reference_quantities: Sequence[Quantity],
    *,
    extractor: NumberExtractor = "default",
    on_nothing_expected: Share | None = None,
) -> Score:
    """Share of the reference's distinct numbers that the answer states too.

    In [0, 1]; best over the references. Numbers are compared by value: `$1,000` is `1000.0`,
    `5 million` is `5,000,000`; a percentage is no plain number, and the sign counts. Dates and list
    numbers are not expected. A reference without numbers: undefined, or `on_nothing_expected`.
    `extractor="regex"` compares the texts that the seed system's pattern finds.
    Source: seed 001, "Number Match".

    >>> import ragauge as rg
    >>> rg.score("number_match", answer="The premium is $604", reference="$604").value
    1.0
    """
    if extractor == "regex":
        given, expected = _seed_numbers(answer), _seed_numbers(reference)
    else:
        given = answer_numbers
        expected = frozenset(by_value(one) for one in reference_quantities if one.counts)
    return _coverage(given, expected, "numbers", on_nothing_expected)


@metric(version=2)
def number_precision(
    answer_quantities: Sequence[Quantity],
    references: Sequence[str] | None,
    contexts: Sequence[str] | None,
    reference_numbers: frozenset[str] | None,
    context_numbers: frozenset[str] | None,
) -> Score:
    """Share of the answer's distinct numbers that stand in a reference or a context.

    In [0, 1]; what is left of 1 is invented. Compared by value, as in `number_match`. An answer
    without numbers: undefined; neither references nor contexts known: missing.
    Source: our own, after seed 001, "Number Match".

    >>> import ragauge as rg
    >>> rg.score("number_precision", answer="It costs $604 or $7.", contexts=["604 dollars"]).value
    0.5
    """
    if references is None and contexts is None:
        return Score.missing("the sample has neither references nor contexts")
    if references is not None and not references and contexts is None:
        return Score.undefined("there is neither a reference nor a context to look in")
    stated = frozenset(by_value(one) for one in answer_quantities if one.counts)
    if not stated:
        return Score.undefined("the answer states no numbers")
    known = (reference_numbers or frozenset()) | (context_numbers or frozenset())
    evidence = {"supported": sorted(stated & known), "invented": sorted(stated - known)}
    return Score(len(stated & known) / len(stated), evidence=evidence)


@metric(version=2)
def answer_completeness(
    answer: str,
    reference: str,
    answer_keywords: frozenset[str],
    reference_keywords: frozenset[str],
    *,
    extractor: Extractor = "default",
    on_nothing_expected: Share | None = None,
) -> Score:
    """Mean of the length ratio min(answer words / reference words, 1) and keyword coverage.

    In [0, 1]; best over the references. Words are split at whitespace. A reference without
    keywords: undefined, or its coverage (and without words its length ratio) is
    `on_nothing_expected`. Source: seed 001, "Answer Completeness".

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
    evidence = {
        "length": length,
        "n_answer_words": n_answer,
        "n_reference_words": n_reference,
        "keyword_coverage": coverage.value,
        **(coverage.evidence or {}),
    }
    return Score((length + coverage.value) / 2, evidence=evidence)


def _coverage(
    given: frozenset[str], expected: frozenset[str], what: str, on_nothing: float | None
) -> Score:
    if not expected:
        if on_nothing is None:
            return Score.undefined(f"the reference has no {what}")
        return Score(on_nothing, evidence={"matched": [], "unmatched": [], NOTHING_EXPECTED: True})
    matched = given & expected
    evidence = {"matched": sorted(matched), "unmatched": sorted(expected - matched)}
    return Score(len(matched) / len(expected), evidence=evidence)


def _seed_numbers(text: str) -> frozenset[str]:
    return frozenset(SEED_NUMBER.findall(text))
