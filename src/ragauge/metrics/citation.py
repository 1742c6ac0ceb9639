"""Whether an answer names its sources."""

from ragauge.metric import metric
from ragauge.score import Score
from ragauge.setting import Count

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
    """How many kinds of source references the answer contains, relative to the number that is enough.

    In [0, 1]: distinct indicators / `enough`, at most 1. The indicators are "source:", "table:",
    "page", "document", "pdf", "according to", "based on" and "from", found as substrings ignoring case
    ("from" is found in "fromage"). Never undefined; an empty answer scores 0.0.

    Source: the suite answer-quality.

    >>> citation_quality("According to page 4 of the rules manual").value
    0.6666666666666666
    """
    lowered = answer.lower()
    found = [indicator for indicator in INDICATORS if indicator in lowered]
    return Score(min(len(found) / enough, 1.0), evidence={"found": found, "enough": enough})
