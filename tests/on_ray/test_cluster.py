"""Runs on two nodes are those of one process, to the last digit, whatever is lost on the way."""

import os
import random
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import ragauge as rg
from ragauge.errors import ClusterError, MetricError, StoreError
from ragauge.on_ray import executor
from ragauge.run import Run

pytest.importorskip("ray", reason="pip install 'ragauge[ray]'")
pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

METRICS = ["exact_match", "token_f1", "number_match", "dont_know", "bleu", "support"]
N = 240


def rows() -> Iterator[dict[str, object]]:
    order = random.Random(4)
    for at in range(N):
        for system in ("plain", "tuned"):
            yield {
                "id": f"q{at}",
                "system": system,
                "question": f"What is the premium of case {at}?",
                "answer": f"It is ${at}." if order.random() < 0.6 else "" if at % 9 else "No idea",
                "references": [f"${at}", f"It is ${at}."] if at % 5 else None,
                "contexts": [f"The premium of case {at} is ${at}."] if at % 7 else [],
                "topic": order.choice("abc"),
            }


@pytest.fixture(scope="module")
def samples() -> rg.Samples:
    return rg.load(list(rows()))


def stored(run: Run, folder: Path) -> dict[str, pl.DataFrame]:
    """The run's frames by file, and its summaries."""
    frames = {
        str(path.relative_to(folder)): pl.read_parquet(path) for path in folder.rglob("*.parquet")
    }
    return {**frames, "summary": run.summary(), "by topic": run.summary("topic")}


def check_equal(run: Run, folder: Path, other: Run, other_folder: Path) -> None:
    ours, theirs = stored(run, folder), stored(other, other_folder)
    assert ours.keys() == theirs.keys()
    for name, frame in ours.items():
        assert frame.equals(theirs[name]), name
    assert run.manifest.key == other.manifest.key


def test_two_nodes_give_the_run_of_one_process(cluster, samples, tmp_path):
    here = rg.evaluate(samples, METRICS, folder=tmp_path / "here", batch_size=40)
    told: list[tuple[int, int]] = []
    there = rg.evaluate(
        samples,
        METRICS,
        folder=tmp_path / "there",
        batch_size=40,
        executor=rg.Ray(cluster.address),
        progress=lambda done, total: told.append((done, total)),
    )
    check_equal(here, tmp_path / "here", there, tmp_path / "there")
    assert told == [(40 * n, 2 * N) for n in range(1, 13)]
    in_memory = rg.evaluate(samples, METRICS[:2], executor=rg.Ray(cluster.address))
    assert in_memory.scores.equals(rg.evaluate(samples, METRICS[:2]).scores)
    assert in_memory.folder is None


def test_only_what_is_missing_is_measured_again(cluster, samples, tmp_path):
    given = {"folder": tmp_path / "run", "batch_size": 40}
    whole = rg.evaluate(samples, METRICS[:4], **given)
    from ragauge.runs.store import RunFolder

    RunFolder(tmp_path / "run").reopen()
    (tmp_path / "run" / "scores" / "000003.parquet").unlink()
    told: list[int] = []
    again = rg.evaluate(
        samples,
        METRICS[:4],
        **given,
        executor=rg.Ray(cluster.address),
        progress=lambda done, _: told.append(done),
    )
    assert told == [2 * N]
    assert again.scores.equals(whole.scores)


def test_judges_are_asked_from_here_and_the_rest_is_measured_there(cluster, samples, tmp_path):
    def judge() -> rg.ScriptedJudge:
        return rg.ScriptedJudge({"verdict": {"reason": "r", "verdict": "CORRECT"}})

    metrics = ["exact_match", "answer_class", "support", "dont_know"]
    here = rg.evaluate(samples, metrics, judge=judge(), folder=tmp_path / "here", batch_size=100)
    asked = judge()
    given: dict[str, Any] = {
        "folder": tmp_path / "there",
        "batch_size": 100,
        "cache": tmp_path / "cache.sqlite",
        "executor": rg.Ray(cluster.address),
    }

    def interrupt(done: int, _: int) -> None:
        if done >= 200:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rg.evaluate(samples, metrics, judge=asked, **given, progress=interrupt)
    there = rg.evaluate(samples, metrics, judge=asked, **given)
    check_equal(here, tmp_path / "here", there, tmp_path / "there")
    assert len(asked.requests) == len({request.messages for request in asked.requests})
    assert not (tmp_path / "there" / ".on-ray").exists()


def test_metrics_of_a_file_travel_to_the_workers(cluster, samples, plugin):
    own = plugin(
        "from ragauge import metric\n"
        "@metric(version=1, high=None)\n"
        "def letters(answer: str) -> float:\n"
        "    return len(answer)\n"
    )
    run = rg.evaluate(samples, own.letters, batch_size=40, executor=rg.Ray(cluster.address))
    assert run.scores.equals(rg.evaluate(samples, own.letters, batch_size=40).scores)


