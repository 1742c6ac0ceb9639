"""ragas's metric objects, computed by ragauge's metrics of the same meaning.

`docs/coming-from.md` says for each where the definition differs. Where ragauge has the variant of ragas 0.4, it is used.
"""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ragauge import catalog
from ragauge.compat.adapters import Measured, encoder_of, judge_of, measure, not_covered
from ragauge.compat.ragas.dataset_schema import OLD_NAMES, SingleTurnSample, rows_of
from ragauge.errors import PlanError
from ragauge.label import Label, SettingValue


@dataclass(frozen=True, slots=True)
class MetricResult:
    """A value, None where there is none, and the reason for that."""

    value: float | None
    reason: str | None = None

    def __float__(self) -> float:
        return float("nan") if self.value is None else self.value


class Metric:
    """A metric of ragas: `llm` is its judge and `embeddings` its encoder, else those that `evaluate` is given."""

    name = ""
    label: ClassVar[str] = ""
    """Of the metric that computes it."""
    is_judged: ClassVar[bool] = True
    options: ClassVar[dict[str, str]] = {}
    """The arguments that are covered besides name, llm and embeddings, each with the setting that it is."""

    def __init__(
        self, name: str | None = None, *, llm: Any = None, embeddings: Any = None, **options: Any
    ) -> None:
        if unknown := sorted(options.keys() - self.options):
            covered = ", ".join(["name", "llm", "embeddings", *self.options])
            raise PlanError(
                [f"{type(self).__name__}({unknown[0]}=…) is not covered; covered are {covered}"]
            )
        self.name = name or self.name
        self.llm, self.embeddings = llm, embeddings
        self.settings: dict[str, SettingValue] = {
            self.options[option]: value for option, value in options.items()
        }

    @property
    def labels(self) -> list[str]:
        """The labels of the metrics that compute it."""
        label = catalog.read_label(self.label)
        return [str(Label(label.name, {**label.settings, **self.settings}))]

    def combine(self, values: Sequence[float]) -> float:
        """The value, from that of each label."""
        return values[0]

    def result(self, parts: Sequence[Measured]) -> MetricResult:
        """The value, from what was measured by each label."""
        values = [part.value for part in parts if part.value is not None]
        if len(values) < len(parts):
            return MetricResult(None, next(part.reason for part in parts if part.value is None))
        return MetricResult(self.combine(values))

    def score(self, **fields: Any) -> MetricResult:
        """The value of one sample given by its fields: `score(user_input=…, response=…)`."""
        named = {OLD_NAMES.get(name, name): value for name, value in fields.items()}
        return results_of([self], [SingleTurnSample(**named)])[0][0]

    async def ascore(self, **fields: Any) -> MetricResult:
        """As `score`."""
        return await asyncio.to_thread(self.score, **fields)

    def single_turn_score(self, sample: SingleTurnSample) -> float:
        """The value of one sample; NaN if there is none."""
        return float(results_of([self], [sample])[0][0])

    async def single_turn_ascore(self, sample: SingleTurnSample) -> float:
        """As `single_turn_score`."""
        return await asyncio.to_thread(self.single_turn_score, sample)


def results_of(
    metrics: Sequence[Metric],
    samples: Sequence[SingleTurnSample],
    llm: Any = None,
    embeddings: Any = None,
) -> list[list[MetricResult]]:
    """For each metric the value of each sample. Metrics with the same models are measured together."""
    rows = rows_of(samples)
    found: dict[int, list[MetricResult]] = {}
    models = [(id(each.llm or llm), id(each.embeddings or embeddings)) for each in metrics]
    for group in dict.fromkeys(models):
        members = [place for place, model in enumerate(models) if model == group]
        first = metrics[members[0]]
        is_judged = any(metrics[place].is_judged for place in members)
        labels = list(dict.fromkeys(label for place in members for label in metrics[place].labels))
        measured = measure(
            rows,
            labels,
            judge=judge_of(first.llm or llm, "llm") if is_judged else None,
            encoder=encoder_of(first.embeddings or embeddings),
        )
        by_label = dict(zip(labels, measured, strict=True))
        for place in members:
            parts = zip(*(by_label[label] for label in metrics[place].labels), strict=True)
            found[place] = [metrics[place].result(part) for part in parts]
    return [found[place] for place in range(len(metrics))]


class Faithfulness(Metric):
    """Share of the answer's claims that the contexts support: `faithfulness`."""

    name, label = "faithfulness", "faithfulness"


class ResponseRelevancy(Metric):
    """Cosine of the question and questions made from the answer: `answer_relevance(variant="ragas-0.4")`."""

    name, label = "answer_relevancy", 'answer_relevance(variant="ragas-0.4")'
    options: ClassVar[dict[str, str]] = {"strictness": "n_questions"}


