"""Where `ragauge run` keeps runs and its cache if it is not told where."""

from pathlib import Path

RUNS = Path("ragauge-runs")
CACHE = "cache.sqlite"
