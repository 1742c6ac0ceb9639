"""How long a run will still take: it learns the speed of each phase, and forgets old speeds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from threading import Lock
from time import monotonic

from ragauge.engine.workload import Workload
from ragauge.progress import Encoded, Event, Judged

HALF_LIFE_S = 10.0
"""After this time of work in a phase, what was learned counts half."""
BATCHES_KNOWN = 3
"""After this many batches only their rows count."""
LEAST_S, SHOWN_FROM_S, SHOWN_FROM_SHARE = 2.0, 20.0, 0.05
"""A time left is never shown before 2 s; then after 20 s of work, or a twentieth of it."""

SURE_S, MOST_UNKNOWN = 2.0, 0.2
"""Before 20 s a time left is shown only if at most a fifth of all is left to phases with less than 2 s of work."""


class Phase(StrEnum):
    """What a run does, in the words that it is shown with."""

    ENCODING = "encoding"
    SCORING = "scoring"
    JUDGING = "judging"


USUAL_SECONDS: Mapping[Phase, float] = {
    Phase.ENCODING: 1 / 30_000,
    Phase.SCORING: 0.0003,
    Phase.JUDGING: 0.05,
}
"""Seconds for one unit on a small machine, until the run's own speed is known: for a character, for a row and
function, and for a call, of which many are made at a time."""
KNOWN_S = 1.0
"""After this time of work in a phase, its usual speed does not count any more."""


@dataclass(slots=True)
class Pace:
    """The exponentially weighted speed of one phase, from a usual one on."""

    usual: float
    """Seconds for one unit, until it is known."""
    known_units: float = 0.0
    """Until this many units are done, the usual speed counts too: the first units may not be typical."""
    units: float = 0.0
    seconds: float = 0.0
    learned: float = 0.0
    """All units so far; `units` forgets."""

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


@dataclass(slots=True)
class Progress:
    """How far one phase is; `expected` is an estimate, so `done` may exceed it."""

    expected: float
    pace: Pace
    done: float = 0.0

    @property
    def left_s(self) -> float:
        return max(0.0, self.expected - self.done) * self.pace.seconds_per_unit


@dataclass(slots=True)
class Forecast:
    """Turns the events of a run into how far it is and how long it will still take.

    `clock` gives seconds. Time that passes before an event counts for that event's phase.
    """

    work: Workload
    clock: Callable[[], float] = monotonic
    phases: dict[Phase, Progress] = field(init=False)
    phase: Phase | None = None
    """The phase of the last event."""
    texts: int = 0
    """Texts that have a vector."""
    worked_s: float = 0.0
    _n_batches: int = 0
    _total_s: float | None = None
    """Seconds of the whole run, as long for each row as for those of the finished batches."""
    _last: float = field(init=False)
    _lock: Lock = field(init=False, default_factory=Lock)

    def __post_init__(self) -> None:
        expected = {
            Phase.ENCODING: self.work.characters,
            Phase.SCORING: self.work.cells,
            Phase.JUDGING: self.work.calls,
        }
        self.phases = {
            phase: Progress(expected[phase], Pace(usual)) for phase, usual in USUAL_SECONDS.items()
        }
        # The columns of a batch come one after the other, and some take a hundred times as long.
        batch = min(self.work.batch_rows, self.work.n_rows) / max(1, self.work.n_rows)
        self.phases[Phase.SCORING].pace.known_units = self.work.cells * batch
        self._last = self.clock()

    def measured(self, characters_per_second: float) -> None:
        """Take a speed that was measured on a few texts instead of the usual one."""
        self.phases[Phase.ENCODING].pace = Pace(1 / characters_per_second)

    def without_encoding(self) -> None:
        """Expect no events of texts and calls: worker processes tell of finished batches only, whose pace has
        all the time in it."""
        encoding, scoring = self.phases[Phase.ENCODING], self.phases[Phase.SCORING]
        scoring.pace.usual *= 1 + encoding.left_s / max(scoring.left_s, 1e-9)
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
                progress.pace.learn(units, passed)
            progress.done += units
            self.phase = phase
            self._correct_expected()

    def _correct_expected(self) -> None:
        """When a batch is done, expect of the other rows what its rows and those before needed."""
        scoring = self.phases[Phase.SCORING]
        batch = self.work.cells * self.work.batch_rows / max(1, self.work.n_rows)
        n_batches = int(scoring.done / max(1.0, batch))
        if n_batches == self._n_batches and scoring.done < scoring.expected:
            return
        self._n_batches = n_batches
        share = min(1.0, scoring.done / max(1, self.work.cells))
        self._total_s = self.worked_s / max(share, 1e-9)
        encoding = self.phases[Phase.ENCODING]
        encoding.expected = encoding.done / share
        if share >= 1:  # before that, two batches are judged at a time
            judging = self.phases[Phase.JUDGING]
            judging.expected = judging.done

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
        scoring = self.phases[Phase.SCORING]
        left = 1 - min(1.0, scoring.done / max(1, self.work.cells))
        # Towards the end the phases know best what is left.
        share = left * min(1.0, self._n_batches / BATCHES_KNOWN)
        return max(self.worked_s, share * self._total_s + (1 - share) * by_phase)

    @property
    def is_known(self) -> bool:
        """Whether the time left is known well enough to be shown."""
        if self.worked_s >= SHOWN_FROM_S:
            return True
        unknown_s = sum(each.left_s for each in self.phases.values() if each.pace.seconds < SURE_S)
        return (
            self.worked_s >= max(LEAST_S, SHOWN_FROM_SHARE * self.total_s)
            and unknown_s <= MOST_UNKNOWN * self.total_s
        )
