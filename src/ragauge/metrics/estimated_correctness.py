"""Whether people would call an answer correct, estimated without a judge."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import exp

from ragauge.encoders.cached import CachedEncoder
from ragauge.encoders.protocol import LongText
from ragauge.features.correctness import Likeness, NoAnswer
from ragauge.language.reasons import as_data, in_words
from ragauge.language.references.match import ReferenceMatch
from ragauge.language.refusals.refusals import RefusalMatch
from ragauge.language.stems import stem
from ragauge.language.text import excerpt
from ragauge.metric import metric
from ragauge.score import Score
from ragauge.storage.tomlfile import shipped_toml

DIGITS = 6
WORDS_SHOWN = 8
TEXT_SHOWN = 80
SHOWN = 20
"""The most differences in the evidence."""
CONTRADICTED, INCOMPLETE = 0.2, 0.4
"""The most that an answer is worth which contradicts a detail of the reference, or leaves out items of its list."""
MUCH_ELSE = 5
"""Words of the answer that neither question nor reference has."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Two logistic models, for references of up to `short` words and from `long` words.

    Between the two lengths their log-odds are mixed in proportion. Each maps the names of the features
    and "intercept" to weights. `of_reader` is that of the embedded reader, at any length.
    """

    short: float
    long: float
    of_short: Mapping[str, float]
    of_long: Mapping[str, float]
    of_reader: float

    def contributions(self, features: Mapping[str, float], n_words: int) -> dict[str, float]:
        """What each feature adds to the log-odds, and the intercept."""
        share = min(1.0, max(0.0, (n_words - self.short) / (self.long - self.short)))
        added = {
            name: ((1 - share) * self.of_short[name] + share * self.of_long[name]) * value
            for name, value in {**features, "intercept": 1.0}.items()
            if name != "reader"
        }
        return {**added, "reader": self.of_reader * features["reader"]}


@cache
def weights() -> Weights:
    """The weights that benchmarks/train_correct.py wrote."""
    table = shipped_toml("metrics/estimated_correctness.toml")
    words, tables = table["reference_words"], table["weights"]
    lengths = words["short"], words["long"]
    return Weights(*lengths, tables["short"], tables["long"], table["reader"]["weight"])


@metric(version=25)
def correct(
    likenesses: Sequence[tuple[Likeness, ...] | Score] | NoAnswer,
    *,
    encoder: CachedEncoder,
    layer: int | None = None,
    long_text: LongText = "windows",
) -> Score:
    """The probability that people would call the answer correct, given question and reference.

    In [0, 1]; best over the references. If the question has no answer (`answerable` is false, or the
    sample does not say it and all references refuse by `dont_know`), an answer that refuses by
    `dont_know` is right, 1.0, and any other is wrong, 0.0. Otherwise an estimate without a judge, by a logistic model of nine
    features: how far the answer states the words of the reference that the question lacks, in letters,
    numbers and meaning; BERTScore recall; how much else it says; whether it contradicts a number, a
    date, or a yes or no; whether it refuses; its length; and, for references of more than four words, the log-odds of the
    embedded reader (a model trained to say whether one text says what another says) that the reference says what the answer says.

    A detail that contradicts the reference decides whatever the words share: the value is at most 0.2, and the estimate a
    fifth. Details are amounts with their unit, currency, period, bounds and what they count, dates, codes and versions, names, negations, opposites,
    only and all, the sides of a comparison or a deed, and the items of a list, in English, German, French, Spanish and Chinese.
    An answer that lists only some of the reference's items gets at most 0.4. One that contradicts nothing and begins with the yes or no of
    the reference, says the one of two opposites that a question names ("before or after"), or is the facts that the reference adds to the question and no
    more, counts as stating all of its words. The evidence has the features, what each
    adds to the log-odds, the differences with their spans in answer and reference, and a sentence that says why. The model knows the reference only: an answer
    that is right in unrelated words gets a low value.

    A reference such as "George Orwell/Eric Blair" lists names, of which one is enough. A blank answer
    scores 0, unless the question has no answer. Undefined if the reference has no words; failed if the encoder gives no token embeddings,
    or a text has more than 16,384 tokens.
    The mean of a run estimates the share of correct answers. `layer` and `long_text` as in `bertscore`.
    With another encoder or layer than the default the values rank answers, but are no probabilities.

    Source: ours; weights fitted on people's judgements of 15,000 answers (EVOUNA-NQ, Wang et al. 2023,
    Apache-2.0) by benchmarks/train_correct.py; docs/agreement.md compares it with people.

    >>> import ragauge as rg
    >>> asked = {"question": "Who wrote Emma?", "reference": "Jane Austen"}
    >>> rg.score("correct", answer="It is by Jane Austen.", **asked).value > 0.9
    True
    >>> score = rg.score("correct", answer="It is by Mary Shelley.", **asked)
    >>> score.value < 0.5, score.evidence["why"]
    (True, "lacks 'Jane' and 'Austen'")
    """
    if isinstance(likenesses, NoAnswer):
        return without_answer(likenesses.refusal)
    found = _best(likenesses)
    if isinstance(found, Score):
        return found
    value, place, best = found
    added = weights().contributions(best.features, best.match.n_words)
    evidence: dict[str, object] = {
        "reference": excerpt(best.wording),
        "why": why(best, value),
        "features": {name: round(value, DIGITS) for name, value in best.features.items()},
        "contributions": {name: round(value, DIGITS) for name, value in added.items()},
        "differences": [
            as_data(difference, "reference") for difference in best.match.differences[:SHOWN]
        ],
    }
    if len(likenesses) > 1:
        evidence["best_reference"] = place
    return Score(value, evidence=evidence)


def without_answer(refusal: RefusalMatch | None) -> Score:
    """The score of an answer to a question that has no answer."""
    words = "" if refusal is None else _shown(refusal.words)
    said = "answers" if refusal is None else f"refuses ({words!r})" if words else "is blank"
    is_right = refusal is not None
    why = f"{said}, and the question has no answer: {'right' if is_right else 'wrong'}"
    return Score(is_right, evidence={"answerable": False, "why": why})


def _best(compared: Sequence[tuple[Likeness, ...] | Score]) -> tuple[float, int, Likeness] | Score:
    """The highest value, its reference's place and likeness; a Score if no reference gave a value.

    A reference that failed might have been the best, so its score stands for all.
    """
    lost = [each for each in compared if isinstance(each, Score)]
    lost.sort(key=lambda score: not score.is_lost)
    if len(lost) == len(compared) or (lost and lost[0].is_lost):
        return lost[0]
    best = [
        (_value(likeness), place, likeness)
        for place, each in enumerate(compared)
        if not isinstance(each, Score)
        for likeness in [max(each, key=_value)]
    ]
    return max(best, key=lambda each: (each[0], -each[1]))


def _value(likeness: Likeness) -> float:
    """0 for a blank answer; a share of the estimate where a detail differs."""
    if not likeness.match.n_answer_words:
        return 0.0
    kinds = {difference.kind for difference in likeness.match.differences}
    most = 1.0 if not kinds else INCOMPLETE if kinds == {"left out"} else CONTRADICTED
    return most / (1 + exp(-_log_odds(likeness)))


def _log_odds(likeness: Likeness) -> float:
    return sum(weights().contributions(likeness.features, likeness.match.n_words).values())


def why(likeness: Likeness, value: float) -> str:
    """One sentence on what the answer states of the reference, what it lacks and what it contradicts.

    `value`: the score; where it goes against what was said, the sentence ends with what outweighs that.
    """
    match = likeness.match
    if match.n_answer_words == 0:
        return "the answer is blank"
    parts: list[str] = []
    if likeness.refusal is not None:
        parts.append(f"refuses: {_shown(likeness.refusal.words)!r}")
    parts += [
        in_words(difference, "the reference") for difference in match.differences[:WORDS_SHOWN]
    ]
    if match.contradiction is not None and not match.differences:
        ours, theirs = map(_shown, match.contradiction)
        parts.append(f"states {ours} where the reference has {theirs}")
    if not (match.is_contained or match.agreed):
        parts += [
            f"states {_shown(number.number)} as {_shown(number.matched_by)}"
            for number in match.numbers.matched[:WORDS_SHOWN]
            if not _is_written_alike(number.number, number.matched_by)
            and not any(
                each.expected and number.number in each.expected.text for each in match.differences
            )
        ]
    return "; ".join((*parts, *_of_words(match, likeness.wording), *_outweighed(likeness, value)))


def _shown(text: str) -> str:
    return excerpt(" ".join(text.split()), TEXT_SHOWN)


def _is_written_alike(number: str, matched_by: str) -> bool:
    """Whether only signs around the digits differ, as in `0.01$` and `$0.01`, or it is the year of a date."""
    one, other = (_plain(text) for text in (number, matched_by))
    return one == other or (one.isdigit() and other.endswith(one) and other[:1].isalpha())


def _plain(text: str) -> str:
    """The letters and digits, without zeros that only fill decimals: `9` of `9.0 %`."""
    return (
        re.sub(r"[^\w.]", "", re.sub(r"(\.\d*?)0+(?!\d)", r"\1", text)).rstrip(".").replace(".", "")
    )


def _outweighed(likeness: Likeness, value: float) -> list[str]:
    """What speaks against the rest of the sentence."""
    states = likeness.features["new_words"]
    match = likeness.match
    if match.differences:
        return []
    if value >= 0.5 and (states < 0.5 or match.contradiction or likeness.refusal):
        return ["is otherwise close to the reference"]
    if value < 0.5 <= states and not (match.contradiction or likeness.refusal):
        if match.n_new - match.n_new_shared >= MUCH_ELSE and likeness.features["shared"] < 0.5:
            return ["says much else"]
        return ["is otherwise unlike the reference"] if states == 1 else []
    return []


def _of_words(match: ReferenceMatch, wording: str) -> list[str]:
    wanted = match.wanted
    has_new = any(word.is_new for word in wanted)
    words = f"words {'that the reference adds to the question' if has_new else 'of the reference'}"
    if match.is_contained:
        return ["contains the reference word for word"]
    if match.agreed in ("yes", "no"):
        return [f"says {match.agreed}, as the reference does"]
    if match.agreed:
        return [f"states what the reference adds to the question: {_shown(match.agreed)}"]
    if match.is_in_other_words:
        is_name = match.words[0].how != "meaning"
        of_what = "the name of the reference in other letters" if is_name else match.words[0].text
        return [f"says {of_what}{'' if is_name else ' in other words'}"]
    if wanted and all(word.how in ("denied", "other") for word in wanted):
        return []
    if match.is_in_numbers:
        in_form = any(
            not _is_written_alike(number.number, number.matched_by)
            for number in match.numbers.matched
        )
        return [] if in_form else ["states the number of the reference in another form"]
    if not any(word.credit < 1 for word in wanted):
        return [f"states all {words}"]
    missing = _missing(match, wording)
    n = len({word.text for word in wanted})
    n_missing = len({word.text for word in wanted if word.credit < 1})
    contradicted = match.contradiction[1].lower() if match.contradiction else ""
    shown = [text for text in missing if text.lower() not in (contradicted, "yes", "no")]
    if not shown and match.contradiction:
        return []
    if not shown:
        return [f"does not say {missing[0].lower()}"]
    named = _listed([repr(text) for text in shown[:WORDS_SHOWN]], len(shown))
    if n_missing == n:
        return [f"lacks {named}"]
    return [f"states {n - n_missing} of the {n} {words}; lacks {named}"]


def _missing(match: ReferenceMatch, wording: str) -> list[str]:
    """The words of the reference that the answer lacks, each once, numbers with their signs and units."""
    numbers: dict[int, str] = {}
    end = 0
    for (
        number
    ) in match.numbers.unmatched:  # in the order of the text, so each is sought after the last
        at = wording.find(number.number, end)
        if at >= 0:
            end = at + 1
            text = _shown(number.number)
            for place in range(at, at + len(number.number)):
                numbers.setdefault(place, text)
    missing: dict[str, str] = {}
    for word in match.wanted:
        if word.credit < 1:
            whole = numbers.get(word.start)
            text = whole or wording[word.start : word.end]
            missing.setdefault(whole or stem(word.text), text)
    return [*missing.values()]


def _listed(words: Sequence[str], n: int) -> str:
    """The words as a list with "and", and how many more there are."""
    more = [f"{n - len(words)} more"] if n > len(words) else []
    *most, last = (*words, *more)
    return f"{', '.join(most)} and {last}" if most else last
