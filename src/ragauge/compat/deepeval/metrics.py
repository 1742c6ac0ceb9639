"""deepeval's metric objects, computed by ragauge's metrics of the same meaning.

`docs/coming-from.md` says for each where the definition differs. A value below `threshold` fails; so does a value that does not exist.
"""

import asyncio
import json
from collections.abc import Sequence
from typing import Any, ClassVar

from ragauge.compat.adapters import Measured, judge_of, measure, not_covered
from ragauge.compat.deepeval.test_case import LLMTestCase, SingleTurnParams
from ragauge.errors import PlanError
from ragauge.label import Label, SettingValue
from ragauge.views.evidence import evidence_lines

REASON_SHOWN = 500
"""Most characters of evidence in a reason."""
SHOWN: dict[SingleTurnParams, str] = {
    SingleTurnParams.INPUT: "question",
    SingleTurnParams.ACTUAL_OUTPUT: "answer",
    SingleTurnParams.EXPECTED_OUTPUT: "references",
    SingleTurnParams.RETRIEVAL_CONTEXT: "contexts",
    SingleTurnParams.CONTEXT: "contexts",
}
"""What `g_eval` shows its judge."""


class BaseMetric:
    """What a metric is: `measure` sets `score`, `reason` and `success`. Derive from it for one of your own."""

    threshold: float = 0.5
    score: float | None = None
    reason: str | None = None
    error: str | None = None
    success: bool | None = None
    strict_mode: bool = False
    evaluation_model: str | None = None

    def measure(self, test_case: LLMTestCase) -> float | None:
        """The test case's score; None if there is none."""
        raise NotImplementedError

    async def a_measure(self, test_case: LLMTestCase, **_: object) -> float | None:
        """As `measure`."""
        return await asyncio.to_thread(self.measure, test_case)

    def is_successful(self) -> bool:
        """Whether the last score reached the threshold."""
        return bool(self.success)

    @property
    def __name__(self) -> str:
        return type(self).__qualname__


class MeasuredMetric(BaseMetric):
    """A metric that ragauge has. `model`: a model's name, a judge of ragauge, or deepeval's or LangChain's model.

    With `strict_mode` the score is 1 if the value is 1, else 0. `include_reason`, `async_mode` and `verbose_mode` have no effect.
    """

    title: ClassVar[str] = ""
    label: str = ""
    is_judged: ClassVar[bool] = True

    def __init__(
        self,
        threshold: float = 0.5,
        model: Any = None,
        include_reason: bool = True,  # noqa: ARG002
        async_mode: bool = True,  # noqa: ARG002
        strict_mode: bool = False,
        verbose_mode: bool = False,  # noqa: ARG002
        **options: object,
    ) -> None:
        if options:
            raise PlanError(
                [
                    f"{type(self).__qualname__}({next(iter(options))}=…) is not covered; covered are threshold, model, strict_mode"
                ]
            )
        self.threshold = 1.0 if strict_mode else threshold
        self.model, self.strict_mode = model, strict_mode

    @property
    def __name__(self) -> str:
        return self.title

    def contexts_of(self, case: LLMTestCase) -> list[str] | None:
        """The contexts that the metric reads."""
        return case.retrieval_context

    def measure(self, test_case: LLMTestCase, **_: object) -> float | None:
        """The test case's score; None if there is none, and `error` says why."""
        (measured,) = self.measure_all([test_case])
        self.take(measured)
        return self.score

    def measure_all(self, cases: Sequence[LLMTestCase]) -> list[Measured]:
        """What is measured of each test case."""
        judge = judge_of(self.model, "model") if self.is_judged else None
        rows = [case.row(self.contexts_of(case)) for case in cases]
        return measure(rows, [self.label], judge=judge)[0]

    def take(self, measured: Measured) -> None:
        """Set score, reason, error and success."""
        value = measured.value
        self.score = float(value == 1) if self.strict_mode and value is not None else value
        self.reason = None if measured.evidence is None else _reason(measured.evidence)
        self.error = measured.reason if value is None else None
        self.success = self.score is not None and self.score >= self.threshold


def _reason(evidence: str) -> str:
    found = json.loads(evidence)
    if isinstance(said := found.get("reason"), str):
        return said
    lines = (f"{name.strip()} {text.strip()}".strip() for name, text in evidence_lines(found))
    return "; ".join(lines)[:REASON_SHOWN]


class AnswerRelevancyMetric(MeasuredMetric):
    """`answer_relevance`: cosine of the input and questions made from the output. deepeval counts relevant statements."""

    title, label = "Answer Relevancy", "answer_relevance"


class FaithfulnessMetric(MeasuredMetric):
    """`faithfulness`: share of the output's claims that the retrieval context supports. deepeval counts those not contradicted."""

    title, label = "Faithfulness", "faithfulness(on_no_claims=1.0)"


class ContextualPrecisionMetric(MeasuredMetric):
    """`context_precision(average="ap")`: average precision of the retrieval context as judged."""

    title, label = "Contextual Precision", 'context_precision(average="ap")'


class ContextualRecallMetric(MeasuredMetric):
    """`context_recall`: share of the expected output's statements that the retrieval context supports."""

    title, label = "Contextual Recall", "context_recall"


class ExactMatchMetric(MeasuredMetric):
    """`exact_match`: 1 if output and expected output are equal but for case and spaces."""

    title, label, is_judged = "Exact Match", "exact_match", False


class ToolCorrectnessMetric(MeasuredMetric):
    """`tool_recall` by name: share of the expected tools that were called."""

    title, label, is_judged = "Tool Correctness", "tool_recall", False


class GEval(MeasuredMetric):
    """`g_eval`: the output's grade by `criteria` or `evaluation_steps`, from 0 to 10 and shown from 0 to 1; strict, 0 or 1."""

    def __init__(
        self,
        name: str,
        evaluation_params: Sequence[SingleTurnParams] = (
            SingleTurnParams.INPUT,
            SingleTurnParams.ACTUAL_OUTPUT,
        ),
        criteria: str | None = None,
        evaluation_steps: Sequence[str] | None = None,
        threshold: float = 0.5,
        model: Any = None,
        strict_mode: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(threshold, model, strict_mode=strict_mode, **options)
        self.name = name
        shows = tuple(dict.fromkeys(SHOWN[param] for param in evaluation_params if param in SHOWN))
        both = {SingleTurnParams.CONTEXT, SingleTurnParams.RETRIEVAL_CONTEXT} <= {
            *evaluation_params
        }
        if other := [param.value for param in evaluation_params if param not in SHOWN]:
            raise PlanError(
                [
                    f"GEval does not show {other[0]} here; it shows {', '.join(param.value for param in SHOWN)}"
                ]
            )
        if both:
            raise PlanError(
                ["GEval shows context or retrieval_context here, not both; leave one out"]
            )
        self.reads_context = SingleTurnParams.CONTEXT in evaluation_params
        settings: dict[str, SettingValue] = {
            "criteria": criteria or name,
            "steps": tuple(evaluation_steps or ()),
            "shows": shows,
            "low": 0,
            "high": 1 if strict_mode else 10,
        }
        self.label = str(Label("g_eval", settings))

    @property
    def __name__(self) -> str:
        return f"{self.name} [GEval]"

    def contexts_of(self, case: LLMTestCase) -> list[str] | None:
        return case.context if self.reads_context else case.retrieval_context


def __getattr__(name: str) -> Any:
    """ImportError for a metric that is not covered, with the nearest one."""
    raise not_covered("deepeval", name, name)
