"""FAULTS.md 28: a command that is killed or interrupted wherever it touches its files leaves none half written.

The same command then gives what an uninterrupted one gives, and nothing is left over.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import ragauge as rg

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs fork and signals")

LABELS = [
    {"id": f"q{at}", "system": system, "label": "yes" if at else "no"}
    for at in range(4)
    for system in "ab"
]
IMPORTED = [
    {"id": "q0", "system": "a", "value": "match", "rater": "r"},
    {"id": "q1", "system": "b", "value": "unsure", "rater": "r", "note": "x"},
]
COMMANDS = (
    "rank q.qrels x.run y.run -o s.csv -o s.json --report p.html",
    "calibrate labels.jsonl run -o c.md -o c.json",
    "report run -o p.html",
    "review import run imported.jsonl",
    "review export run -o o.jsonl",
    "prompts own",
    "compare run a b -o c.csv",
    "gate run --rule token_f1>=0.1 --junit j.xml",
    "rank --fuse rrf x.run y.run -o f.run",
    "score p.json gold.json --output o.json",
    "run a.jsonl -m token_f1 --folder new --cache none --quiet -o o.csv -o o.json",
)


@pytest.fixture(scope="module")
def base(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("base")
    rows = [
        {"id": f"q{at}", "system": system, "question": f"{at}?", "answer": f"It is {at * n}.", "reference": f"It is {at}."}
        for n, system in enumerate("ab", 1)
        for at in range(4)
    ]  # fmt: skip
    for name, lines in {
        "a.jsonl": rows,
        "labels.jsonl": LABELS,
        "imported.jsonl": IMPORTED,
    }.items():
        (folder / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
    (folder / "q.qrels").write_text("q1 0 d1 1\nq2 0 d2 1\n")
    for name, score in {"x": 0.5, "y": 0.7}.items():
        lines = (f"q{at} Q0 d{at} 1 {score} {name}\n" for at in (1, 2))
        (folder / f"{name}.run").write_text("".join(lines))
    (folder / "p.json").write_text('[{"query": "x", "retrieved_passages": ["a"]}]')
    (folder / "gold.json").write_text('{"tests": [{"query": "x", "snippets": [{"answer": "a"}]}]}')
    rg.evaluate(rows, ["token_f1", "correct"], folder=folder / "run", cache=None)
    return folder


def tried(base: Path, work: Path, command: str, name: str, step: int) -> None:
    script = Path(__file__).with_name("killed.py")
    called = [sys.executable, script, base, work, str(step), name, *command.split()]
    done = subprocess.run(called, capture_output=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr.decode()
    result = json.loads(done.stdout.splitlines()[-1])
    assert result["problems"] == []
    assert result["code"] == 0
    assert result["killed"], "no signal came before the end"


def test_a_command_that_is_killed_between_two_files_loses_none(base, tmp_path):
    tried(base, tmp_path / "work", "review export run -o o.jsonl", "SIGKILL", 2)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM", "SIGINT"])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_that_is_ended_at_any_place_loses_nothing(command, name, base, tmp_path):
    # These two touch dozens of files, one as the other.
    tried(
        base, tmp_path / "work", command, name, 7 if command.startswith(("run", "prompts")) else 1
    )
