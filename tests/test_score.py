import math

import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

from ragauge.score import Score, Status


@cases(
    *(((value,), ValueError, "finite") for value in (math.nan, math.inf, -math.inf)),
    (("0.5",), TypeError, r"'0\.5'"),
    ((None,), ValueError, "status"),
    *(((0.5, status), ValueError, status) for status in Status if status is not Status.OK),
)
def test_what_is_no_score_is_refused(given, error, says):
    with pytest.raises(error, match=says):
        Score(*given)


def test_true_and_false_are_one_and_zero():
    assert Score(True).value == 1.0
    assert type(Score(True).value) is float
    assert Score(False).value == 0.0


def test_each_way_to_have_no_value_keeps_its_reason():
    assert Score.undefined("no gold", {"n": 0}) == Score(
        None, Status.UNDEFINED, "no gold", {"n": 0}
    )
    assert Score.missing("no answer").status == "missing"
    assert Score.failed("timeout").status == "failed"
    assert Score.skipped("no judge").reason == "no judge"


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_finite_number_is_kept_as_it_is(value):
    assert Score(value).value == value


def test_markup_in_reason_and_evidence_is_inert_in_a_notebook():
    shown = Score(0.5, reason="<b>", evidence={"<script>": "</td><script>"})._repr_html_()
    assert "<script>" not in shown
    assert "<b>" not in shown
    assert "0.5000" in shown
