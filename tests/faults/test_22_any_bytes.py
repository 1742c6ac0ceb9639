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
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ragauge as rg
from ragauge.errors import DataError, FilterError, LabelError, RagaugeError
from ragauge.evaluation.config import Config
from ragauge.judges.prompts import Prompts, file_of
from ragauge.judges.providers.scripted import RecordedJudge
from ragauge.loaders import load
from ragauge.loaders.verdicts import load_verdicts
from ragauge.people.review import Review
from ragauge.people.review_exchange import import_labels
from ragauge.people.review_queue import review_queue
from ragauge.samples.samples import Samples
from ragauge.storage.tomlfile import parse_toml
from ragauge.suite import Suite

# Of each of two dozen kinds of files: over twenty thousand cases in the long run.
IS_THOROUGH = os.environ.get("RAGAUGE_HYPOTHESIS") == "thorough"
pytestmark = pytest.mark.hypothesis  # `make test-slow` runs them with many more examples
fuzzed = settings(
    max_examples=1_000 if IS_THOROUGH else 50,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
fuzzed_too = settings(fuzzed, max_examples=1_000 if IS_THOROUGH else 20)
"""For more kinds of the same."""
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


def parquet(columns: dict[str, list[object]]) -> bytes:
    content = io.BytesIO()
    pl.DataFrame(columns).write_parquet(content)
    return content.getvalue()


GOOD = {
    "a.jsonl": LINES.encode(),
    "b.jsonl": LINES.encode("utf-16"),
    "a.json": json.dumps({"version": 1, "samples": ROWS}, indent=1).encode(),
    "a.csv": CSV.encode("utf-8-sig"),
    "a.tsv": 'id\tanswer\nq1\t"a ""b""\nc"\nq2\t\n'.encode("utf-16"),
    "a.jsonl.gz": gzip.compress(LINES.encode()),
    "a.parquet": parquet({"id": ["q1", "q2"], "answer": ["x", None]}),
    "a.jsonl.zst": zstandard.compress(LINES.encode()),
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
RANKINGS = {
    **TREC,
    "q.json": b'{"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 2}}',
    "a.json": b'{"q1": {"d1": 0.5}, "q2": ["d1", "d2"]}',
    "q.tsv": b"query-id\tcorpus-id\tscore\nq1\td1\t1\n",
    "a.csv": b"query,document,score\nq1,d1,0.5\nq2,d1,-1e3\n",
    "a.parquet": parquet({"query": ["q1", "q2"], "document": ["d1", "d2"], "score": [0.5, 1.0]}),
    "a.run.gz": gzip.compress(TREC["a.run"]),
}


@pytest.mark.timeout(3_000)
@pytest.mark.parametrize("name", RANKINGS)
def test_rankings_of_any_bytes_are_scored_or_an_error_with_its_place(name, tmp_path):
    for file, content in TREC.items():
        (tmp_path / file).write_bytes(content)
    others = {file: tmp_path / file for file in TREC}

    @(fuzzed if name in TREC else fuzzed_too)
    @given(damaged(RANKINGS[name]))
    def check(content: bytes) -> None:
        def read(path: Path) -> None:
            qrels, run = others["q.qrels"], others["a.run"]
            rg.rank(*((path, run) if name.startswith("q") else (qrels, path)), ["ndcg@10"])

        assert_read_or_refused(name, content, read)

    check()


LABELS = {
    "a.csv": b"id,label\nq1,yes\nq2,0\n",
    "a.jsonl": b'{"id": "q1", "label": 1}\n',
    "a.json": b'[{"id": "q1", "rater": "r", "label": "no"}]',
    "a.parquet": parquet({"id": ["q1", "q2"], "label": ["yes", "no"]}),
}


@pytest.mark.timeout(3_000)
@pytest.mark.parametrize("name", LABELS)
def test_labels_of_any_bytes_are_read_or_an_error_with_its_place(name):
    @fuzzed_too
    @given(damaged(LABELS[name]))
    def check(content: bytes) -> None:
        assert_read_or_refused(name, content, load_verdicts)

    check()


GOLD = {
    "g.jsonl": b'{"id": "q1", "references": ["x"]}\n{"id": "q2", "references": ["y"]}\n',
    "g.csv": b"id,reference\nq1,x\nq2,y\n",
    "g.json": b'{"q1": {"reference": "x"}, "q2": {"reference": "y"}}',
}


@pytest.mark.timeout(3_000)
@pytest.mark.parametrize("name", GOLD)
def test_gold_of_any_bytes_is_joined_or_an_error_with_its_place(name):
    answers = [{"id": "q1", "answer": "x"}, {"id": "q2", "answer": "y"}]

    @fuzzed_too
    @given(damaged(GOLD[name]))
    def check(content: bytes) -> None:
        assert_read_or_refused(name, content, lambda path: load(answers, gold=path))

    check()


@pytest.fixture(scope="module")
def review(tmp_path_factory) -> Review:
    rows = [{"id": "q1", "answer": "x", "reference": "x"}]
    run = rg.evaluate(rows, "correct", folder=tmp_path_factory.mktemp("stored") / "run", cache=None)
    return Review(review_queue(run))


@pytest.mark.timeout(3_000)
def test_imported_labels_of_any_bytes_are_stored_or_an_error_with_its_place(review):
    @fuzzed_too
    @given(
        damaged(b'{"id": "q1", "value": "match", "rater": "r", "note": "n"}\n{"retracts": "x"}\n')
    )
    def check(content: bytes) -> None:
        assert_read_or_refused("l.jsonl", content, lambda path: import_labels(review, path))
        review.log()  # what is stored can be read again

    check()


SETTINGS: dict[str, tuple[bytes, Callable[[Path], object]]] = {
    "c.toml": (b'data = "a.jsonl"\nmetrics = ["ndcg@10"]\n[judge]\nmodel = "m"\n[gate]\nrules = ["f1 > 0"]\n', Config.load),
    "s.toml": (b'name = "s"\nmetrics = ["token_f1"]\n[[check]]\nname = "c"\nwhere = "a = 1"\nregex = "x"\n', Suite.load),
    "verdict.md": (file_of(Prompts().by_name["verdict"]).encode(), lambda path: Prompts(path.parent)),
    "r.jsonl": (b'{"format": "ragauge recording 1", "judge": "m", "identity": {}}\n{"key": "00", "prompt": "p", "reply": {"text": "x"}}\n', RecordedJudge),
}  # fmt: skip


@pytest.mark.timeout(3_000)
@pytest.mark.parametrize("name", SETTINGS)
def test_settings_of_any_bytes_are_read_or_an_error_that_names_the_file(name):
    good, read = SETTINGS[name]

    @fuzzed_too
    @given(damaged(good))
    def check(content: bytes) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.write_bytes(content)
            start = time.thread_time()
            try:
                read(path)
            except RagaugeError as error:
                assert len(str(error)) < 100_000
                str(error).encode("utf-8", "backslashreplace")
                said = str(error)
                assert path.stem in said or isinstance(error, LabelError | FilterError)
            assert time.thread_time() - start < MAX_S

    check()


@fuzzed
@given(st.text(max_size=300) | st.text(alphabet='[]{}=".,#\n\t a1-', max_size=300))
def test_a_configuration_of_any_text_is_a_table_or_an_error(text):
    try:
        assert isinstance(parse_toml(text, "c.toml"), dict)
    except RagaugeError as error:
        assert str(error).startswith("c.toml:")
