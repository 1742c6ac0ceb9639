"""Groundedness without a judge: how far an answer's wording and meaning come from its contexts."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from math import exp

import numpy as np

from ragauge.encoders.cached import CachedEncoder, NoVector, pieces
from ragauge.encoders.protocol import Floats, TokenVectors
from ragauge.language.quantity import Quantity
from ragauge.language.stems import Word, stemmed
from ragauge.language.stop_words import NLTK_ENGLISH, SKLEARN_ENGLISH
from ragauge.language.text import Span, excerpt
from ragauge.metric import metric
from ragauge.score import Score


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


MEANINGFUL = _set("""
    amount bill bottom call cry describe detail eight eleven empty fifteen fifty fill find fire first
    five forty found four front full give hundred interest keep made mill mine move name nine part
    put see serious show side sincere six sixty system take ten thick thin third three top twelve
    twenty two
""")
"""Words of the two stop word lists that carry meaning of their own."""
FUNCTION_WORDS = (NLTK_ENGLISH | SKLEARN_ENGLISH | {"yes", "yeah", "ok", "okay"}) - MEANINGFUL

TIPPING_POINT, STEEPNESS = 1.68, 4.4
"""Of the logistic curve from the sum of parts to the score; fitted on BEGIN, see `support`."""
ALIKE = 0.6
"""The lowest cosine at which a word counts as paraphrased; only for the spans in the evidence."""
TOKENS_AT_ONCE = 2_048
"""Token vectors of either side compared in one product."""
SHOWN = 200
"""The most spans in the evidence, which also counts the rest."""
SENTENCE_END = re.compile(r"[.!?。！？]\s|[\n。！？]")


@metric(version=2, batch=True)
def support(
    answer: Sequence[str],
    contexts: Sequence[Sequence[str]],
    answer_quantities: Sequence[Sequence[Quantity]],
    context_quantities: Sequence[Sequence[Sequence[Quantity]]],
    *,
    encoder: CachedEncoder,
) -> list[Score]:
    """How far the contexts support the answer, estimated from words and embeddings without a judge.

    In [0, 1]. A heuristic, not a verdict: it compares words and numbers, not statements, so it misses a
    swapped name or a dropped "not". Where a judge's `faithfulness` exists, trust that. A refusal gets a
    low score, because contexts support little of it; find refusals with `dont_know`.

    The score is computed from the sum of four parts: the share of the answer's content words whose stem
    occurs in a context; the mean, over those words, of the best cosine of their tokens with a context
    token (BERTScore precision, last layer); half the share of adjacent word pairs that a context has;
    minus half the share of the answer's numbers (years too) that no context has. A logistic curve maps
    the sum to the score. Its midpoint (1.68) is the sum at which people call half of the answers fully
    supported, if both kinds are equally frequent; its steepness is 4.4. Both were fitted on BEGIN with
    all-MiniLM-L6-v2: with another model the scores rank answers, but 0.5 means something else. A
    verbatim answer scores 0.97.

    0 if no context has text; undefined if the answer has no content word ("Yes."). Failed if the encoder
    gives no token embeddings. Long texts are read whole. The evidence has the parts and, as
    `unsupported`, the runs of content words that no context has or paraphrases (cosine of at least
    0.6). Stop words and stems (Porter) are English; words of other languages are compared unchanged.

    Source: ours; benchmarks/agreement.py compares it with human labels.

    >>> import ragauge as rg
    >>> score = rg.score("support", answer="The fee is $9.", contexts=["The yearly fee is $5."])
    >>> score.value < 0.5, [span["text"] for span in score.evidence["unsupported"]]
    (True, ['$9'])
    """
    columns = zip(answer, contexts, answer_quantities, context_quantities, strict=True)
    rows = [_row(*cells) for cells in columns]
    out: list[Score] = []
    for piece in pieces(rows, lambda row: len(row.answer) + sum(map(len, row.contexts))):
        passages = {text: _passage(text) for row in piece for text in row.contexts}
        for row, closest in zip(piece, _closest(piece, encoder), strict=True):
            out.append(_score(row, [passages[text] for text in row.contexts], closest))
    return out


@dataclass(frozen=True, slots=True)
class _Row:
    """An answer and its contexts: all words, the content words, and the numbers.

    `numbers`: each number, and whether a context has it. `contexts`: those that are not blank;
    `places`: their positions among the sample's contexts.
    """

    answer: str
    words: Sequence[Word]
    content: Sequence[Word]
    numbers: Sequence[tuple[Quantity, bool]]
    contexts: Sequence[str]
    places: Sequence[int]

    @property
    def is_comparable(self) -> bool:
        return bool(self.content and self.contexts)


@dataclass(frozen=True, slots=True)
class _Passage:
    """The stems of one context, and the pairs of adjacent stems."""

    stems: frozenset[str]
    pairs: frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class _Closest:
    """An answer's tokens, and the best cosine of each with any token of the contexts, (t,)."""

    tokens: TokenVectors
    cosines: Floats


