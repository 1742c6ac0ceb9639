"""The ways to aggregate scores, by name. It imports nothing, since every metric names one."""

from typing import Literal

Aggregation = Literal["mean", "sum", "geometric_mean"]
"""How the scores of many rows are aggregated; see `ragauge.stats.intervals`."""
