"""Refusals in answers: where an answer says that it does not answer, and where it answers after all.

An answer refuses if it opens with a refusal and does not go on to answer, or if it closes with one.
"The document does not give the total, but the parts add up to $5" answers; "The document lists the
parts. The total cannot be determined" refuses. "The document is on fees, but does not give the total"
refuses too, while "The total is $5, but the document does not give the parts" answers. The wording of
refusals is in `refusal_rules`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragauge.language.refusal_rules import (
    ABOUT_THE_SOURCE,
    BEFORE_NEGATION,
    EMPTY,
    NEGATION,
    NEGATION_CUES,
    NO_ANSWER,
    OTHER_LANGUAGES,
    RULES,
    SAYS_NO_ANSWER,
    Rule,
    pattern,
)
from ragauge.language.text import Span, sentence_spans

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

_CUES = tuple(sorted({*NEGATION_CUES, *(cue for rule in RULES for cue in rule.cues)}))
_AFTER_NEGATION = tuple(rule for rule in RULES if rule.after)
_ANYWHERE = tuple(rule for rule in RULES if not rule.after)

AUXILIARY_WITHIN = 12
"""Characters before a negation, enough for "would also "."""
SUBJECT_WITHIN = 160
"""Characters before a negation that are searched for its subject."""
CLAUSE_READ = 400
"""Characters read of the clause before "but"."""

# Parts of a sentence.

_CLAUSE_END = re.compile(r"[:;]\s+")
_QUOTED = re.compile(r"\"[^\"\n]{1,200}\"|“[^”\n]{1,200}”")
_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_INSERTED = pattern(r", (?:which|dated|for|including|titled|as)\b[^,;:]*,")
_SAME_SUBJECT = pattern(
    r"(?:but|and|although|though|yet|which)(?: (?:it|they|this|that))?"
    r"(?: [a-z]+ly| also| still)?\s*\Z"
)
_PRONOUN = pattern(r"(?:it|they)(?: [a-z]+ly| also| still)?\s*\Z")
_CONCEDES = pattern(r"\W*(?:although|while|though|even though|despite)\b")
_RELATIVE = pattern(r"\b(?:that|who)(?: (?:i|we|you|he|she|they))?\s*\Z")
_SPEAKER = pattern(
    r"(?:\b(?:i|we)(?:'m|'ve|'d|'re)?(?: (?:am|are|was|were|have|had|will|would|may|might))?"
    r"(?: (?:[a-z]+ly|also|still|just|do|currently))*|\ban ai(?: [a-z]+){0,3} and|\A\W*)\s*\Z"
)
_CONDITION = pattern(r"\W*(?:if|unless|in case|when|whenever)\b(?! you\b)[^,]*")
_ASIDE = pattern(
    r"(?:\([^)]{0,200}|\b(?:even if|unless)\b[^,;]{0,200}"
    r"|\b(?:says|said|states|stated|argue[sd]|claim(?:s|ed)|wrote|writes|conclude[sd]|agreed"
    r"|decided)(?: that| not to)\b(?:(?! but | and )[^,;]){0,120})\Z"
)
"""In brackets, or a statement of somebody else."""
_TURNS_TO_REFUSE = pattern(
    r"(?:(?P<but>\bbut\b).{0,300}"
    r"|[,—–-] (?:yet|though|although|however|while|whereas)\b(?!,)[^,;]{0,160})\Z"
)

# Kinds of sentences that do not refuse.

_YES_NO = pattern(r"\W*(?:yes|no)[,.]")
_GREETING = pattern(
    r"(?:\W*(?:i'm |i am )?(?:sorry|unfortunately|i apologi[sz]e)\b.*|.*[:!]\W*|\W*)"
)
_DEFINITION = pattern(
    r".{0,120}\b(?:is|are|measures?) (?:[a-z]+ ){0,4}?"
    r"(?:metric|measure|ratio|indicator|formula)s?\b"
)
_ADVICE = re.compile(
    r"\b(?:you (?:can|could|may|might|should|would|will|need|must)\b|one (?:would|could|can|should"
    r"|may|must|might)\b|[Pp]lease\b|(?:I|we)(?: would|'d) (?:recommend|suggest|need|be|require)"
    r"|(?:I|we)(?: will|'ll| can| could) (?:do my best|help|assist|try|gladly|be|explain|guide"
    r"|show|tell you how|walk|describe|outline|offer|provide|suggest)|refer to|recommend|suggest"
    r"|available (?:in|on|from|through|at|via)|would (?:contain|include|provide|need)|should be"
    r"|(?:can|could|may|might|would|will) (?:\w+ly |also )?be (?:\w+ly |also )?(?:found|obtained"
    r"|accessed|available|disclosed|included|needed|required|necessary|calculated|located)"
    r"|(?:is|are) (?:typically|usually|generally|often|normally|commonly) (?:found|reported"
    r"|disclosed|included|calculated|available|defined|listed|provided)|is calculated|formula"
    r"|[Ii]f you (?:can|could|have|provide|need|would|want|wish|are able|are looking)"
    r"|feel free|let me know|happy to|[Oo]nce you|[Cc](?:an|ould) you|[Cc]heck"
    r"|[Cc]onsult|[Vv]isit"
    r"|[Tt]o (?:calculate|determine|answer|find|assess|evaluate|compute|obtain|get)\b.{0,200}?"
    r"\b(?:need|require|would)|it(?:'s| is| would be) (?:best|advisable))"
)
"""Advice: what would be needed, where to look, how to do it in general, or an offer of help."""
_REMARK = pattern(
    r"\W*(?:(?:\w+, )?it(?: is|'s) (?:also )?(?:important|worth|crucial|essential)|for example"
    r"|for instance|suppose|if)\b"
    r"|.{0,200}(?:\bnot|n't) (?:yet )?(?:been )?(?:yet )?(?:released|announced|published|filed)\b"
)
"""A remark, a hypothetical case, or a fact that is not public yet."""
_GENERALITY = pattern(
    r"\b(?:would|in general|general (?:information|overview|guidance|trends?|idea)|insights?"
    r"|observations?|(?:metric|measure|ratio|indicator) (?:is|that|of))\b"
)
_TURN = pattern(
    r"\W*(?:however|but|that said|with that said|having said that|nevertheless|nonetheless|still"
    r"|yet|despite|although|therefore|thus|so|hence|in conclusion|as of (?:my|the)"
    r"|to my knowledge|based on (?:my|general|historical|available|what)"
    r"|generally speaking|assuming|the answer)\b"
)
"""The beginning of a sentence that answers after all."""
_ANNOUNCES_ANSWER = pattern(
    r"\b(?:i (?:can (?:tell|inform)(?! you how)|found|did find)|here (?:is|are))\b"
)
_INNER_TURN = pattern(
    r"(?:[,;—–-]\s*(?:but|however|yet|though|although|nevertheless"
    r"|so(?! (?:i|we|no)\b))| but (?:i|it))\b"
)
_RESULT = re.compile(
    r"[$€£]\s?\d|\d\s?%(?<!100%)(?<!100\s%)|≈"
    r"|=\s{0,3}-?\d[\d,.]{0,30}(?:\s(?:million|billion))?\s{0,3}\Z"
)
"""A quantity that answers: money, a percentage, or the result of a calculation."""
_FIGURE = re.compile(r"[$€£]\s?\d|\d\s?%|\d[.,]\d")
_DIGIT = re.compile(r"\d")
_COMMA = re.compile(",")


@dataclass(frozen=True, slots=True)
class RefusalMatch:
    """Words of the answer that match a refusal rule, with their offsets.

    `decides` is False if the refusal is only in passing, or if the answer goes on to answer;
    `overruled_by` is then the sentence that does.
    """

    rule: str
    words: str
    start: int
    end: int
    decides: bool = True
    overruled_by: str | None = None


@dataclass(frozen=True, slots=True)
class _Negation:
    start: int
    end: int
    denies_ability: bool


@dataclass(frozen=True, slots=True)
class _Found:
    """A rule's words in a sentence, with their offsets in the answer."""

    rule: Rule
    start: int
    end: int
    is_aside: bool


