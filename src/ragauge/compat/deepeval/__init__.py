"""deepeval's `evaluate` and `assert_test`, computed by ragauge: write `ragauge.compat.deepeval` where a script imports `deepeval`.

Names and arguments are those of deepeval 4. Covered: `evaluate`, `assert_test`, `LLMTestCase`, `Golden`, `EvaluationDataset`, and the metrics in
`metrics`. Not covered: conversations, tracing, generated data, the command `deepeval` (run pytest) and Confident AI.
"""

from typing import Any

from ragauge.compat.adapters import not_covered
from ragauge.compat.deepeval.dataset import EvaluationDataset as EvaluationDataset
from ragauge.compat.deepeval.dataset import Golden as Golden
from ragauge.compat.deepeval.evaluate import EvaluationResult as EvaluationResult
from ragauge.compat.deepeval.evaluate import assert_test as assert_test
from ragauge.compat.deepeval.evaluate import evaluate as evaluate
from ragauge.compat.deepeval.test_case import LLMTestCase as LLMTestCase


def __getattr__(name: str) -> Any:
    """ImportError for a class of deepeval that is not covered."""
    raise not_covered("deepeval", name)
