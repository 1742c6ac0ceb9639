"""The questions of a comparison: their ids, the slices to compare in, and their clusters."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ragauge.comparing.systems import ComparedSystem
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

    @classmethod
    def everything(cls, n: int) -> "Slice":
        """All of n questions."""
        return cls(None, None, np.arange(n))


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

    @classmethod
    def of(
        cls,
        sides: Sequence[ComparedSystem],
        ids: "pl.Series",
        by: Sequence[str],
        cluster: str | None,
    ) -> "Questions":
        """The questions of the sides; raises PlanError for a field that cannot be grouped by.

        A question has the value that the first side with one gives it.
        """
        fields = tuple(dict.fromkeys(by))
        wanted = [*fields, *([cluster] if cluster is not None else [])]
        problems = [problem for name in wanted if (problem := _problem(sides, name))]
        if problems:
            raise PlanError(problems)
        slices = [Slice.everything(len(ids))]
        notes: list[str] = []
        for field in fields:
            values = _values(sides, ids, field)
            own = list(_slices(field, values))
            if len(own) > MAX_SLICES:
                problem = f"cannot compare by {field!r}: it has {len(own):,} values, more than {MAX_SLICES}"
                raise PlanError([f"{problem}; use a coarser field"])
            slices += own
        clusters = None
        if cluster is not None:
            values = _values(sides, ids, cluster)
            clusters = _numbered(values)
            if n_null := values.null_count():
                notes.append(f"{n_null:,} questions without {cluster} are clusters of their own")
        return cls(ids, tuple(slices), fields, clusters, tuple(notes))


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
    found: list[str] = []
    for at, side in enumerate(sides):
        if name in side.run.samples.columns:
            of_side = side.run.samples.scan().filter(pl.col("system") == side.system)
            own = of_side.select("id", pl.col(name).cast(pl.String).alias(str(at))).collect()
            table = table.join(own, on="id", how="left", maintain_order="left")
            found.append(str(at))
    return table.select(pl.coalesce(found).alias(name))[name]


def _slices(field: str, values: "pl.Series") -> Iterator[Slice]:
    groups = pl.DataFrame({"value": values, "question": np.arange(len(values))})
    by_value = groups.partition_by("value", as_dict=True)
    ordered = sorted(by_value, key=lambda key: (key[0] is None, by_number(str(key[0]))))
    for key in ordered:
        value = NO_VALUE if key[0] is None else str(key[0])
        yield Slice(field, value, by_value[key]["question"].to_numpy())


def _numbered(values: "pl.Series") -> "Ints":
    """The number of each value in sorted order; each null has a number of its own, after them."""
    known, numbers = np.unique(values.fill_null("").to_numpy(), return_inverse=True)
    numbers = numbers.astype(np.int64)
    is_null = values.is_null().to_numpy()
    numbers[is_null] = len(known) + np.arange(int(is_null.sum()))
    return numbers
