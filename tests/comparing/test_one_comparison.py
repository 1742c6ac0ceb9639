"""One comparison everywhere: `ragauge compare`, the first screen, the summaries and the page show the same digits."""

import json
from typing import Any

import numpy as np
import pytest

import ragauge as rg
from ragauge.cli import main
from ragauge.comparing.report import SystemsTable
from ragauge.comparing.systems import MOST_TESTS
from ragauge.comparing.words import ComparisonView, comparison_notes
from ragauge.page.overview import Overview
from ragauge.views.first_screen import FirstScreen, screen_table
from ragauge.views.run_files import summary_json

METRICS = ["exact_match", "token_f1"]


def answers(right: dict[str, list[int]], n: int = 12) -> list[dict[str, object]]:
    """For each system, answers to `n` questions, right to those with these numbers."""
    return [
        {"id": f"q{at:02}", "system": system, "answer": "Rome" if at in numbers else "Oslo", "reference": "Rome"}
        for system, numbers in right.items()
        for at in range(n)
    ]  # fmt: skip


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> rg.Run:
    rows = answers({"a": [*range(12)], "b": [0, 1, 2], "c": [*range(10)]})
    return rg.evaluate(rows, METRICS, folder=tmp_path_factory.mktemp("one") / "run")


# Of a and b 9 questions differ, all one way: p = 2/2^9. Of b and c 7, p = 2/2^7; of a and c 2, p = 2/2^2.
# Both metrics have the same values, so Holm's correction is over these three, each twice: 6 tests.
# 6/256 = 0.0234, and 5/256 is raised to it; 4/64 = 0.0625, and 3/64 is raised; 2/2 = 1.
CORRECTED = {("a", "b"): 6 / 256, ("b", "c"): 4 / 64, ("a", "c"): 1.0}


def compared_by_the_command(run: rg.Run, capsys, *more: str) -> list[dict[str, Any]]:
    with pytest.raises(SystemExit) as left:
        main(["compare", str(run.folder), "-f", "json", *more])
    assert left.value.code == 0
    return json.loads(capsys.readouterr().out)["rows"]


def test_the_command_the_summary_and_the_page_have_the_numbers_worked_out_by_hand(run, capsys):
    differences = {("a", "b"): -9 / 12, ("b", "c"): 7 / 12, ("a", "c"): -2 / 12}
    by_command = {
        (row["name"], row["base"], row["candidate"]): row
        for row in compared_by_the_command(run, capsys, "--all-pairs")
    }
    stored = json.loads((run.folder / "summary.json").read_text())["comparison"]
    assert stored == summary_json(run)["comparison"]
    in_summary = {(row["name"], row["base"], row["candidate"]): row for row in stored["rows"]}
    view = Overview(run).view()
    on_page = {
        (metric.name, view.systems[pair.base], view.systems[pair.other]): pair
        for metric in view.metrics
        for pair in metric.pairs
    }
    assert set(by_command) == set(in_summary) == set(on_page)
    assert len(by_command) == len(METRICS) * len(CORRECTED) == stored["n_tests"]
    for (name, base, other), row in by_command.items():
        kept, pair = in_summary[name, base, other], on_page[name, base, other]
        assert {key: row[key] for key in kept} == kept
        assert row["p_corrected"] == pair.p_value == pytest.approx(CORRECTED[base, other])
        assert row["difference"] == pair.difference == pytest.approx(differences[base, other])
        assert (row["low"], row["high"], row["n"]) == (pair.low, pair.high, pair.n)
        assert pair.n == 12


def test_the_first_screen_says_the_same_and_names_the_family(run):
    screen = FirstScreen(run)
    assert screen.headline == (
        "a is ahead: exact_match 1.00, next c 0.83. The difference of 0.17 may be chance "
        "(p = 1.000, 12 questions)."
    )
    assert screen.systems == ["a", "c", "b"]
    assert [[cell.mark == "*" for cell in row[1:-1]] for row in screen_table(screen).rows] == [
        [False, False, True]
    ] * 2
    assert screen.notes == [
        "* p < 0.05 against the row's best: randomization test, Holm for 6 tests (2 metrics, 3 pairs)"
    ]
    view = Overview(run).view()
    assert view.mark == "differs from the row's best"
    assert view.method == (
        "paired randomization test, Holm-corrected for 6 tests, uncorrected 95 % intervals by Student's t "
        "adjusted for skewness (ABC), seed 0"
    )


def graded(systems: dict[str, "np.ndarray[Any, Any]"]) -> rg.Run:
    rows = [
        {"id": f"q{at:03}", "system": system}
        | ({} if np.isnan(value) else {"points": float(value)})
        for system, values in systems.items()
        for at, value in enumerate(values)
    ]
    return rg.evaluate(rows, "points_given")


