"""Which evidence a run keeps changes its evidence and nothing else."""

from pathlib import Path

import polars as pl
import pytest

import ragauge as rg
from ragauge.errors import PlanError
from ragauge.runs.store import RunFolder

ROWS = [
    {"id": "q1", "answer": "Paris", "reference": "Paris"},
    {"id": "q2", "answer": "Rome", "reference": "Paris"},
    {"id": "q3", "answer": "Oslo"},
]
METRICS = ["token_f1", "number_match", "bleu"]


def runs(folder: Path | None = None) -> dict[str, rg.Run]:
    return {
        kept: rg.evaluate(ROWS, METRICS, evidence=kept, folder=folder and folder / kept)
        for kept in ("all", "failed", "none")
    }


def test_no_score_depends_on_the_evidence_that_is_kept():
    found = runs()
    others = [run.scores.drop("evidence") for run in found.values()]
    assert others[0].equals(others[1])
    assert others[0].equals(others[2])
    assert found["all"].summary().equals(found["none"].summary())
    assert len({run.manifest.key for run in found.values()}) == 1


def test_evidence_is_kept_of_all_of_failed_or_of_no_scores():
    has_value = pl.col("value").is_not_null()
    found = {kept: run.scores.drop_nulls("evidence") for kept, run in runs().items()}
    assert found["all"].filter(has_value).height
    assert found["failed"].equals(found["all"].filter(~has_value))
    assert not found["none"].height


def test_a_note_says_that_evidence_was_left_out(tmp_path: Path):
    notes = {kept: run.manifest.notes for kept, run in runs(tmp_path).items()}
    assert not any("evidence" in note for note in notes["all"])
    assert "evidence is kept of scores that failed or have a flag" in notes["failed"]
    assert "evidence is kept of no score" in notes["none"]


def test_a_run_is_resumed_with_other_evidence(tmp_path: Path):
    whole = rg.evaluate(ROWS, METRICS, evidence="all", folder=tmp_path / "run", batch_size=1)
    RunFolder(tmp_path / "run").reopen()
    (tmp_path / "run" / "scores" / "000001.parquet").unlink()
    again = rg.evaluate(ROWS, METRICS, evidence="none", folder=tmp_path / "run", batch_size=1)
    assert again.scores.drop("evidence").equals(whole.scores.drop("evidence"))
    of_first, of_second = (again.of_question(id)["evidence"].drop_nulls() for id in ("q1", "q2"))
    assert len(of_first) > len(of_second) == 0


def test_an_unknown_choice_is_an_error():
    with pytest.raises(PlanError, match="evidence is 'some'; choose one of all, failed, none"):
        rg.evaluate(ROWS, METRICS, evidence="some")  # pyright: ignore[reportArgumentType]
