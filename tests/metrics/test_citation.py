import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

import ragauge as rg
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


@given(st.text(), st.text())
def test_more_text_never_shows_less(first, second):
    assert citation_quality(first + second).value >= citation_quality(first).value


def test_enough_is_at_least_one():
    with pytest.raises(rg.PlanError, match="enough must be a whole number of at least 1, got 0"):
        rg.score("citation_quality(enough=0)", answer="page")
