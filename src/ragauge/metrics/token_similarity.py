"""How similar an answer is to a reference in meaning: the cosine of their embeddings, BERTScore (Zhang et al. 2020), and whether every sentence is said."""

from collections.abc import Mapping, Sequence
from typing import Literal, cast

import numpy as np

from ragauge.encoders import model_info
from ragauge.encoders.cached import CachedEncoder, NoVector, TextVector, pieces
from ragauge.encoders.protocol import Floats, LongText
from ragauge.features.matches import Side, TokenMatch, Weights
from ragauge.features.sentences import SentenceMatrix, numbered
from ragauge.label import SettingValue
from ragauge.language.sentences import Splitter
from ragauge.language.text import excerpt, is_blank
from ragauge.metric import metric
from ragauge.score import Score
from ragauge.setting import Share

Part = Literal["precision", "recall", "f1"]
PARTS: tuple[Part, ...] = ("precision", "recall", "f1")
WEAKEST = 8
"""How many of the tokens with the lowest cosines the evidence lists."""
DIGITS = 6


def needs_baseline(settings: Mapping[str, SettingValue]) -> str | None:
    """What is wrong with the rescaling: a malformed baseline, or none known for this model and layer."""
    given = cast("tuple[float, ...] | None", settings.get("baseline"))
    if given is not None and not settings.get("rescale"):
        return "a baseline is given but not used; add rescale=true"
    if given is not None and not (len(given) == 3 and all(-1 <= base < 1 for base in given)):
        return f"baseline must be three numbers from -1 to below 1, got {list(given)}"
    if given is not None or not settings.get("rescale"):
        return None
    model, layer = str(settings.get("model")), settings.get("layer")
    info = model_info(model)
    if info.baseline is not None and layer == info.layer:
        return None
    at = f" at layer {layer}" if layer is not None else ""
    return (
        f"no baseline is known for {model}{at}; "
        "give baseline=[precision, recall, f1], the means over unrelated sentences, or drop rescale"
    )


@metric(version=1, low=None, check=needs_baseline)
def bertscore(
    token_match: TokenMatch,
    token_weights: Weights,
    *,
    encoder: CachedEncoder,
    layer: int | None = None,
    idf: bool = False,
    rescale: bool = False,
    baseline: tuple[float, ...] | None = None,
    long_text: LongText = "cut",
) -> Score:
    """BERTScore F1: how similar answer and reference are, token by token.

    The harmonic mean of `bertscore_precision` and `bertscore_recall`. At most 1, in practice above 0
    (a cosine can be negative); best over the references. If the answer or the reference is empty: 0.
    Computed as the bert-score package 0.3.13 computes it for one pair at a time; in its batches,
    padding tokens outrank negative cosines.

    `layer`: the layer whose token embeddings are used. By default the one that the authors of
    bert-score chose for the model, 6 for all-MiniLM-L6-v2 (the best agreement with people), and the
    last layer of any other model. `idf` weights tokens by their inverse document frequency in the
    references of the run. `rescale` maps the model's mean over unrelated sentences to 0 and keeps 1
    (an empty side is then rescaled from 0); `baseline` supplies those means where none are known.
    `long_text="cut"` truncates texts beyond the model's limit, which the evidence records; "windows"
    reads them whole. Failed if the encoder gives no token embeddings; an endpoint has none.

    Source: Zhang et al. 2020, section 3; the suite graphrag.

    >>> import ragauge as rg
    >>> round(rg.score("bertscore", answer="A cat sat.", reference="A cat was sitting.").value, 3)
    0.829
    """
    return _score("f1", token_match, encoder, rescale, baseline)


@metric(version=1, low=None, check=needs_baseline)
def bertscore_precision(
    token_match: TokenMatch,
    token_weights: Weights,
    *,
    encoder: CachedEncoder,
    layer: int | None = None,
    idf: bool = False,
    rescale: bool = False,
    baseline: tuple[float, ...] | None = None,
    long_text: LongText = "cut",
) -> Score:
    """BERTScore precision: the mean, over the answer's tokens, of the best cosine with a reference token.

    Low if the answer says more than the reference. Range, settings and empty texts as in `bertscore`.

    Source: Zhang et al. 2020, section 3; the suite graphrag.

    >>> import ragauge as rg
    >>> longer = "A cat sat on the mat and the dog barked."
    >>> round(rg.score("bertscore_precision", answer=longer, reference="A cat sat.").value, 2)
    0.54
    """
    return _score("precision", token_match, encoder, rescale, baseline)


@metric(version=1, low=None, check=needs_baseline)
def bertscore_recall(
    token_match: TokenMatch,
    token_weights: Weights,
    *,
    encoder: CachedEncoder,
    layer: int | None = None,
    idf: bool = False,
    rescale: bool = False,
    baseline: tuple[float, ...] | None = None,
    long_text: LongText = "cut",
) -> Score:
    """BERTScore recall: the mean, over the reference's tokens, of the best cosine with an answer token.

    Low if the answer leaves something out. Range, settings and empty texts as in `bertscore`.

    Source: Zhang et al. 2020, section 3; the suite graphrag.

    >>> import ragauge as rg
    >>> longer = "A cat sat on the mat and the dog barked."
    >>> round(rg.score("bertscore_recall", answer=longer, reference="A cat sat.").value, 2)
    0.78
    """
    return _score("recall", token_match, encoder, rescale, baseline)


