"""`ragauge judge-bias` against an endpoint on loopback."""

import csv
import json

import faulty_server as faulty
import pytest
from cases import cases


def wants_the_first(_, body):
    prompt = body["response_format"]["json_schema"]["name"]
    reply = {"better": "FIRST"} if prompt == "preference" else {"verdict": "CORRECT"}
    return faulty.ok({"reason": "words", **reply}, usage={"cost": 0.001})


@pytest.fixture
def answers(tmp_path):
    rows = [
        {"id": f"q{n}", "system": s, "question": f"Fee of {n}?", "answer": f"{n} {s}", "reference": f"{n}"}
        for n in range(12)
        for s in ("a", "b")
    ]  # fmt: skip
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return "a.jsonl"


@pytest.fixture
def judge(monkeypatch):
    monkeypatch.setenv("JUDGE_KEY", "sk-canary")
    with faulty.FaultyServer(wants_the_first) as server:
        yield ("--judge", "m", "--judge-url", server.url, "--judge-key", "JUDGE_KEY")


def test_one_command_says_what_was_measured_and_what_to_do(ragauge, answers, judge):
    done = ragauge("judge-bias", answers, *judge, "--repeat", "2", code=0)
    lines = [line.rstrip() for line in done.out.splitlines()]
    assert lines[0] == (
        "The judge is not neutral here: order of answers. Not measured: order of contexts, answer length."
    )
    assert lines[1] == "24 answers to 12 questions"
    assert any(
        line.startswith("order of answers") and "prefers the first" in line for line in lines
    )
    assert (
        "  order of answers: compare each pair in both orders and count a change as a tie" in lines
    )
    again = ragauge("judge-bias", answers, *judge, "--repeat", "2")
    assert again.out == done.out  # from the cache
    lines = ragauge("judge-bias", answers, *judge, "--repeat", "2", "-f", "csv").out.splitlines()
    order = {row["what"]: row for row in csv.DictReader(lines)}["order of answers"]
    assert (order["measured"], order["unit"], order["n"]) == ("1.0", "first wins", "12")
    assert float(order["low"]) > 0.5  # as the finding says


@cases(
    (("a.jsonl",), 2, "Missing option '--judge'"),
    (("none.jsonl", "--judge", "m"), 3, "no such file"),
    (("a.jsonl", "--judge", "m", "-m", "exact_match"), 2, "no metric asks the judge"),
    (("bare.csv", "--judge", "m"), 2, "neither references nor contexts"),
)
@pytest.mark.usefixtures("answers")
def test_what_cannot_be_done_is_said(arguments, code, message, ragauge, monkeypatch, tmp_path):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-x")
    (tmp_path / "bare.csv").write_text("id,answer\nq1,x\n")
    assert message in ragauge("judge-bias", *arguments, code=code).err


def test_a_dry_run_says_what_it_would_cost(ragauge, answers, judge):
    done = ragauge("judge-bias", answers, *judge, "--repeat", "2", "--dry-run", "--price", "1,2")
    assert done.code == 0, done.err
    assert "72" in done.out and "$" in done.out  # 24 answers twice, 12 pairs in both orders


def test_the_cache_has_the_cost_that_the_judge_states(ragauge, answers, judge):
    ragauge("judge-bias", answers, *judge, code=0)
    (row,) = json.loads(ragauge("cache", "-f", "json").out)["tables"][1]["rows"]
    assert row["cost"] == pytest.approx(row["replies"] / 1000) != 0
    assert f"${row['cost']:.4f}" in ragauge("cache").out
