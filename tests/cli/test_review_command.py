"""`ragauge review`: labels in the terminal and in files, and where they show afterwards."""

import io
import json
import sys

import pytest

import ragauge as rg

ROWS = [
    {"id": f"q{n}", "question": f"{n}?", "answer": "oak" if n % 2 else "elm", "reference": "oak", "contexts": ["tree"]}
    for n in range(4)
]  # fmt: skip


@pytest.fixture
def run(tmp_path) -> rg.Run:
    return rg.evaluate(ROWS, ["exact_match"], folder=tmp_path / "run")


@pytest.fixture
def review(run, ragauge, monkeypatch):  # the run must be there
    """`ragauge review next` with a line of input for each key."""

    def call(
        *keys: str, rater: str = "ann", run: str = "run", options: tuple[str, ...] = ()
    ) -> str:
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{key}\n" for key in keys)))
        done = ragauge("review", "next", run, "--rater", rater, *options, code=0)
        return done.out + done.err

    return call


def values(run) -> list[int | None]:
    """The values that hold, in the order of the queue."""
    labels = run.labels()
    items = run.review_queue().items
    return [labels.of((item.id, item.system)).value for item in items]


def test_a_queue_is_labelled_key_by_key_and_the_verdicts_come_after_the_label(review, run):
    said = review("y", "", "w", "a clear case", "n", "", "", "u", "", "q")
    first, *_ = said.split("saved: ")
    assert "automatic" not in first and "exact_match" not in first
    assert said.count("automatic: exact_match") == 3
    assert "contradict · ann – a clear case" in said
    assert "3 labels saved; 1 left" in said
    assert values(run) == [1, 0, None, None]
    states = [each.state for each in run.labels().answers.values()]
    assert states == ["labelled", "labelled", "unsure"]


def test_undo_takes_the_last_label_back_and_shows_its_answer(review, run):
    said = review("1", "", "z", "0", "", "q")
    assert "taken back" in said
    assert values(run)[:2] == [0, None]
    rows = [json.loads(line) for line in (run.folder / "labels.jsonl").read_text().splitlines()]
    assert [row.get("value", "undo") for row in rows] == [1, "undo", 0]
    assert [row.get("is_blind") for row in rows] == [True, None, False]


def test_a_key_after_the_label_does_not_change_it(review, run):
    said = review("1", "0", "q")
    assert "'0' does nothing here, the label is saved" in said
    assert values(run)[0] == 1


def test_the_end_of_the_input_ends_the_review(review, run):
    assert "1 label saved; 3 left" in review("1")
    assert "3 labels saved; nothing is left" in review("1", "", "1", "", "1", "")
    assert "nothing in the queue for ann" in review()


def test_a_note_may_be_on_the_line_of_its_key_and_contexts_are_shown_on_demand(review):
    said = review("c", "w short note", "1")
    assert "context 1   tree" in said
    assert "match · ann – short note" in said


def test_the_system_is_hidden_until_the_label_is_saved(tmp_path, review):
    rows = [{**row, "system": system} for row in ROWS for system in ("zebra", "yak")]
    rg.evaluate(rows, ["exact_match"], folder=tmp_path / "several")
    before, after = review("1", "q", run="several").split("saved: ")
    assert "zebra" not in before and "yak" not in before
    assert "answer of zebra" in after or "answer of yak" in after


def test_what_was_said_before_a_turn_is_shown(tmp_path, review):
    said = (("user", "Oak?"), ("assistant", "Yes."), ("user", "And elm?"), ("assistant", "No."))
    messages = [{"role": role, "content": text} for role, text in said]
    chat = {"id": "a", "messages": messages, "references": [["Yes."], ["Yes."]]}
    rg.evaluate([chat], ["exact_match"], folder=tmp_path / "chat")
    shown = review("", "", "q", run="chat")
    assert "before      user: Oak?" in shown and "question    And elm?" in shown


def test_conflicts_are_shown_and_settled(review, run, ragauge):
    review("1", "q", rater="ann", options=("--opinions", "2"))
    said = review("0", "q", rater="ben", options=("--opinions", "2"))
    assert "ann: match" in said and "conflict: both labels are kept" in said
    said = review("0", rater="ann", options=("--settle",))
    assert "conflict    ann: match" in said and "conflict    ben: contradict" in said
    assert "settled: contradict · ann, who settled a conflict of ann and ben" in said
    assert values(run)[0] == 0


