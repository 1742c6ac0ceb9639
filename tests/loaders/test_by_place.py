"""Rows that are paired by place, read in pieces: the samples, notes and problems of memory."""

from typing import Any

import pytest

pytestmark = pytest.mark.usefixtures("small_pieces")
N = 60


def rows(author: str, id: str | None = None, n: int = N) -> list[dict[str, Any]]:
    """Rows of an author, with ids made of `id`; some ask or expect something else than others'."""
    return [
        {
            **({} if id is None else {"id": id.format(at)}),
            "question": f"What is {at}{author if at % 11 == 4 else ''}?",
            "answer": f"{author} {at}",
            "reference": f"{at}",
        }
        for at in range(n)
    ]


def gold(id: str | None = "g{}", n: int = N) -> list[dict[str, Any]]:
    return [{name: row[name] for name in row if name != "answer"} for row in rows("g", id, n)]


@pytest.mark.parametrize("first", [None, "a{}", "same", "q{}"])
@pytest.mark.parametrize("second", [None, "b{}"])
def test_systems_are_paired_by_the_place_of_their_rows(
    first: str | None, second: str | None, written: Any, check_same_samples: Any
):
    sources = {
        "a": written(rows("a", first), "a.jsonl"),
        "b": written(rows("b", second), "b.jsonl"),
    }
    samples = check_same_samples(sources, by_place=True)
    assert f"paired by place: {N} rows of each" in samples.notes
    together = [
        {**row, "system": s} for s in "ab" for row in rows(s, first if s == "a" else second)
    ]
    check_same_samples(written(together[::2] + together[1::2], "c.jsonl"), by_place=True)


@pytest.mark.parametrize("id", [None, "g{}"])
@pytest.mark.parametrize("prefer", [None, "gold", "answers", "first"])
def test_the_gold_is_paired_by_the_place_of_its_rows(
    id: str | None, prefer: str | None, written: Any, check_same_samples: Any
):
    sources = {s: written(rows(s, f"{s}{{}}"), f"{s}.jsonl") for s in "ab"}
    check_same_samples(sources, gold=written(gold(id), "gold.jsonl"), by_place=True, prefer=prefer)


def test_a_system_of_its_own_has_nothing_to_be_paired_with(written: Any, check_same_samples: Any):
    samples = check_same_samples(written(rows("a")), by_place=True)
    assert "60 rows have no id: numbered by position" in samples.notes


def test_other_numbers_of_rows_are_the_same_problem(written: Any, check_same_problems: Any):
    sources = {s: written(rows(s, n=N - (s == "b")), f"{s}.jsonl") for s in "ab"}
    assert "system 'b' has 59 rows, but" in check_same_problems(sources, by_place=True)
    expected = written(gold(n=20), "gold.jsonl")
    assert "has 20;" in check_same_problems(sources, gold=expected, by_place=True)


def test_gold_that_differs_is_the_same_problem(written: Any, check_same_problems: Any):
    other = [{**row, "reference": "x"} if at == 9 else row for at, row in enumerate(rows("b"))]
    sources = {"a": written(rows("a"), "a.jsonl"), "b": written(other, "b.jsonl")}
    assert "is 'x' here, but '9' in" in check_same_problems(sources, by_place=True)
