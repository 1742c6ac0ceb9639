"""deepeval's `evaluate` and `assert_test`, computed by ragauge: write `ragauge.compat.deepeval` where a script imports `deepeval`.

Names and arguments are those of deepeval 4. Covered: `evaluate`, `assert_test`, `LLMTestCase`, `Golden`, `EvaluationDataset`, and the metrics in
`metrics`. Not covered: conversations, tracing, generated data, the command `deepeval` (run pytest) and Confident AI.
"""

from ragauge.compat import refusing
from ragauge.compat.deepeval.dataset import EvaluationDataset as EvaluationDataset
from ragauge.compat.deepeval.dataset import Golden as Golden
from ragauge.compat.deepeval.evaluate import EvaluationResult as EvaluationResult
from ragauge.compat.deepeval.evaluate import assert_test as assert_test
from ragauge.compat.deepeval.evaluate import evaluate as evaluate
from ragauge.compat.deepeval.test_case import LLMTestCase as LLMTestCase

__getattr__ = refusing("deepeval")
