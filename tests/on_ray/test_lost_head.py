"""A cluster whose head ends while it scores: the run says so, and the same command resumes on another cluster."""

import subprocess
import sys
from typing import Any

import pytest

from ragauge.errors import ClusterError
from ragauge.on_ray import executor
from ragauge.on_ray.executor import Cluster

KILLED = """
import os, signal, sys, time
from pathlib import Path
os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
import ragauge as rg

SLOW = Path("slow").absolute()

@rg.metric(version=1)
def slow_length(answer: str) -> float:
    if SLOW.exists():  # so that most batches are open when the process is killed
        time.sleep(0.005)
    return float(len(answer) > 9)

def main():
    from ray.cluster_utils import Cluster
    head = {"num_cpus": 1, "object_store_memory": 200 * 2**20, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    named = [sys.argv[1]]
    def kill(done, _):  # batches may be counted several at a time
        if done >= 100 and named and (name := named.pop()) != "none":
            (process,) = cluster.head_node.all_processes[name]
            os.kill(process.process.pid, signal.SIGKILL)
    rows = [{"id": f"q{at}", "answer": "a" * (at % 50), "references": ["a"]} for at in range(2000)]
    given = {"folder": "run", "batch_size": 20, "executor": rg.Ray(cluster.address)}
    try:
        run = rg.evaluate(rg.load(rows), ["exact_match", slow_length], **given, progress=kill)
        print(run.scores.height)
    except rg.errors.ClusterError as error:
        print("lost:", error)
    finally:
        cluster.shutdown()

if __name__ == "__main__":
    main()
"""


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_head_that_ends_is_an_error_and_the_run_resumes(tmp_path):
    pytest.importorskip("ray", reason="pip install 'ragauge[ray]'")
    (tmp_path / "run.py").write_text(KILLED)
    (tmp_path / "slow").touch()

    def said(killed: str) -> str:
        command = [sys.executable, "run.py", killed]
        return subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, check=True
        ).stdout

    assert "lost: Ray on this machine has ended; finished batches are kept" in said("raylet")
    assert list((tmp_path / "run" / "scores").glob("*.parquet"))
    (tmp_path / "slow").unlink()
    assert said("none").strip() == "4000"


def test_places_that_cannot_be_tried_count_as_there(tmp_path, monkeypatch):
    places: list[Any] = [None, ("127.0.0.1", 1)]

    def now(_: object) -> tuple[Any, ...]:
        return tuple(places)

    monkeypatch.setattr(executor, "_places", now)
    monkeypatch.setattr(executor, "LOOKED_AT_EVERY_S", 0.0)
    cluster = Cluster(None, is_own=False)
    assert not cluster.is_there()
    monkeypatch.setattr(executor, "HEAD_MAY_BE_AWAY_S", 0.0)
    with pytest.raises(ClusterError, match="the head of the Ray cluster has not answered"):
        cluster.is_there()
    assert cluster.is_lost
    places[:] = [str(tmp_path / "no socket"), None]
    with pytest.raises(ClusterError, match="Ray on this machine has ended"):
        cluster.is_there()
    places[:] = [None, None]
    assert cluster.is_there()
