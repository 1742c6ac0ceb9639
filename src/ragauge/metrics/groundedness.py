"""Groundedness without a judge: how far an answer's wording and meaning come from its contexts."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, compress, islice, pairwise
from math import exp, log, log1p, nan

import numpy as np

from ragauge.encoders.cached import CachedEncoder, NoVector, pieces
from ragauge.encoders.embedded import Claim, embedded_reader
from ragauge.encoders.protocol import Floats
from ragauge.features.sentences import ComparedSentence, SentenceCosines, sentence_cosines
from ragauge.language.claims.nearest_sentences import (
    Sentence,
    SentenceIndex,
    sentences_of,
    unsupported_runs,
    without_attributions,
)
from ragauge.language.detection import language_of
from ragauge.language.facts.differences import Difference
from ragauge.language.facts.passages import align_to_passages
from ragauge.language.numbers.quantity import Quantity
from ragauge.language.reasons import as_data, why_supported
from ragauge.language.stems import Word, stemmed
from ragauge.language.stop_words import is_content_word, is_letter
from ragauge.language.text import Span, SpanSet, excerpt
from ragauge.metric import metric
from ragauge.score import Score

WEIGHTS: Mapping[str, float] = {
    "coverage": 1.6,
    "precision": 1.9,
    "best_sentence": 0.7,
    "missing": -0.5,
    "reader": 0.3,
}
"""The weight of each part of a sentence's sum.

