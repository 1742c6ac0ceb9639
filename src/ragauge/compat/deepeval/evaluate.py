"""deepeval's `evaluate` and `assert_test`, and their results."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ragauge.compat import refusing
from ragauge.compat.deepeval.metrics import BaseMetric, MeasuredMetric
from ragauge.compat.deepeval.test_case import LLMTestCase
from ragauge.errors import PlanError


class AsyncConfig:
    """Accepted, without effect, as the other configurations of `evaluate`."""

    def __init__(self, **options: object) -> None:
        self.options = options


CacheConfig = DisplayConfig = ErrorConfig = AsyncConfig


@dataclass(frozen=True)
class MetricData:
    """One metric's score of one test case."""

    name: str
    threshold: float
    success: bool
    score: float | None
    reason: str | None
    strict_mode: bool
    error: str | None

    def __str__(self) -> str:
        score = "none" if self.score is None else f"{self.score:.4f}"
        why = self.error or self.reason
        return f"{self.name} (score: {score}, threshold: {self.threshold}, reason: {why})"


@dataclass(frozen=True)
class TestResult:
    """One test case's scores; `success` if all of them reach their thresholds."""

    __test__ = False
    name: str
    success: bool
    metrics_data: list[MetricData]
    input: str
    actual_output: str | None
    expected_output: str | None
    context: list[str] | None
    retrieval_context: list[str] | None


@dataclass(frozen=True)
class EvaluationResult:
    """The test cases' results, in order; printed, the share that passes of each metric, and each failure."""

    test_results: list[TestResult]

    def __str__(self) -> str:
        by_metric: dict[str, list[bool]] = {}
        for result in self.test_results:
            for metric in result.metrics_data:
                by_metric.setdefault(metric.name, []).append(metric.success)
        lines = [f"{name}: {sum(each)} of {len(each)} pass" for name, each in by_metric.items()]
        failed = [
            f"{result.name}: {metric}"
            for result in self.test_results
            for metric in result.metrics_data
            if not metric.success
        ]
        return "\n".join([*lines, *failed])


def evaluate(
    test_cases: Sequence[LLMTestCase], metrics: Sequence[BaseMetric], **ignored: object
) -> EvaluationResult:
    """Score the test cases with the metrics, and print which pass.

    Other arguments (`hyperparameters`, `async_config` …) have no effect. PlanError for what is not covered.

    >>> from ragauge.compat.deepeval.metrics import ExactMatchMetric
    >>> cases = [LLMTestCase("Which city?", "Paris", "Paris"), LLMTestCase("Which river?", "Rhine", "Seine")]
    >>> result = evaluate(cases, [ExactMatchMetric()])
    Exact Match: 1 of 2 pass
    test_case_1: Exact Match (score: 0.0000, threshold: 1, reason: differ_at 0; answer_from_there Rhine; reference_from_there Seine)
    """
    result = EvaluationResult(_results(list(test_cases), metrics))
    print(result)
    return result


def assert_test(
    test_case: LLMTestCase | None = None, metrics: Sequence[BaseMetric] = (), **ignored: object
) -> None:
    """AssertionError that names the metrics below their thresholds, and those without a score, with the reasons."""
    __tracebackhide__ = True
    if test_case is None:
        raise PlanError("assert_test(golden=…), which traces, is not covered; give a test_case")
    (result,) = _results([test_case], metrics)
    if failed := [str(data) for data in result.metrics_data if not data.success]:
        raise AssertionError(f"Metrics: {', '.join(failed)} failed.")


def _results(cases: list[LLMTestCase], metrics: Sequence[Any]) -> list[TestResult]:
    if not metrics:
        raise PlanError("no metrics are given; a test case without a metric would pass")
    if other := [metric for metric in metrics if not isinstance(metric, BaseMetric)]:
        raise PlanError(f"{other[0]!r:.80} is not a metric; give one such as FaithfulnessMetric()")
    by_metric = [_scored(metric, cases) for metric in metrics]
    return [
        TestResult(
            name=case.name or f"test_case_{place}",
            success=all(scored[place].success for scored in by_metric),
            metrics_data=[scored[place] for scored in by_metric],
            input=case.input,
            actual_output=case.actual_output,
            expected_output=case.expected_output,
            context=case.context,
            retrieval_context=case.retrieval_context,
        )
        for place, case in enumerate(cases)
    ]


def _scored(metric: BaseMetric, cases: list[LLMTestCase]) -> list[MetricData]:
    is_ours = isinstance(metric, MeasuredMetric)
    measured = metric.measure_all(cases) if is_ours else []
    found: list[MetricData] = []
    for place, case in enumerate(cases):
        if is_ours:
            metric.take(measured[place])
        else:
            # Nothing of the test case before may count for this one.
            metric.score = metric.reason = metric.error = metric.success = None
            metric.measure(case)
        data = (metric.__name__, metric.threshold, metric.is_successful(), metric.score)
        found.append(MetricData(*data, metric.reason, metric.strict_mode, metric.error))
    return found


__getattr__ = refusing("deepeval")
configs = sys.modules[f"{__name__}.configs"] = sys.modules[__name__]
"""The second place at which deepeval has its configurations."""
