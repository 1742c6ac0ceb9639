"""JSON and CSV of every command: numbers are numbers, in full, and what does not exist is null."""

import csv
import json
from pathlib import Path

import pytest

from ragauge.storage.cache import Cache

LABELS = "id,system,label\nq1,a,1\nq2,a,0\nq1,b,1\n"
COMMANDS = (  # those that tests/cli/test_main.py does not write in all formats
    ("show",),
    ("calibrate", "labels.csv", "run"),
    ("cache", "kept"),
    ("questions", "make", "docs", "--plan"),
    ("questions", "check", "asked.jsonl", "docs"),
)


@pytest.fixture
def folder(made, answers) -> Path:
    here = answers.parent
    (here / "labels.csv").write_text(LABELS)
    (here / "docs").mkdir()
    (here / "docs" / "hut.txt").write_text("The hut has 24 beds. It opened in 1994.")
    (here / "asked.jsonl").write_text(
        '{"id": "q1", "question": "How many beds has the hut?", "references": ["24 beds"]}\n'
    )
    made(answers.name, "-m", "exact_match", "-m", "token_f1", folder="run")
    made(answers.name, "-m", "exact_match", folder="ragauge-runs/first")
    Cache(here / "kept").keep("vectors", {b"a": bytes(1000)})
    return here


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_numbers_are_numbers_in_json(ragauge, folder, command, numbers_as_text):
    done = ragauge(*command, "-f", "json")
    assert json.loads(done.out) and not numbers_as_text(done.out), done.err


def rows_of(ragauge, *arguments: str) -> list[dict[str, object]]:
    """The rows of the first table."""
    return json.loads(ragauge(*arguments, "-f", "json").out)["tables"][0]["rows"]


def test_a_table_without_keys_of_its_own_has_an_object_for_each_row(ragauge, folder):
    first = rows_of(ragauge, "show")[0]
    assert (first["run"], first["answers"]) == ("ragauge-runs/first", 4)
    assert rows_of(ragauge, "cache", "kept") == [{"content": "vectors", "entries": 1, "size": 1000}]
    answer = {
        "column": "answer",
        "meaning": "what the system answered",
        "rows": 3,
        "null": 1,
        "empty": 0,
    }
    assert answer in rows_of(ragauge, "validate", "answers.jsonl")


def test_a_number_that_does_not_exist_is_null_and_why_is_beside_it(ragauge, folder):
    told = json.loads(ragauge("show", "run", "-f", "json").out)
    (missing,) = (
        each
        for each in told["scores"]
        if each["id"] == "q2" and each["system"] == "b" and each["metric"] == "token_f1"
    )
    assert (missing["value"], missing["status"]) == (None, "missing")
    assert missing["reason"] == "the sample has no answer"
    (row,) = (
        each for each in told["summary"] if each["system"] == "a" and each["metric"] == "token_f1"
    )
    assert row["mean"] == 0.75  # of 1 and 0.5


NUMBERS = {"mean", "low", "worst", "difference", "p_value", "by_sampling", "n_rows", "auroc"}
SINGLE = [
    {"id": "q1", "system": system, "answer": "Rome", "reference": "Rome", "cost_usd": 0.5}
    for system in ("a", "b")
]
FEW = {  # one question or one label, and values that are all equal: what each null stands beside
    "run single.jsonl -m exact_match -m cost_usd -m bleu -m ndcg": [
        "no interval: only 1 score",
        "no row has",
    ],
    "run same.jsonl -m cost_usd": ["no interval: all are equal; no bounds: the scale has no end"],
    "run turns.jsonl -m exact_match": ["no interval: only 1 cluster of scores"],
    "compare few a b": ["only 1 common question"],
    "gate few --baseline a --rule cost_usd.drop_low<=3": ["only 1 common question"],
    "rank q.txt one.txt two.txt -m ndcg -m num_ret": [
        "only 1 query",
        "of a sum",
        "only 1 common query",
    ],
    "calibrate one.csv few": ["1 labelled answer"],
    "label-plan": ["the number of answers is not given"],
    "label-plan --rows 18": ["more labels than the 18 answers"],
    "calibrate raters.csv few": ["one of the two gives every answer the same label"],
}


def nulls_of(told):
    """The texts beside each null number."""
    for each in told if isinstance(told, list) else told.values() if isinstance(told, dict) else ():
        yield from nulls_of(each)
    if isinstance(told, dict) and any(told.get(name, 0) is None for name in NUMBERS):
        yield next(filter(None, map(told.get, ("note", "reason", "why_not"))), told)


@pytest.mark.parametrize("command", FEW)
def test_every_number_that_one_row_or_equal_values_cannot_give_has_a_reason(
    ragauge, made, tmp_path, command
):
    write = {
        "single.jsonl": SINGLE,
        "same.jsonl": [{**row, "id": id} for row in SINGLE for id in "xyz"],
        "turns.jsonl": [{**SINGLE[0], "id": id, "repeat_of": "q"} for id in "xyz"],
    }
    for name, rows in write.items():
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "one.csv").write_text("id,system,label\nq1,a,1\n")
    both = "".join(f"q1,{system},{rater},1\n" for system in "ab" for rater in ("ann", "ben"))
    (tmp_path / "raters.csv").write_text("id,system,rater,label\n" + both)
    (tmp_path / "q.txt").write_text("q1 0 x 1\n")
    for name, id in (("one", "x"), ("two", "y")):
        (tmp_path / f"{name}.txt").write_text(f"q1 Q0 {id} 1 2 {name}\n")
    made("single.jsonl", "-m", "exact_match", "-m", "cost_usd", folder="few")
    text = ragauge(*command.split(), "-f", "json").out
    assert [each for each in nulls_of(json.loads(text)) if not isinstance(each, str)] == []
    assert all(reason in text for reason in FEW[command])


def test_csv_is_in_full_too_with_lists_and_objects_as_json(ragauge, folder):
    gate = [
        *csv.DictReader(
            ragauge("gate", "run", "--rule", "token_f1 >= 0.7", "-f", "csv").out.splitlines()
        )
    ]
    assert {row["system"]: json.loads(row["values"]) for row in gate} == {
        "a": {"token_f1": 0.75},
        "b": {"token_f1": 1.0},
    }
    first, *_ = csv.DictReader(ragauge("label-plan", "-f", "csv").out.splitlines())
    assert (first["margin"], first["by_sampling"]) == ("0.02", "2401")  # 0.98² / 0.02² = 2401
