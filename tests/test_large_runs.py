"""Samples in a file and scores in parts give what everything in memory gives, to the last digit."""

import json
import random
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

import ragauge as rg
from ragauge.comparing.systems import differences
from ragauge.errors import PlanError, StoreError
from ragauge.evaluation.evaluation import Evaluation
from ragauge.loaders.loading import load
from ragauge.report.writing import csv_table
from ragauge.run import Run
from ragauge.runs import findings, integrity, scores, store, summary
from ragauge.runs.findings import find
from ragauge.runs.outcomes import Health
from ragauge.views.run_files import score_json, write_run

METRICS = ["exact_match", "token_f1", "number_match", "dont_know", "bleu"]
N = 120


def rows() -> Iterator[dict[str, object]]:
    order = random.Random(2)
    for at in range(N):
        for system in ("plain", "tuned"):
            is_right = order.random() < (0.7 if system == "tuned" else 0.5)
            yield {
                "id": f"q{at}",
                "system": system,
                "question": f"What is the premium of case {at}?",
                "answer": f"${at}" if is_right else "I do not know" if at % 9 else "",
                "references": [f"${at}", f"It is ${at}."] if at % 5 else None,
                "topic": order.choice("abc"),
                "level": order.randrange(3) if at % 4 else "x",
            }


def count_as_large(monkeypatch):
    """A run of 120 questions counts as large."""
    monkeypatch.setattr(summary, "MAX_GROUP", 60)
    monkeypatch.setattr(scores, "MIN_INDEXED", 60)
    monkeypatch.setattr(scores, "SAMPLES_AT_ONCE", 30)
    monkeypatch.setattr("ragauge.samples.samples.ROWS_AT_ONCE", 50)
    monkeypatch.setattr(integrity, "LARGE_SAMPLES", 0)
    monkeypatch.setattr(findings, "IDS_KEPT", 5)


@pytest.fixture(autouse=True)
def small(monkeypatch):
    count_as_large(monkeypatch)


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows()))
    return path


@pytest.fixture(scope="module")
def both(answers, tmp_path_factory):
    """A run in the folder `memory`, and one in `pieces` that was read in pieces; tests change neither."""
    folder = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as monkeypatch:
        count_as_large(monkeypatch)
        return (
            run_of(answers, folder / "memory", in_pieces=False),
            run_of(answers, folder / "pieces", in_pieces=True),
        )


@pytest.fixture
def folder(both, tmp_path):
    """A copy of the run that was read in pieces."""
    return Path(shutil.copytree(place_of(both) / "pieces", tmp_path / "run"))


def place_of(both: tuple[Run, Run]) -> Path:
    folder = both[0].folder
    assert folder is not None
    return folder.parent


def run_of(answers: Path, folder: Path | None, *, in_pieces: bool) -> Run:
    samples = load(answers, in_pieces=in_pieces)
    assert samples.is_file == in_pieces
    return rg.evaluate(samples, METRICS, folder=folder, batch_size=13)


def test_both_roads_give_the_same_run(both):
    memory, pieces = both
    assert pieces.manifest.key == memory.manifest.key
    assert pieces.scores.equals(memory.scores)
    for by in (None, "topic", ["topic", "level"]):
        assert pieces.summary(by).equals(memory.summary(by))
    places = [place_of(both) / name for name in ("memory", "pieces")]
    files, others = (
        sorted(str(path.relative_to(place)) for path in place.rglob("*.*")) for place in places
    )
    assert files == others
    assert "questions.parquet" in files
    for name in files:
        own, other = (place / name for place in places)
        if name.endswith(".parquet"):
            assert pl.read_parquet(own).equals(pl.read_parquet(other)), name
        elif name.startswith("summary"):
            texts = {path.read_text().replace(f"/{path.parent.name}", "") for path in (own, other)}
            assert len(texts) == 1
    changing = {"started", "finished", "digest"}
    own, other = (json.loads(run.manifest.to_json()) for run in both)
    assert {name: own[name] for name in own.keys() - changing} == {
        name: other[name] for name in other.keys() - changing
    }


