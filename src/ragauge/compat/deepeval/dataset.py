"""deepeval's data sets."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ragauge.compat import not_covered, refusing
from ragauge.compat.deepeval.test_case import LLMTestCase

if TYPE_CHECKING:
    from ragauge.compat.deepeval import EvaluationResult
    from ragauge.compat.deepeval.metrics import BaseMetric


class Golden(LLMTestCase):
    """A question before the system has answered it: a test case whose `actual_output` is still to come."""


@dataclass
class EvaluationDataset:
    """Goldens, and the test cases that the script makes from them. Files and Confident AI are not covered: see `ragauge.load`."""

    goldens: list[Golden] = field(default_factory=list[Golden])
    test_cases: list[LLMTestCase] = field(default_factory=list[LLMTestCase])
    alias: str | None = None

    def add_golden(self, golden: Golden) -> None:
        """Add a golden."""
        self.goldens.append(golden)

    def add_test_case(self, test_case: LLMTestCase) -> None:
        """Add a test case."""
        self.test_cases.append(test_case)

    def evaluate(self, metrics: Sequence["BaseMetric"], **options: Any) -> "EvaluationResult":
        """Score the test cases."""
        from ragauge.compat.deepeval import evaluate

        return evaluate(self.test_cases, metrics, **options)

    def __iter__(self) -> Iterator[LLMTestCase]:
        return iter(self.test_cases)

    def __len__(self) -> int:
        return len(self.test_cases)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(not_covered("deepeval", f"EvaluationDataset.{name}"))


__getattr__ = refusing("deepeval")
