"""Numbered columns and answers side by side, read in pieces: the samples, notes and problems of memory."""

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.usefixtures("small_pieces")
N = 60


def both(**more: Callable[[int], object]) -> list[dict[str, Any]]:
    """Rows with the answers of two systems; a function gives a value of each row, or None for no column."""
    return [
        {
            "id": f"q{at}",
            "reference": f"{at}",
            "answer_small": f"it is {at}",
            "answer_large": f"about {at}",
            **{name: value for name, of in more.items() if (value := of(at)) is not None},
        }
        for at in range(N)
    ]


def late(first: int, value: object) -> Callable[[int], object]:
    return lambda at: value if at >= first else None


CHOSEN = [{"id": f"q{at}", "a": f"{at}", "b": "no idea", "level": at % 3} for at in range(N)]
SHAPES: dict[str, list[dict[str, Any]]] = {
    "side by side": both(),
    "side by side, with contexts of each": both(
        contexts_small=lambda at: [f"s {at}"], contexts_large=lambda at: [f"l {at}"]
    ),
    "a third system that comes late": both(answer_huge=late(50, "well")),
    "a second system that comes late": [
        {"id": f"q{at}", "answer_a": "x", **({"answer_b": "y"} if at > 40 else {})}
        for at in range(N)
    ],
    "lengths beside the answer": [
        {"id": f"q{at}", "answer": "x", "answer_length": at, "answer_score": at / 4}
        for at in range(N)
    ],
    "numbers, and a late word": [
        {"id": f"q{at}", "answer_a": f"{at}", "answer_b": f"{at}" if at < 50 else "ten"}
        for at in range(N)
    ],
    "numbered contexts": [
        {"id": f"q{at}", "answer": "x", "context_1": f"c {at}", "context_2": "d"} for at in range(N)
    ],
    "numbered contexts of which one comes late": [
        {"id": f"q{at}", "answer": "x", "context_1": "c", **({"context_2": "d"} if at > 40 else {})}
        for at in range(N)
    ],
    "numbered references beside a column of lists that comes late": [
        {
            "id": f"q{at}",
            "answer": "x",
            "reference_1": "c",
            **({"references": ["d"]} if at > 40 else {}),
        }
        for at in range(N)
    ],
}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_samples_are_those_of_reading_in_memory(
    shape: str, written: Any, check_same_samples: Any
):
    check_same_samples(written(SHAPES[shape]))


@pytest.mark.parametrize("chosen", ["a,b", "b, a"])
def test_chosen_columns_are_the_answers_of_systems(
    chosen: str, written: Any, check_same_samples: Any
):
    gold = written([{"id": f"q{at}", "reference": f"{at}"} for at in range(3, 70)], "gold.jsonl")
    for options in ({}, {"gold": gold}):
        samples = check_same_samples(written(CHOSEN), map={"answer": chosen}, **options)
        assert set(samples.systems) == {"a", "b"}


@pytest.mark.parametrize(
    "options", [{"map": {"answer": "a,c"}}, {"map": {"answer": "a,b"}, "system": "x"}]
)
def test_a_chosen_column_that_is_absent_is_the_same_problem(
    options: dict[str, Any], written: Any, check_same_problems: Any
):
    assert "has no column 'a," in check_same_problems(written(CHOSEN), **options)


@pytest.mark.parametrize("id", ["query_id", "tag"])
def test_passages_of_a_question_that_are_far_apart_are_one_sample(
    id: str, written: Any, check_same_samples: Any
):
    rows = [
        {id: f"q{at}", "query": f"What is {at}?", "passage": f"{at} {rank}", "answer": "x"}
        for rank in range(3)
        for at in range(N)
    ]
    samples = check_same_samples(written(rows), at_once=True)
    assert len(samples) == N
    assert samples.notes[-1].endswith("rows of the same question may be its passages")


def test_problems_of_all_kinds_are_found_at_once(written: Any, check_same_problems: Any):
    rows: list[dict[str, Any]] = [
        {
            "id": f"q{at}",
            "system": system,
            "question": f"{at}{system if at == 7 else ''}?",
            "answer": "x",
        }
        for at in range(N)
        for system in "ab"
    ]
    rows.insert(5, {"id": "other", "system": "a", "answer": "x", "level": 2**70})
    path = written([*rows, {"id": "q2", "system": "b", "answer": "late"}])
    says = check_same_problems(path)
    assert "is too large a whole number" in says
    assert "duplicate id" in says
    assert "is '7b?' here, but '7a?'" in says
    path.write_text(path.read_text() + "{broken\n")
    assert "is not JSON" in check_same_problems(path)
