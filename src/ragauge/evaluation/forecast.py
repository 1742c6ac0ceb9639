"""What a run has to do, before it begins: its rows, its calls to judges and their cost, and the time of its functions."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from ragauge.calls import Computed, Event
from ragauge.engine.graph import Node
from ragauge.engine.measure import FIRST_ROWS, measure
from ragauge.engine.selection import MetricLike
from ragauge.errors import MetricError, RagaugeError
from ragauge.evaluation.evaluation import ROWS_SAMPLED, Evaluation, check
from ragauge.judges.config import JudgeConfig, judge_config_of
from ragauge.runs.identity import judges_of
from ragauge.samples.fields import REFERENCE, REFERENCES
from ragauge.samples.samples import Samples, columns_of
from ragauge.score import Status
from ragauge.storage.regular_file import exists

if TYPE_CHECKING:
    from ragauge.calls.budget import CostEstimate
    from ragauge.encoders.protocol import Encoder
    from ragauge.judges.providers.factory import JudgeLike
    from ragauge.runs.store import RunFolder

ROWS_COUNTED = 20
"""Rows whose calls are counted; the others are taken to be like them."""
ROWS_OF_FILE = 20_000
"""Rows by which the calls of samples in a file are forecast."""
OWN = "ragauge"


def estimate(
    samples: object,
    metrics: MetricLike | Sequence[MetricLike],
    *,
    judge: "JudgeLike | Sequence[JudgeLike] | JudgeConfig",
    encoder: "Encoder | str | None" = None,
    cache: str | Path | None = None,
    folder: str | Path | None = None,
    seed: int = 0,
    batch_size: int | None = None,
) -> "Mapping[str, CostEstimate]":
    """Estimate, for each judge, the calls that `evaluate` would still make, their tokens and cost.

    Takes the arguments of `evaluate`. Replies in `cache` and finished batches in `folder` are not
    counted. Makes no calls and writes nothing. If a question depends on an earlier reply, a typical
    reply is assumed, such as one claim per sentence. Tokens and cost are low, likely and high; the cost
    is None if the price is unknown.

    >>> row = {"id": "q1", "question": "Capital?", "answer": "Lyon", "reference": "Paris"}
    >>> async def strict(request): ...
    >>> estimate([row], ["answer_class", "factual_accuracy"], judge=strict)["strict"].calls
    2
    """
    check(folder=folder)
    cache = cache if cache is not None and exists(cache) else None
    counting = replace(judge_config_of(judge), mode="estimate")
    evaluation = Evaluation.prepare(
        samples,
        metrics,
        encoder=encoder,
        judge=counting,
        cache=cache,
        seed=seed,
        batch_size=batch_size,
    )
    return cost(evaluation, folder)


def cost(evaluation: Evaluation, folder: str | Path | None = None) -> "Mapping[str, CostEstimate]":
    """For each judge, the calls that a run would still make; needs judges in estimate mode."""
    judged, resources = evaluation.plan.for_judges(), evaluation.resources
    judges = judges_of(evaluation.plan, resources)
    for number in evaluation.unfinished_batches(_folder_at(evaluation, folder)):
        measure(judged, columns_of(evaluation.batch(number)), resources)
    return {session.name: session.usage.estimate() for session in judges}


def _folder_at(evaluation: Evaluation, place: str | Path | None) -> "RunFolder | None":
    """The folder of the evaluation's run, which need not exist yet; None if it is not stored."""
    from ragauge.runs.store import RunFolder

    return None if place is None else RunFolder.at(place, key=evaluation.manifest.key)


@dataclass(frozen=True, slots=True)
class Workload:
    """What a run has to do: measure its rows, and make about `calls` calls to judges for the metrics `judged_by`."""

    n_rows: int
    calls: int = 0
    judged_by: tuple[str, ...] = ()


