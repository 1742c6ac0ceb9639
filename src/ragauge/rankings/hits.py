"""The judged documents in many rankings, all that a ranking measure needs, as unjudged ones are only counted; and a measure: a function from them to one number for each query."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import pairwise
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ragauge.label import SettingValue
from ragauge.score import Aggregation
from ragauge.setting import Setting, read_setting, read_settings

Bytes = NDArray[np.uint8]
Words = NDArray[np.uint64]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

Compat = Literal["trec9", "trec10"]
"""trec_eval 9 compares scores as 32-bit floats, trec_eval 10 as 64-bit floats."""


@dataclass(frozen=True, eq=False)
class Hits:
    """The judged documents among the retrieved ones, for n queries, in columns.

    `n_retrieved` (n,) counts each query's retrieved documents. A hit is a retrieved document that
    has a judgement: `query` (h,) is its query's number, ascending; `rank` (h,) counts from 1 and
    ascends within a query; `grade` (h,) is its judgement, below 0 for "pooled but not judged".
    `n_new` (h,) is how many relevant items it is the first to show: 1 for a document, 0 or more
    for a passage that is matched with gold passages by its text. `judged_query` (j,), ascending,
    and `judged_grade` (j,), highest first within a query, are all judgements, retrieved or not.
    """

    n_retrieved: Ints
    query: Ints
    rank: Ints
    grade: Ints
    n_new: Ints
    judged_query: Ints
    judged_grade: Ints

    @cached_property
    def n(self) -> int:
        """The number of queries."""
        return len(self.n_retrieved)

    @cached_property
    def _n_relevant(self) -> dict[int, Ints]:
        """By grade, kept because most measures use the same grade."""
        return {}

    def n_relevant(self, min_grade: int = 1) -> Ints:
        """The number of documents of at least this grade in each query's judgements, (n,)."""
        if min_grade not in self._n_relevant:
            n_relevant = self.count(self.judged_query, self.judged_grade >= min_grade)
            self._n_relevant[min_grade] = n_relevant
        return self._n_relevant[min_grade]

    def count(self, query: Ints, where: Bools) -> Ints:
        """The number of rows of each query for which `where` is true, (n,)."""
        return np.bincount(query[where], minlength=self.n)

    def total(self, query: Ints, amount: Floats | Ints) -> Floats:
        """The sum of each query's amounts in their order, (n,); no digit depends on the batch."""
        total = np.bincount(query, weights=amount, minlength=self.n)
        return total.astype(np.float64, copy=False)

    def so_far(self, amount: Ints | Bools) -> Ints:
        """For each hit, the sum of the amounts of its query's hits up to and including it, (h,)."""
        total = np.cumsum(amount, dtype=np.int64)
        first = _firsts(self.query, self.n)[self.query]
        return total - (total - amount)[first]

    @cached_property
    def ideal_rank(self) -> Ints:
        """The rank of each judgement in the ideal ranking, from 1, (j,)."""
        return ranks_within(self.judged_query, self.n)

    def up_to(self, depth: int) -> "Hits":
        """The first `depth` documents of each ranking; trec_eval's -M."""
        kept = self._where(self.rank <= depth)
        return replace(kept, n_retrieved=np.minimum(self.n_retrieved, depth))

    def judged_only(self) -> "Hits":
        """The rankings without unjudged documents, so later ones move up; trec_eval's -J."""
        kept = self._where(self.grade >= 0)
        n_judged = np.bincount(kept.query, minlength=self.n)
        return replace(kept, rank=ranks_within(kept.query, self.n), n_retrieved=n_judged)

    def take(self, rows: Ints) -> "Hits":
        """The rankings of these rows, in their order; rows may repeat."""
        hits, query = _rows_of(self.query, rows, self.n)
        judged, judged_query = _rows_of(self.judged_query, rows, self.n)
        rank, grade, n_new = (column[hits] for column in (self.rank, self.grade, self.n_new))
        grades, n_retrieved = self.judged_grade[judged], self.n_retrieved[rows]
        return Hits(n_retrieved, query, rank, grade, n_new, judged_query, grades)

    def _where(self, kept: Bools) -> "Hits":
        columns = ("query", "rank", "grade", "n_new")
        return replace(self, **{name: getattr(self, name)[kept] for name in columns})


