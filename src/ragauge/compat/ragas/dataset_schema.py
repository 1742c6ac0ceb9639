"""ragas's samples, data set and result."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from ragauge.compat import refusing
from ragauge.errors import PlanError

OURS = {
    "user_input": "question",
    "response": "answer",
    "retrieved_contexts": "contexts",
    "reference": "references",
    "reference_contexts": "gold_contexts",
    "retrieved_context_ids": "context_ids",
    "reference_context_ids": "relevant",
}
"""The fields that metrics read, with ragauge's names."""
OLD_NAMES = {
    "question": "user_input",
    "answer": "response",
    "contexts": "retrieved_contexts",
    "ground_truth": "reference",
    "ground_truths": "reference",
}
"""Column names of ragas 0.1, which are read too."""


@dataclass
class SingleTurnSample:
    """One question with its answer: fields as in ragas 0.4. Conversations (`MultiTurnSample`) are not covered."""

    user_input: str | None = None
    retrieved_contexts: list[str] | None = None
    reference_contexts: list[str] | None = None
    retrieved_context_ids: list[Any] | None = None
    reference_context_ids: list[Any] | None = None
    response: str | None = None
    multi_responses: list[str] | None = None
    reference: str | None = None
    rubrics: dict[str, str] | None = None
    persona_name: str | None = None
    query_style: str | None = None
    query_length: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The fields that are given."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in given.items() if value is not None}


class EvaluationDataset(list[SingleTurnSample]):
    """Samples in order: `EvaluationDataset(samples=[…])`, `from_list`, `from_pandas` or `from_hf_dataset`."""

    def __init__(self, samples: Iterable[SingleTurnSample] = (), **_: object) -> None:
        super().__init__(samples)

    @property
    def samples(self) -> list[SingleTurnSample]:
        """The samples as a list."""
        return list(self)

    @classmethod
    def from_list(cls, data: Iterable[Mapping[str, Any]]) -> "EvaluationDataset":
        """From dictionaries. Columns that ragas does not have are left out; names of ragas 0.1 are read too."""
        return cls(samples_of(data))

    @classmethod
    def from_pandas(cls, dataframe: Any) -> "EvaluationDataset":
        """From a frame with a row for each sample."""
        return cls.from_list(dataframe.to_dict("records"))

    @classmethod
    def from_hf_dataset(cls, dataset: Iterable[Mapping[str, Any]]) -> "EvaluationDataset":
        """From a data set of the package `datasets`, or any rows."""
        return cls.from_list(dataset)

    def to_list(self) -> list[dict[str, Any]]:
        """A dictionary for each sample, of the fields that are given."""
        return [sample.to_dict() for sample in self]

    def to_pandas(self) -> Any:
        """A pandas frame with a row for each sample."""
        import pandas as pd

        return pd.DataFrame(self.to_list())

    def features(self) -> list[str]:
        """The fields that the first sample has."""
        return [*self[0].to_dict()] if self else []


def samples_of(
    data: Iterable[Mapping[str, Any]], columns: Mapping[str, str] | None = None
) -> list[SingleTurnSample]:
    """A sample for each row; `columns`: by column the field. Other columns, and cells without a value (NaN), are left out."""
    named = {**OLD_NAMES, **(columns or {})}
    known = {field.name for field in fields(SingleTurnSample)}
    samples: list[SingleTurnSample] = []
    for place, row in enumerate(data, 1):
        if not hasattr(row, "items"):
            raise PlanError(f"sample {place} must be a dictionary, got {row!r:.80}")
        given: dict[str, Any] = {
            named.get(column, column): value
            for column, value in row.items()
            if not (isinstance(value, float) and math.isnan(value))
        }
        if isinstance(given.get("user_input"), list):
            what = "conversations are not covered here; give them to ragauge.evaluate as `messages`"
            raise PlanError(what)
        samples.append(SingleTurnSample(**{name: given[name] for name in given if name in known}))
    return samples


def rows_of(samples: Iterable[SingleTurnSample]) -> list[dict[str, object]]:
    """The samples in ragauge's field names. An id that is given twice counts once, as in ragas."""
    rows: list[dict[str, object]] = []
    for sample in samples:
        row = {OURS[name]: value for name, value in sample.to_dict().items() if name in OURS}
        if "relevant" in row:
            row["relevant"] = list(dict.fromkeys(map(str, row["relevant"])))
        rows.append(row)
    return rows


@dataclass(repr=False)
class EvaluationResult:
    """Each metric's values in the order of the samples; printed, their means and how many do not exist.

    A value that does not exist is NaN, as in ragas, and left out of the mean; `reasons` says why, by metric.
    """

    dataset: EvaluationDataset
    values: Mapping[str, Sequence[float]]
    reasons: Mapping[str, Sequence[str | None]]

    @property
    def scores(self) -> list[dict[str, float]]:
        """A dictionary for each sample: its value by metric."""
        return [
            {name: values[place] for name, values in self.values.items()}
            for place in range(len(self.dataset))
        ]

    def __getitem__(self, metric: str) -> list[float]:
        return list(self.values[metric])

    def __repr__(self) -> str:
        shown: list[str] = []
        unscored: list[str] = []
        for name, values in self.values.items():
            numbers = [value for value in values if not math.isnan(value)]
            mean = sum(numbers) / len(numbers) if numbers else math.nan
            shown.append(f"'{name}': {mean:.4f}")
            if n_unscored := len(values) - len(numbers):
                why = next(filter(None, self.reasons[name]))
                of_all = f"{n_unscored} of {len(values)}"
                unscored.append(f"{name}: {of_all} not scored; the first: {why}")
        return "\n".join([f"{{{', '.join(shown)}}}", *unscored])

    def to_pandas(self) -> Any:
        """The samples with a column for each metric, as a pandas frame."""
        return self.dataset.to_pandas().assign(**self.values)


__getattr__ = refusing("ragas")
