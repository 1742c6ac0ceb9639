"""What a run has to do, before it begins, and what it reports while it does it."""

import pytest

import ragauge as rg
from ragauge.calls import Computed, Judged, Measured
from ragauge.engine import measure
from ragauge.evaluation.evaluation import Evaluation
from ragauge.evaluation.forecast import node_seconds, workload

CONTEXTS = ["The ferry leaves at nine. It is blue.", "Tickets cost four pounds on board."]
ROWS = [
    {"id": f"q{n}", "system": system, "question": "When?", "answer": f"At {n}, says {system}.",
     "references": [f"{n} sharp", "noon"][: n % 3], "contexts": CONTEXTS}
    for n in range(20) for system in ("a", "b")
]  # fmt: skip


async def judge(request):
    return '{"reason": "so", "verdict": "CORRECT"}'


def told(evaluation, **how):
    """The rows and calls that a run tells its listener, and the keys of the nodes computed."""
    events = []
    evaluation.run(listener=events.append, **how)
    rows = sum(event.rows for event in events if isinstance(event, Measured))
    calls = sum(event.calls for event in events if isinstance(event, Judged))
    return rows, calls, {event.node for event in events if isinstance(event, Computed)}


def test_calls_are_counted_as_a_dry_run_counts_them():
    rows = [{**ROWS[2], "id": f"q{n}", "question": f"When, {n}?"} for n in range(50)]
    evaluation = Evaluation.prepare(rows, ["answer_class", "token_f1"], judge=judge)
    work = workload(evaluation)
    assert (work.n_rows, work.calls, work.judged_by) == (50, 50, ("answer_class",))
    assert told(evaluation)[:2] == (50, 50)


@pytest.mark.parametrize("batch_size", [3, 25, 1000])
def test_every_row_is_reported_once_and_every_function(batch_size):
    evaluation = Evaluation.prepare(ROWS, ["dont_know", "token_f1"], batch_size=batch_size)
    rows, _, nodes = told(evaluation)
    assert rows == workload(evaluation).n_rows == len(ROWS)
    assert nodes == {node.key for node in evaluation.plan.nodes} == set(node_seconds(evaluation))


def test_finished_batches_are_not_expected_again(tmp_path):
    evaluation = Evaluation.prepare(ROWS, ["token_f1"], batch_size=10)
    assert workload(evaluation, tmp_path / "run").n_rows == 40
    evaluation.run(tmp_path / "run")
    assert workload(evaluation, tmp_path / "run").n_rows == 0


@pytest.mark.parametrize("size", [2, 7])
def test_pieces_change_no_score(size, monkeypatch):
    # Rows have none, one or two references, and the judge's metric reads what is computed in pieces.
    metrics = ["token_f1", "bleu", "answer_class", "dont_know"]
    monkeypatch.setattr(measure, "FIRST_ROWS", size)
    watched = Evaluation.prepare(ROWS, metrics, judge=judge).run(listener=lambda _: None)
    alone = rg.evaluate(ROWS, metrics, judge=judge)
    assert watched.scores.equals(alone.scores)
