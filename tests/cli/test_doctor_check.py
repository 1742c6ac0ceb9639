"""`ragauge doctor --check`: a run is as its manifest says, or what differs is named."""

import json
import shutil
from pathlib import Path

import polars as pl
import pytest
from cases import cases

import ragauge as rg


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    rows = [
        {"id": f"q{n}", "system": system, "answer": f"x {n}", "reference": "x", "kind": "ab"[n % 2]}
        for n in range(5)
        for system in "ab"
    ]
    rg.evaluate(rows, ["exact_match", "token_f1"], folder=folder / "run", batch_size=4)
    return folder / "run"


@pytest.fixture
def run(whole, tmp_path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "run"))


def test_a_whole_run_is_ok(ragauge, run):
    before = {file: file.read_bytes() for file in run.rglob("*") if file.is_file()}
    assert "3 parts" in ragauge("doctor", "--check", run, code=0, err="").out
    assert {file: file.read_bytes() for file in run.rglob("*") if file.is_file()} == before


FILES = ("samples.parquet", "scores/000001.parquet", "evidence/000002.parquet", "summary.json")


@pytest.mark.parametrize("file", [*FILES, "manifest.json"])
def test_each_damaged_file_is_found(ragauge, run, file):
    path = run / file
    content = path.read_bytes()
    changed = content[:200] + bytes([content[200] ^ 1]) + content[201:]
    for damaged in (changed + b"x" * (file == "manifest.json"), content[: len(content) // 2], None):
        path.unlink() if damaged is None else path.write_bytes(damaged)
        done = ragauge("doctor", "--check", run, code=5)
        assert "restore it from a copy, or remove it and run it again" in done.err


def without_digests(run: Path) -> None:
    manifest = json.loads((run / "manifest.json").read_text())
    del manifest["digest"]
    (run / "manifest.json").write_text(json.dumps({**manifest, "digests": {}}))


SCORES, EVIDENCE = "scores/000000.parquet", "evidence/000000.parquet"


@cases(
    ("samples.parquet", lambda frame: frame.head(-1), "has 9 rows, but the manifest counts 10"),
    ("samples.parquet", lambda frame: frame.with_columns(answer=pl.lit("y")), "fingerprint"),
    ("samples.parquet", lambda frame: frame.with_columns(kind=pl.lit(float("nan"))), "kind is not a number"),
    (EVIDENCE, lambda frame: frame.reverse(), "evidence has other rows than its scores"),
    (EVIDENCE, lambda frame: frame.with_columns(evidence=pl.lit("[1]")), "not a JSON object"),
    (SCORES, lambda frame: frame.with_columns(status=pl.lit("fine")), "a status is unknown"),
    (SCORES, lambda frame: frame.drop("flags"), "flags is missing or has another type"),
    (SCORES, lambda frame: frame.with_columns(value=pl.lit(0.25)), "has other numbers than"),
)  # fmt: skip
def test_rows_that_do_not_fit_are_found_without_digests_too(file, change, said, ragauge, run):
    without_digests(run)
    change(pl.read_parquet(run / file)).write_parquet(run / file)
    done = ragauge("doctor", "--check", run, code=5)
    assert said in " ".join((done.out + done.err).split())


@cases(
    ("metric", "other", "which the manifest does not name"),
    ("id", "q4", "not in its batch"),
    ("metric", "exact_match", "two scores of the same answer and metric"),
)
def test_scores_and_evidence_of_another_batch_are_found(column, value, said, ragauge, run):
    without_digests(run)
    for file in (SCORES, EVIDENCE):
        frame = pl.read_parquet(run / file)
        which = pl.int_range(pl.len()) < (1 if column == "id" else frame.height)
        changed = pl.when(which).then(pl.lit(value)).otherwise(pl.col(column)).alias(column)
        frame.with_columns(changed).write_parquet(run / file)
    assert said in " ".join(ragauge("doctor", "--check", run, code=5).out.split())


@cases(
    ("manifest.json", lambda read: read | {"seed": 7}, "is not as the run wrote it"),
    ("manifest.json", lambda read: read.pop("digest") and read, "its digest differs or was removed"),
    ("manifest.json", lambda read: read | {"finished": None}, "not finished"),
    ("summary.json", lambda read: read["summary"][0].update(mean=0.5) or read, "has other numbers than the scores give"),
)  # fmt: skip
def test_another_value_in_the_manifest_or_the_summary_is_found(file, change, said, ragauge, run):
    content = change(json.loads((run / file).read_text()))
    (run / file).write_text(json.dumps(content))
    done = ragauge("doctor", "--check", run, code=5)
    assert said in " ".join((done.out + done.err).split())


def test_a_run_without_any_digests_cannot_be_checked(ragauge, run):
    without_digests(run)
    assert ragauge("show", run).code == 0
    done = ragauge("doctor", "--check", run, code=5)
    assert "has no digests, so changes to it cannot be noticed" in done.err


def test_the_summary_of_another_version_is_not_compared(ragauge, run):
    without_digests(run)
    for name in ("manifest.json", "summary.json"):
        read = json.loads((run / name).read_text())
        read["code"] = read.get("code", {}) | {"ragauge": "0.0.9"}
        read.pop("summary", None)
        (run / name).write_text(json.dumps(read))
    done = ragauge("doctor", "--check", run, code=5)
    assert "summary.json was not compared: ragauge 0.0.9 wrote it, this is" in done.err
    assert "has no digests" in done.err


def test_a_manifest_in_another_layout_is_the_same(ragauge, run):
    path = run / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()), indent=4, ensure_ascii=True))
    assert ragauge("doctor", "--check", run).code == 0


@pytest.mark.parametrize("place", ["nowhere", "other files"])
def test_where_no_run_is_none_is_damaged(ragauge, tmp_path, place):
    if place == "other files":
        (tmp_path / place).mkdir()
        (tmp_path / place / "notes.txt").write_text("x")
    done = ragauge("doctor", "--check", tmp_path / place, code=5, out="")
    assert "is not a run folder" in done.err
    assert "damaged" not in done.err
