"""FAULTS.md 30, 35, 37 and 38 through the command: what a person at a terminal sees of them."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROWS = [
    {"id": f"q{at}", "system": system, "question": f"Fee {at}?", "answer": f"It is ${at * n}.", "reference": f"${at}"}
    for n, system in enumerate(("old", "new"), 1)
    for at in range(6)
]  # fmt: skip
QUIET = ("--cache", "none", "--no-report", "--quiet")


def write(path: Path, rows: list[dict[str, object]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def scores(path: Path) -> list[list[str]]:
    with path.open(newline="") as file:
        head, *rows = csv.reader(file)
    return [head, *sorted(rows)]


# 30 and 35: the same run twice at once, in another order, by other workers --------------------------


@pytest.mark.slow
def test_two_runs_in_the_same_second_and_in_another_order_give_the_same_scores(tmp_path):
    write(tmp_path / "a.jsonl", ROWS)
    write(tmp_path / "b.jsonl", ROWS[::-1])
    suite = ("-m", "token_f1", "-m", "correct", "-m", "keyword_coverage", "--cache", "none")

    def start(data: str, out: str, seed: str, *more: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "ragauge", "run", data, *suite, "-o", out, *more]
        env = {**os.environ, "PYTHONHASHSEED": seed}
        return subprocess.Popen(command, cwd=tmp_path, env=env, stderr=subprocess.PIPE, text=True, stdout=subprocess.DEVNULL)  # fmt: skip

    running = [
        start("a.jsonl", "1.csv", "1"),
        start("a.jsonl", "2.csv", "2"),
        start("b.jsonl", "3.csv", "3", "-j", "2", "--folder", "other"),
    ]
    for each in running:
        assert each.communicate(timeout=100) and each.returncode == 0, each.stderr
    first, second, third = (scores(tmp_path / f"{at}.csv") for at in (1, 2, 3))
    assert first == second == third
    assert len(first) == 1 + 3 * len(ROWS)
    assert not list(tmp_path.rglob("*.part"))


# 37: runs that cannot be compared -------------------------------------------------------------------


def test_another_question_or_reference_under_the_same_id_is_refused_by_compare_and_gate(ragauge, tmp_path):  # fmt: skip
    old = [row for row in ROWS if row["system"] == "old"]
    changed = [{**row, "question": "Price?"} if row["id"] == "q3" else row for row in old]
    for name, rows in {"old": old, "new": changed}.items():
        write(tmp_path / f"{name}.jsonl", rows)
        ragauge("run", f"{name}.jsonl", "-m", "token_f1", *QUIET, "--folder", name)
    for command in (
        ("compare", "old", "new"),
        ("gate", "new", "--baseline", "old", "--max-drop", "token_f1=0.1"),
    ):
        done = ragauge(*command, code=3)
        assert "q3" in done.err
        assert "--allow-mismatch" in done.err
        assert ragauge(*command, "--allow-mismatch").code in (0, 1)


# 38: a label of an answer that has changed ----------------------------------------------------------


def test_a_label_of_an_answer_that_has_changed_is_stale_and_judges_nothing(ragauge, tmp_path):
    write(tmp_path / "a.jsonl", ROWS)
    changed = [{**row, "answer": "Something else."} if row["id"] == "q2" else row for row in ROWS]
    write(tmp_path / "b.jsonl", changed)
    for name in "ab":
        run = ("run", f"{name}.jsonl", "-m", "correct", *QUIET, "--folder", name)
        assert ragauge(*run).code == 0
    labels = [{"id": f"q{at}", "system": "old", "value": "match", "rater": "r"} for at in (1, 2, 3)]
    write(tmp_path / "labels.jsonl", labels)
    assert ragauge("review", "import", "a", "labels.jsonl").code == 0
    done = ragauge("review", "import", "b", "a/labels.jsonl", code=0)
    assert "3 labels stored, 1 not applied: the texts have changed" in done.err
    told = json.loads(ragauge("review", "stats", "b", "-f", "json").out)
    assert "stale" in json.dumps(told)
    shown = ragauge("calibrate", "b")
    assert "2 labels" in shown.out, shown.out
    assert "stale" in shown.out + shown.err
