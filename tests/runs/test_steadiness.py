"""Where conversations go wrong."""

from itertools import combinations
from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ragauge as rg
from ragauge.runs.steadiness import components, pass_all_k, pass_at_k, wrong_turns


def chats(**said):
    """Conversations, of which "Paris" is right at every turn."""
    rows = []
    for id, answers in said.items():
        messages = []
        for answer in answers:
            messages += [{"role": "user", "content": "?"}, {"role": "assistant", "content": answer}]
        rows.append({"id": id, "messages": messages, "references": [["Paris"]] * len(answers)})
    return rows


def test_the_first_wrong_turn_of_each_conversation_is_named():
    said = {"a": ["Paris", "Paris", "Rome"], "b": ["Rome", "Paris"], "c": ["Paris", "Paris"]}
    run = rg.evaluate(chats(**said), ["repetition", "exact_match"])
    found = wrong_turns(run, run.metrics)
    assert (
        found is not None and found.metric.name == "exact_match"
    )  # repetition is of the last turn
    assert found.n_conversations == {"default": 3}
    assert [(each.id, each.says) for each in found.first] == [
        ("a#3", "right until turn 2"),
        ("b#1", "wrong from turn 1"),
    ]
    says = "2 of 3 conversations of several turns wrong by exact_match, the latest at turn 3"
    _, worst = str(run).split("worst found\n")
    assert says in worst.splitlines()[0]


def test_a_run_without_conversations_has_none():
    run = rg.evaluate([{"id": "q", "answer": "Rome", "reference": "Paris"}], "exact_match")
    assert wrong_turns(run, run.metrics) is None


def test_turns_that_are_not_numbers_are_no_order():
    rows = [
        {"id": str(turn), "conversation": "c", "turn": turn, "answer": "Rome", "reference": "Paris"}
        for turn in ("first", "2")
    ]
    run = rg.evaluate(rows, "exact_match")
    assert wrong_turns(run, run.metrics) is None


outcomes = st.lists(st.booleans(), min_size=1, max_size=7)


@given(outcomes, st.data())
def test_they_are_the_share_of_subsets_of_k_that_pass(found, data):
    k = data.draw(st.integers(1, len(found)))
    subsets = list(combinations(found, k))
    assert pass_at_k(len(found), sum(found), k) == pytest.approx(mean(map(any, subsets)))
    assert pass_all_k(len(found), sum(found), k) == pytest.approx(mean(map(all, subsets)))


def test_two_of_five_that_pass():
    """pass@2 = 1 - C(3, 2) / C(5, 2) = 1 - 3/10; pass^2 = C(2, 2) / C(5, 2) = 1/10."""
    assert pass_at_k(5, 2, 2) == pytest.approx(0.7)
    assert pass_all_k(5, 2, 2) == pytest.approx(0.1)
    assert pass_at_k(5, 2, 1) == pass_all_k(5, 2, 1) == 0.4


def test_the_variance_is_divided_between_and_within_questions():
    """Groups (0, 2) and (4, 6): within 4/2 = 2; means 1 and 5 around 3, squares 2 · (4 + 4) = 16 on one degree of
    freedom; between (16 - 2) / 2 = 7. Standard error: sqrt((7 + 2/2) / 2) = 2."""
    found = components([[0, 2], [4, 6]])
    assert (found.between, found.within, found.k) == (7, 2, 2)
    assert found.error() == pytest.approx(2)
    assert found.error(questions=2) == pytest.approx(2 / 2**0.5)
    assert found.error(repeats=2) == pytest.approx(((7 + 0.5) / 2) ** 0.5)


def test_groups_of_several_sizes_count_by_their_values():
    """(0), (1, 3): within 2 / 1; mean 4/3, squares 1·(16/9) + 2·(4/9) = 24/9; effective size (3 - 5/3) / 1 = 4/3.
    Between (24/9 - 2) / (4/3) = 0.5."""
    found = components([[0], [1, 3]])
    assert found.within == 2
    assert found.between == pytest.approx(0.5)
    assert found.k == pytest.approx(2 / (1 + 1 / 2))


@pytest.mark.parametrize("groups", [[], [[1, 2]], [[1], [2]], [[1, 2], []]])
def test_too_few_values_have_no_components(groups):
    assert components(groups) is None
