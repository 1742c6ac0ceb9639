"""The sides of a comparison: each is one system of a run."""

from collections.abc import Sequence
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
        folder = self.run.folder
        is_same_run = self.run is other.run or (
            folder is not None
            and other.run.folder is not None
            and folder.resolve() == other.run.folder.resolve()
        )
        return is_same_run and self.system == other.system


SystemLike = str | ScoredRun | tuple[ScoredRun, str] | ComparedSystem
"""A system of the run at hand, a run with one system, or a run and one of its systems."""


def compared_systems(
    given: Sequence[object], run: ScoredRun | None = None
) -> tuple[ComparedSystem, ...]:
    """The sides of a comparison, each with a name of its own.

    A text is a system of `run`. Raises PlanError for fewer than two sides, a side given twice, an
    unknown system, and a run with several systems of which none is chosen.
    """
    problems: list[str] = []
    sides: list[ComparedSystem] = []
    for each in given:
        try:
            sides.append(_side(each, run))
        except PlanError as error:
            problems += error.problems
    if not problems and len(sides) < 2:
        problems.append("a comparison needs two systems or more; give a base and a candidate")
    for at, side in enumerate(sides):
        if any(side.is_same(before) for before in sides[:at]):
            problems.append(
                f"{side.system!r} of {side.place} is given twice; compare it with another system"
            )
    if problems:
        raise PlanError(problems)
    return _with_own_names(sides)


def _side(given: object, run: ScoredRun | None) -> ComparedSystem:
    if isinstance(given, ComparedSystem):
        return given
    if isinstance(given, str):
        if run is None:
            raise PlanError(
                [f"{given!r} is not a run; give runs, or compare systems with run.compare"]
            )
        return _of_run(run, given)
    if isinstance(given, tuple) and len(cast("tuple[object, ...]", given)) == 2:
        chosen, system = cast("tuple[ScoredRun, str]", given)
        return _of_run(chosen, system)
    if isinstance(given, tuple) or not hasattr(given, "samples"):
        raise PlanError([f"a side is a run or (run, system), got {cast(object, given)!r:.80}"])
    return _of_run(cast(ScoredRun, given), None)


def _of_run(run: ScoredRun, system: str | None) -> ComparedSystem:
    systems = run.samples.systems
    where = run.place or run.samples.source
    if system is None and len(systems) == 1:
        return ComparedSystem(run, systems[0], systems[0])
    if system is None:
        raise PlanError([f"{where} has {len(systems)} systems: {', '.join(systems)}; choose one"])
    if system not in systems:
        hint = did_you_mean(system, systems) or f"; it has {', '.join(systems)}"
        raise PlanError([f"{where} has no system {system!r}{hint}"])
    return ComparedSystem(run, system, system)


def _with_own_names(sides: Sequence[ComparedSystem]) -> tuple[ComparedSystem, ...]:
    """Sides of the same name get that of their folder or file too, with as many of the folders around it
    as tell them apart, or a number."""
    named = list(sides)
    for n_parts in (1, 2, 3, None):
        names = [side.name for side in named]
        named = [
            side if names.count(side.name) == 1 else _with_place(side, n_parts) for side in named
        ]
    names = [side.name for side in named]
    return tuple(
        replace(side, name=f"{side.name} ({names[:at].count(side.name) + 1})")
        if names.count(side.name) > 1
        else side
        for at, side in enumerate(named)
    )


def _with_place(side: ComparedSystem, n_parts: int | None) -> ComparedSystem:
    """The side named by the last parts of where its run is; None for all of them."""
    name = str(PurePath(*PurePath(side.place).parts[-n_parts:])) if n_parts else side.place
    return replace(side, name=name if side.system == DEFAULT_SYSTEM else f"{side.system}@{name}")
