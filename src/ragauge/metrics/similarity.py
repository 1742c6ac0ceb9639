"""How near an answer is to a reference in meaning, by the cosine of their embeddings."""

from collections.abc import Sequence

from ragauge.encoders.cached import CachedEncoder, NoVector, TextVector, pieces
from ragauge.encoders.protocol import LongText
from ragauge.language.text import is_blank
from ragauge.metric import Share, metric
from ragauge.score import Score


@metric(version=1, batch=True)
def semantic_similarity(
    answer: Sequence[str],
    reference: Sequence[str],
    *,
    encoder: CachedEncoder,
    long_text: LongText = "cut",
    on_empty: Share | None = None,
) -> list[Score]:
    """Cosine of the embeddings of answer and reference, negative ones counted as 0.

    In [0, 1]; best over the references. An empty or blank text: `undefined`, or the value of
    `on_empty`. A text that is longer than the model takes is cut, which the evidence says;
    `long_text="windows"` reads it whole. `failed` when the encoder gives no vector. The default
    model is all-MiniLM-L6-v2 (256 tokens), numbers of which are no other model's. Source: seed 002,
    section 6; Reimers and Gurevych 2019 (Sentence-BERT).

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
        for one, other in piece:
            if is_blank(one) or is_blank(other):
                out.append(_of_empty(one, on_empty))
            else:
                out.append(_cosine(vectors[one], vectors[other]))
    return out


def _of_empty(answer: str, on_empty: float | None) -> Score:
    empty = "answer" if is_blank(answer) else "reference"
    if on_empty is None:
        return Score.undefined(f"the {empty} is empty, so it has no meaning to compare")
    return Score(on_empty, evidence={"empty": empty})


def _cosine(ours: TextVector | NoVector, theirs: TextVector | NoVector) -> Score:
    if isinstance(ours, NoVector):
        return Score.failed(f"answer: {ours.reason}")
    if isinstance(theirs, NoVector):
        return Score.failed(f"reference: {theirs.reason}")
    if len(ours.vector) != len(theirs.vector):
        sizes = f"{len(ours.vector)} and {len(theirs.vector)}"
        return Score.failed(f"the vectors of answer and reference have {sizes} dimensions")
    cosine = float(ours.vector @ theirs.vector)
    evidence: dict[str, object] = {"cosine": cosine}
    if cut := _cut(ours, theirs):
        evidence["cut"] = cut
    return Score(min(1.0, max(0.0, cosine)), evidence=evidence)


def _cut(ours: TextVector, theirs: TextVector) -> dict[str, object]:
    """Which of the texts were not read to their end."""
    return {
        name: {"tokens": one.n_tokens, "read": one.n_read}
        for name, one in (("answer", ours), ("reference", theirs))
        if one.n_tokens is not None and one.n_read is not None and one.n_read < one.n_tokens
    }
