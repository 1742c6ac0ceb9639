"""FAULTS.md 29 and 32: each exit code has one meaning in all commands, whatever becomes of the streams."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import faulty_server as faulty
import pytest
from cases import cases

import ragauge as rg
from ragauge import cli
from ragauge.cli import COMMANDS

ROWS = [
    {"id": "q1", "answer": "x", "reference": "x"},
    {"id": "q2", "answer": "y", "reference": "x"},
]
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="needs /dev/full")


@pytest.fixture
def folder(tmp_path) -> Path:
    """Answers, a run of them, bad data, a damaged run and a file that is no cache."""
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    (tmp_path / "bad.jsonl").write_text('{"id": "q1", "answ')
    (tmp_path / "no.sqlite").write_text("not a database, and longer than a header of one" * 9)
    rg.evaluate(ROWS, "exact_match", folder=tmp_path / "run")
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged/manifest.json").write_text("{")
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS)
def test_wrong_usage_is_2_in_every_command(ragauge, command):
    assert "--no-such-option" in ragauge(command, "--no-such-option", code=2, out="").err


CODES = {
    0: [
        ("show", "run"),
        ("gate", "run", "--rule", "exact_match >= 0.5"),
        ("report", "run"),
        ("validate", "a.jsonl"),
        ("metrics", "exact_match"),
        ("cache", "absent.sqlite"),
    ],
    1: [("gate", "run", "--rule", "exact_match >= 0.9")],
    2: [
        ("run", "a.jsonl", "-m", "no_such_metric"),
        ("show", "run", "no such question"),
        ("compare", "run", "x", "y"),
        ("gate", "run"),
        ("metrics", "no_such_metric"),
        ("view", "run", "--host", "0.0.0.0"),
        ("no-such-command",),
        (),
    ],
    3: [
        ("run", "bad.jsonl", "-m", "exact_match"),
        ("validate", "bad.jsonl"),
        ("compare", "bad.jsonl", "a.jsonl", "-m", "exact_match"),
        ("calibrate", "bad.jsonl", "run"),
        ("rank", "bad.jsonl", "bad.jsonl"),
        ("score", "bad.jsonl", "bad.jsonl"),
        ("judge-bias", "bad.jsonl", "--judge", "m"),
    ],
    4: [("run", "a.jsonl", "-m", "ndcg@10", "--folder", "r", "--no-report")],
    5: [
        *((name, place) for name in ("show", "report", "view") for place in ("damaged", "absent")),
        ("gate", "damaged", "--rule", "failed <= 0"),
        ("gate", "run", "--rule", "failed <= 0", "--baseline", "damaged"),
        ("compare", "run", "damaged"),
        ("calibrate", "a.jsonl", "damaged"),
        ("cache", "no.sqlite"),
        ("run", "a.jsonl", "-m", "dont_know", "--folder", "a.jsonl"),
    ],
    6: [
        ("run", "a.jsonl", "-m", "gpt_score", "--judge", "m", "--judge-url", "https://example.org/v1"),
        ("run", "a.jsonl", "-m", "semantic_similarity", "--encoder", "m", "--encoder-url", "https://example.org/v1"),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("code", "arguments"),
    [(code, arguments) for code, each in CODES.items() for arguments in each],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else str(value),
)
def test_each_code_has_its_meaning(ragauge, folder, monkeypatch, code, arguments):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    ragauge(*arguments, code=code)


class Panic(BaseException):
    """As polars raises where Rust panics."""


@pytest.mark.parametrize("raised", [ZeroDivisionError("division by zero"), Panic("unreachable")])
def test_a_bug_is_70_on_one_line_and_never_a_gate_that_failed(ragauge, folder, monkeypatch, raised):
    def bug(_) -> None:
        raise raised

    monkeypatch.setattr(cli.cli, "invoke", bug)
    done = ragauge("gate", "run", "--rule", "exact_match >= 0.9")
    assert (done.code, done.out, len(done.err.splitlines())) == (70, "", 1)
    told = f"{type(raised).__name__}: {raised}"
    assert done.err.startswith(f"ragauge: error: this is a bug in ragauge: {told}")


def test_prompts_that_were_written_in_part_are_completed(ragauge, tmp_path):
    assert ragauge("prompts", "own").code == 0
    whole = {file.name: file.read_text() for file in (tmp_path / "own").iterdir()}
    (tmp_path / "own/verdict.md").unlink()
    assert ragauge("prompts", "own").code == 0
    assert {file.name: file.read_text() for file in (tmp_path / "own").iterdir()} == whole
    (tmp_path / "own/verdict.md").write_text("mine")
    assert ragauge("prompts", "own").code == 5
    assert (tmp_path / "own/verdict.md").read_text() == "mine"


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
@cases(
    ("SIGTERM", 143, "terminated; finished"),
    ("SIGHUP", 129, "terminated; finished"),
    ("SIGINT", 130, "interrupted; finished"),
)
@pytest.mark.usefixtures("interruptible")
def test_a_signal_ends_a_command_with_a_line_and_its_code(
    name, code, said, ragauge, folder, monkeypatch
):
    number = getattr(signal, name)

    def wait(_) -> None:
        os.kill(os.getpid(), number)
        time.sleep(30)

    before = signal.getsignal(number)
    monkeypatch.setattr(cli.cli, "invoke", wait)
    done = ragauge("show", "run", code=code, out="")
    assert done.err.startswith(f"ragauge: {said} batches are kept")
    assert len(done.err.splitlines()) == 1
    assert signal.getsignal(number) == before


def test_the_table_of_the_documentation_has_every_code():
    text = (Path(__file__).parents[2] / "docs" / "runs.md").read_text()
    rows = [line.split("|")[1].strip() for line in text.splitlines() if line.startswith("| ")]
    assert {row for row in rows if row.isdecimal()} == {*map(str, CODES), "70", "129", "130", "143"}


STREAMS = {
    "error full": "2>/dev/full",
    "error closed": "2>&-",
    "error without a reader": "2>&1 >/dev/null | true",
    "output closed": ">&- 2>/dev/null",
    "output without a reader": "2>/dev/null | true",
    "all closed": "<&- >&- 2>&-",
}


@LINUX
@pytest.mark.slow
@pytest.mark.parametrize("streams", STREAMS.values(), ids=STREAMS)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_no_fate_of_the_streams_changes_an_exit_code(folder, streams, unbuffered):
    commands = {
        "show run": 0,
        "show absent": 5,
        "gate run --rule exact_match>=0.9": 1,
        "show --no-such-option": 2,
    }
    script = "; ".join(
        f"{sys.executable} -m ragauge {command.replace('>', chr(92) + '>')} {streams}; "
        "echo ${PIPESTATUS[0]} >> codes"
        for command in commands
    )
    done = subprocess.run(
        ["bash", "-c", script], cwd=folder, check=False, capture_output=True, timeout=100,
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
    )  # fmt: skip
    assert b"Traceback" not in done.stderr
    assert (folder / "codes").read_text().split() == list(map(str, commands.values()))


@LINUX
@pytest.mark.slow
def test_a_full_disk_behind_both_streams_is_a_fault_of_the_disk(folder):
    script = f"{sys.executable} -m ragauge show run >/dev/full 2>/dev/full"
    done = subprocess.run(["bash", "-c", script], cwd=folder, check=False, timeout=100)
    assert done.returncode == 5


def test_without_standard_input_a_command_says_so(ragauge, folder, monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    done = ragauge("review", "next", "run")
    assert (done.code, "standard input is closed" in done.err) == (2, True), done.err


def test_an_encoder_that_refuses_every_text_is_unreachable(ragauge, folder):
    with faulty.FaultyServer(lambda *_: faulty.refusal(401, "no")) as server:
        done = ragauge(
            *("run", "a.jsonl", "-m", "semantic_similarity", "--encoder", "m", "--folder", "e"),
            *("--encoder-url", server.url, "--cache", "none", "--no-report", "--quiet"),
        )
    assert done.code == 6
    assert "the encoder gave no vectors: " in done.err
    assert "refused with 401" in done.err
