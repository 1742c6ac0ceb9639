"""The engine: run a plan over one batch of samples, computing each node once.

A column is a sequence with one cell per row, or one cell per pair of row and reference. A cell
without a value is None (the sample has none) or a Score with the reason; nodes that need the cell get
no value for the same reason.
"""

from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from itertools import accumulate, repeat
from traceback import extract_tb
from typing import TYPE_CHECKING, cast

from ragauge.errors import EncoderError, LabelError, MetricError, RagaugeError
from ragauge.label import Label
from ragauge.metric import NOTHING_EXPECTED, PROMPTS, Column, Metric
from ragauge.sample import REFERENCE, Columns
from ragauge.score import LOST_PARTS, Score
from ragauge.where import Filter

# Plan and resources are imported for their types only: the code that a run's key depends on is found by
# following imports, and neither module computes a number.
if TYPE_CHECKING:
    from ragauge.engine.plan import Input, Node, Plan, PlannedMetric
    from ragauge.engine.resources import Resources

Cells = Sequence[object]
Scores = list[Score | None]
"""A metric's score for each row; None where the metric does not apply to the row."""

DISPUTE = 0.5
"""Judges whose values differ by at least this much disagree on the row."""
ROUNDING = 1e-9
"""A value that exceeds a bound by at most this much is a rounding error and is set to the bound."""


def measure(plan: "Plan", columns: Columns, resources: "Resources") -> list[Scores]:
    """The scores of each metric of the plan, in the plan's order, for every row.

    Corpus features that `resources` do not have are computed from these rows alone.
    Raises MetricError, which names the metric and the sample, if a metric or feature raises an error.
    """
    batch = _Batch(columns, resources)
    with _cancel_scope(plan):
        batch.run_all(plan.nodes)
        scores = _with_repeats(plan, batch)
    return _with_disputes(plan, scores) if len(batch.resources.judge_names) > 1 else scores


def has_async_nodes(plan: "Plan") -> bool:
    """Whether a function of the plan is async, such as one that calls a judge."""
    return any(node.definition.is_async for node in plan.nodes)


def _cancel_scope(plan: "Plan") -> AbstractContextManager[None]:
    if not has_async_nodes(plan):
        return nullcontext()
    from ragauge.judges.loop import cancel_scope

    return cancel_scope()


def _with_repeats(plan: "Plan", batch: "_Batch") -> list[Scores]:
    """The scores; those that depend on a judge are means over all repeats."""
    scores = [batch.scores(metric) for metric in plan.metrics]
    n_repeats = batch.resources.judging.repeat
    if n_repeats == 1:
        return scores
    judged = judged_nodes(plan)
    repeats = [scores]
    for number in range(1, n_repeats):
        repeated = batch.for_repeat(judged, number)
        repeated.run_all([node for node in plan.nodes if node.key in judged])
        repeats.append([repeated.scores(metric) for metric in plan.metrics])
    return [
        scores[place] if metric.node not in judged else _over_repeats(repeats, place)
        for place, metric in enumerate(plan.metrics)
    ]


def judged_nodes(plan: "Plan") -> frozenset[str]:
    """The keys of the nodes whose values depend on a judge."""
    judged: set[str] = set()
    for node in plan.nodes:
        if "judge" in node.definition.resources or any(
            source.node in judged for source in node.inputs
        ):
            judged.add(node.key)
    return frozenset(judged)


def _with_disputes(plan: "Plan", scores: Sequence[Scores]) -> list[Scores]:
    """The scores; where judges disagree on a row, their scores are marked for review."""
    by_metric: dict[str, list[int]] = {}
    for place, metric in enumerate(plan.metrics):
        if "judge=" in metric.metric:
            by_metric.setdefault(without_judge(metric.metric), []).append(place)
    out = list(scores)
    for places in (places for places in by_metric.values() if len(places) > 1):
        names = [
            str(Label.parse(plan.metrics[place].metric).settings.get("judge")) for place in places
        ]
        rows = [
            _with_dispute(row, names) for row in zip(*(scores[at] for at in places), strict=True)
        ]
        for place, column in zip(places, zip(*rows, strict=True), strict=True):
            out[place] = list(column)
    return out


