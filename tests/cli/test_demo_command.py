"""`ragauge demo`: the bundled example, evaluated."""

import json
import shutil
from pathlib import Path

import pytest

import ragauge as rg
from ragauge.cli.commands.demo import example


@pytest.fixture
def demo(demo_made, tmp_path, monkeypatch):
    """How the demo ended; the test is in a copy of its folder."""
    done, place = demo_made
    shutil.copytree(place, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return done


def test_the_example_is_evaluated_and_its_files_are_left(demo):
    assert demo.returncode == 0, demo.stderr
    assert "90 answers · 3 systems" in demo.stdout
    assert demo.stdout.startswith("careful is ahead by answer: correct 0.92, next hasty 0.67.")
    assert demo.stderr.splitlines()[-1] == "ragauge: open ragauge-demo/report.html in a browser"
    folder = Path("ragauge-demo")
    assert (folder / "report.html").read_text().startswith("<!doctype html>")
    assert rg.open_run(folder).scores.columns == [
        "id", "system", "metric", "value", "status", "reason", "evidence", "flags",
    ]  # fmt: skip
    summary = json.loads((folder / "summary.json").read_text())
    assert {row["system"] for row in summary["summary"]} == {"careful", "dreamer", "hasty"}
    assert "| careful | number\\_match |" in (folder / "summary.md").read_text()


@pytest.mark.usefixtures("demo")
def test_it_tells_good_systems_from_bad_ones():
    rows = json.loads(Path("ragauge-demo/summary.json").read_text())["summary"]
    means = {(row["system"], row["metric"]): row["mean"] for row in rows}
    for metric in ("keyword_coverage", "ndcg@10", "number_precision"):
        assert means["careful", metric] > means["dreamer", metric], metric


def test_a_second_demo_prints_the_same_and_works_nothing_twice(ragauge, demo):
    made = Path("ragauge-demo/scores/000000.parquet").stat().st_mtime_ns
    second = ragauge("demo")
    assert (second.code, second.out) == (0, demo.stdout)
    assert Path("ragauge-demo/scores/000000.parquet").stat().st_mtime_ns == made


@pytest.mark.usefixtures("demo")
@pytest.mark.slow
def test_the_demo_of_an_older_version_is_made_anew(ragauge):
    manifest = Path("ragauge-demo/manifest.json")
    old = {**json.loads(manifest.read_text()), "key": "of older code"}
    del old["digest"]
    manifest.write_text(json.dumps(old))
    done = ragauge("demo")
    assert done.code == 0, done.err
    assert json.loads(manifest.read_text())["key"] != "of older code"
    assert "ragauge-demo: replacing the demo of another version of ragauge" in done.err


def test_a_folder_of_somebody_else_is_left_alone(ragauge, answers):
    ragauge("run", answers, "-m", "exact_match", "--folder", "mine")
    before = Path("mine/manifest.json").read_bytes()
    done = ragauge("demo", "--folder", "mine")
    assert done.code == 5
    assert "mine: holds another run" in done.err
    assert Path("mine/manifest.json").read_bytes() == before


@pytest.mark.usefixtures("demo")
def test_the_judged_demo_does_not_replace_the_plain_one(ragauge):
    before = Path("ragauge-demo/manifest.json").read_bytes()
    done = ragauge("demo", "--judged", "--folder", "ragauge-demo")
    assert done.code == 5
    assert "ragauge-demo: holds another run" in done.err
    done = ragauge("demo", "--judged")
    assert done.code == 0, done.err
    assert Path("ragauge-demo-judged/summary.json").exists()
    assert Path("ragauge-demo/manifest.json").read_bytes() == before


def test_a_run_of_a_copy_of_the_example_is_left_alone(ragauge):
    place = Path("examples/handbook")
    place.mkdir(parents=True)
    shutil.copy(example() / "answers.jsonl", place)
    ragauge("run", place / "answers.jsonl", "-m", "exact_match", "--folder", "ragauge-demo")
    before = Path("ragauge-demo/manifest.json").read_bytes()
    assert ragauge("demo").code == 5
    assert Path("ragauge-demo/manifest.json").read_bytes() == before
