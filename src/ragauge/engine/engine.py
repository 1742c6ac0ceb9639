"""The engine: runs a plan over one batch of samples, each node once.

A column here is a sequence with one cell a row, or one cell for each pair of row and reference. A
cell without a value is None (the sample does not say) or a Score that says why; whoever needs the
cell gets no value for the same reason.
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

# The plan and the resources come in as arguments. They are imported for their types only: what a run's
# numbers depend on is found by following imports, and neither of the two makes a number.
if TYPE_CHECKING:
    from ragauge.engine.plan import Input, Node, Plan, PlannedMetric
    from ragauge.engine.resources import Resources

Cells = Sequence[object]
Scores = list[Score | None]
"""A metric's scores, row by row; None where the metric is not asked of the row."""

DISPUTE = 0.5
"""Two judges whose values are so far apart dispute the row."""
ROUNDING = 1e-9
"""How far beyond its bounds a value may fall by rounding; it is then the bound."""


def measure(plan: "Plan", columns: Columns, resources: "Resources") -> list[Scores]:
    """The scores of every metric asked for, in the plan's order, for every row.

    Corpus features that `resources` do not have are made of these rows alone.
    MetricError when a metric or feature breaks: it names the metric, the sample and its system.
    """
    batch = _Batch(columns, resources)
    with _cancel_scope(plan):
        batch.run_all(plan.nodes)
        scores = _over_all_repeats(plan, batch)
    return _disputed(plan, scores) if len(batch.resources.judge_names) > 1 else scores


def waits(plan: "Plan") -> bool:
    """Whether something in the plan is waited for, as a judge."""
    return any(node.definition.is_async for node in plan.nodes)


def _cancel_scope(plan: "Plan") -> AbstractContextManager[None]:
    if not waits(plan):
        return nullcontext()
    from ragauge.judges.loop import cancel_scope

    return cancel_scope()


def _over_all_repeats(plan: "Plan", batch: "_Batch") -> list[Scores]:
    """The scores, those that judges have a part in as means over all askings."""
    scores = [batch.scores(asked) for asked in plan.metrics]
    n_samples = batch.resources.judging.repeat
    if n_samples == 1:
        return scores
    judged = judged_nodes(plan)
    repeats = [scores]
    for sample in range(1, n_samples):
        repeat = batch.for_repeat(judged, sample)
        repeat.run_all([node for node in plan.nodes if node.key in judged])
        repeats.append([repeat.scores(asked) for asked in plan.metrics])
    return [
        scores[place] if asked.node not in judged else _over_repeats(repeats, place)
        for place, asked in enumerate(plan.metrics)
    ]


def judged_nodes(plan: "Plan") -> frozenset[str]:
    """The keys of nodes in whose values a judge has a part."""
    found: set[str] = set()
    for node in plan.nodes:
        if "judge" in node.definition.resources or any(one.node in found for one in node.inputs):
            found.add(node.key)
    return frozenset(found)


def _disputed(plan: "Plan", scores: Sequence[Scores]) -> list[Scores]:
    """The scores; where judges disagree on a row, theirs ask for review."""
    by_metric: dict[str, list[int]] = {}
    for place, asked in enumerate(plan.metrics):
        if "judge=" in asked.metric:
            by_metric.setdefault(without_judge(asked.metric), []).append(place)
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
    """A label without whose verdicts it is of; labels of one metric by several judges have the same."""
    if "judge=" not in metric:
        return metric
    try:
        label = Label.parse(metric)
    except LabelError:  # a judge's name may make it longer than a label may be
        return metric
    left = {name: value for name, value in label.settings.items() if name not in ("judge", PROMPTS)}
    return str(Label(label.name, left))


def _with_dispute(row: Sequence[Score | None], names: Sequence[str]) -> Sequence[Score | None]:
    values = [one.value for one in row if one is not None and one.value is not None]
    if len(values) < 2 or max(values) - min(values) < DISPUTE:
        return row
    told = {name: one and one.value for name, one in zip(names, row, strict=True)}
    marks = {"needs_review": True, "judges": told}
    return [
        one
        if one is None or one.value is None
        else replace(one, evidence={**(one.evidence or {}), **marks})
        for one in row
    ]


def _over_repeats(repeats: Sequence[Sequence[Scores]], place: int) -> Scores:
    """Each row's mean over the askings that gave it a value."""
    return [_over_samples(row) for row in zip(*(one[place] for one in repeats), strict=True)]


