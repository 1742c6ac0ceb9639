"""ragas's `evaluate`, samples and metrics, computed by ragauge: write `ragauge.compat.ragas` where a script imports `ragas`.

Names and arguments are those of ragas 0.4. Covered: `evaluate`, `aevaluate`, `EvaluationDataset`, `SingleTurnSample`, `RunConfig`, the metrics in
`metrics`, `llms` and `embeddings`. Not covered: conversations, test set generation, experiments, metrics that a script defines (`ragauge.metric` does).
"""

import asyncio
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from ragauge.compat import refusing
from ragauge.compat.ragas import metrics as _metrics
from ragauge.compat.ragas.dataset_schema import EvaluationDataset as EvaluationDataset
from ragauge.compat.ragas.dataset_schema import EvaluationResult as EvaluationResult
from ragauge.compat.ragas.dataset_schema import SingleTurnSample as SingleTurnSample
from ragauge.compat.ragas.dataset_schema import samples_of
from ragauge.errors import JudgeError, PlanError

DEFAULT_METRICS = (
    _metrics.answer_relevancy,
    _metrics.context_precision,
    _metrics.faithfulness,
    _metrics.context_recall,
)


class RunConfig:
    """Accepted, without effect: ragauge adapts the number of requests to what the endpoint accepts."""

    def __init__(self, **options: object) -> None:
        self.options = options


def evaluate(
    dataset: Any,
    metrics: Sequence[Any] | None = None,
    llm: Any = None,
    embeddings: Any = None,
    *,
    column_map: Mapping[str, str] | None = None,
    raise_exceptions: bool = False,
    **ignored: object,
) -> EvaluationResult:
    """Score the samples with the metrics; without metrics, with ragas's four.

    `dataset`: an EvaluationDataset, a data set of the package `datasets`, a pandas frame, or a list of dictionaries. `llm`: a
    model's name, a judge of ragauge, or a LangChain model; `embeddings` likewise. `column_map`: by ragas's field the column. With
    `raise_exceptions` the first failed score raises JudgeError; otherwise it is NaN, and `reasons` says why. Other arguments
    (`run_config`, `callbacks`, `batch_size` …) have no effect. PlanError for what is not covered.

    >>> row = {"user_input": "Which city?", "response": "Paris", "reference": "Paris"}
    >>> evaluate(EvaluationDataset.from_list([row]), metrics=[_metrics.ExactMatch()])
    {'exact_match': 1.0000}
    """
    if not isinstance(dataset, EvaluationDataset):
        rows = dataset.to_dict("records") if hasattr(dataset, "iloc") else dataset
        columns = {column: field for field, column in (column_map or {}).items()}
        dataset = EvaluationDataset(samples_of(rows, columns))
    chosen: Sequence[Any] = DEFAULT_METRICS if metrics is None else metrics
    if other := [metric for metric in chosen if not isinstance(metric, _metrics.Metric)]:
        what = f"{other[0]!r:.80} is not a metric of ragauge.compat.ragas.metrics, such as Faithfulness()"
        own = "for a metric of your own write a function with @ragauge.metric (docs/adding-a-metric.md)"
        raise PlanError(f"{what}; {own}")
    names = [metric.name for metric in chosen]
    if double := [name for name in dict.fromkeys(names) if names.count(name) > 1]:
        raise PlanError(f"two metrics have the name {double[0]!r}; give one another: name=…")
    results = _metrics.results_of(chosen, dataset, llm, embeddings)
    found = dict(zip(names, results, strict=True))
    reasons = {name: [result.reason for result in found[name]] for name in names}
    if raise_exceptions and (broken := [why for each in reasons.values() for why in each if why]):
        raise JudgeError(broken[0])
    values = {name: [float(result) for result in found[name]] for name in names}
    return EvaluationResult(dataset, values, reasons)


async def aevaluate(*given: Any, **options: Any) -> EvaluationResult:
    """As `evaluate`."""
    return await asyncio.to_thread(evaluate, *given, **options)


__getattr__ = refusing("ragas")
run_config = sys.modules[f"{__name__}.run_config"] = sys.modules[__name__]
"""The place at which ragas has `RunConfig`."""