Fitted by benchmarks/support_fit.py with all-MiniLM-L6-v2 on BEGIN (CC BY 4.0), WiCE (ODC-BY, text CC BY-SA), Q² (MIT),
Factcheck-GPT (Apache-2.0) and, with less weight because people made their errors on purpose, SummEdits (Apache-2.0), FEVER
(CC BY-SA 3.0), FEVER symmetric (MIT) and Fool Me Twice (Apache-2.0); then rounded.
"""
TIPPING_POINT = 2.65
"""The sum at which a half of the sentences are supported, if both kinds are equally frequent."""
CONTRADICTED = 0.2
"""What an answer that contradicts a detail of its contexts is worth, as a share."""
OF_WORDS = frozenset(("negation", "roles", "quantifier", "opposite", "entity", "item"))
"""Kinds of details that lower only their sentence: in long answers most of them are false."""
NEAREST = 8
"""The number of context sentences that each sentence of the answer is compared with."""
PASSAGE_WORDS = 100
"""About as many words of the nearest context sentences the embedded reader reads beside a sentence; with a question only the nearest one."""
ALIKE = 0.6
"""The lowest cosine at which a word counts as paraphrased; only for the spans in the evidence."""
SHOWN = 200
"""The most spans, and the most sentences, in the evidence, which also counts the rest."""


@metric(version=19, batch=True)
def support(
    answer: Sequence[str],
    contexts: Sequence[Sequence[str]],
    answer_quantities: Sequence[Sequence[Quantity]],
    context_quantities: Sequence[Sequence[Sequence[Quantity]]],
    question: Sequence[str | None] | None = None,
    *,
    encoder: CachedEncoder,
) -> list[Score]:
    """How far the contexts support the answer, estimated from words and embeddings without a judge.

    In [0, 1]. A heuristic, not a verdict: it sees what is added, and not reliably the one wrong detail of a natural sentence (on answers
    written to be right or wrong in one detail, benchmarks/contrast, its AUROC is .62 to .67). Where a judge's `faithfulness` exists, trust that. A refusal gets a low score, because
    contexts support little of it; find refusals with `dont_know`.

    Each sentence of the answer is compared with the 8 context sentences that share most words with it and the question,
    rare words counting more. A logistic curve maps a weighted sum of parts to the sentence's value:

    - `coverage` (weight 1.6): the share of content words whose stem occurs in a context;
    - `precision` (1.9): the mean over the content words of the best cosine with a token of these sentences
      (BERTScore precision, last layer);
    - `best_sentence` (0.7): the closeness of the closest single sentence of the contexts: the mean of its precision and of
      the share of adjacent word pairs that it has;
    - `missing` (-0.5): log(1 + n) of the n numbers (years too) and names that no context has; a name is a content word
      with a capital letter that does not begin the sentence;
    - `reader` (0.3): the log-odds, from -6 to 6, that the nearest context sentences say what the sentence says, by the embedded reader:
      a model of the encoder's size, trained on pairs of a claim and a passage. It reads the question and the nearest context sentence, without
      a question about 100 words of the contexts; of all together at most 160 tokens.

    The score is the geometric mean of the sentences' values, each with the weight of its content words, so that one sentence without
    support weighs more than one with it. What names only a source ("according to the handbook", "[2]", "Source: fees-1") or turns to the reader
    ("Let me know if you need more") is not read.

    A number, date, unit or code that contradicts the closest sentence decides whatever the words share: the value is a fifth of the curve's. So does one that
    the contexts have for something else than what the question asks, or nowhere, if they have another one where the question's words are, and it is no result
    of theirs (a total; if they have it nowhere also the sum, difference, product or quotient of two). A
    negation, opposite, name, role, item or quantifier that does makes its sentence a fifth, as most of these are false in long answers. Details are
    those of `correct`; else what any context states contradicts nothing. A fact that a context states in another form (`90 minutes`
    for `1.5 hours`) counts as its words.

    At the curve's midpoint (a sum of 2.65) people call half of the sentences fully supported, if both kinds
    are equally frequent. The weights were fitted with all-MiniLM-L6-v2: with another model the scores
    rank answers, but 0.5 means something else. A verbatim answer scores 0.96 to 0.97.

    0 if no context has a word; undefined if the answer has no content word ("Yes."). Failed if the encoder
    gives no token embeddings, or the answer has more than 16,384 tokens. Sentences above 40 words, and
    texts without punctuation, are compared in pieces of 40 words. The evidence has as `sentences` the value and the parts of each
    sentence of the answer and the context sentence closest to it; as `unsupported` the runs of content words that no context
    has or paraphrases (cosine of at least 0.6); as `differences` the details that
    contradict. Stop words are those of English, German, French and Spanish, stems those of Porter and Snowball, by the language of the contexts.
    An answer in another language than its contexts shares few words with them, so the first 8 sentences
    are taken.

    Source: ours; benchmarks/support_fit.py fits the weights and compares it with human labels.

    >>> import ragauge as rg
    >>> score = rg.score("support", answer="The fee is $9.", contexts=["The yearly fee is $5."])
    >>> score.value < 0.5, [span["text"] for span in score.evidence["unsupported"]]
    (True, ['$9'])
    """
    questions = question or [None] * len(answer)
    columns = zip(answer, contexts, answer_quantities, context_quantities, questions, strict=True)
    rows = [_row(*cells) for cells in columns]
    out: list[Score] = []
    for piece in pieces(rows, lambda row: len(row.answer) + sum(map(len, row.contexts))):
        out += _scores(piece, encoder)
    return out


@dataclass(frozen=True, slots=True)
class _Row:
    """An answer and its contexts: its sentences with content words, and the numbers.

    `asked`: the stems of the question. `numbers`: each number, and whether a context has it. `facts`: the places of facts that a context has.
    `contexts`: those that are not blank; `places`: their positions among the sample's contexts.
    """

    answer: str
    question: str
    asked: Sequence[str]
    sentences: Sequence[Sentence]
    numbers: Sequence[tuple[Quantity, bool]]
    contexts: tuple[str, ...]
    places: Sequence[int]
    facts: SpanSet
    differences: Sequence[Difference]
    language: str | None

    @property
    def content(self) -> list[Word]:
        return [
            word
            for sentence in self.sentences
            for word in _content(sentence, self.answer, self.language)
        ]

    @property
    def is_comparable(self) -> bool:
        return bool(self.sentences and self.contexts)

    def text(self, sentence: Sentence) -> str:
        """A sentence of the contexts."""
        return self.contexts[sentence.text][sentence.start : sentence.end]

    def has(self, word: Word, stems: frozenset[str]) -> bool:
        """Whether a context has the word, or the fact that it is part of."""
        return word.stem in stems or word.start in self.facts


class _Contexts:
    """The contexts of an answer: the stems of each and of all, and the sentences."""

    def __init__(self, texts: Sequence[str], language: str | None) -> None:
        words = [stemmed(text, language) for text in texts]
        self.stems = [frozenset(word.stem for word in each) for each in words]
        self.all_stems = frozenset[str]().union(*self.stems)
        self.index = SentenceIndex(
            sentence
            for place, (text, each) in enumerate(zip(texts, words, strict=True))
            for sentence in sentences_of(text, each, place)
        )


@dataclass(frozen=True, slots=True)
class _Read:
    """A sentence of the answer with what the contexts have of it.

    `best`: for each content word the best cosine with a token of the nearest context sentences, nan if there is none.
    `closest`: the context sentence that is closest. `most`: what it can get, less if its words contradict the contexts.
    """

    sentence: Sentence
    parts: Mapping[str, float]
    best: Sequence[float]
    closest: Sentence
    weight: int
    most: float

    @property
    def sum(self) -> float:
        return sum(WEIGHTS[name] * value for name, value in self.parts.items())

    @property
    def value(self) -> float:
        return self.most / (1 + exp(TIPPING_POINT - self.sum))


def _row(
    answer: str,
    contexts: Sequence[str],
    stated: Sequence[Quantity],
    given: Sequence[Sequence[Quantity]],
    question: str | None,
) -> _Row:
    claims = without_attributions(answer)
    known = {quantity.number for quantity in chain.from_iterable(given)}
    found = align_to_passages(answer, contexts, question or "")
    facts = SpanSet(found.stated)
    numbers = [
        (quantity, quantity.number in known or quantity.start in facts)
        for quantity in stated
        if not quantity.only_matches and not claims[quantity.start : quantity.end].isspace()
    ]
    places = [at for at, text in enumerate(contexts) if text.strip()]
    language = next(filter(None, map(language_of, (*contexts, answer))), None)
    every = sentences_of(claims, stemmed(claims, language))
    sentences = [sentence for sentence in every if _content(sentence, claims, language)]
    texts = tuple(contexts[at] for at in places)
    return _Row(
        answer,
        question or "",
        [word.stem for word in stemmed(question or "", language)],
        sentences,
        numbers,
        texts,
        places,
        facts,
        found.differences,
        language,
    )


def _content(sentence: Sentence, text: str, language: str | None) -> list[Word]:
    return [word for word in sentence.words if _is_content(word, text, language)]


def _is_content(word: Word, text: str, language: str | None) -> bool:
    return is_content_word(word.lowered, language) or is_letter(text, word.start, word.end)


def _scores(rows: Sequence[_Row], encoder: CachedEncoder) -> Iterator[Score]:
    wanted = [row for row in rows if row.is_comparable]
    # Samples often share their contexts: a page with many questions, or several systems on one question.
    contexts = {
        key: _Contexts(*key)
        for key in dict.fromkeys((row.contexts, row.language) for row in wanted)
    }
    pairs = [
        (row, sentence, others)
        for row in wanted
        for sentence, others in _with_nearest(row, contexts[row.contexts, row.language].index)
    ]
    cosines = [*sentence_cosines([_comparison(*pair) for pair in pairs], encoder)]
    # A sentence without vectors fails its answer, so it need not be read.
    readable = [not isinstance(each, NoVector) for each in cosines]
    odds = iter(embedded_reader().log_odds([_claim(*pair) for pair in compress(pairs, readable)]))
    says = [next(odds) if is_readable else 0.0 for is_readable in readable]
    found = iter(zip(pairs, cosines, says, strict=True))
    for row in rows:
        if row.is_comparable:
            own = [*islice(found, len(row.sentences))]
            if any(others for (_, _, others), _, _ in own):
                yield _score(row, contexts[row.contexts, row.language], own)
            else:
                yield Score(0.0, evidence={"contexts": "none has a word in it"})
        elif row.sentences:
            yield Score(0.0, evidence={"contexts": "none has text in it"})
        else:
            yield Score.undefined("the answer has no content words to look up")


def _with_nearest(row: _Row, index: SentenceIndex) -> Iterator[tuple[Sentence, list[Sentence]]]:
    """Each sentence of the answer with the context sentences nearest to it and to the question."""
    for sentence in row.sentences:
        stems = [word.stem for word in _content(sentence, row.answer, row.language)]
        yield sentence, [index.sentences[at] for at in index.nearest([*stems, *row.asked], NEAREST)]


def _comparison(row: _Row, sentence: Sentence, others: Sequence[Sentence]) -> ComparedSentence:
    places = [row.places[other.text] for other in others]
    return ComparedSentence(row.answer, sentence.words, [*map(row.text, others)], places)


def _claim(row: _Row, sentence: Sentence, others: Sequence[Sentence]) -> Claim:
    """For the embedded reader: what it reads of the nearest context sentences, in the order of the contexts."""
    chosen: list[Sentence] = []
    n_words = 0
    for other in others:
        n_words += len(other.words)
        if not chosen or (n_words <= PASSAGE_WORDS and not row.asked):
            chosen.append(other)
    chosen.sort(key=lambda each: (each.text, each.start))
    text = row.answer[sentence.start : sentence.end]
    return Claim(row.question, text, "\n".join(map(row.text, chosen)))


def _score(
    row: _Row,
    contexts: _Contexts,
    found: Iterable[
        tuple[tuple[_Row, Sentence, list[Sentence]], SentenceCosines | NoVector, float]
    ],
) -> Score:
    sentences: list[_Read] = []
    for (_, sentence, others), cosines, log_odds in found:
        if isinstance(cosines, NoVector):
            return Score.failed(cosines.reason)
        sentences.append(_read(row, contexts, sentence, others, cosines, log_odds))
    weights = [each.weight for each in sentences]
    logs = (weight * log(each.value) for weight, each in zip(weights, sentences, strict=True))
    most = CONTRADICTED if any(each.kind not in OF_WORDS for each in row.differences) else 1.0
    value = most * exp(sum(logs) / sum(weights))
    words = [cosine for each in sentences for cosine in each.best]
    unsupported = unsupported_runs(row.answer, sorted(_supported(row, contexts.all_stems, words)))
    missing = [row.answer[slice(*span)] for span in unsupported]
    shares = [_share(word.stem in stems for word in row.content) for stems in contexts.stems]
    best = max(range(len(shares)), key=shares.__getitem__)
    evidence: dict[str, object] = {
        "why": why_supported(value, missing, row.differences, _doubted(row, sentences)),
        "n_content_words": sum(weights),
        "best_context": {"context": row.places[best], "coverage": shares[best]},
        "best_sentences": [_as_data(row, each) for each in sentences[:SHOWN]],
        "n_best_sentences_cut": max(0, len(sentences) - SHOWN),
        "unsupported": _spans(row.answer, unsupported[:SHOWN]),
        "n_unsupported_cut": max(0, len(unsupported) - SHOWN),
        "differences": [as_data(each, "context") for each in row.differences[:SHOWN]],
    }
    return Score(value, evidence=evidence)


def _read(
    row: _Row,
    contexts: _Contexts,
    sentence: Sentence,
    others: Sequence[Sentence],
    found: SentenceCosines,
    says: float,
) -> _Read:
    content = _content(sentence, row.answer, row.language)
    best: Floats = found.cosines.max(axis=0, initial=0)
    is_content = np.ones(len(best), np.bool_)
    if found.has_words:
        best[[word.start in row.facts for word in sentence.words]] = 1
        is_content = np.array(
            [_is_content(word, row.answer, row.language) for word in sentence.words], np.bool_
        )
    pairs = [*pairwise(word.stem for word in sentence.words)]
    closeness = [_mean(cosines[is_content]) for cosines in found.cosines]
    if pairs:
        for place, other in enumerate(others):
            known = frozenset(pairwise(word.stem for word in other.words))
            closeness[place] = (closeness[place] + _share(pair in known for pair in pairs)) / 2
    closest = max(range(len(others)), key=closeness.__getitem__)
    lost = [
        each
        for each, is_there in row.numbers
        if sentence.start <= each.start < sentence.end and not is_there
    ]
    names = [
        word
        for word in sentence.words[1:]
        if row.answer[word.start].isupper()
        and _is_content(word, row.answer, row.language)
        and not row.has(word, contexts.all_stems)
    ]
    parts = {
        "coverage": _share(row.has(word, contexts.all_stems) for word in content),
        "precision": _mean(best[is_content]),
        "best_sentence": closeness[closest],
        "missing": log1p(len(lost) + len(names)),
        "reader": says,
    }
    cosines = best[is_content].tolist() if found.has_words else [nan] * len(content)
    is_wrong = any(
        each.kind in OF_WORDS and each.found and sentence.start <= each.found.start < sentence.end
        for each in row.differences
    )
    most = CONTRADICTED if is_wrong else 1.0
    return _Read(sentence, parts, cosines, others[closest], len(content), most)


def _doubted(row: _Row, sentences: Sequence[_Read]) -> str:
    """The sentence that the embedded reader finds least said by the contexts, if it finds it not said."""
    least = min(sentences, key=lambda read: read.parts["reader"])
    is_said = least.parts["reader"] >= 0
    return "" if is_said else row.answer[least.sentence.start : least.sentence.end]


def _mean(cosines: Floats) -> float:
    """The mean of the cosines that exist; 0 if there are none."""
    there = cosines[~np.isnan(cosines)].tolist()
    return sum(there) / len(there) if there else 0.0


def _share(found: Iterable[bool]) -> float:
    """The share of true values; 0 if there are none."""
    each = list(found)
    return sum(each) / len(each) if each else 0.0


def _as_data(row: _Row, one: _Read) -> dict[str, object]:
    """A sentence of the answer as evidence, with the closest one of the contexts."""
    return {
        "start": one.sentence.start,
        "end": one.sentence.end,
        "value": one.value,
        "n_content_words": one.weight,
        **one.parts,
        "closeness": one.parts["best_sentence"],
        "context": row.places[one.closest.text],
        "context_start": one.closest.start,
        "context_end": one.closest.end,
        "text": excerpt(row.text(one.closest), 300),
    }


def _spans(text: str, spans: Iterable[Span]) -> list[dict[str, object]]:
    """Spans of the text as evidence."""
    return [
        {"start": start, "end": end, "text": excerpt(text[start:end], 300)} for start, end in spans
    ]


def _supported(
    row: _Row, stems: frozenset[str], words: Sequence[float]
) -> Iterator[tuple[int, int, bool]]:
    """Start and end of each number and each other content word, and whether a context supports it.

    A word with a digit is supported only by the same word.
    """
    inside: set[int] = set()
    for number, is_there in row.numbers:
        yield number.start, number.end, is_there
        inside.update(range(number.start, number.end))
    for word, cosine in zip(row.content, words, strict=True):
        if inside.isdisjoint(range(word.start, word.end)):
            is_like = cosine >= ALIKE and not any(map(str.isdigit, word.lowered))
            yield word.start, word.end, is_like or row.has(word, stems)
