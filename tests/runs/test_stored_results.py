"""A large stored run shows what it computed when it ended, and computes it again where that does not hold."""

import json
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

N = 40


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """A run of 80 answers counts as large."""
    monkeypatch.setattr(outcomes, "MIN_ANSWERS", 60)


def run_of(folder: Path | None) -> Run:
    rows = [
        {
            "id": f"q{at}",
            "system": system,
            "answer": "I do not know" if at % 7 == 0 else "Rome" if at % step else "Oslo",
            "reference": "Rome" if at % 5 else None,
            "topic": "abc"[at % 3],
        }
        for at in range(N)
        for system, step in (("plain", 2), ("tuned", 4))
    ]
    metrics = ["answer-quality", "token_f1"]
    return rg.evaluate(rows, metrics, folder=folder, batch_size=9)


def unreadable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever reads all scores fails."""

    def pieces(self: InParts):
        raise AssertionError("the scores were read")

    monkeypatch.setattr(InParts, "pieces", pieces)


def test_the_first_screen_of_a_large_run_reads_no_scores(tmp_path, monkeypatch):
    made = run_of(tmp_path / "run")
    in_memory = run_of(None)
    text, summary = str(made), made.summary()
    unreadable(monkeypatch)
    opened = rg.open_run(tmp_path / "run")
    assert str(opened) == text
    assert opened.summary().equals(summary)
    assert opened.summary().schema == summary.schema
    assert summary.equals(in_memory.summary())
    assert find(opened) == find(in_memory)
    assert opened.outcomes == in_memory.outcomes
    kept, computed = (differences(each, "tuned") for each in (opened, in_memory))
    assert kept is not None
    assert computed is not None
    assert kept.comparison.rows == computed.comparison.rows
    assert kept.comparison.folders == (str(tmp_path / "run"),) * 2
    for metric in ("token_f1", "exact_match"):
        assert opened.worst(metric, 5).equals(in_memory.worst(metric, 5))
    assert opened.cautions == in_memory.cautions
    with pytest.raises(AssertionError, match="the scores were read"):
        opened.summary("topic")
    with pytest.raises(AssertionError, match="the scores were read"):
        opened.worst("token_f1", 21)


def test_more_of_a_run_than_is_kept_is_read_from_its_scores(tmp_path):
    run_of(tmp_path / "run")
    opened, in_memory = rg.open_run(tmp_path / "run"), run_of(None)
    assert opened.worst("token_f1", 25).equals(in_memory.worst("token_f1", 25))
    assert opened.summary("topic").equals(in_memory.summary("topic"))


@pytest.mark.parametrize("change", ["absent", "cut", "edited", "other version", "other scores"])
def test_results_that_do_not_belong_to_the_scores_are_computed_again(change, tmp_path):
    summary = run_of(tmp_path / "run").summary()
    path = tmp_path / "run" / RESULTS
    head, body = path.read_text().split("\n")
    said = json.loads(head)
    if change == "absent":
        path.unlink()
    elif change == "cut":
        path.write_text(f"{head}\n{body[: len(body) // 2]}")
    elif change == "edited":
        path.write_text(f"{head}\n{body.replace('0', '1')}")
    elif change == "other version":
        path.write_text(f"{json.dumps({**said, 'ragauge': '0.0.1'})}\n{body}")
    else:
        path.write_text(f"{json.dumps({**said, 'scores': '0' * 64})}\n{body}")
    opened = rg.open_run(tmp_path / "run")
    assert opened.stored_results == {}
    assert opened.summary().equals(summary)


def test_a_run_that_is_resumed_with_other_scores_keeps_its_own_results(tmp_path):
    before = (run_of(tmp_path / "run"), (tmp_path / "run" / RESULTS).read_bytes())[1]
    RunFolder(tmp_path / "run").reopen()
    (tmp_path / "run" / "scores" / "000003.parquet").unlink()
    run_of(tmp_path / "run")
    assert (tmp_path / "run" / RESULTS).read_bytes() == before
    (tmp_path / "run" / RESULTS).unlink()
    run_of(tmp_path / "run")  # it is finished, and what is missing is computed
    assert (tmp_path / "run" / RESULTS).read_bytes() == before


def test_labels_given_after_the_run_show_on_its_first_screen(tmp_path):
    run = run_of(tmp_path / "run")
    assert "labels:" not in str(rg.open_run(tmp_path / "run"))
    review = Review(run.review_queue())
    review.save(review.queue.items[0], "ann", 1)
    assert "labels: 1 of 80 answers by ann" in str(rg.open_run(tmp_path / "run"))


def test_a_small_run_keeps_no_results(tmp_path, monkeypatch):
    monkeypatch.setattr(outcomes, "MIN_ANSWERS", 80)
    run_of(tmp_path / "run")
    assert not (tmp_path / "run" / RESULTS).exists()


def test_the_worst_rows_do_not_depend_on_pieces(tmp_path, monkeypatch):
    run_of(tmp_path / "run")
    opened = rg.open_run(tmp_path / "run")
    whole = opened.worst("token_f1", 30)
    monkeypatch.setattr("ragauge.runs.scores.SAMPLES_AT_ONCE", 9)
    (tmp_path / "run" / RESULTS).unlink()
    again = rg.open_run(tmp_path / "run")
    assert again.worst("token_f1", 30).equals(whole)


def test_an_aggregate_whose_code_is_not_loaded_has_no_kept_value(tmp_path, monkeypatch):
    run_of(tmp_path / "run")
    opened = rg.open_run(tmp_path / "run")
    monkeypatch.setattr(Run, "problems", ("the code of an aggregate is not loaded",))
    assert opened.stored_results == {}