def one_hit(*, rank: int, grade: int = 1) -> Hits:
    """One query whose only judged document has this rank, the last of those retrieved."""
    zero, one = np.zeros(1, np.int64), np.ones(1, np.int64)
    return Hits(rank * one, zero, rank * one, grade * one, one, zero, grade * one)


def ranks_within(query: Ints, n: int) -> Ints:
    """The position from 1 of each row within its query; `query` ascends over n queries."""
    return np.arange(1, len(query) + 1) - _firsts(query, n)[query]


def _firsts(query: Ints, n: int) -> Ints:
    """The index of each query's first row in a column sorted by query, (n,)."""
    count = np.bincount(query, minlength=n)
    return np.cumsum(count) - count


def _rows_of(query: Ints, rows: Ints, n: int) -> tuple[Ints, Ints]:
    """The indices of the rows' entries in a column sorted by query, and their new row numbers."""
    size = np.bincount(query, minlength=n)[rows]
    new = np.repeat(np.arange(len(rows)), size)
    return _firsts(query, n)[rows][new] + ranks_within(new, len(rows)) - 1, new


Absence = Literal["nothing relevant", "nothing retrieved", "never"]

Settings = Mapping[str, SettingValue]
Function = TypeVar("Function", bound=Callable[..., Floats])
T = TypeVar("T")


class Cause(NamedTuple):
    """Why some queries have no value: which ones, (n,), and the reason."""

    where: Bools
    reason: str


class Values(NamedTuple):
    """A measure's numbers, (n,), 0.0 where `undefined`, and the reasons."""

    value: Floats
    undefined: Bools
    causes: tuple[Cause, ...]

    def reason(self, query: int) -> str | None:
        """Why the query has no value; None when it has one."""
        return next((cause.reason for cause in self.causes if cause.where[query]), None)


def judged_hits(hits: Hits, *, k: int | None = None) -> Bools:
    """Which hits are among the first k, (h,)."""
    return np.ones(len(hits.rank), np.bool_) if k is None else hits.rank <= k


def relevant_hits(hits: Hits, *, min_grade: int = 1, k: int | None = None) -> Bools:
    """Which hits are relevant and among the first k, (h,)."""
    relevant = hits.grade >= min_grade
    return relevant if k is None else relevant & (hits.rank <= k)


def nonrelevant_hits(hits: Hits, *, min_grade: int = 1) -> Bools:
    """Which hits are judged and not relevant, (h,)."""
    return (hits.grade >= 0) & (hits.grade < min_grade)


def n_relevant(hits: Hits, *, min_grade: int = 1) -> Ints:
    """The number of relevant judged documents or gold passages, (n,)."""
    return hits.n_relevant(min_grade)


def n_hits(hits: Hits, *, min_grade: int = 1, k: int | None = None) -> Ints:
    """The number of relevant documents among the first k, (n,)."""
    return hits.count(hits.query, relevant_hits(hits, min_grade=min_grade, k=k))


def n_found(hits: Hits, *, min_grade: int = 1, k: int | None = None) -> Ints:
    """The number of relevant documents or gold passages that the first k show, (n,)."""
    found = relevant_hits(hits, min_grade=min_grade, k=k)
    return hits.total(hits.query[found], hits.n_new[found]).astype(np.int64)


def n_places(hits: Hits, *, k: int | None = None) -> Ints:
    """The number of places that precision divides by, (n,): k, or the number retrieved."""
    return hits.n_retrieved if k is None else np.full(hits.n, k)


