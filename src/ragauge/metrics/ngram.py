"""Overlap of word or character n-grams with a reference: ROUGE, BLEU, chrF.

ROUGE is computed here and agrees with Google's `rouge-score` 0.1.2 without stemming. BLEU and chrF
need sacrebleu (extra `ngram`).
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, cast

from rapidfuzz.distance import LCSseq

from ragauge.errors import MissingExtraError
from ragauge.metric import feature, metric
from ragauge.score import Score

if TYPE_CHECKING:
    from sacrebleu.metrics.bleu import BLEU

Measure = Literal["f1", "precision", "recall"]
Words = tuple[str, ...]

ROUGE_WORD = re.compile(r"[a-z0-9]+")
CHRF_ORDER = 6
CHRF_BETA = 2


@feature
def answer_rouge_words(answer: str) -> Words:
    """The answer's words as ROUGE counts them: lower-cased runs of a-z and 0-9."""
    return tuple(ROUGE_WORD.findall(answer.lower()))


@feature
def reference_rouge_words(reference: str) -> Words:
    """The reference's words as ROUGE counts them: lower-cased runs of a-z and 0-9."""
    return tuple(ROUGE_WORD.findall(reference.lower()))


@metric
def rouge1(
    answer_rouge_words: Words, reference_rouge_words: Words, *, measure: Measure = "f1"
) -> Score:
    """ROUGE-1: the overlap of the answer's words with the reference's words.

    In [0, 1]: F1, or precision or recall by `measure`; best over the references. Words are lower-cased
    runs of a-z and 0-9, and repeats count. Undefined if the reference has no such word, as in other
    scripts (rouge-score gives 0); an answer without words scores 0.0.

    Source: Lin (2004), "ROUGE: A Package for Automatic Evaluation of Summaries", section 2.

    >>> rouge1(("the", "cat", "sat"), ("the", "cat")).value
    0.8
    """
    return _ngram_rouge(answer_rouge_words, reference_rouge_words, "word", measure)


@metric
def rouge2(
    answer_rouge_words: Words, reference_rouge_words: Words, *, measure: Measure = "f1"
) -> Score:
    """ROUGE-2: the overlap of the answer's pairs of adjacent words with the reference's pairs.

    In [0, 1]; words and `measure` as in `rouge1`. Undefined if the reference has fewer than two words
    (rouge-score gives 0).

    Source: Lin (2004), "ROUGE: A Package for Automatic Evaluation of Summaries", section 2.

    >>> rouge2(("the", "cat", "sat"), ("the", "cat")).value
    0.6666666666666666
    """
    ours, theirs = tuple(pairwise(answer_rouge_words)), tuple(pairwise(reference_rouge_words))
    return _ngram_rouge(ours, theirs, "pair of words", measure)


@metric(name="rougeL")
def rouge_l(
    answer_rouge_words: Words, reference_rouge_words: Words, *, measure: Measure = "f1"
) -> Score:
    """ROUGE-L: the longest common subsequence of words of answer and reference.

    In [0, 1]; words, `measure` and the undefined case as in `rouge1`. Line breaks are ignored.

    Source: Lin (2004), "ROUGE: A Package for Automatic Evaluation of Summaries", section 3.1.

    >>> rouge_l(("the", "black", "cat"), ("the", "cat", "sat")).value
    0.6666666666666666
    """
    if not reference_rouge_words:
        return Score.undefined("the reference has no word")
    shared = _lcs_length(answer_rouge_words, reference_rouge_words)
    return _rouge(shared, len(answer_rouge_words), len(reference_rouge_words), measure)


@metric(name="rougeLsum")
def rouge_lsum(answer: str, reference: str, *, measure: Measure = "f1") -> Score:
    """ROUGE-Lsum: ROUGE-L by line, with the words of each reference line found in order in an answer line.

    In [0, 1]; words, `measure` and the undefined case as in `rouge1`. Each line counts as a sentence.

    Source: Lin (2004), "ROUGE: A Package for Automatic Evaluation of Summaries", section 3.2; as in
    ROUGE 1.5.5, a word counts at most as often as it occurs in either text.

    >>> rouge_lsum("the cat\\non a mat", "the cat sat\\non the mat").value
    0.7272727272727273
    """
    answer_lines, reference_lines = (
        [words for line in text.lower().split("\n") if (words := tuple(ROUGE_WORD.findall(line)))]
        for text in (answer, reference)
    )
    if not reference_lines:
        return Score.undefined("the reference has no word")
    if len(answer_lines) == len(reference_lines) == 1:
        shared = _lcs_length(answer_lines[0], reference_lines[0])
    else:
        shared = _union_lcs_length(answer_lines, reference_lines)
    n_answer, n_reference = (sum(map(len, lines)) for lines in (answer_lines, reference_lines))
    return _rouge(shared, n_answer, n_reference, measure)


