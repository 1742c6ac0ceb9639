"""BERTScore: tokens of answer and reference matched by their embeddings (Zhang et al. 2020)."""

from collections.abc import Mapping
from typing import Literal, cast

from ragauge.encoders.cached import CachedEncoder
from ragauge.encoders.models import model_info
from ragauge.encoders.protocol import Floats, LongText
from ragauge.features.matches import Side, TokenMatch, Weights
from ragauge.label import SettingValue
from ragauge.metric import metric
from ragauge.score import Evidence, Score

Part = Literal["precision", "recall", "f1"]
PARTS: tuple[Part, ...] = ("precision", "recall", "f1")
Bases = tuple[float, ...]
WEAKEST = 8
"""How many of the tokens with the lowest cosines the evidence lists."""
DIGITS = 6


def needs_baseline(settings: Mapping[str, SettingValue]) -> str | None:
    """What is wrong with the rescaling: a malformed baseline, or none known for this model and layer."""
    given = settings.get("baseline")
    if given is not None and not settings.get("rescale"):
        return "a baseline is given but not used; add rescale=true"
    if given is not None and not _is_baseline(given):
        return f"baseline must be three numbers from -1 to below 1, got {list(cast(Bases, given))}"
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


def _is_baseline(given: object) -> bool:
    return len(cast(Bases, given)) == len(PARTS) and all(
        -1 <= base < 1 for base in cast(Bases, given)
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
    value = {"precision": match.precision, "recall": match.recall, "f1": match.f1}[part]
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
    evidence: dict[str, object] = {
        "precision": match.precision,
        "recall": match.recall,
        "f1": match.f1,
    }
    if part == "precision":
        evidence["answer"] = _matched(match.answer)
    elif part == "recall":
        evidence["reference"] = _matched(match.reference)
    else:
        evidence["weakest"] = {name: _weakest(side) for name, side in sides.items()}
    cut = {
        name: {"tokens": side.n_tokens, "read": side.n_read}
        for name, side in sides.items()
        if side.is_cut
    }
    return evidence | ({"cut": cut} if cut else {})


def _matched(side: Side) -> Evidence:
    """Each token with its best cosine and its weight, enough to recompute the mean."""
    return {
        "tokens": side.words(),
        "best": _rounded(side.best),
        "weights": _rounded(side.weights),
    }


def _weakest(side: Side) -> list[list[str | float]]:
    """The tokens with the lowest best cosines, lowest first."""
    order = side.best.argsort(kind="stable")
    lowest = order[side.weights[order] > 0][:WEAKEST]
    best = _rounded(side.best[lowest])
    return [[word, cosine] for word, cosine in zip(side.words(lowest), best, strict=True)]


def _rounded(numbers: Floats) -> list[float]:
    return [round(number, DIGITS) for number in numbers.tolist()]
