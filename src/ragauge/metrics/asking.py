"""What an answer took: time, tokens and cost, as `ragauge ask` or the file of answers tells them."""

from ragauge.metric import metric


@metric(version=1, low=0.0, high=None, lower_is_better=True)
def latency_s(latency_s: float, answer: str) -> float:
    """How many seconds the system took for the answer.

    At least 0; lower is better. Of the last attempt, without pauses between attempts. Never undefined;
    missing where nothing tells it, or the system gave no answer.

    Source: ours.

    >>> latency_s(0.25, "Paris")
    0.25
    """
    return latency_s


@metric(version=1, low=0.0, high=None, lower_is_better=True)
def first_token_s(first_token_s: float, answer: str) -> float:
    """How many seconds passed until the first part of the answer, where the system streams.

    At least 0; lower is better. Missing where nothing was streamed, or where the system gave no answer.

    Source: ours.

    >>> first_token_s(0.25, "Paris")
    0.25
    """
    return first_token_s


@metric(version=1, low=0.0, high=None, lower_is_better=True)
def input_tokens(input_tokens: float, answer: str) -> float:
    """How many tokens were sent to the model for the answer.

    At least 0; lower is better. Missing where the system does not report it, or gave no answer.

    Source: ours.

    >>> input_tokens(120.0, "Paris")
    120.0
    """
    return input_tokens


@metric(version=1, low=0.0, high=None, lower_is_better=True)
def output_tokens(output_tokens: float, answer: str) -> float:
    """How many tokens the model wrote for the answer.

    At least 0; lower is better. Missing where the system does not report it, or gave no answer.

    Source: ours.

    >>> output_tokens(12.0, "Paris")
    12.0
    """
    return output_tokens


@metric(version=1, low=0.0, high=None, lower_is_better=True)
def cost_usd(cost_usd: float, answer: str) -> float:
    """What the answer cost, in US dollars.

    At least 0; lower is better. As the system reports it, or its tokens times the price. Missing where neither is
    known, or where the system gave no answer.

    Source: ours.

    >>> cost_usd(0.002, "Paris")
    0.002
    """
    return cost_usd
