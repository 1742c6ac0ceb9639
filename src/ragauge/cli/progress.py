"""What a command that takes time says: its plan and what it may cost, how far it is and how long it will take, and its exit code."""

import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from shlex import quote
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING

import click

from ragauge.calls import Computed, Event, Judged, Listener, Measured, ignore
from ragauge.cli.streams import say
from ragauge.engine.graph import Plan
from ragauge.errors import EncoderError, JudgeError
from ragauge.evaluation.forecast import Workload
from ragauge.judges.config import JudgeConfig
from ragauge.report.plain import counted
from ragauge.runs.outcomes import Health, named_without_scores
from ragauge.runs.scored_run import ScoredRun
from ragauge.samples.samples import Samples

if TYPE_CHECKING:
    from ragauge.calls.budget import CostEstimate

HALF_LIFE_S = 10.0
"""After this time, how fast judges were counts half."""
LEAST_S, SHOWN_FROM_S, SHOWN_FROM_SHARE = 2.0, 20.0, 0.05
"""A time left is never shown before 2 s; then after 20 s of work, or a twentieth of it."""
PIECES_KNOWN = 5
"""Pieces that each process measures before the time that rows take is known."""
KNOWN_CALLS = 20
"""After this many calls that of judges is: the first ones are made one after the other."""
SPARSE_S = (20.0, 30.0, 60.0)
"""Seconds until the first line, the second, and between all others, where there is no terminal."""
LONG_S = 120.0
"""A run that will take longer says so."""
MOST_NAMED = 4
"""Most metrics that the note names."""
WORTH_NAMING = 0.1
"""The share of a run's time from which a metric is named."""


@dataclass(slots=True)
class Forecast:
    """Turns the events of a run into how far it is and how long it will still take.

    `clock` gives seconds; `at_once` batches are measured by as many processes.
    """

    work: Workload
    clock: Callable[[], float] = monotonic
    at_once: int = 1
    node_s: dict[str, float] = field(default_factory=dict[str, float])
    """Seconds that nodes took, by their keys."""
    rows: int = 0
    calls: int = 0
    worked_s: float = 0.0
    is_judging: bool = False
    _pieces: list[tuple[float, int]] = field(default_factory=list[tuple[float, int]])
    """When each piece of rows was done, and how many rows were then."""
    _call_s: float = 0.0
    """Seconds of `_n_calls`, both of which forget."""
    _n_calls: float = 0.0
    _last: float = field(init=False)
    _lock: Lock = field(init=False, default_factory=Lock)

    def __post_init__(self) -> None:
        self._last = self.clock()

    def tell(self, event: Event) -> None:
        """Learn from an event; the listener of a run."""
        with self._lock:
            now = self.clock()
            passed, self._last = now - self._last, now
            self.worked_s += passed
            if isinstance(event, Computed):
                self.node_s[event.node] = self.node_s.get(event.node, 0.0) + passed
                return
            self.is_judging = isinstance(event, Judged)
            if isinstance(event, Measured):
                self.rows += event.rows
                self._pieces.append((self.worked_s, self.rows))
            else:
                if self.calls < KNOWN_CALLS <= self.calls + event.calls:
                    self._call_s = self._n_calls = 0.0
                elif self.calls:  # before the first, time passes until a judge replies
                    kept = 0.5 ** (passed / HALF_LIFE_S)
                    self._call_s = self._call_s * kept + passed
                    self._n_calls = self._n_calls * kept + event.calls
                self.calls += event.calls

    @property
    def rows_left_s(self) -> float:
        """Seconds for the other rows, from the first pieces on, before which models are opened."""
        if len(self._pieces) <= self.at_once:
            return 0.0
        (start, first), (end, done) = self._pieces[self.at_once - 1], self._pieces[-1]
        begun = (self.at_once - 1) / 2 * done / len(self._pieces)  # by the other processes
        return (end - start) / (done - first + begun) * max(0.0, self.work.n_rows - done - begun)

    @property
    def calls_left_s(self) -> float:
        left = max(0, self.work.calls - self.calls)
        return left * self._call_s / self._n_calls if self._n_calls else 0.0

    @property
    def left_s(self) -> float:
        """Seconds until the run is done, about."""
        return max(0.0, self.total_s - self.worked_s - (self.clock() - self._last))

    @property
    def total_s(self) -> float:
        """Seconds of the whole run, about: judges are asked while rows are measured."""
        return self.worked_s + max(self.rows_left_s, self.calls_left_s)

    @property
    def is_known(self) -> bool:
        """Whether the time left is known well enough to be shown."""
        knows_rows = len(self._pieces) >= PIECES_KNOWN * self.at_once
        if self.work.calls:
            most = max(3 * KNOWN_CALLS, SHOWN_FROM_SHARE * self.work.calls)
            knows_calls = self.calls >= min(most, self.work.calls / 2)
            knows_calls |= self._n_calls > 0 and self.worked_s >= LONG_S / 4
            knows_rows = knows_calls and (knows_rows or not self._pieces)
        return knows_rows and self.worked_s >= max(
            LEAST_S, min(SHOWN_FROM_S, SHOWN_FROM_SHARE * self.total_s)
        )