def _over_samples(samples: Sequence[Score | None]) -> Score | None:
    scored = [one for one in samples if one is not None and one.value is not None]
    lost = [
        one
        for one in samples
        if one is not None and (one.is_lost or LOST_PARTS in (one.evidence or {}))
    ]
    if not scored:
        return next((one for one in lost if one.is_lost), samples[0])
    values = [cast(float, one.value) for one in scored]
    mean = sum(values) / len(values)
    # Of equal values the mean is that value, without what rounding does to a sum.
    mean = values[0] if len(set(values)) == 1 else mean
    spread = (sum((one - mean) ** 2 for one in values) / len(values)) ** 0.5
    told = [one.value if one and one.value is not None else one and one.reason for one in samples]
    evidence = {**(scored[0].evidence or {}), "repeats": told, "spread": spread}
    if any((one.evidence or {}).get("needs_review") for one in scored):
        evidence["needs_review"] = True
    if lost:
        evidence[LOST_PARTS] = evidence.get(LOST_PARTS, [f"{len(lost)} of {len(samples)} repeats"])
    if "grade" in evidence and len(set(values)) > 1:  # it is of the first asking alone
        evidence["grades"] = [(one.evidence or {}).get("grade") for one in scored]
        del evidence["grade"]
    return Score(mean, evidence=evidence)


def of_corpus(node: "Node", columns: Sequence[Iterable[object]], resources: "Resources") -> object:
    """The one value that a corpus feature makes of columns with one cell for each question."""
    given = resources.arguments(node.definition, node.settings)
    try:
        return node.definition.function(*columns, **given)
    except EncoderError as error:
        return Score.failed(str(error))
    except RagaugeError:
        raise
    except Exception as error:  # whatever a feature's own code raises is its bug
        raise MetricError(
            f"feature {node.definition.name} broke on the whole data: "
            f"{type(error).__name__}: {error!s:.500}"
        ) from error