@dataclass(frozen=True, slots=True)
class _Sentence:
    start: int
    text: str
    found: tuple[_Found, ...]

    @property
    def closes(self) -> bool:
        return any(found.rule.closes and not found.is_aside for found in self.found)

    @property
    def refuses(self) -> bool:
        return any(not (found.rule.alone or found.is_aside) for found in self.found)

    @property
    def advises(self) -> bool:
        return _ADVICE.search(self.text) is not None

    @property
    def answers(self) -> bool:
        """Whether it answers, after a refusal before it or in it."""
        if self.refuses:
            return self._answers_within()
        if _ANNOUNCES_ANSWER.search(self.text):
            return True
        if self.found or self.advises or _REMARK.match(self.text):
            return False
        if "would" not in self.text and _RESULT.search(self.text):
            return True
        return _TURN.match(self.text) is not None and not self._is_general

    @property
    def is_preamble(self) -> bool:
        """Whether it is introductory: an apology, a heading, what is needed, what the source is about."""
        if any(found.is_aside or not found.rule.alone for found in self.found):
            return False
        if self.found or self.advises:
            return True
        kinds = (_GREETING.fullmatch, _DEFINITION.match, ABOUT_THE_SOURCE.match)
        return any(kind(self.text) for kind in kinds)

    @property
    def _is_general(self) -> bool:
        return not _DIGIT.search(self.text) and bool(
            _GENERALITY.search(self.text) or _DEFINITION.match(self.text)
        )

    def _answers_within(self) -> bool:
        last = max(found.end for found in self.found) - self.start
        turn = _INNER_TURN.search(self.text, last)
        if turn is None and _CONCEDES.match(self.text):
            turn = _COMMA.search(self.text, last)
        return turn is not None and not _ADVICE.search(self.text, turn.end())


