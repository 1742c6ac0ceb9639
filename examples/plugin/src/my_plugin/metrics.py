"""Metrics: functions from columns of the data to a score."""

import ragauge as rg


@rg.metric(version=1)
def brevity(answer: str, *, enough: int = 50) -> float:
    """1 for up to `enough` words; longer answers score less.

    In (0, 1]. Source: our own.
    """
    return min(1.0, enough / max(len(answer.split()), 1))
