"""An answer against a reference by their words: equal, fuzzily contained, overlapping."""

import re
from collections import Counter
from functools import cache
from typing import Annotated, Literal

from rapidfuzz import fuzz

from ragauge.language.stop_words import NLTK_ENGLISH
from ragauge.language.text import Normalization, excerpt, normalize
from ragauge.metric import Constraint, metric
from ragauge.score import Score


def _is_percent(value: float) -> bool:
    return 0 <= value <= 100


Percent = Annotated[float, Constraint("a number from 0 to 100", _is_percent)]
Scorer = Literal["partial_ratio", "ratio", "token_sort_ratio", "token_set_ratio", "WRatio"]
WHOLE_SCORERS = {
    "ratio": fuzz.ratio,
    "token_sort_ratio": fuzz.token_sort_ratio,
    "token_set_ratio": fuzz.token_set_ratio,
    "WRatio": fuzz.WRatio,
}

LONG_REFERENCE = 500
"""Beyond this many characters, the stretch most like the reference is looked for in steps."""
PUNCTUATION = ".,;:!?()[]\"'“”‘’ "
WORD = re.compile(r"\w+")
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
MAX_WORD_LENGTH = 100
"""Beyond this many characters, a word is not looked for its end."""
UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U0003ffff]"
)
"""Characters of scripts that put no space between words."""


@metric(version=1)
def exact_match(answer: str, reference: str, *, normalize: Normalization = "lower_ws") -> Score:
    """Whether the answer is the reference, once both are normalised.

    1.0 or 0.0; best over the references. Two empty texts match. `normalize="squad"` is SQuAD's
    exact match (Rajpurkar et al. 2016). Source: seed 001, "Exact Match".

    >>> exact_match("  The Premium\\nis $604", "the premium is $604").value
    1.0
    """
    left, right = _normalized(answer, normalize), _normalized(reference, normalize)
    if left == right:
        return Score(True, evidence={"both": excerpt(left, 200)})
    at = _first_difference(left, right)
    evidence = {
        "differ_at": at,
        "answer_from_there": excerpt(left[at:], 60),
        "reference_from_there": excerpt(right[at:], 60),
    }
    return Score(False, evidence=evidence)


@metric(version=1)
def token_f1(
    answer: str,
    reference: str,
    *,
    count: Literal["multiset", "set"] = "multiset",
    normalize: Normalization = "squad",
) -> Score:
    """F1 of the answer's words against the reference's, as SQuAD's official script has it.

    In [0, 1]; best over the references. `count="set"` counts each distinct word once. Both empty
    after normalisation: 1.0; one empty: 0.0. Source: Rajpurkar et al. 2016, section 6.1.

    >>> token_f1("the cat sat", "a cat sat down").value
    0.8
    """
    left = _counted(_normalized(answer, normalize).split(), count)
    right = _counted(_normalized(reference, normalize).split(), count)
    shared = left & right
    n_shared, n_answer, n_reference = shared.total(), left.total(), right.total()
    evidence = {
        "shared": dict(sorted(shared.items())),
        "n_shared": n_shared,
        "n_answer": n_answer,
        "n_reference": n_reference,
    }
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
    """Whether the answer contains the reference, or nearly: fuzzy ratio ≥ `threshold` (0-100).

    1.0 or 0.0; best over the references; an empty reference: undefined. Containment is by whole
    words: "5" is not in "15". The default scorer compares the shorter of the two texts with the
    stretch of whole words of the longer one that resembles it most (in steps, when it is long), as
    rapidfuzz's `partial_ratio` does with characters. A shorter text of stop words alone resembles
    nothing, and one whose numbers are not in the longer text is no near match: a digit is no
    misprint. The other scorers are rapidfuzz's on the two whole texts. The ratio is evidence.
    Source: seed 000, "Fuzzy Match".

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
        ratio, matched, strange = 100.0, right, []
    elif scorer == "partial_ratio":
        shorter, longer = sorted((right, left), key=len)
        ratio, matched = _best_window(longer, shorter) if _says_something(shorter) else (0.0, "")
        strange = sorted(_numbers(shorter) - _numbers(longer))
    else:
        ratio, matched, strange = WHOLE_SCORERS[scorer](right, left), left, []
    evidence = {
        "contained": contained,
        "ratio": ratio,
        "matched": excerpt(matched),
        "numbers_that_differ": strange,
    }
    return Score(contained or (ratio >= threshold and not strange), evidence=evidence)


def _says_something(text: str) -> bool:
    """Whether the text has a word that is no stop word."""
    return any(word not in NLTK_ENGLISH for word in WORD.findall(text))


def _numbers(text: str) -> set[str]:
    return {number.replace(",", "") for number in NUMBER.findall(text)}


_normalized = normalize
"""The feature function, where a setting of the same name hides it."""


def _first_difference(left: str, right: str) -> int:
    """How many characters the two texts have in common from the start."""
    pairs = enumerate(zip(left, right, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(left), len(right)))


def _counted(words: list[str], count: str) -> Counter[str]:
    return Counter(set(words) if count == "set" else words)


def _contains_words(text: str, part: str) -> bool:
    """Whether `part` stands in `text` with no word or number cut at its ends."""
    start = text.find(part)
    while start >= 0:
        if _is_edge(text, start) and _is_edge(text, start + len(part)):
            return True
        start = text.find(part, _next_edge(text, start + 1))
    return False


def _next_edge(text: str, at: int) -> int:
    while not _is_edge(text, at):
        at += 1
    return at


def _best_window(text: str, part: str) -> tuple[float, str]:
    """The highest ratio of `part` with a stretch of whole words of `text`, and that stretch.

    The best stretch of characters is widened or narrowed to whole words.
    """
    if len(text) <= len(part):
        return fuzz.ratio(part, text), text
    start, end = _best_stretch(text, part)
    starts = {_edge(text, start, -1), _edge(text, start, 1)}
    ends = {_edge(text, end, -1), _edge(text, end, 1)}
    windows = [text[start:end].strip() for start in starts for end in ends if start < end]
    windows += [window.strip(PUNCTUATION) for window in windows]
    return max(((fuzz.ratio(part, window), window) for window in windows), default=(0.0, ""))


def _best_stretch(text: str, part: str) -> tuple[int, int]:
    """Where the stretch of characters that resembles `part` most starts and ends in `text`."""
    if len(part) > LONG_REFERENCE:
        return _best_stretch_by_steps(text, part)
    found = fuzz.partial_ratio_alignment(part, text)
    return (found.dest_start, found.dest_end) if found else (0, 0)


def _best_stretch_by_steps(text: str, part: str) -> tuple[int, int]:
    """The same for a long part, whose ratio falls off slowly to both sides of the best place.

    rapidfuzz tries every place, which takes seconds here. This tries one in every sixteenth of the
    length, then halves the step around the best, down to 1/512 of the length.
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
    """The nearest edge of a word from `at` in one direction, `at` itself if it is one."""
    for _ in range(MAX_WORD_LENGTH):
        if _is_edge(text, at):
            return at
        at += step
    return at


def _is_edge(text: str, at: int) -> bool:
    """Whether no word or number goes on across this place; CJK characters stand alone."""
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
