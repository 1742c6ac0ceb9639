"""ragas's metric objects, computed by ragauge's metrics of the same meaning.

`docs/coming-from.md` says for each where the definition differs. Where ragauge has the variant of ragas 0.4, it is used.
"""

import asyncio
import re
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ragauge import catalog
from ragauge.compat import measure, not_covered, refusing
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
    label: str = ""
    """The metric of ragauge that computes it."""
    options: ClassVar[Mapping[str, str]] = {}
    """Further arguments that are covered, each with ragauge's setting."""

    def __init__(
        self, name: str | None = None, *, llm: Any = None, embeddings: Any = None, **options: Any
    ) -> None:
        if unknown := sorted(options.keys() - self.options):
            covered = ", ".join(["name", "llm", "embeddings", *self.options])
            what = f"{type(self).__name__}({unknown[0]}=…) is not covered"
            raise PlanError(f"{what}; covered are {covered}")
        self.name = name or self.name
        self.llm, self.embeddings = llm, embeddings
        self.settings: dict[str, SettingValue] = {
            self.options[option]: value for option, value in options.items()
        }

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(not_covered("ragas", f"{type(self).__name__}.{name}"))

    def labels(self, fields: Collection[str]) -> list[str]:  # noqa: ARG002
        """The labels that compute it on samples that all have these fields (ragauge's names)."""
        label = catalog.read_label(self.label)
        return [str(Label(label.name, {**label.settings, **self.settings}))]

    def combine(self, values: Sequence[float]) -> float:
        """The value, from that of each label."""
        return values[0]

    def batch_score(self, inputs: Sequence[Mapping[str, Any]]) -> list[MetricResult]:
        """The value of each sample, given by its fields."""
        named = [{OLD_NAMES.get(name, name): row[name] for name in row} for row in inputs]
        return results_of([self], [SingleTurnSample(**row) for row in named])[0]

    async def abatch_score(self, inputs: Sequence[Mapping[str, Any]]) -> list[MetricResult]:
        """As `batch_score`."""
        return await asyncio.to_thread(self.batch_score, inputs)

    def score(self, **fields: Any) -> MetricResult:
        """The value of one sample: `score(user_input=…, response=…)`."""
        return self.batch_score([fields])[0]

    async def ascore(self, **fields: Any) -> MetricResult:
        """As `score`."""
        return (await self.abatch_score([fields]))[0]

    def single_turn_score(self, sample: SingleTurnSample, callbacks: object = None) -> float:  # noqa: ARG002
        """The value of one sample; NaN if there is none."""
        return float(results_of([self], [sample])[0][0])

    async def single_turn_ascore(self, sample: SingleTurnSample, *_: object, **__: object) -> float:
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


def _snake(title: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", title).lower()


def _covered(title: str, label: str, name: str | None = None, **options: str) -> type[Metric]:
    """The class of a metric of ragas that one metric of ragauge computes."""
    name = name or _snake(title)
    text = f"ragas's `{name}`, computed as `{label}`."
    return type(
        title, (Metric,), {"__doc__": text, "name": name, "label": label, "options": options}
    )


PRECISION = 'context_precision(variant="ragas-0.4")'
RELEVANCE = 'answer_relevance(variant="ragas-0.4")'
FACTS = 'factual_correctness(variant="ragas-0.4")'

Faithfulness = _covered("Faithfulness", "faithfulness")
AnswerRelevancy = _covered("AnswerRelevancy", RELEVANCE, strictness="n_questions")
ResponseRelevancy = _covered(
    "ResponseRelevancy", RELEVANCE, "answer_relevancy", strictness="n_questions"
)
ContextPrecision = _covered("ContextPrecision", PRECISION)
ContextPrecisionWithReference = _covered("ContextPrecisionWithReference", PRECISION)
ContextPrecisionWithoutReference = _covered("ContextPrecisionWithoutReference", PRECISION)
LLMContextPrecisionWithReference = _covered("LLMContextPrecisionWithReference", PRECISION)
LLMContextPrecisionWithoutReference = _covered("LLMContextPrecisionWithoutReference", PRECISION)
ContextUtilization = _covered("ContextUtilization", PRECISION)
LLMContextRecall = ContextRecall = _covered("ContextRecall", "context_recall")
SemanticSimilarity = _covered("SemanticSimilarity", "semantic_similarity")
AnswerSimilarity = _covered("AnswerSimilarity", "semantic_similarity")
IDBasedContextPrecision = _covered("IDBasedContextPrecision", "precision")
IDBasedContextRecall = _covered("IDBasedContextRecall", "recall")
ExactMatch = _covered("ExactMatch", 'exact_match(normalize="none")')
BleuScore = _covered("BleuScore", "bleu")
ChrfScore = _covered("ChrfScore", "chrf", "chrf_score")


class FactualCorrectness(_covered("FactualCorrectness", FACTS, mode="of")):
    """Agreement of the claims of answer and reference: `factual_correctness(variant="ragas-0.4")`."""

    def __init__(self, name: str | None = None, *, mode: str = "f1", **options: Any) -> None:
        super().__init__(f"{name or self.name}(mode={mode})", mode=mode, **options)


class RougeScore(Metric):
    """`rouge1` or `rougeL` by `rouge_type`; `mode` is fmeasure, precision or recall."""

    name = "rouge_score"

    def __init__(
        self,
        name: str | None = None,
        rouge_type: str = "rougeL",
        mode: str = "fmeasure",
        **options: Any,
    ) -> None:
        super().__init__(f"{name or self.name}(mode={mode})", **options)
        self.label = rouge_type
        self.settings = {"measure": mode.replace("fmeasure", "f1")}


class AnswerCorrectness(Metric):
    """Weighted mean of `factual_correctness` (F1) and `semantic_similarity`.

    ragas sorts the statements of both texts in one reply, and takes F1 from these; here each claim is judged by itself.
    """

    name = "answer_correctness"

    def __init__(self, *, weights: Sequence[float] = (0.75, 0.25), **options: Any) -> None:
        super().__init__(**options)
        if len(weights) != 2 or min(weights) < 0 or not sum(weights):
            what = f"weights must be two numbers of at least 0, not both 0, got {weights!r}"
            raise PlanError(what)
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

__getattr__ = refusing("ragas", _snake)
collections = sys.modules[f"{__name__}.collections"] = sys.modules[__name__]
"""The second place at which ragas 0.4 has its metrics."""
