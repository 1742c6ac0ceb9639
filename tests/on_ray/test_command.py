"""`ragauge run --on ray` starts Ray, scores, and leaves nothing behind, however it ends."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

pytest.importorskip("ray", reason="pip install 'ragauge[ray]'")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(400),
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"),
]

N = 60
SLOW = """
import time
import ragauge as rg

@rg.metric(version=1)
def slow(answer: str) -> rg.Score:
    time.sleep(0.02)
    return rg.Score(len(answer) / 100, evidence={"letters": len(answer)})
"""


@pytest.fixture
def home(tmp_path) -> Path:
    rows = [{"id": f"q{at}", "answer": "a" * (at % 50), "references": ["a"]} for at in range(N)]
    (tmp_path / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "slow_metrics.py").write_text(SLOW)
    (tmp_path / "run.py").write_text(
        "import sys, ragauge as rg\n"
        "from ragauge.evaluation import evaluation\n"
        "from ragauge.cli import main\n"
        "evaluation.BATCH_SIZE = 5\n"  # batches of the command have 1,000 rows
        "if __name__ == '__main__':\n"
        "    main(sys.argv[1:])\n"
    )
    return tmp_path


def started(home: Path, folder: str, *more: str) -> "subprocess.Popen[str]":
    arguments = ["run", "answers.jsonl", "--plugin", "slow_metrics.py", "-m", "slow"]
    arguments += ["-m", "exact_match", "--folder", folder, "--no-report", "--quiet", *more]
    return subprocess.Popen(
        [sys.executable, "run.py", *arguments],
        cwd=home,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=os.environ | {"MARK_OF_TEST": str(home)},
    )


AGENTS = ("ray::DashboardAgent", "ray::RuntimeEnvAgent")
"""Ray's own helpers, which notice only after a minute that a node was killed."""


def left(home: Path) -> list[str]:
    """The commands of processes that a test's command has started and that still run."""
    mark = f"MARK_OF_TEST={home}".encode()
    found: list[str] = []
    for place in Path("/proc").iterdir():
        try:
            if place.name.isdigit() and mark in (place / "environ").read_bytes():
                command = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode()[:80]
                if not command.startswith(AGENTS):
                    found.append(command)
        except OSError:
            continue
    return found


def check_nothing_left(home: Path) -> None:
    end = time.monotonic() + 60
    while (found := left(home)) and time.monotonic() < end:
        time.sleep(0.2)
    assert found == []


def wait_for_part(home: Path, folder: str, process: "subprocess.Popen[str]") -> None:
    while not list((home / folder / "scores").glob("0*.parquet")):
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)


def frames(folder: Path) -> Iterator[tuple[str, pl.DataFrame]]:
    for path in sorted(folder.rglob("*.parquet")):
        yield str(path.relative_to(folder)), pl.read_parquet(path)


def test_a_run_that_is_killed_is_resumed_and_leaves_no_process(home):
    here = started(home, "here", "-j", "1")
    out, _ = here.communicate()
    assert here.returncode == 0

    first = started(home, "there", "--on", "ray", "-j", "2")
    wait_for_part(home, "there", first)
    first.kill()
    first.communicate()
    check_nothing_left(home)
    done = {path: path.stat().st_mtime_ns for path in (home / "there" / "scores").iterdir()}
    assert 0 < len([path for path in done if not path.name.startswith(".")]) < N / 5

    second = started(home, "there", "--on", "ray", "-j", "2")
    out_there, err = second.communicate()
    assert second.returncode == 0, err
    assert "Traceback" not in err
    assert out_there.replace("there", "here") == out
    check_nothing_left(home)
    for path, written in done.items():
        if not path.name.startswith("."):
            assert path.stat().st_mtime_ns == written
    for (name, ours), (other, theirs) in zip(
        frames(home / "here"), frames(home / "there"), strict=True
    ):
        assert name == other
        assert ours.equals(theirs), name


def test_an_interrupt_ends_the_run_and_ray_without_a_traceback(home):
    process = started(home, "run", "--on", "ray", "-j", "2")
    wait_for_part(home, "run", process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 130
    assert out == ""
    assert err == (
        "ragauge: interrupted; finished batches are kept: run the same command again to resume\n"
    )
    check_nothing_left(home)


def test_a_cluster_that_is_not_there_is_named(home):
    process = started(home, "run", "--on", "ray://127.0.0.1:9")
    out, err = process.communicate()
    assert process.returncode == 6
    assert out == ""
    assert err.startswith("ragauge: error: the Ray cluster ray://127.0.0.1:9 cannot be used:")
    assert len(err.splitlines()) == 1
    check_nothing_left(home)
