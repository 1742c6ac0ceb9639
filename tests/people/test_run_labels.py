"""All labels of a run, from the file in its folder and from those of sessions at its URL."""

from dataclasses import replace
from pathlib import Path

import pytest

from ragauge.errors import StoreError
from ragauge.people.review_labels import Retraction, ReviewLabel, RunLabels, lines_of


def label(id: str, minute: int, rater: str = "ann") -> ReviewLabel:
    return ReviewLabel(id, "a", rater, 1, "d", time=f"2026-01-01T10:{minute:02}:00+00:00", label=id)


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
    session(labels, 2, label("c", 3), label("e", 5))
    session(labels, 1, label("b", 2), label("d", 4))
    labels.append(label("a", 1), label("f", 6))
    assert labels.exist()
    assert names(labels) == list("abcdef")


def test_those_of_one_file_stay_in_its_order_if_the_clock_was_set_back(labels: RunLabels):
    session(labels, 1, label("a", 30), label("b", 1), replace(label("c", 0), time="?"))
    session(labels, 2, label("d", 29), label("e", 31), replace(label("f", 0), time="0001-01-01"))
    assert names(labels) == ["d", "a", "b", "c", "e", "f"]


def test_times_of_other_zones_are_compared(labels: RunLabels):
    early = replace(label("a", 0), time="0001-01-01T00:00:00+14:00")
    session(labels, 1, early, replace(label("b", 0), time="2026-01-01T12:03:00+02:00"))
    session(labels, 2, label("c", 2), label("d", 4))
    assert names(labels) == ["a", "c", "b", "d"]


def test_a_label_of_one_session_is_taken_back_in_another(labels: RunLabels):
    session(labels, 1, label("a", 1), label("b", 2))
    session(labels, 2, Retraction("a", "ann"))
    assert [each.id for each in labels.read().valid] == ["b"]


def test_a_damaged_line_is_named_with_its_file_and_what_is_unfinished_is_noted(labels: RunLabels):
    path = session(labels, 1, label("a", 1))
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:20])
    assert labels.read().notes == (
        f"{path.name}: the last line (2) was not finished and is not read",
    )
    path.write_bytes(whole[:20] + b"\n" + whole)
    with pytest.raises(StoreError, match=rf"{path.name}:1: "):
        labels.read()


def test_other_files_beside_the_sessions_are_not_read(labels: RunLabels):
    path = session(labels, 1, label("a", 1))
    (path.parent / "notes.jsonl").write_text("?")
    assert names(labels) == ["a"]


def test_a_folder_of_sessions_elsewhere_is_refused(labels: RunLabels, tmp_path: Path):
    (tmp_path / "other").mkdir()
    (labels.folder / "labels").symlink_to(tmp_path / "other")
    with pytest.raises(StoreError, match=r"labels: is a link"):
        labels.read()
