"""Whether an answer says every sentence of a reference."""

from collections.abc import Mapping
from typing import Literal

import numpy as np

from ragauge.encoders import model_info
from ragauge.encoders.cached import CachedEncoder
from ragauge.encoders.protocol import LongText
from ragauge.features.sentences import SentenceMatrix, numbered
from ragauge.label import SettingValue
from ragauge.language.sentences import Splitter
from ragauge.language.text import excerpt
from ragauge.metric import metric
from ragauge.score import Score
from ragauge.setting import Share

Threshold = Share | Literal["model"]
"""A number, or "model": the one that best separates pairs people call equivalent from the rest."""
MAX_CELLS = 400
"""The largest matrix that the evidence shows."""
DIGITS = 6


def needs_threshold(settings: Mapping[str, SettingValue]) -> str | None:
    """What is wrong with `threshold="model"`: no threshold is known for the model."""
    model = str(settings.get("model"))
    if settings.get("threshold") != "model" or model_info(model).threshold is not None:
        return None
    return f"no threshold is known for {model}; give a number"


@metric(version=1, low=None, check=needs_threshold)
def sentence_coverage(
    sentence_matrix: SentenceMatrix,
    *,
    encoder: CachedEncoder,
    threshold: Threshold = 0.85,
    layer: int | None = None,
    splitter: Splitter = "rules",
    long_text: LongText = "cut",
) -> Score:
    """How well the answer covers the reference sentence that it covers worst.

    The minimum over reference sentences of the maximum over answer sentences of their BERTScore F1. At
    most 1; best over the references. A sentence has at least one letter or digit. Undefined if the
    reference has no sentence; 0 if the answer has none. Failed if the encoder gives no token
    embeddings, or if both texts have more than 500 different sentences. The evidence lists, for each reference sentence, the best answer sentence and whether
    its F1 reaches `threshold`. The default of 0.85 was chosen for another model; `threshold="model"` uses
    the one measured for the model in use.

    Source: the suite factual-qa.

    >>> import ragauge as rg
    >>> fees = "The fee is $5. Dogs are free."
    >>> score = rg.score("sentence_coverage", answer="The fee is $5.", reference=fees)
    >>> score.evidence["weakest"]["sentence"]
    'Dogs are free.'
    """
    return _coverage(sentence_matrix, _number(threshold, encoder))


@metric(version=1, check=needs_threshold)
def sentences_covered(
    sentence_matrix: SentenceMatrix,
    *,
    encoder: CachedEncoder,
    threshold: Threshold = 0.85,
    layer: int | None = None,
    splitter: Splitter = "rules",
    long_text: LongText = "cut",
) -> Score:
    """Whether the answer covers every sentence of the reference: `sentence_coverage` > `threshold`.

    1.0 or 0.0; best over the references. Settings, undefined case and evidence as in
    `sentence_coverage`. Strictly above the threshold, although a single sentence already counts as
    covered at the threshold.

    Source: the suite factual-qa.

    >>> import ragauge as rg
    >>> fees = "The fee is $5. Dogs are free."
    >>> rg.score("sentences_covered", answer="Dogs are free. The fee is $5.", reference=fees).value
    1.0
    """
    limit = _number(threshold, encoder)
    found = _coverage(sentence_matrix, limit)
    if found.value is None:
        return found
    evidence = {**(found.evidence or {}), "sentence_coverage": found.value}
    return Score(found.value > limit, evidence=evidence)


def _number(threshold: float | str, encoder: CachedEncoder) -> float:
    if not isinstance(threshold, str):
        return threshold
    own = model_info(encoder.name).threshold
    if own is None:
        raise ValueError(f"no threshold is known for {encoder.name}; give a number")
    return own


def _coverage(matrix: SentenceMatrix, threshold: float) -> Score:
    if not matrix.reference:
        return Score.undefined("the reference has no sentence to cover")
    if not matrix.answer:
        return Score(0.0, evidence={"answer_sentences": 0})
    # Of distinct sentences only: of two texts that repeat a sentence, the whole matrix would not fit in memory.
    first = {one: at for at, one in reversed([*enumerate(matrix.answer)])}
    places, columns = [first[one] for one in numbered(matrix.answer)], numbered(matrix.reference)
    best_row: list[int] = matrix.distinct.argmax(axis=0).tolist()
    highest: list[float] = matrix.distinct.max(axis=0).astype(float).tolist()
    best = [places[best_row[columns[one]]] for one in matrix.reference]
    values = [highest[columns[one]] for one in matrix.reference]
    sentences = [
        {"sentence": excerpt(sentence, 300), "best": excerpt(matrix.answer[at], 300)}
        | {"answer_sentence": at, "f1": value, "covered": value >= threshold}
        for sentence, at, value in zip(matrix.reference, best, values, strict=True)
    ]
    weakest = min(range(len(values)), key=values.__getitem__)
    evidence: dict[str, object] = {
        "weakest": {"reference_sentence": weakest, **sentences[weakest]},
        "threshold": threshold,
        "sentences": sentences,
    }
    if len(matrix.answer) * len(matrix.reference) <= MAX_CELLS:
        evidence["matrix"] = np.round(matrix.f1.astype(float), DIGITS).tolist()
    if matrix.cut:
        evidence["cut"] = [excerpt(sentence, 80) for sentence in matrix.cut]
    return Score(min(values[weakest], 1.0), evidence=evidence)
