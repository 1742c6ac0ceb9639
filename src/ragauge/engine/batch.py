"""One batch of samples: its columns, and the cells of each node, its function applied to the cells of its inputs."""

from collections.abc import Awaitable, Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate, repeat
from typing import TYPE_CHECKING, cast

from ragauge.calls import Computed
from ragauge.engine.resources import of_corpus, source_line
from ragauge.errors import MetricError, RagaugeError
from ragauge.metric import NOTHING_EXPECTED, Column, Metric
from ragauge.samples.fields import NO_ANSWER, REASON, REFERENCE, STATUS, Columns
from ragauge.score import LARGEST, Score, Status

if TYPE_CHECKING:
    from ragauge.engine.graph import Input, Node, PlannedMetric
    from ragauge.engine.resources import Resources

Cells = Sequence[object]
"""A column: one cell per row, or one cell per pair of row and reference. A cell without a value is None (the
sample has none) or a Score with the reason; nodes that need the cell get no value for the same reason."""
Scores = list[Score | None]
"""A metric's score for each row; None where the metric does not apply to the row."""
ROUNDING = 1e-9
"""A value that exceeds a bound by at most this much is a rounding error and is set to the bound."""


class Batch:
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
        self.pending: dict[str, Node] = {}
        """Started async nodes whose cells are not complete, by key."""
        references = cast(Sequence[Sequence[str] | None], self._column("references"))
        self.n_references = [None if texts is None else len(texts) for texts in references]
        self.pair_rows = [row for row, n in enumerate(self.n_references) for _ in range(n or 0)]
        self.pair_texts = [text for texts in references for text in texts or ()]
        self.no_answer: dict[int, Score] = {}
        """By row, why the system gave no answer, as the row says."""
        for row, (status, reason) in enumerate(
            zip(self._column(STATUS), self._column(REASON), strict=True)
        ):
            if isinstance(status, str) and status in NO_ANSWER:
                why = f": {reason}" if reason else ""
                self.no_answer[row] = Score.missing(f"{NO_ANSWER[status]}{why}")

    def run(self, node: "Node") -> None:
        """Compute the cells of a node, or start to if it is async."""
        if node.definition.corpus:
            if node.key in self.resources.corpus:
                value = self.resources.corpus[node.key]
            else:
                columns = [self._cells(source, paired=False) for source in node.inputs]
                value = of_corpus(node, columns, self.resources)
            self.computed[node.key] = [value] * self.n
            self.resources.listener(Computed(node.key))
            return
        paired = node.per_reference
        rows = self.pair_rows if paired else range(self.n)
        inputs = [self._cells(source, paired) for source in node.inputs]
        is_complete = not any(map(self._has_gaps, node.definition.columns, node.inputs, inputs))
        keywords = self.resources.arguments(node.definition, node.settings)

        def sample(at: int) -> str:
            id, system = (self._column(name)[rows[at]] for name in ("id", "system"))
            return f"sample {id!r} of system {system!r}"

        task = NodeTask(node, keywords, inputs, is_complete, sample)
        if node.definition.is_async:
            self.pending[node.key] = node
            self.computed[node.key] = task.start(self._selected(node, rows))
            if paired and not is_best(node):
                self.paired.add(node.key)
        elif node.definition.batch:
            self.keep(node, task.run_batch())
        else:
            self.keep(node, task.run_rows(self._selected(node, rows)))

    def keep(self, node: "Node", cells: Cells) -> None:
        if is_best(node):
            selected = self._selected(node, range(self.n))
            metric, scores = cast(Metric, node.definition), cast(Scores, cells)
            cells = best_by_row(metric, scores, self.n_references, selected)
        elif node.per_reference:
            self.paired.add(node.key)
        self.computed[node.key] = cells
        self.resources.listener(Computed(node.key))

    def scores(self, metric: "PlannedMetric") -> Scores:
        if metric.node is None:
            return [Score.skipped(metric.unavailable or "not available")] * self.n
        scores = cast(Scores, self.computed[metric.node])
        if not self.no_answer:
            return scores
        return [
            self.no_answer[row]
            if row in self.no_answer and score and score.status is Status.MISSING
            else score
            for row, score in enumerate(scores)
        ]

    def _column(self, name: str) -> Cells:
        return self.columns.get(name) or [None] * self.n

    def _cells(self, source: "Input", paired: bool) -> Cells:
        """The cells of a parameter, one for each row or pair of the node."""
        if source.column == REFERENCE:
            return self.pair_texts
        if source.node is not None:
            cells = self.computed[source.node]
            if source.node in self.paired and not paired:  # for each row, a list of cells
                ends = accumulate(n or 0 for n in self.n_references)
                of_row = zip(self.n_references, ends, strict=True)
                return [None if n is None else cells[end - n : end] for n, end in of_row]
            if source.node in self.paired:
                return cells
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

    def _selected(self, node: "Node", rows: Sequence[int]) -> Sequence[bool] | None:
        """For each row, whether the node applies to it; None if it applies to all."""
        if node.where is None:
            return None
        where = node.where
        if where.text not in self.masks:
            names = sorted(where.fields)
            values = zip(*(self._column(name) for name in names), strict=True)
            self.masks[where.text] = [
                where.matches(dict(zip(names, row, strict=True))) for row in values
            ]
        mask = self.masks[where.text]
        return [mask[row] for row in rows]