def find_refusals(answer: str) -> tuple[RefusalMatch, ...]:
    """The refusals in the answer; the answer refuses if any of them has `decides`.

    A refusal can be the whole answer ("N/A"), its opening (after apologies, headings and what would
    be needed) or its close. A later sentence or clause overrules it if it contrasts ("However, ..."),
    concludes ("Therefore, ...") or states a result, and neither refuses again nor refers the reader
    elsewhere. Quotations do not count. A blank answer refuses, by the rule "empty answer".

    >>> [match.words for match in find_refusals("Sorry, the report does not give the fee.")]
    ['report does not give']
    >>> [match.decides for match in find_refusals("The report does not give the fee, but it was $5.")]
    [False]
    """
    whole_answer = _whole_answer(answer)
    if whole_answer is not None:
        return (whole_answer,)
    text = answer.replace("’", "'").replace("ʼ", "'")
    lowered = text.lower()
    if not any(cue in lowered for cue in _CUES):
        return ()
    without_quotes = _QUOTED.sub(_blank, text)
    sentences = tuple(_sentences(without_quotes))
    if not any(sentence.found for sentence in sentences):
        return ()
    return tuple(_judged(answer, sentences))


def _whole_answer(answer: str) -> RefusalMatch | None:
    """The match if the whole answer is a refusal: blank, a word for none, or in another language."""
    stripped = answer.strip()
    if not stripped:
        return RefusalMatch(EMPTY, "", 0, 0)
    # Nothing longer can match, and the pattern is slow on a long run of dots.
    if len(stripped) <= 60 and NO_ANSWER.words.fullmatch(stripped):
        start = answer.index(stripped)
        return RefusalMatch(NO_ANSWER.name, stripped, start, start + len(stripped))
    foreign = OTHER_LANGUAGES.words.match(answer)
    if foreign is not None:
        return RefusalMatch(OTHER_LANGUAGES.name, foreign[0], foreign.start(), foreign.end())
    return None


