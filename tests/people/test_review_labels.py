"""The files of labels: appended to, never changed, whole after a kill or on a full disk; and all of a run."""

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from cases import cases

from ragauge.errors import StoreError
from ragauge.people.review_labels import (
    LabelFile,
    Retraction,
    ReviewLabel,
    RunLabels,
    SamplePlace,
    lines_of,
)

APPENDING = """
import sys
from pathlib import Path
from ragauge.errors import StoreError
from ragauge.people.review_labels import LabelFile, ReviewLabel
for n in range(int(sys.argv[2])):
    try:
        LabelFile(Path(sys.argv[1])).append(ReviewLabel(f"p{n}", "a", "ann", 1, "d" * 50))
    except StoreError as error:
        assert "existing files are unchanged" in str(error), error
        break
    print(n, flush=True)
"""


def appending(file: LabelFile, n: int, **how) -> subprocess.Popen[str]:
    """A process that appends labels and says of each that it is saved."""
    command = [sys.executable, "-B", "-c", APPENDING, str(file.path), str(n)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **how)


def assert_saved(file: LabelFile, n: int) -> None:
    log = file.read()
    assert [each.id for each in log.labels] == [f"p{at}" for at in range(n)]
    assert log.notes == ()


def label(id: str = "q1", rater: str = "ann", value: int | None = 1, **more) -> ReviewLabel:
    return ReviewLabel(id=id, system="a", rater=rater, value=value, digest="d", **more)  # pyright: ignore[reportArgumentType]


@pytest.fixture
def file(tmp_path) -> LabelFile:
    return LabelFile(tmp_path / "labels.jsonl")


def test_what_was_appended_is_read_back(file):
    assert file.read().labels == ()
    assert not file.path.exists()
    one = label(note="wörter\u2028and a line\nend", sample=SamplePlace(0, 3), metric="correct")
    two = label(value=None, round="second", is_blind=False)
    file.append(one)
    file.append(two)
    assert file.read().labels == (one, two)
    assert file.path.read_bytes().count(b"\n") == 2
    assert json.loads(file.path.read_text().splitlines()[0])["note"].startswith("wörter")


def test_taking_back_is_an_entry_of_its_own(file):
    one, two = label(), label(value=0)
    file.append(one)
    file.append(two)
    before = file.path.read_bytes()
    file.append(Retraction(two.label, "ann"))
    assert file.path.read_bytes().startswith(before)
    assert file.read().labels == (one, two)
    assert file.read().valid == (one,)


def test_a_line_that_a_killed_writer_left_is_ignored_and_the_next_label_is_whole(file):
    one, two, three = label("q1"), label("q2"), label("q3")
    file.append(one)
    whole = file.path.read_bytes()
    for cut in range(1, len(whole) - 1):
        file.path.write_bytes(whole + whole[:cut])
        log = file.read()
        assert log.labels == (one,)
        assert log.notes == ("the last line (2) was not finished and is not read",)
    file.append(two)
    file.append(three)
    log = file.read()
    assert log.labels == (one, two, three)
    assert log.notes == ("line 2 was not finished and is not read",)


def test_a_whole_last_line_without_its_end_counts(file):
    one, two = label("q1"), label("q2")
    file.append(one)
    file.path.write_bytes(file.path.read_bytes().rstrip(b"\n"))
    assert file.read().labels == (one,)
    file.append(two)
    assert file.read().labels == (one, two)
    assert file.read().notes == ()


@cases(
    (b'{"id": "q1", ', "is not JSON"),
    (b"[1]", "is not an object"),
    (b"\xff", "is not UTF-8"),
    (b'{"id": 1, "id": 2}', "twice"),
    (b'{"id": "q1"}', "system must be text"),
    (b'{"ignores_line": [1]}x', "something follows"),
)
def test_a_damaged_line_elsewhere_is_an_error_with_its_number(line, why, file):
    file.append(label("q1"))
    file.path.write_bytes(file.path.read_bytes() + line + b"\n")
    file.append(label("q2"))
    with pytest.raises(StoreError, match=r"labels\.jsonl:2: ") as raised:
        file.read()
    assert why in str(raised.value)


@cases(
    ("value", 2), ("value", True), ("value", "1"), ("rater", ""), ("rater", "a\nb"), ("rater", "x" * 81),
    ("note", 1), ("metric", 3), ("round", "third"), ("is_blind", 1), ("sample", {"seed": 0}), ("time", None),
)  # fmt: skip
def test_a_field_that_no_label_has_is_an_error_that_names_it(field, value, file):
    file.append(label())
    row = {**json.loads(file.path.read_text()), field: value}
    file.path.write_text(json.dumps(row) + "\n")
    with pytest.raises(StoreError, match=rf"labels\.jsonl:1: {field}"):
        file.read()


