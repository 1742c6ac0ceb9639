"""Comparisons of many questions: read in pieces, a pair at a time, by approximations that agree."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from cases import cases
from pytest import approx

import ragauge as rg
from ragauge.comparing import compare, pair
from ragauge.comparing import rows as comparing_rows
from ragauge.comparing.comparison import Comparison, QuestionCounts
from ragauge.run import Run
from ragauge.runs import integrity

METRICS = ["exact_match", "token_f1", "bleu"]
N = 60


def rows() -> list[dict[str, object]]:
    random = np.random.default_rng(3)
    found: list[dict[str, object]] = []
    for at in range(N):
        for system, share in (("plain", 0.4), ("tuned", 0.6), ("weak", 0.3)):
            is_right = random.random() < share
            answer = f"it is {at}" if is_right else "I do not know" if at % 7 else f"it is {at + 1}"
            if system == "weak" and at % 11 == 0:
                continue  # some questions have no answer of every system
            found.append(
                {"id": f"q{at}", "system": system, "question": f"What is {at}?", "answer": answer}
                | {"reference": f"it is {at}" if at % 13 else None}
                | {"topic": "abc"[at % 3], "group": f"d{at % 20}"}
            )
    # The systems come one after the other, as files that were joined.
    return sorted(found, key=lambda row: str(row["system"]))


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("runs") / "run"
    rg.evaluate(rows(), METRICS, folder=path, batch_size=13)
    return path


def compared(run: Run, **options: object) -> Comparison:
    options = {"pairs": "all", "n_permutations": 100, **options}
    return run.compare("plain", "tuned", "weak", **options)  # pyright: ignore[reportArgumentType]


@cases(
    {"by": "topic", "metrics": "token_f1"},
    pytest.param({"cluster": "group"}, marks=pytest.mark.slow),
)
def test_pieces_and_one_pair_at_a_time_give_the_same_numbers(options, folder, monkeypatch):
    whole = compared(rg.open_run(folder), **options)
    monkeypatch.setattr(integrity, "LARGE_SAMPLES", 0)
    monkeypatch.setattr("ragauge.runs.scores.SAMPLES_AT_ONCE", 13)
    monkeypatch.setattr(compare, "MAX_CELLS", 1)
    monkeypatch.setattr(comparing_rows, "MANY_QUESTIONS", 1)
    large = rg.open_run(folder)
    assert large.samples.is_file
    assert compared(large, **options) == whole


def test_the_lists_of_a_large_comparison_are_cut_and_the_counts_are_not(folder, monkeypatch):
    whole = compared(rg.open_run(folder))
    monkeypatch.setattr(pair, "MANY_QUESTIONS", 10)
    monkeypatch.setattr(pair, "MAX_LISTED", 3)
    cut = compared(rg.open_run(folder))
    for row, other in zip(cut.rows, whole.rows, strict=True):
        for name in ("fixed", "broken", "unpaired"):
            assert getattr(row, name) == getattr(other, name)[:3]
            assert getattr(other.counts, name) == len(getattr(other, name))
        assert replace(row, fixed=(), broken=(), unpaired=()) == replace(
            other, fixed=(), broken=(), unpaired=()
        )
    assert cut.frame.equals(whole.frame)


def test_the_counts_say_which_side_has_no_score():
    samples = [
        {"id": f"q{at}", "system": system, "answer": "x", "reference": reference or None}
        for system, references in (("a", ["x", "x", "x", ""]), ("b", ["x", "", "x", "x"]))
        for at, reference in enumerate(references)
    ]
    found = rg.evaluate(samples, "exact_match").compare("a", "b").row("exact_match")
    # q1 has a score of a only, q3 one of b only.
    assert found.counts == QuestionCounts(unpaired=2, base=1, candidate=1, lost=1)
    assert [each.id for each in found.unpaired] == ["q1", "q3"]


def test_two_runs_in_pieces_are_compared_as_in_memory(tmp_path, monkeypatch):
    for name in ("plain", "tuned"):
        own = [row for row in rows() if row["system"] == name]
        own = own if name == "plain" else own[::-1]
        rg.evaluate(own, METRICS, folder=tmp_path / name, batch_size=13)

    def both() -> Comparison:
        one, other = (rg.open_run(tmp_path / name) for name in ("plain", "tuned"))
        return rg.compare(one, other)

    whole = both()
    monkeypatch.setattr(integrity, "LARGE_SAMPLES", 0)
    monkeypatch.setattr("ragauge.runs.scores.SAMPLES_AT_ONCE", 13)
    monkeypatch.setattr(compare, "MAX_CELLS", 1)
    assert both() == whole
    assert whole.row("token_f1").n > 40


def test_the_normal_approximation_of_a_test_is_near_the_draws(monkeypatch):
    random = np.random.default_rng(5)
    n = 2_000
    texts = {
        "a": [" ".join(random.choice(list("uvw"), 8)) for _ in range(n)],
        "b": [" ".join(random.choice(list("uvw"), 8)) for _ in range(n)],
    }
    samples = [
        {"id": f"q{at:05}", "system": system, "answer": answer, "reference": "u v w u v u w v"}
        for system, answers in texts.items()
        for at, answer in enumerate(answers)
    ]
    run = rg.evaluate(samples, ["token_f1", "bleu"])
    drawn = run.compare("a", "b")
    for module in ("tests", "paired_tests"):
        monkeypatch.setattr(f"ragauge.stats.{module}.NORMAL_FROM", 1_000)
        monkeypatch.setattr(f"ragauge.stats.{module}.MAX_ERROR", 0.1)
    normal = run.compare("a", "b")
    for row, other in zip(normal.rows, drawn.rows, strict=True):
        assert (row.test, other.test) == (
            "randomization (normal approximation)",
            "randomization (10,000 draws)",
        )
        assert row.difference == other.difference
        # The standard error of a share of 10,000 draws is at most 0.005.
        assert row.p_value == approx(other.p_value, abs=0.015)
        assert (row.low, row.high) == (other.low, other.high)