def without_judge(metric: str) -> str:
    """A label without its judge and prompts: equal for the same metric scored by several judges."""
    if "judge=" not in metric:
        return metric
    try:
        label = Label.parse(metric)
    except LabelError:  # a judge's name may make the label longer than allowed
        return metric
    kept = {name: value for name, value in label.settings.items() if name not in ("judge", PROMPTS)}
    return str(Label(label.name, kept))


def _with_dispute(row: Sequence[Score | None], names: Sequence[str]) -> Sequence[Score | None]:
    values = [score.value for score in row if score is not None and score.value is not None]
    if len(values) < 2 or max(values) - min(values) < DISPUTE:
        return row
    by_judge = {name: score and score.value for name, score in zip(names, row, strict=True)}
    marks = {"needs_review": True, "judges": by_judge}
    return [
        score
        if score is None or score.value is None
        else replace(score, evidence={**(score.evidence or {}), **marks})
        for score in row
    ]


def _over_repeats(repeats: Sequence[Sequence[Scores]], place: int) -> Scores:
    """Each row's mean over the repeats in which it has a value."""
    columns = [scores[place] for scores in repeats]
    return [_mean_score(row) for row in zip(*columns, strict=True)]


def _mean_score(repeats: Sequence[Score | None]) -> Score | None:
    """The mean score of one row over the repeats, with their values and spread as evidence."""
    scored = [score for score in repeats if score is not None and score.value is not None]
    lost = [
        score
        for score in repeats
        if score is not None and (score.is_lost or LOST_PARTS in (score.evidence or {}))
    ]
    if not scored:
        return next((score for score in lost if score.is_lost), repeats[0])
    values = [cast(float, score.value) for score in scored]
    mean = sum(values) / len(values)
    # The mean of equal values is exactly that value, without the rounding error of a sum.
    mean = values[0] if len(set(values)) == 1 else mean
    spread = (sum((value - mean) ** 2 for value in values) / len(values)) ** 0.5
    by_repeat = [
        score.value if score and score.value is not None else score and score.reason
        for score in repeats
    ]
    evidence = {**(scored[0].evidence or {}), "repeats": by_repeat, "spread": spread}
    if any((score.evidence or {}).get("needs_review") for score in scored):
        evidence["needs_review"] = True
    if lost:
        evidence[LOST_PARTS] = evidence.get(LOST_PARTS, [f"{len(lost)} of {len(repeats)} repeats"])
    if "grade" in evidence and len(set(values)) > 1:  # the grade of the first repeat only
        evidence["grades"] = [(score.evidence or {}).get("grade") for score in scored]
        del evidence["grade"]
    return Score(mean, evidence=evidence)


def of_corpus(node: "Node", columns: Sequence[Iterable[object]], resources: "Resources") -> object:
    """The value of a corpus feature, computed from columns with one cell per question."""
    keywords = resources.arguments(node.definition, node.settings)
    try:
        return node.definition.function(*columns, **keywords)
    except EncoderError as error:
        return Score.failed(str(error))
    except RagaugeError:
        raise
    except Exception as error:  # an error in the feature's own code is a bug of the feature
        raise MetricError(
            f"feature {node.definition.name} raised {type(error).__name__}: {error!s:.500} "
            f"on the corpus; fix it in {_source_line(node.definition.function, error)}"
        ) from error


