"""Answers at s3:// and gs:// URLs: copied, read as files, and named by their URLs."""

import gzip
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from cases import cases

import ragauge as rg
from ragauge.errors import DataError, MissingExtraError

ROWS = [{"id": f"q{at}", "answer": f"It is {at}.", "reference": str(at % 3)} for at in range(30)]


def lines(rows: list[dict[str, str]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


@pytest.fixture
def bucket(gs_in_memory: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """A bucket of fsspec's file system in memory, under gs://, with files of answers.

    tests/on_ray/test_storage.py reads from a real S3 server.
    """
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)  # where Python keeps what TMPDIR was
    files = gs_in_memory
    files.pipe("gs://bucket/a.jsonl", lines(ROWS))
    files.pipe("gs://bucket/set/1.jsonl.gz", gzip.compress(lines(ROWS[:10])))
    files.pipe("gs://bucket/set/2.jsonl.gz", gzip.compress(lines(ROWS[10:])))
    files.pipe("gs://bucket/set/notes.txt", b"how they were made")
    files.pipe("gs://bucket/deep/x/y/1.jsonl", lines(ROWS))
    files.pipe("gs://bucket/bad.jsonl", lines(ROWS[:1]) + b"{broken\n")
    files.pipe("gs://bucket/mixed/1.jsonl", lines(ROWS))
    files.pipe("gs://bucket/mixed/2.csv", b"id,answer\nq1,5\n")
    files.pipe("gs://bucket/gold.csv", b"id,reference\nq1,5\nq2,6\n")
    return "gs://bucket"


@pytest.mark.parametrize("in_pieces", [None, True])
@pytest.mark.parametrize(
    "name", ["a.jsonl", "set", "set/", "set/*.jsonl.gz", "deep/*/y/*.jsonl", "deep/**/*.jsonl"]
)
def test_a_file_a_folder_and_a_pattern_are_read_as_on_this_machine(
    bucket: str, name: str, in_pieces: bool | None
):
    samples = rg.load(f"{bucket}/{name}", in_pieces=in_pieces)
    assert samples.source == f"{bucket}/{name.rstrip('/')}"
    assert samples.frame.equals(rg.load(ROWS).frame)
    assert samples.is_file == bool(in_pieces)


def test_a_path_systems_and_gold_may_be_urls(bucket: str, tmp_path: Path):
    assert len(rg.load(Path(f"{bucket}/a.jsonl"))) == 30
    samples = rg.load({"one": f"{bucket}/a.jsonl", "two": f"{bucket}/set"})
    assert samples.systems == ("one", "two")
    assert any("gs://bucket/a.jsonl" in note for note in samples.notes)
    assert not list(tmp_path.iterdir())  # nothing is left of the copies
    here = tmp_path / "b.jsonl"
    here.write_bytes(lines([{"id": "q1", "answer": "5"}]))
    with_gold = rg.load(here, gold=f"{bucket}/gold.csv")
    assert with_gold.frame["references"].to_list() == [["5"], ["6"]]


@cases(
    ("bad.jsonl", r"^gs://bucket/bad.jsonl:2: is not JSON"),
    ("none.jsonl", r"^gs://bucket/none.jsonl: no such file or folder"),
    ("no/*.jsonl", r"^gs://bucket/no/\*.jsonl: has no data files"),
    (
        "mixed",
        r"^gs://bucket/mixed: is a folder with files of several kinds .*gs://bucket/mixed/\*",
    ),
)
def test_problems_name_the_url(name: str, problem: str, bucket: str):
    with pytest.raises(DataError, match=problem):
        rg.load(f"{bucket}/{name}")


def test_a_missing_package_says_how_to_install_it():
    pytest.importorskip("fsspec")
    try:
        import s3fs  # noqa: F401 # pyright: ignore
    except ImportError:
        with pytest.raises(MissingExtraError, match=r"pip install 'ragauge\[s3\]'"):
            rg.load("s3://bucket/a.jsonl")


def test_addresses_in_data_are_never_fetched(bucket: str):
    url = f"{bucket}/a.jsonl"
    for data in (
        {"id": "q1", "answer": url, "question": "Where?"},
        [{"id": "q1", "answer": url, "references": [url], "contexts": [url]}],
        {"id": ["q1"], "answer": [url]},
    ):
        assert rg.load(data).frame["answer"].to_list() == [url]