def _blank(quoted: re.Match[str]) -> str:
    """The quotation with its words masked, at the same length."""
    return re.sub(r"\w", "_", quoted[0])


def _sentences(text: str) -> Iterator[_Sentence]:
    """The sentences, also split after colons and semicolons."""
    for offset, part in _read_parts(text):
        for start, end in sentence_spans(part):
            for colon in _CLAUSE_END.finditer(part, start, end):
                yield _sentence(part[start : colon.start() + 1], offset + start)
                start = colon.end()
            yield _sentence(part[start:end], offset + start)


def _read_parts(text: str) -> Iterator[tuple[int, str]]:
    """The text; of a very long one, its two ends, where a refusal would be."""
    if len(text) <= 2 * READ_AT_EACH_END:
        yield 0, text
        return
    yield 0, text[:READ_AT_EACH_END]
    yield len(text) - READ_AT_EACH_END, text[-READ_AT_EACH_END:]


def _sentence(text: str, start: int) -> _Sentence:
    lowered = text.lower()
    condition = _CONDITION.match(text)
    begin = condition.end() if condition else 0
    negations: tuple[_Negation, ...] = ()
    if any(cue in lowered for cue in NEGATION_CUES):
        negations = tuple(_negations(lowered if len(lowered) == len(text) else text, begin))
    spans = [(rule, _after(rule, text, negations)) for rule in _AFTER_NEGATION if negations]
    spans += [
        (rule, _anywhere(rule, text, begin))
        for rule in _ANYWHERE
        if any(cue in lowered for cue in rule.cues)
    ]
    found = (_found(rule, each, text, start) for rule, each in spans)
    return _Sentence(start, text, tuple(each for each in found if each is not None))


def _negations(lowered: str, begin: int) -> Iterator[_Negation]:
    """The negations; a "not" without a verb counts only at the start: "data not found is error 404"."""
    for words in NEGATION.finditer(lowered, begin):
        back = max(0, words.start() - AUXILIARY_WITHIN)
        before = BEFORE_NEGATION.search(lowered[back : words.start()])
        if before is None or (words[0] == "not" and before["nothing"] and words.start() > 2):
            continue
        denies_ability = bool(before["ability"]) or "able" in words[0]
        yield _Negation(back + before.start(), words.end(), denies_ability)


def _after(rule: Rule, sentence: str, negations: Sequence[_Negation]) -> Iterator[Span]:
    """Where the rule's words follow a negation."""
    for negation in negations:
        if rule.after == "negation" or negation.denies_ability:
            words = rule.words.match(sentence, negation.end)
            if words is not None and not (rule.speaker and _is_title(words[0], sentence)):
                yield negation.start, words.end()


def _is_title(words: str, sentence: str) -> bool:
    """Whether the words continue with a capital: "I Can't Tell You Why" is a song."""
    return words.lstrip()[:1].isupper() and not sentence.isupper()


def _anywhere(rule: Rule, sentence: str, begin: int) -> Iterator[Span]:
    return (words.span() for words in rule.words.finditer(sentence, begin))


def _found(rule: Rule, spans: Iterator[Span], sentence: str, offset: int) -> _Found | None:
    """The first of the spans that has the subject it needs."""
    for start, end in spans:
        subject = _subject(rule, sentence, start)
        if subject is not None:
            is_aside = bool(_ASIDE.search(sentence, 0, start))
            is_aside = is_aside or _answers_first(rule, sentence, subject)
            return _Found(rule, offset + subject, offset + end, is_aside)
    return None


def _answers_first(rule: Rule, sentence: str, start: int) -> bool:
    """Whether a clause before the refusal answers: "It was Ada Lind, but the text does not say when"."""
    turn = _TURNS_TO_REFUSE.search(sentence, 0, start)
    if turn is None:
        return False
    clause = sentence[: turn.start()].rstrip(" ,–—-")[:CLAUSE_READ]
    if rule.closes and turn["but"] and not _FIGURE.search(clause):
        return False
    return not SAYS_NO_ANSWER.match(clause)