@contextmanager
def watching(
    forecast: Forecast, note: Callable[[Forecast], str], *, quiet: bool
) -> Generator[Listener]:
    """Show how far a run is: one line on a terminal, else now and then a line; nothing if `quiet`.

    As soon as it is clear that the run takes longer than LONG_S, its `note` is printed, once.
    """
    if quiet:
        yield ignore
        return
    lock, is_noted = Lock(), False

    def tell(event: Event) -> None:
        nonlocal is_noted
        forecast.tell(event)
        with lock:
            if not is_noted and forecast.is_known and forecast.total_s > LONG_S:
                is_noted = True
                say(note(forecast))
            say_if_due(forecast.worked_s)

    with saying(lambda: words(forecast), quiet=False) as say_if_due:
        yield tell


@contextmanager
def saying(text: Callable[[], str], *, quiet: bool) -> Generator[Callable[[float], None]]:
    """Show a text on one line of a terminal; elsewhere it is said after each of SPARSE_S, then always after the last.

    What it yields is called with the seconds since the start.
    """
    pauses = list(SPARSE_S)
    next_s = float("inf") if quiet or sys.stderr.isatty() else pauses[0]

    def say_if_due(now_s: float) -> None:
        nonlocal next_s
        if now_s >= next_s:
            del pauses[: len(pauses) > 1]
            next_s = now_s + pauses[0]
            say(text())

    with live_line(text, quiet=quiet):
        yield say_if_due


def words(forecast: Forecast) -> str:
    """What the run is doing, how far it is and how long it still takes.

    `scoring 1,200 of 9,800 answers · about 40 s left`
    """
    work, n_calls = forecast.work, forecast.calls
    if forecast.is_judging:
        about = "about " if n_calls < work.calls else ""
        done = f"judging {n_calls:,} of {about}{max(n_calls, work.calls):,} calls"
    elif forecast.rows:
        done = f"scoring {forecast.rows:,} of {work.n_rows:,} answers"
    else:
        return "starting"
    return done + (f" · {spoken(forecast.left_s)} left" if forecast.is_known else "")


def spoken(seconds: float) -> str:
    """A time as people say it.

    >>> spoken(7.2), spoken(95), spoken(800), spoken(5000)
    ('about 7 s', 'about 1 min 40 s', 'about 13 min', 'about 1 h 23 min')
    """
    if seconds < 55:
        return f"about {max(1, round(seconds)) if seconds < 20 else round(seconds, -1):.0f} s"
    if 170 <= seconds < 3600:
        return f"about {round(seconds / 60)} min"
    if seconds < 170:
        (n, rest), units = divmod(round(seconds, -1), 60), ("min", "s")
    else:
        (n, rest), units = divmod(round(seconds / 60), 60), ("h", "min")
    return f"about {n:.0f} {units[0]}" + (f" {rest:.0f} {units[1]}" if rest else "")


def long_run_note(forecast: Forecast, plan: Plan) -> str:
    """That a run takes long, what takes the time, and how to leave it out."""
    total_s, work = max(forecast.total_s, 1e-9), forecast.work
    # The seconds of the nodes that each metric needs, and of its calls, the longest first.
    alone = {key: n_s for key, n_s in forecast.node_s.items() if key not in plan.judged}
    rows_s = forecast.rows_left_s if work.calls else total_s
    share = rows_s / max(sum(alone.values()), 1e-9)
    costs = {
        metric.name: share * sum(alone.get(node.key, 0.0) for node in plan.only([metric]).nodes)
        for metric in plan.metrics
    }
    for name in work.judged_by:
        costs[name] = costs.get(name, 0.0) + forecast.calls_left_s / len(work.judged_by)
    large = [name for name, seconds in costs.items() if seconds >= WORTH_NAMING * total_s]
    large.sort(key=lambda name: -costs[name])
    named = large[:MOST_NAMED]
    note = f"this run will take {spoken(total_s)}"
    if not named:
        return (
            f"{note}; score fewer questions with --limit, or name the metrics that you need with -m"
        )
    # Metrics that read the same texts share the work, so that their times can exceed the whole.
    shared = " alone" if sum(map(costs.__getitem__, named)) > 1.05 * total_s else ""
    each = ", ".join(f"{name} ({spoken(costs[name])}{shared})" for name in named)
    # Of several judges each has the metric, with its own name behind it.
    names = dict.fromkeys(name.split(" [")[0] for name in named)
    flags = " ".join(f"--without {quote(name)}" for name in names)
    more = f" and {n_more} more" if (n_more := len(large) - len(named)) else ""
    return f"{note}, most of it for {each}{more}; leave metrics out with {flags}"


