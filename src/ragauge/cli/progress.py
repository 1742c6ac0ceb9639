"""The progress of a run: how long it will still take, learned from each phase, and its words on standard error."""

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from shlex import quote
from threading import Lock
from time import monotonic

from ragauge.cli.streams import say
from ragauge.engine.graph import Plan
from ragauge.engine.workload import Workload
from ragauge.progress import Encoded, Event, Judged, Listener, ignore

HALF_LIFE_S = 10.0  # after this time of work in a phase, what was learned counts half
BATCHES_KNOWN = 3  # after this many batches only their rows count
LEAST_S, SHOWN_FROM_S, SHOWN_FROM_SHARE = 2.0, 20.0, 0.05
"""A time left is never shown before 2 s; then after 20 s of work, or a twentieth of it."""
SURE_S, MOST_UNKNOWN = 2.0, 0.2
"""Before 20 s a time left is shown only if at most a fifth of all is left to phases with less than 2 s of work."""
SPARSE_S = (20.0, 30.0, 60.0)
"""Seconds until the first line, the second, and between all others, where there is no terminal."""
LONG_S = 120.0  # a run that will take longer says so
KNOWN_CALLS = 20  # after this many calls of judges too: the first ones are made one after the other
MOST_NAMED = 4  # metrics that the note names
WORTH_NAMING = 0.1  # the share of a run's time from which a metric is named
KNOWN_S = 1.0  # after this time of work in a phase, its usual speed does not count any more


class Phase(StrEnum):
    """What a run does, in the words that it is shown with."""

    ENCODING = "encoding"
    SCORING = "scoring"
    JUDGING = "judging"


USUAL_SECONDS = {Phase.ENCODING: 1 / 30_000, Phase.SCORING: 0.0003, Phase.JUDGING: 0.05}
"""Seconds for one unit on a small machine, until the run's own speed is known: for a character, for a row and
function, and for a call, of which many are made at a time."""


@dataclass(slots=True)
class Progress:
    """How far one phase is, and its exponentially weighted speed, from a usual one on.

    `expected` is an estimate, so `done` may exceed it.
    """

    expected: float
    usual: float  # seconds for one unit, until it is known
    known_units: float = 0.0
    """Until this many units are done, the usual speed counts too: the first units may not be typical."""
    done: float = 0.0
    units: float = 0.0
    seconds: float = 0.0
    learned: float = 0.0  # all units whose speed was learned; `units` forgets

    def learn(self, units: float, seconds: float) -> None:
        self.learned += units
        kept = 0.5 ** (seconds / HALF_LIFE_S)
        self.units = self.units * kept + units
        self.seconds = self.seconds * kept + seconds

    @property
    def seconds_per_unit(self) -> float:
        if self.units == 0:
            return self.usual
        known = min(1.0, self.seconds / KNOWN_S, self.learned / max(self.known_units, self.learned))
        return known * self.seconds / self.units + (1 - known) * self.usual

    @property
    def left_s(self) -> float:
        return max(0.0, self.expected - self.done) * self.seconds_per_unit


