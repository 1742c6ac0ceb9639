import json
import subprocess
import sys
import textwrap
from pathlib import Path

import polars as pl
import pytest
from cases import cases

import ragauge as rg
from ragauge.errors import StoreError
from ragauge.runs.store import RunFolder
from ragauge.storage.atomic_files import write_atomically, write_text

SAMPLES = [{"id": "q1", "answer": "x", "reference": "x"}]


def evaluate(folder, samples=SAMPLES, asking="exact_match"):
    return rg.evaluate(samples, asking, folder=folder)


def test_a_stored_run_is_read_as_it_was(tmp_path):
    run = evaluate(tmp_path / "run")
    again = rg.open_run(tmp_path / "run")
    assert again.scores.equals(run.scores)
    assert again.manifest == run.manifest
    assert again.samples.frame.equals(run.samples.frame)
    assert again.summary().equals(run.summary())


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(one.relative_to(folder)): one.read_bytes() if one.is_file() else b""
        for one in sorted(folder.rglob("*"))
    }


@cases(
    ([{"id": "q1", "answer": "y", "reference": "x"}], "exact_match"),
    (SAMPLES, "token_f1"),
    (SAMPLES, 'exact_match(normalize="squad")'),
)
def test_the_folder_of_another_run_is_refused_and_left_as_it_is(samples, asking, tmp_path):
    evaluate(tmp_path / "run")
    before = contents(tmp_path / "run")
    with pytest.raises(StoreError, match="holds another run") as caught:
        evaluate(tmp_path / "run", samples, asking)
    assert caught.value.exit_code == 5
    assert contents(tmp_path / "run") == before


@pytest.mark.parametrize("name", ["samples.parquet", "thesis.docx", "summary.md", "scores"])
def test_a_folder_of_something_else_is_refused_and_left_as_it_is(tmp_path, name):
    (tmp_path / name).write_text("mine")
    before = contents(tmp_path)
    with pytest.raises(StoreError) as caught:
        evaluate(tmp_path)
    assert str(tmp_path) in str(caught.value)
    assert contents(tmp_path) == before


@cases(
    ({"format": 99, "of_the_future": True}, "newer ragauge; upgrade"),
    ({"format": 1}, r"earlier ragauge .* run it again into another folder"),
)
def test_a_run_of_another_format_is_refused_and_left_as_it_is(changes, says, tmp_path):
    evaluate(tmp_path / "run")
    path = tmp_path / "run" / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    before = contents(tmp_path / "run")
    for use in (lambda: evaluate(tmp_path / "run"), RunFolder(tmp_path / "run").read):
        with pytest.raises(StoreError, match=says):
            use()
    assert contents(tmp_path / "run") == before


@pytest.mark.posix
def test_where_nothing_can_be_written_is_an_error_of_the_store(tmp_path):
    (tmp_path / "file").write_text("mine")
    for folder in ("/proc/ragauge-run", tmp_path / "file", tmp_path / "file" / "run"):
        with pytest.raises(StoreError) as caught:
            evaluate(folder)
        assert caught.value.exit_code == 5
        assert str(folder) in str(caught.value)
    assert (tmp_path / "file").read_text() == "mine"


FULL = """
    import resource, sys
    sys.dont_write_bytecode = True  # it would be cut off like every file
    import ragauge as rg
    from ragauge.storage.atomic_files import write_text, write_frame
    from pathlib import Path
    import polars as pl

    folder = Path(sys.argv[1])
    samples = [{"id": str(n), "answer": f"{n * n} " * 50, "reference": "x"} for n in range(300)]
    resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))
    def try_it(what):
        try:
            what()
        except rg.StoreError as error:
            print(error.exit_code, str(error).count("cannot be written"))
        else:
            print("written")
    try_it(lambda: write_text(folder / "old.txt", "new " * 2000))
    try_it(lambda: write_frame(folder / "old.parquet", pl.DataFrame({"x": range(9_000)})))
    try_it(lambda: rg.evaluate(samples, "exact_match", folder=folder / "run"))
"""


def test_a_full_disk_leaves_the_old_file_as_it_is(tmp_path):
    (tmp_path / "old.txt").write_text("old")
    pl.DataFrame({"x": [1]}).write_parquet(tmp_path / "old.parquet")
    before = contents(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(FULL), str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines() == ["5 1"] * 3, done.stderr
    after = contents(tmp_path)
    assert {name: after[name] for name in before} == before
    assert not [name for name in after if name.endswith(".part")]
    # The run was begun and not finished; with room again it is finished.
    with pytest.raises(StoreError):
        RunFolder(tmp_path / "run").read()


def test_a_write_that_breaks_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "file"
    write_text(path, "old")

    def broken(file):
        file.write(b"half")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_atomically(path, broken)
    assert contents(tmp_path) == {"file": b"old"}


def test_text_is_written_with_the_same_bytes_everywhere(tmp_path):
    write_text(tmp_path / "a" / "b.txt", "é\r\n\n😀")
    assert (tmp_path / "a" / "b.txt").read_bytes() == "é\r\n\n😀".encode()
