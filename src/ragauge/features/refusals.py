"""Refusals in answers."""

from typing import Annotated, Literal

from ragauge.language.refusals.refusals import RefusalMatch, find_refusals
from ragauge.metric import feature
from ragauge.setting import Renamed

Phrases = Annotated[Literal["default", "graphrag"], Renamed({"seed-002": "graphrag"})]
"""How refusals are found: by our own rules, or by the phrases of the suite graphrag."""


@feature
def refusals(answer: str, question: str | None = None) -> tuple[RefusalMatch, ...]:
    """The refusals in the answer; see `find_refusals`.

    >>> [match.words for match in refusals("Sorry, the report does not give the fee.")]
    ['report does not give']
    """
    return find_refusals(answer, question)