@pytest.fixture
def points(own_metrics):
    @rg.metric(version=1)
    def points_given(points: float) -> float:
        """The points that the sample states."""
        return points

    return own_metrics


@pytest.mark.usefixtures("points")
def test_a_pair_has_the_same_numbers_whatever_else_is_compared_and_in_which_order():
    random = np.random.default_rng(3)
    a, b, c = (np.round(random.random(60), 3) for _ in range(3))
    b[[1, 5]], c[[0, 5, 7]] = np.nan, np.nan
    longer = np.append(c, random.random(4))  # c has questions that nobody else has
    alone = graded({"a": a, "b": b}).compare("a", "b").row("points_given")
    assert alone.test == "randomization (10,000 draws)"
    for run in (graded({"a": a, "b": b, "c": c}), graded({"0": longer, "a": a, "b": b})):
        both = run.compare(*run.samples.systems, pairs="all").row("points_given", "b", "a")
        for name in ("n", "difference", "low", "high", "p_value", "effect_size"):
            assert getattr(both, name) == getattr(alone, name), name
        turned = run.compare("b", "a").row("points_given")
        assert (turned.difference, turned.p_value) == (-both.difference, both.p_value)
        assert (turned.low, turned.high) == pytest.approx((-both.high, -both.low), abs=1e-9)


def test_with_many_systems_each_is_compared_with_the_best_one():
    n = 24
    assert n * (n - 1) / 2 > MOST_TESTS
    rows = answers({f"s{at:02}": [*range(at // 2)] for at in range(n)})
    run = rg.evaluate(rows, "exact_match")
    screen = FirstScreen(run)
    assert screen.systems[0] == "s22"  # 11 right, as many as s23
    found = run.compare("s22", *[name for name in run.samples.systems if name != "s22"])
    for row in found.rows:
        difference = screen.from_best(run.metrics[0], row.candidate)
        assert difference is not None
        assert (difference.p_value, difference.difference) == (row.p_corrected, -row.difference)
    assert screen.mark == "differs from s22"
    assert screen.legend.endswith("Holm for 22 tests (1 metric, 23 pairs; 1 without a difference)")
    view = Overview(run).view()
    assert view.compared_with == 0
    assert len(view.metrics[0].pairs) == 23


COUNTED = """\
name = "counted"

[[metric]]
label = "exact_match"
name = "n_right"
scale = 1
digits = 0
show = "count"
"""


@pytest.fixture
def counted_run(tmp_path):
    """Right answers: 9 of 12 by new, 2 of 10 by old, which did not answer two that new has right."""
    suite = tmp_path / "counted.toml"
    suite.write_text(COUNTED)
    rows = answers({"old": [2, 3], "new": list(range(9))})
    kept = [
        row for row in rows if (row["system"], row["id"]) not in {("old", "q00"), ("old", "q01")}
    ]
    return rg.evaluate(kept, str(suite))


def test_a_metric_shown_as_a_count_is_compared_in_counts(counted_run):
    comparison = counted_run.compare("old", "new")
    (row,) = comparison.rows
    # On the 10 common questions 2 and 7 are right: seven differ, of which none is worse.
    assert (row.base_mean, row.candidate_mean, row.n) == (0.2, 0.7, 10)
    cells = tuple(map(str, ComparisonView(comparison).cells(row)))
    assert cells[:4] == ("n_right ↑", "2", "7", "+5")
    low, high = (float(end) for end in cells[4].strip("[]").split(","))
    assert low == round(10 * row.low) and high == round(10 * row.high)
    # With the two that old did not answer: 9 - 2, or 9 - 4, of 12.
    assert any(
        "with these the change is +5 to +7" in note
        for note in comparison_notes(ComparisonView(comparison))
    )
    many = ComparisonView(counted_run.compare("old", "new", pairs="all"))
    ((_, *shown, n),) = SystemsTable(many).table.rows
    assert [cell.text for cell in shown] == ["2", "7"] and n == "10"
    assert "new is 5 ahead of old" in " ".join(str(counted_run).split())


def test_the_page_has_the_means_of_the_questions_that_were_compared(counted_run):
    view = Overview(counted_run).view()
    (metric,) = view.metrics
    assert [cell.shown for cell in metric.cells if cell] == ["9", "2"]
    (pair,) = metric.pairs
    means = {pair.base: pair.base_shown, pair.other: pair.other_shown}
    assert {view.systems[at]: text for at, text in means.items()} == {"old": "2", "new": "7"}
