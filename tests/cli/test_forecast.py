"""The time left, over the speeds of real runs, and by hand.

`recorded_runs.json` has what nine real runs reported: seconds, the phase by its first letter, and units; recorded on two cores
that other work shared.
"""

import json
from pathlib import Path

import pytest

from ragauge.cli.progress import Forecast, Phase
from ragauge.engine.workload import Workload
from ragauge.progress import Encoded, Judged, Scored

RECORDED = json.loads((Path(__file__).parent / "recorded_runs.json").read_text("utf-8"))
EVENTS = {"e": lambda n: Encoded(n // 100, n), "j": Judged, "s": Scored}


def replayed(run, clock):
    """The forecast after each event of a recorded run, and the seconds that it really still took."""
    forecast = Forecast(Workload(*run["work"]), clock=clock)
    for at, phase, units in run["events"]:
        clock.now = at
        forecast.tell(EVENTS[phase](units))
        yield forecast, run["end"] - at


@pytest.mark.parametrize("name", RECORDED)
def test_the_time_left_of_a_real_run_is_right_within_a_factor_of_two(name, clock):
    run = RECORDED[name]
    checked = [
        (forecast.left_s, left)
        for forecast, left in replayed(run, clock)
        # Not what is not shown, nor the first tenth, nor the last fifth, of which the whole time says enough.
        if forecast.is_known and 0.9 * run["end"] > left > max(2, 0.2 * run["end"])
    ]
    wrong = [(said, left) for said, left in checked if not left / 2 <= said <= 2 * left]
    assert not wrong, wrong[:5]


@pytest.mark.parametrize("name", RECORDED)
def test_what_is_shown_of_a_real_run_is_within_30_percent_of_its_whole_time(name, clock):
    run = RECORDED[name]
    shown = [
        forecast.total_s / run["end"] for forecast, _ in replayed(run, clock) if forecast.is_known
    ]
    assert shown
    # For a moment, until its first batch ends, a resumed run expects texts that have a vector already.
    assert sum(not 0.7 < share < 1.3 for share in shown) <= 0.02 * len(shown)


def test_batches_of_one_kind_keep_the_forecast_steady(clock):
    # Each batch of 10 rows encodes for 4 s and then computes two columns in 1 s; far fewer texts are
    # new than the 1,000,000 characters that the phases expect.
    forecast = Forecast(Workload(200, 400, 10, characters=1_000_000), clock=clock)
    shown: list[float] = []
    for _ in range(20):
        for _ in range(4):
            clock.now += 1
            forecast.tell(Encoded(10, 1_000))
            shown += [forecast.total_s] if forecast.is_known else []
        for _ in range(2):
            clock.now += 0.5
            forecast.tell(Scored(10))
            shown += [forecast.total_s] if forecast.is_known else []
    assert clock.now == 100
    assert min(shown) > 70 and max(shown) < 130


@pytest.mark.parametrize("name", RECORDED)
def test_nothing_is_left_at_the_end_of_a_run(name, clock):
    last = [forecast.left_s for forecast, _ in replayed(RECORDED[name], clock)][-1]
    assert last < 0.05 * RECORDED[name]["end"]


def test_a_steady_run_is_known_exactly(clock):
    forecast = Forecast(Workload(100, 100, 100, characters=100_000), clock=clock)
    for second in range(1, 51):
        clock.now = second
        forecast.tell(Encoded(10, 1_000))
    # 1,000 characters a second, 50,000 of them left; and 100 values at the usual 0.0003 s.
    assert forecast.left_s == pytest.approx(50.03, rel=0.01)
    clock.now = 60  # a text takes long: time passes without an event
    assert forecast.left_s == pytest.approx(40.03, rel=0.01)


def test_the_speed_is_learned_anew_when_it_changes(clock):
    forecast = Forecast(Workload(100, 100, 100, characters=1_000_000), clock=clock)
    for _ in range(30):
        clock.now += 1
        forecast.tell(Encoded(10, 10_000))
    for _ in range(30):  # half as fast from now on
        clock.now += 1
        forecast.tell(Encoded(5, 5_000))
    # After three half-lives the old speed has an eighth of the weight; 550,000 characters are left.
    assert forecast.left_s == pytest.approx(550_000 / 5_000, rel=0.12)


def test_each_phase_has_a_speed_of_its_own(clock):
    forecast = Forecast(Workload(10, 1_000, 10, characters=1_000, calls=20), clock=clock)
    clock.now = 3  # until the first reply, which says nothing of the speed
    forecast.tell(Judged(1))
    clock.now = 7
    forecast.tell(Judged(10))
    clock.now = 8
    forecast.tell(Encoded(10, 1_000))
    assert forecast.phases[Phase.ENCODING].left_s == 0
    # Ten calls took 4 s; nine are left.
    assert forecast.phases[Phase.JUDGING].left_s == pytest.approx(3.6)


def test_finished_batches_correct_how_many_texts_are_expected(clock):
    forecast = Forecast(Workload(100, 200, 10, characters=1_000_000), clock=clock)
    clock.now = 1
    forecast.tell(Encoded(10, 1_000))
    assert forecast.phases[Phase.ENCODING].expected == 1_000_000
    forecast.tell(Scored(10))
    assert forecast.phases[Phase.ENCODING].expected == 1_000_000
    forecast.tell(Scored(10))  # the first of ten batches is done
    assert forecast.phases[Phase.ENCODING].expected == 10_000