def is_best(node: "Node") -> bool:
    """Whether the node is a metric computed per reference, whose best score per row is taken at the end."""
    return node.per_reference and isinstance(node.definition, Metric)


def best_by_row(
    metric: Metric,
    scores: Scores,
    n_references: Sequence[int | None],
    selected: Iterable[bool] | None,
) -> Scores:
    """Each row's best score over its references, from one score per pair of row and reference.

    `n_references` is None where the sample does not say; `selected` are the rows that the metric
    applies to, None for all.
    """
    best: Scores = []
    start = 0
    for is_selected, n in zip(selected or repeat(True), n_references):  # noqa: B905
        stop = start + (n or 0)
        if not is_selected:
            best.append(None)
        elif n is None:
            best.append(Score.missing("the sample has no references"))
        elif n == 0:
            best.append(Score.undefined("the sample's list of references is empty"))
        elif n == 1:
            best.append(scores[start])
        else:
            best.append(_best_of(scores[start:stop], metric))
        start = stop
    return best


def _best_of(scores: Scores, metric: Metric) -> Score | None:
    """The best score over a sample's references, named in the evidence; the first if none has a
    value.

    A lost score (failed, or its judge not called) might have been best, so all is lost unless the
    best is at the bound.
    """
    valued: list[tuple[float, int]] = []
    expecting: list[tuple[float, int]] = []
    for at, score in enumerate(scores):
        if score and score.value is not None:
            valued.append((score.value, at))
            if not (score.evidence and score.evidence.get(NOTHING_EXPECTED)):
                expecting.append((score.value, at))
    lost = next((score for score in scores if score and score.is_lost), None)
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


