"""What an answer and a reference have in common, as the numbers that `correct` weighs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import log1p

from ragauge.encoders.cached import CachedEncoder
from ragauge.encoders.embedded import Claim, embedded_reader
from ragauge.encoders.protocol import LongText
from ragauge.features.matches import ALIKE, TokenMatch, TokenPlaces, token_match
from ragauge.features.texts import refusal_of
from ragauge.language.references.match import ReferenceMatch, alternatives, match_reference
from ragauge.language.refusals.refusals import RefusalMatch
from ragauge.language.text import is_blank
from ragauge.metric import feature
from ragauge.score import Score

LONGEST_ANSWER = 60
"""Words; all longer answers count as this long, since few training answers are."""
MOST_OTHER = 15
"""Words of the answer that neither question nor reference has; more of them say no more."""
FEATURES = (
    "new_words",
    "meaning",
    "recall",
    "verbatim",
    "shared",
    "contradiction",
    "refusal",
    "answer_length",
)
"""Those with weights for short and for long references; the ninth, `reader`, has one weight."""
SHORT_REFERENCE = 4
"""Words; names and dates are compared by their words, and longer references are read by the embedded reader too."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """An answer compared with one wording of a reference.

    `features`, by name:

    - new_words: share of the reference's words that the answer states; only words that the question
      lacks, unless it has them all.
    - meaning: mean over the same words of 1 for a stated word, else of the best cosine of its tokens
      with a token of the answer; 0 for a word that it denies or replaces.
    - recall: BERTScore recall; the tokens of numbers that the answer states in another form count 1.
      0 if the answer denies the reference; so is `shared`.
    - verbatim: 1 if the answer contains the reference, apart from articles, and does not deny it; or all
      its numbers in another form where it is only numbers; or says its yes or no, or the facts that it adds to the question and no
      more; `new_words` and `meaning` are 1 then.
    - shared: share of the answer's words that the reference has; only words that the question lacks,
      and at most 15 of those that the reference lacks too.
    - contradiction: 1 if the answer states another number of the same kind, another date, or yes for no,
      or denies the reference.
    - refusal: 1 if the answer refuses and the reference does not.
    - answer_length: log(1 + words), up to 60 words.
    - reader: the log-odds of the embedded reader that the reference says what the answer says, from -6 to 6; 0 for references of up to
      4 words. Of an answer and a reference of together more than 160 tokens it reads the first.
    """

    wording: str
    match: ReferenceMatch
    refusal: RefusalMatch | None
    features: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """A question that has no answer, and the refusal of the text that is given for one, if it refuses."""

    refusal: RefusalMatch | None


@feature(batch=True)
def likenesses(
    question: Sequence[str | None] | None,
    answer: Sequence[str],
    expected_answers: Sequence[Sequence[str]],
    *,
    encoder: CachedEncoder,
    layer: int | None = None,
    long_text: LongText = "windows",
) -> list[tuple[tuple[Likeness, ...] | Score, ...] | NoAnswer]:
    """Each answer compared with each of its references; `NoAnswer` where the question has none."""
    questions = question or [None] * len(answer)
    rows = list(zip(questions, answer, expected_answers, strict=True))
    flat = [(asked, ours, text) for asked, ours, texts in rows for text in texts]
    questions, answers = [asked for asked, _, _ in flat], [ours for _, ours, _ in flat]
    texts = [text for _, _, text in flat]
    found = iter(
        reference_likeness(
            questions, answers, texts, encoder=encoder, layer=layer, long_text=long_text
        )
    )
    return [
        tuple(islice(found, len(texts))) or NoAnswer(refusal_of(ours, asked))
        for asked, ours, texts in rows
    ]


def reference_likeness(
    question: Sequence[str | None],
    answer: Sequence[str],
    reference: Sequence[str],
    *,
    encoder: CachedEncoder,
    layer: int | None = None,
    long_text: LongText = "windows",
) -> list[tuple[Likeness, ...] | Score]:
    """Each answer compared with its reference; with each name, if the reference lists several.

    Undefined if the reference has no words; failed if the encoder gives no token embeddings.
    """
    wordings = [() if is_blank(text) else alternatives(text) for text in reference]
    rows = [*zip(question, answer, wordings, strict=True)]
    distinct = list(dict.fromkeys((ours, text) for _, ours, texts in rows for text in texts))
    answers, texts = [ours for ours, _ in distinct], [text for _, text in distinct]
    same = [ALIKE] * len(distinct)
    tokens = token_match(answers, texts, same, encoder=encoder, layer=layer, long_text=long_text)
    known = dict(zip(distinct, tokens, strict=True))
    matches = [
        [match_reference(asked, text, ours) for text in texts] for asked, ours, texts in rows
    ]
    claims = [
        Claim(asked or "", ours, text)
        for (asked, ours, texts), own in zip(rows, matches, strict=True)
        for text, match in zip(texts, own, strict=True)
        if match.n_words > SHORT_REFERENCE and match.n_answer_words
    ]
    odds = dict(zip(claims, embedded_reader().log_odds(claims), strict=True)) if claims else {}
    return [
        _likenesses(
            row,
            own,
            [known[row[1], text] for text in row[2]],
            [odds.get(Claim(row[0] or "", row[1], text), 0.0) for text in row[2]],
        )
        for row, own in zip(rows, matches, strict=True)
    ]


def _likenesses(
    row: tuple[str | None, str, Sequence[str]],
    matches: Sequence[ReferenceMatch],
    tokens: Sequence[TokenMatch | Score],
    odds: Sequence[float],
) -> tuple[Likeness, ...] | Score:
    """The answer compared with each wording of a reference."""
    question, answer, wordings = row
    found: list[Likeness] = []
    refusal = refusal_of(answer, question)
    for wording, match, cosines, says in zip(wordings, matches, tokens, odds, strict=True):
        if isinstance(cosines, Score):
            return cosines
        if match.words:
            unexpected = refusal if refusal and refusal_of(wording) is None else None
            features = _features(match, cosines, unexpected, says)
            found.append(Likeness(wording, match, unexpected, features))
    return tuple(found) or Score.undefined("the reference has no words")


def _features(
    match: ReferenceMatch, tokens: TokenMatch, refusal: RefusalMatch | None, says: float
) -> dict[str, float]:
    side = tokens.reference
    spans = side.tokens.spans if side else None
    places = None if spans is None else TokenPlaces(spans.tolist())
    best: list[float] = side.best.tolist() if side else []
    meanings: list[float] = []
    for word in match.wanted:
        # The mean over the word's tokens of their best cosines; over all if their offsets are unknown.
        own = best if places is None else [best[at] for at in places.of(word.start, word.end)]
        cosine = 0.0 if word.how in ("denied", "other") else max(0.0, _mean(own))
        meanings.append(1.0 if word.credit == 1 else cosine)
    # BERTScore recall, in which the tokens of numbers found in another form count 1.
    recall = tokens.recall
    numbers = [word for word in match.words if word.how == "number" and word.credit == 1]
    if places is not None and numbers:
        for word in numbers:
            for at in places.of(word.start, word.end):
                best[at] = 1.0
        recall = _mean(best[at] for at in places.all)
    credits = [word.credit for word in match.wanted]
    n_compared = match.n_new_shared + min(match.n_new - match.n_new_shared, MOST_OTHER)
    has_new = any(word.is_new for word in match.wanted)
    restated = 0.0 if has_new or not any(credits) else 1.0
    shared = match.n_new_shared / n_compared if n_compared else restated
    return {
        "new_words": 1.0 if match.agreed else _mean(credits),
        "meaning": 1.0 if match.agreed else _mean(meanings),
        "recall": 0.0 if match.is_denied else max(0.0, recall),
        "verbatim": float(match.is_contained or match.is_in_numbers or match.is_in_other_words),
        "shared": 0.0 if match.is_denied else shared,
        "contradiction": float(match.contradiction is not None),
        "refusal": float(refusal is not None),
        "answer_length": log1p(min(match.n_answer_words, LONGEST_ANSWER)),
        "reader": says,
    }


def _mean(values: Iterable[float]) -> float:
    known = list(values)
    return sum(known) / len(known) if known else 0.0
