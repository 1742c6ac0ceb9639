"""Reviewing by file: what is exported is blind, and what comes back is checked and never stored twice."""

import json

import pytest

import ragauge as rg
from ragauge.errors import DataError
from ragauge.people.review import Review
from ragauge.people.review_exchange import export_queue, import_labels

ROWS = [
    {"id": f"q{n}", "system": system, "question": f"{n}?", "answer": f"{system} {n}", "reference": "a 1"}
    for n in range(3)
    for system in "ab"
]  # fmt: skip


@pytest.fixture
def review(tmp_path) -> Review:
    run = rg.evaluate(ROWS, ["exact_match"], folder=tmp_path / "run")
    return Review(run.review_queue())


def read(path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def write(path, rows) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_what_is_exported_has_the_texts_and_no_verdict(review, tmp_path):
    path = tmp_path / "queue.jsonl"
    assert export_queue(review, path) == 6
    rows = read(path)
    assert [(row["id"], row["system"]) for row in rows] == [
        (item.id, item.system) for item in review.queue.items
    ]
    assert set(rows[0]) == {
        "id", "system", "asks", "why", "question", "references", "answer", "digest", "rater", "value", "note",
    }  # fmt: skip
    export_queue(review, path, with_verdicts=True)
    assert {row["answer"]: row["scores"] for row in read(path)}["a 1"] == {"exact_match": 1.0}


def test_only_what_still_needs_a_label_is_exported(review, tmp_path):
    path = tmp_path / "queue.jsonl"
    review.save(review.queue.items[0], "ann", 1)
    assert export_queue(review, path) == 5
    two = Review(review.queue, opinions=2)
    assert export_queue(two, path) == 6
    assert export_queue(two, path, rater="ann") == 5
    assert {row["rater"] for row in read(path)} == {"ann"}


def test_a_file_that_people_filled_in_is_imported_once(review, tmp_path):
    path = tmp_path / "queue.jsonl"
    export_queue(review, path)
    rows = read(path)
    given = ["match", "CONTRADICT", "unsure", 1, "no", ""]
    for row, value in zip(rows, given, strict=True):
        row["value"] = value
    rows[0]["note"] = "clear"
    write(path, rows)
    done = import_labels(review, path, rater="ann")
    assert (done.n_labels, done.n_known, done.n_empty, done.n_stale) == (5, 0, 1, 0)
    values = [review.labels().of((item.id, item.system)).value for item in review.queue.items]
    assert values == [1, 0, None, 1, 0, None]
    stored = review.stored.path.read_bytes()
    again = import_labels(review, path, rater="ann")
    assert (again.n_labels, again.n_known) == (0, 5)
    assert review.stored.path.read_bytes() == stored
    first = review.log().labels[0]
    assert (first.note, first.rater, first.is_blind) == ("clear", "ann", True)
    assert first.sample is not None and first.sample.place == review.queue.items[0].place


def test_a_correction_supersedes_and_a_second_rater_makes_a_conflict(review, tmp_path):
    path = tmp_path / "queue.jsonl"
    write(path, [{"id": "q1", "system": "a", "value": 0, "rater": "ann"}])
    import_labels(review, path)
    write(path, [{"id": "q1", "system": "a", "value": 1, "rater": "ann"}])
    assert import_labels(review, path).n_labels == 1
    assert review.labels().of(("q1", "a")).verdict == "match · ann"
    write(path, [{"id": "q1", "system": "a", "value": 0, "rater": "ben"}])
    import_labels(review, path)
    assert review.labels().of(("q1", "a")).state == "conflict"
    assert review.log().labels[-1].round == "second"


def test_every_problem_is_named_with_its_line_and_nothing_is_written(review, tmp_path):
    path = tmp_path / "queue.jsonl"
    good = {"id": "q1", "system": "a", "value": 1, "rater": "ann"}
    lines = [
        json.dumps(good),
        "{broken",
        json.dumps({**good, "id": "q9"}),
        json.dumps({**good, "system": "c"}),
        json.dumps({**good, "value": "maybe"}),
        json.dumps({**good, "value": 2}),
        json.dumps({**good, "rater": ""}),
        json.dumps({**good, "metric": "recall"}),
        json.dumps({**good, "note": 3}),
        json.dumps({**good, "id": None}),
        json.dumps({name: good[name] for name in ("id", "value", "rater")}),
        json.dumps({**good, "value": "", "note": "said something"}),
        json.dumps({**good, "rater": "a\tb"}),
    ]
    path.write_text("\n".join(lines))
    with pytest.raises(DataError) as raised:
        import_labels(review, path)
    assert [problem.line for problem in raised.value.problems] == list(range(2, 14))
    assert not review.stored.path.exists()


def test_labels_of_a_copy_of_the_run_are_merged_with_what_was_taken_back(review, tmp_path):
    other = Review(rg.evaluate(ROWS, ["exact_match"], folder=tmp_path / "copy").review_queue())
    one = other.save(other.queue.items[0], "ben", 1)
    other.save(other.queue.items[1], "ben", 0)
    review.save(review.queue.items[0], "ann", 1)
    done = import_labels(review, other.stored.path)
    assert (done.n_labels, done.n_known) == (2, 0)
    assert len(review.labels()) == 2
    other.undo(one.label.label, "ben")
    done = import_labels(review, other.stored.path)
    assert (done.n_labels, done.n_retracted, done.n_known) == (0, 1, 2)
    item = review.queue.items[0]
    assert review.labels().of((item.id, item.system)).raters == ("ann",)
    done = import_labels(review, other.stored.path)
    assert (done.n_labels, done.n_retracted, done.n_known) == (0, 0, 3)


def test_labels_of_texts_that_have_changed_are_stored_but_not_applied(review, tmp_path):
    path = tmp_path / "queue.jsonl"
    export_queue(review, path)
    rows = [{**row, "value": 1, "rater": "ann"} for row in read(path)]
    write(path, rows)
    changed = [{**row, "answer": "new"} if row["id"] == "q0" else row for row in ROWS]
    other = rg.evaluate(changed, ["exact_match"], folder=tmp_path / "changed")
    done = import_labels(Review(other.review_queue()), path)
    assert (done.n_labels, done.n_stale) == (6, 2)
    assert (len(other.labels()), other.labels().n_stale) == (4, 2)


def test_a_file_with_scores_is_not_blind(review, tmp_path):
    path = tmp_path / "queue.jsonl"
    export_queue(review, path, with_verdicts=True)
    write(path, [{**row, "value": 1, "rater": "ann"} for row in read(path)])
    import_labels(review, path)
    assert not any(label.is_blind for label in review.log().labels)


def test_a_file_that_is_not_there_is_an_error(review, tmp_path):
    with pytest.raises(DataError, match="cannot be read"):
        import_labels(review, tmp_path / "nothing.jsonl")
