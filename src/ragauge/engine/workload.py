"""How much a run has to do, before it begins: texts to encode, calls to judges, values to compute."""

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from time import perf_counter

from ragauge.engine.batch import measure
from ragauge.engine.graph import Node, Plan
from ragauge.engine.resources import Resources
from ragauge.errors import MetricError, RagaugeError
from ragauge.samples.samples import REFERENCE, REFERENCES, Columns, Samples
from ragauge.score import Status

TEXT_COLUMNS = ("question", "answer", REFERENCES, "contexts", "gold_contexts")
COMPARED = 8
"""Metrics that compare an answer with contexts read about this many sentences of them, and one more for each further
sentence of the answer, which mostly is near the same ones."""
CHARACTERS_PER_TEXT = 110
"""The usual length of a sentence, which is what most encoder metrics encode."""
ROWS_SAMPLED = 20
"""Rows whose calls are counted; the others are taken to be like them."""
TEXTS_TIMED, COPIES, ROUNDS = 6, 8, 3
MAX_TIMED_LENGTH = 160


@dataclass(frozen=True, slots=True)
class Workload:
    """What a run has to do, about: `characters` and `texts` to encode, each distinct text once,
    `calls` to judges, `cells` (rows times functions), by shown name the characters that metrics
    read (`encoded_by`), and those that ask judges (`judged_by`)."""

    n_rows: int
    cells: int
    batch_rows: int = 1
    characters: int = 0
    calls: int = 0
    encoded_by: Mapping[str, int] | None = None
    judged_by: tuple[str, ...] = ()

    def times(self, factor: float) -> "Workload":
        """The work of `factor` times as many rows."""
        names = ("n_rows", "cells", "characters", "calls")
        counts = {name: round(getattr(self, name) * factor) for name in names}
        encoded_by = self.encoded_by and {k: round(n * factor) for k, n in self.encoded_by.items()}
        return replace(self, **counts, encoded_by=encoded_by)

    @property
    def texts(self) -> int:
        return self.characters // CHARACTERS_PER_TEXT


def workload(plan: Plan, samples: Samples, resources: Resources, batch_rows: int) -> Workload:
    """What the plan has to do for these samples, if nothing is kept from earlier runs."""
    columns: dict[str, set[str]] = {}  # of texts, by the metric that encodes them
    of_model: dict[str, set[str]] = {}
    judged_by: list[str] = []
    for metric in (metric for metric in plan.metrics if metric.node is not None):
        needed = plan.only([metric]).nodes
        for node in filter(_encodes, needed):
            reads = plan.only((), [node.key])
            # Of an async one questions that a judge makes, and the asked one.
            own = {"question"} if reads.has_async_nodes else reads.columns & {*TEXT_COLUMNS}
            columns.setdefault(metric.name, set()).update(own)
        for node in filter(_encodes, needed):
            model = str(node.settings.get("model"))
            of_model.setdefault(model, set()).update(columns[metric.name])
        if any("judge" in node.definition.resources for node in needed):
            judged_by.append(metric.name)
    calls, n = 0, min(len(samples), ROWS_SAMPLED)
    if judged_by and n:  # counted on a few rows as a dry run counts them
        estimating = resources.for_estimate()
        # A metric of the user's own may not be able to read a likely reply.
        with suppress(MetricError):
            measure(plan.for_judges(), samples.batch(0, n), estimating)
            calls = sum(session.usage.estimate().calls for session in estimating.judges.values())
    size_of = cache(partial(_characters, samples, {}))
    return Workload(
        len(samples),
        len(samples) * len(plan.nodes),
        min(batch_rows, len(samples)),
        sum(size_of(frozenset(names)) for names in of_model.values()),
        round(calls * resources.judging.repeat * len(samples) / max(n, 1)),
        {name: size_of(frozenset(names)) for name, names in columns.items() if names},
        tuple(judged_by),
    )


def _characters(samples: Samples, known: dict[str, int], names: Collection[str]) -> int:
    """The characters of the distinct texts of columns, of contexts only those that an answer is compared with."""
    import polars as pl

    for name in {*names} & {*samples.columns} - known.keys():
        cells = samples.frame[name]
        texts = cells.explode() if isinstance(cells.dtype, pl.List) else cells
        known[name] = int(texts.drop_nulls().unique().str.len_chars().sum())
    sizes = {name: known[name] for name in names if name in known}
    if sizes.get("answer") and sizes.get("contexts"):
        own = pl.col("contexts").list.eval(pl.element().str.len_chars()).list.sum()
        sentences = pl.col("answer").str.len_chars() / CHARACTERS_PER_TEXT
        most = (COMPARED - 1 + sentences.clip(1)) * CHARACTERS_PER_TEXT
        read = pl.min_horizontal(own, most).sum().alias("read")
        n_read, n_all = samples.frame.select(read, own.sum().alias("all")).row(0)
        sizes["contexts"] = round(sizes["contexts"] * (n_read / n_all if n_all else 1.0))
    return sum(sizes.values())


def characters_per_second(plan: Plan, samples: Samples, resources: Resources) -> float | None:
    """How fast the plan's encoder reads, measured on a few texts; None if it runs elsewhere or fails."""
    from ragauge.encoders.local import LocalEncoder

    settings = next((node.settings for node in plan.nodes if _encodes(node)), None)
    if settings is None or "answer" not in samples.columns:
        return None
    model = resources.encoder_of(settings).encoder
    answers = samples.frame["answer"].drop_nulls().head(TEXTS_TIMED).to_list()
    texts = [text[:MAX_TIMED_LENGTH] for text in answers if text.strip()]
    if not texts or not isinstance(model, LocalEncoder):
        return None
    # Copies have the same length and so fill whole batches, as the many texts of a run do.
    many = [text for text in texts for _ in range(COPIES)]
    taken: list[float] = []
    try:
        model.encode(texts[:1])  # opens the model
        for _ in range(ROUNDS):
            start = perf_counter()
            model.encode(many)
            taken.append(perf_counter() - start)
    # The run itself will say what is wrong.
    except (RagaugeError, OSError, RuntimeError, ValueError):
        return None
    # One round of a few texts is slow if the machine does something else in that moment.
    return sum(map(len, many)) / max(min(taken), 1e-6)


def _encodes(node: Node) -> bool:
    return "encoder" in node.definition.resources


OWN = "ragauge"


def without_columns(plan: Plan, first: Columns, resources: Resources) -> Mapping[str, str]:
    """Why no score can come of the first rows, by the label of each metric whose columns they do
    not have.

    Our own metrics without judge and encoder are computed; of the others the columns count that
    their functions need.
    """
    nodes = {node.key: node for node in plan.nodes}
    not_run = {node.key for node in plan.nodes if _may_call(node, nodes)}
    offline = plan.only(m for m in plan.metrics if m.node and m.node not in not_run)
    found: dict[str, str] = {}
    for metric, scores in zip(offline.metrics, measure(offline, first, resources), strict=True):
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
    return found


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