class _Batch:
    """The columns of one batch: those of the samples, and those computed so far."""

    def __init__(self, columns: Columns, resources: "Resources") -> None:
        self.columns = columns
        self.resources = resources
        self.n = len(columns["id"])
        self.computed: dict[str, Cells] = {}
        """The cells of each node, by its key."""
        self.paired: set[str] = set()
        """Keys of the nodes with one cell per pair of row and reference."""
        self.gaps: dict[str, bool] = {}
        """By a node's key, whether a cell of it has no value."""
        self.masks: dict[str, list[bool]] = {}
        """By a filter's text, which rows match it."""
        self.pending: dict[str, _Pending] = {}
        """Started async nodes whose cells are not complete, by key."""
        references = cast(Sequence[Sequence[str] | None], self._column("references"))
        self.n_references = [None if texts is None else len(texts) for texts in references]
        self.pair_rows = [row for row, n in enumerate(self.n_references) for _ in range(n or 0)]
        self.pair_texts = [text for texts in references for text in texts or ()]

    def for_repeat(self, judged: Collection[str], number: int) -> "_Batch":
        """The same batch without the nodes that depend on a judge, which are computed again."""
        other = _Batch(self.columns, self.resources.for_repeat(number))
        other.computed = {key: cells for key, cells in self.computed.items() if key not in judged}
        other.paired = {key for key in self.paired if key not in judged}
        return other

    def run_all(self, nodes: "Sequence[Node]") -> None:
        """Run each node once, starting all async nodes that can start before waiting for any."""
        waiting = list(nodes)
        while waiting:
            later: list[Node] = []
            for node in waiting:
                needs = {source.node for source in node.inputs if source.node}
                if needs & {other.key for other in later} or not self._can_run(node, needs):
                    later.append(node)
                else:
                    self.run(node)
            self._await_pending()
            waiting = later

    def _can_run(self, node: "Node", needs: Collection[str]) -> bool:
        """Whether the inputs are complete, or an async node can await their pending cells row by row."""
        pending = [self.pending[key] for key in needs if key in self.pending]
        if not pending:
            return True
        # A node that takes all references of a row at once needs their cells complete and grouped.
        is_row_by_row = all(
            not source.is_best and source.node.per_reference <= node.per_reference
            for source in pending
        )
        return node.definition.is_async and is_row_by_row

    def _await_pending(self) -> None:
        """Wait for all started nodes and keep their cells."""
        if not self.pending:
            return
        from ragauge.judges.loop import gather, run

        columns = run(gather([pending.cells for pending in self.pending.values()]))
        for pending, cells in zip(self.pending.values(), columns, strict=True):
            self._keep(pending.node, cells)
        self.pending.clear()

    def run(self, node: "Node") -> None:
        if node.definition.corpus:
            self.computed[node.key] = [self._corpus_value(node)] * self.n
            return
        paired = node.per_reference
        rows = self.pair_rows if paired else range(self.n)
        inputs = [self._cells(source, paired) for source in node.inputs]
        is_complete = not any(map(self._has_gaps, node.definition.columns, node.inputs, inputs))
        keywords = self.resources.arguments(node.definition, node.settings)
        task = _Task(node, keywords, inputs, is_complete, lambda at: self._sample(rows[at]))
        if node.definition.is_async:
            self._keep_pending(node, task.start(self._selected(node, rows)))
            return
        cells = (
            task.run_batch() if node.definition.batch else task.run_rows(self._selected(node, rows))
        )
        self._keep(node, cells)

    def _keep_pending(self, node: "Node", cells: Cells) -> None:
        is_best = node.per_reference and isinstance(node.definition, Metric)
        self.pending[node.key] = _Pending(node, cells, is_best)
        self.computed[node.key] = cells
        if node.per_reference and not is_best:
            self.paired.add(node.key)

    def _keep(self, node: "Node", cells: Cells) -> None:
        if node.per_reference and isinstance(node.definition, Metric):
            selected = self._selected(node, range(self.n))
            cells = self._best(node.definition, cast(Scores, cells), selected)
        elif node.per_reference:
            self.paired.add(node.key)
        self.computed[node.key] = cells

    def _corpus_value(self, node: "Node") -> object:
        """The value of a corpus feature; computed from this batch if `resources` do not have it."""
        if node.key not in self.resources.corpus:
            columns = [self._cells(source, paired=False) for source in node.inputs]
            return of_corpus(node, columns, self.resources)
        return self.resources.corpus[node.key]

    def scores(self, metric: "PlannedMetric") -> Scores:
        if metric.node is None:
            return [Score.skipped(metric.unavailable or "not available")] * self.n
        return cast(Scores, self.computed[metric.node])

    def _column(self, name: str) -> Cells:
        return self.columns.get(name) or [None] * self.n

    def _cells(self, source: "Input", paired: bool) -> Cells:
        """The cells of a parameter, one for each row or pair of the node."""
        if source.column == REFERENCE:
            return self.pair_texts
        if source.node in self.paired:
            cells = self.computed[source.node]
            return cells if paired else self._grouped_by_row(cells)
        if source.node is not None:
            cells = self.computed[source.node]
        elif source.column is not None:
            cells = self._column(source.column)
        else:
            cells = [Score.skipped(source.unavailable or "not available")] * self.n
        return [cells[row] for row in self.pair_rows] if paired else cells

    def _has_gaps(self, column: Column, source: "Input", cells: Cells) -> bool:
        """Whether a cell may have no value, so that each cell must be checked."""
        if column.takes_score or source.unavailable:
            return True
        if source.node is None:
            return None in cells
        if source.node in self.pending:
            return True
        if source.node not in self.gaps:
            self.gaps[source.node] = any(
                cell is None or isinstance(cell, Score) for cell in self.computed[source.node]
            )
        return self.gaps[source.node] or None in self.n_references

    def _grouped_by_row(self, cells: Cells) -> Cells:
        """For each row, the list of its references' cells."""
        ends = accumulate(n or 0 for n in self.n_references)
        return [
            None if n is None else cells[end - n : end]
            for n, end in zip(self.n_references, ends, strict=True)
        ]

    def _selected(self, node: "Node", rows: Sequence[int]) -> Sequence[bool] | None:
        """For each row, whether the node applies to it; None if it applies to all."""
        if node.where is None:
            return None
        if node.where.text not in self.masks:
            self.masks[node.where.text] = list(self._mask(node.where))
        mask = self.masks[node.where.text]
        return [mask[row] for row in rows]

    def _mask(self, where: Filter) -> Iterator[bool]:
        names = sorted(where.fields)
        for values in zip(*(self._column(name) for name in names), strict=True):
            yield where.matches(dict(zip(names, values, strict=True)))

    def _best(self, metric: Metric, scores: Scores, selected: Iterable[bool] | None) -> Scores:
        """Each row's best score over its references."""
        best: Scores = []
        start = 0
        for is_selected, n in zip(selected or repeat(True), self.n_references):  # noqa: B905
            stop = start + (n or 0)
            if not is_selected:
                best.append(None)
            elif n is None:
                best.append(Score.missing("the sample has no references"))
            elif n == 0:
                best.append(Score.undefined("the sample's list of references is empty"))
            else:
                best.append(_best_of(scores[start:stop], metric))
            start = stop
        return best

    def _sample(self, row: int) -> str:
        id, system = self._column("id")[row], self._column("system")[row]
        return f"sample {id!r} of system {system!r}"