def _ngram_rouge(
    answer: Sequence[object], reference: Sequence[object], unit: str, measure: Measure
) -> Score:
    if not reference:
        return Score.undefined(f"the reference has no {unit}")
    shared = _n_shared(Counter(answer), Counter(reference))
    return _rouge(shared, len(answer), len(reference), measure)


def _rouge(n_shared: int, n_answer: int, n_reference: int, measure: Measure) -> Score:
    evidence = {"n_shared": n_shared, "n_answer": n_answer, "n_reference": n_reference}
    if measure == "f1":
        value = 2 * n_shared / (n_answer + n_reference)
    elif measure == "recall":
        value = n_shared / n_reference
    else:
        value = n_shared / n_answer if n_answer else 0.0
    return Score(value, evidence=evidence)


def _n_shared(left: Counter[object], right: Counter[object]) -> int:
    return sum(min(count, right[item]) for item, count in left.items() if item in right)


def _lcs_length(left: Sequence[str], right: Sequence[str]) -> int:
    # Numbers, because rapidfuzz compares long words by a hash whose salt differs between processes.
    numbers = {word: number for number, word in enumerate(dict.fromkeys((*left, *right)))}
    return LCSseq.similarity([numbers[word] for word in left], [numbers[word] for word in right])


def _union_lcs_length(answer_lines: Sequence[Words], reference_lines: Sequence[Words]) -> int:
    """How many reference words are in a common subsequence of their line and some answer line."""
    left_in_answer = Counter(word for line in answer_lines for word in line)
    left_in_reference = Counter(word for line in reference_lines for word in line)
    lines_with: dict[str, list[Words]] = {}
    for line in dict.fromkeys(answer_lines):
        for word in dict.fromkeys(line):
            lines_with.setdefault(word, []).append(line)
    places_in = {line: _union_lcs_places(line, lines_with) for line in set(reference_lines)}
    n_shared = 0
    for word in (line[at] for line in reference_lines for at in places_in[line]):
        if left_in_answer[word] > 0 and left_in_reference[word] > 0:
            n_shared += 1
            left_in_answer[word] -= 1
            left_in_reference[word] -= 1
    return n_shared


def _union_lcs_places(reference: Words, lines_with: Mapping[str, Sequence[Words]]) -> list[int]:
    """The positions in a reference line that are in a common subsequence with some answer line.

    The lines with its rarest words first: with all words found, the other lines add nothing, so texts of
    many lines take no quadratic time.
    """
    n_possible = sum(word in lines_with for word in reference)
    known = {word for word in reference if word in lines_with}
    shared: set[int] = set()
    looked_at: set[Words] = set()
    for word in sorted(known, key=lambda word: (len(lines_with[word]), word)):
        for line in lines_with[word]:
            if len(shared) == n_possible:
                return sorted(shared)
            if line not in looked_at:
                looked_at.add(line)
                shared.update(_lcs_places(reference, line))
    return sorted(shared)


def _lcs_places(reference: Words, answer: Words) -> Iterable[int]:
    """The positions in `reference` of the words of one longest common subsequence, last first.

    Of several longest ones, the one that rouge-score finds: from the end, it takes a match if there
    is one, and otherwise drops a reference word before an answer word. The table of lengths is one bit
    vector a row (Hyyrö 2004): the LCS of reference[:i] and answer[:j] is as long as the lowest j bits of
    row i have zeros.
    """
    places: dict[str, int] = {}
    for at, word in enumerate(answer):
        places[word] = places.get(word, 0) | 1 << at
    row = all_ones = (1 << len(answer)) - 1
    rows = [row]
    for word in reference:
        matched = row & places.get(word, 0)
        row = ((row + matched) | (row - matched)) & all_ones
        rows.append(row)
    i, j = len(reference), len(answer)
    left = j - row.bit_count()
    while left:
        if reference[i - 1] == answer[j - 1]:
            i, j, left = i - 1, j - 1, left - 1
            yield i
        elif j - (rows[i - 1] & ((1 << j) - 1)).bit_count() < left:
            j -= 1
        else:
            i -= 1