@dataclass(frozen=True, eq=False)
class Measure:
    """A ranking measure: its formula, bounds, aggregation and evidence.

    `undefined` is when it has no value; `beyond` finds the queries whose grades it does not accept.
    `aggregation` is how the queries' numbers are aggregated. `ranked`: whether a higher number, or a
    lower one, is better as such. `shown` picks the hits that its evidence lists, and `parts` are further
    columns of the evidence. `by_text`: passages may be matched by their text as well as by id.
    """

    name: str
    function: Callable[..., Floats]
    version: int = 1
    undefined: Absence = "nothing relevant"
    beyond: Callable[..., Cause] | None = None
    aggregation: Aggregation = "mean"
    low: float | None = 0.0
    high: float | None = 1.0
    lower_is_better: bool = False
    ranked: bool = True
    by_text: bool = False
    shown: Callable[..., Bools] = judged_hits
    parts: Mapping[str, Callable[..., Floats | Ints]] = field(
        default_factory=dict[str, Callable[..., Floats | Ints]]
    )

    @cached_property
    def settings(self) -> tuple[Setting, ...]:
        """The keyword-only parameters of the function."""
        parameters = inspect.signature(self.function, eval_str=True).parameters.values()
        return tuple(map(read_setting, list(parameters)[1:]))

    @property
    def setting_names(self) -> tuple[str, ...]:
        return _names(self.function)

    def read_settings(self, given: Settings) -> dict[str, SettingValue]:
        """All settings, the given ones checked by type; LabelError names every bad one."""
        return read_settings(self.name, self.settings, given)

    def values(self, hits: Hits, settings: Settings) -> Values:
        """Each query's number with these settings; settings of other measures are ignored."""
        own = {name: settings[name] for name in self.setting_names if name in settings}
        causes: list[Cause] = []
        if self.undefined == "nothing relevant":
            where = _call(n_relevant, hits, own) == 0
            causes.append(Cause(where, "no relevant document is judged"))
        if self.undefined == "nothing retrieved":
            causes.append(Cause(hits.n_retrieved == 0, "nothing is retrieved"))
        if self.beyond:
            causes.append(_call(self.beyond, hits, own))
        undefined = np.zeros(hits.n, np.bool_)
        for cause in causes:
            undefined |= cause.where
        value = self.function(hits, **own)
        return Values(np.where(undefined, 0.0, value) if causes else value, undefined, (*causes,))

    def evidence(
        self, names: Sequence[str], hits: Hits, settings: Settings
    ) -> list[dict[str, object]]:
        """The evidence of each query's number; `names` are the hits' names, in the table's order."""
        at = np.flatnonzero(_call(self.shown, hits, settings))
        shown: list[dict[str, object]] = []
        columns = (column[at].tolist() for column in (hits.rank, hits.grade, hits.n_new))
        for hit, rank, grade, n_new in zip(at.tolist(), *columns, strict=True):
            shown.append({"rank": rank, "grade": grade, "name": names[hit]})
            if n_new != 1:
                shown[-1]["n_new"] = n_new
        parts = {name: _call(make, hits, settings).tolist() for name, make in self.parts.items()}
        hits_of = _grouped(hits.query[at], shown, hits.n)
        grades = _grouped(hits.judged_query, hits.judged_grade.tolist(), hits.n)
        columns = {"hits": hits_of, "n_retrieved": hits.n_retrieved.tolist(), "judged": grades}
        columns |= parts
        return [{name: column[row] for name, column in columns.items()} for row in range(hits.n)]


def _grouped(query: Ints, cells: list[T], n: int) -> list[list[T]]:
    """The cells of a column sorted by query, in one list for each query."""
    ends = np.cumsum(np.bincount(query, minlength=n)).tolist()
    return [cells[start:stop] for start, stop in pairwise([0, *ends])]


@cache
def _names(function: Callable[..., object]) -> tuple[str, ...]:
    return tuple(inspect.signature(function).parameters)[1:]


def _call(function: Callable[..., T], hits: Hits, settings: Settings) -> T:
    """Call the function with the hits and those settings that are its parameters."""
    return function(hits, **{name: settings[name] for name in _names(function) if name in settings})


MEASURES: dict[str, Measure] = {}
"""Every ranking measure by its name."""


def measure(*, name: str | None = None, **options: Any) -> Callable[[Function], Function]:
    """Register a ranking measure; the function is returned unchanged.

    The function takes Hits and settings and returns (n,) numbers. The options are the fields of `Measure`.
    """

    def declare(function: Function) -> Function:
        declared = Measure(name or function.__name__, function, **options)
        MEASURES[declared.name] = declared
        return function

    return declare
