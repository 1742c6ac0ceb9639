"""ragas's metric objects, computed by ragauge's metrics of the same meaning.

`docs/coming-from.md` says for each where the definition differs. Where ragauge has the variant of ragas 0.4, it is used.
"""

import asyncio
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ragauge import catalog
from ragauge.compat.adapters import measure, not_covered
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
    """A metric of ragas: `llm` is its judge and `embeddings` its encoder, by default those that `evaluate` is given."""

    name = ""
    label: ClassVar[str] = ""
    """The metric of ragauge that computes it."""
    options: ClassVar[Mapping[str, str]] = {}
    """Further arguments that are covered, each with ragauge's setting."""

    def __init__(
        self, name: str | None = None, *, llm: Any = None, embeddings: Any = None, **options: Any
    ) -> None:
        if unknown := sorted(options.keys() - self.options):
            covered = ", ".join(["name", "llm", "embeddings", *self.options])
            what = f"{type(self).__name__}({unknown[0]}=…) is not covered"
            raise PlanError([f"{what}; covered are {covered}"])
        self.name = name or self.name
        self.llm, self.embeddings = llm, embeddings
        self.settings: dict[str, SettingValue] = {
            self.options[option]: value for option, value in options.items()
        }

    def labels(self, fields: Collection[str]) -> list[str]:  # noqa: ARG002
        """The labels that compute it on samples that all have these fields (ragauge's names)."""
        label = catalog.read_label(self.label)
        return [str(Label(label.name, {**label.settings, **self.settings}))]

    def combine(self, values: Sequence[float]) -> float:
        """The value, from that of each label."""
        return values[0]

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
    fields = set[str]().union(*rows).intersection(*rows)
    labels = [metric.labels(fields) for metric in metrics]
    models = [(metric.llm or llm, metric.embeddings or embeddings) for metric in metrics]
    groups: dict[tuple[int, int], list[int]] = {}
    for place, (judge, encoder) in enumerate(models):
        groups.setdefault((id(judge), id(encoder)), []).append(place)
    found: dict[int, list[MetricResult]] = {}
    for places in groups.values():
        judge, encoder = models[places[0]]
        wanted = list(dict.fromkeys(label for place in places for label in labels[place]))
        measured = measure(rows, wanted, model=judge, argument="llm", embeddings=encoder)
        for place in places:
            found[place] = []
            for parts in zip(*(measured[label] for label in labels[place]), strict=True):
                values = [part.value for part in parts if part.value is not None]
                if len(values) == len(parts):
                    result = MetricResult(metrics[place].combine(values))
                else:
                    result = MetricResult(
                        None, next(part.reason for part in parts if part.value is None)
                    )
                found[place].append(result)
    return [found[place] for place in range(len(metrics))]


def _covered(title: str, name: str, label: str, **options: str) -> type[Metric]:
    """The class of a metric of ragas that one metric of ragauge computes."""
    text = f"ragas's `{name}`, computed as `{label}`."
    return type(
        title, (Metric,), {"__doc__": text, "name": name, "label": label, "options": options}
    )


AVERAGE_PRECISION = 'context_precision(variant="ragas-0.4")'
RELEVANCE = 'answer_relevance(variant="ragas-0.4")'
FACTS = 'factual_correctness(variant="ragas-0.4")'

Faithfulness = _covered("Faithfulness", "faithfulness", "faithfulness")
ResponseRelevancy = AnswerRelevancy = _covered(
    "ResponseRelevancy", "answer_relevancy", RELEVANCE, strictness="n_questions"
)
LLMContextPrecisionWithReference = _covered(
    "LLMContextPrecisionWithReference", "llm_context_precision_with_reference", AVERAGE_PRECISION
)
LLMContextPrecisionWithoutReference = _covered(
    "LLMContextPrecisionWithoutReference",
    "llm_context_precision_without_reference",
    AVERAGE_PRECISION,
)
ContextPrecision = _covered("ContextPrecision", "context_precision", AVERAGE_PRECISION)
ContextUtilization = _covered("ContextUtilization", "context_utilization", AVERAGE_PRECISION)
LLMContextRecall = ContextRecall = _covered("LLMContextRecall", "context_recall", "context_recall")
SemanticSimilarity = _covered("SemanticSimilarity", "semantic_similarity", "semantic_similarity")
AnswerSimilarity = _covered("AnswerSimilarity", "answer_similarity", "semantic_similarity")
IDBasedContextPrecision = _covered(
    "IDBasedContextPrecision", "id_based_context_precision", "precision"
)
IDBasedContextRecall = _covered("IDBasedContextRecall", "id_based_context_recall", "recall")
ExactMatch = _covered("ExactMatch", "exact_match", 'exact_match(normalize="none")')
BleuScore = _covered("BleuScore", "bleu_score", "bleu")
ChrfScore = _covered("ChrfScore", "chrf_score", "chrf")
RougeScore = _covered("RougeScore", "rouge_score", "rougeL")


class FactualCorrectness(_covered("FactualCorrectness", "factual_correctness", FACTS, mode="of")):
    """Agreement of the claims of answer and reference: `factual_correctness(variant="ragas-0.4")`."""

    def __init__(self, name: str | None = None, *, mode: str = "f1", **options: Any) -> None:
        super().__init__(f"{name or self.name}(mode={mode})", mode=mode, **options)


class AnswerCorrectness(Metric):
    """Weighted mean of `factual_correctness` (F1) and `semantic_similarity`.

    ragas sorts the statements of both texts in one reply, and takes F1 from these; here each claim is judged by itself.
    """

    name = "answer_correctness"

    def __init__(self, *, weights: Sequence[float] = (0.75, 0.25), **options: Any) -> None:
        super().__init__(**options)
        if len(weights) != 2 or min(weights) < 0 or not sum(weights):
            what = f"weights must be two numbers of at least 0, not both 0, got {weights!r}"
            raise PlanError([what])
        self.weights = [weight / sum(weights) for weight in weights]

    def labels(self, fields: Collection[str]) -> list[str]:  # noqa: ARG002
        return ["factual_correctness", "semantic_similarity"]

    def combine(self, values: Sequence[float]) -> float:
        return sum(weight * value for weight, value in zip(self.weights, values, strict=True))


class AspectCritic(Metric):
    """1 if the judge says that the sample meets the definition, else 0: `g_eval` on the scale 0 to 1, from a half on.

    The judge sees question, answer, references and contexts, as far as all samples have them.
    """

    options: ClassVar[Mapping[str, str]] = {"definition": "criteria"}

    def __init__(self, name: str, definition: str, **options: Any) -> None:
        super().__init__(name, definition=definition, **options)

    def labels(self, fields: Collection[str]) -> list[str]:
        order = ("question", "answer", "references", "contexts")
        shows = tuple(field for field in order if field in fields)
        return [str(Label("g_eval", {**self.settings, "shows": shows, "low": 0, "high": 1}))]

    def combine(self, values: Sequence[float]) -> float:
        return float(values[0] >= 0.5)


faithfulness, answer_relevancy = Faithfulness(), AnswerRelevancy()
context_precision, context_recall = ContextPrecision(), ContextRecall()
context_utilization, answer_correctness = ContextUtilization(), AnswerCorrectness()
answer_similarity = AnswerSimilarity()


def __getattr__(name: str) -> Any:
    """ImportError for a metric that is not covered, with the nearest one."""
    raise not_covered(
        "ragas", name, re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
    )
