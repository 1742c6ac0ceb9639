"""Where an answer says that it does not answer, and where it answers after all.

An answer refuses if it opens with a refusal and does not go on to answer, or if it closes with one. "The document does not
give the total, but the parts add up to $5" answers; "The document lists the parts. The total cannot be determined" refuses.
Figures that are quoted before a conclusion ("Therefore, we cannot answer") or made up after a refusal ("Suppose revenue was
$5") do not answer. A gap ("Flood is not among them") refuses only where no sentence answers. How refusals are worded is in
`refusals.toml`, the parts that sentences play in `sentences`, and what a question adds in `asked`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ragauge.language.reading_cache import ReadingCache
from ragauge.language.refusals.asked import (
    Asked,
    answers_beside,
    asked_by,
    says_nothing_else,
    what_is_lacked,
)
from ragauge.language.refusals.polarity import plays, role
from ragauge.language.refusals.sentences import Sentence, read_sentences

MAX_QUESTION = 10_000
"""Characters of a question that are read."""
EMPTY, NO_ANSWER = "empty answer", "no answer"
"""The kinds of a blank answer, and of one that is a word or sign for "none"."""
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
    elsewhere. A gap ("the price is not shown") refuses only where no sentence
    answers; with the question, what it asks for counts (see `asked`). Quotations do not count. A blank answer refuses, by the rule "empty answer".

    >>> [match.words for match in find_refusals("Sorry, the report does not give the fee.")]
    ['report does not give']
    >>> [match.decides for match in find_refusals("The report does not give the fee, but it was $5.")]
    [False]
    """
    return _kept(answer, question)


def _read(answer: str, question: str | None) -> tuple[RefusalMatch, ...]:
    whole_answer = _whole_answer(answer)
    if whole_answer is not None:
        return (whole_answer,)
    text = _QUOTED.sub(_blank, answer.replace("’", "'").replace("ʼ", "'"))
    parts = [(0, text)]
    if len(text) > 2 * READ_AT_EACH_END:  # a refusal would be at one of the ends
        last = len(text) - READ_AT_EACH_END
        parts = [(0, text[:READ_AT_EACH_END]), (last, text[last:])]
    sentences = tuple(
        sentence
        for offset, part in parts
        for sentence in read_sentences(part, offset, with_question=bool(question))
    )
    asked = asked_by(question[:MAX_QUESTION]) if question else None
    matches: tuple[RefusalMatch, ...] = ()
    if any(sentence.found for sentence in sentences):
        matches = tuple(_judged(answer, sentences, asked))
    if asked is None or any(match.decides for match in matches):
        return matches
    if (lack := what_is_lacked(sentences, asked)) is not None:
        index, kind = lack
    elif (refusing := says_nothing_else(sentences, asked)) is not None:
        index, kind = refusing, "says nothing else"
    else:
        return matches
    words, start = _text_of(sentences[index], answer), sentences[index].start
    end = start + len(words)
    place: Place = "for the question"
    return (*matches, RefusalMatch(kind, words, start, end, sentence=words, place=place))


_kept = ReadingCache(_read)  # several metrics ask whether an answer refuses


def _whole_answer(answer: str) -> RefusalMatch | None:
    """The match if the whole answer or its last line is a refusal by itself: "N/A", "DPO = N/A"."""
    stripped = answer.strip()
    if not stripped:
        return RefusalMatch(EMPTY, "", 0, 0, place="whole answer")
    start, end = answer.index(stripped), len(answer.rstrip())
    # Nothing longer can match, and the pattern is slow on a long run of dots.
    if len(stripped) <= 60 and role("no_answer").fullmatch(stripped):
        return RefusalMatch(
            NO_ANSWER, stripped, start, end, sentence=stripped, place="whole answer"
        )
    start = answer.rfind("\n", 0, end) + 1
    if end - start <= 120 and role("no_result").fullmatch(answer, start, end):
        words = answer[start:end]
        return RefusalMatch(NO_ANSWER, words, start, end, sentence=words, place="last line")
    return None


def _blank(quoted: re.Match[str]) -> str:
    """The quotation with its words masked, at the same length; what stands for a value stays."""
    if _NO_VALUE.fullmatch(quoted[0]):
        return quoted[0].replace('"', " ")
    return re.sub(r"\w", "_", quoted[0])


