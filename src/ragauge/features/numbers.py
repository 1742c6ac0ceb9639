"""The quantities of answers, references and contexts."""

from collections.abc import Sequence

from ragauge.language.dates.parts import Date
from ragauge.language.numbers.numbers import quantities, quantities_of_context
from ragauge.language.numbers.quantity import Quantity
from ragauge.metric import feature


@feature
def question_quantities(question: str) -> tuple[Quantity, ...]:
    """The quantities in the question.

    >>> [one.text for one in question_quantities("Who sold 5 cars?")]
    ['5']
    """
    return quantities(question)


@feature
def answer_quantities(answer: str, answer_dates: Sequence[Date]) -> tuple[Quantity, ...]:
    """The quantities in the answer.

    >>> [one.text for one in answer_quantities("5 km, then $2.", ())]
    ['5 km', '$2']
    """
    return quantities(answer, answer_dates)


@feature
def reference_quantities(reference: str, reference_dates: Sequence[Date]) -> tuple[Quantity, ...]:
    """The quantities in the reference.

    >>> [one.plain_value for one in reference_quantities("5 million", ())]
    ['5000000']
    """
    return quantities(reference, reference_dates)


@feature
def context_quantities(
    contexts: Sequence[str], context_dates: Sequence[Sequence[Date]]
) -> tuple[tuple[Quantity, ...], ...]:
    """The quantities in each context; `7/10` and `7 out of 10` count as each other, too.

    >>> [len(found) for found in context_quantities(["5 of 7", "none"], [(), ()])]
    [2, 0]
    >>> [one.plain_value for one in context_quantities(["7/10"], [()])[0]]
    ['0.7', '7', '10']
    """
    return tuple(map(quantities_of_context, contexts, context_dates))
