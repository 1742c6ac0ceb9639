import pytest

from ragauge.documents.passage import Passage
from ragauge.errors import PlanError
from ragauge.questions.making import Spread, counts_of, read_types


def test_the_largest_remainders_round_up_so_that_the_counts_sum_to_n():
    # 7 * 2/4 = 3.5, 7 * 1/4 = 1.75 twice: the two remainders of 0.75 round up before 0.5
    counts = counts_of(7, {"number": 2, "list": 1, "yes/no": 1})
    assert counts == {"number": 3, "list": 2, "yes/no": 2}


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ("numbr", "did you mean 'number'"),
        ("number=2,list,number=3", "'number' is given twice"),
        ("number=0", "above 0"),
        ("number=many", "above 0"),
        ("number=inf", "above 0"),
        ("number=1,,list", "no type of question is named ''"),
    ],
)
def test_wrong_types_are_named_with_what_to_do(given: str, complaint: str):
    with pytest.raises(PlanError, match=complaint):
        read_types(given)


def spread(documents: dict[str, int], seed: int = 0) -> list[str]:
    """The order in which questions of documents with so many passages are taken."""
    items = [
        ("number", Passage(f"{document}{n}", document, 0, 0, "", "top"), 1.0, f"{document}{n}")
        for document, n_passages in documents.items()
        for n in range(n_passages)
    ]
    made = Spread(items, seed)
    return [taken for _ in items if (taken := made.take("number")) is not None]


def test_documents_are_taken_in_turn_until_they_have_no_more():
    order = spread({"a": 6, "b": 2})
    assert sorted(each[0] for each in order[:4]) == ["a", "a", "b", "b"]
    assert len(order) == len(set(order)) == 8


def test_the_seed_decides_the_order():
    assert spread({"a": 6, "b": 6}, 1) == spread({"a": 6, "b": 6}, 1)
    assert spread({"a": 6, "b": 6}, 1) != spread({"a": 6, "b": 6}, 2)
