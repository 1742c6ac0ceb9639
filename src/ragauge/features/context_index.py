"""The contexts of a sample, indexed for looking up an answer's anchors."""

from collections.abc import Sequence

from ragauge.language.claims.context_index import ContextIndex
from ragauge.language.dates.parts import Date
from ragauge.language.numbers.quantity import Quantity
from ragauge.language.words import Words, words_of
from ragauge.metric import feature


@feature
def passage_words(contexts: Sequence[str]) -> tuple[Words, ...]:
    """The words of each context.

    >>> [each.listed for each in passage_words(["A cat.", ""])]
    [['a', 'cat'], []]
    """
    return tuple(map(words_of, contexts))


@feature
def context_index(
    contexts: Sequence[str],
    passage_words: Sequence[Words],
    context_quantities: Sequence[Sequence[Quantity]],
    context_dates: Sequence[Sequence[Date]],
) -> ContextIndex:
    """The index of the contexts, in which anchors are looked up.

    >>> texts = ["ACME owns Initech"]
    >>> index = context_index(texts, passage_words(texts), [()], [()])
    >>> from ragauge.language.claims.claims import claims
    >>> from ragauge.language.claims.context_index import support
    >>> [support(claim, index) is not None for claim in claims("Acme bought Initech")]
    [True]
    """
    return ContextIndex(contexts, passage_words, context_quantities, context_dates)
