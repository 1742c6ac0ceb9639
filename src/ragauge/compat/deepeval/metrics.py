"""deepeval's metric objects, computed by ragauge's metrics of the same meaning.

`docs/coming-from.md` says for each where the definition differs. A value below `threshold` fails; so does a value that does not exist.
"""

import asyncio
import json
from collections.abc import Sequence
from typing import Any, ClassVar

from ragauge.compat import SampleValue, measure, refusing
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
    """The base class of metrics: `measure` sets `score`, `reason` and `success`. A script derives its own metrics from it."""

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
    """A metric that ragauge computes. `model`: a model's name, a judge of ragauge, or a model of deepeval or LangChain.

    With `strict_mode` the score is 1 if the value is 1, else 0. `include_reason`, `async_mode` and `verbose_mode` have no effect.
    """

    title: ClassVar[str] = ""
    label: str = ""
    strict_from: ClassVar[float] = 1.0
    """The least value that is 1 in strict mode."""

    def __init__(
        self,
        threshold: float | None = 0.5,
        model: Any = None,
        include_reason: bool = True,  # noqa: ARG002
        async_mode: bool = True,  # noqa: ARG002
        strict_mode: bool = False,
        verbose_mode: bool = False,  # noqa: ARG002
        **options: object,
    ) -> None:
        name = type(self).__qualname__
        if options:
            covered = "covered are threshold, model, strict_mode"
            raise PlanError(f"{name}({next(iter(options))}=…) is not covered; {covered}")
        if threshold is None:
            raise PlanError(f"the threshold of {name} must be a number here, got None")
        self.threshold = 1.0 if strict_mode else threshold
        self.model, self.strict_mode = model, strict_mode

    @property
    def __name__(self) -> str:
        return self.title

    def row(self, case: LLMTestCase) -> dict[str, object]:
        """The test case in ragauge's field names."""
        return case.row(case.retrieval_context)

    def measure(self, test_case: LLMTestCase, **_: object) -> float | None:
        """The test case's score; None if there is none, and `error` says why."""
        (measured,) = self.measure_all([test_case])
        self.take(measured)
        return self.score

    def measure_all(self, cases: Sequence[LLMTestCase]) -> list[SampleValue]:
        """What is measured of each test case."""
        rows = [self.row(case) for case in cases]
        return measure(rows, [self.label], model=self.model, argument="model")[self.label]

    def take(self, measured: SampleValue) -> None:
        """Set score, reason, error and success."""
        value = measured.value
        if self.strict_mode and value is not None:
            value = float(value >= self.strict_from)
        self.score = value
        self.reason = None
        if measured.evidence is not None:
            found = json.loads(measured.evidence)
            lines = (
                f"{name.strip()} {text.strip()}".strip() for name, text in evidence_lines(found)
            )
            said = found.get("reason")
            self.reason = said if isinstance(said, str) else "; ".join(lines)[:REASON_SHOWN]
        self.error = measured.reason if value is None else None
        self.success = value is not None and value >= self.threshold


def _covered(title: str, label: str) -> type[MeasuredMetric]:
    """The class of a metric of deepeval that one metric of ragauge computes."""
    text = (
        f"deepeval's {title}, computed as `{label}`; `docs/coming-from.md` tells the differences."
    )
    name = f"{title.replace(' ', '')}Metric"
    return type(name, (MeasuredMetric,), {"__doc__": text, "title": title, "label": label})


AnswerRelevancyMetric = _covered("Answer Relevancy", "answer_relevance")
FaithfulnessMetric = _covered("Faithfulness", "faithfulness(on_no_claims=1.0)")
ContextualPrecisionMetric = _covered("Contextual Precision", 'context_precision(average="ap")')
ContextualRecallMetric = _covered("Contextual Recall", "context_recall")
ContextualRelevancyMetric = _covered("Contextual Relevancy", "context_precision")
ToolCorrectnessMetric = _covered("Tool Correctness", "tool_recall")


class ExactMatchMetric(MeasuredMetric):
    """`exact_match(normalize="none")`: 1 if output and expected output are equal but for spaces around them."""

    title, label = "Exact Match", 'exact_match(normalize="none")'

    def __init__(self, threshold: float = 1, verbose_mode: bool = False) -> None:
        super().__init__(threshold, verbose_mode=verbose_mode)

    def row(self, case: LLMTestCase) -> dict[str, object]:
        texts = {"answer": case.actual_output, "references": case.expected_output}
        return {name: text and text.strip() for name, text in texts.items()}


class PatternMatchMetric(MeasuredMetric):
    """`regex`: 1 if the pattern matches the whole output but for spaces around it."""

    title = "Pattern Match"

    def __init__(
        self,
        pattern: str,
        ignore_case: bool = False,
        threshold: float = 1,
        verbose_mode: bool = False,
    ) -> None:
        super().__init__(threshold, verbose_mode=verbose_mode)
        case = "" if ignore_case else "-i"
        pattern = rf"\A(?{case}:{pattern.strip()})\Z"
        self.label = str(Label("regex", {"pattern": pattern}))

    def row(self, case: LLMTestCase) -> dict[str, object]:
        return {"answer": case.actual_output and case.actual_output.strip()}


class GEval(MeasuredMetric):
    """`g_eval`: the output's grade by `criteria` or `evaluation_steps`, from 0 to 10 and shown from 0 to 1; strict, 0 or 1."""

    strict_from = 0.5
    """A judge with token probabilities gives the probability of grade 1."""

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
        params = list(evaluation_params)
        if not criteria and not evaluation_steps:
            raise PlanError(f"GEval {name!r} needs criteria or evaluation_steps")
        if other := [param.value for param in params if param not in SHOWN]:
            covered = ", ".join(param.value for param in SHOWN)
            raise PlanError(f"GEval does not show {other[0]} here; it shows {covered}")
        self.reads_context = SingleTurnParams.CONTEXT in params
        if self.reads_context and SingleTurnParams.RETRIEVAL_CONTEXT in params:
            what = "GEval shows context or retrieval_context here, not both; leave one out"
            raise PlanError(what)
        self.name = name
        settings: dict[str, SettingValue] = {
            "criteria": criteria or name,
            "steps": tuple(evaluation_steps or ()),
            "shows": tuple(dict.fromkeys(SHOWN[param] for param in params)),
            "low": 0,
            "high": 1 if strict_mode else 10,
        }
        self.label = str(Label("g_eval", settings))

    @property
    def __name__(self) -> str:
        return f"{self.name} [GEval]"

    def row(self, case: LLMTestCase) -> dict[str, object]:
        return case.row(case.context if self.reads_context else case.retrieval_context)


__getattr__ = refusing("deepeval", str)
