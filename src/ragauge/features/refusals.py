"""Where answers say that they do not answer."""

from typing import Annotated, Literal

from ragauge.language.refusals import RefusalMatch, find_refusals
from ragauge.metric import Renamed, feature

Phrases = Annotated[Literal["default", "graphrag"], Renamed({"seed-002": "graphrag"})]
"""Which refusals are found: by our own rules, or by the phrases of the suite graphrag."""


@feature
def refusals(answer: str) -> tuple[RefusalMatch, ...]:
    """Where the answer says that it does not answer; see `find_refusals`.

    >>> [found.words for found in refusals("Sorry, the report does not give the fee.")]
    ['report does not give']
    """
    return find_refusals(answer)
