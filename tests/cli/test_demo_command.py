"""`ragauge demo`: the bundled example, evaluated."""

import json
from pathlib import Path

import ragauge as rg


def test_the_example_is_evaluated_and_its_files_are_left(ragauge):
    done = ragauge("demo")
    assert done.code == 0, done.err
    assert "90 answers · 3 systems" in done.out
    assert "careful by question_type" in done.out
    assert "wrote the run, summary.json and summary.md to ragauge-demo" in done.err
    folder = Path("ragauge-demo")
    assert rg.open_run(folder).scores.columns == [
        "id", "system", "metric", "value", "status", "reason", "evidence", "flags",
    ]  # fmt: skip
    summary = json.loads((folder / "summary.json").read_text())
    assert {row["system"] for row in summary["summary"]} == {"careful", "dreamer", "hasty"}
    assert set(summary["by"]) == {"question_type"}
    assert "| careful | number |" in (folder / "summary.md").read_text()


def test_it_tells_good_systems_from_bad_ones(ragauge):
    ragauge("demo")
    rows = json.loads(Path("ragauge-demo/summary.json").read_text())["summary"]
    means = {(row["system"], row["metric"]): row["mean"] for row in rows}
    for metric in ("token_f1", "ndcg@5", "number_precision"):
        assert means["careful", metric] > means["dreamer", metric], metric


def test_a_second_demo_prints_the_same_and_works_nothing_twice(ragauge):
    first = ragauge("demo", "--folder", "d")
    made = Path("d/scores/000000.parquet").stat().st_mtime_ns
    second = ragauge("demo", "--folder", "d")
    assert (second.code, second.out) == (0, first.out)
    assert Path("d/scores/000000.parquet").stat().st_mtime_ns == made


def test_the_demo_of_an_older_version_is_made_anew(ragauge):
    ragauge("demo")
    manifest = Path("ragauge-demo/manifest.json")
    old = {**json.loads(manifest.read_text()), "key": "of older code"}
    manifest.write_text(json.dumps(old))
    done = ragauge("demo")
    assert done.code == 0, done.err
    assert json.loads(manifest.read_text())["key"] != "of older code"


def test_a_folder_of_somebody_else_is_left_alone(ragauge, answers):
    ragauge("run", answers, "-m", "exact_match", "--folder", "mine")
    before = Path("mine/manifest.json").read_bytes()
    done = ragauge("demo", "--folder", "mine")
    assert done.code == 5
    assert "mine: holds another run" in done.err
    assert Path("mine/manifest.json").read_bytes() == before
