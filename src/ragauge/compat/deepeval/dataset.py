"""deepeval's data sets."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ragauge.compat.deepeval.test_case import LLMTestCase, ToolCall

if TYPE_CHECKING:
    from ragauge.compat.deepeval import EvaluationResult
    from ragauge.compat.deepeval.metrics import BaseMetric


@dataclass
class Golden:
    """A question before the system has answered it."""

    input: str
    actual_output: str | None = None
    expected_output: str | None = None
    context: list[str] | None = None
    retrieval_context: list[str] | None = None
    tools_called: list[ToolCall] | None = None
    expected_tools: list[ToolCall] | None = None
    additional_metadata: dict[str, Any] | None = None
    comments: str | None = None
    name: str | None = None


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
