import io
from math import sqrt
from typing import get_args

import polars as pl
import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from pytest import approx

import ragauge as rg
from ragauge.errors import DataError, PlanError
from ragauge.rankings.fusion import Method, fuse, write_run

METHODS = get_args(Method)


def run(rows):
    """A run from {query: {doc: score}}."""
    rows = [(query, doc, score) for query, docs in rows.items() for doc, score in docs.items()]
    schema = {"query": pl.String, "doc": pl.String, "score": pl.Float64}
    return pl.DataFrame(rows, schema, orient="row")


def ranking(fused, query="1"):
    """The documents of a query with their scores, as they stand."""
    return list(fused.filter(pl.col("query") == query).select("doc", "score").iter_rows())


LEFT = run({"1": {"a": 9.0, "b": 6.0, "c": 3.0}})
RIGHT = run({"1": {"b": 0.8, "d": 0.4}})


@cases(
    # a is 1st; b is 2nd and 1st; c is 3rd; d is 2nd.
    ("rrf", [("b", 1 / 62 + 1 / 61), ("a", 1 / 61), ("d", 1 / 62), ("c", 1 / 63)]),
    ("isr", [("b", (1 / 4 + 1) * 2), ("a", 1), ("d", 1 / 4), ("c", 1 / 9)]),
    # Four documents. Left: a 4, b 3, c 2, and d the 1 that is left. Right: b 4, d 3, and a and c
    # share 2 + 1. Together a 5.5, b 7, c 3.5, d 4.
    ("borda", [("b", 7.0), ("a", 5.5), ("d", 4.0), ("c", 3.5)]),
    # Min-max makes left a 1, b 1/2, c 0 and right b 1, d 0. Ties: the later id stands first.
    ("combsum", [("b", 1.5), ("a", 1), ("d", 0), ("c", 0)]),
    ("combmnz", [("b", 3), ("a", 1), ("d", 0), ("c", 0)]),
    ("combanz", [("a", 1), ("b", 0.75), ("d", 0), ("c", 0)]),
    ("combmax", [("b", 1), ("a", 1), ("d", 0), ("c", 0)]),
    ("combmin", [("a", 1), ("b", 0.5), ("d", 0), ("c", 0)]),
    ("combmed", [("a", 1), ("b", 0.75), ("d", 0), ("c", 0)]),
)
def test_each_method_gives_the_points_worked_out_by_hand(method, expected):
    assert ranking(fuse([LEFT, RIGHT], method)) == expected


@cases(
    # Left above its lowest 6, 3, 0 of 9; right 0.4, 0 of 0.4.
    ("sum", {"a": 2 / 3, "b": 1 / 3 + 1, "c": 0, "d": 0}),
    # Left mean 6, deviation sqrt((9 + 0 + 9) / 3) = sqrt(6); right mean 0.6, deviation 0.2.
    ("z-score", {"a": 3 / sqrt(6), "b": 0 + 1, "c": -3 / sqrt(6), "d": -1}),
    # Left 1, 2/3, 1/3; right 1, 1/2.
    ("rank", {"a": 1, "b": 2 / 3 + 1, "c": 1 / 3, "d": 1 / 2}),
    ("none", {"a": 9, "b": 6 + 0.8, "c": 3, "d": 0.4}),
)
def test_scores_are_normed_by_query_and_run(norm, expected):
    assert dict(ranking(fuse([LEFT, RIGHT], "combsum", norm=norm))) == approx(expected)


def test_the_median_of_three_runs_is_the_middle_one_and_of_two_their_mean():
    runs = [run({"1": docs}) for docs in ({"a": 1.0, "b": 1.0}, {"a": 5.0, "b": 4.0}, {"a": 2.0})]
    assert ranking(fuse(runs, "combmed", norm="none")) == [("b", 2.5), ("a", 2.0)]


@pytest.mark.parametrize("norm", ["min-max", "sum", "z-score"])
def test_scores_that_are_all_equal_become_zero(norm):
    # 0.1 three times: their mean in floats is not 0.1.
    same = run({"1": dict.fromkeys("abc", 0.1), "2": {"a": 7.0}})
    fused = fuse([same], "combsum", norm=norm)
    assert ranking(fused) == [("c", 0), ("b", 0), ("a", 0)]
    assert ranking(fused, "2") == [("a", 0)]


