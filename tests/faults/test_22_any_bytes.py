"""FAULTS.md 21 to 26: whatever bytes a file has, it is read, or refused with its place. Nothing else is raised."""

import gzip
import io
import json
import os
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path

import polars as pl
import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ragauge as rg
from ragauge.errors import DataError, FilterError, LabelError, RagaugeError
from ragauge.evaluation.config import Config
from ragauge.judges.prompts import Prompts, file_of
from ragauge.judges.providers.scripted import RecordedJudge
from ragauge.loaders.labels import load_verdicts
from ragauge.loaders.loading import load
from ragauge.people.review import Review
from ragauge.people.review_exchange import import_labels
from ragauge.people.review_queue import review_queue
from ragauge.storage.tomlfile import parse_toml
from ragauge.suite import Suite

resource = pytest.importorskip("resource", reason="not on Windows")

# Of each of two dozen kinds of files: over twenty thousand cases in the long run.
IS_THOROUGH = os.environ.get("RAGAUGE_HYPOTHESIS") == "thorough"
pytestmark = pytest.mark.hypothesis  # `make test-slow` runs them with many more examples
fuzzed = settings(
    max_examples=1_000 if IS_THOROUGH else 20,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
MAX_S = 2.0
MAX_MEMORY = 500_000_000
"""Bytes that all cases together may add to the process's peak memory."""

ROWS = [
    {"id": "q1", "system": "a", "answer": "né 東", "references": ["x", "y"], "relevant": {"d1": 1}},
    {"id": "q2", "system": "a", "contexts": ["x", "y"], "context_scores": [0.5, 1e3]},
]
LINES = "".join(json.dumps(row) + "\n" for row in ROWS).encode()
CSV = 'id,answer,contexts,context_scores\nq1,"a ""b""\nc","[\'x\', \'y\']","[1, 2]"\nq2,,,\n'
RUN = b"q1 Q0 d1 1 0.5 x\nq2 Q0 d1 1 -1e3 x\n"


def parquet(columns: dict[str, list[object]]) -> bytes:
    content = io.BytesIO()
    pl.DataFrame(columns).write_parquet(content)
    return content.getvalue()


def answers(path: Path) -> None:
    samples = load(path)
    assert len(samples)
    assert samples.frame.select("id", "system").is_duplicated().sum() == 0
    samples.fingerprint()


def qrels(path: Path) -> None:
    rg.rank(path, {"q1": {"d1": 0.5}, "q2": {"d1": 0.5}}, ["ndcg@10"])


def rankings(path: Path) -> None:
    rg.rank({"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 2}}, path, ["ndcg@10"])


def gold(path: Path) -> None:
    load([{"id": "q1", "answer": "x"}, {"id": "q2", "answer": "y"}], gold=path)


def imported_labels(path: Path, review: Review) -> None:
    import_labels(review, path)
    review.log()  # what is stored can be read again


FILES: list[tuple[Callable[..., object], str, bytes]] = [
    (answers, "a.jsonl", LINES),
    (answers, "b.jsonl", LINES.decode().encode("utf-16")),
    (answers, "a.json", json.dumps({"version": 1, "samples": ROWS}, indent=1).encode()),
    (answers, "a.csv", CSV.encode("utf-8-sig")),
    (answers, "a.tsv", 'id\tanswer\nq1\t"a ""b""\nc"\nq2\t\n'.encode("utf-16")),
    (answers, "a.jsonl.gz", gzip.compress(LINES)),
    (answers, "a.jsonl.zst", zstandard.compress(LINES)),
    (answers, "a.parquet", parquet({"id": ["q1", "q2"], "answer": ["x", None]})),
    (qrels, "q.qrels", b"q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 2\n"),
    (qrels, "q.json", b'{"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 2}}'),
    (qrels, "q.tsv", b"query-id\tcorpus-id\tscore\nq1\td1\t1\n"),
    (rankings, "a.run", RUN),
    (rankings, "a.run.gz", gzip.compress(RUN)),
    (rankings, "a.json", b'{"q1": {"d1": 0.5}, "q2": ["d1", "d2"]}'),
    (rankings, "a.csv", b"query,document,score\nq1,d1,0.5\nq2,d1,-1e3\n"),
    (rankings, "a.parquet", parquet({"query": ["q1", "q2"], "document": ["d1", "d2"], "score": [0.5, 1.0]})),
    (load_verdicts, "a.csv", b"id,label\nq1,yes\nq2,0\n"),
    (load_verdicts, "a.jsonl", b'{"id": "q1", "label": 1}\n'),
    (load_verdicts, "a.json", b'[{"id": "q1", "rater": "r", "label": "no"}]'),
    (load_verdicts, "a.parquet", parquet({"id": ["q1", "q2"], "label": ["yes", "no"]})),
    (gold, "g.jsonl", b'{"id": "q1", "references": ["x"]}\n{"id": "q2", "references": ["y"]}\n'),
    (gold, "g.csv", b"id,reference\nq1,x\nq2,y\n"),
    (gold, "g.json", b'{"q1": {"reference": "x"}, "q2": {"reference": "y"}}'),
    (imported_labels, "l.jsonl", b'{"id": "q1", "value": "match", "rater": "r", "note": "n"}\n{"retracts": "x"}\n'),
    (Config.load, "c.toml", b'data = "a.jsonl"\nmetrics = ["ndcg@10"]\n[judge]\nmodel = "m"\n[gate]\nrules = ["f1 > 0"]\n'),
    (Suite.load, "s.toml", b'name = "s"\n[[metric]]\nlabel = "token_f1"\n[[check]]\nwhere = "a = 1"\n[check.rules]\nc = {regex = "x"}\n'),
    (lambda path: Prompts(path.parent), "verdict.md", file_of(Prompts().by_name["verdict"]).encode()),
    (RecordedJudge, "r.jsonl", b'{"format": "ragauge recording 1", "judge": "m", "identity": {}}\n{"key": "00", "prompt": "p", "reply": {"text": "x"}}\n'),
]  # fmt: skip
"""What reads a file, its name, and bytes that can be read."""
PIECES = (
    *(b"\0", b"\xff", b"\xfe\xff", b"\xed\xa0\x80", b"\n", b"\r", b'"', b"'", b"{", b"[", b"]", b"}"),
    *(b"NaN", b"1e999", b"\\ud800", b"null", b'{"id":', b",", b"\t", b"PAR1", b"\x1f\x8b", b"\x1a"),
    *(b'"id": "q1",', b"[" * 2_000, b"9" * 5_000, b"=1+1", b"-", b"true", "\u202e".encode()),
)  # fmt: skip


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


def assert_read_or_refused(read: Callable[[Path], object], path: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.thread_time()
    try:
        read(path)
    except RagaugeError as error:
        said = str(error)
        assert len(said) < 100_000
        said.encode("utf-8", "backslashreplace")
        if isinstance(error, DataError):
            assert error.problems
            assert all(problem.source and problem.message for problem in error.problems)
        else:
            assert path.suffix in (".toml", ".md") or path.name == "r.jsonl", said
            assert path.stem in said or isinstance(error, LabelError | FilterError)
    assert time.thread_time() - start < MAX_S
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert (after - before) * 1024 < MAX_MEMORY


@pytest.fixture(scope="module")
def review(tmp_path_factory):
    rows = [{"id": "q1", "answer": "x", "reference": "x"}]
    run = rg.evaluate(rows, "correct", folder=tmp_path_factory.mktemp("stored") / "run", cache=None)
    return Review(review_queue(run))


@pytest.mark.timeout(3_000)
@pytest.mark.parametrize(
    ("read", "name", "good"), FILES, ids=lambda value: value if isinstance(value, str) else ""
)
def test_a_file_of_any_bytes_is_read_or_refused_with_its_place(read, name, good, tmp_path, review):
    (tmp_path / name).write_bytes(good)
    if read is imported_labels:
        read = partial(read, review=review)
    else:
        read(tmp_path / name)

    @fuzzed
    @given(damaged(good))
    def check(content: bytes) -> None:
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("error")
            path = Path(folder) / name
            path.write_bytes(content)
            assert_read_or_refused(read, path)

    check()


@fuzzed
@given(st.text(max_size=300) | st.text(alphabet='[]{}=".,#\n\t a1-', max_size=300))
def test_a_configuration_of_any_text_is_a_table_or_an_error(text):
    try:
        assert isinstance(parse_toml(text, "c.toml"), dict)
    except RagaugeError as error:
        assert str(error).startswith("c.toml:")
