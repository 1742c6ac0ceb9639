"""One batch of samples: its columns, and the cells of each node, computed once."""

from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from itertools import accumulate, chain, repeat
from time import monotonic
from typing import TYPE_CHECKING, cast

from ragauge.calls.progress import Computed, Measured, ignore
from ragauge.engine.task import Cells, NodeTask, Scores, of_corpus
from ragauge.label import Label, without_settings
from ragauge.metric import NOTHING_EXPECTED, PROMPTS, Column, Metric
from ragauge.samples.fields import NO_ANSWER, REASON, STATUS
from ragauge.samples.samples import REFERENCE, Columns
from ragauge.score import LOST_PARTS, Score, Status

if TYPE_CHECKING:
    from ragauge.engine.graph import Input, Node, Plan, PlannedMetric
    from ragauge.engine.resources import Resources

FIRST_ROWS = 16
GOLDEN_RATIO = (1 + 5**0.5) / 2
PIECE_S, REMOTE_PIECE_S = 1.0, 10.0
"""How long a piece of a watched batch should take; longer where an encoder elsewhere reads many texts at a time."""
DISPUTE = 0.5
"""Judges whose values differ by at least this much disagree on the row."""


def measure(plan: "Plan", columns: Columns, resources: "Resources") -> list[Scores]:
    """The scores of each metric of the plan, in its order, for every row; missing corpus features
    are made of these rows alone.

    Raises MetricError, which names the metric and the sample, if a metric or feature raises an
    error.
    """
    batch, scope = Batch(columns, resources), nullcontext()
    if plan.has_async_nodes:
        from ragauge.calls.loop import cancel_scope

        scope = cancel_scope()
    with scope:
        batch.run_all(plan.nodes)
        scores = _with_repeats(plan, batch)
    return _with_disputes(plan, scores) if len(batch.resources.judge_names) > 1 else scores


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

    def run_all(self, nodes: "Sequence[Node]") -> None:
        """Run each node once, starting all async nodes that can start before waiting for any."""
        waits: set[str] = set()
        for node in nodes:
            if node.definition.is_async or not waits.isdisjoint(_needs(node)):
                waits.add(node.key)
        waiting = [node for node in nodes if node.key in waits]
        for node in waiting:
            if not _needs(node):
                self._run(node)
        self._run_in_pieces([node for node in nodes if node.key not in waits])
        waiting = [node for node in waiting if node.key not in self.pending]
        while waiting or self.pending:
            later: list[Node] = []
            for node in waiting:
                needs = _needs(node)
                pending = [self.pending[key] for key in needs if key in self.pending]
                # An async node can await pending cells row by row. One that takes all references of
                # a row at once needs their cells complete and grouped.
                can_wait = node.definition.is_async and all(
                    not _is_best(each) and each.per_reference <= node.per_reference
                    for each in pending
                )
                if needs & {other.key for other in later} or (pending and not can_wait):
                    later.append(node)
                else:
                    self._run(node)
            waiting = later
            if self.pending:
                from ragauge.calls.loop import gather, run

                columns = run(gather([self.computed[key] for key in self.pending]))
                for node, cells in zip(self.pending.values(), columns, strict=True):
                    self._keep(node, cells)
                self.pending.clear()

    def _run_in_pieces(self, nodes: "Sequence[Node]") -> None:
        """Run nodes that wait for nothing; if somebody watches, on a few rows at a time, which tell how long the others take."""
        tell, size, start = self.resources.listener, FIRST_ROWS, 0
        if tell is ignore or self.n <= size or not nodes:
            for node in nodes:
                self._run(node)
            if nodes:
                tell(Measured(self.n))
            return
        piece_s = REMOTE_PIECE_S if any(map(self.resources.encodes_elsewhere, nodes)) else PIECE_S
        # Spread over the batch, as neighbours are alike: answers of one system, or about one document.
        order = sorted(range(self.n), key=lambda row: row * GOLDEN_RATIO % 1)
        computed: dict[str, list[Cells]] = {node.key: [()] * self.n for node in nodes}
        while start < self.n:
            began, rows = monotonic(), order[start : start + size]
            columns = {name: [cells[at] for at in rows] for name, cells in self.columns.items()}
            piece = Batch(columns, self.resources)
            for node in nodes:
                piece._run(node)
                ends = [at + 1 for at in range(piece.n)]
                if node.key in piece.paired:
                    ends = list(accumulate(n or 0 for n in piece.n_references))
                for row, begin, end in zip(rows, (0, *ends), ends):  # noqa: B905
                    computed[node.key][row] = piece.computed[node.key][begin:end]
            self.paired |= piece.paired
            tell(Measured(piece.n))
            start += size
            took = max(monotonic() - began, piece_s / 100)
            size = max(FIRST_ROWS // 2, min(round(size * piece_s / took), 4 * size))
        self.computed |= {key: [*chain(*by_row)] for key, by_row in computed.items()}

    def _run(self, node: "Node") -> None:
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
            if paired and not _is_best(node):
                self.paired.add(node.key)
        elif node.definition.batch:
            self._keep(node, task.run_batch())
        else:
            self._keep(node, task.run_rows(self._selected(node, rows)))

    def _keep(self, node: "Node", cells: Cells) -> None:
        if _is_best(node):
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


def _needs(node: "Node") -> set[str]:
    return {source.node for source in node.inputs if source.node}


def _is_best(node: "Node") -> bool:
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


def _with_repeats(plan: "Plan", batch: Batch) -> list[Scores]:
    """The scores; those that depend on a judge are means over all repeats."""
    scores = [batch.scores(metric) for metric in plan.metrics]
    n_repeats = batch.resources.judging.repeat
    if n_repeats == 1:
        return scores
    judged, repeats = plan.judged, [scores]
    for number in range(1, n_repeats):
        # The nodes that depend on a judge are computed again.
        again = Batch(batch.columns, batch.resources.for_repeat(number))
        again.computed = {key: batch.computed[key] for key in batch.computed.keys() - judged}
        again.paired = batch.paired - judged
        again.run_all([node for node in plan.nodes if node.key in judged])
        repeats.append([again.scores(metric) for metric in plan.metrics])
    return [
        [_mean_score(row) for row in zip(*(each[place] for each in repeats), strict=True)]
        if metric.node in judged
        else scores[place]
        for place, metric in enumerate(plan.metrics)
    ]


def _mean_score(repeats: Sequence[Score | None]) -> Score | None:
    """The mean score of one row over the repeats, with their values and spread as evidence."""
    given = [score for score in repeats if score is not None]
    scored = [score for score in given if score.value is not None]
    lost = [score for score in given if score.is_lost or LOST_PARTS in (score.evidence or {})]
    if not scored:
        return next((score for score in lost if score.is_lost), repeats[0])
    values = [cast(float, score.value) for score in scored]
    # The mean of equal values is exactly that value, without the rounding error of a sum.
    mean = values[0] if len(set(values)) == 1 else sum(values) / len(values)
    spread = (sum((value - mean) ** 2 for value in values) / len(values)) ** 0.5
    by_repeat = [
        score.value if score and score.value is not None else score and score.reason
        for score in repeats
    ]
    evidences = [score.evidence or {} for score in scored]
    evidence = {**evidences[0], "repeats": by_repeat, "spread": spread}
    if any(each.get("needs_review") for each in evidences):
        evidence["needs_review"] = True
    if lost:
        evidence[LOST_PARTS] = evidence.get(LOST_PARTS, [f"{len(lost)} of {len(repeats)} repeats"])
    if "grade" in evidence and len(set(values)) > 1:  # the grade of the first repeat only
        evidence["grades"] = [each.get("grade") for each in evidences]
        del evidence["grade"]
    return Score(mean, evidence=evidence)


def _with_disputes(plan: "Plan", scores: Sequence[Scores]) -> list[Scores]:
    """The scores; where judges disagree on a row, their scores are marked for review."""
    by_metric: dict[str, list[int]] = {}
    for place, metric in enumerate(plan.metrics):
        if "judge=" in metric.metric:
            by_metric.setdefault(without_judge(metric.metric), []).append(place)
    out = [list(column) for column in scores]
    for places in (places for places in by_metric.values() if len(places) > 1):
        labels = [Label.parse(plan.metrics[place].metric) for place in places]
        names = [str(label.settings.get("judge")) for label in labels]
        for row, given in enumerate(zip(*(scores[place] for place in places), strict=True)):
            values = [score.value for score in given if score and score.value is not None]
            if len(values) < 2 or max(values) - min(values) < DISPUTE:
                continue
            by_judge = {name: it and it.value for name, it in zip(names, given, strict=True)}
            marks: dict[str, object] = {"needs_review": True, "judges": by_judge}
            for place, score in zip(places, given, strict=True):
                if score and score.value is not None:
                    out[place][row] = replace(score, evidence={**(score.evidence or {}), **marks})
    return out


def without_judge(metric: str) -> str:
    """A label without its judge and prompts: equal for the same metric scored by several judges."""
    return without_settings(metric, ("judge", PROMPTS)) if "judge=" in metric else metric
