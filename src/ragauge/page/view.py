"""What the report page shows of runs, typed once: web/src/view.ts is generated from these classes."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fact:
    """One line of what was run: "seed", "0"."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Problem:
    """Scores that failed or were skipped: a sentence, and the filter that lists their answers.

    `where` is empty for a difference between runs that are shown as one.
    """

    text: str
    where: str


@dataclass(frozen=True, slots=True)
class Reason:
    """Why scores have no value: their status, the reason, and how many."""

    status: str
    reason: str
    n: int


@dataclass(frozen=True, slots=True)
class Cell:
    """One system's aggregate of one metric.

    `shown`, `interval` and `bounds` are formatted on the suite's scale; `mean`, `low` and `high` are
    the numbers behind them. `differs`: beyond chance from the best system. `bins` counts the values in
    equal parts of the range of the metric's histogram.
    """

    shown: str
    interval: str
    bounds: str
    mean: float | None
    low: float | None
    high: float | None
    n: int
    ok: int
    differs: bool
    reasons: tuple[Reason, ...]
    bins: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """A paired comparison of two systems by one metric, as positions in `RunView.systems`.

    `difference` is `other` minus `base`, over the `n` questions for which both have a value, with its
    95 % interval. `p_value` is corrected for all tests of the run; None if the two could not be tested.
    `base_shown` and `other_shown` are the means of these `n` questions, as they are displayed. `ratio` is `other` over
    `base` with its interval, for times and costs.
    """

    base: int
    other: int
    base_shown: str
    other_shown: str
    difference: float
    low: float | None
    high: float | None
    p_value: float | None
    n: int
    ratio: tuple[float, float | None, float | None] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricView:
    """A metric: how it is read, its aggregates by system and its comparisons.

    `range` is the range of the histogram and of the interval bars: the metric's bounds if `is_bounded`,
    else those of its values. `cells` has one item for each
    system, None where the metric has no score. `column` is the position of its values among the scores;
    None for a metric that no answer has a value for. `version` identifies the code of the metric.
    """

    label: str
    name: str
    family: str = ""
    version: int | None
    lower_is_better: bool
    is_ranked: bool
    is_count: bool
    scale: float = 1.0
    digits: int
    range: tuple[float, float]
    is_bounded: bool
    cells: tuple[Cell | None, ...]
    pairs: tuple[Pair, ...]
    cautions: tuple[str, ...] = ()
    unavailable: str = ""
    column: int | None


@dataclass(frozen=True, slots=True)
class SliceCell:
    """One system's mean of one metric on one part of the answers."""

    shown: str
    interval: str
    mean: float | None
    ok: int


@dataclass(frozen=True, slots=True)
class SliceView:
    """The answers split by a field. `cells[value][metric][system]`; None where there is no score."""

    field: str
    values: tuple[str, ...]
    counts: tuple[int, ...]
    metrics: tuple[int, ...]
    cells: tuple[tuple[tuple[SliceCell | None, ...], ...], ...]


@dataclass(frozen=True, slots=True)
class FindingView:
    """A pattern of scores that the suite looks for, and the answers of one system that show it.

    `metrics` has the position of the metric that each name in `when` refers to. `ids` are the first
    questions; the page finds all of them with `when`.
    """

    system: int
    says: str
    when: str
    metrics: Mapping[str, int]
    n: int
    n_rows: int
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Worst:
    """One of the worst things found, with the question to open."""

    text: str
    id: str


@dataclass(frozen=True, slots=True)
class FieldView:
    """A field of the samples. `is_shared`: all systems have the same value for a question.

    `chunk` is the name of the column with the values; empty for most lists in a file, which are in the
    blocks only. A column of lists has the texts that Python prints, in which a filter searches. `is_float`:
    its numbers, or those in its lists, are floats, which Python prints as 1.0.
    """

    name: str
    kind: str
    is_shared: bool
    is_float: bool
    chunk: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunView:
    """One run. `of` is "answers" or "rankings", which have queries and no texts. `systems` and all that counts by system have the best system first.

    `blocks` are the positions of the first question of each block of texts and evidence; the chunk of
    block 3 of run 0 is called `0.block.3`. `has_evidence` is False if the page was written without it.
    `prompts` are the templates of the judges' prompts by name; those that this version does not have are absent.
    `asked` counts questions or conversations where several answers belong to one; else it is empty.
    `method` says how systems were compared and which tests p is corrected for, `mark` what a star means;
    both are empty for one system. `compared_with` is the system that all others were compared with,
    None if every pair was.
    """

    title: str
    headline: str
    suite: str
    of: str
    n_questions: int
    asked: str = ""
    n_answers: int
    systems: tuple[str, ...]
    families: Mapping[str, str]
    facts: tuple[Fact, ...]
    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...]
    metrics: tuple[MetricView, ...]
    prompts: Mapping[str, str]
    method: str
    mark: str
    compared_with: int | None = None
    slices: tuple[SliceView, ...] = ()
    findings: tuple[FindingView, ...] = ()
    worst: tuple[Worst, ...] = ()
    fields: tuple[FieldView, ...] = ()
    statuses: tuple[str, ...]
    n_columns: int
    blocks: tuple[int, ...] = ()
    has_evidence: bool = True


@dataclass(frozen=True, slots=True)
class ReportView:
    """The whole page. `source` is "file" for a single file and "server" for `ragauge view`.

    For `ragauge review serve` it is "review" for the page of the queue, which has no runs, and "reviewed" for
    the report that comes after it.
    """

    version: str
    made: str
    source: str
    runs: tuple[RunView, ...]