def _row(
    answer: str,
    contexts: Sequence[str],
    stated: Sequence[Quantity],
    given: Sequence[Sequence[Quantity]],
) -> _Row:
    words = stemmed(answer)
    known = {quantity.number for quantity in chain.from_iterable(given)}
    numbers = [
        (quantity, quantity.number in known) for quantity in stated if not quantity.only_matches
    ]
    places = [at for at, text in enumerate(contexts) if text.strip()]
    content = [word for word in words if _is_content(word.lowered)]
    return _Row(answer, words, content, numbers, [contexts[at] for at in places], places)


def _is_content(word: str) -> bool:
    is_stray = len(word) == 1 and word.isascii() and not word.isdigit()
    return not is_stray and word not in FUNCTION_WORDS


def _passage(text: str) -> _Passage:
    stems = [word.stem for word in stemmed(text)]
    return _Passage(frozenset(stems), frozenset(pairwise(stems)))


def _closest(rows: Sequence[_Row], encoder: CachedEncoder) -> list[_Closest | NoVector | None]:
    """Each answer's tokens with their best cosines; None if there is nothing to compare.

    Contexts are encoded and compared in pieces, so one sample may have any number of them.
    """
    wanted = [row for row in rows if row.is_comparable]
    ours = encoder.tokens([row.answer for row in wanted], long_text="windows")
    found = {id(row): _start(ours[row.answer]) for row in wanted}
    refused: dict[str, str] = {}
    texts = list(dict.fromkeys(text for row in wanted for text in row.contexts))
    for piece in pieces(texts, len):
        theirs = encoder.tokens(piece, long_text="windows")
        refused |= {
            text: tokens.reason for text, tokens in theirs.items() if isinstance(tokens, NoVector)
        }
        for row in wanted:
            for text in dict.fromkeys(row.contexts):
                _compare(found[id(row)], theirs.get(text))
    return [
        _if_all_encoded(row, found[id(row)], refused) if row.is_comparable else None for row in rows
    ]


def _start(tokens: TokenVectors | NoVector) -> _Closest | NoVector:
    if isinstance(tokens, NoVector):
        return NoVector(f"answer: {tokens.reason}")
    return _Closest(tokens, np.full(len(tokens.ids), -1, np.float32))


def _compare(closest: _Closest | NoVector, theirs: TokenVectors | NoVector | None) -> None:
    """Raise the best cosines where the tokens of this context are closer."""
    if not isinstance(closest, _Closest) or not isinstance(theirs, TokenVectors):
        return
    there = theirs.vectors[~theirs.special]
    for start in range(0, len(closest.cosines), TOKENS_AT_ONCE):
        best = closest.cosines[start : start + TOKENS_AT_ONCE]
        here = closest.tokens.vectors[start : start + TOKENS_AT_ONCE]
        for other in range(0, len(there), TOKENS_AT_ONCE):
            cosines = here @ there[other : other + TOKENS_AT_ONCE].T
            np.maximum(best, cosines.max(axis=1), out=best)


def _if_all_encoded(
    row: _Row, closest: _Closest | NoVector, refused: Mapping[str, str]
) -> _Closest | NoVector:
    """The result, unless a context has no vectors: its tokens might have been the closest."""
    for text, place in zip(row.contexts, row.places, strict=True):
        if text in refused and isinstance(closest, _Closest):
            return NoVector(f"context {place}: {refused[text]}")
    return closest


