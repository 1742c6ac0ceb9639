"""FAULTS.md 28: what a killed process left behind is removed, and nothing else is."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import ragauge as rg
from ragauge.storage.atomic_files import remove_left_over, write_atomically

POSIX = pytest.mark.skipif(os.name != "posix", reason="needs locks of files")
ROWS = [{"id": "q1", "answer": "x", "reference": "x"}]
LEFT = (
    ".manifest.json.abcd_123.part",
    ".report.html.00000000.part",
    "scores/.000000.parquet.a1b2c3d4.part",
)
OTHERS = (
    ".manifest.json.part",
    ".mine.txt.abcd1234.part",
    "manifest.json.abcd1234.part",
    ".manifest.json.ABCD1234.part",
    "scores/.notes.abcd1234.part",
)


def put(folder: Path, names) -> None:
    for name in names:
        (folder / name).write_text("half")


@pytest.mark.parametrize("opens", ["show", "run"])
def test_left_over_files_are_removed_when_the_run_is_opened(ragauge, tmp_path, opens):
    run = tmp_path / "run"
    rg.evaluate(ROWS, "exact_match", folder=run)
    put(run, (*LEFT, *OTHERS))
    if opens == "show":
        assert ragauge("show", run).code == 0
    else:
        rg.evaluate(ROWS, "exact_match", folder=run)
    assert not [name for name in LEFT if (run / name).exists()]
    assert all((run / name).exists() for name in OTHERS)


def test_a_file_with_the_longest_name_can_be_written(tmp_path):
    path = tmp_path / ("é" * 125 + ".csv")
    write_atomically(path, lambda file: file.write(b"whole"))
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


@POSIX
def test_a_file_that_is_being_written_stays(tmp_path):
    path = tmp_path / "manifest.json"

    def write(file):
        remove_left_over(tmp_path, "manifest\\.json")
        assert len(list(tmp_path.glob(".manifest.json.*.part"))) == 1
        file.write(b"whole")

    write_atomically(path, write)
    assert path.read_bytes() == b"whole"
    assert [one.name for one in tmp_path.iterdir()] == ["manifest.json"]


@POSIX
def test_a_file_of_a_process_that_was_killed_while_it_wrote_is_removed(tmp_path):
    code = (
        "import sys, time; from pathlib import Path; from ragauge.storage.atomic_files import write_atomically\n"
        "write_atomically(Path(sys.argv[1]), lambda file: (file.write(b'half'), file.flush(), time.sleep(60)))"
    )
    writing = subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "manifest.json")])
    end = time.monotonic() + 30
    while not any(part.stat().st_size for part in tmp_path.glob(".*.part")):
        assert time.monotonic() < end
        time.sleep(0.01)
    remove_left_over(tmp_path, "manifest\\.json")
    assert len(list(tmp_path.iterdir())) == 1, "it is still written"
    writing.send_signal(signal.SIGKILL)
    writing.wait()
    remove_left_over(tmp_path, "manifest\\.json")
    assert list(tmp_path.iterdir()) == []


def test_what_is_left_of_an_output_is_removed_when_it_is_written_again(ragauge, tmp_path):
    (tmp_path / "a.jsonl").write_text('{"id": "q1", "answer": "x", "reference": "x"}\n')
    put(tmp_path, (".s.csv.abcd1234.part", ".other.csv.abcd1234.part"))
    assert ragauge("run", "a.jsonl", "-m", "exact_match", "-o", "s.csv", "--no-report").code == 0
    assert [one.name for one in tmp_path.glob(".*.part")] == [".other.csv.abcd1234.part"]


@pytest.mark.posix
def test_a_link_and_a_folder_of_such_a_name_stay(tmp_path):
    target = tmp_path / "target"
    target.write_text("mine")
    (tmp_path / ".manifest.json.aaaaaaaa.part").symlink_to(target)
    (tmp_path / ".manifest.json.bbbbbbbb.part").mkdir()
    remove_left_over(tmp_path, ".*")
    remove_left_over(tmp_path / "absent", ".*")
    assert len(list(tmp_path.iterdir())) == 3
