"""The systems of runs that are compared, and which of a run differ beyond chance."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePath
from typing import Any, cast

from ragauge.comparing.comparison import LEVEL, Comparison, MetricComparison
from ragauge.errors import PlanError, did_you_mean
from ragauge.runs.scored_run import ScoredRun
from ragauge.samples.fields import DEFAULT_SYSTEM
from ragauge.storage.tomlfile import read_dataclass

MOST_TESTS = 250
"""Most tests of all pairs. The smallest p of 10,000 drawn sign patterns, 0.0001, is 0.025 after Holm's
correction for 250 tests; with twice as many nothing could be found."""


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
    unknown system, and a run with several systems of which none is chosen. Sides of the same name get that of
    their folder or file too, with as many of the folders around it as tell them apart, or a number.
    """
    found = [_side(each, run) for each in given]
    sides = [side for side in found if isinstance(side, ComparedSystem)]
    problems = [each for each in found if isinstance(each, str)]
    if not problems and len(sides) < 2:
        problems.append("a comparison needs two systems or more; give a base and a candidate")
    problems += [
        f"{side.system!r} of {side.place} is given twice; compare it with another system"
        for at, side in enumerate(sides)
        if any(side.is_same(before) for before in sides[:at])
    ]
    if problems:
        raise PlanError(problems)
    names = [side.name for side in sides]
    for n_parts in (1, 2, 3, None):
        known = names.copy()
        for at, side in enumerate(sides):
            if known.count(known[at]) > 1:
                parts = PurePath(side.place).parts
                place = str(PurePath(*parts[-n_parts:])) if n_parts else side.place
                is_default = side.system == DEFAULT_SYSTEM
                names[at] = place if is_default else f"{side.system}@{place}"
    numbers = [names[: at + 1].count(name) for at, name in enumerate(names)]
    return tuple(
        replace(side, name=f"{name} ({number})" if names.count(name) > 1 else name)
        for side, name, number in zip(sides, names, numbers, strict=True)
    )


def _side(given: object, run: ScoredRun | None) -> ComparedSystem | str:
    """The side, or why it is none."""
    if isinstance(given, ComparedSystem):
        return given
    if isinstance(given, str) and run is None:
        return f"{given!r} is not a run; give runs, or compare systems with run.compare"
    pair = (run, given) if isinstance(given, str) else given
    pair = cast("tuple[Any, ...]", pair if isinstance(pair, tuple) else (given, None))
    if len(pair) != 2 or not hasattr(pair[0], "samples"):
        return f"a side is a run or (run, system), got {given!r:.80}"
    run, system = cast("tuple[ScoredRun, str | None]", pair)
    systems, where = run.samples.systems, run.place or run.samples.source
    if system is None and len(systems) != 1:
        return f"{where} has {len(systems)} systems: {', '.join(systems)}; choose one"
    system = systems[0] if system is None else system
    if system not in systems:
        hint = did_you_mean(system, systems) or f"; it has {', '.join(systems)}"
        return f"{where} has no system {system!r}{hint}"
    return ComparedSystem(run, system, system)


@dataclass(frozen=True, slots=True)
class Difference:
    """How far the aggregate of `best` is from that of `system`, on the `n` questions that both have scored.

    `difference` is best minus system. `p_value` is corrected for all tests of the comparison; None if
    the two could not be tested.
    """

    best: str
    system: str
    difference: float
    p_value: float | None
    n: int

    @property
    def is_significant(self) -> bool:
        return self.p_value is not None and self.p_value < LEVEL and self.difference != 0


@dataclass(frozen=True)
class SystemDifferences:
    """A comparison of the systems of a run, looked up by metric and systems.

    `base` is the system that all others are compared with; None if every pair is compared.
    """

    comparison: Comparison
    base: str | None

    @cached_property
    def _rows(self) -> Mapping[tuple[str, str, str], MetricComparison]:
        return {(row.metric, row.candidate, row.base): row for row in self.comparison.rows}

    def of(self, metric: str, best: str, system: str) -> Difference | None:
        """The difference of two systems by a metric, given by its label; None if there is none."""
        turned = self._rows.get((metric, system, best))
        row = self._rows.get((metric, best, system), turned)
        if row is None or row.difference is None:
            return None
        difference = 0.0 - row.difference if row is turned else row.difference
        return Difference(best, system, difference, row.p_corrected, row.n)


def differences(run: ScoredRun, best: str) -> SystemDifferences | None:
    """All systems of a run compared by all metrics; None for a single system. Computed once for a run.

    Every pair is compared, as by `ragauge compare RUN --all-pairs`. If that makes more than 250 tests,
    each system is compared with `best` only, as by `ragauge compare RUN BEST OTHER…`.

    >>> import ragauge as rg
    >>> rows = [
    ...     {"id": str(at), "system": system, "answer": answer, "reference": "Rome"}
    ...     for at in range(8)
    ...     for system, answer in (("a", "Rome"), ("b", "Oslo"))
    ... ]
    >>> found = differences(rg.evaluate(rows, "exact_match"), "a").of("exact_match", "a", "b")
    >>> found.difference, found.p_value, found.n, found.is_significant
    (1.0, 0.0078125, 8, True)
    """
    n = len(run.samples.systems)
    if n < 2:
        return None
    n_metrics = sum(not metric.unavailable for metric in run.metrics)
    base = None if n_metrics * n * (n - 1) // 2 <= MOST_TESTS else best
    made = comparisons_of(run)
    if base not in made:
        from ragauge.comparing.compare import compare_systems

        first = [] if base is None else [base]
        others = [system for system in run.samples.systems if system != base]
        made[base] = compare_systems(run, [*first, *others], "base" if first else "all")
    return SystemDifferences(made[base], base)


def comparisons_of(run: ScoredRun) -> dict[str | None, Comparison]:
    """The comparisons of all systems that were made so far, by their base; None where every pair is compared.

    Those that the run made when it ended are among them.
    """
    if "comparisons" not in run.computed:
        stored = run.stored_results.get("comparisons", ())
        pairs = cast("Sequence[tuple[str | None, object]]", stored)
        found = {base: read_dataclass(Comparison, made) for base, made in pairs}
        # The folder may have another name now.
        run.computed["comparisons"] = {
            base: replace(each, folders=(run.place,) * len(each.systems))
            for base, each in found.items()
        }
    return cast("dict[str | None, Comparison]", run.computed["comparisons"])
