"""A file for each system, and columns that the user chose beside gold: pieces give what memory gives."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from ragauge.errors import PlanError
from ragauge.loaders import load, piece_files

pytestmark = pytest.mark.usefixtures("small_pieces")
Rows = Sequence[dict[str, Any]]


def written(path: Path, rows: Rows) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def answers(first: int, last: int, **more: Any) -> list[dict[str, Any]]:
    return [{"id": f"q{at}", "answer": f"{at} euros", **more} for at in range(first, last)]


def asked(first: int, last: int, **more: Any) -> list[dict[str, Any]]:
    return [{**row, "question": f"Which {row['id']}?"} for row in answers(first, last, **more)]


def without_ids(rows: Rows) -> Rows:
    return [{name: row[name] for name in row if name != "id"} for row in rows]


def gold(n: int, **more: Any) -> list[dict[str, Any]]:
    return [
        {"id": f"q{at}", "question": f"How much is {at}?", "reference": f"{at} €", **more}
        for at in range(n)
    ]


def sources_of(folder: Path, rows: Mapping[str, Rows]) -> dict[str, Path]:
    return {system: written(folder / f"{system}.jsonl", rows[system]) for system in rows}


SHAPES: dict[str, dict[str, Rows]] = {
    "the same questions": {"b": asked(0, 40), "a": asked(0, 40)},
    "gaps on both sides": {"b": asked(0, 30), "a": asked(5, 40), "c": asked(2, 9)},
    "other names of columns": {
        "b": [{"qid": f"q{at}", "response": "x", "sources": ["a"]} for at in range(20)],
        "a": answers(0, 20, topic="t"),
    },
    "other types": {"b": answers(0, 20, level=1), "a": answers(0, 20, level="high")},
    "numbers of two kinds": {"b": answers(0, 20, level=1), "a": answers(0, 20, level=0.5)},
    "a column that comes late": {"b": [*answers(0, 20), *answers(20, 21, topic="x")], "a": answers(0, 9)},
    "nothing in common": {"b": answers(0, 20), "a": answers(20, 40)},
    "its own system": {"b": answers(0, 20, system="b"), "a": answers(0, 20)},
    "questions that differ in case": {"b": asked(0, 9), "a": [{**row, "question": row["question"].upper()} for row in asked(0, 9)]},
    "ids that look alike": {"b": answers(0, 9), "a": [{**row, "id": row["id"].upper()} for row in answers(0, 9)]},
    "one system": {"b": asked(0, 20)},
    "no ids in the first": {"b": without_ids(asked(0, 20)), "a": asked(5, 30)},
    "no ids in the second": {"b": asked(0, 20), "a": without_ids(asked(5, 30))},
    "some ids": {"b": [*asked(0, 20), *without_ids(asked(20, 30))], "a": without_ids(asked(5, 30))},
    "no ids": {"b": without_ids(asked(0, 20)), "a": without_ids(asked(5, 30))},
    "no ids, in another order": {"b": without_ids(asked(0, 20)), "a": without_ids(asked(0, 20)[::-1])},
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_files_of_systems_give_the_samples_of_reading_in_memory(
    shape: str, tmp_path: Path, check_same_samples
):
    check_same_samples(sources_of(tmp_path, SHAPES[shape]))


@pytest.mark.parametrize(
    "shape", ["the same questions", "gaps on both sides", "other types", "numbers of two kinds"]
)
def test_so_do_those_that_are_joined_with_gold(shape: str, tmp_path: Path, check_same_samples):
    rows = {
        system: [{name: row[name] for name in row if name != "question"} for row in of_system]
        for system, of_system in SHAPES[shape].items()
    }
    check_same_samples(sources_of(tmp_path, rows), gold=written(tmp_path / "gold.jsonl", gold(45)))


def test_rows_of_several_systems_in_a_file_are_paired_by_their_question(
    tmp_path: Path, check_same_samples
):
    rows = [
        {
            "question": f" Which {'IS' if system == 'a' else 'is'}  {at}?",
            "answer": "x",
            "system": system,
        }
        for at in range(40)
        for system in ("a", "b")
        if at % 7 or system == "b"
    ]
    samples = check_same_samples(written(tmp_path / "a.jsonl", rows))
    assert samples.notes[0] == "74 rows have no id: paired by the text of the question"
    assert samples.frame.filter(pl.col("question").str.contains("33"))["id"].to_list() == ["34"] * 2


@pytest.mark.parametrize("question", [None, "Which q3?"])
def test_rows_that_cannot_be_paired_are_the_same_problem(
    question: str | None, tmp_path: Path, check_same_problems
):
    rows = without_ids([*asked(0, 20), {"answer": "x", "question": question}])
    sources = sources_of(tmp_path, {"a": without_ids(asked(0, 20)), "b": rows})
    says = check_same_problems(sources)
    assert "no id and no question" in says or "is asked twice without an id" in says


def test_gold_with_two_ids_of_a_question_is_the_same_problem(tmp_path: Path, check_same_problems):
    expected = [*gold(9), {"id": "other", "question": "How much is 3?", "reference": "3 €"}]
    rows = [{"question": f"How much is {at}?", "answer": "x"} for at in range(9)]
    source = written(tmp_path / "a.jsonl", rows)
    says = check_same_problems(source, gold=written(tmp_path / "gold.jsonl", expected))
    assert "has no id here, and elsewhere the ids 'q3' and 'other'" in says


def test_folders_of_systems_are_all_their_files(tmp_path: Path, check_same_samples):
    for system in ("a", "b"):
        (tmp_path / system).mkdir()
        written(tmp_path / system / "2.jsonl", asked(20, 40))
        written(tmp_path / system / "1.jsonl", asked(0, 20))
    samples = check_same_samples({"a": tmp_path / "a", "b": tmp_path / "b"})
    assert samples.n_by_system == {"a": 40, "b": 40}


def test_csv_cells_are_numbers_by_the_file_that_has_them(tmp_path: Path, check_same_samples):
    (tmp_path / "a.csv").write_text(
        "id,answer,n\n" + "".join(f"q{at},a,{at}\n" for at in range(40))
    )
    (tmp_path / "b.csv").write_text(
        "id,answer,n\n" + "".join(f"q{at},a,0{at}\n" for at in range(40))
    )
    check_same_samples({"a": tmp_path / "a.csv", "b": tmp_path / "b.csv"})


PROBLEMS: dict[str, tuple[dict[str, Rows], str]] = {
    "other questions": (
        {"a": asked(0, 30), "b": [{**row, "question": "Why?"} for row in asked(0, 30)]},
        "(30 ids differ like this)",
    ),
    "other references": (
        {"a": answers(0, 30, reference="x"), "b": answers(0, 30, reference="y")},
        "is 'y' here, but 'x' in",
    ),
    "duplicates": ({"a": answers(0, 30), "b": [*answers(0, 30), *answers(3, 5)]}, "duplicate id"),
    "another system": (
        {"a": answers(0, 30, system="c"), "b": answers(0, 30)},
        "is 'c', but the answers were given as system 'a'",
    ),
    "an empty file": ({"a": answers(0, 30), "b": []}, "holds no samples"),
    "no known field": (
        {"a": answers(0, 30), "b": [{"foo": 1, "bar": 2}]},
        "has no known field",
    ),
    "values": ({"a": answers(0, 30), "b": [*answers(0, 9), {"id": "x", "answer": ["x"]}]}, "must be text"),
}  # fmt: skip


@pytest.mark.parametrize("shape", PROBLEMS)
def test_the_problems_are_those_of_reading_in_memory(
    shape: str, tmp_path: Path, check_same_problems
):
    rows, says = PROBLEMS[shape]
    assert says in check_same_problems(sources_of(tmp_path, rows))


def test_a_chosen_column_that_one_system_lacks_is_a_problem(tmp_path: Path, check_same_problems):
    sources = sources_of(tmp_path, {"a": answers(0, 9, said="x"), "b": answers(0, 9)})
    says = check_same_problems(sources, map={"answer": "said"})
    assert "has no column 'said' for answer" in says


def test_chosen_columns_are_read_from_answers_and_from_gold(
    tmp_path: Path, check_same_problems, check_same_samples
):
    rows = [{"nr": f"q{at}", "said": f"{at} euros", "answer": "other"} for at in range(30)]
    source = written(tmp_path / "a.jsonl", rows)
    expected = [{"id": f"q{at}", "best": f"{at} €", "nr": "spare"} for at in range(35)]
    with_gold = written(tmp_path / "gold.jsonl", expected)
    chosen = {"id": "nr", "answer": "said", "references": "best"}
    says = check_same_problems(source, gold=with_gold, map=chosen)  # the gold's nr is not its id
    assert says
    expected = [{"nr": f"q{at}", "best": f"{at} €"} for at in range(35)]
    with_gold = written(tmp_path / "gold.jsonl", expected)
    samples = check_same_samples(source, gold=with_gold, map=chosen)
    assert samples.frame["references"].to_list()[:2] == [["0 €"], ["1 €"]]
    says = check_same_problems(source, gold=with_gold, map={**chosen, "question": "asked"})
    assert "has no column 'asked' for question" in says


def test_a_given_system_is_joined_with_gold(tmp_path: Path, check_same_samples):
    source = written(tmp_path / "a.jsonl", answers(0, 30))
    with_gold = written(tmp_path / "gold.jsonl", gold(30))
    assert check_same_samples(source, gold=with_gold, system="mine").systems == ("mine",)


def test_files_and_lists_are_read_together(tmp_path: Path, check_same_samples, check_same_problems):
    path = written(tmp_path / "a.jsonl", asked(0, 20))
    check_same_samples({"a": path, "b": path})
    check_same_samples({"a": path, "b": asked(10, 30), "c": asked(0, 9)})
    other = [{**row, "question": "Why?"} for row in asked(0, 20)]
    check_same_problems({"a": path, "b": other, "c": other[::-1]})
    with pytest.raises(PlanError, match="already name their systems"):
        load({"a": path, "b": tmp_path / "b.jsonl"}, system="c", in_pieces=True)


def test_samples_are_a_file_if_they_are_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    sources = sources_of(tmp_path, {"a": answers(0, 40), "b": answers(0, 40)})
    assert not load(sources).is_file
    for most in (0, 700):
        monkeypatch.setattr(piece_files, "FRAME_BYTES", most)
        samples = load(sources)
        assert samples.is_file
        assert samples.frame.equals(load(sources, in_pieces=False).frame)
        assert load(sources, gold=written(tmp_path / "gold.jsonl", gold(45))).is_file