@contextmanager
def live_line(text: Callable[[], str], *, quiet: bool) -> Generator[None]:
    """One line on the terminal, written again four times a second and removed at the end."""
    if quiet or not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    console = Console(stderr=True, highlight=False)
    live = Live(
        console=console,
        transient=True,
        get_renderable=lambda: Text(text(), "dim", no_wrap=True, overflow="ellipsis"),
        redirect_stdout=False,
    )
    with live:
        yield


INCOMPLETE = 4


def print_plan(plan: Plan, samples: Samples, missing: Mapping[str, str]) -> None:
    """Print the metrics of a plan; `missing` says of what the samples have no columns, by label."""
    from ragauge.report.terminal import console, print_table

    rows = [
        (metric.name, metric.metric, metric.unavailable or missing.get(metric.metric, "ready"))
        for metric in plan.metrics
    ]
    print_table(console(sys.stdout), ("name", "metric", "status"), rows)
    n_answers = counted(len(samples), "answer")
    click.echo(f"{n_answers} of {counted(len(samples.systems), 'system')}")


def print_estimate(estimates: "Mapping[str, CostEstimate]", judging: JudgeConfig) -> None:
    """Print the calls that each judge still has to answer, their cost, and whether a limit ends them."""
    from ragauge.report.terminal import console, print_table

    rows: list[tuple[str, ...]] = []
    for judge, cost in estimates.items():
        tokens, replies = (
            "{1:,.0f} ({0:,.0f}–{2:,.0f})".format(*n)
            for n in (cost.prompt_tokens, cost.completion_tokens)
        )
        dollars = "unknown price; give --price"
        if cost.cost_usd is not None:
            dollars = "${1:,.4f} (${0:,.4f}–${2:,.4f})".format(*cost.cost_usd)
        rows.append((judge, f"{cost.calls:,}", tokens, replies, dollars))
    header = ("judge", "calls", "prompt tokens", "reply tokens", "cost")
    print_table(console(sys.stdout), header, rows)
    for judge, cost in estimates.items():
        most, most_usd = judging.max_calls, judging.max_cost_usd
        if most is not None and cost.calls > most:
            say(f"{judge}: more calls than --max-calls {most:,}; the run would stop early")
        low, _, high = cost.cost_usd or (0.0, 0.0, 0.0)
        if most_usd is not None and high > most_usd:
            may = "would" if low > most_usd else "may"
            say(f"{judge}: --max-cost is {most_usd:g}; the run {may} stop early")


def say_truncated(health: Health) -> None:
    """Say how many scores used a truncated text."""
    if n := health.n_truncated:
        say(
            f"{counted(n, 'score')} used a truncated text: the model reads only its "
            'beginning (evidence: cut); long_text="windows" in the label reads it in full'
        )


def exit_code(run: ScoredRun, plan: Plan) -> int:
    """0, 4 if scores failed or what was named has none, 6 if a judge or an encoder gave nothing usable.

    6 also if a metric has no score because its judge was not called.
    """
    health = Health(run)
    for judge, reason in health.silent_judges.items():
        say(f"{judge} gave no usable reply: {reason}")
        return JudgeError.exit_code
    if not health.is_complete:
        retry = "run the same command again to retry"
        if health.n_unreadable:
            retry += ", with --retry-unreadable if the stored reply cannot be read"
        say(f"{counted(health.n_failed, 'score')} failed; {retry}")
    if unasked := health.unasked_metrics:
        reasons = "; ".join(dict.fromkeys(unasked.values()))
        say(f"{', '.join(unasked)}: no scores; {reasons}")
        return JudgeError.exit_code
    needs = {each.metric: each.definition.resources for each in plan.metrics if each.definition}
    encoded = {name for name, own in needs.items() if "encoder" in own and "judge" not in own}
    failed = encoded & {each.metric for each in run.outcomes.absent if each.status == "failed"}
    nothing_encoded = failed and not health.scored & encoded
    if nothing_encoded and (reason := health.why_nothing_scored(failed)):
        say(f"the encoder gave no vectors: {reason}")
        return EncoderError.exit_code
    unscored = named_without_scores(plan, health)
    for reason in dict.fromkeys(unscored.values()):
        names = [name for name, why in unscored.items() if why == reason]
        say(f"{', '.join(names)}: no scores; {reason}")
    return 0 if health.is_complete and not unscored else INCOMPLETE