def _score(
    part: Part,
    match: TokenMatch,
    encoder: CachedEncoder,
    rescale: bool,
    baseline: tuple[float, ...] | None,
) -> Score:
    value: float = getattr(match, part)
    evidence = _evidence(part, match)
    if rescale:
        bases = baseline or model_info(encoder.name).baseline
        if bases is None:
            raise ValueError(f"no baseline is known for {encoder.name}; give one")
        base = bases[PARTS.index(part)]
        evidence |= {"raw": value, "baseline": base}
        value = (value - base) / (1 - base)
    return Score(min(value, 1.0), evidence=evidence)


def _evidence(part: Part, match: TokenMatch) -> dict[str, object]:
    if match.answer is None or match.reference is None:
        return {"empty": True}
    sides = {"answer": match.answer, "reference": match.reference}
    evidence: dict[str, object] = {name: getattr(match, name) for name in PARTS}
    if part == "f1":
        # The tokens with the lowest best cosines, lowest first.
        evidence["weakest"] = weakest = dict[str, object]()
        for name, side in sides.items():
            order = side.best.argsort(kind="stable")
            lowest = order[side.weights[order] > 0][:WEAKEST]
            pairs = zip(side.words(lowest), _rounded(side.best[lowest]), strict=True)
            weakest[name] = [list(pair) for pair in pairs]
    else:
        # Each token with its best cosine and its weight, enough to recompute the mean.
        name = "answer" if part == "precision" else "reference"
        best, weights = _rounded(sides[name].best), _rounded(sides[name].weights)
        evidence[name] = {"tokens": sides[name].words(), "best": best, "weights": weights}
    return evidence | _cut(**sides)


def _cut(**sides: Side | TextVector) -> dict[str, object]:
    """The evidence of the texts that were cut."""
    cut = {
        name: {"tokens": side.n_tokens, "read": side.n_read}
        for name, side in sides.items()
        if side.n_tokens is not None and side.n_read is not None and side.n_read < side.n_tokens
    }
    return {"cut": cut} if cut else {}


def _rounded(numbers: Floats) -> list[float]:
    return [round(number, DIGITS) for number in numbers.tolist()]


@metric(version=1, batch=True)
def semantic_similarity(
    answer: Sequence[str],
    reference: Sequence[str],
    *,
    encoder: CachedEncoder,
    long_text: LongText = "cut",
    on_empty: Share | None = None,
) -> list[Score]:
    """How similar answer and reference are in meaning: the cosine similarity of their embeddings.

    In [0, 1], with negative cosines counted as 0; best over the references. Undefined if a text is empty
    or blank, or the value of `on_empty`. Failed if the encoder gives no vector. A text beyond the model's
    limit is truncated, which the evidence records; `long_text="windows"` reads it whole. The default model
    is all-MiniLM-L6-v2 (256 tokens); values of different models are not comparable.

    Source: Reimers and Gurevych 2019 (Sentence-BERT); the suite graphrag.

    >>> import ragauge as rg
    >>> near = rg.score("semantic_similarity", answer="A cat sat.", reference="A cat was sitting.")
    >>> far = rg.score("semantic_similarity", answer="A cat sat.", reference="Stocks fell.")
    >>> round(near.value, 2), round(far.value, 2)
    (0.86, 0.1)
    """
    rows = list(zip(answer, reference, strict=True))
    out: list[Score] = []
    for piece in pieces(rows, lambda row: len(row[0]) + len(row[1])):
        texts = (text for row in piece for text in row if not is_blank(text))
        vectors = encoder.vectors(texts, long_text=long_text)
        for ours, theirs in piece:
            empty = "answer" if is_blank(ours) else "reference" if is_blank(theirs) else None
            if not empty:
                out.append(_cosine(vectors[ours], vectors[theirs]))
            elif on_empty is None:
                reason = f"the {empty} is empty, so it has no meaning to compare"
                out.append(Score.undefined(reason))
            else:
                out.append(Score(on_empty, evidence={"empty": empty}))
    return out


def _cosine(ours: TextVector | NoVector, theirs: TextVector | NoVector) -> Score:
    if isinstance(ours, NoVector):
        return Score.failed(f"answer: {ours.reason}")
    if isinstance(theirs, NoVector):
        return Score.failed(f"reference: {theirs.reason}")
    if len(ours.vector) != len(theirs.vector):
        sizes = f"{len(ours.vector)} and {len(theirs.vector)}"
        return Score.failed(f"the vectors of answer and reference have {sizes} dimensions")
    cosine = float(ours.vector @ theirs.vector)
    evidence = {"cosine": cosine, **_cut(answer=ours, reference=theirs)}
    return Score(min(1.0, max(0.0, cosine)), evidence=evidence)


Threshold = Share | Literal["model"]
"""A number, or "model": the one that best separates pairs people call equivalent from the rest."""
MAX_CELLS = 400
"""The largest matrix that the evidence shows."""


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
    first = {number: at for at, number in reversed([*enumerate(matrix.answer)])}
    places, columns = (
        [first[number] for number in numbered(matrix.answer)],
        numbered(matrix.reference),
    )
    best_row: list[int] = matrix.distinct.argmax(axis=0).tolist()
    highest: list[float] = matrix.distinct.max(axis=0).astype(float).tolist()
    best = [places[best_row[columns[token]]] for token in matrix.reference]
    values = [highest[columns[token]] for token in matrix.reference]
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