def test_outputs_of_scores_are_written_some_samples_at_a_time(both, tmp_path, monkeypatch):
    _, run = both
    texts = run.scores.with_columns(pl.col(pl.List(pl.String)).list.join(" "))
    rows = [score_json(row) for row in run.scores.iter_rows(named=True)]
    whole = {
        ".csv": csv_table(texts.columns, texts.iter_rows()),
        ".jsonl": "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows),
    }
    read, heights = scores.with_evidence, []

    def counted(source: scores.ScoreSource, folder: Path | None) -> pl.DataFrame:
        frame = read(source, folder)
        heights.append(frame.height)
        return frame

    monkeypatch.setattr(scores, "with_evidence", counted)
    for suffix, text in whole.items():
        path = tmp_path / f"scores{suffix}"
        write_run(replace(run), path)
        assert path.read_text() == text
    assert 0 < max(heights) <= 30 * len(METRICS)


@pytest.mark.slow
def test_a_run_in_memory_has_the_same_summary_as_its_parts(answers, both):
    without_folder = run_of(answers, None, in_pieces=False)
    _, pieces = both
    opened = rg.open_run(place_of(both) / "pieces")
    assert opened.samples.is_file
    for run in (pieces, opened):
        assert run.summary("topic").equals(without_folder.summary("topic"))
        assert find(run) == find(without_folder)
        assert run.worst("token_f1").equals(without_folder.worst("token_f1"))
        assert run.cautions == without_folder.cautions
        compared, in_memory = (differences(each, "tuned") for each in (run, without_folder))
        assert compared is not None
        assert in_memory is not None
        assert compared.comparison.rows == in_memory.comparison.rows
        assert Health(run).n_failed == 0
        assert Health(run).scored == Health(without_folder).scored
    assert str(opened) == str(pieces)


def test_small_groups_of_a_large_run_have_the_same_intervals(both, folder, monkeypatch):
    by_topic = both[1].summary("topic")
    monkeypatch.setattr(summary, "MAX_GROUP", 10**6)
    assert rg.open_run(folder).summary("topic").equals(by_topic)


@pytest.mark.slow
def test_groups_that_do_not_fit_together_are_summarised_in_rounds(both, folder, monkeypatch):
    by_both = both[1].summary(["topic", "level"])
    monkeypatch.setattr(summary, "MAX_IN_MEMORY", 50)
    assert rg.open_run(folder).summary(["topic", "level"]).equals(by_both)


def test_the_intervals_from_sums_are_near_those_from_questions(folder, monkeypatch):
    approximate = rg.open_run(folder).summary()
    monkeypatch.setattr(summary, "MAX_GROUP", 10**6)
    resampled = rg.open_run(folder).summary()
    assert approximate["mean"].to_list() == pytest.approx(resampled["mean"].to_list(), abs=1e-14)
    for row, other in zip(approximate.to_dicts(), resampled.to_dicts(), strict=True):
        if row["low"] is not None:
            near = 0.2 * (other["high"] - other["low"]) + 1e-9  # of 120 questions only
            assert row["low"] == pytest.approx(other["low"], abs=near)
            assert row["high"] == pytest.approx(other["high"], abs=near)


def test_repeats_of_a_question_in_several_pieces_are_one_cluster(tmp_path, monkeypatch):
    """`ask` writes them in rounds; 60 questions asked twice with the same answers say as much as 60."""
    rows = [
        {"id": f"q{at}#{number}", "repeat_of": f"q{at}", "answer": "a" * (at % 3), "reference": "a"}
        for number in (1, 2)
        for at in range(60)
    ]
    rg.evaluate(rows, "exact_match", batch_size=30, folder=tmp_path / "asked")
    (row,) = rg.open_run(tmp_path / "asked").summary().to_dicts()
    monkeypatch.setattr(summary, "MAX_GROUP", 10**6)
    (other,) = rg.open_run(tmp_path / "asked").summary().to_dicts()
    # Student's t of 60 questions, of which 20 are right: 2.001 · √(1/3 · 2/3 / 59) = 0.123.
    assert (row["low"], row["high"]) == pytest.approx((1 / 3 - 0.123, 1 / 3 + 0.123), abs=1e-3)
    assert (row["low"], row["high"]) == pytest.approx((other["low"], other["high"]), abs=0.02)


def test_a_gate_reads_pieces_and_gives_the_same_verdicts(both, folder):
    in_memory, _ = both
    opened = rg.open_run(folder)
    rules = [
        "token_f1 >= 0.9",
        "token_f1.low >= 0.1",
        'exact_match[topic = "a"] >= 0.9',
        "answers >= 500",
        "questions >= 120",
        "undefined <= 1",
    ]
    verdicts = opened.gate(rules).verdicts
    assert verdicts == in_memory.gate(rules).verdicts
    assert {verdict.passed for verdict in verdicts} == {True, False}
    assert any(verdict.ids for verdict in verdicts)


