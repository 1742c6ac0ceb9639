"""What the question asks for, against what the answer says is missing.

"The vitamins are cut off" refuses if the question asks for vitamins and no sentence gives them: before
it, a sentence with a number or name gives them only if it speaks of all that the refusal speaks of
("Sugar and fat are 9 g and 1 g; the vitamins are cut off"); after it, any number or name counts. Yes-no
questions, and questions about what is missing, are left to the other rules.
"""

import re
from collections.abc import Sequence
from functools import cached_property, lru_cache

from ragauge.language.refusals.question import Asked
from ragauge.language.refusals.sentences import Sentence
from ragauge.language.refusals.words import GIVEN, HELD, SAID, TELLS, TOLD, pattern
from ragauge.language.stems import stemmed
from ragauge.language.word_beginnings import first_letters, may_match

_SAYS_WHY = pattern(
    r"\b(?:because|since|due to|owing to|caused|led to|so that|in order|for|over|after|from|result\w*|reasons?|driven|thanks to|to [a-z]+)\b"
)
_NUMBER_IN_WORDS = pattern(
    r"\b(?:one(?! (?:would|could|can|should|must|may|of|has|needs?)\b)|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|zero|none|nobody|half|twice|once (?:an?|per|every)|dozens?|daily|weekly"
    r"|monthly|hourly|annually|hundreds?|thousands?|millions?|unlimited|doubled|halved|tripled|(?:no|without) (?:[a-z]+ )?(?:limits?|maximum)"
    r")\b"
)
_NUMBER_WORDS = first_letters(
    "one two three four five six seven eight nine ten eleven twelve zero none nobody half twice once dozen daily weekly monthly"
    " hourly annually hundred thousand million unlimited doubled halved tripled no without"
)
_MONTH = pattern(
    r"\b(?:january|february|april|june|july|august|september|october|november|december)\b"
)
_TOLD = pattern(
    rf"\b(?:{GIVEN}|{TOLD}|{HELD}|{SAID}|{TELLS}|mentioned|credited|known|there|here|yes|has|have)\b"
)
_PRICE = frozenset(("price", "cost"))
"""What costs $9 has a price."""
_SAME_BEGINNING = 5
"""Letters; words of one family begin with the same."""
_SHORT_ANSWER = 6
"""Words of an answer that needs no sentence: "6 months.", "Deloitte."."""
_SHORT = re.compile(
    r"\W*(?:(?:[Aa]bout|[Aa]round|[Aa]pproximately|[Rr]oughly|[Oo]ver|[Nn]early|[Ii]n|[Oo]n|[Bb]y) )?(?:(?:USD|EUR|GBP) ?)?[$€£]?-?\d"
    r"|\W*(?:[Tt]he|[Aa]n?) \w+\W*\Z|\W*[A-Z][\w'-]*(?: [A-Z][\w'-]*){0,3}\W*\Z"
)
"""It starts with a number, or is a name or a noun: "About 12 m.", "The buyer.", "Anna Lind."."""
_INTERJECTION = re.compile(
    r"\W*(?:h+m+|well|okay?|ah|oh|sure|sorry|hello|hi|alas|right|u[hm]+)\b", re.IGNORECASE
)
_YEAR = re.compile(r"(?:fy)?(?:19|20)\d\d\Z", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w.\[])(?!(?:10-?[KQ]|8-?K|20-?F|14A|13[DFG])\b)[$€£]?-?\d[\d,.]*\d*%?")
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]+")
MAX_COMPARED = 10_000
"""Characters of a question in which an answer's numbers and names are looked for, each by itself."""


_READ_AT_EACH_END = 100
"""Sentences of a longer answer that are read, since each that refuses is compared with all others."""


class _Answer:
    """The sentences of an answer, and what is looked up in all of them once."""

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        self.sentences = sentences

    @cached_property
    def names_a_source(self) -> bool:
        return any(each.speaks_of_source for each in self.sentences)

    def has_gap(self, sentence: Sentence) -> bool:
        """Whether it says that something is missing; most such words need a source that is named somewhere."""
        gaps = (*sentence.gaps, *sentence.asked_gaps)
        if any(not (gap.rule.near_source or gap.rule.asked) for gap in gaps):
            return True
        return bool(gaps) and self.names_a_source


