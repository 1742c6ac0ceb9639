"""Cutting, windows, and putting windows together again."""

import numpy as np
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

from ragauge.encoders.local import Tokens, pieces, stitched, windows_of


def tokens_of(n: int, before: int = 1, after: int = 1) -> Tokens:
    ids = [*range(-before, 0), *range(n), *range(1000, 1000 + after)]
    spans = [*[(0, 0)] * before, *((at, at + 1) for at in range(n)), *[(0, 0)] * after]
    return Tokens(ids, spans, before, after)


def test_a_cut_keeps_the_special_tokens_at_both_ends():
    kept = tokens_of(9).kept(5)
    assert kept.ids == [-1, 0, 1, 2, 1000]
    assert kept.spans == [(0, 0), (0, 1), (1, 2), (2, 3), (0, 0)]
    assert tokens_of(3).kept(5) == tokens_of(3)


def test_a_cut_without_special_tokens_keeps_the_first():
    assert tokens_of(9, 0, 0).kept(4).ids == [0, 1, 2, 3]


@given(st.integers(0, 200), st.integers(1, 40))
def test_windows_hold_every_token_and_are_never_too_long(n, size):
    windows = windows_of(n, size)
    assert {at for one in windows for at in one} == set(range(n))
    assert all(len(one) <= size for one in windows)
    starts = [one.start for one in windows]
    assert starts == sorted(set(starts))


def test_pieces_have_the_special_tokens_around_each():
    assert pieces(tokens_of(6), 6) == [
        [-1, 0, 1, 2, 3, 1000],
        [-1, 2, 3, 4, 5, 1000],
    ]


@given(st.integers(0, 120), st.integers(4, 30), st.integers(0, 2), st.integers(0, 1))
def test_windows_put_together_have_each_token_once_in_order(n, most, before, after):
    tokens = tokens_of(n, before, after)
    hidden = [np.array(ids, np.float32)[:, None] for ids in pieces(tokens, most)]
    assert stitched(tokens, most, hidden)[:, 0].tolist() == list(tokens.ids)


@cases(
    (12, [0] * 6 + [1] * 6),  # 0-7, 4-11
    (20, [0] * 6 + [1] * 4 + [2] * 4 + [3] * 6),  # 0-7, 4-11, 8-15, 12-19
)
def test_a_token_has_the_row_of_the_window_in_which_it_stands_deepest(n, windows):
    """The ends of the text are no edges."""
    tokens = tokens_of(n, 0, 0)
    hidden = [
        np.full((len(ids), 1), number, np.float32) for number, ids in enumerate(pieces(tokens, 8))
    ]
    assert stitched(tokens, 8, hidden)[:, 0].tolist() == windows
