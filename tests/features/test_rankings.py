from hypothesis import given
from hypothesis import strategies as st

from ragauge.features.rankings import Hit, Judged, judged
from ragauge.score import Score


def test_documents_are_hits_by_rank_with_their_grades():
    found = judged(["x", "b", "a"], {"a": 2, "b": 0, "c": 1}, None, None)
    assert found == Judged((Hit(2, 0, 1, "b"), Hit(3, 2, 1, "a")), 3, (2, 1, 0))
    assert found.n_relevant() == 2
    assert found.n_relevant(2) == 1
    assert found.top(2) == (Hit(2, 0, 1, "b"),)
    assert found.top(None) == found.hits


def test_a_passage_says_how_many_gold_ones_it_is_the_first_to_match():
    found = judged(
        None, None, ["one two", "two", "x", "three"], ["one", "two", "three"], match="text"
    )
    assert [(hit.rank, hit.n_new, hit.name) for hit in found.hits] == [
        (1, 2, "gold 1"),
        (2, 0, "gold 2"),
        (4, 1, "gold 3"),
    ]
    assert (found.n_retrieved, found.grades) == (4, (1, 1, 1))


def test_only_the_columns_that_the_match_reads_are_needed():
    missing = Score.missing("the sample has no relevant")
    assert judged(["a"], None, ["a"], ["a"]) == missing
    assert judged(None, {}, ["a"], None, match="text") == Score.missing(
        "the sample has no gold_contexts"
    )
    assert judged(None, None, None, None).reason == "the sample has no context_ids and relevant"


@given(st.lists(st.text("ab \n", max_size=4), max_size=5), st.lists(st.text("ab ", max_size=3)))
def test_no_gold_passage_is_found_twice(contexts, golds):
    found = judged(None, None, contexts, golds, match="text")
    assert sum(hit.n_new for hit in found.hits) <= len(golds)
    assert all(contexts[hit.rank - 1].strip() for hit in found.hits)
