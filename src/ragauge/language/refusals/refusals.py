"""Refusals in answers: where an answer says that it does not answer, and where it answers after all.

An answer refuses if it opens with a refusal and does not go on to answer, or if it closes with one.
"The document does not give the total, but the parts add up to $5" answers; "The document lists the
parts. The total cannot be determined" refuses. "The document is on fees, but does not give the total"
refuses too, while "The total is $5, but the document does not give the parts" answers. Figures that
are quoted before a conclusion ("Therefore, we cannot answer") or made up after a refusal ("Suppose
revenue was $5") do not answer. A gap ("Flood is not among them") refuses only where no sentence
answers. The wording of refusals is in `refusal_rules`, the parts that sentences play in
`refusal_sentences`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ragauge.language.kept_readings import KeptReadings
from ragauge.language.refusals.answered import (
    answered_before,
    answers_the_question,
    explains_an_answer,
    follows_what_is_asked,
    gives_the_other_part,
    is_on_a_further_detail,
    is_on_the_rest,
    points_elsewhere,
    tells_only_something_else,
)
from ragauge.language.refusals.asked import asked_gap
from ragauge.language.refusals.languages import refusal_in_another_language
from ragauge.language.refusals.matching import applicable_rules
from ragauge.language.refusals.no_value import without_a_value
from ragauge.language.refusals.question import Asked, asked_by
from ragauge.language.refusals.reading import read_sentences
from ragauge.language.refusals.rules import EMPTY, LAST_LINE, NO_ANSWER, OTHER_LANGUAGES
from ragauge.language.refusals.sentences import Sentence
from ragauge.language.refusals.structure import lacked
from ragauge.language.refusals.words import Rule
from ragauge.language.text import Span

READ_AT_EACH_END = 100_000
"""Characters; the middle of a longer answer is not read."""

UNCERTAINTY_PHRASES = (
    "i don't know",
    "i do not know",
    "unknown",
    "not sure",
    "cannot determine",
    "no information",
    "insufficient data",
    "unable to answer",
    "cannot answer",
    "don't have enough information",
    "not available",
    "no data",
)
SHORT_ANSWERS = ("unknown", "n/a", "none", "null")
"""The phrases and short answers of the suite graphrag."""

_QUOTED = re.compile(
    r"\"[^\"\n]{1,200}\"|“[^”\n]{1,200}”|`[^`\n]{1,200}`"
    r"|‘[^‘\n]{1,200}?'(?!\w)|(?<!\w)'(?=\w)(?:[^'\n]|(?<=\w)'(?=\w)){1,200}'(?!\w)"
)
"""Single marks count around words; the mark inside `don't` ends nothing."""


_NO_VALUE = re.compile(
    r"\W*(?:to be (?:announced|determined|confirmed|defined)|tb[acd]|not (?:available|disclosed|applicable|specified)|n/a"
    r"|confidential|redacted)\W*",
    re.IGNORECASE,
)

Place = Literal["whole answer", "opening", "close", "last line", "for the question"]
"""Where an answer refuses, or that it does not give what the question asks for."""


@dataclass(frozen=True, slots=True)
class RefusalMatch:
    """Words of the answer that match a refusal rule, with their offsets.

    `decides` is False if the refusal is only in passing, or if the answer goes on to answer;
    `overruled_by` is then the sentence that does. `sentence` is the one with the words. `place` is where
    a refusal that decides is in the answer.
    """

    rule: str
    words: str
    start: int
    end: int
    decides: bool = True
    overruled_by: str | None = None
    sentence: str = ""
    place: Place | None = None


def find_refusals(answer: str, question: str | None = None) -> tuple[RefusalMatch, ...]:
    """The refusals in the answer; the answer refuses if any of them has `decides`.

    A refusal can be the whole answer ("N/A"), its opening (after apologies, headings and what would
    be needed) or its close. A later sentence or clause overrules it if it contrasts ("However, ..."),
    concludes ("Therefore, ...") or states a result, and neither refuses again nor refers the reader
    elsewhere. A gap ("the price is not shown", see `refusal_gap_rules`) refuses only where no sentence
    answers; with the question, what it asks for counts (see `refusal_asked`). Quotations do not count. A blank answer refuses, by the rule "empty answer".

    >>> [match.words for match in find_refusals("Sorry, the report does not give the fee.")]
    ['report does not give']
    >>> [match.decides for match in find_refusals("The report does not give the fee, but it was $5.")]
    [False]
    """
    return _kept(answer, question)


def _read(answer: str, question: str | None) -> tuple[RefusalMatch, ...]:
    whole_answer = _whole_answer(answer, question)
    if whole_answer is not None:
        return (whole_answer,)
    text = answer.replace("’", "'").replace("ʼ", "'")
    asked = asked_by(question) if question else None
    rules = applicable_rules(text, with_question=asked is not None)
    if not rules and asked is None:
        return ()
    without_quotes = _QUOTED.sub(_blank, text)
    sentences = tuple(
        sentence
        for offset, part in _read_parts(without_quotes)
        for sentence in read_sentences(part, offset, rules)
    )
    matches: tuple[RefusalMatch, ...] = ()
    if any(sentence.found or sentence.if_asked for sentence in sentences):
        matches = tuple(_judged(answer, sentences, asked))
    if asked is None or any(match.decides for match in matches):
        return matches
    return (*matches, *_without_a_value(answer, sentences, asked))


_kept = KeptReadings(_read)  # several metrics ask whether an answer refuses


def _without_a_value(
    answer: str, sentences: Sequence[Sentence], asked: Asked
) -> Iterator[RefusalMatch]:
    """Advice or a method that is given instead of the value that the question asks for."""
    found = without_a_value(sentences, asked) or lacked(sentences, asked)
    if found is not None:
        index, rule = found
        text = _text_of(sentences[index], answer)
        start = sentences[index].start
        yield RefusalMatch(
            rule, text, start, start + len(text), sentence=text, place="for the question"
        )


def _whole_answer(answer: str, question: str | None) -> RefusalMatch | None:
    """The match if the whole answer or its last line is a refusal by itself."""
    stripped = answer.strip()
    if not stripped:
        return RefusalMatch(EMPTY, "", 0, 0, place="whole answer")
    # Nothing longer can match, and the pattern is slow on a long run of dots.
    if len(stripped) <= 60 and NO_ANSWER.words.fullmatch(stripped):
        start = answer.index(stripped)
        return _by_itself(NO_ANSWER, answer, (start, start + len(stripped)), "whole answer")
    foreign = OTHER_LANGUAGES.words.match(answer)
    if foreign is not None:
        return _by_itself(OTHER_LANGUAGES, answer, foreign.span(), "opening")
    in_another = refusal_in_another_language(answer, question)
    if in_another is not None:
        return _by_itself(OTHER_LANGUAGES, answer, in_another, "whole answer")
    end = len(answer.rstrip())
    start = answer.rfind("\n", 0, end) + 1
    # A longer last line is not a label and a word.
    if end - start <= 120 and LAST_LINE.words.fullmatch(answer, start, end):
        return _by_itself(LAST_LINE, answer, (start, end), "last line")
    return None


def _by_itself(rule: Rule, answer: str, span: Span, place: Place) -> RefusalMatch:
    words = answer[span[0] : span[1]]
    return RefusalMatch(rule.name, words, *span, sentence=words, place=place)


def _blank(quoted: re.Match[str]) -> str:
    """The quotation with its words masked, at the same length; what stands for a value stays."""
    if _NO_VALUE.fullmatch(quoted[0]):
        return quoted[0].replace('"', " ")
    return re.sub(r"\w", "_", quoted[0])


def _read_parts(text: str) -> Iterator[tuple[int, str]]:
    """The text; of a very long one, its two ends, where a refusal would be."""
    if len(text) <= 2 * READ_AT_EACH_END:
        yield 0, text
        return
    yield 0, text[:READ_AT_EACH_END]
    yield len(text) - READ_AT_EACH_END, text[-READ_AT_EACH_END:]


def _judged(
    answer: str, sentences: Sequence[Sentence], asked: Asked | None
) -> Iterator[RefusalMatch]:
    """All refusals found, whether each decides, and if not, what overrules it."""
    overruled_by = _overruled_by(answer, sentences)
    deciding, place = _deciding(sentences, overruled_by)
    if asked is not None:
        deciding, place = _given_question(sentences, deciding, place, asked)
    for index, sentence in enumerate(sentences):
        decides = index == deciding
        by_question = decides and asked is not None and place == "for the question"
        for found in (sentence.asked_gaps if by_question else ()) or sentence.found:
            yield RefusalMatch(
                found.rule.name,
                answer[found.start : found.end],
                found.start,
                found.end,
                decides=decides,
                overruled_by=None if decides else overruled_by[index],
                sentence=_text_of(sentence, answer),
                place=place if decides else None,
            )


def _given_question(
    sentences: Sequence[Sentence], deciding: int | None, place: Place, asked: Asked
) -> tuple[int | None, Place]:
    """The index of the deciding sentence and its place, now that the question is known."""
    if points_elsewhere(sentences, asked):
        return None, place
    if deciding is None:
        gap = asked_gap(sentences, asked)
        if gap is not None and (
            is_on_a_further_detail(sentences, gap, asked)
            or is_on_the_rest(sentences, gap, asked)
            or gives_the_other_part(sentences, gap, asked)
            or answers_the_question(sentences[gap], asked)
        ):
            gap = None
        if gap is None:
            gap = tells_only_something_else(sentences, asked)
        return gap, "for the question"
    answers = (
        answers_the_question(sentences[deciding], asked)
        or explains_an_answer(sentences, deciding, asked)
        or answered_before(sentences, deciding, asked)
        or is_on_a_further_detail(sentences, deciding, asked)
        or is_on_the_rest(sentences, deciding, asked)
        or gives_the_other_part(sentences, deciding, asked)
        or follows_what_is_asked(sentences, deciding, asked)
    )
    return (None, place) if answers else (deciding, place)


def _text_of(sentence: Sentence, answer: str) -> str:
    """The sentence as the answer has it, with its quotations."""
    return answer[sentence.start : sentence.start + len(sentence.text)]


def _overruled_by(answer: str, sentences: Sequence[Sentence]) -> tuple[str | None, ...]:
    """For each sentence, the first sentence from there on that answers."""
    supposed = _supposed(sentences)
    nearest: str | None = None
    overruled_by: list[str | None] = []
    for index in reversed(range(len(sentences))):
        sentence = sentences[index]
        before = sentences[index - 1] if index else None
        lists_else = before and before.text.endswith(":") and before.tells_something_else
        if not (supposed[index] or lists_else) and sentence.answers:
            nearest = _text_of(sentence, answer)
        overruled_by.append(nearest)
    return tuple(reversed(overruled_by))


def _supposed(sentences: Sequence[Sentence]) -> list[bool]:
    """Whether each sentence is part of a made-up example, which lasts until a return to facts."""
    supposing = refused = False
    supposed: list[bool] = []
    for sentence in sentences:
        if sentence.makes_up or (refused and not sentence.refuses and sentence.supposes):
            supposing = True
        elif supposing and sentence.returns_to_facts:
            supposing = False
        supposed.append(supposing)
        refused = refused or sentence.refuses or bool(sentence.gaps)
    return supposed


def _deciding(
    sentences: Sequence[Sentence], overruled_by: Sequence[str | None]
) -> tuple[int | None, Place]:
    """The index of the sentence by which the answer refuses, None if it does not, and its place."""
    opening = next((i for i, each in enumerate(sentences) if not each.is_preamble), None)
    if opening is not None and sentences[opening].opens and overruled_by[opening] is None:
        return opening, "opening"
    closing = _closing(sentences, overruled_by, _supposed(sentences))
    if closing is not None and (
        (opening is not None and sentences[opening].opens)
        or not _has_answered(sentences[:closing], sentences[closing])
    ):
        return closing, "close"
    certain = next((i for i, each in enumerate(sentences) if each.certain), None)
    if opening is None and certain is not None:
        return certain, "whole answer"
    if certain is not None and overruled_by[certain] is None and _only_accompany(sentences):
        return certain, "whole answer"
    return _gap(sentences), "whole answer"


def _gap(sentences: Sequence[Sentence]) -> int | None:
    """The index of the first gap, if no sentence answers and the source that the gap needs is named."""
    found = [(index, gap) for index, each in enumerate(sentences) for gap in each.gaps]
    if not found or not _only_accompany(sentences):
        return None
    sources = [index for index, each in enumerate(sentences) if each.speaks_of_source]
    for index, gap in found:
        if (
            not gap.rule.near_source
            or sentences[index].names_source_beside(gap)
            or any(at != index for at in sources)
        ):
            return index
    return None


def _only_accompany(sentences: Sequence[Sentence]) -> bool:
    """Whether no sentence answers; after a colon, words without a number are a list of topics.

    In a longer answer, one sentence without a number or name is let through.
    """
    allowed = 1 if len(sentences) > 3 else 0
    after_colon = False
    for each, is_supposed in zip(sentences, _supposed(sentences), strict=True):
        accompanies = (
            is_supposed
            or each.accompanies_gap
            or (after_colon and not each.states_a_number and not each.found)
        )
        if not accompanies and allowed and each.is_vague:
            allowed -= 1
        elif not accompanies:
            return False
        after_colon = each.text.endswith(":")
    return True


def _closing(
    sentences: Sequence[Sentence], overruled_by: Sequence[str | None], supposed: Sequence[bool]
) -> int | None:
    """The index of the last closing refusal with only advice and remarks after it.

    In a longer answer, one sentence without a number or name may follow too.
    """
    only_afterthoughts = True
    allowed = 1 if len(sentences) > 4 else 0
    for index in reversed(range(len(sentences))):
        sentence = sentences[index]
        if overruled_by[index] is not None or (sentence.states_a_figure and not supposed[index]):
            return None
        if sentence.closes and (only_afterthoughts or sentence.closes_for_certain):
            return index
        if not (sentence.is_afterthought or supposed[index]):
            only_afterthoughts = allowed > 0 and sentence.is_vague
            allowed -= 1
    return None


def _has_answered(before: Sequence[Sentence], closing: Sentence) -> bool:
    """Whether the sentences before the closing refusal answer, so that it is only a caveat.

    Before a conclusion, figures are inputs, and only a conclusion answers.
    """
    if closing.makes_up:
        return False
    if closing.is_caveat:
        return True
    if closing.concludes or closing.is_by_speaker:
        return any(sentence.states_a_conclusion for sentence in before)
    return any(sentence.states_a_figure or sentence.states_a_conclusion for sentence in before)


def uncertainty_phrases(answer: str) -> tuple[str, ...]:
    """The phrases of the suite graphrag that mark the answer as "don't know"; () if it is an answer.

    They are substrings of the lower-cased, trimmed answer; the short answers count only if it has
    fewer than 10 characters. Source: the suite graphrag.

    >>> uncertainty_phrases("Sorry, I don't know."), uncertainty_phrases("None.")
    (("i don't know",), ('none',))
    """
    lowered = answer.lower().strip()
    phrases = [phrase for phrase in UNCERTAINTY_PHRASES if phrase in lowered]
    if len(lowered) < 10:
        phrases += [word for word in SHORT_ANSWERS if word in lowered and word not in phrases]
    return tuple(phrases)
