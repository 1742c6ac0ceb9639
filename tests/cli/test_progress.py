"""Progress in words, and the note on a long run."""

import re
import sys

from ragauge.cli import progress
from ragauge.cli.progress import Forecast, long_run_note, watching, words
from ragauge.engine.plan import make_plan
from ragauge.engine.resources import Resources
from ragauge.engine.selection import suites_of
from ragauge.engine.workload import Workload
from ragauge.progress import Encoded, Judged, Scored, ignore


def plan_of(*metrics):
    columns = ["id", "system", "question", "answer", "references", "contexts"]
    return make_plan(suites_of(metrics), columns, Resources().defaults())


def test_each_phase_is_said_in_words(clock):
    work = Workload(1_000, 10_000, 1_000, characters=100_000, calls=300)
    forecast = Forecast(work, clock=clock)
    assert words(forecast) == "starting"
    forecast.tell(Encoded(200, 1_000))
    clock.now = 20
    forecast.tell(Encoded(1_000, 9_000))
    assert re.fullmatch(r"encoding 1,200 of about 12,000 texts · about .* left", words(forecast))
    forecast.tell(Judged(40))
    assert words(forecast).startswith("judging 40 of about 300 calls")
    forecast.tell(Scored(5_000))
    assert words(forecast).startswith("scoring 500 of 1,000 answers")


def test_there_are_no_lines_of_a_short_run_without_a_terminal(clock, capsys):
    forecast = Forecast(Workload(10, 10, 10, characters=1_000), clock=clock)
    with watching(forecast, lambda _: "long", quiet=False) as listener:
        for second in range(10):
            clock.now = second
            listener(Encoded(1, 100))
    assert capsys.readouterr().err == ""


def test_a_longer_run_without_a_terminal_has_a_line_now_and_then(clock, capsys):
    forecast = Forecast(Workload(10, 10, 10, characters=10_000), clock=clock)
    with watching(forecast, lambda _: "long", quiet=False) as listener:
        for second in range(100):
            clock.now = second
            listener(Encoded(1, 100))
    lines = capsys.readouterr().err.splitlines()
    # At 20 s, 30 s later, then every minute.
    assert [line.split(" of ")[0] for line in lines] == [
        "ragauge: encoding 21",
        "ragauge: encoding 51",
    ]


def test_a_long_run_says_so_once_as_soon_as_its_speed_is_known(clock, capsys):
    forecast = Forecast(Workload(10, 10, 10, characters=100_000), clock=clock)
    with watching(forecast, lambda _: "this run will take long", quiet=False) as listener:
        said: dict[int, str] = {}
        for second in range(25):
            clock.now = second
            listener(Encoded(1, 100))
            said[second] = capsys.readouterr().err
    # After 20 s, which is less than a twentieth of 1,000 s; then also the first line of progress.
    assert [second for second in said if "this run will take long" in said[second]] == [20]


def test_the_first_slow_calls_of_a_judge_do_not_make_a_run_long(clock, capsys):
    forecast = Forecast(Workload(16, 16, 16, calls=107, judged_by=("answer_class",)), clock=clock)
    with watching(forecast, lambda _: "this run will take long", quiet=False) as listener:
        for _ in range(4):  # one after the other, 2 s each
            clock.now += 2
            listener(Judged(1))
        for _ in range(103):  # then many at a time
            clock.now += 0.1
            listener(Judged(1))
    assert "will take long" not in capsys.readouterr().err


def test_a_judge_that_stays_slow_makes_a_run_long_before_twenty_calls(clock, capsys):
    forecast = Forecast(Workload(90, 90, 90, calls=900, judged_by=("answer_class",)), clock=clock)
    with watching(forecast, lambda _: "this run will take long", quiet=False) as listener:
        for call in range(8):
            clock.now += 5
            listener(Judged(1))
            said = "will take long" in capsys.readouterr().err
            assert said == (call == 5), "at 30 s"


def test_of_many_metrics_that_cost_the_same_a_few_are_named(clock):
    names = tuple(f"m{at}" for at in range(8))
    forecast = Forecast(Workload(9_000, 9_000, 1_000, calls=9_000, judged_by=names), clock=clock)
    note = long_run_note(forecast, plan_of("dont_know"))
    assert "m3 (about 1 min) and 4 more; leave metrics out with --without m0" in note
    assert "m4" not in note, "not all of them"


def test_quiet_shows_nothing(clock, capsys):
    forecast = Forecast(Workload(10, 10, 10, characters=100_000), clock=clock)
    with watching(forecast, lambda _: "long", quiet=True) as listener:
        assert listener is ignore
    with progress.live_line(lambda: "loading answers.jsonl", quiet=True):
        pass
    assert capsys.readouterr() == ("", "")


def test_the_line_of_a_terminal_is_removed_at_the_end(clock, monkeypatch):
    import io

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    forecast = Forecast(Workload(10, 10, 10, characters=1_000), clock=clock)
    with watching(forecast, lambda _: "long", quiet=False) as listener:
        listener(Encoded(3, 300))
    shown = terminal.getvalue()
    assert "encoding 3 of about 10 texts" in shown
    assert shown.rstrip().endswith("\x1b[2K")  # the line is erased


def test_the_note_names_the_metrics_that_cost_the_time_and_the_flags(clock):
    work = Workload(
        10_000,
        10_000,
        1_000,
        characters=20_000_000,
        encoded_by={"correct": 1_000_000, "support": 19_000_000},
    )
    forecast = Forecast(work, clock=clock)
    forecast.measured(40_000)
    # 20,000,000 characters at 40,000 a second are 500 s, of which `correct` has a twentieth.
    assert long_run_note(forecast, plan_of("rag")) == (
        "this run will take about 8 min, most of it for support (about 8 min); leave metrics out with "
        "--without support"
    )
    judged = Forecast(
        Workload(9_000, 9_000, 1_000, calls=9_000, judged_by=("answer_class",)), clock=clock
    )
    assert long_run_note(judged, plan_of("dont_know"))[:90] == (
        "this run will take about 8 min, most of it for answer_class (about 8 min); leave metrics o"
    )


def test_times_of_metrics_that_share_work_are_those_of_each_alone(clock):
    encoded_by = {"correct": 8_000_000, "support": 19_000_000}
    work = Workload(9_000, 9_000, 1_000, characters=20_000_000, encoded_by=encoded_by)
    forecast = Forecast(work, clock=clock)
    forecast.measured(40_000)
    assert long_run_note(forecast, plan_of("rag")).startswith(
        "this run will take about 8 min, most of it for support (about 8 min alone), "
        "correct (about 3 min alone); leave"
    )


def test_a_long_run_without_encoder_and_judge_offers_fewer_questions(clock):
    forecast = Forecast(Workload(100_000, 9_000_000, 1_000), clock=clock)
    assert long_run_note(forecast, plan_of("dont_know")) == (
        "this run will take about 45 min; score fewer questions with --limit, or name the metrics "
        "that you need with -m"
    )
