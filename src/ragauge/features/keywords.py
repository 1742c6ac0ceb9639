"""The keywords of answers and references."""

from ragauge.language.keywords import Extractor, keywords
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
