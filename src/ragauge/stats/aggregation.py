"""The ways to aggregate scores, by name. It imports nothing, since every metric names one."""

from typing import Literal

Aggregation = Literal["mean", "sum", "geometric_mean"]
"""What is made of the scores of many rows; see `ragauge.stats.aggregates`."""
