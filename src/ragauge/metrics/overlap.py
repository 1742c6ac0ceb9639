"""An answer compared with a reference, and a passage with the gold ones, by words: equal, fuzzily contained, overlapping, its keywords covered."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache, partial
from typing import Annotated, Literal

from rapidfuzz import fuzz

from ragauge.errors import MissingExtraError, PlanError
from ragauge.language.keywords import Extractor
from ragauge.language.reasons import why_complete, why_covered
from ragauge.language.stop_words import NLTK_ENGLISH
from ragauge.language.text import Normalization, excerpt, normalize
from ragauge.language.words import alphanumeric_words
from ragauge.metric import NOTHING_EXPECTED, metric
from ragauge.score import Score
from ragauge.setting import Constraint, Share, is_within

WordTokenizer = Literal["builtin", "nltk"]
Percent = Annotated[
    float, Constraint("a number from 0 to 100", partial(is_within, low=0, high=100))
]
Scorer = Literal["partial_ratio", "ratio", "token_sort_ratio", "token_set_ratio", "WRatio"]
WHOLE_SCORERS = {
    "ratio": fuzz.ratio,
    "token_sort_ratio": fuzz.token_sort_ratio,
    "token_set_ratio": fuzz.token_set_ratio,
    "WRatio": fuzz.WRatio,
}

LONG_REFERENCE = 500
"""Longer references, in characters, are aligned in steps, not at every position."""
PUNCTUATION = ".,;:!?()[]\"'“”‘’ "
WORD = re.compile(r"\w+")
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
MAX_WORD_LENGTH = 100
"""The search for the end of a word stops after this many characters."""
UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U0003ffff]"
)
"""Characters of scripts without spaces between words."""


@metric(version=1)
def exact_match(answer: str, reference: str, *, normalize: Normalization = "lower_ws") -> Score:
    """Whether the answer equals the reference after normalisation.

    1.0 or 0.0; best over the references. By default case and whitespace are normalised;
    `normalize="squad"` gives SQuAD's exact match. Never undefined: two empty texts match.

    Source: the suite answer-quality; Rajpurkar et al. 2016 (SQuAD).

    >>> exact_match("  The Premium\\nis $604", "the premium is $604").value
    1.0
    """
    left, right = _normalized(answer, normalize), _normalized(reference, normalize)
    if left == right:
        return Score(True, evidence={"both": excerpt(left, 200)})
    pairs = enumerate(zip(left, right, strict=False))
    shorter = min(len(left), len(right))
    at = next((at for at, (ours, theirs) in pairs if ours != theirs), shorter)
    ours, theirs = excerpt(left[at:], 60), excerpt(right[at:], 60)
    evidence = {"differ_at": at, "answer_from_there": ours, "reference_from_there": theirs}
    return Score(False, evidence=evidence)


@metric(version=1)
def token_f1(
    answer: str,
    reference: str,
    *,
    count: Literal["multiset", "set"] = "multiset",
    normalize: Normalization = "squad",
) -> Score:
    """F1 of the words that answer and reference share, as SQuAD's official script computes it.

    In [0, 1]; best over the references. `count="set"` counts each distinct word once. Never undefined:
    if both are empty after normalisation, 1.0; if one is empty, 0.0.

    Source: Rajpurkar et al. 2016 (SQuAD), section 6.1.

    >>> token_f1("the cat sat", "a cat sat down").value
    0.8
    """
    words = (_normalized(text, normalize).split() for text in (answer, reference))
    left, right = (Counter(set(each) if count == "set" else each) for each in words)
    shared = left & right
    n_shared, n_answer, n_reference = shared.total(), left.total(), right.total()
    counts = {"n_shared": n_shared, "n_answer": n_answer, "n_reference": n_reference}
    evidence = {"shared": dict(sorted(shared.items())), **counts}
    if not n_answer or not n_reference:
        return Score(n_answer == n_reference, evidence=evidence)
    # 2PR / (P + R) in one division, so that equal texts give exactly 1.
    return Score(2 * n_shared / (n_answer + n_reference), evidence=evidence)


@metric(version=1)
def fuzzy_match(
    answer: str,
    reference: str,
    *,
    scorer: Scorer = "partial_ratio",
    threshold: Percent = 90.0,
    normalize: Normalization = "lower_ws",
) -> Score:
    """Whether the answer contains the reference, exactly or with a fuzzy ratio of at least `threshold`.

    1.0 or 0.0; best over the references. Only whole words are contained: "5" is not in "15". The
    default scorer compares the shorter text with the most similar run of whole words in the longer
    one (found in steps if it is long), as rapidfuzz's `partial_ratio` does with characters. There, a
    text of stop words alone has ratio 0, and a number of the shorter text that the longer one lacks
    rules out a match. The other scorers are rapidfuzz's, on the two whole texts. The evidence has the
    ratio (0 to 100). Undefined if the reference is empty.

    Source: the suite factual-qa.

    >>> fuzzy_match("It was Willhelm Conrad Röntgen.", "Wilhelm Conrad Röntgen").value
    1.0
    >>> fuzzy_match("15 people", "5").value
    0.0
    """
    left, right = _normalized(answer, normalize), _normalized(reference, normalize)
    if not right:
        return Score.undefined("the reference is empty")
    contained = _contains_words(left, right)
    if contained:
        ratio, matched, differing = 100.0, right, []
    elif scorer == "partial_ratio":
        shorter, longer = sorted((right, left), key=len)
        has_content = not NLTK_ENGLISH.issuperset(WORD.findall(shorter))
        ratio, matched = _best_window(longer, shorter) if has_content else (0.0, "")
        numbers, others = (
            {number.replace(",", "") for number in NUMBER.findall(text)}
            for text in (shorter, longer)
        )
        differing = sorted(numbers - others)
    else:
        ratio, matched, differing = WHOLE_SCORERS[scorer](right, left), left, []
    evidence = {
        "contained": contained,
        "ratio": ratio,
        "matched": excerpt(matched),
        "numbers_that_differ": differing,
    }
    return Score(contained or (ratio >= threshold and not differing), evidence=evidence)


_normalized = normalize
"""The function under another name, because a setting hides it."""


def _contains_words(text: str, part: str) -> bool:
    """Whether `text` contains `part` without cutting a word or number at its ends."""
    start = text.find(part)
    while start >= 0:
        if _is_edge(text, start) and _is_edge(text, start + len(part)):
            return True
        start += 1
        while not _is_edge(text, start):
            start += 1
        start = text.find(part, start)
    return False


def _best_window(text: str, part: str) -> tuple[float, str]:
    """The highest ratio of `part` with a stretch of whole words of `text`, and that stretch.

    The best stretch of characters is widened or narrowed to whole words.
    """
    if len(text) <= len(part):
        return fuzz.ratio(part, text), text
    if len(part) > LONG_REFERENCE:
        start, end = _best_stretch_by_steps(text, part)
    else:
        found = fuzz.partial_ratio_alignment(part, text)
        start, end = (found.dest_start, found.dest_end) if found else (0, 0)
    starts, ends = ({_edge(text, at, -1), _edge(text, at, 1)} for at in (start, end))
    windows = [text[start:end].strip() for start in starts for end in ends if start < end]
    windows += [window.strip(PUNCTUATION) for window in windows]
    return max(((fuzz.ratio(part, window), window) for window in windows), default=(0.0, ""))


def _best_stretch_by_steps(text: str, part: str) -> tuple[int, int]:
    """Where the characters that resemble a long part most start and end: the ratio decreases slowly on both sides.

    rapidfuzz tries every position, which takes seconds here. This tries steps of a sixteenth of the
    length, then halves the step around the best position, down to 1/512 of the length.
    """
    step = len(part) // 16
    last = len(text) - len(part)

    @cache
    def ratio(at: int) -> float:
        return fuzz.ratio(part, text[at : at + len(part)])

    best = max((*range(0, last, step), last), key=ratio)
    while step > len(part) / 512:
        step //= 2
        best = max((best, max(best - step, 0), min(best + step, last)), key=ratio)
    return best, best + len(part)


def _edge(text: str, at: int, step: int) -> int:
    """The nearest edge of a word from `at` in the direction of `step`; may be `at` itself."""
    for _ in range(MAX_WORD_LENGTH):
        if _is_edge(text, at):
            return at
        at += step
    return at


def _is_edge(text: str, at: int) -> bool:
    """Whether no word or number continues across this position; each CJK character is a word."""
    if not 0 < at < len(text):
        return True
    before, after = text[at - 1], text[at]
    if before.isalnum() and after.isalnum():
        return bool(UNSPACED.match(before) or UNSPACED.match(after))
    if after in ".," and before.isdigit():
        return not text[at + 1 : at + 2].isdigit()
    if before in ".," and after.isdigit():
        return not (at > 1 and text[at - 2].isdigit())
    return True


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
    counts = {"n_shared": shared, "n_predicted": n_predicted, "n_gold": n_gold}
    evidence = {
        "best_gold": best,
        **counts,
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
        what = 'span_f1(tokenizer="nltk") needs NLTK\'s Punkt model, which is not installed'
        way_out = "get it with: python -m nltk.downloader punkt_tab, or leave the setting out"
        raise PlanError(f"{what}; {way_out}") from None
    return {token.lower() for token in tokens if token.isalnum()}


@metric(version=13)
def keyword_coverage(
    answer_keywords: frozenset[str],
    reference_keywords: frozenset[str],
    *,
    extractor: Extractor = "default",
    on_nothing_expected: Share | None = None,
) -> Score:
    """Share of the reference's keywords that are among the answer's keywords.

    In [0, 1]; best over the references. Keywords are phrases of capitalised words, capitalised words
    with their number or code, numbers, and words of four or more letters that are not stop words;
    `extractor="regex"` uses the patterns of the suite answer-quality. Undefined if the reference has no
    keywords, or `on_nothing_expected` if no reference has any.

    Source: the suite answer-quality.

    >>> keyword_coverage(frozenset({"604", "rate"}), frozenset({"rate", "change"})).value
    0.5
    """
    if not reference_keywords and on_nothing_expected is None:
        return Score.undefined("the reference has no keywords")
    if not reference_keywords:
        nothing: dict[str, object] = {"matched": [], "unmatched": [], NOTHING_EXPECTED: True}
        return Score(on_nothing_expected, evidence=nothing)
    has = sorted(reference_keywords & answer_keywords)
    lacks = sorted(reference_keywords - answer_keywords)
    evidence = {"matched": has, "unmatched": lacks, "why": why_covered(has, lacks)}
    return Score(len(has) / len(reference_keywords), evidence=evidence)


@metric(version=13)
def answer_completeness(
    answer: str,
    reference: str,
    answer_keywords: frozenset[str],
    reference_keywords: frozenset[str],
    *,
    extractor: Extractor = "default",
    on_nothing_expected: Share | None = None,
) -> Score:
    """Mean of the length ratio min(answer words / reference words, 1) and `keyword_coverage`.

    In [0, 1]; best over the references. Words are split on whitespace. Undefined if the reference has no
    keywords; with `on_nothing_expected`, that value is used for the coverage, and for the length ratio if
    the reference has no words.

    Source: the suite answer-quality.

    >>> words = frozenset({"premium"})
    >>> answer_completeness("The premium", "The premium is due", words, words).value
    0.75
    """
    coverage = keyword_coverage(
        answer_keywords,
        reference_keywords,
        extractor=extractor,
        on_nothing_expected=on_nothing_expected,
    )
    if coverage.value is None:
        return coverage
    n_answer, n_reference = len(answer.split()), len(reference.split())
    length = min(n_answer / n_reference, 1.0) if n_reference else on_nothing_expected or 0.0
    evidence: dict[str, object] = {
        "length": length,
        "n_answer_words": n_answer,
        "n_reference_words": n_reference,
        "keyword_coverage": coverage.value,
        **(coverage.evidence or {}),
    }
    if isinstance(covered := evidence.get("why"), str):
        evidence["why"] = why_complete(n_answer, n_reference, covered)
    return Score((length + coverage.value) / 2, evidence=evidence)