@dataclass(frozen=True, slots=True)
class _Pending:
    """A started async node whose cells are not complete.

    `is_best`: the node is a metric computed per reference, whose best score per row is taken at the end.
    """

    node: "Node"
    cells: Cells
    is_best: bool


class _Task:
    """One node's function, applied to its input cells."""

    def __init__(
        self,
        node: "Node",
        keywords: dict[str, object],
        inputs: Sequence[Cells],
        is_complete: bool,
        sample: Callable[[int], str],
    ) -> None:
        self.node = node
        self.keywords = keywords
        self.definition = node.definition
        self.inputs = inputs
        self.is_complete = is_complete
        """Whether every input cell has a value."""
        self.sample = sample
        self.columns = self.definition.columns

    def run_rows(self, selected: Sequence[bool] | None) -> list[object]:
        """Call the function for each selected row that has all its cells."""
        if selected is not None and True not in selected:
            return [None] * len(selected)
        keywords = self.keywords
        function, finish = self.definition.function, self._finish()
        out: list[object] = []
        try:
            if self.is_complete and selected is None:
                for cells in zip(*self.inputs, strict=True):
                    out.append(finish(function(*cells, **keywords)))  # noqa: PERF401
                return out
            rows = zip(selected or repeat(True), zip(*self.inputs, strict=True))  # noqa: B905
            for is_selected, cells in rows:
                arguments = self._arguments(cells) if is_selected else None
                if arguments is None or isinstance(arguments, Score):
                    out.append(arguments)
                else:
                    out.append(finish(function(*arguments, **keywords)))
        except RagaugeError:
            raise
        except (Exception, SystemExit) as error:  # an error in the metric's own code is its bug
            raise self._metric_error(len(out), error) from error
        return out

    def start(self, selected: Sequence[bool] | None) -> Cells:
        """Start the function for each selected row on the judges' event loop; returns pending cells."""
        from ragauge.judges.loop import run, start

        finish = self._finish()
        rows = zip(selected or repeat(True), zip(*self.inputs, strict=True))  # noqa: B905
        work = [
            self._row(at, cells, finish) if is_selected else None
            for at, (is_selected, cells) in enumerate(rows)
        ]
        return run(start(work))

    async def _row(
        self, at: int, cells: tuple[object, ...], finish: Callable[[object], object]
    ) -> object:
        from ragauge.judges.loop import resolve

        arguments = self._arguments(await resolve(cells))
        if isinstance(arguments, Score):
            return arguments
        try:
            called = self.definition.function(*arguments, **self.keywords)
            return finish(await cast(Awaitable[object], called))
        except RagaugeError:
            raise
        except (Exception, SystemExit) as error:  # an error in the metric's own code is its bug
            raise self._metric_error(at, error) from error

    def run_batch(self) -> list[object]:
        """Call the function once, with the rows that have all their cells."""
        rows = [self._arguments(cells) for cells in zip(*self.inputs, strict=True)]
        ready = [at for at, row in enumerate(rows) if not isinstance(row, Score)]
        out: list[object] = [row if isinstance(row, Score) else None for row in rows]
        if not ready:
            return out
        arguments = [cast(list[object], rows[at]) for at in ready]
        try:
            values = self._call(arguments)
        except RagaugeError:
            raise
        except (Exception, SystemExit) as error:  # an error in the metric's own code is its bug
            raise self._metric_error(ready[self._failing_row(arguments)], error) from error
        for at, value in zip(ready, values, strict=True):
            out[at] = value
        return out

    def _call(self, arguments: Sequence[list[object]]) -> list[object]:
        columns = [list(column) for column in zip(*arguments, strict=True)]
        returned = cast(Iterable[object], self.definition.function(*columns, **self.keywords))
        values = list(map(self._finish(), returned))
        if len(values) != len(arguments):
            raise ValueError(f"returned {len(values)} values for {len(arguments)} rows")
        return values

    def _failing_row(self, arguments: Sequence[list[object]]) -> int:
        """The first row on which the function raises when called with it alone; 0 if there is none."""
        for at, row in enumerate(arguments):
            try:
                self._call([row])
            except (Exception, SystemExit):  # the batch raised it already; only the row is needed
                return at
        return 0

    def _arguments(self, cells: tuple[object, ...]) -> list[object] | Score:
        """The function's arguments, or why there are none."""
        arguments: list[object] = []
        for column, cell in zip(self.columns, cells, strict=True):
            if column.takes_score:
                arguments.append(_as_part(column.name, cell))
            elif isinstance(cell, Score):
                if cell.value is None and not column.nullable:
                    return cell
                arguments.append(cell.value)
            elif cell is None and not column.nullable:
                return Score.missing(f"the sample has no {column.name}")
            else:
                arguments.append(cell)
        return arguments

    def _finish(self) -> Callable[[object], object]:
        """The conversion from a returned value to a cell. Not stored: it would be a reference cycle."""
        return self._score if isinstance(self.definition, Metric) else lambda value: value

    def _score(self, value: object) -> Score:
        """A metric's returned value as a Score within the metric's bounds."""
        if not isinstance(value, Score):
            if not isinstance(value, bool | int | float) and not hasattr(value, "__float__"):
                raise TypeError(f"returned {value!r:.80}, not a number, a bool or a Score")
            value = Score(cast(float, value))
        if value.value is None:
            return value
        metric = cast(Metric, self.definition)
        low, high = metric.low, metric.high
        if low is not None and value.value < low:
            return _at_bound(value, low, metric)
        if high is not None and value.value > high:
            return _at_bound(value, high, metric)
        return value

    def _metric_error(self, at: int, error: BaseException) -> MetricError:
        kind = "metric" if isinstance(self.definition, Metric) else "feature"
        name = self.node.key.removeprefix("feature ")
        what = f"{type(error).__name__}: {error}"
        return MetricError(
            f"{kind} {name} raised {what:.500} on {self.sample(at)}; "
            f"fix it in {_source_line(self.definition.function, error)}"
        )


