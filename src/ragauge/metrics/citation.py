"""Whether an answer says where it comes from."""

from ragauge.metric import Count, metric
from ragauge.score import Score

INDICATORS = (
    "source:",
    "table:",
    "page",
    "document",
    "pdf",
    "according to",
    "based on",
    "from",
)


@metric(version=1)
def citation_quality(answer: str, *, enough: Count = 3) -> Score:
    """How many kinds of source indication the answer shows, of the number that is enough.

    In [0, 1]; 1.0 from `enough` distinct indicators on. Each indicator counts once, as a substring
    in any case: "from" is found in "fromage". An empty answer shows none: 0.0. Source: seed 001, "Source Citation Quality".

    >>> citation_quality("According to page 4 of the rules manual").value
    0.6666666666666666
    """
    lowered = answer.lower()
    found = [indicator for indicator in INDICATORS if indicator in lowered]
    return Score(min(len(found) / enough, 1.0), evidence={"found": found, "enough": enough})
