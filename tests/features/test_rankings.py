import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ragauge.features.rankings import Ranking, ranking
from ragauge.score import Score


def columns(found: Ranking) -> list[tuple[int, int, int]]:
    """The ranking's hits as rank, grade and how many they are the first to show."""
    table = found.table.take(np.array([found.row]))
    return list(zip(table.rank.tolist(), table.grade.tolist(), table.n_new.tolist(), strict=True))


def test_documents_are_hits_by_rank_with_their_grades():
    (found,) = ranking([["x", "b", "a"]], [{"a": 2, "b": 0, "c": 1}], None, None)
    assert columns(found) == [(2, 0, 1), (3, 2, 1)]
    assert found.names == ("b", "a")
    assert found.table.n_retrieved.tolist() == [3]
    assert found.table.judged_grade.tolist() == [2, 1, 0]
    # A repeated document counts once and the later ones move up.
    (found,) = ranking([["a", "x", "a", "b"]], [{"a": 1, "b": 1}], None, None)
    assert columns(found) == [(1, 1, 1), (3, 1, 1)]
    assert found.table.n_retrieved.tolist() == [3]


def test_a_passage_says_how_many_gold_ones_it_is_the_first_to_match():
    contexts, golds = [["one two", "two", "x", "three"]], [["one", "two", "three"]]
    (found,) = ranking(None, None, contexts, golds, match="text")
    assert columns(found) == [(1, 1, 2), (2, 1, 0), (4, 1, 1)]
    assert found.names == ("gold 1", "gold 2", "gold 3")
    assert found.table.n_retrieved.tolist() == [4]
    assert found.table.judged_grade.tolist() == [1, 1, 1]


def test_all_rankings_of_a_batch_share_one_table_without_the_rows_that_lack_a_column():
    ids = [["a", "b"], None, [], ["c"], ["b"]]
    relevant = [{"b": 3}, {"a": 1}, {"a": 1}, None, {"b": 0, "a": 2}]
    first, second, third, fourth, fifth = ranking(ids, relevant, None, None)
    assert second == Score.missing("the sample has no context_ids")
    assert fourth == Score.missing("the sample has no relevant")
    assert first.table is third.table is fifth.table
    assert [first.row, third.row, fifth.row] == [0, 1, 2]
    assert first.table.query.tolist() == [0, 2]
    assert first.table.judged_query.tolist() == [0, 1, 2, 2]
    assert (first.names, third.names, fifth.names) == (("b",), (), ("b",))
    assert columns(fifth) == [(1, 0, 1)]


def test_only_the_columns_that_the_match_reads_are_needed():
    assert ranking([["a"]], None, [["a"]], [["a"]]) == [Score.missing("the sample has no relevant")]
    lacking = Score.missing("the sample has no gold_contexts")
    assert ranking(None, [{}], [["a"]], None, match="text") == [lacking]
    (absent,) = ranking([None], [None], None, None)
    assert absent.reason == "the sample has no context_ids and relevant"


@given(st.lists(st.text("ab \n", max_size=4), max_size=5), st.lists(st.text("ab ", max_size=3)))
def test_no_gold_passage_is_found_twice(contexts, golds):
    (found,) = ranking(None, None, [contexts], [golds], match="text")
    assert found.table.n_new.sum() <= len(golds)
    assert all(contexts[rank - 1].strip() for rank in found.table.rank)
