"""Temporary folders of samples go with their process, however it ends."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ragauge.samples.file import TemporaryFolder

WAITS = (
    "import time\n"
    "from ragauge.samples.file import TemporaryFolder\n"
    "folder = TemporaryFolder()\n"
    "print(folder.path, flush=True)\n"
    "time.sleep(600)\n"
)


def in_another_process() -> tuple[subprocess.Popen[str], Path]:
    process = subprocess.Popen([sys.executable, "-c", WAITS], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


@pytest.fixture(autouse=True)
def temporary_files_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)


@pytest.mark.skipif(os.name != "posix", reason="no locks by which to see who lives")
def test_the_folder_of_a_killed_process_is_removed_and_that_of_a_living_one_stays(tmp_path: Path):
    not_ours = tmp_path / "ragauge-notes"
    not_ours.mkdir()
    killed, left_over = in_another_process()
    living, in_use = in_another_process()
    try:
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        assert left_over.exists()
        folder = TemporaryFolder()
        assert folder.path.exists() and in_use.exists() and not_ours.exists()
        assert not left_over.exists()
    finally:
        living.kill()
        living.wait()


def test_the_folder_goes_when_nothing_refers_to_it_any_more():
    folder = TemporaryFolder()
    path = folder.path
    (path / "000000.parquet").write_bytes(b"rows")
    del folder
    assert not path.exists()
