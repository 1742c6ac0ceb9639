"""Answers of several systems, joined with gold or with each other, in pieces: the samples, notes and problems of memory."""

import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from ragauge.errors import PlanError
from ragauge.loaders.loading import load

pytestmark = pytest.mark.usefixtures("small_pieces")
Rows = Sequence[dict[str, Any]]
N = 30


def answers(first: int, last: int, **more: Any) -> list[dict[str, Any]]:
    step = 1 if last >= first else -1
    return [{"id": f"q{at}", "answer": f"{at} euros", **more} for at in range(first, last, step)]


def asked(first: int, last: int, **more: Any) -> list[dict[str, Any]]:
    return [{**row, "question": f"Which {row['id']}?"} for row in answers(first, last, **more)]


def without(name: str, rows: Rows) -> Rows:
    return [{other: row[other] for other in row if other != name} for row in rows]


def gold(n: int, **more: Any) -> list[dict[str, Any]]:
    return [
        {"id": f"q{at}", "question": f"How much is {at}?", "reference": f"{at} €", **more}
        for at in range(n)
    ]


@pytest.fixture
def files(written: Any):
    """Writes a file for each system, and returns their paths."""
    return lambda rows: {system: written(rows[system], f"{system}.jsonl") for system in rows}


def how_much(numbers: Iterable[int], **more: Any) -> list[dict[str, Any]]:
    """Answers that name their question by its text."""
    return [{"question": f"how much  IS {at}?", "answer": "x", **more} for at in numbers]


WITH_GOLD: dict[str, tuple[Rows, Rows]] = {
    "reversed, some unanswered and some unknown": (answers(42, 3), gold(40)),
    "two systems": ([*answers(0, 30, system="b"), *answers(10, 44, system="a")], gold(40)),
    "mixed systems": (
        [row for at in range(20) for s in "ab" for row in answers(at, at + 1, system=s)],
        gold(25),
    ),
    "fields on both sides": (
        answers(0, 20, question=None, topic="x", contexts=["c", "d"], reference=None),
        gold(20, level=3, relevant={"d1": 2, "d2": 0}),
    ),
    "look-alikes": (answers(0, 12), [*gold(12), {"id": "Q3", "reference": "x"}]),
    "no ids of two systems": (
        [row for s in "ba" for row in how_much(range(12), system=s)],
        gold(15),
    ),
    "columns of several types, one of them in the gold too": (
        [
            {**row, "topic": (at, 0.5, "x", True, None)[at % 5], "level": 1 if at < 9 else 1.0, "n": at if at < 9 else 0.5}
            for at, row in enumerate(answers(0, 40))
        ],
        gold(45, level=1.0),
    ),
}  # fmt: skip


@pytest.mark.parametrize("shape", WITH_GOLD)
def test_answers_are_joined_with_gold(shape: str, written, check_same_samples):
    given, expected = WITH_GOLD[shape]
    check_same_samples(written(given), gold=written(expected, "gold.jsonl"))


def test_a_folder_of_answers_is_joined(
    tmp_path: Path, written, check_same_samples, check_same_problems
):
    written(answers(20, 40), "answers/1.jsonl")
    written(answers(0, 20), "answers/2.jsonl")
    with_gold = written(gold(45), "gold.jsonl")
    check_same_samples(tmp_path / "answers", gold=with_gold)
    assert check_same_samples(tmp_path / "answers", gold=with_gold, system="a").systems == ("a",)
    written(answers(7, 9), "answers/3.jsonl")
    check_same_problems(tmp_path / "answers", gold=with_gold)


