"""How similar an answer is to a reference in meaning, by the cosine of their embeddings."""

from collections.abc import Sequence

from ragauge.encoders.cached import CachedEncoder, NoVector, TextVector, pieces
from ragauge.encoders.protocol import LongText
from ragauge.language.text import is_blank
from ragauge.metric import metric
from ragauge.score import Score
from ragauge.setting import Share


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
            if is_blank(ours) or is_blank(theirs):
                out.append(_of_empty(ours, on_empty))
            else:
                out.append(_cosine(vectors[ours], vectors[theirs]))
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
    """Which of the texts were truncated, and where."""
    return {
        name: {"tokens": text.n_tokens, "read": text.n_read}
        for name, text in (("answer", ours), ("reference", theirs))
        if text.n_tokens is not None and text.n_read is not None and text.n_read < text.n_tokens
    }
