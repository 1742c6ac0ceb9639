"""The exit code of `ragauge run` where something that was asked for has no score."""

import json
from pathlib import Path

import pytest

ROWS = [
    {"id": "q1", "question": "Who keeps the key?", "answer": "Ann", "reference": "Ann"},
    {"id": "q2", "question": "Who shuts the gate?", "answer": "Bob", "reference": "Cid"},
]


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


def renamed(path: Path, before: str, after: str) -> None:
    path.write_text(path.read_text().replace(f'"{before}"', f'"{after}"'))


def test_a_metric_that_was_named_and_scored_nothing_is_no_pass(ragauge, rows, tmp_path):
    done = ragauge("run", rows, "-m", "exact_match", "-m", "ndcg@5", "--folder", "r", code=4)
    reason = "the sample has no context_ids and relevant"
    assert any(
        line.startswith(f"ragauge: ndcg@5: no scores; {reason}") for line in done.err.splitlines()
    )
    assert "exact_match: no scores" not in done.err
    # The run is kept, and the same command again says the same.
    again = ragauge("run", rows, "-m", "exact_match", "-m", "ndcg@5", "--folder", "r")
    assert (again.code, again.out) == (4, done.out)
    assert ragauge("run", rows, "-m", "ndcg@5", "--dry-run").code == 0
    (tmp_path / "run.toml").write_text('data = "rows.jsonl"\nmetrics = ["ndcg@5", "dont_know"]\n')
    assert ragauge("run", "run.toml").code == 4


def test_a_metric_of_a_suite_may_lack_its_column_but_not_all_of_them(ragauge, rows):
    done = ragauge("run", rows, "-s", "answer-quality", code=0)
    done = ragauge("run", rows, "-s", "answer-quality", "-s", "passage-retrieval", code=4)
    assert "ragauge: suite passage-retrieval: no scores; " in done.err


@pytest.mark.parametrize("column", ["answer", "reference"])
def test_a_renamed_column_keeps_nothing_green(ragauge, rows, column):
    assert ragauge("run", rows, "-m", "exact_match").code == 0
    renamed(rows, column, "other")
    done = ragauge("run", rows, "-m", "exact_match", "-m", "token_f1", code=4)
    assert "no answer could be scored" in done.err
    line = f"ragauge: exact_match, token_f1: no scores; the sample has no {column}"
    assert any(said.startswith(line) for said in done.err.splitlines())


def test_a_breakdown_of_a_run_without_scores_is_left_out(ragauge, tmp_path):
    Path("a.jsonl").write_text('{"id": "q1", "question": "Where?", "lang": "de"}\n')
    done = ragauge("run", "a.jsonl", "-m", "exact_match", "--by", "lang", "--folder", "r", code=4)
    assert "Nothing was scored." in done.out
    assert "by lang" not in done.out
