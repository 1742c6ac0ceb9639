import pytest
from pytest import approx

from ragauge.metrics.relevance import INDICATORS, citation_quality


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("", 0),
        ("The premium is $604.", 0),
        ("See page 4.", 1 / 3),
        ("Page 4, page 5 and page 6.", 1 / 3),
        ("According to page 4.", 2 / 3),
        ("Source: the PDF, page 4", 1),
        ("From the document, based on Table: 3, page 4", 1),
        ("the source is a table", 0),  # without their colons
    ],
)
def test_each_kind_of_indicator_counts_once_up_to_three(answer, value):
    assert citation_quality(answer).value == approx(value)


def test_there_are_eight_indicators():
    assert len(set(INDICATORS)) == 8
    assert citation_quality(" ".join(INDICATORS), enough=8).value == 1.0