def corpus_bleu(summed_parts: Sequence[Sequence[float]]) -> list[float]:
    """BLEU of a whole set, in [0, 1], from each row of summed parts.

    A row holds the matched and then all n-grams of the answers for n = 1 to 4, and the words of
    the answers and of the references. Equal to `sacrebleu.corpus_bleu` / 100 on the scored samples.
    """
    values: list[float] = []
    for row in summed_parts:
        numbers = [round(float(part)) for part in row]  # rounding NumPy's takes ten times as long
        counts = numbers[:4], numbers[4:8], *numbers[8:]
        found = _sacrebleu().compute_bleu(*counts, smooth_method="exp")  # pyright: ignore[reportUnknownMemberType]
        values.append(min(found.score / 100, 1.0))
    return values


@metric(aggregate=corpus_bleu)
def bleu(answer: str, reference: str) -> Score:
    """BLEU of sacrebleu: the share of the answer's 1- to 4-grams that the reference has.

    In [0, 1]. The value of a sample is sentence BLEU (tokenizer 13a, exponential smoothing, effective
    order); the value of a set is corpus BLEU. Best over the references, where multi-reference BLEU
    would pool their n-grams. Undefined if the reference is blank; a blank answer scores 0.0.

    Source: Papineni et al. (2002); Post (2018), "A Call for Clarity in Reporting BLEU Scores".

    >>> round(bleu("the cat sat on the mat", "the cat is on the mat").value, 4)
    0.3799
    """
    if not reference.strip():
        return Score.undefined("the reference is blank")
    found = _sacrebleu().sentence_score(answer, [reference])
    parts = [*found.counts, *found.totals, found.sys_len, found.ref_len]
    return Score(min(found.score / 100, 1.0), evidence={"parts": parts})


@cache
def _sacrebleu() -> "BLEU":
    try:
        from sacrebleu.metrics.bleu import BLEU
    except ImportError:
        raise MissingExtraError("bleu needs sacrebleu", "ngram") from None
    return BLEU(effective_order=True)


def corpus_chrf(summed_parts: Sequence[Sequence[float]]) -> list[float]:
    """chrF of a whole set, in [0, 1], from each row of summed parts.

    A row holds, for n = 1 to 6, the character n-grams of the answers, of the references, and those
    in both. Equal to `sacrebleu.corpus_chrf` / 100 on the scored samples.
    """
    return [_chrf_value(row) for row in summed_parts]


@metric(aggregate=corpus_chrf)
def chrf(answer: str, reference: str) -> Score:
    """chrF2: the overlap of the character 1- to 6-grams of answer and reference.

    In [0, 1]. Case counts, whitespace does not. The value of a sample is sentence chrF; the value of a
    set is corpus chrF. Best over the references. Undefined if the reference is blank; a blank answer
    scores 0.0.

    Source: Popović (2015), "chrF: character n-gram F-score for automatic MT evaluation"; n-grams, and
    orders without n-grams, as in sacrebleu.

    >>> round(chrf("the cat sat", "the cat sits").value, 4)
    0.6103
    """
    if not reference.strip():
        return Score.undefined("the reference is blank")
    parts: list[int] = []
    for found, wanted in zip(_character_ngrams(answer), _character_ngrams(reference), strict=True):
        # As in sacrebleu: n-grams longer than the whole reference do not lower the precision.
        n_answer = found.total() if wanted else 0
        parts += [n_answer, wanted.total(), _n_shared(found, wanted)]
    return Score(_chrf_value(parts), evidence={"parts": parts})


def _character_ngrams(text: str) -> list[Counter[object]]:
    try:
        from sacrebleu.metrics.helpers import extract_all_char_ngrams  # pyright: ignore[reportUnknownVariableType]
    except ImportError:
        raise MissingExtraError("chrf needs sacrebleu", "ngram") from None
    return cast("list[Counter[object]]", extract_all_char_ngrams(text, CHRF_ORDER))


def _chrf_value(parts: Sequence[float]) -> float:
    """F2 of mean precision and mean recall over the orders that both sides have."""
    orders = [parts[at : at + 3] for at in range(0, 3 * CHRF_ORDER, 3)]
    orders = [order for order in orders if order[0] > 0 and order[1] > 0]
    if not any(shared for _, _, shared in orders):
        return 0.0
    precision = sum(shared / n_answer for n_answer, _, shared in orders) / len(orders)
    recall = sum(shared / n_reference for _, n_reference, shared in orders) / len(orders)
    weight = CHRF_BETA**2
    return float((1 + weight) * precision * recall / (weight * precision + recall))