class _Batch:
    """The columns of one batch as they come to be."""

    def __init__(self, columns: Columns, resources: "Resources") -> None:
        self.columns = columns
        self.resources = resources
        self.n = len(columns["id"])
        self.made: dict[str, Cells] = {}
        self.paired: set[str] = set()
        self.gaps: dict[str, bool] = {}
        self.masks: dict[str, list[bool]] = {}
        self.started: dict[str, _Started] = {}
        """Nodes that wait for a judge, by key."""
        references = cast(Sequence[Sequence[str] | None], self._column("references"))
        self.n_references = [None if texts is None else len(texts) for texts in references]
        self.pair_rows = [row for row, n in enumerate(self.n_references) for _ in range(n or 0)]
        self.pair_texts = [text for texts in references for text in texts or ()]

    def for_repeat(self, judged: Collection[str], sample: int) -> "_Batch":
        """The same batch without what a judge has a part in, to ask the judges once more."""
        other = _Batch(self.columns, self.resources.for_repeat(sample))
        other.made = {key: cells for key, cells in self.made.items() if key not in judged}
        other.paired = {key for key in self.paired if key not in judged}
        return other

    def run_all(self, nodes: "Sequence[Node]") -> None:
        """Each node once, in an order in which all that waits for a judge is begun first."""
        waiting = list(nodes)
        while waiting:
            later: list[Node] = []
            for node in waiting:
                needs = {one.node for one in node.inputs if one.node}
                if needs & {one.key for one in later} or not self._can_run(node, needs):
                    later.append(node)
                else:
                    self.run(node)
            self._settle()
            waiting = later

    def _can_run(self, node: "Node", needs: Collection[str]) -> bool:
        """Whether what it needs is there, or comes row by row to one that waits itself."""
        coming = [self.started[key] for key in needs if key in self.started]
        if not coming:
            return True
        # What is made of each reference is put together first for one that takes a row's all at once.
        is_row_by_row = all(
            not one.is_best and one.node.per_reference <= node.per_reference for one in coming
        )
        return node.definition.is_async and is_row_by_row

    def _settle(self) -> None:
        """Wait for all that was begun."""
        if not self.started:
            return
        from ragauge.judges.loop import gather, run

        cells = run(gather([one.cells for one in self.started.values()]))
        for started, made in zip(self.started.values(), cells, strict=True):
            self._keep(started.node, made)
        self.started.clear()

    def run(self, node: "Node") -> None:
        if node.definition.corpus:
            self.made[node.key] = [self._of_corpus(node)] * self.n
            return
        paired = node.per_reference
        rows = self.pair_rows if paired else range(self.n)
        inputs = [self._cells(source, paired) for source in node.inputs]
        is_whole = not any(map(self._has_gaps, node.definition.columns, node.inputs, inputs))
        given = self.resources.arguments(node.definition, node.settings)
        task = _Task(node, given, inputs, is_whole, lambda at: self._place(rows[at]))
        if node.definition.is_async:
            self._start_node(node, task.started(self._wanted(node, rows)))
            return
        cells = (
            task.run_batch() if node.definition.batch else task.run_rows(self._wanted(node, rows))
        )
        self._keep(node, cells)

    def _start_node(self, node: "Node", cells: Cells) -> None:
        is_best = node.per_reference and isinstance(node.definition, Metric)
        self.started[node.key] = _Started(node, cells, is_best)
        self.made[node.key] = cells
        if node.per_reference and not is_best:
            self.paired.add(node.key)

    def _keep(self, node: "Node", cells: Cells) -> None:
        if node.per_reference and isinstance(node.definition, Metric):
            asked = self._wanted(node, range(self.n))
            cells = self._best(node.definition, cast(Scores, cells), asked)
        elif node.per_reference:
            self.paired.add(node.key)
        self.made[node.key] = cells

    def _of_corpus(self, node: "Node") -> object:
        """What a corpus feature made of the whole data; of this batch where it is all there is."""
        if node.key not in self.resources.corpus:
            columns = [self._cells(source, paired=False) for source in node.inputs]
            return of_corpus(node, columns, self.resources)
        return self.resources.corpus[node.key]

    def scores(self, asked: "PlannedMetric") -> Scores:
        if asked.node is None:
            return [Score.skipped(asked.unavailable or "not available")] * self.n
        return cast(Scores, self.made[asked.node])

    def _column(self, name: str) -> Cells:
        return self.columns.get(name) or [None] * self.n

    def _cells(self, source: "Input", paired: bool) -> Cells:
        """A parameter's cells, as many as the node has rows or pairs."""
        if source.column == REFERENCE:
            return self.pair_texts
        if source.node in self.paired:
            cells = self.made[source.node]
            return cells if paired else self._together(cells)
        if source.node is not None:
            cells = self.made[source.node]
        elif source.column is not None:
            cells = self._column(source.column)
        else:
            cells = [Score.skipped(source.unavailable or "not available")] * self.n
        return [cells[row] for row in self.pair_rows] if paired else cells

    def _has_gaps(self, column: Column, source: "Input", cells: Cells) -> bool:
        """Whether a cell may lack its value, so that each must be looked at."""
        if column.takes_score or source.unavailable:
            return True
        if source.node is None:
            return None in cells
        if source.node in self.started:
            return True
        if source.node not in self.gaps:
            made = self.made[source.node]
            self.gaps[source.node] = any(cell is None or isinstance(cell, Score) for cell in made)
        return self.gaps[source.node] or None in self.n_references

    def _together(self, cells: Cells) -> Cells:
        """Each row's cells of all its references, in one list."""
        ends = accumulate(n or 0 for n in self.n_references)
        return [
            None if n is None else cells[end - n : end]
            for n, end in zip(self.n_references, ends, strict=True)
        ]

    def _wanted(self, node: "Node", rows: Sequence[int]) -> Sequence[bool] | None:
        """Which of the rows the node is asked of; None for all of them."""
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

    def _best(self, metric: Metric, scores: Scores, asked: Iterable[bool] | None) -> Scores:
        """Each row's best score over its references."""
        best: Scores = []
        start = 0
        for is_asked, n in zip(asked or repeat(True), self.n_references):  # noqa: B905
            stop = start + (n or 0)
            if not is_asked:
                best.append(None)
            elif n is None:
                best.append(Score.missing("the sample has no references"))
            elif n == 0:
                best.append(Score.undefined("the sample's list of references is empty"))
            else:
                best.append(_best_of(scores[start:stop], metric))
            start = stop
        return best

    def _place(self, row: int) -> str:
        id, system = self._column("id")[row], self._column("system")[row]
        return f"sample {id!r} of system {system!r}"


@dataclass(frozen=True, slots=True)
class _Started:
    """A node that waits for a judge: its cells are still to come.

    `is_best`: it is a metric asked for each reference, of which a row's best is made at the end.
    """

    node: "Node"
    cells: Cells
    is_best: bool


