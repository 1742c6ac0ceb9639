"""`ragauge demo --judged`: the graphrag suite over replies that a judge gave before."""

import json
import os
import shutil
import subprocess
import sys
import textwrap
from collections import Counter
from pathlib import Path

import polars as pl
import pytest

import ragauge as rg
from ragauge.cli.commands.demo import example

RECORDING = example() / "judge.jsonl"
SHOWN = (
    "ragas_faithfulness",
    "ragas_context_precision",
    "ragas_context_recall",
    "ragas_answer_relevance",
    "ragas_score",
    "factual_accuracy_percentage",
    "semantic_similarity_percentage",
    "bert_score_f1",
    "correct_answers_count",
    "wrong_answers_count",
    "dont_know_answers_count",
)
SYSTEMS = {"careful", "dreamer", "hasty"}
N_QUESTIONS = 5
CONNECTED = 99
"""How the process ends that tries to reach another one."""

ALONE = f"""
    import os, sys

    # An event loop has a pair of sockets of its own; they reach nobody, and connect to nothing.
    REACHING = {{"socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg",
                "socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"}}

    def end(event, _):
        if event in REACHING:
            os.write(2, f"{{event}} was called".encode())
            os._exit({CONNECTED})

    sys.addaudithook(end)
"""


def run_alone(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a script in a process that ends at once when it tries to reach another one."""
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(ALONE) + textwrap.dedent(script)],
        capture_output=True,
        encoding="utf-8",
        check=False,
        cwd=folder,
        env={**os.environ, "HTTPS_PROXY": "http://127.0.0.1:9", "COLUMNS": "200"},
    )


@pytest.fixture(scope="module")
def first(tmp_path_factory) -> tuple[subprocess.CompletedProcess[str], Path]:
    """The demo in a process that ends when it reaches out, and the folder in which it ran."""
    place = tmp_path_factory.mktemp("demo")
    script = "from ragauge.cli import main; main(['demo', '--judged', '--folder', 'out', '--full'])"
    return run_alone(script, place), place


@pytest.fixture
def demo(first, tmp_path, monkeypatch) -> subprocess.CompletedProcess[str]:
    """How the demo ended; the test is in a copy of its folder, in as wide a terminal."""
    done, place = first
    shutil.copytree(place, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return done


@pytest.fixture
def scores(demo) -> pl.DataFrame:
    assert demo.returncode == 0, demo.stderr
    return rg.open_run("out").scores


def counts(summary) -> dict[str, dict[str, float]]:
    """For each system the three counts of its answers."""
    found: dict[str, dict[str, float]] = {}
    for row in summary:
        if "count" in row:
            found.setdefault(row["system"], {})[row["name"]] = row["count"]
    return found


def test_every_output_of_the_suite_is_shown_for_every_system_and_nobody_is_reached(demo):
    assert demo.returncode == 0, demo.stderr  # with CONNECTED it would have ended
    assert "graphrag · 15 answers · 3 systems" in demo.stdout
    rows = [line.split() for line in demo.stdout.splitlines()]
    for name in SHOWN:
        (row,) = [one for one in rows if one[:1] == [name] and len(one) > 1]
        n_numbers = 1 if name.endswith("_count") else 2  # a mean has an interval, a count none
        assert len(row) == 1 + n_numbers * len(SYSTEMS), row
    assert "judged by claude-demo" in demo.stdout
    assert demo.stderr.splitlines()[-1] == "ragauge: open out/report.html in a browser"


@pytest.mark.usefixtures("demo")
def test_correct_wrong_and_dont_know_are_all_answers():
    found = counts(json.loads(Path("out/summary.json").read_text("utf-8"))["summary"])
    assert found.keys() == SYSTEMS
    for by_name in found.values():
        assert by_name.keys() == set(SHOWN[-3:])
        assert sum(by_name.values()) == N_QUESTIONS


def test_the_planted_faults_are_found(scores):
    """The handbook's README lists them: q26 says £9 for £11, q08 is empty, q20 is cut off."""
    assert scores.height == len(SHOWN) * len(SYSTEMS) * N_QUESTIONS
    assert set(scores["status"]) == {"ok"} and scores["value"].null_count() == 0
    values = {
        (row["id"], row["system"], row["metric"].partition("(")[0]): row["value"]
        for row in scores.iter_rows(named=True)
    }
    # Of "£9 less", "£6 in winter" and "£17 in summer" the passages support two.
    assert values["q26", "careful", "faithfulness"] == pytest.approx(2 / 3)
    assert values["q08", "dreamer", "answer_relevance"] == 0.0
    # All three benefits that it names are there, and others are missing.
    assert values["q20", "hasty", "faithfulness"] == 1.0
    correct = scores.filter(
        pl.col("metric").str.starts_with("answer_class") & ~pl.col("metric").str.contains("wrong")
    )
    by_answer = {(row["id"], row["system"]): row["value"] for row in correct.iter_rows(named=True)}
    for wrong in (("q26", "careful"), ("q08", "dreamer"), ("q20", "hasty")):
        assert by_answer[wrong] == 0.0
    assert by_answer["q01", "careful"] == 1.0


def test_the_recording_has_the_replies_that_are_asked_for_and_no_others(ragauge):
    done = ragauge("run", example() / "judged.toml", "--record", "asked.jsonl", "--folder", "out")
    assert done.code == 0, done.err
    recorded, asked = (
        Counter(json.loads(line)["key"] for line in path.read_text("utf-8").splitlines()[1:])
        for path in (RECORDING, Path("asked.jsonl"))
    )
    assert max(recorded.values()) == 1
    assert recorded.keys() == asked.keys()


def test_every_reply_reads_at_once_and_every_quote_stands_in_its_context(scores):
    evidence = [json.loads(one) for one in scores["evidence"].drop_nulls()]
    calls = [call for one in evidence for call in one.get("calls", ())]
    assert (
        len({call["key"] for call in calls}) == len(RECORDING.read_text("utf-8").splitlines()) - 1
    )
    assert not any("repaired" in call for call in calls)
    claims = [claim for one in evidence for claim in one.get("claims", ())]
    quoted = [claim for claim in claims if claim.get("quote")]
    assert len(quoted) > 50
    assert all(claim["quote_found"] for claim in quoted)


def test_the_replies_tell_no_tokens_and_no_costs_that_nobody_counted():
    head, *lines = RECORDING.read_text("utf-8").splitlines()
    assert json.loads(head)["judge"] == "claude-demo"
    for line in lines:
        assert json.loads(line)["reply"].keys() == {"text", "finish_reason"}


def test_a_second_demo_prints_the_same(ragauge, demo):
    again = ragauge("demo", "--judged", "--folder", "out", "--full")
    assert (again.code, again.out) == (0, demo.stdout)


def test_the_block_on_connections_holds(tmp_path):
    for reach in (
        "socket.create_connection(('127.0.0.1', 9))",
        "socket.socket().connect(('127.0.0.1', 9))",
        "socket.getaddrinfo('localhost', 80)",
    ):
        assert run_alone(f"import socket; {reach}", tmp_path).returncode == CONNECTED