@cases(
    ("combsum", [1, 0.5], {"b": 0.5 + 0.5, "a": 1, "d": 0, "c": 0}),
    ("rrf", [2, 3], {"a": 2 / 61, "b": 2 * (1 / 62) + 3 * (1 / 61), "c": 2 * (1 / 63), "d": 3 * (1 / 62)}),
    # Left 4 3 2 1 for a b c d, right 1.5 4 1.5 3, twice.
    ("borda", [1, 2], {"a": 7, "b": 11, "c": 5, "d": 7}),
)  # fmt: skip
def test_weights_multiply_the_points_of_a_run(method, weights, expected):
    assert dict(ranking(fuse([LEFT, RIGHT], method, weights=weights))) == expected


def test_a_query_that_one_run_lacks_is_fused_from_the_others():
    more = run({"0": {"x": 3.0, "y": 2.0}, "1": {"b": 0.8, "d": 0.4}})
    for method in METHODS:
        fused = fuse([LEFT, more], method)
        assert ranking(fused, "1") == ranking(fuse([LEFT, RIGHT], method))
        assert ranking(fused, "0") == ranking(fuse([more], method), "0")
    # Two documents: 2 points and 1, and none from the run without the query.
    assert ranking(fuse([LEFT, more], "borda"), "0") == [("x", 2), ("y", 1)]


def test_ties_go_by_document_id_descending_by_bytes_in_ranks_and_in_what_is_fused():
    # By bytes é (c3 a9) is above z (7a), z above Z (5a), and 10 below 9.
    tied = run({"1": dict.fromkeys(["Z", "10", "é", "9", "z"], 0.5)})
    ranks = {doc: 1 / points for doc, points in ranking(fuse([tied], k=0))}
    assert ranks == {"é": 1, "z": 2, "Z": 3, "9": 4, "10": 5}
    # Each is once first and once second.
    there, back = run({"1": {"a": 2.0, "b": 1.0}}), run({"1": {"b": 2.0, "a": 1.0}})
    assert [doc for doc, _ in ranking(fuse([there, back]))] == ["b", "a"]
    assert [doc for doc, _ in ranking(fuse([run({"1": {"a": 0.0, "b": -0.0}})]))] == ["b", "a"]


def test_depth_cuts_each_fused_ranking():
    two = run({"1": {"a": 9.0, "b": 6.0, "c": 3.0}, "2": {"x": 1.0}})
    fused = fuse([two, RIGHT], depth=2)
    assert fused.select("query", "doc").rows() == [("1", "b"), ("1", "a"), ("2", "x")]


RUNS = st.lists(
    st.dictionaries(
        st.sampled_from("12"),
        st.dictionaries(st.sampled_from("abcde"), st.integers(-3, 3).map(float), min_size=1),
        min_size=1,
        max_size=2,
    ).map(run),
    min_size=1,
    max_size=3,
)


@given(RUNS, st.sampled_from(METHODS), st.integers(0, 1000))
def test_the_order_of_rows_does_not_matter_beyond_that_of_the_queries(runs, method, seed):
    shuffled = [one.sample(fraction=1, shuffle=True, seed=seed) for one in runs]
    left, right = (
        fuse(some, method).sort("query", maintain_order=True) for some in (runs, shuffled)
    )
    assert_frame_equal(left, right, check_exact=True)


@given(RUNS, st.sampled_from(METHODS))
def test_every_document_of_every_run_is_ranked_once_best_first(runs, method):
    fused = fuse(runs, method)
    pairs = [pair for one in runs for pair in one.select("query", "doc").iter_rows()]
    assert sorted(fused.select("query", "doc").iter_rows()) == sorted(set(pairs))
    assert fused["query"].unique(maintain_order=True).to_list() == list(
        dict.fromkeys(query for query, _ in pairs)
    )
    for query in "12":
        ranked = ranking(fused, query)
        assert ranked == sorted(ranked, key=lambda row: (row[1], row[0]), reverse=True)


def test_ids_that_are_numbers_are_taken_as_text():
    numbers = pl.DataFrame({"query": [1, 1], "doc": [9, 10], "score": [1, 1]})
    assert fuse([numbers], k=0).rows() == [("1", "9", 1.0), ("1", "10", 0.5)]