@dataclass(slots=True)
class Forecast:
    """Turns the events of a run into how far it is and how long it will still take.

    `clock` gives seconds. Time that passes before an event counts for that event's phase.
    """

    work: Workload
    clock: Callable[[], float] = monotonic
    phases: dict[Phase, Progress] = field(init=False)
    phase: Phase | None = None  # of the last event
    texts: int = 0  # that have a vector
    worked_s: float = 0.0
    _n_batches: int = 0
    _total_s: float | None = None
    """Seconds of the whole run, as long for each row as for those of the finished batches."""
    _last: float = field(init=False)
    _lock: Lock = field(init=False, default_factory=Lock)

    def __post_init__(self) -> None:
        expected = (self.work.characters, self.work.cells, self.work.calls)
        self.phases = {
            phase: Progress(units, usual)
            for (phase, usual), units in zip(USUAL_SECONDS.items(), expected, strict=True)
        }
        # The columns of a batch come one after the other, and some take a hundred times as long.
        batch = min(self.work.batch_rows, self.work.n_rows) / max(1, self.work.n_rows)
        self.phases[Phase.SCORING].known_units = self.work.cells * batch
        self._last = self.clock()

    def measured(self, characters_per_second: float) -> None:
        """Take a speed that was measured on a few texts instead of the usual one."""
        self.phases[Phase.ENCODING].usual = 1 / characters_per_second

    def without_encoding(self) -> None:
        """Expect no events of texts and calls: worker processes tell of finished batches only, whose pace has
        all the time in it."""
        encoding, scoring = self.phases[Phase.ENCODING], self.phases[Phase.SCORING]
        scoring.usual *= 1 + encoding.left_s / max(scoring.left_s, 1e-9)
        encoding.expected = 0

    def tell(self, event: Event) -> None:
        """Learn from an event; the listener of a run."""
        with self._lock:
            now = self.clock()
            passed, self._last = now - self._last, now
            self.worked_s += passed
            if isinstance(event, Encoded):
                phase, units = Phase.ENCODING, float(event.characters)
                self.texts += event.texts
            elif isinstance(event, Judged):
                phase, units = Phase.JUDGING, float(event.calls)
            else:
                phase, units = Phase.SCORING, event.cells
            progress = self.phases[phase]
            if progress.done:  # before that, time passes until a model is loaded or a judge replies
                progress.learn(units, passed)
            progress.done += units
            self.phase = phase
            batch = self.work.cells * self.work.batch_rows / max(1, self.work.n_rows)
            scoring = self.phases[Phase.SCORING]
            n_batches = int(scoring.done / max(1.0, batch))
            if n_batches != self._n_batches or scoring.done >= scoring.expected:
                # A batch is done: expect of the other rows what its rows and those before needed.
                self._n_batches = n_batches
                self._total_s = self.worked_s / max(self.share, 1e-9)
                encoding, judging = self.phases[Phase.ENCODING], self.phases[Phase.JUDGING]
                encoding.expected = encoding.done / self.share
                if self.share >= 1:  # before that, two batches are judged at a time
                    judging.expected = judging.done

    @property
    def share(self) -> float:
        """The share of the values that are computed."""
        return min(1.0, self.phases[Phase.SCORING].done / max(1, self.work.cells))

    @property
    def left_s(self) -> float:
        """Seconds until the run is done, about."""
        return max(0.0, self.total_s - self.worked_s - (self.clock() - self._last))

    @property
    def total_s(self) -> float:
        """Seconds of the whole run, about: by the phases' speeds, and with each finished batch more by the rows'.

        Batches do the same work on other rows. What the phases expect of texts that occur again is a guess.
        """
        by_phase = self.worked_s + sum(progress.left_s for progress in self.phases.values())
        if self._total_s is None or self.work.calls:  # two batches are judged at a time
            return by_phase
        # Towards the end the phases know best what is left.
        share = (1 - self.share) * min(1.0, self._n_batches / BATCHES_KNOWN)
        return max(self.worked_s, share * self._total_s + (1 - share) * by_phase)

    @property
    def is_known(self) -> bool:
        """Whether the time left is known well enough to be shown."""
        if self.worked_s >= SHOWN_FROM_S:
            return True
        unknown_s = sum(each.left_s for each in self.phases.values() if each.seconds < SURE_S)
        return (
            self.worked_s >= max(LEAST_S, SHOWN_FROM_SHARE * self.total_s)
            and unknown_s <= MOST_UNKNOWN * self.total_s
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
            worked, judging = forecast.worked_s, forecast.phases[Phase.JUDGING]
            # The speed of judges is known after some calls, or after a time that is long by itself.
            knows_calls = (
                judging.done >= min(KNOWN_CALLS, judging.expected / 2) or worked >= LONG_S / 4
            )
            is_known = forecast.is_known and knows_calls
            if not is_noted and is_known and forecast.total_s > LONG_S:
                is_noted = True
                say(note(forecast))
            say_if_due(worked)

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

    `encoding 1,200 of about 9,800 texts · about 40 s left`
    """
    phase, work = forecast.phase, forecast.work
    if phase is None:
        return "starting"
    progress = forecast.phases[phase]
    total = max(progress.expected, progress.done)
    if phase is Phase.ENCODING:
        share = progress.done / max(total, 1)
        done, total, unit = forecast.texts, round(forecast.texts / max(share, 1e-9)), "texts"
    elif phase is Phase.JUDGING:
        done, unit = progress.done, "calls"
    else:
        done, total, unit = work.n_rows * forecast.share, work.n_rows, "answers"
    about = "" if phase is Phase.SCORING or done >= total else "about "
    left = f" · {spoken(forecast.left_s)} left" if forecast.is_known else ""
    return f"{phase} {int(done):,} of {about}{int(total):,} {unit}{left}"


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
    # The seconds that each metric's encoding and calls take, the longest first.
    character_s = forecast.phases[Phase.ENCODING].seconds_per_unit
    costs = {name: n * character_s for name, n in (work.encoded_by or {}).items()}
    calls_s = forecast.phases[Phase.JUDGING].seconds_per_unit * work.calls
    for name in work.judged_by:
        costs[name] = costs.get(name, 0.0) + calls_s / len(work.judged_by)
    large = [name for name, seconds in costs.items() if seconds >= WORTH_NAMING * total_s]
    large.sort(key=lambda name: -costs[name])
    named = large[:MOST_NAMED]
    note = f"this run will take {spoken(total_s)}"
    if not named:
        how = "score fewer questions with --limit, or name the metrics that you need with -m"
        return f"{note}; {how}"
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