class _Task:
    """One node's function over its cells."""

    def __init__(
        self,
        node: "Node",
        given: dict[str, object],
        inputs: Sequence[Cells],
        is_whole: bool,
        place: Callable[[int], str],
    ) -> None:
        self.node = node
        self.given = given
        self.definition = node.definition
        self.inputs = inputs
        self.is_whole = is_whole
        self.place = place
        self.columns = self.definition.columns

    def run_rows(self, wanted: Sequence[bool] | None) -> list[object]:
        """The function called for each row that is wanted and has all its cells."""
        if wanted is not None and True not in wanted:
            return [None] * len(wanted)
        settings = self.given
        function, finish = self.definition.function, self._finish()
        out: list[object] = []
        try:
            if self.is_whole and wanted is None:
                for cells in zip(*self.inputs, strict=True):
                    out.append(finish(function(*cells, **settings)))  # noqa: PERF401
                return out
            for asked, cells in zip(wanted or repeat(True), zip(*self.inputs, strict=True)):  # noqa: B905
                arguments = self._arguments(cells) if asked else None
                if arguments is None or isinstance(arguments, Score):
                    out.append(arguments)
                else:
                    out.append(finish(function(*arguments, **settings)))
        except RagaugeError:
            raise
        except (Exception, SystemExit) as error:  # whatever a metric's own code raises is its bug
            raise self._broken(len(out), error) from error
        return out

    def started(self, wanted: Sequence[bool] | None) -> Cells:
        """The function begun for each row, on the loop where judges are asked; cells to come."""
        from ragauge.judges.loop import run, start

        finish = self._finish()
        rows = zip(wanted or repeat(True), zip(*self.inputs, strict=True))  # noqa: B905
        work = [
            self._row(at, cells, finish) if asked else None
            for at, (asked, cells) in enumerate(rows)
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
            made = await cast(Awaitable[object], self.definition.function(*arguments, **self.given))
            return finish(made)
        except RagaugeError:
            raise
        except (Exception, SystemExit) as error:  # whatever a metric's own code raises is its bug
            raise self._broken(at, error) from error

    def run_batch(self) -> list[object]:
        """The function called once with the rows that have all their cells."""
        rows = [self._arguments(cells) for cells in zip(*self.inputs, strict=True)]
        ready = [at for at, row in enumerate(rows) if not isinstance(row, Score)]
        out: list[object] = [row if isinstance(row, Score) else None for row in rows]
        if not ready:
            return out
        arguments = [cast(list[object], rows[at]) for at in ready]
        try:
            made = self._call(arguments)
        except RagaugeError:
            raise
        except (Exception, SystemExit) as error:  # whatever a metric's own code raises is its bug
            raise self._broken(ready[self._culprit(arguments)], error) from error
        for at, value in zip(ready, made, strict=True):
            out[at] = value
        return out

    def _call(self, arguments: Sequence[list[object]]) -> list[object]:
        columns = [list(column) for column in zip(*arguments, strict=True)]
        made = cast(Iterable[object], self.definition.function(*columns, **self.given))
        values = list(map(self._finish(), made))
        if len(values) != len(arguments):
            raise ValueError(f"returned {len(values)} values for {len(arguments)} rows")
        return values

    def _culprit(self, arguments: Sequence[list[object]]) -> int:
        """Which of the rows breaks the function when it is alone; the first when none does."""
        for at, row in enumerate(arguments):
            try:
                self._call([row])
            except (Exception, SystemExit):  # the same bug as before: only its place is wanted here
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
        """What makes a cell of what the function returned. Not kept: it would tie a circle."""
        return self._score if isinstance(self.definition, Metric) else lambda value: value

    def _score(self, value: object) -> Score:
        """What a metric returned, as a Score within the metric's bounds."""
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

    def _broken(self, at: int, error: BaseException) -> MetricError:
        kind = "metric" if isinstance(self.definition, Metric) else "feature"
        name = self.node.key.removeprefix("feature ")
        what = f"{type(error).__name__}: {error}"
        return MetricError(
            f"{kind} {name} broke on {self.place(at)}: {what:.500}; "
            f"mend it at {_place(self.definition.function, error)}"
        )


def _place(function: Callable[..., object], error: BaseException) -> str:
    """The line of the function's own file where it broke; its first line where that is unknown."""
    code = getattr(getattr(function, "func", function), "__code__", None)
    if code is None:
        return str(getattr(function, "__module__", "its module"))
    frames = extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == code.co_filename]
    return f"{code.co_filename}:{lines[-1] if lines else code.co_firstlineno}"


def _as_part(name: str, cell: object) -> Score:
    """A part of a composite: its score, or the value that the caller gave for it."""
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
    """The best of the scores that have a value, its reference in the evidence; else the first.

    A reference that failed, or that its judge was not asked about, might have been the best; so the
    sample's score is as that one's, unless nothing could be better.
    """
    valued = [(one.value, at) for at, one in enumerate(scores) if one and one.value is not None]
    expecting = [one for one in valued if not _expects_nothing(scores[one[1]])]
    lost = next((one for one in scores if one and one.is_lost), None)
    if len(scores) == 1:
        return scores[0]
    if not expecting and lost:  # it might have expected something
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
            "give @metric its low and high"
        )
    return replace(score, value=bound)
