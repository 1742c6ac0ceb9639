"""The review queue in words."""

from dataclasses import replace

import pytest

import ragauge as rg
from ragauge.people.review import AutomaticVerdict


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.25, "exact_match 0.250 (no)"),
        (0.499626, "exact_match 0.4996 (no)"),
        (0.49999626, "exact_match 0.499996 (no)"),
        (0.4999999999, "exact_match 0.4999999999 (no)"),
        (0.5, "exact_match 0.500 (yes)"),
        (0.94, "exact_match 0.940 (yes)"),
    ],
)
def test_a_score_that_just_misses_its_threshold_does_not_look_like_it(value: float, text: str):
    (metric,) = rg.evaluate([{"id": "q1", "answer": "a", "reference": "a"}], "exact_match").metrics
    metric = replace(metric, digits=3)
    assert AutomaticVerdict(metric, value, value >= 0.5, "", 0.5).text == text