def test_an_error_of_a_metric_is_the_same_as_here(cluster, samples, plugin):
    own = plugin(
        "from ragauge import metric\n"
        "@metric(version=1)\n"
        "def broken(answer: str) -> float:\n"
        "    return 1 / len(answer)\n"
    )
    with pytest.raises(MetricError) as here:
        rg.evaluate(samples, own.broken, batch_size=2 * N)
    with pytest.raises(MetricError) as there:
        rg.evaluate(samples, own.broken, batch_size=2 * N, executor=rg.Ray(cluster.address))
    message, _, place = str(here.value).partition("; fix it")
    assert str(there.value).startswith(message)
    assert "division by zero" in message
    assert place


KILLED = """
import os, signal
from pathlib import Path
from ragauge import metric

@metric(version=1)
def fatal(question: str, *, marks: str = "", times: int = 1) -> float:
    if "case 100?" in question:
        done = len(list(Path(marks).iterdir()))
        if done < times:
            (Path(marks) / str(done)).touch()
            os.kill(os.getpid(), signal.SIGKILL)
    return 1.0
"""


@pytest.mark.parametrize("times", [1, 99])
def test_a_killed_worker_is_replaced_but_not_for_ever(
    times, cluster, samples, plugin, tmp_path, monkeypatch
):
    monkeypatch.setattr(executor, "MAX_TRIES", 3)
    plugin(KILLED)
    marks = tmp_path / "marks"
    marks.mkdir()
    label = f'fatal(marks="{marks}", times={times})'
    given = {"batch_size": 40, "executor": rg.Ray(cluster.address)}
    if times == 1:
        run = rg.evaluate(samples, label, **given)
        assert run.scores["value"].to_list() == [1.0] * 2 * N
    else:
        with pytest.raises(ClusterError, match="rows from 200 to 240 ended their worker 3 times"):
            rg.evaluate(samples, label, **given)


def test_workers_with_another_version_are_refused(cluster, samples, monkeypatch):
    monkeypatch.setattr("ragauge.on_ray.worker.version_of", lambda _: "99.0")
    with pytest.raises(ClusterError, match=r"has ragauge .* instead of 99\.0 .*; install the same"):
        rg.evaluate(samples, "exact_match", executor=rg.Ray(cluster.address))


def test_a_folder_that_cannot_be_written_any_more_is_an_error(cluster, samples, tmp_path):
    evidence = tmp_path / "run" / "evidence"

    def block(done: int, _: int) -> None:
        if done == 20:  # the first part is there
            evidence.rename(tmp_path / "moved")
            evidence.write_text("")

    given: dict[str, Any] = {"folder": tmp_path / "run", "batch_size": 10}
    with pytest.raises(StoreError, match=r"evidence/0000.*a file is in the way"):
        rg.evaluate(
            samples,
            "exact_match",
            **given,
            executor=rg.Ray(cluster.address, workers=1),
            progress=block,
        )


PLACED = """
import os
import time
from pathlib import Path
from ragauge import metric

@metric(version=1)
def placed(answer: str, *, marks: str = "") -> float:
    node = os.environ.get("NODE_OF_TEST", "head")
    (Path(marks) / node).touch()
    # Slow until both have worked: a worker of the second node may take seconds to start.
    time.sleep(0.001 if (Path(marks) / "second").exists() else 0.05)
    return 1.0
"""


def test_both_nodes_work(cluster, samples, plugin, tmp_path):
    plugin(PLACED)
    marks = tmp_path / "marks"
    marks.mkdir()
    label = f'placed(marks="{marks}")'
    run = rg.evaluate(samples, label, batch_size=5, executor=rg.Ray(cluster.address))
    assert run.scores["value"].to_list() == [1.0] * 2 * N
    assert {path.name for path in marks.iterdir()} == {"head", "second"}


def test_the_rows_of_a_killed_node_are_measured_by_the_others(cluster, samples, tmp_path):
    # The last test: it ends the second node.
    killed: list[int] = []

    def kill(done: int, _: int) -> None:
        if not killed:
            killed.append(done)
            (raylet,) = cluster.second.all_processes["raylet"]
            os.kill(raylet.process.pid, signal.SIGKILL)

    given: dict[str, Any] = {"batch_size": 10}
    there = rg.evaluate(
        samples,
        METRICS,
        folder=tmp_path / "there",
        **given,
        executor=rg.Ray(cluster.address),
        progress=kill,
    )
    here = rg.evaluate(samples, METRICS, folder=tmp_path / "here", **given)
    assert killed
    check_equal(here, tmp_path / "here", there, tmp_path / "there")
