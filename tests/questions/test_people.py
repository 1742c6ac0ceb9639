"""What people say of a test set: `ragauge review questions`, and the report of the check."""

import io
import json
from pathlib import Path

import pytest
from cases import cases

from ragauge.cli import main
from ragauge.errors import DataError
from ragauge.questions.people import QuestionLabel, digest_of, people_report, read_labels, sampled
from ragauge.questions.question import Question

QUESTIONS = [
    Question(f"q{n}", f"How many beds has Hut {n}?", [f"{n} beds"], question_type="number")
    for n in range(1, 5)
]


@pytest.fixture
def review(tmp_path: Path, monkeypatch, capsys):
    """Type keys into `ragauge review questions`; what it prints."""
    file = tmp_path / "q.jsonl"
    file.write_text("".join(f"{json.dumps(each.to_row())}\n" for each in QUESTIONS))

    def typed(keys: str, *arguments: str) -> str:
        monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(keys) + "\n"))
        with pytest.raises(SystemExit) as left:
            main(["review", "questions", str(file), "--rater", "ann", *arguments])
        assert left.value.code == 0
        return capsys.readouterr().out

    return typed


def test_three_keys_label_a_question_and_the_report_has_an_interval(review, tmp_path):
    out = review("yyyynyxyyyq")
    # Wilson's interval of 2 of 3 is .208 to .939.
    assert "2 of 3 questions hold up, by 1 person: 67% (21%–94%)" in out
    assert "'x' is no key" in out
    assert len(read_labels(tmp_path / "q.labels.jsonl")) == 3
    assert "question 1 of 1" in review("q")


def test_a_question_is_labelled_again_after_z_and_left_after_enter(review):
    assert "1 of 1 questions hold up" in review(["n", "y", "y", "z", "y", "y", "y", "", "q"])


def test_the_check_says_what_people_say(review, tmp_path, capsys):
    review("yyyuyyq")
    documents = tmp_path / "d.md"
    documents.write_text("# Huts\n\nHut 1 has 1 bed. Hut 2 has 2 beds.")
    labels = str(tmp_path / "q.labels.jsonl")
    with pytest.raises(SystemExit):
        main(["questions", "check", str(tmp_path / "q.jsonl"), str(documents), "--labels", labels])
    assert "1 of 1 questions hold up, by 1 person: 100% (21%–100%)" in capsys.readouterr().out


def label(question: Question, rater: str, *says: bool | None) -> QuestionLabel:
    names = ("answerable", "correct", "natural")
    return QuestionLabel(
        question.id, rater, digest_of(question), dict(zip(names, says, strict=True))
    )


@cases(
    ([], "nobody has labelled these questions"),
    ([label(QUESTIONS[0], "a", True, True, False)], "0 of 1 questions hold up, by 1 person"),
    ([label(QUESTIONS[0], "a", True, False, True), label(QUESTIONS[0], "a", True, True, True)], "1 of 1"),
    ([label(QUESTIONS[0], "a", True, True, True), label(QUESTIONS[0], "b", True, False, True)], "0 of 0"),
    ([label(QUESTIONS[0], "a", False, None, True)], "0 of 1"),
    ([label(Question("q1", "Another text?"), "a", True, True, True)], "nobody"),
)  # fmt: skip
def test_what_counts_of_the_labels(labels, headline):
    assert people_report(QUESTIONS, labels).headline.startswith(headline)


def test_programs_read_the_counts_and_the_share_with_its_interval():
    report = people_report(QUESTIONS, [label(QUESTIONS[0], "a", True, True, True)])
    header, rows = report.records() or ((), ())
    first = dict(zip(header, next(iter(rows)), strict=True))
    assert (first["yes"], first["questions"], first["share"]) == (1, 1, 1.0)
    # Wilson's lower bound of 1 of 1: 1 / (1 + 1.96²) = 0.2065.
    assert first["low"] == pytest.approx(0.2065, abs=1e-4)


def test_a_larger_sample_begins_with_the_smaller_one():
    assert sampled(QUESTIONS, 4, 7)[:2] == sampled(QUESTIONS, 2, 7)


def test_what_is_no_label_is_named_with_its_line(tmp_path):
    file = tmp_path / "l.jsonl"
    file.write_text('{"id": "q1", "rater": "a", "digest": "x", "natural": 3}\n')
    with pytest.raises(DataError, match=r"line 1.*no label"):
        read_labels(file)