def _judged(
    answer: str, sentences: Sequence[Sentence], asked: Asked | None
) -> Iterator[RefusalMatch]:
    """All refusals found, whether each decides, and if not, what overrules it."""
    supposed = _supposed(sentences)
    overruled_by = _overruled_by(sentences, supposed)
    deciding, place = _deciding(sentences, overruled_by, supposed)
    if asked is not None and deciding is not None and answers_beside(sentences, deciding, asked):
        deciding = None
    for index, sentence in enumerate(sentences):
        decides = index == deciding
        by = overruled_by[index]
        for found in sentence.own:
            start, end = sentence.start + found.start, sentence.start + found.end
            yield RefusalMatch(
                found.rule.kind,
                answer[start:end],
                start,
                end,
                decides=decides,
                overruled_by=None if decides or by is None else _text_of(by, answer),
                sentence=_text_of(sentence, answer),
                place=place if decides else None,
            )


def _text_of(sentence: Sentence, answer: str) -> str:
    """The sentence as the answer has it, with its quotations."""
    return answer[sentence.start : sentence.start + len(sentence.text)]


def _supposed(sentences: Sequence[Sentence]) -> list[bool]:
    """Whether each sentence is part of a made-up example, which lasts until a return to facts."""
    supposing = refused = False
    supposed: list[bool] = []
    for sentence in sentences:
        if refused and not sentence.refuses and sentence.supposes:
            supposing = True
        elif supposing and plays("back_to_facts", sentence.text):
            supposing = False
        supposed.append(supposing)
        refused = refused or sentence.refuses or bool(sentence.gaps)
    return supposed


def _overruled_by(sentences: Sequence[Sentence], supposed: Sequence[bool]) -> list[Sentence | None]:
    """For each sentence, the first sentence from there on that answers."""
    nearest: Sentence | None = None
    overruled_by: list[Sentence | None] = []
    for index in reversed(range(len(sentences))):
        # "The excerpt only has figures for 2019: $5 million."
        lists_else = (
            index > 0 and sentences[index - 1].text.endswith(":") and sentences[index - 1].own
        )
        if sentences[index].answers and not (supposed[index] or lists_else):
            nearest = sentences[index]
        overruled_by.append(nearest)
    return overruled_by[::-1]


def _deciding(
    sentences: Sequence[Sentence], overruled_by: Sequence[Sentence | None], supposed: Sequence[bool]
) -> tuple[int | None, Place]:
    """The index of the sentence by which the answer refuses, None if it does not, and its place."""
    opening = next((i for i, each in enumerate(sentences) if not each.is_idle), None)
    opens = opening is not None and sentences[opening].opens
    if opening is not None and opens and overruled_by[opening] is None:
        return opening, "opening"
    closing = _closing(sentences, overruled_by, supposed)
    if closing is not None and (
        opens or not _has_answered(sentences[:closing], sentences[closing])
    ):
        return closing, "close"
    if not _only_accompany(sentences, supposed):
        return None, "whole answer"
    certain = next((i for i, each in enumerate(sentences) if each.certain), None)
    if certain is not None and (opening is None or overruled_by[certain] is None):
        return certain, "whole answer"
    return _gap(sentences), "whole answer"


def _closing(
    sentences: Sequence[Sentence], overruled_by: Sequence[Sentence | None], supposed: Sequence[bool]
) -> int | None:
    """The index of the last closing refusal with only idle sentences after it."""
    only_idle = True
    for index in reversed(range(len(sentences))):
        sentence = sentences[index]
        if overruled_by[index] is not None:
            return None
        concludes = sentence.concludes and any(each.rule.closes for each in sentence.certain)
        if sentence.closes and (only_idle or concludes):
            return index
        if not (
            sentence.certain or sentence.is_idle or sentence.describes_source or supposed[index]
        ):
            only_idle = False
    return None


def _has_answered(before: Sequence[Sentence], closing: Sentence) -> bool:
    """Whether the sentences before the closing refusal answer, so that it is only a caveat; figures by themselves are inputs."""
    return closing.is_caveat or any(each.states_a_conclusion for each in before)


def _only_accompany(sentences: Sequence[Sentence], supposed: Sequence[bool]) -> bool:
    """Whether no sentence answers; after a colon, words without a number are a list of topics."""
    after_colon = False
    for each, is_supposed in zip(sentences, supposed, strict=True):
        is_topic = after_colon and not each.own and not any(map(str.isdigit, each.text))
        if not (is_supposed or each.accompanies or is_topic):
            return False
        after_colon = each.text.endswith(":")
    return True


def _gap(sentences: Sequence[Sentence]) -> int | None:
    """The index of the first gap, if the source that it needs is named."""
    sources = [index for index, each in enumerate(sentences) if each.speaks_of_source]
    for index, each in enumerate(sentences):
        for gap in each.gaps:
            if (
                gap.rule.counts != "beside a source"
                or any(at != index for at in sources)
                or each.names_source_beside(gap)
            ):
                return index
    return None


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
