"""Answers in pieces that are joined with gold give what joining in memory gives."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.usefixtures("small_pieces")
Rows = Sequence[dict[str, Any]]


def written(path: Path, rows: Rows) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def answers(first: int, last: int, **more: Any) -> list[dict[str, Any]]:
    step = 1 if last >= first else -1
    return [{"id": f"q{at}", "answer": f"{at} euros", **more} for at in range(first, last, step)]


def gold(n: int, **more: Any) -> list[dict[str, Any]]:
    return [
        {"id": f"q{at}", "question": f"How much is {at}?", "reference": f"{at} €", **more}
        for at in range(n)
    ]


SHAPES: dict[str, tuple[Rows, Rows]] = {
    "same order": (answers(0, 40), gold(40)),
    "reversed": (answers(39, -1), gold(40)),
    "unanswered": (answers(3, 30), gold(40)),
    "unknown": (answers(0, 43), gold(40)),
    "nothing in common": (answers(100, 110), gold(5)),
    "two systems": ([*answers(0, 30, system="b"), *answers(10, 44, system="a")], gold(40)),
    "mixed systems": (
        [row for at in range(20) for s in "ab" for row in answers(at, at + 1, system=s)],
        gold(25),
    ),
    "fields on both sides": (
        answers(0, 20, question=None, topic="x", contexts=["c", "d"]),
        gold(20, level=3, relevant={"d1": 2, "d2": 0}),
    ),
    "own references": (answers(0, 12, reference=None), gold(15)),
    "renamed columns": (
        [{"qid": f"q{at}", "response": "x", "sources": ["a"]} for at in range(20)],
        [{"qid": f"q{at}", "ground_truth": "x", "query": "Which?"} for at in range(20)],
    ),
    "look-alikes": (answers(0, 12), [*gold(12), {"id": "Q3", "reference": "x"}]),
    "number ids": ([{"id": at, "answer": "x"} for at in range(9)], gold(3)),
    "no ids": ([{"question": f"How much is {at}?", "answer": "x"} for at in range(9)], gold(9)),
    "no ids on both sides": (
        [{"question": f"how much  IS {at}?", "answer": "x"} for at in range(20, 0, -1)],
        [{"question": f"How much is {at}?", "reference": "x"} for at in range(15)],
    ),
    "gold with numbers as ids": (
        [{"question": f"How much is {at}?", "answer": "x"} for at in range(15, 5, -1)],
        [{**row, "id": at + 3} for at, row in enumerate(gold(12))],
    ),
    "no ids of two systems": (
        [
            {"question": f"How much is {at}?", "answer": s, "system": s}
            for s in "ba"
            for at in range(12)
        ],
        gold(15),
    ),
    "no ids in gold": (
        answers(0, 9, question="Why?")[:1],
        [{"question": "Why?", "reference": "x"}, {"question": "How?", "reference": "y"}],
    ),
    "several types": ([*answers(0, 9, topic=1), *answers(9, 20, topic="x")], gold(20)),
    "several types in a piece": (
        [
            {**row, "topic": (at, 0.5, "x", True, None)[at % 5]}
            for at, row in enumerate(answers(0, 40))
        ],
        gold(45),
    ),
    "numbers of two kinds": (
        [{**row, "level": (at, 0.5, None)[at % 3]} for at, row in enumerate(answers(0, 40))],
        gold(45),
    ),
    "several types, and a column of the gold": (
        [*answers(0, 9, level=1), *answers(9, 20, level=1.0)],
        gold(25, level=1),
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_samples_are_those_of_joining_in_memory(shape: str, tmp_path: Path, check_same_samples):
    given, expected = SHAPES[shape]
    source = written(tmp_path / "a.jsonl", given)
    with_gold = written(tmp_path / "gold.jsonl", expected)
    check_same_samples(source, gold=with_gold)


PROBLEMS: dict[str, tuple[Rows, Rows]] = {
    "another question": (answers(0, 30, question="Why?"), gold(30)),
    "another reference": (answers(5, 30, reference="0 €"), gold(30)),
    "systems differ": (
        [*answers(25, 5, system="a", question="A?"), *answers(0, 30, system="b", question="B?")],
        [{"id": f"q{at}", "reference": "x"} for at in range(30)],
    ),
    "duplicates": ([*answers(0, 20), *answers(3, 6)], gold(20)),
    "duplicates in the gold": (answers(0, 20), [*gold(20), *gold(2)]),
    "gold that is no gold": (answers(0, 20), [{"id": ["q1"], "reference": 3}]),
    "answers of another type": ([*answers(0, 20), {"id": "x", "answer": ["x"]}], gold(20)),
    "empty gold": (answers(0, 20), []),
}


@pytest.mark.parametrize("shape", PROBLEMS)
def test_the_problems_are_those_of_joining_in_memory(
    shape: str, tmp_path: Path, check_same_problems
):
    given, expected = PROBLEMS[shape]
    source = written(tmp_path / "a.jsonl", given)
    with_gold = written(tmp_path / "gold.jsonl", expected)
    check_same_problems(source, gold=with_gold)


def test_a_folder_of_answers_is_joined(tmp_path: Path, check_same_samples, check_same_problems):
    folder = tmp_path / "answers"
    folder.mkdir()
    written(folder / "1.jsonl", answers(20, 40))
    written(folder / "2.jsonl", answers(0, 20))
    with_gold = written(tmp_path / "gold.jsonl", gold(45))
    check_same_samples(folder, gold=with_gold)
    written(folder / "3.jsonl", answers(7, 9))
    check_same_problems(folder, gold=with_gold)
