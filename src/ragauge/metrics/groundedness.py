"""Groundedness without a judge: how far an answer's wording and meaning come from its contexts."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from math import exp, log1p

import numpy as np

from ragauge.encoders.cached import CachedEncoder, NoVector, pieces
from ragauge.encoders.protocol import Bools, Floats
from ragauge.features.sentence_cosines import Comparison, SentenceCosines, sentence_cosines
from ragauge.language.claims.nearest_sentences import (
    Sentence,
    SentenceIndex,
    absolutes,
    denials,
    sentences_of,
    unsupported_runs,
)
from ragauge.language.claims.support_reasons import as_data, why_supported
from ragauge.language.facts.alignment import align_to_passages
from ragauge.language.facts.differences import Difference
from ragauge.language.numbers.quantity import Quantity
from ragauge.language.spans import SpanSet
from ragauge.language.stems import Word, stemmed
from ragauge.language.stop_words import is_content_word
from ragauge.language.text import Span, excerpt
from ragauge.metric import metric
from ragauge.score import Score

WEIGHTS: Mapping[str, float] = {
    "coverage": 1.4,
    "precision": 1.9,
    "best_sentence": 0.6,
    "lowest": 0.8,
    "numbers_not_found": -0.8,
    "missing": -0.9,
    "denies": -0.8,
    "absolute": -0.9,
}
"""The weight of each part of the sum.

Fitted by benchmarks/support_fit.py on 2026-11-23 (--precision int8) with all-MiniLM-L6-v2 on BEGIN (CC BY 4.0), WiCE
(ODC-BY, text CC BY-SA), Q² (MIT), SummEdits (Apache-2.0), FEVER (CC BY-SA 3.0), FEVER symmetric (MIT), Fool
Me Twice and Factcheck-GPT (Apache-2.0), every family with the same weight; then rounded.
Fitted without the family of a set, the mean area under the ROC curve is .753 over 21 sets and .801 over 9
families.
"""
TIPPING_POINT = 2.6
"""The sum at which a half of the answers are supported, if both kinds are equally frequent."""
CONTRADICTED = 0.2
"""What an answer that contradicts a detail of its contexts is worth, as a share."""
NEAREST = 8
"""The number of context sentences that each sentence of the answer is compared with."""
CLOSEST = 3
"""The number of context sentences that are read for what an answer's sentence negates."""
ALIKE = 0.6
"""The lowest cosine at which a word counts as paraphrased; only for the spans in the evidence."""
SHOWN = 200
"""The most spans, and the most sentences, in the evidence, which also counts the rest."""


@metric(version=8, batch=True)
def support(
    answer: Sequence[str],
    contexts: Sequence[Sequence[str]],
    answer_quantities: Sequence[Sequence[Quantity]],
    context_quantities: Sequence[Sequence[Sequence[Quantity]]],
    *,
    encoder: CachedEncoder,
) -> list[Score]:
    """How far the contexts support the answer, estimated from words and embeddings without a judge.

    In [0, 1]. A heuristic, not a verdict. Where a judge's `faithfulness` exists, trust that. A refusal gets a low score, because
    contexts support little of it; find refusals with `dont_know`.

    Each sentence of the answer is compared with the 8 context sentences that share most words with it,
    rare words counting more. A logistic curve maps a weighted sum of parts to the score:

    - `coverage` (weight 1.4): the share of content words whose stem occurs in a context;
    - `precision` (1.9): the mean over the content words of the best cosine with a context token
      (BERTScore precision, last layer);
    - `best_sentence` (0.6): for each sentence of the answer the closest single sentence of the contexts,
      by the mean of precision and the share of adjacent word pairs;
    - `lowest` (0.8): the lowest of the best cosines of all words, function words too;
    - `numbers_not_found` (-0.8): the share of the answer's numbers (years too) that no context has;
    - `missing` (-0.9): log(1 + n) of the n numbers and names that no context has; a name is a content word
      with a capital letter that does not begin a sentence;
    - `denies` (-0.8): 1 if a sentence negates a word ("not allowed") that its 3 closest context sentences
      have and do not negate;
    - `absolute` (-0.9): 1 if a sentence says "all", "only", "never" or the like, and its 3 closest context
      sentences do not have that word.

    A detail that contradicts the closest sentence decides whatever the words share: the value is a fifth of the curve's. Details are
    those of `correct`; what any context states contradicts nothing. A fact that a context states in another form (`90 minutes`
    for `1.5 hours`) counts as its words.

    At the curve's midpoint (a sum of 2.6) people call half of the answers fully supported, if both kinds
    are equally frequent. The weights were fitted with all-MiniLM-L6-v2: with another model the scores
    rank answers, but 0.5 means something else. A verbatim answer scores 0.89.

    0 if no context has text; undefined if the answer has no content word ("Yes."). Failed if the encoder
    gives no token embeddings, or the answer has more than 16,384 tokens. Sentences above 40 words, and
    texts without punctuation, are compared in pieces of 40 words. The evidence has the parts, the closest context sentence of each sentence of the
    answer; as `unsupported` the runs of content words that no context has or paraphrases (cosine of at
    least 0.6); as `denied` and `absolutes` the words behind `denies` and `absolute`; as `differences` the details that contradict. Stop words, stems
    (Porter), negations and absolute words are English; words of other languages are compared unchanged.
    An answer in another language than its contexts shares few words with them, so the first 8 sentences
    are taken.

    Source: ours; benchmarks/support_fit.py fits the weights and compares it with human labels.

    >>> import ragauge as rg
    >>> score = rg.score("support", answer="The fee is $9.", contexts=["The yearly fee is $5."])
    >>> score.value < 0.5, [span["text"] for span in score.evidence["unsupported"]]
    (True, ['$9'])
    """
    columns = zip(answer, contexts, answer_quantities, context_quantities, strict=True)
    rows = [_row(*cells) for cells in columns]
    out: list[Score] = []
    for piece in pieces(rows, lambda row: len(row.answer) + sum(map(len, row.contexts))):
        out += _scores(piece, encoder)
    return out


