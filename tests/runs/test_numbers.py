"""Numbers as people read them."""

from cases import cases

from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.numbers import number


@cases(
    ("cost_usd", 0.000045, "0.000045"),
    ("cost_usd", 0.00112, "0.0011"),
    ("cost_usd", 0.0224, "0.022"),
    ("cost_usd", 0.5, "0.50"),
    ("cost_usd", 12.345, "12.35"),
    ("cost_usd", 0.0, "0.00"),
    ("cost_usd", None, "–"),
    ("latency_s", 0.00112, "0.00"),
)
def test_small_costs_keep_two_digits(metric, value, expected):
    assert number(MetricDisplay(metric, metric, digits=2, high=None), value) == expected