class LLMContextPrecisionWithReference(Metric):
    """Average precision of the contexts as judged: `context_precision(variant="ragas-0.4")`."""

    name = "llm_context_precision_with_reference"
    label = 'context_precision(variant="ragas-0.4")'


class ContextPrecision(LLMContextPrecisionWithReference):
    """`LLMContextPrecisionWithReference` by its other name."""

    name = "context_precision"


class LLMContextPrecisionWithoutReference(LLMContextPrecisionWithReference):
    """The same; the judge sees the references if there are any, and not the answer."""

    name = "llm_context_precision_without_reference"


class ContextUtilization(LLMContextPrecisionWithoutReference):
    """`LLMContextPrecisionWithoutReference` by its other name."""

    name = "context_utilization"


class LLMContextRecall(Metric):
    """Share of the reference's statements that the contexts support: `context_recall`."""

    name, label = "context_recall", "context_recall"


class FactualCorrectness(Metric):
    """Agreement of the claims of answer and reference: `factual_correctness(variant="ragas-0.4")`."""

    label = 'factual_correctness(variant="ragas-0.4")'
    options: ClassVar[dict[str, str]] = {"mode": "of"}

    def __init__(self, name: str | None = None, *, mode: str = "f1", **options: Any) -> None:
        super().__init__(name or f"factual_correctness(mode={mode})", mode=mode, **options)


class AnswerCorrectness(Metric):
    """Weighted mean of `factual_correctness` (F1) and `semantic_similarity`.

    ragas sorts the statements of both texts in one reply, and takes F1 from these; here each claim is judged by itself.
    """

    name = "answer_correctness"

    def __init__(self, *, weights: Sequence[float] = (0.75, 0.25), **options: Any) -> None:
        super().__init__(**options)
        if len(weights) != 2 or min(weights) < 0 or not sum(weights):
            raise PlanError(
                [f"weights must be two numbers of at least 0, not both 0, got {weights!r}"]
            )
        self.weights = [weight / sum(weights) for weight in weights]

    @property
    def labels(self) -> list[str]:
        return ["factual_correctness", "semantic_similarity"]

    def combine(self, values: Sequence[float]) -> float:
        return sum(weight * value for weight, value in zip(self.weights, values, strict=True))


class AspectCritic(Metric):
    """1 if the judge says that the answer meets the definition, else 0: `g_eval` on the scale 0 to 1, from a half on."""

    label = "g_eval(low=0,high=1)"
    options: ClassVar[dict[str, str]] = {"definition": "criteria"}

    def __init__(self, name: str, definition: str, **options: Any) -> None:
        super().__init__(name, definition=definition, **options)

    def combine(self, values: Sequence[float]) -> float:
        return float(values[0] >= 0.5)


class SemanticSimilarity(Metric):
    """Cosine of answer and reference: `semantic_similarity`."""

    name, label, is_judged = "semantic_similarity", "semantic_similarity", False


class AnswerSimilarity(SemanticSimilarity):
    """`SemanticSimilarity` by its other name."""

    name = "answer_similarity"


class IDBasedContextPrecision(Metric):
    """Share of the retrieved ids that are relevant: `precision`."""

    name, label, is_judged = "id_based_context_precision", "precision", False


class IDBasedContextRecall(Metric):
    """Share of the relevant ids that were retrieved: `recall`."""

    name, label, is_judged = "id_based_context_recall", "recall", False


class ExactMatch(Metric):
    """1 if answer and reference are the same text: `exact_match(normalize="none")`."""

    name, label, is_judged = "exact_match", 'exact_match(normalize="none")', False


class BleuScore(Metric):
    """Sentence BLEU of the answer: `bleu`; needs the extra `ngram`."""

    name, label, is_judged = "bleu_score", "bleu", False


class ChrfScore(Metric):
    """chrF of the answer: `chrf`; needs the extra `ngram`."""

    name, label, is_judged = "chrf_score", "chrf", False


class RougeScore(Metric):
    """ROUGE-L F1 of answer and reference, words not stemmed: `rougeL`."""

    name, label, is_judged = "rouge_score", "rougeL", False


AnswerRelevancy = ResponseRelevancy
ContextRecall = LLMContextRecall
faithfulness, answer_relevancy = Faithfulness(), AnswerRelevancy()
context_precision, context_recall = ContextPrecision(), ContextRecall()
context_utilization, answer_correctness = ContextUtilization(), AnswerCorrectness()
answer_similarity = AnswerSimilarity()


def __getattr__(name: str) -> Any:
    """ImportError for a metric that is not covered, with the nearest one."""
    raise not_covered(
        "ragas", name, re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
    )
