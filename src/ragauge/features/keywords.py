"""The keywords of answers and references, and their numbers as values."""

from collections.abc import Sequence

from ragauge.language.keywords import Extractor, by_value, keywords
from ragauge.language.quantity import Quantity
from ragauge.metric import feature


@feature
def answer_keywords(answer: str, *, extractor: Extractor = "default") -> frozenset[str]:
    """The answer's keywords; see `keywords`.

    >>> sorted(answer_keywords("Rule C-1 applies"))
    ['Rule C-1', 'applies', 'rule']
    """
    return keywords(answer, extractor)


@feature
def reference_keywords(reference: str, *, extractor: Extractor = "default") -> frozenset[str]:
    """The reference's keywords; see `keywords`.

    >>> sorted(reference_keywords("about $604"))
    ['604']
    """
    return keywords(reference, extractor)


@feature
def answer_numbers(answer_quantities: Sequence[Quantity]) -> frozenset[str]:
    """The answer's numbers by value, including numbers in words and years of dates.

    >>> from ragauge.language.numbers import quantities
    >>> sorted(answer_numbers(quantities("$1,604.50 is 5% of two")))
    ['1604.5', '2', '5%']
    """
    return frozenset(map(by_value, answer_quantities))


@feature
def reference_numbers(
    references: Sequence[str], reference_quantities: Sequence[Sequence[Quantity]]
) -> frozenset[str]:
    """The numbers of all references by value.

    >>> from ragauge.language.numbers import quantities
    >>> sorted(reference_numbers(["$5", "six, or 7"], [quantities("$5"), quantities("six, or 7")]))
    ['5', '6', '7']
    """
    return frozenset(by_value(each) for quantities in reference_quantities for each in quantities)


@feature
def context_numbers(context_quantities: Sequence[Sequence[Quantity]]) -> frozenset[str]:
    """The numbers of all contexts by value.

    >>> from ragauge.language.numbers import quantities
    >>> sorted(context_numbers([quantities("5%"), quantities("1e3")]))
    ['1000', '5%']
    """
    return frozenset(by_value(each) for quantities in context_quantities for each in quantities)
