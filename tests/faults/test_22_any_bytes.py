"""FAULTS.md 21 to 26: whatever bytes a file has, it is read, or refused with its place. Nothing else is raised."""

import gzip
import io
import json
import os
import resource
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ragauge as rg
from ragauge.errors import DataError, RagaugeError
from ragauge.loaders import load
from ragauge.loaders.verdicts import load_verdicts
from ragauge.sample import Samples
from ragauge.tomlfile import parse_toml

# Ten kinds of files: ten thousand cases in the long run.
CASES = 1_000 if os.environ.get("RAGAUGE_HYPOTHESIS") == "thorough" else 200
fuzzed = settings(
    max_examples=CASES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
MAX_S = 2.0
MAX_MEMORY = 500_000_000
"""Bytes that all cases together may add to the process's peak memory."""

ROWS = [
    {"id": "q1", "system": "a", "answer": "né 東", "references": ["x", "y"], "relevant": {"d1": 1}},
    {
        "id": "q2",
        "system": "a",
        "answer": None,
        "contexts": ["x", "y"],
        "context_scores": [0.5, 1e3],
    },
]
LINES = "".join(json.dumps(row) + "\n" for row in ROWS)
CSV = 'id,answer,contexts,context_scores\nq1,"a ""b""\nc","[\'x\', \'y\']","[1, 2]"\nq2,,,\n'


def parquet() -> bytes:
    content = io.BytesIO()
    pl.DataFrame({"id": ["q1", "q2"], "answer": ["x", None]}).write_parquet(content)
    return content.getvalue()


GOOD = {
    "a.jsonl": LINES.encode(),
    "b.jsonl": LINES.encode("utf-16"),
    "a.json": json.dumps({"version": 1, "samples": ROWS}, indent=1).encode(),
    "a.csv": CSV.encode("utf-8-sig"),
    "a.tsv": 'id\tanswer\nq1\t"a ""b""\nc"\nq2\t\n'.encode("utf-16"),
    "a.jsonl.gz": gzip.compress(LINES.encode()),
    "a.parquet": parquet(),
}
PIECES = (
    *(
        b"\0",
        b"\xff",
        b"\xfe\xff",
        b"\xed\xa0\x80",
        b"\n",
        b"\r",
        b'"',
        b"'",
        b"{",
        b"[",
        b"]",
        b"}",
    ),
    *(b"NaN", b"1e999", b"\\ud800", b"null", b'{"id":', b",", b"\t", b"PAR1", b"\x1f\x8b", b"\x1a"),
    *(b'"id": "q1",', b"[" * 2_000, b"9" * 5_000, b"=1+1", b"-", b"true", "\u202e".encode()),
)


def damaged(good: bytes) -> st.SearchStrategy[bytes]:
    """Bytes of any kind, or good ones with some of them cut out, replaced, doubled or added to."""
    place = st.integers(0, len(good))
    change = st.tuples(place, place, st.sampled_from(PIECES) | st.binary(max_size=8))

    def changed(changes: list[tuple[int, int, bytes]]) -> bytes:
        content = good
        for start, end, piece in changes:
            content = content[:start] + piece + content[start if end < start else end :]
        return content

    return st.binary(max_size=400) | st.lists(change, min_size=1, max_size=4).map(changed)


def assert_read_or_refused(name: str, content: bytes, read: Callable[[Path], object]) -> None:
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("error")
        path = Path(folder) / name
        path.write_bytes(content)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start = time.thread_time()
        try:
            read(path)
        except DataError as error:
            assert error.problems
            for problem in error.problems:
                assert problem.source
                assert problem.message
            assert len(str(error)) < 100_000
            str(error).encode("utf-8", "backslashreplace")
        assert time.thread_time() - start < MAX_S
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        assert (after - before) * 1024 < MAX_MEMORY


@pytest.mark.parametrize("name", GOOD)
def test_what_the_damage_is_done_to_can_be_read(name, tmp_path):
    (tmp_path / name).write_bytes(GOOD[name])
    assert len(load(tmp_path / name)) == 2


@pytest.mark.timeout(3_000)
@pytest.mark.parametrize("name", GOOD)
def test_answers_of_any_bytes_are_samples_or_an_error_with_its_place(name):
    @fuzzed
    @given(damaged(GOOD[name]))
    def check(content: bytes) -> None:
        def read(path: Path) -> None:
            samples = load(path)
            assert isinstance(samples, Samples)
            assert len(samples)
            assert samples.frame.select("id", "system").is_duplicated().sum() == 0
            samples.fingerprint()

        assert_read_or_refused(name, content, read)

    check()


TREC = {
    "q.qrels": b"q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 2\n",
    "a.run": b"q1 Q0 d1 1 0.5 x\nq2 Q0 d1 1 -1e3 x\n",
}


@pytest.mark.timeout(3_000)
@pytest.mark.parametrize("name", TREC)
def test_rankings_of_any_bytes_are_scored_or_an_error_with_its_place(name, tmp_path):
    for file, content in TREC.items():
        (tmp_path / file).write_bytes(content)
    others = {file: tmp_path / file for file in TREC}

    @fuzzed
    @given(damaged(TREC[name]))
    def check(content: bytes) -> None:
        def read(path: Path) -> None:
            files = {**others, name: path}
            rg.rank(files["q.qrels"], files["a.run"], ["ndcg@10"])

        assert_read_or_refused(name, content, read)

    check()


@pytest.mark.timeout(3_000)
@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_labels_of_any_bytes_are_read_or_an_error_with_its_place(name):
    good = {"a.csv": b"id,label\nq1,yes\nq2,0\n", "a.jsonl": b'{"id": "q1", "label": 1}\n'}[name]

    @fuzzed
    @given(damaged(good))
    def check(content: bytes) -> None:
        assert_read_or_refused(name, content, load_verdicts)

    check()


@fuzzed
@given(st.text(max_size=300) | st.text(alphabet='[]{}=".,#\n\t a1-', max_size=300))
def test_a_configuration_of_any_text_is_a_table_or_an_error(text):
    try:
        assert isinstance(parse_toml(text, "c.toml"), dict)
    except RagaugeError as error:
        assert str(error).startswith("c.toml:")
