"""Where answers say that they do not answer."""

from ragauge.language.refusals import RefusalMatch, find_refusals
from ragauge.metric import feature


@feature
def refusals(answer: str) -> tuple[RefusalMatch, ...]:
    """Where the answer says that it does not answer; see `find_refusals`.

    >>> [found.words for found in refusals("Sorry, the report does not give the fee.")]
    ['report does not give']
    """
    return find_refusals(answer)