def asked_gap(sentences: Sequence[Sentence], asked: Asked) -> int | None:
    """The index of the sentence that says that what is asked for is missing, if no sentence gives it."""
    left_out = len(sentences) - 2 * _READ_AT_EACH_END
    if left_out <= 0:
        return _asked_gap(sentences, asked)
    ends = (*sentences[:_READ_AT_EACH_END], *sentences[-_READ_AT_EACH_END:])
    index = _asked_gap(ends, asked)
    return index if index is None or index < _READ_AT_EACH_END else index + left_out


def _asked_gap(sentences: Sequence[Sentence], asked: Asked) -> int | None:
    if not asked.wants_value or _gives_a_part(sentences, asked):
        return None
    if len(sentences) > 1 and is_a_short_answer(sentences[0], asked):
        return None
    answer = _Answer(sentences)
    for index, sentence in enumerate(sentences):
        if (sentence.refuses_something or answer.has_gap(sentence)) and _refuses_one_thing(
            sentences, index, asked
        ):
            return index
        if sentence.refuses_something and _refuses_the_kind(sentences, index, asked):
            return index
        if not sentence.asked_gaps:
            continue
        label = index - (index > 0 and sentences[index - 1].text.endswith(":"))
        contrasts = _contrasts(sentences, index)
        named = _named(sentence, asked) | _named(sentences[label], asked)
        if _asks_again(sentence, asked):
            named |= asked.thing
        others = [
            (at < index, each)
            for at, each in enumerate(sentences)
            if at not in (label, index) and not (contrasts and at == index - 1)
        ]
        if (named or contrasts) and not _is_given(others, named, asked):
            return index
    return _gap_without_number(answer, asked)


def _gives_a_part(sentences: Sequence[Sentence], asked: Asked) -> bool:
    """Whether a sentence gives a value where the question asks two things, so that the rest may stay open."""
    return asked.is_compound and any(
        (_has_value(each, asked) or each.states_a_conclusion)
        and not (each.found or each.prepares or each.advises or each.speaks_of_source)
        for each in sentences
    )


def _asks_again(sentence: Sentence, asked: Asked) -> bool:
    """Whether the sentence asks what the question asks: "How many came is not reported"."""
    lowered = sentence.text.lower()
    return any(
        words in lowered[: each.start - sentence.start]
        for words in asked.phrases
        for each in sentence.asked_gaps
    )


def _gap_without_number(answer: _Answer, asked: Asked) -> int | None:
    """The index of the first gap, if the question wants a number or a time and no sentence has one."""
    if not asked.wants_number and "date" not in asked.kind:
        return None
    if any(
        each.answers_yes_or_no
        or each.answers
        or (not (each.tells_something_else or each.prepares) and has_value_for(each, asked))
        for each in answer.sentences
    ):
        return None
    gaps = (
        index for index, each in enumerate(answer.sentences) if each.gaps or each.refuses_something
    )
    return next(gaps, None)


def _refuses_one_thing(sentences: Sequence[Sentence], index: int, asked: Asked) -> bool:
    """Whether a plain refusal names a part of the question, and no sentence with that part gives a value.

    "Dates are listed for the EU (2014). There is no entry for Japan." refuses if the question is on Japan.
    """
    label = index - (index > 0 and sentences[index - 1].text.endswith(":"))
    ours = _stems(sentences[index].text) | _stems(sentences[label].text)
    if sentences[index].refuses_something:
        named = (ours & asked.content) or _akin(ours, asked.content)
    else:
        named = ours & asked.specific
    if not named:
        return False
    before = (each for each in sentences[:label] if not each.certain)
    return not any(
        each.answers_yes_or_no
        or each.states_a_conclusion
        or (named <= _stems(each.text) and _has_value(each, asked) and not each.prepares)
        for each in before
    ) and not any(
        each.answers_yes_or_no or each.answers or _gives_after(each, asked)
        for each in sentences[index + 1 :]
        if not each.certain
    )


def _akin(stems: frozenset[str], asked: frozenset[str]) -> frozenset[str]:
    """The asked stems that begin like one of these: a "successor" is one who "succeeded"."""
    beginnings = {stem[:_SAME_BEGINNING] for stem in stems if len(stem) >= _SAME_BEGINNING}
    return frozenset(stem for stem in asked if stem[:_SAME_BEGINNING] in beginnings)


def is_a_short_answer(sentence: Sentence, asked: Asked) -> bool:
    """Whether it is a value and little else: "6 months." before "I have no information on extended ones"."""
    if sentence.found or sentence.is_preamble or sentence.text.endswith((":", "?")):
        return False
    if len(sentence.text.split()) > _SHORT_ANSWER or _INTERJECTION.match(sentence.text):
        return False
    return _SHORT.match(sentence.text) is not None


