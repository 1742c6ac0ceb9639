"""The time left, over the speeds of real runs and by hand; progress in words, and the note on a long run.

`recorded_runs.json` has what real runs reported: seconds of processor time, m for rows measured or j for calls, and how many.
"""

import io
import json
import re
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from cases import cases

from ragauge.calls import Judged, Measured, ignore
from ragauge.cli import progress
from ragauge.cli.progress import Forecast, long_run_note, watching, words
from ragauge.engine.plan import make_plan
from ragauge.engine.resources import Resources
from ragauge.engine.selection import suites_of
from ragauge.evaluation.forecast import Workload

RECORDED = json.loads((Path(__file__).parent / "recorded_runs.json").read_text("utf-8"))


@pytest.fixture
def forecast(clock):
    """A workload of this many rows and calls."""
    return lambda *counts, at_once=1: Forecast(Workload(*counts), clock=clock, at_once=at_once)


@pytest.fixture
def told(clock, capsys):
    """What is written while the events come, by the second of each."""

    def call(forecast, events):
        said = {}
        with watching(forecast, lambda _: "this run will take long", quiet=False) as listener:
            for seconds, event in events:
                clock.now += seconds
                listener(event)
                said[clock.now] = capsys.readouterr().err
        return said

    return call


# The time left ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", RECORDED)
def test_the_time_left_of_a_real_run_is_nearly_right(name, clock, forecast):
    events = {"m": Measured, "j": Judged}
    run = RECORDED[name]
    end, of_run = run["end"], forecast(*run["work"], at_once=run.get("at_once", 1))
    totals = []
    for at, kind, units in run["events"]:
        clock.now = at
        of_run.tell(events[kind](units))
        if of_run.is_known:
            totals.append(of_run.total_s / end)
    assert totals
    assert [total for total in totals if not 0.7 < total < 1.3] == []
    assert max(abs(b - a) for a, b in pairwise(totals)) < 0.25
    assert of_run.left_s < 0.05 * end


def test_rows_take_as_long_as_those_so_far_without_the_time_until_models_are_open(clock, forecast):
    steady = forecast(100)
    for at in (8, 10, 12, 14, 16):  # 10 rows in 8 s, and then in 2 s
        clock.now = at
        steady.tell(Measured(10))
    assert steady.left_s == pytest.approx(10)
    clock.now = 20  # a row takes long: time passes without an event
    assert steady.left_s == pytest.approx(6)


def test_rows_that_other_processes_have_begun_count_half(clock, forecast):
    both = forecast(100, at_once=2)
    for at in (10, 10, 20, 20, 30, 30):
        clock.now = at
        both.tell(Measured(10))
    # From the second report on 40 rows, and 5 of those begun, in 20 s; 35 more are left.
    assert both.left_s == pytest.approx(20 / 45 * 35)


def test_calls_are_expected_at_their_last_speed(clock, forecast):
    judged = forecast(100, 120)
    for _ in range(30):
        clock.now += 2
        judged.tell(Judged(1))
    for _ in range(30):
        clock.now += 1
        judged.tell(Judged(1))
    # After three half-lives the old speed has an eighth of the weight.
    assert judged.left_s == pytest.approx(60, rel=0.12)


# In words -----------------------------------------------------------------------------------------


def test_what_a_run_does_is_said_in_words(clock, forecast):
    run = forecast(1_000, 300)
    assert words(run) == "starting"
    for clock.now in range(10, 70, 10):
        run.tell(Measured(100))
        run.tell(Judged(10))
    assert re.fullmatch("judging 60 of about 300 calls · about .* left", words(run))
    run.tell(Measured(100))
    assert words(run).startswith("scoring 700 of 1,000 answers · about")


def test_without_a_terminal_a_longer_run_has_a_line_now_and_then(forecast, told):
    said = told(forecast(100), 100 * [(1, Measured(1))])
    # Nothing in the first 20 s, a line then and 30 s later; then every minute.
    lines = {at: line.split(" of ")[0] for at, line in said.items() if line}
    assert lines == {20: "ragauge: scoring 20", 50: "ragauge: scoring 50"}


def test_a_long_run_says_so_once_as_soon_as_its_speed_is_known(forecast, told):
    said = told(forecast(1_000), 25 * [(1, Measured(1))])
    # After 20 s, which is less than a twentieth of 1,000 s; then also the first line of progress.
    assert [at for at in said if "this run will take long" in said[at]] == [20]


@cases(
    # The first calls come one after the other, then many at a time.
    (107, 4 * [(2, Judged(1))] + 103 * [(0.1, Judged(1))], []),
    (900, 8 * [(5, Judged(1))], [30]),
)
def test_slow_first_calls_of_a_judge_make_no_run_long_but_one_that_stays_slow(
    n_calls, events, long_at, forecast, told
):
    said = told(forecast(90, n_calls), events)
    assert [at for at in said if "this run will take long" in said[at]] == long_at


def test_quiet_shows_nothing(forecast, capsys):
    run = forecast(10)
    with watching(run, lambda _: "long", quiet=True) as listener:
        assert listener is ignore
    with progress.live_line(lambda: "loading answers.jsonl", quiet=True):
        pass
    assert capsys.readouterr() == ("", "")


def test_the_line_of_a_terminal_is_removed_at_the_end(forecast, monkeypatch):
    terminal = io.StringIO()
    terminal.isatty = lambda: True
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    run = forecast(10)
    with watching(run, lambda _: "long", quiet=False) as listener:
        listener(Measured(3))
    shown = terminal.getvalue()
    assert "scoring 3 of 10 answers" in shown
    assert shown.rstrip().endswith("\x1b[2K")  # the line is erased


# The note on a long run ---------------------------------------------------------------------------

COLUMNS = ["id", "system", "question", "answer", "references", "contexts"]


@cases(
    # `correct` has a twentieth.
    (
        ("token_f1", "support", "correct"),
        {"support": 19, "correct": 1},
        "about 17 min, most of it for support (about 16 min); leave metrics out with --without support",
    ),
    (
        ("bleu", "chrf", "rougeL", "rouge1", "token_f1"),
        dict.fromkeys(("bleu", "chrf", "rougeL", "rouge1", "token_f1"), 5),
        "(about 3 min) and 1 more; leave metrics out with --without",
    ),
    (
        ("token_f1",),
        {},
        "about 17 min; score fewer questions with --limit, or name the metrics that you need with -m",
    ),
    ids=["two", "many", "unknown"],
)
def test_the_note_names_the_metrics_that_cost_the_time_and_the_flags(
    metrics, node_s, note, clock, forecast
):
    run = forecast(1_000)
    plan = make_plan(suites_of(metrics), COLUMNS, Resources().defaults())
    keys = {metric.definition.name: metric.node for metric in plan.metrics}
    run.node_s |= {keys[name]: seconds for name, seconds in node_s.items()}
    for clock.now in range(1, 21):
        run.tell(Measured(1))
    said = long_run_note(run, plan)
    assert said.startswith("this run will take about ")
    assert note in said


def test_calls_are_named_by_the_metrics_that_make_them(clock):
    run = Forecast(Workload(1_000, 1_000, ("answer_class",)), clock=clock)
    plan = make_plan(suites_of("dont_know"), COLUMNS, Resources().defaults())
    for clock.now in range(1, 61):
        run.tell(Judged(1))
    note = (
        "most of it for answer_class (about 16 min); leave metrics out with --without answer_class"
    )
    assert note in long_run_note(run, plan)
