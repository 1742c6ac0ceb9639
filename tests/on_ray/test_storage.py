"""Rows and scores of a cluster without a shared folder go through an object store."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import ragauge as rg
from ragauge.cli import main
from ragauge.errors import MissingExtraError, PlanError, StoreError
from ragauge.on_ray.storage import Storage

ROWS = pl.DataFrame({"id": [f"q{at}" for at in range(30)], "answer": ["a", "b", "c"] * 10})


@pytest.fixture
def storage(tmp_path: Path) -> Storage:
    pytest.importorskip("fsspec", reason="pip install 'ragauge[ray]'")
    return Storage.checked(f"file://{tmp_path}/there/")


@pytest.mark.parametrize("url", ["s3://", "ftp://host/place", "a folder", "s3:/bucket", ""])
def test_other_places_are_refused(url: str):
    with pytest.raises(PlanError, match=r"as storage; give s3://BUCKET/PREFIX or gs://"):
        rg.Ray(storage=url)


def test_rows_are_read_by_their_place(storage: Storage, tmp_path: Path):
    ROWS.write_parquet(tmp_path / "samples.parquet")
    storage.put_samples(tmp_path / "samples.parquet")
    assert storage.samples(10, 20, ["answer"]).equals(ROWS[10:20].select("answer"))
    assert storage.samples(25, 35, ["id"]).height == 5


def test_parts_are_taken_once_and_nothing_is_left(storage: Storage, tmp_path: Path):
    assert storage.parts() == set()
    storage.put_part(3, ROWS)
    storage.put_part(12, ROWS[:4])
    assert storage.parts() == {3, 12}
    taken = storage.take_part(12)
    assert taken is not None
    assert taken.equals(ROWS[:4])
    storage.remove_part(12)
    assert storage.parts() == {3}
    storage.remove()
    storage.remove()
    assert not (tmp_path / "there").exists()


def test_a_damaged_part_is_none_and_an_absent_one_an_error(storage: Storage, tmp_path: Path):
    storage.put_part(3, ROWS)
    part = tmp_path / "there" / "000003.parquet"
    part.write_bytes(part.read_bytes()[:50])
    assert storage.take_part(3) is None
    with pytest.raises(StoreError, match="cannot be read"):
        storage.take_part(4)
    with pytest.raises(StoreError, match="the samples cannot be read"):
        storage.samples(0, 10, ["id"])


def test_a_missing_package_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'ragauge\[s3\]'"):
        Storage.checked("s3://bucket/runs").parts()


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    """A bucket of a real S3 server on the loopback interface."""
    pytest.importorskip("moto.server", reason="pip install 'moto[server]'")
    s3fs = pytest.importorskip("s3fs", reason="pip install 'ragauge[s3]'")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    given = {
        "AWS_ENDPOINT_URL": url,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ALLOW_HTTP": "true",
    }
    before = {name: os.environ.get(name) for name in given}
    os.environ.update(given)
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        s3fs.S3FileSystem().mkdir("runs")
        yield "s3://runs/here"
    finally:
        server.terminate()
        server.wait()
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@pytest.mark.slow
def test_answers_in_a_bucket_are_read_as_files(bucket: str, tmp_path: Path):
    import s3fs

    here = tmp_path / "answers.jsonl"
    here.write_text('{"id": "q1", "answer": "5", "reference": "5"}\n')
    files = s3fs.S3FileSystem()
    files.put_file(str(here), "runs/answers/1.jsonl")
    expected = rg.load(here).frame
    for url in ("s3://runs/answers/1.jsonl", "s3://runs/answers", "s3://runs/*/*.jsonl"):
        assert rg.load(url).frame.equals(expected), url
        assert rg.load(url, in_pieces=True).frame.equals(expected), url


def samples() -> rg.Samples:
    return rg.load(
        [
            {"id": f"q{at}", "answer": f"It is ${at}.", "reference": f"${at % 50}"}
            for at in range(200)
        ]
    )


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_a_run_through_a_bucket_is_that_of_one_process(bucket: str, cluster: Any, tmp_path: Path):
    metrics = ["exact_match", "token_f1", "number_match"]
    here = rg.evaluate(samples(), metrics, folder=tmp_path / "here", batch_size=20)
    executor = rg.Ray(cluster.address, storage=bucket)
    told: list[int] = []

    def interrupt(done: int, _: int) -> None:
        told.append(done)
        if len(told) == 3:
            raise KeyboardInterrupt

    given: dict[str, Any] = {"folder": tmp_path / "there", "batch_size": 20, "executor": executor}
    with pytest.raises(KeyboardInterrupt):
        rg.evaluate(samples(), metrics, **given, progress=interrupt)
    # As if the driver had been killed after a worker put its part there.
    of_run = Storage(bucket).under(f"ragauge-{here.manifest.key[:16]}", "parts")
    from ragauge.runs.store import RunFolder

    of_run.put_part(9, RunFolder(tmp_path / "here").part(9))
    there = rg.evaluate(samples(), metrics, **given, progress=lambda done, _: told.append(done))
    assert told == [*range(20, 201, 20)]
    for path in sorted((tmp_path / "here").rglob("*.parquet")):
        other = tmp_path / "there" / path.relative_to(tmp_path / "here")
        assert pl.read_parquet(path).equals(pl.read_parquet(other)), path.name
    assert there.summary().equals(here.summary())
    assert of_run.parts() == set()


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_judges_are_asked_from_here_for_rows_in_a_bucket(bucket: str, cluster: Any, tmp_path: Path):
    def judge() -> rg.ScriptedJudge:
        return rg.ScriptedJudge({"verdict": {"reason": "r", "verdict": "CORRECT"}})

    metrics = ["exact_match", "answer_class"]
    rows = samples()
    here = rg.evaluate(rows, metrics, judge=judge(), folder=tmp_path / "here", batch_size=50)
    there = rg.evaluate(
        rows,
        metrics,
        judge=judge(),
        folder=tmp_path / "there",
        batch_size=50,
        executor=rg.Ray(cluster.address, storage=bucket),
    )
    assert there.scores.equals(here.scores)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--storage", "s3://bucket/runs"], "--storage is for a cluster; add --on"),
        (["--on", "ray", "--storage", "runs"], "cannot use 'runs' as storage; give s3://"),
        (["--folder", "s3://bucket/run"], "must be on this machine, got 's3://bucket/run'"),
    ],
)
def test_the_command_refuses_what_it_cannot_use(
    options: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"id": "q1", "answer": "x"}) + "\n")
    with pytest.raises(SystemExit) as ended:
        main(["run", str(path), "-m", "dont_know", *options])
    assert ended.value.code == 2
    assert says in capsys.readouterr().err


def test_answers_at_a_url_of_the_web_are_refused(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit):
        main(["run", "https://example.org/a.jsonl", "-m", "dont_know"])
    assert (
        "https://example.org/a.jsonl: is a URL of a kind that is not read"
        in capsys.readouterr().err
    )