@dataclass(frozen=True, slots=True)
class _Row:
    """An answer and its contexts: all words, its sentences with content words, and the numbers.

    `numbers`: each number, and whether a context has it. `facts`: the places of facts that a context has. `contexts`: those that are not blank;
    `places`: their positions among the sample's contexts.
    """

    answer: str
    words: Sequence[Word]
    sentences: Sequence[Sentence]
    numbers: Sequence[tuple[Quantity, bool]]
    contexts: tuple[str, ...]
    places: Sequence[int]
    facts: SpanSet
    differences: Sequence[Difference]

    @property
    def content(self) -> list[Word]:
        return [word for sentence in self.sentences for word in _content(sentence)]

    @property
    def is_comparable(self) -> bool:
        return bool(self.sentences and self.contexts)


class _Contexts:
    """The contexts of an answer: the stems of each and of all, and the sentences."""

    def __init__(self, texts: Sequence[str]) -> None:
        words = [stemmed(text) for text in texts]
        self.stems = [frozenset(word.stem for word in each) for each in words]
        self.all_stems = frozenset[str]().union(*self.stems)
        self.index = SentenceIndex(
            sentence
            for place, (text, each) in enumerate(zip(texts, words, strict=True))
            for sentence in sentences_of(text, each, place)
        )


@dataclass(frozen=True, slots=True)
class _Nearest:
    """A sentence of the answer, and the context sentences nearest to it with the cosines of its words."""

    sentence: Sentence
    others: Sequence[Sentence]
    found: SentenceCosines
    closeness: Sequence[float]
    facts: SpanSet

    @property
    def best_cosines(self) -> Floats:
        """The best cosine of each column with any of the context sentences; 1 for words of a fact that a context has."""
        best: Floats = self.found.cosines.max(axis=0, initial=0)
        if self.found.has_words:
            best[[word.start in self.facts for word in self.sentence.words]] = 1
        return best

    @property
    def is_content(self) -> Bools:
        return _content_columns(self.sentence, self.found)

    @property
    def best(self) -> int:
        """The position of the closest one among them."""
        return max(range(len(self.others)), key=self.closeness.__getitem__)

    @property
    def closest(self) -> list[Sequence[Word]]:
        """The words of the closest ones among them."""
        order = sorted(range(len(self.others)), key=lambda at: -self.closeness[at])
        return [self.others[at].words for at in order[:CLOSEST]]


def _row(
    answer: str,
    contexts: Sequence[str],
    stated: Sequence[Quantity],
    given: Sequence[Sequence[Quantity]],
) -> _Row:
    words = stemmed(answer)
    known = {quantity.number for quantity in chain.from_iterable(given)}
    found = align_to_passages(answer, contexts)
    facts = SpanSet(found.stated)
    numbers = [
        (quantity, quantity.number in known or quantity.start in facts)
        for quantity in stated
        if not quantity.only_matches
    ]
    places = [at for at, text in enumerate(contexts) if text.strip()]
    sentences = [sentence for sentence in sentences_of(answer, words) if _content(sentence)]
    texts = tuple(contexts[at] for at in places)
    return _Row(answer, words, sentences, numbers, texts, places, facts, found.differences)


