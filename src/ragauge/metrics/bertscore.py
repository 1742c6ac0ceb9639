"""BERTScore: the tokens of answer and reference matched by their vectors (Zhang et al. 2020)."""

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
"""So many tokens with the lowest cosines are shown."""
DIGITS = 6


def needs_baseline(settings: Mapping[str, SettingValue]) -> str | None:
    """What is wrong with a rescaling: a baseline that is none, or none known for model and layer."""
    given = settings.get("baseline")
    if given is not None and not settings.get("rescale"):
        return "a baseline is given but not used; add rescale=true"
    if given is not None and not _is_baseline(given):
        return f"baseline must be three numbers from -1 to below 1, got {list(cast(Bases, given))}"
    if given is not None or not settings.get("rescale"):
        return None
    model, layer = str(settings.get("model")), settings.get("layer")
    found = model_info(model)
    if found.baseline is not None and layer == found.layer:
        return None
    at = f" at layer {layer}" if layer is not None else ""
    return (
        f"no baseline is known for {model}{at}; "
        "give baseline=[precision, recall, f1], means over unrelated sentences, or leave rescale out"
    )


def _is_baseline(given: object) -> bool:
    return len(cast(Bases, given)) == len(PARTS) and all(
        -1 <= one < 1 for one in cast(Bases, given)
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
    """BERTScore F1: the harmonic mean of `bertscore_precision` and `bertscore_recall`.

    At most 1, in practice above 0 (a cosine may be negative); best over the references. Either side
    empty: 0. As the bert-score package 0.3.13 computes it for one pair at a time: its batches pad,
    and the padding beats negative cosines. `layer`: whose token vectors are taken; not given, the
    one that bert-score's authors chose for the model, 6 for all-MiniLM-L6-v2 (where it agrees best
    with people), the last one of a model that nobody measured. `idf` weighs tokens by their inverse
    document frequency in the run's references. `rescale` maps the model's mean over unrelated
    sentences to 0, 1 to 1 (an empty side then has the value that 0 is mapped to); `baseline` gives
    those means where they are not known. Texts beyond the model's length are cut, which the
    evidence says, or read in windows. `failed` when there are no token vectors: an endpoint has
    none. Source: Zhang et al. 2020, section 3; seed 002, section 7.

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
    """The mean, over the answer's tokens, of the best cosine with a token of the reference.

    Settings and empty sides as in `bertscore`; low where the answer says more than the reference.
    Source: Zhang et al. 2020, section 3; seed 002, section 7.

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
    """The mean, over the reference's tokens, of the best cosine with a token of the answer.

    Settings and empty sides as in `bertscore`; low where the answer leaves something out. Source:
    Zhang et al. 2020, section 3; seed 002, section 7.

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
    found: dict[str, object] = {
        "precision": match.precision,
        "recall": match.recall,
        "f1": match.f1,
    }
    if part == "precision":
        found["answer"] = _matched(match.answer)
    elif part == "recall":
        found["reference"] = _matched(match.reference)
    else:
        found["weakest"] = {name: _weakest(side) for name, side in sides.items()}
    cut = {
        name: {"tokens": side.n_tokens, "read": side.n_read}
        for name, side in sides.items()
        if side.is_cut
    }
    return found | ({"cut": cut} if cut else {})


def _matched(side: Side) -> Evidence:
    """Each token with its best cosine and weight, enough to make the mean again."""
    return {
        "tokens": side.words(),
        "best": _rounded(side.best),
        "weights": _rounded(side.weights),
    }


def _weakest(side: Side) -> list[list[str | float]]:
    """The tokens that found the least like them, lowest first."""
    order = side.best.argsort(kind="stable")
    lowest = order[side.weights[order] > 0][:WEAKEST]
    best = _rounded(side.best[lowest])
    return [[word, one] for word, one in zip(side.words(lowest), best, strict=True)]


def _rounded(numbers: Floats) -> list[float]:
    return [round(one, DIGITS) for one in numbers.tolist()]
