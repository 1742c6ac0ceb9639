"""The page of a large run, whose samples stay in their file, has what the same run in memory has."""

import json
import random
from dataclasses import asdict
from pathlib import Path

import pytest

import ragauge as rg
from ragauge.page.chunks import RunChunks
from ragauge.page.overview import Overview
from ragauge.page.view import RunView
from ragauge.people.review import Review
from ragauge.runs.scores import InParts
from ragauge.runs.store import RunFolder

N = 90


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of three systems in an order of its own, with gaps, lists, a date and people's labels."""
    order = random.Random(1)
    rows = [
        {
            "id": f"q{at}",
            "system": system,
            "question": f"What is case {at}?",
            "answer": f"${at} at {order.randrange(9)}" if order.random() < 0.7 else None,
            "reference": f"${at}" if at % 7 else "none",
            "contexts": [f"passage {at}", "other"],
            "topic": order.choice(["a", "b", None]) if at % 9 else None,
            "level": at % 3,
            "is_long": at % 2 == 0,
        }
        for at in range(N)
        for system in ("plain", "tuned", "other")
        if (at, system) != (5, "tuned")
    ]
    order.shuffle(rows)
    place = tmp_path_factory.mktemp("large") / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ragauge.runs.outcomes.MIN_ANSWERS", 0)
        run = rg.evaluate(rows, ["number_match", "token_f1", "rougeL"], folder=place, batch_size=20)
    review = Review(run.review_queue(n_sample=3))
    review.save(review.queue.items[0], "ann", 1)
    return place


def view_of(folder: Path, *, is_file: bool, per_block: int | None = 10) -> RunChunks:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ragauge.runs.integrity.LARGE_SAMPLES", 0 if is_file else 2**40)
        run = RunFolder(folder).read()
    assert run.samples.is_file == is_file
    return RunChunks(Overview(run), 0, per_block=per_block)


def shown(view: RunView) -> str:
    return json.dumps(asdict(view), default=str)


def test_its_view_is_that_of_the_run_in_memory_with_stored_results_and_without(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("ragauge.runs.outcomes.MIN_ANSWERS", 0)
    large = view_of(folder, is_file=True)
    assert {"distributions", "slices"} <= set(large.run.stored_results)
    monkeypatch.setattr("ragauge.runs.outcomes.MIN_ANSWERS", 10**9)
    small, computed = view_of(folder, is_file=False), view_of(folder, is_file=True)
    assert (small.run.stored_results, computed.run.stored_results) == ({}, {})
    assert [slices.field for slices in small.view().slices] == ["topic", "level", "is_long"]
    assert shown(large.view()) == shown(small.view()) == shown(computed.view())


def test_stored_results_spare_a_pass_over_the_scores(folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("ragauge.runs.outcomes.MIN_ANSWERS", 0)
    monkeypatch.setattr("ragauge.page.breakdowns.score_pieces", None)  # a call would fail
    monkeypatch.setattr("ragauge.runs.outcomes.score_pieces", None)
    monkeypatch.setattr("ragauge.runs.scored_run.summarise_pieces", None)
    assert view_of(folder, is_file=True).view().slices


@pytest.mark.parametrize("per_block", [10, None])
def test_its_chunks_are_those_of_the_run_in_memory(folder: Path, per_block: int | None):
    large = view_of(folder, is_file=True, per_block=per_block)
    small = view_of(folder, is_file=False, per_block=per_block)
    for made, wanted in ((large.columns(), small.columns()), (large.blocks(), small.blocks())):
        assert list(made) == list(wanted)
        for name, make in wanted.items():
            assert made[name]() == make(), name


def test_a_block_reads_the_evidence_of_its_batches_only(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    read: list[int] = []
    scan = InParts.scan_evidence

    def counted(source: InParts):
        read.append(len(source.evidence))
        return scan(source)

    monkeypatch.setattr(InParts, "scan_evidence", counted)
    large = view_of(folder, is_file=True, per_block=1)
    assert json.loads(large.blocks()["0.block.0"]())
    assert read and max(read) <= 3  # of 14 batches
