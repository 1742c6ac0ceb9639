"""Signs of other scripts, and positions of words."""

from ragauge.language.characters import plain_signs, positions


def test_plain_signs_keep_every_offset():
    text = "−５％ “x” – ٣٫٥\u202f000"
    assert len(plain_signs(text)) == len(text)
    assert plain_signs("abc – “é”") == "abc - “é”"


def test_positions_are_in_order_and_may_overlap():
    assert positions("aaa", ("aa",)) == [0, 1]
    assert positions("", ("a",)) == []
