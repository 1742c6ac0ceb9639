"""The dates and times of answers, references and contexts."""

from collections.abc import Sequence

from ragauge.language.dates.dates import dates
from ragauge.language.dates.parts import Date
from ragauge.metric import feature


@feature
def answer_dates(answer: str) -> tuple[Date, ...]:
    """The dates and times in the answer.

    >>> [one.text for one in answer_dates("It opened in May 2021.")]
    ['May 2021']
    """
    return dates(answer)


@feature
def reference_dates(reference: str) -> tuple[Date, ...]:
    """The dates and times in the reference.

    >>> [one.text for one in reference_dates("since 2021")]
    ['2021']
    """
    return dates(reference)


@feature
def context_dates(contexts: Sequence[str]) -> tuple[tuple[Date, ...], ...]:
    """The dates and times in each context.

    >>> [len(found) for found in context_dates(["in 2021", "none"])]
    [1, 0]
    """
    return tuple(map(dates, contexts))
