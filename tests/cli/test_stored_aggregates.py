"""A stored run keeps its numbers: a metric's own aggregate is never replaced by the mean."""

import json

import pytest
from cases import cases

import ragauge as rg

PLUGIN = """
import ragauge as rg

def doubled(sums):
    return [FACTOR * total / n for total, n in sums]

FACTOR = 2

@rg.metric(version=1, high=None, aggregate=doubled)
def twice(answer: str) -> rg.Score:
    \"\"\"The answer's length; of many answers twice its mean.\"\"\"
    return rg.Score(len(answer), evidence={"parts": [len(answer), 1]})
"""
ROWS = [{"id": "q1", "answer": "abc"}, {"id": "q2", "answer": "abcde"}]


@pytest.fixture
def stored(ragauge, tmp_path):
    (tmp_path / "mine.py").write_text(PLUGIN)
    (tmp_path / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    done = ragauge(
        "run", "answers.jsonl", "-m", "twice", "--plugin", "mine.py", "--folder", "r", "--full"
    )
    assert done.code == 0, done.err
    assert "twice    8.000  " in done.out  # 2 * (3 + 5) / 2, and not the mean 4
    return tmp_path / "r"


CHANGED = PLUGIN.replace("FACTOR = 2", "FACTOR = 3")
OTHER = """import ragauge as rg

@rg.metric(high=None)
def twice(answer: str) -> float:
    "Other."
    return 7.0
"""


@cases(
    (PLUGIN, "twice 8.000 "),
    (None, "twice has a custom aggregate, whose code (mine.py) is not loaded"),
    (None, "--plugin mine.py"),
    (CHANGED, "twice has a custom aggregate, whose code (mine.py) has changed since the run"),
    (OTHER, "is not loaded"),
)
def test_only_the_code_of_the_run_gives_its_number_again(plugin, said, ragauge, stored):
    (stored.parent / "mine.py").unlink()
    file = stored.parent / ("mine.py" if plugin != OTHER else "other.py")
    file.write_text(plugin or "")
    done = ragauge("show", "r", *(("--plugin", file.name) if plugin else ()), "--full", code=0)
    shown = " ".join(done.out.split())
    assert said in shown
    assert ("8.00" in shown) == (plugin == PLUGIN)
    assert not {"4.000", "12.000", "7.000"} & set(shown.split())


def test_in_python_the_summary_has_no_value_and_the_run_says_why(stored):
    run = rg.open_run(stored)
    (row,) = run.summary().iter_rows(named=True)
    assert (row["mean"], row["low"], row["high"], row["ok"]) == (None, None, None, 2)
    (problem,) = run.problems
    assert "load it with --plugin mine.py, or import it first" in problem


def test_the_aggregates_of_our_own_metrics_are_in_the_run(tmp_path):
    rows = [
        {"id": "q1", "answer": "a b c d e", "reference": "a b c d f"},
        {"id": "q2", "answer": "a b c d", "reference": "a b c d"},
    ]
    pytest.importorskip("sacrebleu")
    run = rg.evaluate(rows, ["bleu", "exact_match"], folder=tmp_path / "r")
    again = rg.open_run(tmp_path / "r")
    assert again.summary().equals(run.summary())
    assert again.problems == ()
    kinds = {metric.name: metric.aggregate.kind for metric in again.metrics}
    assert kinds == {"bleu": "custom", "exact_match": "mean"}


def test_an_aggregate_without_parts_is_a_bug_that_is_named(own_metrics):
    @rg.metric(aggregate=lambda sums: [0.0 for _ in sums])
    def partless(answer: str) -> float:
        return 1.0

    with pytest.raises(rg.MetricError, match="partless has a custom aggregate, but a score"):
        rg.evaluate(ROWS, partless)
