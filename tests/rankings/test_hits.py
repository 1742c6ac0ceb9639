import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ragauge.rankings.hits import Hits, one_hit, ranks_within


def table(*queries: tuple[int, list[tuple[int, int]], list[int]]) -> Hits:
    """A table of queries: how many are retrieved, (rank, grade) of the hits, grades missed."""
    hits = [
        (row, rank, grade, 1) for row, (_, found, _) in enumerate(queries) for rank, grade in found
    ]
    judged = [
        (row, grade)
        for row, (_, found, missed) in enumerate(queries)
        for grade in sorted([*(grade for _, grade in found), *missed], reverse=True)
    ]
    n_retrieved = np.array([n for n, _, _ in queries], np.int64)
    columns = np.array(hits, np.int64).reshape(-1, 4).T
    return Hits(n_retrieved, *columns, *np.array(judged, np.int64).reshape(-1, 2).T)


THREE = table((9, [(2, 1), (4, 0), (7, -1), (8, 3)], [2]), (3, [], [1]), (2, [(1, 2)], []))


def columns(hits: Hits) -> list[list[int]]:
    names = ("n_retrieved", "query", "rank", "grade", "n_new", "judged_query", "judged_grade")
    return [getattr(hits, name).tolist() for name in names]


def test_the_relevant_are_counted_in_all_judgements():
    assert THREE.n_relevant().tolist() == [3, 1, 1]
    assert THREE.n_relevant(3).tolist() == [1, 0, 0]


def test_a_ranking_is_cut_after_its_first_documents():
    cut = THREE.up_to(4)
    assert cut.n_retrieved.tolist() == [4, 3, 2]
    assert (cut.query.tolist(), cut.rank.tolist()) == ([0, 0, 2], [2, 4, 1])
    assert cut.judged_grade is THREE.judged_grade


def test_without_the_unjudged_the_others_move_up():
    judged = THREE.judged_only()
    assert judged.n_retrieved.tolist() == [3, 0, 1]
    assert (judged.rank.tolist(), judged.grade.tolist()) == ([1, 2, 3, 1], [1, 0, 3, 2])


def test_amounts_are_added_up_within_a_query():
    assert THREE.so_far(THREE.grade > 0).tolist() == [1, 1, 1, 2, 1]
    assert THREE.so_far(THREE.grade).tolist() == [1, 1, 0, 3, 2]


def test_judgements_have_their_rank_in_the_ideal_ranking():
    assert THREE.judged_grade.tolist() == [3, 2, 1, 0, -1, 1, 2]
    assert THREE.ideal_rank.tolist() == [1, 2, 3, 4, 5, 1, 1]
    assert ranks_within(np.array([1, 1, 4]), 5).tolist() == [1, 2, 1]
    assert ranks_within(np.array([], np.int64), 2).tolist() == []


def test_rows_are_taken_in_any_order_and_more_than_once():
    taken = THREE.take(np.array([2, 1, 0, 2]))
    assert taken.n_retrieved.tolist() == [2, 3, 9, 2]
    assert (taken.query.tolist(), taken.rank.tolist()) == ([0, 2, 2, 2, 2, 3], [1, 2, 4, 7, 8, 1])
    assert taken.judged_query.tolist() == [0, 1, 2, 2, 2, 2, 2, 3]
    assert taken.judged_grade.tolist() == [2, 1, 3, 2, 1, 0, -1, 2]


@given(st.lists(st.sampled_from(range(3)), max_size=6), st.data())
def test_rows_of_rows_are_rows(rows, data):
    again = data.draw(st.lists(st.sampled_from(range(len(rows))), max_size=6)) if rows else []
    outer, inner = np.array(rows, np.int64), np.array(again, np.int64)
    assert columns(THREE.take(outer).take(inner)) == columns(THREE.take(outer[inner]))


def test_a_table_of_no_queries_has_no_numbers():
    none = THREE.take(np.array([], np.int64))
    assert (none.n, none.n_relevant().tolist(), none.up_to(3).n) == (0, [], 0)
    assert none.judged_only().n_retrieved.tolist() == []


def test_one_hit_stands_last_of_what_is_retrieved():
    assert columns(one_hit(rank=3, grade=2)) == [[3], [0], [3], [2], [1], [0], [2]]