def _content(sentence: Sentence) -> list[Word]:
    return [word for word in sentence.words if is_content_word(word.lowered)]


def _scores(rows: Sequence[_Row], encoder: CachedEncoder) -> Iterator[Score]:
    wanted = [row for row in rows if row.is_comparable]
    # Samples often share their contexts: a page with many questions, or several systems on one question.
    contexts = {texts: _Contexts(texts) for texts in dict.fromkeys(row.contexts for row in wanted)}
    chosen = [
        [(sentence, _nearest(sentence, contexts[row.contexts].index)) for sentence in row.sentences]
        for row in wanted
    ]
    comparisons = [
        _comparison(row, sentence, others)
        for row, each in zip(wanted, chosen, strict=True)
        for sentence, others in each
    ]
    found = sentence_cosines(comparisons, encoder)
    cosines = iter([[next(found) for _ in each] for each in chosen])
    pairs = iter(chosen)
    for row in rows:
        if row.is_comparable:
            yield _score(row, contexts[row.contexts], next(pairs), next(cosines))
        elif row.sentences:
            yield Score(0.0, evidence={"contexts": "none has text in it"})
        else:
            yield Score.undefined("the answer has no content words to look up")


def _nearest(sentence: Sentence, index: SentenceIndex) -> list[Sentence]:
    stems = [word.stem for word in _content(sentence)]
    return [index.sentences[place] for place in index.nearest(stems, NEAREST)]


def _comparison(row: _Row, sentence: Sentence, others: Sequence[Sentence]) -> Comparison:
    texts = [_text(row, other) for other in others]
    return Comparison(row.answer, sentence.words, texts, [row.places[one.text] for one in others])


def _text(row: _Row, sentence: Sentence) -> str:
    return row.contexts[sentence.text][sentence.start : sentence.end]


def _stem_pairs(words: Sequence[Word]) -> list[tuple[str, str]]:
    return list(pairwise(word.stem for word in words))


def _score(
    row: _Row,
    contexts: _Contexts,
    chosen: Sequence[tuple[Sentence, Sequence[Sentence]]],
    cosines: Sequence[SentenceCosines | NoVector],
) -> Score:
    nearest: list[_Nearest] = []
    for (sentence, others), found in zip(chosen, cosines, strict=True):
        if isinstance(found, NoVector):
            return Score.failed(found.reason)
        nearest.append(
            _Nearest(sentence, others, found, _closeness(sentence, others, found), row.facts)
        )
    words = _word_cosines(nearest)
    lost = [quantity for quantity, is_there in row.numbers if not is_there]
    names = _missing_names(row, contexts)
    denied = [span for one in nearest for span in denials(one.sentence.words, one.closest)]
    absolute = [span for one in nearest for span in absolutes(one.sentence.words, one.closest)]
    parts = {
        "coverage": _share(_has(row, word, contexts.all_stems) for word in row.content),
        "precision": _precision(nearest),
        "best_sentence": _best_sentence(nearest),
        "lowest": _lowest(nearest),
        "numbers_not_found": len(lost) / len(row.numbers) if row.numbers else 0.0,
        "missing": log1p(len(lost) + len(names)),
        "denies": float(bool(denied)),
        "absolute": float(bool(absolute)),
    }
    total = sum(WEIGHTS[name] * value for name, value in parts.items())
    most = CONTRADICTED if row.differences else 1.0
    value = most / (1 + exp(TIPPING_POINT - total))
    unsupported = unsupported_runs(row.answer, sorted(_supported(row, contexts.all_stems, words)))
    spans = (unsupported, denied, absolute)
    missing, negated, extreme = ([row.answer[slice(*span)] for span in each] for each in spans)
    evidence: dict[str, object] = {
        "why": why_supported(value, missing, negated, extreme, row.differences),
        **parts,
        "sum": total,
        "n_content_words": len(row.content),
        "best_context": _best_context(row, contexts),
        **_best_sentences(row, nearest),
        "unsupported": _spans(row.answer, unsupported[:SHOWN]),
        "n_unsupported_cut": max(0, len(unsupported) - SHOWN),
        "differences": [as_data(each, "context") for each in row.differences[:SHOWN]],
        "denied": _spans(row.answer, denied[:SHOWN]),
        "absolutes": _spans(row.answer, absolute[:SHOWN]),
    }
    return Score(value, evidence=evidence)


