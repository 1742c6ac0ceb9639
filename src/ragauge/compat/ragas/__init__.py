"""ragas's `evaluate`, samples and metrics, computed by ragauge: write `ragauge.compat.ragas` where a script imports `ragas`.

Names and arguments are those of ragas 0.4. Covered: `evaluate`, `EvaluationDataset`, `SingleTurnSample`, the metrics in
`metrics`, `llms` and `embeddings`. Not covered: conversations, test set generation, experiments, metrics of one's own (see `ragauge.metric`).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ragauge.compat.ragas import metrics as _metrics
from ragauge.compat.ragas.dataset_schema import EvaluationDataset as EvaluationDataset
from ragauge.compat.ragas.dataset_schema import EvaluationResult as EvaluationResult
from ragauge.compat.ragas.dataset_schema import SingleTurnSample as SingleTurnSample
from ragauge.errors import JudgeError, PlanError


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
    given = _dataset(dataset, column_map or {})
    chosen: Sequence[Any] = metrics or [
        _metrics.answer_relevancy,
        _metrics.context_precision,
        _metrics.faithfulness,
        _metrics.context_recall,
    ]
    if other := [each for each in chosen if not isinstance(each, _metrics.Metric)]:
        raise PlanError(
            [
                f"{other[0]!r:.80} is not a metric of ragauge.compat.ragas.metrics; a metric of your own is a "
                "function with @ragauge.metric (docs/adding-a-metric.md)"
            ]
        )
    names = [each.name for each in chosen]
    results_by_metric = _metrics.results_of(chosen, given.samples, llm, embeddings)
    found = dict(zip(names, results_by_metric, strict=True))
    reasons = {name: [result.reason for result in results] for name, results in found.items()}
    if raise_exceptions and (broken := [why for each in reasons.values() for why in each if why]):
        raise JudgeError(broken[0])
    values = {name: [float(result) for result in results] for name, results in found.items()}
    return EvaluationResult(given, values, reasons)


def _dataset(dataset: Any, column_map: Mapping[str, str]) -> EvaluationDataset:
    if isinstance(dataset, EvaluationDataset):
        return dataset
    rows = dataset.to_dict("records") if hasattr(dataset, "iloc") else dataset
    fields = {column: field for field, column in column_map.items()}
    return EvaluationDataset.from_list(
        {fields.get(str(column), str(column)): row[column] for column in row} for row in rows
    )
