"""Run folders of each released format are read by every command that reads runs: docs/stability.md promises a year."""

import json
import shlex
import shutil
from pathlib import Path

import pytest

import ragauge as rg

RELEASED = sorted((Path(__file__).parent / "released").iterdir())
COMMANDS = {
    "show RUN": "new has the best exact_match 0.67",
    "show RUN --full": "worst 0.333, best 0.667",
    "show RUN q2": "I do not know.",
    "show RUN --worst token_f1": "q2",
    "show RUN -f json": '"exact_match"',
    "compare RUN base new": "recall@2",
    "gate RUN --rule 'recall@2[system = \"new\"] >= 0.9'": "passed",
    "report RUN -o page.html": "",
    "review export RUN -o queue.jsonl --sample 6": "",
    "review stats RUN": "label",
}
"""Commands, and what they print among the rest."""


@pytest.fixture(params=RELEASED, ids=lambda folder: folder.name)
def folder(request, tmp_path):
    return shutil.copytree(request.param, tmp_path / "RUN")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_released_folder_is_read_by_a_command(command, folder, ragauge):
    done = ragauge(*shlex.split(command), code=0)
    assert COMMANDS[command] in done.out, done.out


def test_a_released_folder_has_its_scores(folder):
    run = rg.open_run(folder)
    # q1 and q2 of base, and all three of new, are answered; "The fee is $5." is the reference.
    values = run.scores.sort("system", "id").filter(metric="exact_match")["value"].to_list()
    assert values == [1.0, 0.0, None, 0.0, 1.0, 1.0]
    assert run.summary().filter(metric="recall@2")["mean"].to_list() == [pytest.approx(1 / 3), 1.0]
    assert run.problems == ()
    assert json.loads((folder / "manifest.json").read_text())["format"] == 2


def test_a_run_is_compared_with_a_released_one(folder):
    released = rg.open_run(folder)
    rows = released.samples.frame.to_dicts()
    rows = [{**row, "answer": "Ada made it."} if row["id"] == "q2" else row for row in rows]
    now = rg.evaluate(rows, ["exact_match"])
    sides = ((released, "base"), (now, "base"))
    found = rg.compare(*sides, metrics="exact_match", allow_mismatch=True)
    # Of q1 and q2, which both have a score for, q2 is right now.
    assert found.row("exact_match").difference == 0.5
