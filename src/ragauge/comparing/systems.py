"""The sides of a comparison: each is one system of a run."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import cast

from ragauge.errors import PlanError, did_you_mean
from ragauge.runs.scored_run import ScoredRun
from ragauge.samples.samples import DEFAULT_SYSTEM


@dataclass(frozen=True)
class ComparedSystem:
    """One system of a run, and the name that it has in a comparison."""

    run: ScoredRun
    system: str
    name: str

    @property
    def place(self) -> str:
        """Where the run is, for messages."""
        return self.run.place or self.run.samples.source

    def is_same(self, other: "ComparedSystem") -> bool:
        one, two = self.run.folder, other.run.folder
        is_same_folder = one is not None and two is not None and one.resolve() == two.resolve()
        return self.system == other.system and (self.run is other.run or is_same_folder)


SystemLike = str | ScoredRun | tuple[ScoredRun, str] | ComparedSystem
"""A system of the run at hand, a run with one system, or a run and one of its systems."""


def runs_of(sides: Iterable[ComparedSystem]) -> Sequence[ScoredRun]:
    """The runs of the sides, each once."""
    return list({id(side.run): side.run for side in sides}.values())


def compared_systems(
    given: Sequence[object], run: ScoredRun | None = None
) -> tuple[ComparedSystem, ...]:
    """The sides of a comparison, each with a name of its own.

    A text is a system of `run`. Raises PlanError for fewer than two sides, a side given twice, an
    unknown system, and a run with several systems of which none is chosen.
    """
    found = [_side(each, run) for each in given]
    sides = [side for side in found if isinstance(side, ComparedSystem)]
    problems = [problem for problem in found if isinstance(problem, str)]
    if not problems and len(sides) < 2:
        problems.append("a comparison needs two systems or more; give a base and a candidate")
    problems += [
        f"{side.system!r} of {side.place} is given twice; compare it with another system"
        for at, side in enumerate(sides)
        if any(side.is_same(before) for before in sides[:at])
    ]
    if problems:
        raise PlanError(problems)
    return _with_own_names(sides)


def _side(given: object, run: ScoredRun | None) -> ComparedSystem | str:
    """The side, or why it is none."""
    system: str | None = None
    if isinstance(given, ComparedSystem):
        return given
    if isinstance(given, str):
        if run is None:
            return f"{given!r} is not a run; give runs, or compare systems with run.compare"
        system = given
    elif isinstance(given, tuple) and len(cast("tuple[object, ...]", given)) == 2:
        run, system = cast("tuple[ScoredRun, str]", given)
    elif isinstance(given, tuple) or not hasattr(given, "samples"):
        return f"a side is a run or (run, system), got {cast(object, given)!r:.80}"
    else:
        run = cast(ScoredRun, given)
    systems, where = run.samples.systems, run.place or run.samples.source
    if system is None and len(systems) != 1:
        return f"{where} has {len(systems)} systems: {', '.join(systems)}; choose one"
    system = systems[0] if system is None else system
    if system not in systems:
        hint = did_you_mean(system, systems) or f"; it has {', '.join(systems)}"
        return f"{where} has no system {system!r}{hint}"
    return ComparedSystem(run, system, system)


def _with_own_names(sides: Sequence[ComparedSystem]) -> tuple[ComparedSystem, ...]:
    """Sides of the same name get that of their folder or file too, with as many of the folders around it
    as tell them apart, or a number."""
    names = [side.name for side in sides]
    for n_parts in (1, 2, 3, None):
        known = names.copy()
        for at, side in enumerate(sides):
            if known.count(known[at]) > 1:
                parts = PurePath(side.place).parts
                place = str(PurePath(*parts[-n_parts:])) if n_parts else side.place
                is_default = side.system == DEFAULT_SYSTEM
                names[at] = place if is_default else f"{side.system}@{place}"
    return tuple(
        replace(
            side, name=f"{name} ({names[:at].count(name) + 1})" if names.count(name) > 1 else name
        )
        for at, (side, name) in enumerate(zip(sides, names, strict=True))
    )