def test_one_question_is_found_by_the_index(both):
    memory, pieces = both
    opened = rg.open_run(place_of(both) / "pieces")
    for id in ("q0", "q57", "q119"):
        assert opened.rows_of(id) == memory.rows_of(id)
        assert opened.of_question(id).equals(memory.of_question(id))
        assert opened.show(id).text == memory.show(id).text == pieces.show(id).text
    with pytest.raises(PlanError, match="has no question 'q570'; did you mean 'q70' or 'q57'"):
        opened.check_question("q570")


@pytest.mark.parametrize("damage", ["absent", "not Parquet", "of other samples"])
def test_a_run_without_a_good_index_is_read_completely(damage, folder):
    index = folder / "questions.parquet"
    table = pl.read_parquet(index)
    index.unlink()
    if damage == "not Parquet":
        index.write_text("no")
    elif damage == "of other samples":
        table.with_columns(row=table["row"].reverse()).write_parquet(index)
    assert rg.open_run(folder).rows_of("q57") == (114, 115)


@pytest.mark.slow
def test_an_interrupted_run_resumes_on_either_road(answers, tmp_path):
    whole = run_of(answers, tmp_path / "whole", in_pieces=False)
    for first, second in ((True, False), (False, True)):
        folder = tmp_path / f"run {first}"
        run_of(answers, folder, in_pieces=first)
        store.RunFolder(folder).reopen()
        (folder / "scores" / "000004.parquet").unlink()
        evaluation = Evaluation.prepare(load(answers, in_pieces=second), METRICS, batch_size=13)
        assert evaluation.unfinished_batches(store.RunFolder(folder)) == [4]
        assert evaluation.run(folder).scores.equals(whole.scores)


@pytest.mark.slow
def test_worker_processes_read_their_rows_themselves(answers, both, tmp_path, monkeypatch):
    monkeypatch.setattr("ragauge.engine.measure.MIN_ROWS_FOR_WORKERS", 1)
    samples = load(answers, in_pieces=True)
    run = rg.evaluate(samples, METRICS, folder=tmp_path / "run", batch_size=13, workers=2)
    assert run.scores.equals(both[0].scores)


def test_a_missing_part_is_an_error(folder, monkeypatch):
    monkeypatch.setattr(store, "MAX_CHECKED", 3)
    (folder / "scores" / "000007.parquet").unlink()
    with pytest.raises(StoreError, match=r"000007\.parquet: .*this part is missing"):
        rg.open_run(folder)


@pytest.mark.parametrize("kind", ["scores", "evidence"])
def test_the_parts_of_a_question_are_checked_when_it_is_read(kind, folder, monkeypatch):
    monkeypatch.setattr(store, "MAX_CHECKED", 3)
    part = folder / kind / "000008.parquet"  # of 19, q57 is in rows 114 and 115
    content = bytearray(part.read_bytes())
    content[len(content) // 2] ^= 1
    part.write_bytes(content)
    run = rg.open_run(folder)
    assert run.of_question("q0").height == 10
    with pytest.raises(StoreError, match=r"000008\.parquet: is damaged"):
        run.of_question("q57")


def test_damaged_samples_are_an_error_and_no_traceback(folder):
    path = folder / "samples.parquet"
    content = bytearray(path.read_bytes())
    content[10:400] = bytes(390)
    path.unlink()
    path.write_bytes(content)
    with pytest.raises(StoreError, match="the samples cannot be read"):
        _ = rg.open_run(folder).samples.frame


def test_the_folder_keeps_its_samples_when_the_temporary_file_is_gone(both):
    opened = rg.open_run(place_of(both) / "pieces").samples
    assert opened.frame.equals(both[1].samples.frame)


@pytest.mark.parametrize("batches", [0, 8])
def test_samples_that_pack_well_stay_in_their_file_if_they_are_many(
    batches, answers, tmp_path, monkeypatch
):
    rg.evaluate(load(answers), "exact_match", folder=tmp_path / "run")
    monkeypatch.setattr(integrity, "LARGE_SAMPLES", 2**40)
    monkeypatch.setattr(integrity, "SMALL_BATCHES", batches)
    run = rg.open_run(tmp_path / "run")
    assert run.samples.is_file == (batches == 0)
    assert run.samples.frame.equals(load(answers).frame)
