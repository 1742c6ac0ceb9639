import importlib
import json
import subprocess
import sys

import pytest
from pytest import approx

from ragauge.engine.executors import (
    MAX_KILLED,
    in_processes,
    is_portable,
    on_threads,
)
from ragauge.engine.measure import (
    MIN_ROWS_FOR_WORKERS,
    SCORES,
    choose,
    evidence_json,
    in_process,
    score_frame,
)
from ragauge.engine.plan import make_plan
from ragauge.engine.resources import Resources
from ragauge.errors import MetricError
from ragauge.metric import metric
from ragauge.score import Score
from ragauge.suite import Suite


def plan_of(*labels, columns=("id", "system", "answer", "references")):
    return make_plan([Suite.of(labels)], columns)


def batches(n_batches=3, n_rows=4):
    for number in range(n_batches):
        yield (
            number,
            {
                "id": [f"q{number}-{row}" for row in range(n_rows)],
                "system": ["s"] * n_rows,
                "answer": [f"The fee is ${row}" for row in range(n_rows)],
                "references": [["$2", "The fee is $3"]] * n_rows,
                "context_ids": [["a", "b"]] * n_rows,
                "relevant": [{"b": 1}] * n_rows,
            },
        )


def test_a_frame_has_a_row_for_each_score_with_its_status():
    frame = score_frame(plan_of("exact_match", "ndcg"), next(batches())[1], Resources())
    assert frame.columns == [*SCORES, "evidence"]
    found = {(id, name): rest for id, _, name, *rest in frame.iter_rows()}
    assert len(found) == frame.height == 8
    assert [found[f"q0-{row}", "exact_match"][0] for row in range(4)] == [0, 0, 0, 1]
    assert json.loads(found["q0-3", "exact_match"][-1])["best_reference"] == 1
    # The document stands at rank 2: 1 / log2(3).
    assert found["q0-0", "ndcg"][:3] == [approx(0.6309, abs=1e-4), "ok", None]


def test_same_rows_same_numbers_whichever_executor():
    plan = plan_of("exact_match", "keyword_coverage", "ndcg@2", "answer_match", "dont_know")
    expected = dict(in_process(plan, batches(), Resources()))
    assert sorted(expected) == [0, 1, 2]
    for measured in (on_threads, in_processes):
        found = dict(measured(plan, batches(), Resources(), 2))
        assert all(found[number].equals(expected[number]) for number in expected)


def test_the_same_batches_are_taken_a_few_at_a_time():
    taken = []

    def counted():
        for batch in batches(50, 1):
            taken.append(batch[0])
            yield batch

    results = on_threads(plan_of("exact_match"), counted(), Resources(), 2)
    next(results)
    assert len(taken) <= 5
    assert len(list(results)) == 49


def test_a_bug_in_a_metric_comes_out_of_every_executor(own_metrics):
    @metric
    def buggy_everywhere(answer: str) -> float:
        raise KeyError(answer)

    plan = plan_of("buggy_everywhere")
    for measured in (in_process, on_threads):
        with pytest.raises(MetricError, match=r"sample 'q\d-0' of system 's'"):
            list(measured(plan, batches(), Resources()))


@pytest.mark.parametrize("evidence", [{"x": {1, 2}}, {"x": float("nan")}, {"x": object()}])
def test_evidence_that_is_no_json_is_a_bug_of_its_metric(own_metrics, evidence):
    @metric
    def odd_evidence(answer: str) -> Score:
        return Score(1.0, evidence=evidence)

    with pytest.raises(MetricError) as caught:
        list(in_process(plan_of("odd_evidence"), batches(), Resources()))
    assert "metric odd_evidence returned evidence that is not JSON for sample 'q0-0'" in str(
        caught.value
    )


def test_evidence_is_strict_json_that_keeps_every_text():
    assert evidence_json(None) is None
    text = "\ud800 é \u2028 \x00"
    assert json.loads(evidence_json({"text": text})) == {"text": text}
    evidence_json({"text": text}).encode()


def leaves_this_process(labels, n_rows, n_workers):
    measuring, reports = choose(plan_of(*labels), n_rows, n_workers, Resources())
    assert reports is (getattr(measuring, "func", None) is not in_processes)
    return not reports


def test_small_runs_stay_in_this_process_and_large_ones_leave_it():
    assert not leaves_this_process(["exact_match"], 10**6, 1)
    assert not leaves_this_process(["exact_match"], MIN_ROWS_FOR_WORKERS - 1, 4)
    assert leaves_this_process(["exact_match"], MIN_ROWS_FOR_WORKERS, 4)


def test_only_a_metric_that_another_process_can_import_goes_there(
    own_metrics, ragauge, tmp_path, monkeypatch
):
    @metric
    def made_here(answer: str) -> float:
        return 1.0

    # No other process finds a function inside of a function.
    assert not is_portable(plan_of("made_here"))
    assert not leaves_this_process(["made_here"], 10**6, 4)
    mine = "import ragauge as rg\n@rg.metric\ndef {}(answer: str) -> float:\n    return 1.0\n"
    (tmp_path / "loud_metrics.py").write_text(mine.format("loud"))
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module("loud_metrics")
    assert is_portable(plan_of("loud"))
    # A plug-in file of the command line is no module.
    (tmp_path / "mine.py").write_text(mine.format("quiet"))
    (tmp_path / "answers.jsonl").write_text('{"id": "q", "answer": "x"}\n')
    monkeypatch.setattr("ragauge.engine.measure.MIN_ROWS_FOR_WORKERS", 1)
    done = ragauge("run", "answers.jsonl", "-m", "quiet", "--plugin", "mine.py", "-j", 2)
    assert (done.code, "quiet" in done.out) == (0, True), done.err


@pytest.mark.posix
@pytest.mark.slow
@pytest.mark.parametrize("kills", [1, 99])
def test_batches_of_a_killed_worker_are_measured_again_until_it_is_killed_too_often(
    tmp_path, kills
):
    (tmp_path / "deadly_metrics.py").write_text(
        "import os, signal, pathlib, ragauge as rg\n"
        "KILLED = pathlib.Path(__file__).parent / 'killed'\n"
        "@rg.metric\n"
        "def deadly(answer: str) -> float:\n"
        "    n = len(KILLED.read_text()) if KILLED.exists() else 0\n"
        f"    if answer == '4' and n < {kills}:\n"
        "        KILLED.write_text('x' * (n + 1))\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "    return float(answer) / 10\n"
    )
    (tmp_path / "script.py").write_text(
        "import ragauge as rg, deadly_metrics\n"
        "from ragauge.engine.executors import in_processes\n"
        "from ragauge.engine.plan import make_plan\n"
        "from ragauge.engine.resources import Resources\n"
        "if __name__ == '__main__':\n"
        "    plan = make_plan([rg.Suite.of(['deadly'])], ['id', 'system', 'answer'])\n"
        "    rows = [{'id': [f'q{n}'], 'system': ['s'], 'answer': [str(n)]} for n in range(9)]\n"
        "    found = dict(in_processes(plan, enumerate(rows), Resources(), 2))\n"
        "    print([found[n]['value'].item() for n in range(9)])\n"
    )
    done = subprocess.run(
        [sys.executable, str(tmp_path / "script.py")], capture_output=True, text=True, check=False
    )
    if kills == 1:
        assert done.stdout == f"{[n / 10 for n in range(9)]}\n", done.stderr
    else:
        assert "WorkerError: worker processes are killed again and again" in done.stderr
        assert len((tmp_path / "killed").read_text()) == 1 + MAX_KILLED
