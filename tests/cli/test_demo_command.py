"""`ragauge demo`: the bundled example, evaluated; `--judged` over replies that a judge gave before."""

import io
import json
import shutil
import socket
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest

import ragauge as rg
from ragauge.cli import main
from ragauge.cli.commands.demo import example

RECORDING = example() / "judge.jsonl"
RECORDED = RECORDING.read_text("utf-8").splitlines()
OUTPUTS = (
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
"""Of the suite graphrag."""
SYSTEMS = {"careful", "dreamer", "hasty"}
N_QUESTIONS = 5


def ended(place: Path, *arguments: str) -> SimpleNamespace:
    """How the demo ended in this folder and a wide terminal, where nobody can be reached."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("somebody was to be reached")

    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patched, redirect_stdout(out), redirect_stderr(err):
        patched.chdir(place)
        patched.setenv("COLUMNS", "200")
        for name in ("connect", "connect_ex", "sendto"):
            patched.setattr(socket.socket, name, refuse)
        patched.setattr(socket, "getaddrinfo", refuse)
        with pytest.raises(SystemExit) as left:
            main(["demo", *arguments])
    return SimpleNamespace(code=left.value.code or 0, out=out.getvalue(), err=err.getvalue())


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> tuple[SimpleNamespace, SimpleNamespace, Path]:
    """Both demos, and the folder in which they ran."""
    place = tmp_path_factory.mktemp("demo")
    plain = ended(place)
    return plain, ended(place, "--judged", "--folder", "judged", "--full"), place


@pytest.fixture
def demos(made, tmp_path, monkeypatch) -> tuple[SimpleNamespace, SimpleNamespace]:
    """How both demos ended; the test is in a copy of their folder, in as wide a terminal."""
    plain, judged, place = made
    shutil.copytree(place, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return plain, judged


@pytest.fixture
def scores(demos) -> pl.DataFrame:
    assert demos[1].code == 0, demos[1].err
    return rg.open_run("judged").scores


def test_the_example_is_evaluated_and_its_files_are_left(demos):
    demo, _ = demos
    assert demo.code == 0, demo.err
    assert "90 answers · 3 systems" in demo.out
    assert demo.out.startswith("careful is ahead by answer: correct 0.93, next hasty 0.67.")
    assert demo.err.splitlines()[-1] == "ragauge: open ragauge-demo/report.html in a browser"
    folder = Path("ragauge-demo")
    assert (folder / "report.html").read_text().startswith("<!doctype html>")
    assert "| careful | number\\_match |" in (folder / "summary.md").read_text()
    rows = json.loads((folder / "summary.json").read_text())["summary"]
    means = {(row["system"], row["metric"]): row["mean"] for row in rows}
    assert {system for system, _ in means} == SYSTEMS
    for metric in ("keyword_coverage", "ndcg@10", "number_precision"):
        assert means["careful", metric] > means["dreamer", metric], metric


def test_a_second_demo_prints_the_same_and_works_nothing_twice(ragauge, demos):
    plain, judged = demos
    stored = Path("ragauge-demo/scores/000000.parquet").stat().st_mtime_ns
    ragauge("demo", code=0, out=plain.out)
    assert Path("ragauge-demo/scores/000000.parquet").stat().st_mtime_ns == stored
    ragauge("demo", "--judged", "--folder", "judged", "--full", code=0, out=judged.out)


@pytest.mark.usefixtures("demos")
@pytest.mark.slow
def test_the_demo_of_an_older_version_is_made_anew(ragauge):
    manifest = Path("ragauge-demo/manifest.json")
    old = {**json.loads(manifest.read_text()), "key": "of older code"}
    del old["digest"]
    manifest.write_text(json.dumps(old))
    done = ragauge("demo", code=0)
    assert json.loads(manifest.read_text())["key"] != "of older code"
    assert "ragauge-demo: replacing the demo of another version of ragauge" in done.err


def test_a_folder_of_somebody_else_is_left_alone(ragauge, answers):
    place = Path("examples/handbook")
    place.mkdir(parents=True)
    shutil.copy(example() / "answers.jsonl", place)
    for folder, data in (("mine", answers), ("ragauge-demo", place / "answers.jsonl")):
        ragauge("run", data, "-m", "exact_match", "--folder", folder)
        before = Path(folder, "manifest.json").read_bytes()
        for more in ((), ("--judged",)):
            done = ragauge("demo", "--folder", folder, *more, code=5)
            assert f"{folder}: holds another run" in done.err
            assert Path(folder, "manifest.json").read_bytes() == before


def test_every_output_of_the_suite_is_shown_for_every_system(demos):
    _, demo = demos
    assert "graphrag · 15 answers · 3 systems" in demo.out
    rows = [line.split() for line in demo.out.splitlines()]
    for name in OUTPUTS:
        (row,) = [cells for cells in rows if cells[:1] == [name] and len(cells) > 1]
        n_numbers = 1 if name.endswith("_count") else 2  # a mean has an interval, a count none
        assert len(row) == 1 + n_numbers * len(SYSTEMS), row
    assert "judged by claude-demo" in demo.out
    assert demo.err.splitlines()[-1] == "ragauge: open judged/report.html in a browser"
    counts = Counter()  # correct, wrong and don't know are all answers
    for row in json.loads(Path("judged/summary.json").read_text("utf-8"))["summary"]:
        counts[row["system"]] += row.get("count", 0)
    assert counts == dict.fromkeys(SYSTEMS, N_QUESTIONS)


def test_the_planted_faults_are_found(scores):
    """The handbook's README lists them: q26 says £9 for £11, q08 is empty, q20 is cut off."""
    assert scores.height == len(OUTPUTS) * len(SYSTEMS) * N_QUESTIONS
    assert set(scores["status"]) == {"ok"} and scores["value"].null_count() == 0
    values = {
        (row["id"], row["system"], row["metric"].partition("(")[0]): row["value"]
        for row in scores.iter_rows(named=True)
        if "wrong" not in row["metric"]
    }
    # Of "£9 less", "£6 in winter" and "£17 in summer" the passages support two.
    assert values["q26", "careful", "faithfulness"] == pytest.approx(2 / 3)
    assert values["q08", "dreamer", "answer_relevance"] == 0.0
    # All three benefits that it names are there, and others are missing.
    assert values["q20", "hasty", "faithfulness"] == 1.0
    for wrong in (("q26", "careful"), ("q08", "dreamer"), ("q20", "hasty")):
        assert values[*wrong, "answer_class"] == 0.0
    assert values["q01", "careful", "answer_class"] == 1.0


def test_the_recording_has_the_replies_that_are_asked_for_and_no_others(ragauge):
    done = ragauge("run", example() / "judged.toml", "--record", "asked.jsonl", "--folder", "out")
    assert done.code == 0, done.err
    asked = Path("asked.jsonl").read_text("utf-8").splitlines()
    of_recording, of_run = (
        Counter(json.loads(line)["key"] for line in lines[1:]) for lines in (RECORDED, asked)
    )
    assert max(of_recording.values()) == 1
    assert of_recording.keys() == of_run.keys()
    assert json.loads(RECORDED[0])["judge"] == "claude-demo"
    for line in RECORDED[1:]:  # no tokens and no costs that nobody counted
        assert json.loads(line)["reply"].keys() == {"text", "finish_reason"}


def test_every_reply_reads_at_once_and_every_quote_stands_in_its_context(scores):
    evidence = [json.loads(text) for text in scores["evidence"].drop_nulls()]
    calls = [call for each in evidence for call in each.get("calls", ())]
    assert len({call["key"] for call in calls}) == len(RECORDED) - 1
    assert not any("repaired" in call for call in calls)
    claims = [claim for each in evidence for claim in each.get("claims", ())]
    quoted = [claim for claim in claims if claim.get("quote")]
    assert len(quoted) > 50
    assert all(claim["quote_found"] for claim in quoted)
