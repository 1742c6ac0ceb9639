"""Runs whose folder is at a URL: made and read in a working copy, and put there file by file."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from cases import cases

import ragauge as rg
from ragauge.errors import PlanError, StoreError
from ragauge.people.review import Review
from ragauge.runs.working_copy import url_of_run

URL = "gs://bucket/runs/one"
METRICS = ["exact_match", "number_match"]
ROWS = [
    {"id": f"q{at}", "answer": f"It is ${at}.", "reference": f"${at % 7}", "system": system}
    for at in range(50)
    for system in ("alpha", "beta")
]


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """Go to another machine: one with working copies of its own."""

    def change(name: str) -> None:
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / name))

    change("first")
    return change


@pytest.fixture
def store(gs_in_memory, machine):
    return gs_in_memory


def evaluated(folder: str | Path = URL, stop_after: int | None = None) -> tuple[rg.Run, list[int]]:
    """A run in batches of 10 rows, and the numbers of rows done when each was measured."""
    told: list[int] = []

    def tell(done: int, _: int) -> None:
        told.append(done)
        if stop_after is not None and len(told) > stop_after:
            raise KeyboardInterrupt

    return rg.evaluate(ROWS, METRICS, folder=folder, batch_size=10, progress=tell), told


def files_of(store: Any) -> dict[str, bytes]:
    start = len(URL.partition("://")[2]) + 2
    return {str(name)[start:]: store.cat_file(name) for name in store.find(URL)}


def interrupted(n_parts: int) -> None:
    with pytest.raises(KeyboardInterrupt):
        evaluated(stop_after=n_parts)


def test_the_folder_is_that_of_a_run_on_this_machine(store, tmp_path):
    here, _ = evaluated(tmp_path / "here")
    there, _ = evaluated()
    assert there.scores.equals(here.scores)
    assert there.place == URL
    local = {
        path.relative_to(tmp_path / "here").as_posix(): path.read_bytes()
        for path in (tmp_path / "here").rglob("*")
        if path.is_file()
    }
    stored = files_of(store)
    manifests = [json.loads(files.pop("manifest.json")) for files in (local, stored)]
    for manifest in manifests:
        manifest |= {"started": "", "finished": "", "digest": ""}
    assert manifests[0] == manifests[1]
    assert stored == local


def test_a_finished_run_is_copied_with_its_manifest_last(store):
    interrupted(3)
    assert store.writes == []
    _, told = evaluated()
    assert told == [40, 50, 60, 70, 80, 90, 100]
    assert store.writes[-1].endswith("/manifest.json")
    assert len(store.writes) == 1 + 20 + 2 + 1


def test_a_copy_that_failed_is_no_run_and_is_resumed(store, machine, tmp_path):
    type(store).broken = "summary.md"
    with pytest.raises(StoreError, match=r"summary.md: cannot be written: the store is full"):
        evaluated()
    assert len(files_of(store)) > 15 and "manifest.json" not in files_of(store)
    with pytest.raises(StoreError, match=r"is not a run folder: it has no manifest.json"):
        rg.open_run(URL)
    type(store).broken = ""
    store.writes.clear()
    run, told = evaluated()
    assert told == []
    assert {name.rpartition("/")[2] for name in store.writes[-2:]} == {
        "summary.md",
        "manifest.json",
    }
    assert len(store.writes) < 5
    expected, _ = evaluated(tmp_path / "here")
    machine("second")
    for each in (run, rg.open_run(URL), evaluated()[0]):
        assert each.scores.equals(expected.scores)
        assert each.summary().equals(expected.summary())


def test_what_a_half_copied_run_left_is_replaced_by_another_machine(store, machine, tmp_path):
    type(store).broken = "summary.md"
    with pytest.raises(StoreError):
        evaluated()
    store.pipe_file(f"{URL}/scores/000099.parquet", b"of a longer run")
    machine("second")
    type(store).broken = ""
    _, told = evaluated()
    assert told[-1] == 100 and len(told) == 10
    assert "scores/000099.parquet" not in files_of(store)
    machine("third")
    assert rg.open_run(URL).scores.equals(evaluated(tmp_path / "here")[0].scores)


def test_only_what_is_new_is_fetched(store, machine):
    evaluated()
    rg.open_run(URL)
    assert store.reads == []
    machine("second")
    rg.open_run(f"{URL}/")
    assert len(store.reads) == 2 + 20 + 2
    rg.open_run(Path(URL))
    assert len(store.reads) == 2 + 20 + 2
    store.reads.clear()
    damaged = rg.open_run(URL).folder / "scores" / "000003.parquet"
    damaged.write_bytes(damaged.read_bytes()[:-1])
    rg.open_run(URL)
    assert [name.rpartition("/")[2] for name in store.reads] == ["000003.parquet"]


def test_another_run_at_the_url_is_seen(store, machine):
    evaluated()
    machine("second")
    store.rm(URL, recursive=True)
    rg.evaluate(ROWS[:4], "token_f1", folder=URL)
    machine("first")
    assert rg.open_run(URL).scores.height == 4


def test_a_damaged_part_there_is_named_by_its_url(store, machine):
    evaluated()
    machine("second")
    part = f"{URL}/scores/000001.parquet"
    store.pipe_file(part, store.cat_file(part)[:-9] + b"x" * 9)
    with pytest.raises(StoreError, match=rf"^{part}: is damaged.* or remove {URL} and run it"):
        rg.open_run(URL)


def test_what_is_not_a_file_of_a_run_is_not_fetched(store, machine):
    evaluated()
    machine("second")
    for name in ("notes.txt", "scores/../../x.parquet", "scores/1.parquet"):
        store.store[f"/bucket/runs/one/{name}"] = store.store["/bucket/runs/one/summary.md"]
    names = {path.name for path in rg.open_run(URL).folder.parent.rglob("*")}
    assert names.isdisjoint({"notes.txt", "x.parquet", "1.parquet"})


def test_other_runs_and_other_files_are_refused(store):
    evaluated()
    before = files_of(store)
    with pytest.raises(StoreError, match=rf"^{URL}: holds another run \(custom, "):
        rg.evaluate(ROWS, "token_f1", folder=URL)
    assert files_of(store) == before
    store.pipe_file("gs://bucket/other/notes.txt", b"mine")
    with pytest.raises(StoreError, match=r"^gs://bucket/other: is not .* contains 'notes.txt'"):
        evaluated("gs://bucket/other")
    assert [str(name) for name in store.find("gs://bucket/other")] == ["/bucket/other/notes.txt"]


def test_labels_outlive_their_run_and_are_read(store, tmp_path, ragauge):
    local, _ = evaluated(tmp_path / "here")
    review = Review(local.review_queue())
    review.save(next(iter(review.queue.items)), "ann", 1)
    store.pipe_file(f"{URL}/labels.jsonl", (tmp_path / "here" / "labels.jsonl").read_bytes())
    name = f"labels/{1:019}-{'0' * 16}.jsonl"
    store.pipe_file(f"{URL}/{name}", b"")
    run, _ = evaluated()
    assert len(run.labels().answers) == 1
    assert f"ragauge review next {URL}" in ragauge("review", "stats", URL, code=0).out
    assert {"labels.jsonl", name} <= files_of(store).keys()


def test_labels_that_are_given_while_a_run_is_made_again_stay(store):
    evaluated()
    name = f"labels/{1:019}-{'0' * 16}.jsonl"
    store.pipe_file(f"{URL}/{name}", b"")
    store.pipe_file(f"{URL}/labels.jsonl", b"")
    store.rm(f"{URL}/scores/000003.parquet")  # so that a batch is measured again

    def tell(_: int, __: int) -> None:
        for place in (name, "labels.jsonl"):
            store.pipe_file(f"{URL}/{place}", b"\n")

    store.rm(f"{URL}/manifest.json")
    rg.evaluate(ROWS, METRICS, folder=URL, batch_size=10, progress=tell)
    assert [files_of(store)[place] for place in (name, "labels.jsonl")] == [b"\n"] * 2


def test_people_on_two_machines_label_a_run_at_a_url(store, machine, tmp_path, monkeypatch):
    # Labels of others are fetched whenever they are asked for.
    monkeypatch.setattr("ragauge.people.review_labels.REFRESHED_EVERY_S", 0.0)
    evaluated()
    ann = Review(rg.open_run(URL).review_queue(), opinions=2)
    first, second, *_ = ann.queue.items
    machine("second")
    ben = Review(rg.open_run(URL).review_queue(), opinions=2)
    assert ann.stored.folder != ben.stored.folder
    machine("first")
    kept = ann.save(first, "ann", 1)
    machine("second")
    ben.save(second, "ben", 1)
    said = ben.save(first, "ben", 0)
    assert (said.label.round, said.answer.state) == ("second", "conflict")
    machine("first")
    assert ann.labels().of((first.id, first.system)).verdict == (
        "conflict · ann match, ben contradict"
    )
    ann.undo(kept.label.label, "ann")
    assert ann.labels().of((first.id, first.system)).verdict == "contradict · ben"
    ann.save(second, "ann", 0)
    machine("third")
    there = rg.open_run(URL).labels()
    assert {answer: each.verdict for answer, each in there.answers.items()} == {
        (first.id, first.system): "contradict · ben",
        (second.id, second.system): "conflict · ben match, ann contradict",
    }
    # A file for each of the two; together they hold every line.
    files = {name: text for name, text in files_of(store).items() if name.startswith("labels")}
    assert sorted(text.count(b"\n") for text in files.values()) == [2, 3]
    # A copy of the run's folder has the labels too.
    store.get(URL, str(tmp_path / "copy"), recursive=True)
    assert rg.open_run(tmp_path / "copy").labels().frame.equals(there.frame)


def test_a_label_that_cannot_be_put_is_not_saved(store):
    run, _ = evaluated()
    review = Review(run.review_queue())
    first, second, *_ = review.queue.items
    store.broken = ".jsonl"
    for _ in range(2):
        with pytest.raises(StoreError, match=rf"^{URL}/labels/.*: the store is full"):
            review.save(first, "ann", 1)
        assert not review.labels().answers
    store.broken = ""
    review.save(first, "ann", 1)
    store.broken = ".jsonl"
    with pytest.raises(StoreError):
        review.save(second, "ann", 1)
    assert list(review.labels().answers) == [(first.id, first.system)]
    store.broken = ""
    review.save(second, "ann", 0)
    assert len(rg.open_run(URL).labels().answers) == 2
    (name,) = (name for name in files_of(store) if name.startswith("labels"))
    assert files_of(store)[name].count(b"\n") == 2


def test_many_labels_go_to_several_files(store, monkeypatch):
    monkeypatch.setattr("ragauge.people.review_labels.MAX_BYTES_TO_PUT", 500)
    run, _ = evaluated()
    review = Review(run.review_queue())
    for item in review.queue.items[:8]:
        review.save(item, "ann", 1, "n" * 100)
    files = [text for name, text in files_of(store).items() if name.startswith("labels")]
    assert [text.count(b"\n") for text in files] == [2, 2, 2, 2]
    assert len(rg.open_run(URL).labels().answers) == 8


def test_every_review_command_takes_the_url(store, machine, tmp_path, monkeypatch, ragauge):
    evaluated()
    monkeypatch.setattr("sys.stdin", io.StringIO("1\n\n0\nq\n"))
    assert "2 labels saved" in ragauge("review", "next", URL, "--rater", "ann", code=0).out
    machine("second")
    ragauge("review", "export", URL, "-o", "queue.jsonl", code=0)
    rows = [json.loads(line) for line in (tmp_path / "queue.jsonl").read_text().splitlines()[:3]]
    filled = "".join(json.dumps(row | {"value": "match", "rater": "ben"}) + "\n" for row in rows)
    (tmp_path / "filled.jsonl").write_text(filled)
    for said in ("3 labels stored", "0 labels stored, 3 known already"):
        assert said in ragauge("review", "import", URL, "filled.jsonl", code=0).err
    machine("third")
    ragauge("review", "stats", URL, "-f", "json", code=0)
    ragauge("calibrate", URL, code=0)
    assert "labels: 5 of 100 answers by ann, ben" in ragauge("show", URL, code=0).out


def test_every_command_that_reads_runs_takes_the_url(store, machine, tmp_path, ragauge):
    evaluated()
    evaluated(tmp_path / "here")
    machine("second")
    (tmp_path / "labels.csv").write_text("id,system,rater,label\nq1,alpha,ann,yes\n")
    for command in (
        ["show", "RUN"],
        ["show", "RUN", "q3"],
        ["compare", "RUN"],
        ["compare", "alpha@RUN", "beta@RUN"],
        ["gate", "RUN", "--rule", "number_match >= 0.1", "--baseline", "RUN"],
        ["report", "RUN", "-o", "page.html"],
        ["review", "export", "RUN", "-o", "queue.jsonl"],
        ["calibrate", "labels.csv", "RUN"],
        ["doctor", "--check", "RUN"],
    ):
        shown: list[str] = []
        for place in (str(tmp_path / "here"), URL):
            done = ragauge(*(part.replace("RUN", place) for part in command), code=0)
            shown.append((done.out + done.err).replace(place, "RUN"))
        assert shown[0] == shown[1], command
    ragauge("report", URL, code=0)
    assert "report.html" in files_of(store)


def test_a_configuration_and_its_gate_name_urls(store, tmp_path, ragauge):
    answers = "".join(json.dumps(row) + "\n" for row in ROWS)
    store.pipe_file("gs://bucket/answers.jsonl", answers.encode())
    config = tmp_path / "run.toml"
    config.write_text(
        f'data = "gs://bucket/answers.jsonl"\nmetrics = ["number_match"]\nfolder = "{URL}"\n'
        f'[gate]\nrules = ["number_match >= 0"]\nbaseline = "{URL}"\n'
    )
    assert f"would be stored in {URL}" in ragauge("run", config, "--dry-run", code=0).err
    assert f"stored in {URL}" in ragauge("run", config, "--by", "system", "-j", 1, code=0).err
    assert "by" in json.loads(files_of(store)["summary.json"])
    assert b"system" in files_of(store)["summary.md"]
    assert {"report.html", "summary.json"} <= files_of(store).keys()
    ragauge("gate", "--config", config, code=0)


def test_the_unfinished_run_of_an_earlier_version_says_so_and_only_its_manifest_is_fetched(
    store, machine
):
    evaluated()
    manifest = json.loads(files_of(store)["manifest.json"])
    del manifest["digest"]
    text = json.dumps(manifest | {"finished": None, "key": "0" * 64})
    store.pipe_file(f"{URL}/manifest.json", text.encode())
    machine("second")
    with pytest.raises(StoreError, match=rf"^{URL}: is not finished; run the same command again"):
        rg.open_run(URL)
    assert [name.rpartition("/")[2] for name in store.reads] == ["manifest.json"]
    with pytest.raises(StoreError, match=rf"^{URL}: holds another run"):
        evaluated()


@cases(
    ("https://host/run", "a run cannot be at 'https://host/run'; give a folder, or s3://"),
    ("s3://", "a run cannot be at 's3://'"),
)
def test_other_urls_are_refused(place, says):
    for use in (rg.open_run, evaluated):
        with pytest.raises(PlanError, match=says):
            use(place)


def test_urls_are_told_from_folders(tmp_path, monkeypatch):
    assert url_of_run("S3://bucket/a/run/") == url_of_run(Path("s3://bucket/a/run"))
    assert url_of_run("runs/s3") is None
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gs:" / "bucket").mkdir(parents=True)
    assert url_of_run("gs://bucket") is None
    assert url_of_run("gs://other") == "gs://other"


def test_labels_that_are_missing_are_given_at_the_url(store, ragauge):
    evaluated()
    said = f"no labels yet; label answers with: ragauge review next {URL}"
    assert f"{URL}/labels.jsonl: {said}" in ragauge("calibrate", URL, code=3).err


def test_while_a_process_makes_a_run_no_other_one_here_does(store):
    said: list[str] = []

    def tell(done: int, _: int) -> None:
        if done == 50:
            for use in (rg.open_run, evaluated):
                with pytest.raises(StoreError) as raised:
                    use(URL)
                said.append(str(raised.value))

    rg.evaluate(ROWS, METRICS, folder=URL, batch_size=10, progress=tell)
    assert said[0].startswith(f"{URL}: is not a run folder")
    assert said[1] == (
        f"{URL}: another process on this machine writes this run; wait until it has ended"
    )
    assert rg.open_run(URL).scores.height == 200


def test_a_place_for_the_copy_that_cannot_be_written_says_so(store, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("mine")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(StoreError, match=r"working copy of .*one cannot be .*set XDG_CACHE_HOME"):
        evaluated()
    # A user without a home, as in some containers.
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    run, _ = evaluated()
    assert run.folder.is_relative_to(tmp_path / "temporary")


def no_home() -> Path:
    raise RuntimeError("Could not determine home directory.")