SHAPES: dict[str, dict[str, Rows]] = {
    "gaps on both sides": {"b": asked(0, 30), "a": asked(5, 40), "c": asked(2, 9)},
    "other types, and a column that comes late": {
        "b": [*answers(0, 20, level=1, n=1), *answers(20, 21, level=1, n=1, topic="x")],
        "a": answers(0, 20, level="high", n=0.5),
    },
    "ids that look alike": {"b": answers(0, 9), "a": [{**row, "id": row["id"].upper()} for row in answers(0, 9)]},
    "no ids in the first": {"b": without("id", asked(0, 20)), "a": asked(5, 30)},
    "some ids": {"b": [*asked(0, 20), *without("id", asked(20, 30))], "a": without("id", asked(5, 30))},
    "no ids, in another order": {"b": without("id", asked(0, 20)), "a": without("id", asked(5, 30)[::-1])},
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_files_of_systems_are_read_together(shape: str, files, written, check_same_samples):
    check_same_samples(files(SHAPES[shape]))
    if "id" not in shape:
        rows = {system: without("question", own) for system, own in SHAPES[shape].items()}
        check_same_samples(files(rows), gold=written(gold(45), "gold.jsonl"))


def test_rows_of_several_systems_in_a_file_are_paired_by_their_question(
    written, check_same_samples
):
    rows = [
        {"question": f" Which {'IS' if s == 'a' else 'is'}  {at}?", "answer": "x", "system": s}
        for at in range(40)
        for s in "ab"
        if at % 7 or s == "b"
    ]
    samples = check_same_samples(written(rows))
    assert samples.notes[0] == "74 rows have no id: paired by the text of the question"
    assert samples.frame.filter(pl.col("question").str.contains("33"))["id"].to_list() == ["34"] * 2


def test_csv_cells_are_numbers_by_the_file_that_has_them(tmp_path: Path, check_same_samples):
    for system, zero in (("a", ""), ("b", "0")):
        rows = "".join(f"q{at},a,{zero}{at}\n" for at in range(40))
        (tmp_path / f"{system}.csv").write_text(f"id,answer,n\n{rows}")
    check_same_samples({"a": tmp_path / "a.csv", "b": tmp_path / "b.csv"})


def test_chosen_columns_are_read_from_answers_and_from_gold(
    files, written, check_same_problems, check_same_samples
):
    sources = files({"a": answers(0, 9, said="x"), "b": answers(0, 9)})
    says = check_same_problems(sources, map={"answer": "said"})
    assert "has no column 'said' for answer" in says
    rows = [{"nr": f"q{at}", "said": f"{at} euros", "answer": "other"} for at in range(30)]
    source = written(rows)
    expected = [{"id": f"q{at}", "best": f"{at} €", "nr": "spare"} for at in range(35)]
    with_gold = written(expected, "gold.jsonl")
    chosen = {"id": "nr", "answer": "said", "references": "best"}
    assert check_same_problems(source, gold=with_gold, map=chosen)  # the gold's nr is not its id
    with_gold = written([{"nr": row["id"], "best": row["best"]} for row in expected], "gold.jsonl")
    samples = check_same_samples(source, gold=with_gold, map=chosen)
    assert samples.frame["references"].to_list()[:2] == [["0 €"], ["1 €"]]
    says = check_same_problems(source, gold=with_gold, map={**chosen, "question": "asked"})
    assert "has no column 'asked' for question" in says


def test_files_and_lists_are_read_together(written, check_same_samples, check_same_problems):
    path = written(asked(0, 20))
    check_same_samples({"a": path, "b": path})
    check_same_samples({"a": path, "b": asked(10, 30), "c": asked(0, 9)})
    other = [{**row, "question": "Why?"} for row in asked(0, 20)]
    check_same_problems({"a": path, "b": other, "c": other[::-1]})
    with pytest.raises(PlanError, match="already name their systems"):
        load({"a": path, "b": path}, system="c", in_pieces=True)


def test_a_generator_beside_a_file_that_is_read_again_is_read_once(written, check_same_samples):
    rows = [
        {"id": f"q{at}", "query": "What?", "passage": f"{at} {rank}", "answer": "x"}
        for rank in range(2)
        for at in range(20)
    ]
    sources = {"a": written(rows), "b": iter(answers(0, 20))}
    assert load(sources, in_pieces=True).n_by_system == {"a": 20, "b": 20}


def test_samples_are_a_file_if_they_are_large(files, written, monkeypatch: pytest.MonkeyPatch):
    sources = files({"a": answers(0, 40), "b": answers(0, 40)})
    assert not load(sources).is_file
    for most in (0, 700):
        monkeypatch.setattr("ragauge.loaders.loading.FRAME_BYTES", most)
        samples = load(sources)
        assert samples.is_file
        assert samples.frame.equals(load(sources, in_pieces=False).frame)
        assert load(sources, gold=written(gold(45), "gold.jsonl")).is_file


def test_notes_come_in_the_order_of_the_rows(written, check_same_samples):
    rows = [
        {"id": f"q{at}", "system": system, "answer": "x"}
        for at in range(N)
        for system in "abc"
        if (at + ord(system)) % 9
    ]
    random.Random(7).shuffle(rows)
    samples = check_same_samples(written(rows))
    assert sum("did not answer" in note for note in samples.notes) == 3
    rows = [
        {
            "id": f"q{at}",
            "system": system,
            "answer": "x",
            "reference": system if at == 25 else "z",
            "gold_contexts": [system if at == 10 else "z"],
        }
        for at in range(N)
        for system in "ab"
    ]
    samples = check_same_samples(written(rows))
    assert [note.split()[0] for note in samples.notes[1:]] == ["gold_contexts", "references"]


def test_extra_fields_may_have_any_name_beside_gold_that_is_added():
    extra = {"row": 1, "at": 2, "value": 3, "donor": 4}
    answer = {"id": "q1", "answer": "Here", **extra}
    joined = load([answer], gold=[{"id": "q1", "references": ["Here"]}])
    shared = load({"a": [{**answer, "references": ["Here"]}], "b": [{**answer, "value": 5}]})
    assert joined.frame.select(*extra).rows() == [(1, 2, 3, 4)]
    assert shared.frame.select(*extra, "references").rows() == [
        (1, 2, 3, 4, ["Here"]),
        (1, 2, 5, 4, ["Here"]),
    ]