def test_a_queue_is_not_written_under_the_name_of_another_format(ragauge, run, tmp_path):
    done = ragauge("review", "export", "run", "-o", "queue.csv", code=2)
    assert "queue.csv: the queue is JSON lines; choose a name that ends in .jsonl" in done.err
    assert not (tmp_path / "queue.csv").exists()


def test_export_and_import(ragauge, run, tmp_path):
    done = ragauge("review", "export", "run", "-o", "queue.jsonl")
    assert (done.code, done.err) == (0, "ragauge: wrote 4 answers to queue.jsonl\n")
    path = tmp_path / "queue.jsonl"
    assert "exact_match" not in path.read_text()
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    path.write_text("".join(json.dumps({**row, "value": "match"}) + "\n" for row in rows[:3]))
    done = ragauge("review", "import", "run", "queue.jsonl", code=3)
    assert "queue.jsonl:1: id " in done.err and "has a label but no rater" in done.err
    done = ragauge("review", "import", "run", "queue.jsonl", "--rater", "ann")
    assert (done.code, done.err) == (0, "ragauge: 3 labels stored\n")
    done = ragauge("review", "import", "run", "queue.jsonl", "--rater", "ann")
    assert done.err == "ragauge: 0 labels stored, 3 known already\n"
    assert values(run) == [1, 1, 1, None]


def test_stats_as_text_and_json(ragauge, review):
    review("1", "", "0", rater="ann", options=("--opinions", "2"))
    review("1", "", "1", rater="ben", options=("--opinions", "2"))
    done = ragauge("review", "stats", "run", code=0)
    assert done.out.startswith("1 of 4 answers labelled, 2 open, 1 conflict.\n")
    shown = ("random sample", "ann", "ben", "exact_match ≥ 0.5", "agree with kappa", "--settle")
    assert all(text in done.out for text in shown)
    found = json.loads(ragauge("review", "stats", "run", "-f", "json").out)
    assert found["states"] == {"open": 2, "labelled": 1, "conflict": 1}
    assert [each["rater"] for each in found["raters"]] == ["ann", "ben"]
    assert found["agreement"]["n"] == 2


def test_the_labels_show_in_the_summary_beside_the_question_and_in_calibrate(ragauge, review, run):
    review("1", "", "0", "", "1", "", "0")
    assert "labels: 4 of 4 answers by ann" in ragauge("show", "run").out
    first = run.review_queue().items[0]
    assert "match · ann" in ragauge("show", "run", first.id).out
    for arguments in (("run",), ("run/labels.jsonl", "run")):
        done = ragauge("calibrate", *arguments, code=0)
        assert "labels.jsonl · 4 labels (yes or no) of 1 rater on 4 answers" in done.out
    assert ragauge("calibrate", "run", "--sample-only").code == 0
    ragauge("label-plan", "run/labels.jsonl", "run", "--within", "0.3", code=0)


def test_damaged_labels_do_not_hide_the_scores(ragauge, run):
    (run.folder / "labels.jsonl").write_text("{broken\n{}\n")
    done = ragauge("show", "run")
    assert done.code == 0 and "labels.jsonl:1: is not JSON" in done.out
    assert ragauge("show", "run", "q1").code == 0
    for command in (("review", "stats", "run"), ("calibrate", "run")):
        done = ragauge(*command)
        assert done.code == 5 and "labels.jsonl:1: is not JSON" in done.err


def test_wrong_options_are_named(ragauge, run):
    assert ragauge("review", "next", "run", "--rater", " ").code == 2
    assert "no metric 'recall'" in ragauge("review", "next", "run", "--about", "recall").err
    assert "no metric 'recall'" in ragauge("review", "stats", "run", "-m", "recall").err
    assert ragauge("review", "next", "nowhere").code == 5
    assert ragauge("review").code in (0, 2)


def test_a_file_of_labels_without_its_run_is_a_usage_error(ragauge, tmp_path):
    (tmp_path / "labels.csv").write_text("id,label\nq1,yes\n")
    done = ragauge("calibrate", "labels.csv")
    assert done.code == 2 and "RUN is missing" in done.err
