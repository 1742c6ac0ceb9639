"""FAULTS.md 23, 25 and 29: files that are none, files of nothing but line ends, rows that are none."""

import gzip
import os
import re
import subprocess
import sys

import pytest
import zstandard
from cases import cases

from ragauge.loaders.formats import files
from ragauge.loaders.formats.files import MAX_PROBLEMS
from ragauge.rankings.reading import streams

POSIX = pytest.mark.skipif(os.name != "posix", reason="needs named pipes")
QRELS, RUN = "q1 0 d1 1\n", "q1 Q0 d1 1 0.5 x\n"


@pytest.mark.parametrize("blank", ["\n", " \t\n"])
@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.json"])
def test_a_file_of_nothing_but_line_ends_is_stopped(ragauge, tmp_path, monkeypatch, name, blank):
    monkeypatch.setattr(files, "MAX_BLANK_LINES", 10_000)
    content = blank.encode() * 30_000
    (tmp_path / f"{name}.gz").write_bytes(gzip.compress(content, 1))
    done = ragauge("validate", f"{name}.gz", code=3)
    assert "remove them" in done.err or "unpacks to over" in done.err


@pytest.mark.parametrize("compress", [gzip.compress, zstandard.compress, bytes])
def test_rankings_of_nothing_but_line_ends_are_stopped(ragauge, tmp_path, monkeypatch, compress):
    monkeypatch.setattr(streams, "MAX_BLANK", 2**16)
    # Incompressible bytes keep the file large enough for what it unpacks to.
    (tmp_path / "run").write_bytes(compress(b"\n" * 2**23 + os.urandom(2**14)))
    (tmp_path / "qrels").write_text(QRELS)
    done = ragauge("rank", "qrels", "run", code=3)
    assert "run: has over 65,536 spaces and line ends in a row" in done.err


@pytest.mark.parametrize("pack", ["gz", "zst"])
def test_a_compressed_file_of_nothing_but_tiny_rows_is_stopped(
    ragauge, tmp_path, monkeypatch, pack
):
    monkeypatch.setattr(files, "LINES_COUNT_FROM", 1_000)
    content = b"id\n" + b"x\n" * 200_000
    compress = gzip.compress if pack == "gz" else zstandard.compress
    (tmp_path / f"a.csv.{pack}").write_bytes(compress(content))
    (tmp_path / "a.csv").write_bytes(content[:20_000])
    done = ragauge("validate", f"a.csv.{pack}", code=3)
    assert re.search(r"unpacks to over [\d,]+ lines; if you trust the file", done.err), done.err
    assert "lines; if you trust" not in ragauge("validate", "a.csv").err


def test_rows_that_do_not_fit_the_header_end_the_reading(ragauge, tmp_path):
    (tmp_path / "a.csv").write_text("id,answer\n" + "q,x,y\n" * 3 * MAX_PROBLEMS)
    done = ragauge("validate", "a.csv", code=3)
    assert "has 3 cells, but the header has 2" in done.err
    assert f"and {MAX_PROBLEMS - 19} more problems" in done.err


def test_a_file_of_another_kind_is_not_read_to_its_end(ragauge, tmp_path):
    (tmp_path / "a.jsonl").write_text("x\n" * 50 * MAX_PROBLEMS)
    done = ragauge("validate", "a.jsonl", code=3)
    assert done.err.splitlines()[-1].endswith(
        f"… and {MAX_PROBLEMS - 19:,} more problems".replace(",", "")
    )


@cases(
    ("{}", "is {}, an object without fields; give it fields or remove it"),
    (
        '{"id": "q2", "a\\ud800b": "y"}',
        "has the key 'a\\ud800b' with half a character (lone surrogate U+D800); fix the export",
    ),
)
def test_a_row_that_is_none_is_named_with_its_line(text, said, ragauge, tmp_path):
    good = '{"id": "q1", "answer": "x"}'
    (tmp_path / "a.jsonl").write_text(f"{good}\n{text}\n")
    (tmp_path / "a.json").write_text(f"[{good},\n{text}]")
    for name in ("a.jsonl", "a.json"):
        assert f"{name}:2: {said}" in ragauge("validate", name, code=3).err


@POSIX
@pytest.mark.slow
def test_a_pipe_that_nobody_writes_to_is_named(tmp_path):
    (tmp_path / "q").write_text(QRELS)
    os.mkfifo(tmp_path / "run")
    reading = subprocess.Popen(
        [sys.executable, "-m", "ragauge", "rank", "q", "run"],
        cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert (
        "still reading run; it ends when the program that writes it does"
        in reading.stderr.readline()
    )
    (tmp_path / "run").write_text(RUN)
    reading.communicate(timeout=30)
    assert reading.returncode == 0
