"""Runs at gs:// URLs, through gcsfs and a server that imitates the store.

Both are needed: pip install 'ragauge[gs]' gcp-storage-emulator
"""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import ragauge as rg
from ragauge.errors import StoreError

pytestmark = [pytest.mark.slow, pytest.mark.timeout(200)]
ROWS = [{"id": f"q{at}", "answer": f"It is {at}.", "reference": str(at % 5)} for at in range(60)]


@pytest.fixture
def bucket(monkeypatch, tmp_path) -> Iterator[str]:
    gcsfs = pytest.importorskip("gcsfs", reason="pip install 'ragauge[gs]'")
    pytest.importorskip("gcp_storage_emulator", reason="pip install gcp-storage-emulator")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", f"http://127.0.0.1:{port}")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "first"))
    program = Path(sys.executable).with_name("gcp-storage-emulator")
    command = [str(program), "start", "--host=127.0.0.1", f"--port={port}", "--in-memory"]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(300):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        gcsfs.GCSFileSystem(project="test").mkdir("runs")
        yield "gs://runs"
    finally:
        server.terminate()
        server.wait()


def test_an_interrupted_run_is_resumed_and_read_elsewhere(bucket, monkeypatch, tmp_path):
    url, metrics = f"{bucket}/a/one", ["exact_match", "number_match"]
    told: list[int] = []

    def interrupt(done: int, _: int) -> None:
        told.append(done)
        if len(told) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rg.evaluate(ROWS, metrics, folder=url, batch_size=10, progress=interrupt)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "second"))
    with pytest.raises(StoreError, match=f"^{url}: is not a run folder"):
        rg.open_run(url)  # nothing is there before the run is finished
    rg.evaluate(
        ROWS, metrics, folder=url, batch_size=10, progress=lambda done, _: told.append(done)
    )
    assert told == [10, 20, 30, 10, 20, 30, 40, 50, 60]
    here = rg.evaluate(ROWS, metrics, folder=tmp_path / "here", batch_size=10)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "third"))
    there = rg.open_run(url)
    assert there.scores.equals(here.scores)
    assert there.folder is not None
    names = ("summary.json", "samples.parquet", "scores/000005.parquet", "evidence/000000.parquet")
    for name in names:
        assert (there.folder / name).read_bytes() == (tmp_path / "here" / name).read_bytes()
    files = {path: path.stat().st_ino for path in there.folder.rglob("*")}
    rg.open_run(url)
    assert {path: path.stat().st_ino for path in files} == files  # nothing was fetched


def test_a_bucket_that_is_not_there_is_said(bucket):
    with pytest.raises(StoreError, match=r"^gs://none/run: cannot be read: .* create the bucket"):
        rg.open_run("gs://none/run")
    with pytest.raises(StoreError, match=r"^gs://runs/x: is not a run folder: it has no manifest"):
        rg.open_run(f"{bucket}/x")