def _refuses_the_kind(sentences: Sequence[Sentence], index: int, asked: Asked) -> bool:
    """Whether the kind of thing is missing that the question asks for, and no sentence has one.

    "It doesn't give reasons" refuses a question with "why", unless another sentence says why.
    """
    lowered = sentences[index].text.lower()
    if _stems(lowered).isdisjoint(asked.kind) and not any(
        re.search(rf"\b{words}\b", lowered) for words in asked.phrases
    ):
        return False
    others = [each for at, each in enumerate(sentences) if at != index]
    if any(each.answers_yes_or_no or each.answers or each.states_a_conclusion for each in others):
        return False
    if "why" in asked.phrases:
        return not any(_SAYS_WHY.search(each.text) for each in others)
    if asked.phrases[0].startswith("who"):
        return not any(_has_name(each, asked) for each in others)
    return not any(has_value_for(each, asked) for each in others)


def _named(sentence: Sentence, asked: Asked) -> frozenset[str]:
    """The stems with which the sentence names what is asked for."""
    return _stems(sentence.text) & (asked.thing | asked.kind)


@lru_cache(maxsize=64)
def _stems(text: str) -> frozenset[str]:
    stems = frozenset(word.stem for word in stemmed(text))
    return stems if stems.isdisjoint(_PRICE) else stems | _PRICE


def _contrasts(sentences: Sequence[Sentence], index: int) -> bool:
    """Whether "its outcome is not." follows "A census is mentioned;"."""
    gap = sentences[index].text.rstrip(" .!")
    return (
        index > 0
        and len(gap) <= 80
        and gap.endswith((" not", "n't"))
        and _TOLD.search(sentences[index - 1].text) is not None
    )


def _is_given(others: Sequence[tuple[bool, Sentence]], named: frozenset[str], asked: Asked) -> bool:
    """Whether another sentence, before (True) or after the gap, gives what the gap says is missing."""
    for is_before, each in others:
        if each.answers_yes_or_no:
            return True
        if each.certain or each.asked_gaps:
            continue
        if is_before:
            if each.states_a_conclusion or _gives(each, named, asked):
                return True
        elif each.answers or _gives_after(each, asked):
            return True
    return False


def _gives(sentence: Sentence, named: frozenset[str], asked: Asked) -> bool:
    """Whether a sentence gives what a later one calls missing: it speaks of it, or of more, with a value."""
    if sentence.prepares:
        return False
    ours = _named(sentence, asked)
    if named - asked.kind and (ours < named or (ours and not ours & named)):
        return False
    return _has_value(sentence, asked) or (
        len(ours) > 1 and not (sentence.accompanies_gap or sentence.speaks_of_source)
    )


def _gives_after(sentence: Sentence, asked: Asked) -> bool:
    """Whether a sentence after the one that calls something missing gives a value after all."""
    if sentence.prepares or sentence.advises:
        return False
    return has_number_for(sentence, asked) or (
        _has_name(sentence, asked) and not sentence.is_afterthought
    )


def _has_value(sentence: Sentence, asked: Asked) -> bool:
    return has_number_for(sentence, asked) or _has_name(sentence, asked)


def has_value_for(
    sentence: Sentence, asked: Asked, apart_from: frozenset[str] = frozenset()
) -> bool:
    """Whether it has a number, in digits or words, or a name where the question does not want a number."""
    if has_number_for(sentence, asked, apart_from):
        return True
    if not asked.wants_number and _has_name(sentence, asked):
        return True
    if "date" in asked.kind and _MONTH.search(sentence.text) is not None:
        return True
    return (
        may_match(sentence.text, _NUMBER_WORDS)
        and _NUMBER_IN_WORDS.search(sentence.text) is not None
    )


def has_number_for(
    sentence: Sentence, asked: Asked, apart_from: frozenset[str] = frozenset()
) -> bool:
    """Whether it has a number that the question does not have; a year only where a time is asked for."""
    numbers = [each.strip(".,") for each in _NUMBER.findall(sentence.text)]
    years_count = not asked.kind.isdisjoint(("date", "durat"))
    question = asked.text[:MAX_COMPARED]
    return any(
        number not in question
        and number not in apart_from
        and (years_count or not _YEAR.match(number))
        for number in numbers
    )


def _has_name(sentence: Sentence, asked: Asked) -> bool:
    """Whether it has a capitalized word, not its first, that the question does not have."""
    question = asked.text[:MAX_COMPARED]
    return any(name not in question for name in _NAME.findall(sentence.text))
