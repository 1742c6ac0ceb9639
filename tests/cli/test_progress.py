"""The time left, over the speeds of real runs and by hand; progress in words, and the note on a long run.

`recorded_runs.json` has what nine real runs reported: seconds, the phase by its first letter, and units; recorded on two cores
that other work shared.
"""

import io
import json
import re
import sys
from pathlib import Path

import pytest

from ragauge.cli import progress
from ragauge.cli.progress import Forecast, Phase, long_run_note, watching, words
from ragauge.engine.plan import make_plan
from ragauge.engine.resources import Resources
from ragauge.engine.selection import suites_of
from ragauge.engine.workload import Workload
from ragauge.progress import Encoded, Judged, Scored, ignore

RECORDED = json.loads((Path(__file__).parent / "recorded_runs.json").read_text("utf-8"))
EVENTS = {"e": lambda n: Encoded(n // 100, n), "j": Judged, "s": Scored}


@pytest.fixture
def forecast(clock):
    """A workload of this many rows, values, and rows in a batch."""
    return lambda *counts, **more: Forecast(Workload(*counts, **more), clock=clock)


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
    run = RECORDED[name]
    end, of_run = run["end"], forecast(*run["work"])
    checked, totals = [], []
    for at, phase, units in run["events"]:
        clock.now = at
        of_run.tell(EVENTS[phase](units))
        if of_run.is_known:
            totals.append(of_run.total_s / end)
            checked.append((of_run.left_s, end - at))
    assert totals
    # Not in the first tenth, nor in the last fifth, of which the whole time says enough.
    middle = [(said, left) for said, left in checked if 0.9 * end > left > max(2, 0.2 * end)]
    assert not [(said, left) for said, left in middle if not left / 2 <= said <= 2 * left]
    # For a moment, until its first batch ends, a resumed run expects texts that have a vector already.
    assert sum(not 0.7 < share < 1.3 for share in totals) <= 0.02 * len(totals)
    assert of_run.left_s < 0.05 * end


def test_batches_of_one_kind_keep_the_forecast_steady(clock, forecast):
    # Each batch of 10 rows encodes for 4 s and then computes two columns in 1 s; far fewer texts are
    # new than the 1,000,000 characters that the phases expect.
    steady = forecast(200, 400, 10, characters=1_000_000)
    shown: list[float] = []
    for event in (4 * [Encoded(10, 1_000)] + 2 * [Scored(10)]) * 20:
        clock.now += 1 if isinstance(event, Encoded) else 0.5
        steady.tell(event)
        shown += [steady.total_s] if steady.is_known else []
    assert clock.now == 100
    assert min(shown) > 70 and max(shown) < 130


def test_a_steady_run_is_known_exactly(clock, forecast):
    steady = forecast(100, 100, 100, characters=100_000)
    for second in range(1, 51):
        clock.now = second
        steady.tell(Encoded(10, 1_000))
    # 1,000 characters a second, 50,000 of them left; and 100 values at the usual 0.0003 s.
    assert steady.left_s == pytest.approx(50.03, rel=0.01)
    clock.now = 60  # a text takes long: time passes without an event
    assert steady.left_s == pytest.approx(40.03, rel=0.01)


def test_the_speed_is_learned_anew_when_it_changes(clock, forecast):
    changing = forecast(100, 100, 100, characters=1_000_000)
    for event in 30 * [Encoded(10, 10_000)] + 30 * [Encoded(5, 5_000)]:
        clock.now += 1
        changing.tell(event)
    # After three half-lives the old speed has an eighth of the weight; 550,000 characters are left.
    assert changing.left_s == pytest.approx(550_000 / 5_000, rel=0.12)


def test_each_phase_has_a_speed_of_its_own(clock, forecast):
    mixed = forecast(10, 1_000, 10, characters=1_000, calls=20)
    # Until the first reply, which says nothing of the speed, 3 s pass.
    for at, event in ((3, Judged(1)), (7, Judged(10)), (8, Encoded(10, 1_000))):
        clock.now = at
        mixed.tell(event)
    assert mixed.phases[Phase.ENCODING].left_s == 0
    # Ten calls took 4 s; nine are left.
    assert mixed.phases[Phase.JUDGING].left_s == pytest.approx(3.6)


def test_finished_batches_correct_how_many_texts_are_expected(clock, forecast):
    fewer = forecast(100, 200, 10, characters=1_000_000)
    clock.now = 1
    # The third event ends the first of ten batches.
    for event, expected in ((Encoded(10, 1_000), 10**6), (Scored(10), 10**6), (Scored(10), 10**4)):
        fewer.tell(event)
        assert fewer.phases[Phase.ENCODING].expected == expected


# In words -----------------------------------------------------------------------------------------


def test_each_phase_is_said_in_words(clock, forecast):
    run = forecast(1_000, 10_000, 1_000, characters=100_000, calls=300)
    assert words(run) == "starting"
    run.tell(Encoded(200, 1_000))
    clock.now = 20
    run.tell(Encoded(1_000, 9_000))
    assert re.fullmatch(r"encoding 1,200 of about 12,000 texts · about .* left", words(run))
    run.tell(Judged(40))
    assert words(run).startswith("judging 40 of about 300 calls")
    run.tell(Scored(5_000))
    assert words(run).startswith("scoring 500 of 1,000 answers")


def test_without_a_terminal_a_longer_run_has_a_line_now_and_then(forecast, told):
    said = told(forecast(10, 10, 10, characters=10_000), 100 * [(1, Encoded(1, 100))])
    # Nothing in the first 20 s, a line then and 30 s later; then every minute.
    lines = {at: line.split(" of ")[0] for at, line in said.items() if line}
    assert lines == {20: "ragauge: encoding 20", 50: "ragauge: encoding 50"}


def test_a_long_run_says_so_once_as_soon_as_its_speed_is_known(forecast, told):
    said = told(forecast(10, 10, 10, characters=100_000), 25 * [(1, Encoded(1, 100))])
    # After 20 s, which is less than a twentieth of 1,000 s; then also the first line of progress.
    assert [at for at in said if "this run will take long" in said[at]] == [20]


@pytest.mark.parametrize(
    ("n_calls", "events", "long_at"),
    [
        # The first calls come one after the other, then many at a time.
        (107, 4 * [(2, Judged(1))] + 103 * [(0.1, Judged(1))], []),
        (900, 8 * [(5, Judged(1))], [30]),
    ],
)
def test_slow_first_calls_of_a_judge_make_no_run_long_but_one_that_stays_slow(
    forecast, told, n_calls, events, long_at
):
    said = told(forecast(90, 90, 90, calls=n_calls, judged_by=("answer_class",)), events)
    assert [at for at in said if "this run will take long" in said[at]] == long_at


def test_quiet_shows_nothing(forecast, capsys):
    run = forecast(10, 10, 10, characters=100_000)
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
    run = forecast(10, 10, 10, characters=1_000)
    with watching(run, lambda _: "long", quiet=False) as listener:
        listener(Encoded(3, 300))
    shown = terminal.getvalue()
    assert "encoding 3 of about 10 texts" in shown
    assert shown.rstrip().endswith("\x1b[2K")  # the line is erased


# The note on a long run ---------------------------------------------------------------------------

COLUMNS = ["id", "system", "question", "answer", "references", "contexts"]
MANY = tuple(f"m{at}" for at in range(8))


def encoded(characters, **by):
    """20,000,000 characters at 40,000 a second are 500 s."""
    return (9_000, 9_000, 1_000), {"characters": characters, "encoded_by": by}


def judged(*names):
    return (9_000, 9_000, 1_000), {"calls": 9_000, "judged_by": names}


@pytest.mark.parametrize(
    ("work", "metric", "note"),
    [
        # `correct` has a twentieth.
        (
            encoded(20_000_000, correct=1_000_000, support=19_000_000),
            "rag",
            "about 8 min, most of it for support (about 8 min); leave metrics out with --without support",
        ),
        # Metrics that share work have the time of each alone.
        (
            encoded(20_000_000, correct=8_000_000, support=19_000_000),
            "rag",
            "about 8 min, most of it for support (about 8 min alone), correct (about 3 min alone); leave",
        ),
        (
            judged("answer_class"),
            "dont_know",
            "about 8 min, most of it for answer_class (about 8 min); leave metrics out",
        ),
        (
            judged(*MANY),
            "dont_know",
            "m3 (about 1 min) and 4 more; leave metrics out with --without m0",
        ),
        (
            ((100_000, 9_000_000, 1_000), {}),
            "dont_know",
            "about 45 min; score fewer questions with --limit, or name the metrics that you need with -m",
        ),
    ],
    ids=["encoder", "shared work", "judge", "many metrics", "neither"],
)
def test_the_note_names_the_metrics_that_cost_the_time_and_the_flags(forecast, work, metric, note):
    counts, more = work
    run = forecast(*counts, **more)
    run.measured(40_000)
    plan = make_plan(suites_of((metric,)), COLUMNS, Resources().defaults())
    said = long_run_note(run, plan)
    assert said.startswith("this run will take about ")
    assert note in said
    assert "m4" not in said, "not all of them"
