"""What an answer took: time, tokens and cost, as `ragauge ask` or the file of answers tells them.

What a conversation took counts at its last turn, and is undefined at the others.
"""

from ragauge.metric import metric
from ragauge.score import NOT_LAST, Score


@metric(version=1, low=0.0, high=None, lower_is_better=True)
def latency_s(
    latency_s: float | None,
    answer: str,
    whole_conversation: str | None = None,
    conversation: str | None = None,
) -> float | Score:
    """How many seconds the system took for the answer.

    At least 0; lower is better. Of the last attempt, without pauses between attempts. Missing where nothing tells
    it, or the system gave no answer.

    Source: ours.

    >>> latency_s(0.25, "Paris")
    0.25
    """
    return _told("latency_s", latency_s, whole_conversation, conversation)


@metric(version=1, low=0.0, high=None, lower_is_better=True)
def first_token_s(
    first_token_s: float | None,
    answer: str,
    whole_conversation: str | None = None,
    conversation: str | None = None,
) -> float | Score:
    """How many seconds passed until the first part of the answer, where the system streams.

    At least 0; lower is better. Missing where nothing was streamed, or where the system gave no answer.

    Source: ours.

    >>> first_token_s(0.25, "Paris")
    0.25
    """
    return _told("first_token_s", first_token_s, whole_conversation, conversation)


@metric(version=1, low=0.0, high=None, lower_is_better=True)
def input_tokens(
    input_tokens: float | None,
    answer: str,
    whole_conversation: str | None = None,
    conversation: str | None = None,
) -> float | Score:
    """How many tokens were sent to the model for the answer.

    At least 0; lower is better. Missing where the system does not report it, or gave no answer.

    Source: ours.

    >>> input_tokens(120.0, "Paris")
    120.0
    """
    return _told("input_tokens", input_tokens, whole_conversation, conversation)


@metric(version=1, low=0.0, high=None, lower_is_better=True)
def output_tokens(
    output_tokens: float | None,
    answer: str,
    whole_conversation: str | None = None,
    conversation: str | None = None,
) -> float | Score:
    """How many tokens the model wrote for the answer.

    At least 0; lower is better. Missing where the system does not report it, or gave no answer.

    Source: ours.

    >>> output_tokens(12.0, "Paris")
    12.0
    """
    return _told("output_tokens", output_tokens, whole_conversation, conversation)


@metric(version=1, low=0.0, high=None, lower_is_better=True)
def cost_usd(
    cost_usd: float | None,
    answer: str,
    whole_conversation: str | None = None,
    conversation: str | None = None,
) -> float | Score:
    """What the answer cost, in US dollars.

    At least 0; lower is better. As the system reports it, or its tokens times the price. Missing where neither is
    known, or where the system gave no answer.

    Source: ours.

    >>> cost_usd(0.002, "Paris")
    0.002
    """
    return _told("cost_usd", cost_usd, whole_conversation, conversation)


def _told(
    name: str, value: float | None, whole_conversation: str | None, conversation: str | None
) -> float | Score:
    if value is not None:
        return value
    if whole_conversation is None and conversation is not None:
        return Score.undefined(NOT_LAST)
    return Score.missing(f"the sample has no {name}")
