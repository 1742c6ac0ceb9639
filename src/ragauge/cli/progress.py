"""The progress of a run in words, on standard error."""

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from shlex import quote
from threading import Lock

from ragauge.cli.forecast import Forecast, Phase
from ragauge.cli.streams import say
from ragauge.engine.graph import Plan
from ragauge.progress import Event, Listener, ignore

SPARSE_S = (20.0, 30.0, 60.0)
"""Seconds until the first line, the second, and between all others, where there is no terminal."""
LONG_S = 120.0
"""A run that will take longer says so."""
KNOWN_CALLS = 20
"""After this many calls of judges too: the first ones are made one after the other."""
MOST_NAMED = 4
"""Most metrics that the note names."""
WORTH_NAMING = 0.1
"""The share of a run's time from which a metric is named."""


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
    watch = _Watch(forecast, note, is_terminal=sys.stderr.isatty())
    with live_line(lambda: words(forecast), quiet=not sys.stderr.isatty()):
        yield watch.tell


class _Watch:
    """Passes events on to the forecast, and prints what must be printed between them."""

    def __init__(
        self, forecast: Forecast, note: Callable[[Forecast], str], *, is_terminal: bool
    ) -> None:
        self.forecast = forecast
        self.note = note
        self.pauses = [] if is_terminal else list(SPARSE_S)
        self.next_s = self.pauses[0] if self.pauses else float("inf")
        self.is_noted = False
        self._lock = Lock()

    def tell(self, event: Event) -> None:
        self.forecast.tell(event)
        with self._lock:
            worked = self.forecast.worked_s
            # The speed of judges is known after some calls, or after a time that is long by itself.
            judging = self.forecast.phases[Phase.JUDGING]
            knows_calls = (
                judging.done >= min(KNOWN_CALLS, judging.expected / 2) or worked >= LONG_S / 4
            )
            is_known = self.forecast.is_known and knows_calls
            if not self.is_noted and is_known and self.forecast.total_s > LONG_S:
                self.is_noted = True
                say(self.note(self.forecast))
            if worked >= self.next_s:
                if len(self.pauses) > 1:
                    self.pauses.pop(0)
                self.next_s = worked + self.pauses[0]
                say(words(self.forecast))


def words(forecast: Forecast) -> str:
    """What the run is doing, how far it is and how long it still takes.

    `encoding 1,200 of about 9,800 texts · about 40 s left`
    """
    phase, work = forecast.phase, forecast.work
    if phase is None:
        return "starting"
    progress = forecast.phases[phase]
    if phase is Phase.ENCODING:
        share = progress.done / max(progress.expected, progress.done, 1)
        done, total, unit = forecast.texts, round(forecast.texts / max(share, 1e-9)), "texts"
    elif phase is Phase.JUDGING:
        done, total, unit = progress.done, max(progress.expected, progress.done), "calls"
    else:
        share = min(1.0, progress.done / max(1, work.cells))
        done, total, unit = work.n_rows * share, work.n_rows, "answers"
    about = "" if phase is Phase.SCORING or done >= total else "about "
    left = f" · {spoken(forecast.left_s)} left" if forecast.is_known else ""
    return f"{phase} {int(done):,} of {about}{int(total):,} {unit}{left}"


def spoken(seconds: float) -> str:
    """A time as people say it.

    >>> spoken(7.2), spoken(95), spoken(800), spoken(5000)
    ('about 7 s', 'about 1 min 40 s', 'about 13 min', 'about 1 h 23 min')
    """
    if seconds < 20:
        return f"about {max(1, round(seconds))} s"
    if seconds < 55:
        return f"about {round(seconds, -1):.0f} s"
    if seconds < 170:
        minutes, rest = divmod(round(seconds, -1), 60)
        return f"about {minutes:.0f} min {rest:.0f} s" if rest else f"about {minutes:.0f} min"
    if seconds < 3600:
        return f"about {round(seconds / 60)} min"
    hours, rest = divmod(round(seconds / 60), 60)
    return f"about {hours} h {rest} min" if rest else f"about {hours} h"


def long_run_note(forecast: Forecast, plan: Plan) -> str:
    """That a run takes long, what takes the time, and how to leave it out."""
    total_s = max(forecast.total_s, 1e-9)
    work = forecast.work
    # The seconds that each metric's encoding and calls take, the longest first.
    character_s = forecast.phases[Phase.ENCODING].pace.seconds_per_unit
    costs = {name: n * character_s for name, n in (work.encoded_by or {}).items()}
    calls_s = forecast.phases[Phase.JUDGING].pace.seconds_per_unit * work.calls
    for name in work.judged_by:
        costs[name] = costs.get(name, 0.0) + calls_s / len(work.judged_by)
    costs = dict(sorted(costs.items(), key=lambda cost: -cost[1]))
    all_named = [name for name, seconds in costs.items() if seconds >= WORTH_NAMING * total_s]
    named = all_named[:MOST_NAMED]
    note = f"this run will take {spoken(total_s)}"
    if named:
        # Metrics that read the same texts share the work, so that their times can exceed the whole.
        shared = " alone" if sum(map(costs.__getitem__, named)) > 1.05 * total_s else ""
        each = ", ".join(f"{name} ({spoken(costs[name])}{shared})" for name in named)
        # Of several judges each has the metric, with its own name behind it.
        names = dict.fromkeys(name.split(" [")[0] for name in named)
        flags = " ".join(f"--without {quote(name)}" for name in names)
        more = f" and {n_more} more" if (n_more := len(all_named) - len(named)) else ""
        note += f", most of it for {each}{more}; leave metrics out with {flags}"
    else:
        note += "; score fewer questions with --limit, or name the metrics that you need with -m"
    return note


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