def _closeness(
    sentence: Sentence, others: Sequence[Sentence], found: SentenceCosines
) -> list[float]:
    """How close each context sentence is: the mean of its cosines and its share of adjacent pairs."""
    pairs = _stem_pairs(sentence.words)
    is_content = _content_columns(sentence, found)
    means = [_mean(row[is_content]) for row in found.cosines]
    if not pairs:
        return means
    known = [frozenset(_stem_pairs(other.words)) for other in others]
    shares = [_share(pair in each for pair in pairs) for each in known]
    return [(mean + share) / 2 for mean, share in zip(means, shares, strict=True)]


def _mean(cosines: Floats) -> float:
    """The mean of the cosines that exist; 0 if there are none."""
    there = cosines[~np.isnan(cosines)].tolist()
    return sum(there) / len(there) if there else 0.0


def _share(found: Iterable[bool]) -> float:
    """The share of true values; 0 if there are none."""
    each = list(found)
    return sum(each) / len(each) if each else 0.0


def _content_columns(sentence: Sentence, found: SentenceCosines) -> Bools:
    """Which columns are content words; all if the columns are tokens."""
    if not found.has_words:
        return np.array([True] * found.cosines.shape[1], np.bool_)
    return np.array([is_content_word(word.lowered) for word in sentence.words], np.bool_)


def _word_cosines(nearest: Sequence[_Nearest]) -> list[float | None]:
    """The best cosine of each content word; None if it has no token, or if that is unknown."""
    if not nearest[0].found.has_words:
        return [None for one in nearest for _ in _content(one.sentence)]
    best = np.concatenate([one.best_cosines[one.is_content] for one in nearest])
    return [None if np.isnan(cosine) else cosine for cosine in best.tolist()]


def _precision(nearest: Sequence[_Nearest]) -> float:
    """The mean of the words' best cosines; of the answer's tokens if the tokenizer gives no offsets."""
    if not nearest[0].found.has_words:
        return _mean(np.max([one.best_cosines for one in nearest], axis=0))
    return _mean(np.concatenate([one.best_cosines[one.is_content] for one in nearest]))


def _lowest(nearest: Sequence[_Nearest]) -> float:
    """The lowest of the best cosines of all words, or of all tokens."""
    best = [one.best_cosines for one in nearest]
    every = np.concatenate(best) if nearest[0].found.has_words else np.max(best, axis=0)
    there = every[~np.isnan(every)]
    return float(there.min()) if len(there) else 0.0


def _missing_names(row: _Row, contexts: _Contexts) -> list[Word]:
    """Content words with a capital letter, but not the first of a sentence, that no context has."""
    return [
        word
        for sentence in row.sentences
        for word in sentence.words[1:]
        if row.answer[word.start].isupper()
        and is_content_word(word.lowered)
        and not _has(row, word, contexts.all_stems)
    ]


def _has(row: _Row, word: Word, stems: frozenset[str]) -> bool:
    """Whether a context has the word, or the fact that it is part of."""
    return word.stem in stems or word.start in row.facts


def _best_sentence(nearest: Sequence[_Nearest]) -> float:
    """The closeness of the best context sentence, the mean over the answer's sentences by their words."""
    weights = [len(_content(one.sentence)) for one in nearest]
    best = [max(one.closeness, default=0.0) for one in nearest]
    total = sum(weight * each for weight, each in zip(weights, best, strict=True))
    return total / sum(weights)


def _best_context(row: _Row, contexts: _Contexts) -> dict[str, object]:
    """The context, counted from 0, with the largest share of the content words' stems."""
    content = [word.stem for word in row.content]
    shares = [_share(stem in stems for stem in content) for stems in contexts.stems]
    best = max(range(len(shares)), key=shares.__getitem__)
    return {"context": row.places[best], "coverage": shares[best]}


def _best_sentences(row: _Row, nearest: Sequence[_Nearest]) -> dict[str, object]:
    """For each sentence of the answer the closest one of the contexts, as evidence."""
    shown = [
        {
            "start": one.sentence.start,
            "end": one.sentence.end,
            "closeness": one.closeness[one.best],
            "context": row.places[other.text],
            "context_start": other.start,
            "context_end": other.end,
            "text": excerpt(_text(row, other), 300),
        }
        for one in nearest[:SHOWN]
        if one.others
        for other in [one.others[one.best]]
    ]
    return {"best_sentences": shown, "n_best_sentences_cut": max(0, len(nearest) - SHOWN)}


def _spans(text: str, spans: Iterable[Span]) -> list[dict[str, object]]:
    """Spans of the text as evidence."""
    return [
        {"start": start, "end": end, "text": excerpt(text[start:end], 300)} for start, end in spans
    ]


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
        yield word.start, word.end, is_like or _has(row, word, stems)


def _has_digit(word: str) -> bool:
    return any(map(str.isdigit, word))