def _score(row: _Row, passages: Sequence[_Passage], closest: _Closest | NoVector | None) -> Score:
    if not row.content:
        return Score.undefined("the answer has no content words to look up")
    if not row.contexts:
        return Score(0.0, evidence={"contexts": "none has text in it"})
    if isinstance(closest, NoVector):
        return Score.failed(closest.reason)
    assert closest is not None
    stems = frozenset[str]().union(*(passage.stems for passage in passages))
    words = _word_cosines(row.content, closest)
    coverage = _share(word.stem in stems for word in row.content)
    precision = _precision(words, closest)
    pairs = _pairs(row.words, stems, passages)
    invented = _share(not is_there for _, is_there in row.numbers)
    total = coverage + precision + (pairs - invented) / 2
    evidence: dict[str, object] = {
        "coverage": coverage,
        "precision": precision,
        "pairs": pairs,
        "numbers_not_found": invented,
        "sum": total,
        "n_content_words": len(row.content),
        "best_context": _best_context(row, passages),
        **_unsupported(row, stems, words),
    }
    return Score(1 / (1 + exp(STEEPNESS * (TIPPING_POINT - total))), evidence=evidence)


def _share(found: Iterable[bool]) -> float:
    """The share of true values; 0 if there are none."""
    each = list(found)
    return sum(each) / len(each) if each else 0.0


def _word_cosines(words: Sequence[Word], closest: _Closest) -> list[float | None]:
    """For each word the mean of its tokens' best cosines; None if it has no token.

    A token that spans several words counts for each of them.
    """
    if closest.tokens.spans is None:
        return [None] * len(words)
    is_of_text = ~closest.tokens.special
    starts, ends = closest.tokens.spans[is_of_text].T
    first = np.searchsorted(ends, [word.start for word in words], side="right").tolist()
    last = np.searchsorted(starts, [word.end for word in words], side="left").tolist()
    cosines = closest.cosines[is_of_text].tolist()
    return [
        sum(cosines[start:end]) / (end - start) if end > start else None
        for start, end in zip(first, last, strict=True)
    ]


def _precision(words: Sequence[float | None], closest: _Closest) -> float:
    """The mean of the words' cosines; of all tokens if the tokenizer gives no offsets."""
    found = [cosine for cosine in words if cosine is not None]
    if closest.tokens.spans is None:
        found = closest.cosines[~closest.tokens.special].tolist()
    return sum(found) / len(found) if found else 0.0


def _pairs(words: Sequence[Word], stems: frozenset[str], passages: Sequence[_Passage]) -> float:
    """The share of adjacent word pairs that a context has; for a single word, whether it has it."""
    if len(words) == 1:
        return float(words[0].stem in stems)
    known = frozenset[tuple[str, str]]().union(*(passage.pairs for passage in passages))
    return _share(pair in known for pair in pairwise(word.stem for word in words))


def _best_context(row: _Row, passages: Sequence[_Passage]) -> dict[str, object]:
    """The context, counted from 0, with the largest share of the content words' stems."""
    shares = [_share(word.stem in passage.stems for word in row.content) for passage in passages]
    best = max(range(len(shares)), key=shares.__getitem__)
    return {"context": row.places[best], "coverage": shares[best]}


def _unsupported(
    row: _Row, stems: frozenset[str], words: Sequence[float | None]
) -> dict[str, object]:
    """The spans of the answer that no context supports, as evidence."""
    spans = _runs(row.answer, sorted(_supported(row, stems, words)))
    shown = [
        {"start": start, "end": end, "text": excerpt(row.answer[start:end], 300)}
        for start, end in spans[:SHOWN]
    ]
    return {"unsupported": shown, "n_unsupported_cut": len(spans) - len(shown)}


def _supported(
    row: _Row, stems: frozenset[str], words: Sequence[float | None]
) -> Iterator[tuple[int, int, bool]]:
    """Start and end of each number and each other content word, and whether a context supports it.

    A word with a digit is supported only by the same word.
    """
    inside: set[int] = set()
    for number, is_there in row.numbers:
        yield number.start, number.end, is_there
        inside.update(range(number.start, number.end))
    for word, cosine in zip(row.content, words, strict=True):
        if not inside.isdisjoint(range(word.start, word.end)):
            continue
        is_like = cosine is not None and cosine >= ALIKE and not _has_digit(word.lowered)
        yield word.start, word.end, is_like or word.stem in stems


def _has_digit(word: str) -> bool:
    return any(map(str.isdigit, word))


def _runs(answer: str, words: Sequence[tuple[int, int, bool]]) -> list[Span]:
    """Spans of consecutive unsupported words, none across the end of a sentence."""
    spans: list[Span] = []
    goes_on = False
    for start, end, is_supported in words:
        if is_supported:
            goes_on = False
        elif goes_on and not SENTENCE_END.search(answer, spans[-1][1] - 1, start):
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
        else:
            spans.append((start, end))
            goes_on = True
    return spans