@cases(
    ({"method": "combsun"}, "unknown fusion method 'combsun'; did you mean 'combsum'"),
    ({"method": "combsum", "norm": "max"}, "unknown norm 'max'; the norms are min-max, sum"),
    (
        {"method": "rrf", "norm": "sum"},
        "rrf uses ranks only, so norm 'sum' has no effect",
    ),
    ({"k": -1}, "k is -1; give a finite number of at least 0"),
    ({"weights": [1.0]}, "1 weights for 2 runs; give one for each run"),
    ({"weights": [1.0, 0.0]}, "weight 0.0 is not a finite number above 0; leave out a run"),
    ({"depth": 0}, "depth is 0; give 1 or more"),
    ({"k": -1, "depth": 0}, "k is -1.*\ndepth is 0"),
)
def test_settings_that_cannot_be_are_refused(settings, said):
    with pytest.raises(PlanError, match=said):
        fuse([LEFT, RIGHT], **settings)
    with pytest.raises(PlanError, match="no run to fuse"):
        fuse([], **settings)


def test_what_is_no_list_of_runs_is_refused():
    with pytest.raises(PlanError, match="give a list"):
        fuse({"1": {"a": 1.0}})
    with pytest.raises(DataError, match="must be finite, got nan"):
        fuse([LEFT, run({"7": {"a": float("nan")}})])


def test_scores_that_overflow_are_refused():
    vast = run({"1": {"a": 1.7e308, "b": -1.7e308}})
    for norm in ("min-max", "none"):
        with pytest.raises(PlanError, match="the scores are too large to fuse"):
            fuse([vast, vast], "combsum", norm=norm)
    assert [doc for doc, _ in ranking(fuse([vast, vast], "rrf"))] == ["a", "b"]


def written(frame, tag="mine"):
    file = io.BytesIO()
    write_run(frame, file, tag=tag)
    return file.getvalue().decode()


def test_a_run_is_written_with_ranks_from_one_in_each_query():
    two = run({"1": {"a": 9.0, "b'ü,": 6.5}, '"2"': {"x": 1 / 3}})
    lines = ["1 Q0 a 1 9.0 mine", "1 Q0 b'ü, 2 6.5 mine", '"2" Q0 x 1 0.3333333333333333 mine']
    assert written(two).splitlines() == lines


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_written_scores_read_back_to_the_same_float(scores):
    docs = {f"d{number}": score for number, score in enumerate(scores)}
    lines = written(run({"1": docs})).splitlines()
    assert [float(line.split()[4]) for line in lines] == scores


def test_a_long_run_is_written_in_pieces_with_ranks_that_go_on(monkeypatch):
    monkeypatch.setattr("ragauge.rankings.fusion.ROWS_AT_ONCE", 2)
    ranks = [line.split()[3] for line in written(LEFT).splitlines()]
    assert ranks == ["1", "2", "3"]


@pytest.mark.parametrize("odd", ["a b", "", "a\tb", "a\n", "a\u00a0b", "a\x1cb", "a\0b"])
def test_ids_and_tags_that_a_reader_would_split_are_refused_before_anything_is_written(odd):
    for frame, tag, name in (
        (run({"1": {"fine": 1.0, odd: 0.5}}), "mine", "doc"),
        (run({"1": {"fine": 1.0}, odd: {"fine": 0.5}}), "mine", "query"),
        (LEFT, odd, "tag"),
    ):
        file = io.BytesIO()
        with pytest.raises(DataError) as raised:
            write_run(frame, file, tag=tag)
        assert f"field {name!r}: {odd!r} is empty or contains white space" in str(raised.value)
        assert file.getvalue() == b""


def test_z_scores_of_huge_and_tiny_scores_are_those_of_their_ratio():
    for high, low in ((1e200, -1e200), (2e-170, 1e-170)):
        run = pl.DataFrame({"query": ["q", "q"], "doc": ["a", "b"], "score": [high, low]})
        fused = fuse([run], "combsum", norm="z-score")
        assert fused["score"].to_list() == pytest.approx([1, -1])


def test_a_system_that_retrieved_nothing_is_none_of_several():
    first = {"id": "q1", "system": "a", "context_ids": ["d1"]}
    nothing = {"id": "q1", "system": "b", "context_ids": []}
    assert set(rg.fuse([rg.load([first, nothing]), {"q1": ["d2"]}])["doc"]) == {"d1", "d2"}
    with pytest.raises(DataError, match="it ranks no document"):
        rg.fuse([rg.load([nothing]), {"q1": ["d2"]}])
