"""How well the top-ranked passage agrees with the gold passages, as text."""

from collections.abc import Sequence
from typing import Literal

from ragauge.errors import MissingExtraError, PlanError
from ragauge.language.text import normalize
from ragauge.language.words import alphanumeric_words
from ragauge.metric import metric
from ragauge.score import Score

WordTokenizer = Literal["builtin", "nltk"]


@metric
def passage_exact_match(contexts: Sequence[str], gold_contexts: Sequence[str]) -> Score:
    """Whether the top-ranked passage equals any gold passage.

    1.0 or 0.0. Case and surrounding whitespace are ignored, whitespace inside is not. Undefined if
    there is no gold passage; 0.0 if nothing was retrieved.

    Source: LegalBench-RAG; the suite passage-retrieval.

    >>> passage_exact_match([" The fee is due. "], ["No fee.", "the fee is due."]).value
    1.0
    """
    if not gold_contexts:
        return Score.undefined("no gold passage")
    if not contexts:
        return Score(0.0, evidence={"matched_gold": None})
    top = normalize(contexts[0], "strip_lower")
    golds = [normalize(gold, "strip_lower") for gold in gold_contexts]
    matched = golds.index(top) if top in golds else None
    return Score(matched is not None, evidence={"matched_gold": matched})


@metric(version=2)
def span_f1(
    contexts: Sequence[str], gold_contexts: Sequence[str], *, tokenizer: WordTokenizer = "builtin"
) -> Score:
    """Word F1 of the top-ranked passage with the most similar gold passage.

    In [0, 1]. Words are lower-cased and alphanumeric, and each distinct word counts once. Undefined if
    there is no gold passage; 0.0 if nothing was retrieved. Two passages without words score 1.0; one
    without, 0.0. `tokenizer="nltk"` splits sentences with NLTK's Punkt model, if installed; the
    built-in splitter follows the same word rules, so only words before an ambiguous period can differ.

    Source: LegalBench-RAG; the suite passage-retrieval.

    >>> span_f1(["The fee is due now."], ["Nothing.", "The fee is waived."]).value
    0.6666666666666666
    """
    if not gold_contexts:
        return Score.undefined("no gold passage")
    if not contexts:
        return Score(0.0, evidence={"best_gold": None})
    top = _words(contexts[0], tokenizer)
    golds = [_words(gold, tokenizer) for gold in gold_contexts]
    values = [
        2 * len(top & gold) / (len(top) + len(gold)) if top or gold else 1.0 for gold in golds
    ]
    best = values.index(max(values))
    shared, n_predicted, n_gold = len(top & golds[best]), len(top), len(golds[best])
    evidence = {
        "best_gold": best,
        "n_shared": shared,
        "n_predicted": n_predicted,
        "n_gold": n_gold,
        "precision": shared / n_predicted if n_predicted else None,
        "recall": shared / n_gold if n_gold else None,
    }
    return Score(values[best], evidence=evidence)


def _words(text: str, tokenizer: WordTokenizer) -> set[str]:
    if tokenizer == "builtin":
        return set(alphanumeric_words(text))
    try:
        from nltk import word_tokenize  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]
    except ImportError:
        raise MissingExtraError('span_f1(tokenizer="nltk") needs nltk', "nltk") from None
    try:
        tokens: list[str] = word_tokenize(text)
    except LookupError:
        problem = (
            'span_f1(tokenizer="nltk") needs NLTK\'s Punkt model, which is not installed; '
            "get it with: python -m nltk.downloader punkt_tab, or leave the setting out"
        )
        raise PlanError([problem]) from None
    return {token.lower() for token in tokens if token.isalnum()}