@dataclass(frozen=True, slots=True)
class NodeTask:
    """One node's function, its input cells (`is_complete`: all have a value) and keywords."""

    node: "Node"
    keywords: dict[str, object]
    inputs: Sequence[Cells]
    is_complete: bool
    sample: Callable[[int], str]

    def run_rows(self, selected: Sequence[bool] | None) -> list[object]:
        """Call the function for each selected row that has all its cells."""
        if selected is not None and True not in selected:
            return [None] * len(selected)
        function, keywords, finish = self.node.definition.function, self.keywords, self._finish()
        out: list[object] = []
        with self._errors_at(lambda: len(out)):
            if self.is_complete and selected is None:
                if self.inputs and not isinstance(self.node.definition, Metric):
                    out.extend(map(partial(function, **keywords), *self.inputs))
                    return out
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
        return out

    def start(self, selected: Sequence[bool] | None) -> Cells:
        """Start the function for each selected row on the judges' event loop; returns pending cells."""
        from ragauge.calls.loop import resolve, run, start

        finish = self._finish()

        async def row(at: int, cells: tuple[object, ...]) -> object:
            arguments = self._arguments(await resolve(cells))
            if isinstance(arguments, Score):
                return arguments
            with self._errors_at(lambda: at):
                called = self.node.definition.function(*arguments, **self.keywords)
                return finish(await cast(Awaitable[object], called))

        rows = zip(selected or repeat(True), zip(*self.inputs, strict=True))  # noqa: B905
        work = [row(at, cells) if wanted else None for at, (wanted, cells) in enumerate(rows)]
        return run(start(work))

    def run_batch(self) -> list[object]:
        """Call the function once, with the rows that have all their cells."""
        out = [self._arguments(cells) for cells in zip(*self.inputs, strict=True)]
        ready = {at: row for at, row in enumerate(out) if not isinstance(row, Score)}
        finish = self._finish()

        def called(rows: Sequence[list[object]]) -> list[object]:
            columns = [list(column) for column in zip(*rows, strict=True)]
            returned = self.node.definition.function(*columns, **self.keywords)
            values = list(map(finish, cast(Iterable[object], returned)))
            if len(values) != len(rows):
                raise ValueError(f"returned {len(values)} values for {len(rows)} rows")
            return values

        def failing() -> int:
            """The first row on which the function raises when called with it alone."""
            for at, row in ready.items():
                try:
                    called([row])
                except (Exception, SystemExit):  # the batch raised it already; only the row counts
                    return at
            return next(iter(ready))

        with self._errors_at(failing):
            values = called([*ready.values()]) if ready else []
        found = dict(zip(ready, values, strict=True))
        return [found.get(at, row) for at, row in enumerate(out)]

    def _arguments(self, cells: tuple[object, ...]) -> list[object] | Score:
        """The function's arguments, or why there are none."""
        arguments: list[object] = []
        for column, cell in zip(self.node.definition.columns, cells, strict=True):
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
        return self._score if isinstance(self.node.definition, Metric) else lambda value: value

    def _score(self, value: object) -> Score:
        """A metric's returned value as a Score within the metric's bounds."""
        if not isinstance(value, Score):
            if not isinstance(value, bool | int | float) and not hasattr(value, "__float__"):
                raise TypeError(f"returned {value!r:.80}, not a number, a bool or a Score")
            value = Score(cast(float, value))
        if value.value is None:
            return value
        metric = cast(Metric, self.node.definition)
        low = -LARGEST if metric.low is None else metric.low
        high = LARGEST if metric.high is None else metric.high
        bound = min(max(value.value, low), high)
        if bound == value.value:
            return value
        if abs(value.value - bound) > ROUNDING:
            raise ValueError(
                f"returned {value.value!r}, outside [{low}, {high}]; set low and high in @metric"
            )
        return replace(value, value=bound)

    @contextmanager
    def _errors_at(self, at: Callable[[], int]) -> Generator[None]:
        """Turn an error in the metric's own code, which is its bug, into MetricError with the row's sample."""
        try:
            yield
        except RagaugeError:
            raise
        except (Exception, SystemExit) as error:
            kind = "metric" if isinstance(self.node.definition, Metric) else "feature"
            name = self.node.key.removeprefix("feature ")
            what = f"{type(error).__name__}: {error}"
            raise MetricError(
                f"{kind} {name} raised {what:.500} on {self.sample(at())}; "
                f"fix it in {source_line(self.node.definition.function, error)}"
            ) from error


def _as_part(name: str, cell: object) -> Score:
    """The score of a part of a composite: computed, or from a value that the caller gave."""
    if isinstance(cell, Score):
        return cell
    if cell is None:
        return Score.missing(f"the sample has no {name}")
    must = f"{name} must be a score in [0, 1], got"
    if not isinstance(cell, bool | int | float):
        raise TypeError(f"{must} {cell!r:.80}")
    if not 0 <= cell <= 1:
        raise ValueError(f"{must} {cell!r}; divide percentages by 100")
    return Score(cell)
