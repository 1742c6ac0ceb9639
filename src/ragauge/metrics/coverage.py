"""How much of the reference's content the answer has: keywords, numbers, length."""

import re
from collections.abc import Sequence
from typing import Literal

from ragauge.language.keywords import Extractor, by_value
from ragauge.language.quantity import Quantity
from ragauge.metric import NOTHING_EXPECTED, Share, metric
from ragauge.score import Score

# The group of [\$]?(\d+\.?\d*)%?, the pattern of the suite answer-quality.
REGEX_NUMBER = re.compile(r"\d\d*\.?\d*")

NumberExtractor = Literal["default", "regex"]


@metric(version=2)
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

    In [0, 1]; best over the references. Numbers are compared by value and sign: `$1,000` equals
    `1000.0`, `5 million` equals `5,000,000`; `5%` does not equal 5. Dates and list numbers of the
    reference do not count. Undefined if the reference has no numbers, or `on_nothing_expected` if no
    reference has any. `extractor="regex"` compares the digits that a regular expression finds, as
    text.

    Source: the suite answer-quality.

    >>> import ragauge as rg
    >>> rg.score("number_match", answer="The premium is $604", reference="$604").value
    1.0
    """
    if extractor == "regex":
        given, expected = _regex_numbers(answer), _regex_numbers(reference)
    else:
        given = answer_numbers
        expected = frozenset(
            by_value(quantity) for quantity in reference_quantities if quantity.counts
        )
    return _coverage(given, expected, "numbers", on_nothing_expected)


@metric(version=2)
def number_precision(
    answer_quantities: Sequence[Quantity],
    references: Sequence[str] | None,
    contexts: Sequence[str] | None,
    reference_numbers: frozenset[str] | None,
    context_numbers: frozenset[str] | None,
) -> Score:
    """Share of the answer's distinct numbers that occur in a reference or a context.

    In [0, 1]; the rest of the numbers are invented. Numbers are compared as in `number_match`.
    Undefined if the answer has no numbers, or if the list of references is empty and there are no
    contexts; missing if the sample has neither field.

    Source: ours, the precision that belongs to `number_match`.

    >>> import ragauge as rg
    >>> rg.score("number_precision", answer="It costs $604 or $7.", contexts=["604 dollars"]).value
    0.5
    """
    if references is None and contexts is None:
        return Score.missing("the sample has neither references nor contexts")
    if references is not None and not references and contexts is None:
        return Score.undefined("there is neither a reference nor a context to look in")
    stated = frozenset(by_value(quantity) for quantity in answer_quantities if quantity.counts)
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


def _regex_numbers(text: str) -> frozenset[str]:
    return frozenset(REGEX_NUMBER.findall(text))
