"""The questions of a comparison: their ids, the slices to compare in, and their clusters."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ragauge.comparing.systems import ComparedSystem, runs_of
from ragauge.errors import PlanError, did_you_mean
from ragauge.runs.scored_run import ScoredRun
from ragauge.samples.samples import FIELDS, by_number

if TYPE_CHECKING:
    Ints = NDArray[np.int64]

MAX_SLICES = 100
"""Most values of a field to compare by."""
NO_VALUE = "(none)"
PLAIN_FIELDS = ("question",)
"""Known fields that questions can be grouped by; the others hold answers, or lists."""


@dataclass(frozen=True)
class Slice:
    """The questions, by their places, whose `field` has this value; both None for all questions."""

    field: str | None
    value: str | None
    questions: "Ints"


@dataclass(frozen=True)
class Questions:
    """The questions of all sides, sorted by id. `clusters` (n,) numbers the cluster of each."""

    ids: "pl.Series"
    slices: tuple[Slice, ...]
    fields: tuple[str, ...]
    clusters: "Ints | None" = None
    notes: tuple[str, ...] = ()

    @property
    def n_clusters(self) -> int | None:
        return None if self.clusters is None else int(self.clusters.max(initial=-1)) + 1


def questions_of(
    sides: Sequence[ComparedSystem], by: Sequence[str], cluster: str | None
) -> Questions:
    """The questions of the sides; raises PlanError for a field that cannot be grouped by.

    A question has the value that the first side with one gives it.
    """
    fields = tuple(dict.fromkeys(by))
    wanted = [*fields, *([cluster] if cluster is not None else [])]
    if problems := [problem for name in wanted if (problem := _problem(sides, name))]:
        raise PlanError(problems)
    ids = _ids(sides)
    slices = [Slice(None, None, np.arange(len(ids)))]
    for field in fields:
        own = list(_slices(field, _values(sides, ids, field)))
        if len(own) > MAX_SLICES:
            problem = (
                f"cannot compare by {field!r}: it has {len(own):,} values, more than {MAX_SLICES}"
            )
            raise PlanError([f"{problem}; use a coarser field"])
        slices += own
    if cluster is None:
        return Questions(ids, tuple(slices), fields)
    values = _values(sides, ids, cluster)
    known, numbers = np.unique(values.fill_null("").to_numpy(), return_inverse=True)
    numbers = numbers.astype(np.int64)
    is_null = values.is_null().to_numpy()
    n_null = int(is_null.sum())
    numbers[is_null] = len(known) + np.arange(n_null)
    notes = (f"{n_null:,} questions without {cluster} are clusters of their own",) if n_null else ()
    return Questions(ids, tuple(slices), fields, numbers, notes)


def clusters_of(run: ScoredRun, field: str) -> dict[str, str]:
    """The cluster of each question: the value that its first answer has for a field.

    A question without one is a cluster of its own. PlanError for a field that is no property of questions.
    """
    sides = [ComparedSystem(run, system, system) for system in run.samples.systems]
    if problem := _problem(sides, field):
        raise PlanError([problem])
    rows = run.samples.frame.select("id", pl.col(field).cast(pl.String).alias("value"))
    first = rows.group_by("id", maintain_order=True).agg(pl.col("value").drop_nulls().first())
    return {id: f"\0{id}" if value is None else value for id, value in first.iter_rows()}


def _ids(sides: Sequence[ComparedSystem]) -> "pl.Series":
    """The ids of all sides' questions, sorted."""
    of_runs: list[pl.Series] = []
    for run in runs_of(sides):
        wanted = pl.col("system").is_in([side.system for side in sides if side.run is run])
        of_runs.append(run.samples.scan().filter(wanted).select("id").unique().collect()["id"])
    both = of_runs[0] if len(of_runs) == 1 else pl.concat(of_runs).unique()
    return both.sort()


def _problem(sides: Sequence[ComparedSystem], name: str) -> str:
    columns = list(dict.fromkeys(name for side in sides for name in side.run.samples.columns))
    known = [each for each in columns if each not in FIELDS or each in PLAIN_FIELDS]
    if name not in columns:
        hint = did_you_mean(name, known) or f"; they have {', '.join(known) or 'none'}"
        return f"the samples have no field {name!r}{hint}"
    if name not in known:
        return f"{name!r} is not a property of a question; use one of {', '.join(known) or 'none'}"
    return ""


def _values(sides: Sequence[ComparedSystem], ids: "pl.Series", name: str) -> "pl.Series":
    """The value of a field for each question as text, null where no side has one."""
    table = pl.DataFrame({"id": ids})
    for at, side in enumerate(sides):
        if name in side.run.samples.columns:
            of_side = side.run.samples.scan().filter(pl.col("system") == side.system)
            own = of_side.select("id", pl.col(name).cast(pl.String).alias(str(at))).collect()
            table = table.join(own, on="id", how="left", maintain_order="left")
    return table.select(pl.coalesce(pl.exclude("id")).alias(name))[name]


def _slices(field: str, values: "pl.Series") -> Iterator[Slice]:
    """The questions of each value; those without one last."""
    groups = pl.DataFrame({"value": values, "question": np.arange(len(values))})
    by_value = groups.partition_by("value", as_dict=True)
    for key in sorted(by_value, key=lambda key: (key[0] is None, by_number(str(key[0])))):
        value = NO_VALUE if key[0] is None else str(key[0])
        yield Slice(field, value, by_value[key]["question"].to_numpy())