def _subject(rule: Rule, sentence: str, start: int) -> int | None:
    """Where the subject of the words at `start` starts; None if the rule needs another subject."""
    begin = max(0, start - SUBJECT_WITHIN)
    if rule.nouns is not None:
        at = _noun_in_clause(rule.nouns, sentence[begin:start])
        return None if at is None else begin + at
    if rule.speaker:
        speaker = _SPEAKER.search(sentence, begin, start)
        return None if speaker is None else speaker.start()
    return start


def _noun_in_clause(nouns: frozenset[str], before: str) -> int | None:
    """The position of the first of the nouns in the last clause."""
    if _RELATIVE.search(before):
        return None
    before = _INSERTED.sub(lambda inserted: " " * len(inserted[0]), before)
    begin = _clause_start(before, len(before))
    if begin and _SAME_SUBJECT.match(before, begin):
        begin = _clause_start(before, begin - 2)
    elif begin and _PRONOUN.match(before, begin):
        earlier = _clause_start(before, begin - 2)
        begin = earlier if _CONCEDES.match(before, earlier) else begin
    words = _WORD.finditer(before, begin)
    return next((word.start() for word in words if word[0].lower() in nouns), None)


def _clause_start(text: str, end: int) -> int:
    """The position after the last comma and space before `end`, or 0."""
    return text.rfind(", ", 0, end) + 2 if ", " in text[:end] else 0


def _judged(answer: str, sentences: Sequence[_Sentence]) -> Iterator[RefusalMatch]:
    """All refusals found, whether each decides, and if not, what overrules it."""
    overruled_by = _overruled_by(answer, sentences)
    deciding = _deciding(sentences, overruled_by)
    for index, sentence in enumerate(sentences):
        decides = index == deciding
        by = None if decides else overruled_by[index]
        for found in sentence.found:
            words = answer[found.start : found.end]
            yield RefusalMatch(found.rule.name, words, found.start, found.end, decides, by)


def _overruled_by(answer: str, sentences: Sequence[_Sentence]) -> tuple[str | None, ...]:
    """For each sentence, the first sentence from there on that answers."""
    nearest: str | None = None
    overruled_by: list[str | None] = []
    for sentence in reversed(sentences):
        if sentence.answers:
            nearest = answer[sentence.start : sentence.start + len(sentence.text)]
        overruled_by.append(nearest)
    return tuple(reversed(overruled_by))


def _deciding(sentences: Sequence[_Sentence], overruled_by: Sequence[str | None]) -> int | None:
    """The index of the sentence by which the answer refuses; None if it does not."""
    opening = next((i for i, each in enumerate(sentences) if not each.is_preamble), None)
    if opening is None:
        return next((i for i, each in enumerate(sentences) if each.found), None)
    opens = _opens(sentences[opening])
    if opens and overruled_by[opening] is None:
        return opening
    closing = _closing(sentences, overruled_by)
    if closing is None or (not opens and _states_a_result(sentences[:closing])):
        return None
    return closing


def _opens(sentence: _Sentence) -> bool:
    """Whether it refuses without first answering yes or no."""
    return sentence.closes or (sentence.refuses and not _YES_NO.match(sentence.text))


def _closing(sentences: Sequence[_Sentence], overruled_by: Sequence[str | None]) -> int | None:
    """The index of the last closing refusal with only advice after it."""
    for index in reversed(range(len(sentences))):
        sentence = sentences[index]
        if overruled_by[index] is not None:
            return None
        if sentence.closes:
            return index
        if not (sentence.found or sentence.advises):
            return None
    return None


def _states_a_result(sentences: Sequence[_Sentence]) -> bool:
    return any(_FIGURE.search(each.text) and not each.advises for each in sentences)


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
