"""Signs of other scripts, positions of words, and normal forms: Python's on every real text, in linear time."""

import unicodedata

from cases import cases
from hypothesis import given
from hypothesis import strategies as st

from ragauge.language.characters import (
    JOINER,
    LONGEST_RUN,
    normal_form,
    plain_signs,
    positions,
)


@cases("NFC", "NFD", "NFKC", "NFKD")
@given(text=st.text("aeé\u0301\u0327\u0344\u0323漢각\u1100\u1161ﬁ①", max_size=LONGEST_RUN))
def test_it_is_pythons(form, text):
    assert normal_form(form, text) == unicodedata.normalize(form, text)


def test_runs_of_30_marks_are_kept_as_they_are():
    text = "x" + "\u0301" * LONGEST_RUN + "y"
    assert normal_form("NFD", text) == text
    longer = normal_form("NFD", "x" + "\u0301" * (2 * LONGEST_RUN + 1))
    assert longer == "x" + "\u0301" * 30 + JOINER + "\u0301" * 30 + JOINER + "\u0301"


def test_a_long_run_takes_linear_time(assert_quick):
    text = "a" + "\u0301\u0327\u0323" * 60_000
    assert_quick(lambda: normal_form("NFC", text), 2)  # 20 s for unicodedata


def test_plain_signs_keep_every_offset():
    text = "−５％ “x” – ٣٫٥\u202f000"
    assert len(plain_signs(text)) == len(text)
    assert plain_signs("abc – “é”") == "abc - “é”"


def test_positions_are_in_order_and_may_overlap():
    assert positions("aaa", ("aa",)) == [0, 1]
    assert positions("", ("a",)) == []