def _source_line(function: Callable[..., object], error: BaseException) -> str:
    """The line of the function's file that raised the error; its first line if that is unknown."""
    code = getattr(getattr(function, "func", function), "__code__", None)
    if code is None:
        return str(getattr(function, "__module__", "its module"))
    frames = extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == code.co_filename]
    return f"{code.co_filename}:{lines[-1] if lines else code.co_firstlineno}"


def _as_part(name: str, cell: object) -> Score:
    """The score of a part of a composite: computed, or from a value that the caller gave."""
    if isinstance(cell, Score):
        return cell
    if cell is None:
        return Score.missing(f"the sample has no {name}")
    if not isinstance(cell, bool | int | float):
        raise TypeError(f"{name} must be a score in [0, 1], got {cell!r:.80}")
    if not 0 <= cell <= 1:
        raise ValueError(
            f"{name} must be a score in [0, 1], got {cell!r}; divide percentages by 100"
        )
    return Score(cell)


def _best_of(scores: Scores, metric: Metric) -> Score | None:
    """The best score over a sample's references, with the reference in the evidence.

    The first score if none has a value. A lost score (failed, or its judge was not called) might have
    been the best, so the sample is lost too, unless the best is already at the bound.
    """
    valued = [
        (score.value, at) for at, score in enumerate(scores) if score and score.value is not None
    ]
    expecting = [(value, at) for value, at in valued if not _expects_nothing(scores[at])]
    lost = next((score for score in scores if score and score.is_lost), None)
    if len(scores) == 1:
        return scores[0]
    if not expecting and lost:  # the lost reference might have expected something
        return lost
    valued = expecting or valued
    if not valued:
        return scores[0]
    sign = 1 if metric.lower_is_better else -1
    _, at = min((sign * value, at) for value, at in valued)
    best = cast(Score, scores[at])
    if lost and best.value != (metric.low if metric.lower_is_better else metric.high):
        return lost
    return replace(best, evidence={**(best.evidence or {}), "best_reference": at})


def _expects_nothing(score: Score | None) -> bool:
    return bool(score and score.evidence and score.evidence.get(NOTHING_EXPECTED))


def _at_bound(score: Score, bound: float, metric: Metric) -> Score:
    if abs(cast(float, score.value) - bound) > ROUNDING:
        raise ValueError(
            f"returned {score.value!r}, outside [{metric.low}, {metric.high}]; "
            "set low and high in @metric"
        )
    return replace(score, value=bound)
