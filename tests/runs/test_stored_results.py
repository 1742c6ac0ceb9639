"""A large stored run shows what it computed when it ended, and computes it again where that does not hold."""

import json
import shutil
from pathlib import Path

import pytest

import ragauge as rg
from ragauge.comparing.systems import differences
from ragauge.people.review import Review
from ragauge.run import Run
from ragauge.runs import outcomes
from ragauge.runs.findings import find
from ragauge.runs.outcomes import RESULTS
from ragauge.runs.scores import InParts
from ragauge.runs.store import RunFolder


@pytest.fixture(autouse=True, scope="module")
def small():
    """A run of 80 answers counts as large."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(outcomes, "MIN_ANSWERS", 60)
        yield


def run_of(folder: Path | None) -> Run:
    rows = [
        {
            "id": f"q{at}",
            "system": system,
            "answer": "I do not know" if at % 7 == 0 else "Rome" if at % step else "Oslo",
            "reference": "Rome" if at % 5 else None,
            "topic": "abc"[at % 3],
        }
        for at in range(40)
        for system, step in (("plain", 2), ("tuned", 4))
    ]
    return rg.evaluate(rows, ["answer-quality", "token_f1"], folder=folder, batch_size=9)


@pytest.fixture(scope="module")
def in_memory(small):
    return run_of(None)


@pytest.fixture(scope="module")
def made(small, tmp_path_factory):
    return run_of(tmp_path_factory.mktemp("made") / "run")


@pytest.fixture
def folder(made, tmp_path):
    """The folder of a stored run, to be changed."""
    return Path(shutil.copytree(made.folder, tmp_path / "run"))


def test_the_first_screen_of_a_large_run_reads_no_scores(made, in_memory, monkeypatch):
    text, summary = str(made), made.summary()

    def pieces(self: InParts):
        raise AssertionError("the scores were read")

    monkeypatch.setattr(InParts, "pieces", pieces)
    opened = rg.open_run(made.folder)
    assert str(opened) == text
    assert opened.summary().equals(summary)
    assert opened.summary().schema == summary.schema
    assert summary.equals(in_memory.summary())
    assert find(opened) == find(in_memory)
    assert opened.outcomes == in_memory.outcomes
    kept, computed = (differences(each, "tuned") for each in (opened, in_memory))
    assert kept.comparison.rows == computed.comparison.rows
    assert kept.comparison.folders == (str(made.folder),) * 2
    for metric in ("token_f1", "exact_match"):
        assert opened.worst(metric, 5).equals(in_memory.worst(metric, 5))
    assert opened.cautions == in_memory.cautions
    with pytest.raises(AssertionError, match="the scores were read"):
        opened.summary("topic")
    with pytest.raises(AssertionError, match="the scores were read"):
        opened.worst("token_f1", 21)


@pytest.mark.parametrize("change", ["absent", "cut", "edited", "other version", "other scores"])
def test_results_that_do_not_belong_to_the_scores_are_computed_again(change, folder, made):
    path = folder / RESULTS
    head, body = path.read_text().split("\n")
    said = json.loads(head)
    changed = {
        "cut": f"{head}\n{body[: len(body) // 2]}",
        "edited": f"{head}\n{body.replace('0', '1')}",
        "other version": f"{json.dumps({**said, 'ragauge': '0.0.1'})}\n{body}",
        "other scores": f"{json.dumps({**said, 'scores': '0' * 64})}\n{body}",
    }
    path.write_text(changed[change]) if change in changed else path.unlink()
    opened = rg.open_run(folder)
    assert opened.stored_results == {}
    assert opened.summary().equals(made.summary())


def test_more_of_a_run_than_is_kept_is_read_from_its_scores_in_any_pieces(
    folder, in_memory, monkeypatch
):
    opened = rg.open_run(folder)
    assert opened.worst("token_f1", 30).equals(in_memory.worst("token_f1", 30))
    assert opened.summary("topic").equals(in_memory.summary("topic"))
    monkeypatch.setattr("ragauge.runs.scores.SAMPLES_AT_ONCE", 9)
    (folder / RESULTS).unlink()
    assert rg.open_run(folder).worst("token_f1", 30).equals(in_memory.worst("token_f1", 30))


def test_a_run_that_is_resumed_with_other_scores_keeps_its_own_results(tmp_path):
    folder = run_of(tmp_path / "run").folder
    before = (folder / RESULTS).read_bytes()
    RunFolder(folder).reopen()
    (folder / "scores" / "000003.parquet").unlink()
    run_of(folder)
    assert (folder / RESULTS).read_bytes() == before
    (folder / RESULTS).unlink()
    run_of(folder)  # it is finished, and what is missing is computed
    assert (folder / RESULTS).read_bytes() == before


def test_labels_given_after_the_run_show_on_its_first_screen(folder):
    run = rg.open_run(folder)
    assert "labels:" not in str(run)
    review = Review(run.review_queue())
    review.save(review.queue.items[0], "ann", 1)
    assert "labels: 1 of 80 answers by ann" in str(rg.open_run(folder))


def test_a_small_run_keeps_no_results_and_neither_has_one_whose_aggregates_are_not_loaded(
    tmp_path, folder, monkeypatch
):
    opened = rg.open_run(folder)
    monkeypatch.setattr(Run, "problems", ("the code of an aggregate is not loaded",))
    assert opened.stored_results == {}
    monkeypatch.setattr(outcomes, "MIN_ANSWERS", 80)
    run_of(tmp_path / "small")
    assert not (tmp_path / "small" / RESULTS).exists()
