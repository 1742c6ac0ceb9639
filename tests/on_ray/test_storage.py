"""Rows and scores of a cluster without a shared folder go through an object store."""

import json
import sys
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
        (["--folder", "ftp://bucket/run"], "a run cannot be at 'ftp://bucket/run'; give a folder"),
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


def same_files(here: Path, there: Path) -> None:
    for path in sorted(here.rglob("*.parquet")):
        other = there / path.relative_to(here)
        assert pl.read_parquet(path).equals(pl.read_parquet(other)), path.name


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_workers_put_the_parts_of_a_run_at_a_url_where_they_stay(
    bucket: str, cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    import s3fs

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "first"))
    metrics = ["exact_match", "token_f1", "number_match"]
    here = rg.evaluate(samples(), metrics, folder=tmp_path / "here", batch_size=20)
    url = f"{bucket}-at-url"
    told: list[int] = []

    def interrupt(done: int, _: int) -> None:
        told.append(done)
        if len(told) == 3:
            raise KeyboardInterrupt

    given: dict[str, Any] = {"folder": url, "batch_size": 20, "executor": rg.Ray(cluster.address)}
    with pytest.raises(KeyboardInterrupt):
        rg.evaluate(samples(), metrics, **given, progress=interrupt)
    files = s3fs.S3FileSystem()
    files.invalidate_cache()
    stored = {name: files.info(name)["ETag"] for name in files.find(f"{url}/scores")}
    written = {name: files.info(name)["LastModified"] for name in stored}
    assert len(stored) >= 3
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "second"))
    there = rg.evaluate(samples(), metrics, **given, progress=lambda done, _: told.append(done))
    assert told[3] > 60 or len(stored) == 3
    files.invalidate_cache()
    assert written == {name: files.info(name)["LastModified"] for name in stored}
    assert len(files.find(f"{url}/scores")) == 10
    assert there.folder is not None
    same_files(tmp_path / "here", there.folder)
    assert there.summary().equals(here.summary())
    assert not files.exists(f"{url}/.on-ray")


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_judges_join_what_workers_have_put_at_a_url(
    bucket: str, cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    import s3fs

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "first"))
    judge = {"verdict": {"reason": "r", "verdict": "CORRECT"}}
    metrics = ["exact_match", "answer_class"]
    rows = samples()
    here = rg.evaluate(
        rows, metrics, judge=rg.ScriptedJudge(judge), folder=tmp_path / "here", batch_size=50
    )
    url = f"{bucket}-judged"
    there = rg.evaluate(
        rows,
        metrics,
        judge=rg.ScriptedJudge(judge),
        folder=url,
        batch_size=50,
        executor=rg.Ray(cluster.address),
    )
    assert there.scores.equals(here.scores)
    files = s3fs.S3FileSystem()
    files.invalidate_cache()
    assert not any(".on-ray" in name for name in files.find(url))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "second"))
    assert rg.open_run(url).scores.equals(here.scores)


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_a_run_at_a_url_may_go_through_other_storage(
    bucket: str, cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "first"))
    here = rg.evaluate(samples(), ["exact_match"], folder=tmp_path / "here", batch_size=50)
    executor = rg.Ray(cluster.address, storage=f"{bucket}-other")
    url = f"{bucket}-through"
    rg.evaluate(samples(), ["exact_match"], folder=url, batch_size=50, executor=executor)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "second"))
    assert rg.open_run(url).scores.equals(here.scores)
