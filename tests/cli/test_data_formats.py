"""JSON and CSV of every command: numbers are numbers, in full, and what does not exist is null."""

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from ragauge.cli import cli
from ragauge.storage.cache import Cache

LABELS = "id,system,label\nq1,a,1\nq2,a,0\nq1,b,1\n"
NUMBER = re.compile(r"[-+]?[\d,]*\.?\d+( ?%| ?MiB)?|.* of [\d,]+|[\d.]+ ?[–(].*")
TEXTS = {"version", "time", "documentation", "digest"}  # "1.2" of a package is no number
COMMANDS = {
    "show": ["show"],
    "show RUN": ["show", "run"],
    "show RUN ID": ["show", "run", "q2"],
    "show --worst": ["show", "run", "--worst", "token_f1"],
    "show --status": ["show", "run", "--status", "missing"],
    "run": ["run", "answers.jsonl", "-m", "token_f1", "--folder", "new"],
    "compare": ["compare", "run"],
    "gate": ["gate", "run", "--rule", "token_f1 >= 0.7"],
    "calibrate": ["calibrate", "labels.csv", "run"],
    "label-plan": ["label-plan"],
    "metrics": ["metrics"],
    "metrics NAME": ["metrics", "number_match"],
    "metrics SUITE": ["metrics", "graphrag"],
    "prompts": ["prompts"],
    "validate": ["validate", "answers.jsonl"],
    "cache": ["cache", "kept"],
    "doctor": ["doctor"],
    "doctor --check": ["doctor", "--check", "run"],
    "rank": ["rank", "qrels.txt", "a.run", "-m", "mrr"],
    "review stats": ["review", "stats", "run"],
    "questions --plan": ["questions", "make", "docs", "--plan"],
    "questions check": ["questions", "check", "asked.jsonl", "docs"],
}
ELSEWHERE = {
    "judge-bias",
    "review questions",
}  # need a judge and a person; their records are tested there


def leaves(value: object, key: str = "") -> Iterator[tuple[str, object]]:
    """Every value without parts, with the key that it is of."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield from leaves(part, name)
    elif isinstance(value, list):
        for part in value:
            yield from leaves(part, key)
    else:
        yield key, value


def commands(group: click.Group, path: str = "") -> Iterator[str]:
    """The commands that have `-f`."""
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        if isinstance(command, click.Group):
            yield from commands(command, f"{path}{name} ")
        elif command and any("--format" in each.opts for each in command.params):
            yield f"{path}{name}"


@pytest.fixture
def folder(made, answers) -> Path:
    here = answers.parent
    (here / "labels.csv").write_text(LABELS)
    (here / "qrels.txt").write_text("q1 0 d1 1\nq2 0 d2 1\n")
    (here / "a.run").write_text("q1 Q0 d3 1 2.0 a\nq1 Q0 d1 2 1.0 a\nq2 Q0 d2 1 1.0 a\n")
    (here / "docs").mkdir()
    (here / "docs" / "hut.txt").write_text("The hut has 24 beds. It opened in 1994.")
    (here / "asked.jsonl").write_text(
        '{"id": "q1", "question": "How many beds has the hut?", "references": ["24 beds"]}\n'
    )
    made(answers.name, "-m", "exact_match", "-m", "token_f1", folder="run")
    made(answers.name, "-m", "exact_match", folder="ragauge-runs/first")
    Cache(here / "kept").keep("vectors", {b"a": bytes(1000)})
    return here


def test_every_command_with_formats_is_tested_here():
    tested = [f"{' '.join(line)} " for line in COMMANDS.values()]
    found = [
        name for name in commands(cli) if not any(each.startswith(f"{name} ") for each in tested)
    ]
    assert {*found} == ELSEWHERE


@pytest.mark.parametrize("name", COMMANDS)
def test_numbers_are_numbers_in_json(ragauge, folder, name):
    done = ragauge(*COMMANDS[name], "-f", "json")
    assert done.out, done.err
    found = leaves(json.loads(done.out))
    texts = [(key, value) for key, value in found if isinstance(value, str) and key not in TEXTS]
    assert not [each for each in texts if NUMBER.fullmatch(each[1])]


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