def test_threads_and_processes_that_write_at_once_lose_nothing(file):
    other = appending(file, 20)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda n: file.append(label(f"t{n}")), range(40)))
    other.communicate(timeout=30)
    assert other.returncode == 0
    ids = [each.id for each in file.read().labels]
    assert sorted(ids) == sorted([*(f"t{n}" for n in range(40)), *(f"p{n}" for n in range(20))])


@pytest.mark.posix
def test_every_label_that_was_reported_saved_is_there_after_a_kill(file):
    process = appending(file, 100_000)
    saved = [next(process.stdout) for _ in range(50)]
    process.send_signal(signal.SIGKILL)
    saved += process.stdout.read().split()  # communicate() would lose what is buffered
    process.wait(timeout=10)
    n = len(file.read().labels)
    assert n in (len(saved), len(saved) + 1)  # one may have been written and not reported
    assert [each.id for each in file.read().labels] == [f"p{at}" for at in range(n)]


@pytest.mark.posix
def test_on_a_full_disk_nothing_is_half_written(file):
    import resource

    process = appending(
        file, 1000, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (5_000, 5_000))
    )
    n = len(process.communicate(timeout=30)[0].split())
    assert process.returncode == 0
    assert n > 5
    assert_saved(file, n)  # not even the beginning of the label that did not fit
    assert file.path.read_bytes().endswith(b"\n")
    file.append(label(f"p{n}"))
    assert_saved(file, n + 1)


@pytest.mark.posix
def test_a_link_pipe_or_folder_in_its_place_is_refused(file, tmp_path):
    target = tmp_path / "elsewhere"
    target.write_text("mine\n")
    file.path.symlink_to(target)
    for act in (file.read, lambda: file.append(label())):
        with pytest.raises(StoreError, match="is a link"):
            act()
    assert target.read_text() == "mine\n"
    file.path.unlink()
    file.path.mkdir()
    with pytest.raises(StoreError, match="a folder"):
        file.read()
    file.path.rmdir()
    os.mkfifo(file.path)
    with pytest.raises(StoreError, match="a named pipe"):
        file.read()


# All labels of a run


def at(id: str, minute: int) -> ReviewLabel:
    return label(id, time=f"2026-01-01T10:{minute:02}:00+00:00", label=id)


@pytest.fixture
def labels(tmp_path: Path) -> RunLabels:
    return RunLabels(tmp_path)


def session(labels: RunLabels, n: int, *entries: ReviewLabel | Retraction) -> Path:
    path = labels.folder / "labels" / f"{n:019}-{n:016x}.jsonl"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(lines_of(entries))
    return path


def names(labels: RunLabels) -> list[str]:
    return [each.id for each in labels.read().labels]


def test_labels_of_all_files_are_in_the_order_of_their_times(labels: RunLabels):
    assert not labels.exist()
    assert names(labels) == []
    path = session(labels, 2, at("c", 3), at("e", 5))
    (path.parent / "notes.jsonl").write_text("?")  # none of a session
    session(labels, 1, at("b", 2), at("d", 4))
    labels.append(at("a", 1), at("f", 6))
    assert labels.exist()
    assert names(labels) == list("abcdef")


def test_those_of_one_file_stay_in_its_order_if_the_clock_was_set_back(labels: RunLabels):
    session(labels, 1, at("a", 30), at("b", 1), replace(at("c", 0), time="?"))
    session(labels, 2, at("d", 29), at("e", 31), replace(at("f", 0), time="0001-01-01"))
    assert names(labels) == ["d", "a", "b", "c", "e", "f"]


def test_times_of_other_zones_are_compared(labels: RunLabels):
    early = replace(at("a", 0), time="0001-01-01T00:00:00+14:00")
    session(labels, 1, early, replace(at("b", 0), time="2026-01-01T12:03:00+02:00"))
    session(labels, 2, at("c", 2), at("d", 4))
    assert names(labels) == ["a", "c", "b", "d"]


def test_a_label_of_one_session_is_taken_back_in_another(labels: RunLabels):
    session(labels, 1, at("a", 1), at("b", 2))
    session(labels, 2, Retraction("a", "ann"))
    assert [each.id for each in labels.read().valid] == ["b"]


def test_a_damaged_line_is_named_with_its_file_and_what_is_unfinished_is_noted(labels: RunLabels):
    path = session(labels, 1, at("a", 1))
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:20])
    assert labels.read().notes == (
        f"{path.name}: the last line (2) was not finished and is not read",
    )
    path.write_bytes(whole[:20] + b"\n" + whole)
    with pytest.raises(StoreError, match=rf"{path.name}:1: "):
        labels.read()


@pytest.mark.posix
def test_a_folder_of_sessions_elsewhere_is_refused(labels: RunLabels, tmp_path: Path):
    (tmp_path / "other").mkdir()
    (labels.folder / "labels").symlink_to(tmp_path / "other")
    with pytest.raises(StoreError, match=r"labels: is a link"):
        labels.read()