def workload(evaluation: Evaluation, folder: Path | None = None) -> Workload:
    """How much a run has to do, about; without the batches that are finished in this folder."""
    import polars as pl

    plan, samples = evaluation.plan, evaluation.samples
    numbers = evaluation.unfinished_batches(_folder_at(evaluation, folder))
    size = evaluation.manifest.batch_size
    n_left = min(len(numbers) * size, len(samples))
    if samples.is_file:  # the first rows stand for all
        samples = Samples(samples.part(0, ROWS_OF_FILE))
    elif len(numbers) < evaluation.n_batches:
        row = pl.int_range(pl.len()) // size
        samples = Samples(samples.frame.filter(row.is_in(numbers)))
        n_left = len(samples)
    judged_by = tuple(metric.name for metric in plan.metrics if metric.node in plan.judged)
    calls, n = 0, min(len(samples), ROWS_COUNTED)
    if judged_by and n:  # counted on a few rows as a dry run counts them
        estimating = evaluation.resources.for_estimate()
        with suppress(MetricError):  # of the user's own metric that cannot read a likely reply
            measure(plan.for_judges(), samples.batch(0, n), estimating)
            calls = sum(session.usage.estimate().calls for session in estimating.judges.values())
    calls *= evaluation.resources.judging.repeat
    return Workload(n_left, round(calls * n_left / max(n, 1)), judged_by)


def node_seconds(evaluation: Evaluation) -> Mapping[str, float]:
    """How long each node takes for a few rows, by its key; an error is left to the run."""
    spent: dict[str, float] = {}
    last, first, resources = monotonic(), evaluation.first(FIRST_ROWS), evaluation.resources

    def tell(event: Event) -> None:
        nonlocal last
        now = monotonic()
        if isinstance(event, Computed):
            spent[event.node] = now - last
        last = now

    listener = resources.listener
    with suppress(RagaugeError):
        resources.watch(tell)
        for _ in range(2):  # the first opens models
            measure(evaluation.plan, first, resources)
    resources.watch(listener)
    return spent


def without_columns(evaluation: Evaluation) -> Mapping[str, str]:
    """Why the first rows give no score, by the label of each metric whose columns they do not have.

    Our own metrics without judge and encoder are computed; of the others the columns count that
    their functions need.
    """
    plan, first = evaluation.plan, evaluation.first(ROWS_SAMPLED)
    nodes = {node.key: node for node in plan.nodes}
    not_run = {node.key for node in plan.nodes if _may_call(node, nodes)}
    offline = plan.only(m for m in plan.metrics if m.node and m.node not in not_run)
    found: dict[str, str] = {}
    for metric, scores in zip(
        offline.metrics, measure(offline, first, evaluation.resources), strict=True
    ):
        missing = [score for score in scores if score and score.status is Status.MISSING]
        if missing and all(score is None or score.value is None for score in scores):
            found[metric.metric] = missing[0].reason or ""
    absent = {name for name, cells in first.items() if all(cell is None for cell in cells)}
    known = set(first) - absent
    for metric in plan.metrics:
        if metric.node in not_run:
            names = dict.fromkeys(_missing(nodes[metric.node], nodes, known))
            if names:
                found[metric.metric] = f"the sample has no {' and '.join(names)}"
    if len(evaluation.samples) <= ROWS_SAMPLED:
        return found
    return {label: f"first {ROWS_SAMPLED} answers: {why}" for label, why in found.items()}


def _may_call(node: Node, nodes: Mapping[str, Node]) -> bool:
    """Whether a judge, an encoder or somebody else's function takes part in computing the node."""
    is_own = node.definition.function.__module__.partition(".")[0] == OWN
    sources = [nodes[source.node] for source in node.inputs if source.node]
    is_alone = is_own and not node.definition.resources
    return not is_alone or any(_may_call(source, nodes) for source in sources)


def _missing(node: Node, nodes: Mapping[str, Node], known: set[str]) -> list[str]:
    """The unknown columns without which the node has no value."""
    needs: list[tuple[bool, list[str]]] = []
    for column, source in zip(node.definition.columns, node.inputs, strict=True):
        name = REFERENCES if source.column == REFERENCE else source.column
        absent = [name] if name and name not in known else []
        if source.node:
            absent = _missing(nodes[source.node], nodes, known)
        if not column.takes_score:
            needs.append((column.nullable, absent))
    if needs and all(nullable and names for nullable, names in needs):
        return needs[0][1]
    return [name for nullable, names in needs if not nullable for name in names]
