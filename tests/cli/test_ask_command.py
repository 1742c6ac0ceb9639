"""`ragauge ask`: what it prints, how it ends, and that a killed one resumes."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time

import polars as pl
import pytest
from cases import cases

from ragauge.views.run_notes import took

QUESTIONS = "".join(
    json.dumps({"id": f"q{n}", "question": f"Question {n}?", "references": ["Paris"]}) + "\n"
    for n in range(6)
)
APP = """
import sys, time

def answer(question, top_k=1):
    print("on standard output")
    return {"answer": f"Paris {top_k}", "usage": {"input_tokens": 10, "output_tokens": 5}}

def fails(question):
    if "3" in question:
        raise ValueError("no idea")
    return "Paris"

def fails_always(question):
    raise ValueError("no idea")

def counted(question):
    with open("asked.txt", "a") as file:
        file.write(question + "\\n")
    with open("asked.txt") as file, open("most.txt") as most:
        if len(file.readlines()) > int(most.read()):
            time.sleep(60)  # until it is killed
    return "Paris"

def slow(question):
    print("begun", file=sys.stderr, flush=True)
    time.sleep(60)
"""


@pytest.fixture
def here(tmp_path):
    (tmp_path / "app.py").write_text(APP)
    (tmp_path / "most.txt").write_text("1000")
    (tmp_path / "questions.jsonl").write_text(QUESTIONS)
    return tmp_path


def test_each_system_has_a_line_and_the_next_command_is_named(ragauge, here):
    done = ragauge("ask", "questions.jsonl", "--target", "app.py:answer", "--price", "2,8", code=0)
    (line,) = done.out.splitlines()
    # 6 · (10 · $2 + 5 · $8) for a million tokens: $0.00036
    assert line.startswith("answer: 6 answers · 0 failed · median 0.00 s, p95 0.00 s")
    assert line.endswith("60 tokens in, 30 tokens out · $0.0004")
    assert "ragauge run ragauge-answers/questions-answer" in done.err
    assert "on standard output" in done.err
    found = (here / "ragauge-answers/questions-answer/answers.jsonl").read_text().splitlines()
    assert json.loads(found[0])["answer"] == "Paris 1"
    done = ragauge("ask", "questions.jsonl", "--target", "app.py:answer")
    assert "6 answers kept from before, 0 new" in done.err


def test_the_answers_are_scored_with_their_time_and_faults(ragauge, here):
    done = ragauge(
        *("ask", "questions.jsonl", "--system", "a=app.py:answer", "--system", "b=app.py:fails"),
        *("--folder", "answers", "--retries", "0", "-o", "answers.csv"),
    )
    assert done.code == 4
    assert "1 answer failed: ValueError: no idea" in done.err
    assert (here / "answers.csv").exists()
    done = ragauge("run", "answers", "--folder", "run", "--no-report")
    assert "b: 1 of 6 answers failed · median 0.00 s, p95 0.00 s" in done.out
    assert "a: median 0.00 s, p95 0.00 s · 60 tokens in, 30 tokens out" in done.out
    gate = ["gate", "run", "--rule", "latency_s.p95 <= 5", "--rule"]
    assert ragauge(*gate, 'output_tokens.sum[system = "a"] <= 30').code == 0
    done = ragauge(*gate, 'output_tokens.sum[system = "a"] <= 29', code=1)
    assert 'output_tokens.sum[system = "a"] is 30' in done.out


def test_run_asks_and_scores_in_one_command(ragauge, here):
    arguments = ["questions.jsonl", "--limit", "4", "--folder", "run", "--no-report", "-m"]
    arguments += ["keyword_coverage", "--target", "app.py:answer", "--target", "fails=app.py:fails"]
    done = ragauge("run", *arguments, "--retries", "0", "--vary", "top_k=1,2")
    assert (done.code, done.err) == (2, done.err)
    assert "the target fails takes no setting 'top_k'" in done.err
    done = ragauge("run", *arguments, "--retries", "0", code=4)
    assert "1 answer failed: ValueError: no idea" in done.err
    rows = (here / "ragauge-answers/questions-answer-fails/answers.jsonl").read_text().splitlines()
    assert len(rows) == 8
    assert "keyword_coverage" in done.out
    done = ragauge("run", *arguments[:-4], "--target", "app.py:fails_always", "--retries", "0")
    assert done.code == 6
    done = ragauge("run", "--system", "a=questions.jsonl", "--target", "app.py:answer", code=2)
    assert "--target needs a file of questions" in done.err


def test_run_asks_every_kind_of_system_with_the_options_of_ask(ragauge, here):
    (here / "app.sh").write_text("echo Paris")
    arguments = ["run", "questions.jsonl", "-m", "keyword_coverage", "--no-report", "--repeat", "2"]
    arguments += ["--shell", "sh app.sh", "--target", "two=app.py:answer", "--price", "2,8"]
    done = ragauge(*arguments, "--folder", "run", "--max-calls", "10", "--concurrency", "1", code=4)
    assert "4 questions not asked: the budget of 10 calls is used up" in done.err
    assert "two: pass^2 1.00, pass@2 1.00, 1.00 of answers pass at keyword_coverage 0.5" in done.out
    # Two systems, six questions, two repeats; ten calls are within the budget of each.
    assert "  two: median 0.00 s, p95 0.00 s · 100 tokens in, 50 tokens out" in done.out
    (folder,) = (here / "ragauge-answers").iterdir()
    rows = [json.loads(line) for line in (folder / "answers.jsonl").read_text().splitlines()]
    # 10 · $2 + 5 · $8 for a million tokens
    assert {(row["system"], row["cost_usd"]) for row in rows} == {("sh", None), ("two", 6e-5)}
    done = ragauge("run", "questions.jsonl", "--vary", "top_k=1,2", code=2)
    assert "--vary is of a system to ask; name one with --target" in done.err


def test_repeats_show_how_steady_a_system_is(ragauge, here):
    ragauge("ask", "questions.jsonl", "--target", "app.py:fails", "--repeat", "3", "--folder", "a")
    done = ragauge("run", "a", "-m", "keyword_coverage", "--folder", "run", "--no-report")
    assert (
        "fails: pass^3 0.83, pass@3 0.83, 0.83 of answers pass at keyword_coverage 0.5" in done.out
    )
    done = ragauge("show", "run", "--steady", "keyword_coverage>=0.9", "-f", "csv")
    fields = done.out.splitlines()[-1].split(",")  # five of six questions pass in every repeat
    assert [fields[0], *map(float, fields[1:])] == ["fails", *[5 / 6] * 3, 0, 6, 0, 0]
    assert "'x' is not a number" in ragauge("show", "run", "--steady", "keyword_coverage>=x").err


def test_where_nothing_is_answered_the_exit_code_says_so(ragauge, here):
    done = ragauge("ask", "questions.jsonl", "--target", "app.py:fails_always", "--retries", "0")
    assert done.code == 6
    assert "6 answers failed: ValueError: no idea" in done.err


def test_the_cost_is_before_what_a_terminal_cuts_and_is_never_nothing():
    names = ("latency_s", "first_token_s", "input_tokens", "output_tokens", "cost_usd")
    rows = pl.DataFrame([(0.21, 0.1, 90_000, 12_000, 0.0000123)], schema=names, orient="row")
    assert took(rows) == (
        "median 0.21 s, p95 0.21 s · $0.000012 · first token 0.10 s · "
        "90,000 tokens in, 12,000 tokens out"
    )


def test_a_dry_run_asks_three_questions_and_forecasts_the_rest(ragauge, here):
    arguments = ["questions.jsonl", "--target", "app.py:counted"]
    done = ragauge("ask", *arguments, "--dry-run", code=0)
    assert "asked 3 questions in" in done.err
    assert "3 more answers at 8 at once take about 1 s, if all are like the first ones" in done.err
    assert len((here / "asked.txt").read_text().splitlines()) == 3
    done = ragauge("run", *arguments, "-m", "keyword_coverage", "--dry-run")
    assert (done.code, "keyword_coverage" in done.out) == (0, True), done.err
    assert not (here / "ragauge-runs").exists()
    assert ragauge("ask", *arguments).code == 0
    assert len((here / "asked.txt").read_text().splitlines()) == 6
    assert "more answers" not in ragauge("ask", *arguments, "--dry-run").err  # nothing is left
    # 12 answers, 3 of them tried, each of 10 · $2,000 + 5 · $4,000 for a million tokens: 9 · $0.04
    priced = ["questions.jsonl", "--target", "app.py:answer", "--price", "2000,4000"]
    done = ragauge("ask", *priced, "--repeat", "2", "--dry-run")
    assert "9 more answers at 8 at once take about 1 s and cost about $0.36" in done.err
    fails = ["questions.jsonl", "--target", "app.py:fails_always", "--retries", "0"]
    done = ragauge("ask", *fails, "--dry-run")
    assert (done.code, "more answers" in done.err) == (6, False)


@cases(
    ([], 2, "no system to ask; name one with --target app.py:function, --url"),
    (["--target", "app.py:answr"], 2, "app.py has no function 'answr'; did you mean 'answer'"),
    (["--target", "app.py:answer", "--vary", "topk=1"], 2, "takes no setting 'topk'"),
    (["--target", "app.py:answer", "--vary", "top_k"], 2, "expected NAME=A,B as in top_k=3,10"),
    (["--target", "a=app.py:answer", "--target", "a=app.py:fails"], 2, "'a'"),
    (["--system", "a=app.py:answer", "--target", "a=app.py:fails"], 2, "'a'"),
    (["--system", "app.py:answer"], 2, "expected NAME=TARGET as in small=app.py:small"),
    (["--target", "app.py:answer", "-o", "a.xlsx"], 2, "answers are written as .jsonl"),
    (["--target", "app.py:answer", "--where", "topic = 1"], 2, "no field 'topic'"),
    (["--target", "app.py:answer", "--timeout", "nan"], 2, "is not a finite number"),
)
def test_wrong_usage_is_said_before_anything_is_asked(arguments, code, message, ragauge, here):
    done = ragauge("ask", "questions.jsonl", *arguments, code=code)
    assert message in done.err
    assert "Traceback" not in done.err


def started(here, *arguments):
    return subprocess.Popen(
        [sys.executable, "-m", "ragauge", "ask", "questions.jsonl", *arguments],
        cwd=here,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def kept(path):
    try:
        # To read what a killed process left, SQLite may have to write.
        database = sqlite3.connect(f"file:{path}?mode=rw", uri=True)
        return {question for (question,) in database.execute("select hex(key) from replies")}
    except sqlite3.Error:
        return set()


@pytest.mark.skipif(os.name != "posix", reason="kill -9 is of POSIX")
@pytest.mark.parametrize("n_kills", [1, pytest.param(3, marks=pytest.mark.slow)])
def test_a_killed_asking_resumes_and_asks_nothing_twice(here, n_kills):
    """What was on disk is never asked again, and nothing is lost."""
    rows = [{"id": f"q{n}", "question": f"Question {n}?"} for n in range(120)]
    (here / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    arguments = ["--target", "app.py:counted", "--folder", "a", "--concurrency", "4"]
    n_kept = n_asked = 0
    for _ in range(n_kills):
        (here / "most.txt").write_text(str(n_asked + 20))  # it cannot end before it is killed
        process = started(here, *arguments)
        while len(kept(here / "a" / "answers.sqlite")) < n_kept + 15:
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        asked = (here / "asked.txt").read_text().splitlines()
        before, n_kept = n_kept, len(kept(here / "a" / "answers.sqlite"))
        assert (
            n_kept <= len(asked) - n_asked + before <= n_kept + 8
        )  # in flight, or not on disk yet
        n_asked = len(asked)
    (here / "most.txt").write_text("1000")
    process = started(here, *arguments)
    process.communicate(timeout=60)
    assert process.returncode == 0
    asked = (here / "asked.txt").read_text().splitlines()
    assert len(asked) - n_asked == 120 - n_kept
    assert set(asked) == {row["question"] for row in rows}
    assert len((here / "a" / "answers.jsonl").read_text().splitlines()) == 120


@pytest.mark.usefixtures("interruptible")
@pytest.mark.skipif(os.name != "posix", reason="signals are of POSIX")
def test_an_interrupt_ends_it_at_once_and_says_what_is_kept(here):
    process = started(here, "--target", "app.py:slow", "--folder", "a")
    while "begun" not in process.stderr.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "0 answers of 6 are kept in a" in said
    assert "run the same command again to resume" in said
    assert "Traceback" not in said


def test_what_was_not_finished_or_not_answered_is_not_offered_for_scoring(
    ragauge, here, monkeypatch
):
    monkeypatch.chdir(here)
    (here / "unfinished").mkdir()
    (here / "unfinished" / "answers.sqlite").touch()
    done = ragauge("run", "unfinished", code=3)
    assert "ragauge ask was ended before; run the same command again" in done.err
    (here / "down.py").write_text("def answer(question):\n    raise ValueError('down')\n")
    done = ragauge("ask", "questions.jsonl", "--target", "down.py:answer", "--folder", "down")
    assert done.code == 6
    assert "score them with" not in done.err


def test_code_in_c_that_keeps_pythons_lock_ends_the_command_and_is_named(tmp_path):
    (tmp_path / "app.py").write_text(
        "import re\ndef answer(question):\n    return str(re.match('(a+)+$', 'a' * 60 + 'b'))\n"
    )
    (tmp_path / "asked.csv").write_text("question\nHow many?\n")
    code = "from ragauge.cli import asking, main\nasking.HELD_S = 1\n"
    code += "main(['ask', 'asked.csv', '--target', 'app.py:answer', '--timeout', '0.2'])\n"
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1
    assert 'app.py", line 3 in answer' in done.stderr
