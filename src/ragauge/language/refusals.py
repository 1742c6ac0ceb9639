"""Where an answer says that it does not answer, and where it answers all the same.

An answer refuses when it opens with a refusal and does not go on to answer, or when it closes on
one. "The document does not give the total, but the parts add up to $5" answers; "The document lists
the parts. The total cannot be determined" refuses. So does "The document is on fees, but does not
give the total", while "The total is $5, but the document does not give the parts" answers. What
refusing sounds like is in `refusal_rules`.
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
"""Characters; what lies between the ends of a longer answer is not read."""

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
"""Seed 002, section 11."""

_CUES = tuple(sorted({*NEGATION_CUES, *(cue for rule in RULES for cue in rule.cues)}))
_AFTER_NEGATION = tuple(rule for rule in RULES if rule.after)
_ANYWHERE = tuple(rule for rule in RULES if not rule.after)

AUXILIARY_WITHIN = 12
"""Characters before a negation, enough for "would also "."""
SUBJECT_WITHIN = 160
"""Characters before a negation in which its subject is looked for."""
CLAUSE_READ = 400
"""Characters of the clause before "but", which answers or not."""

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
"""In brackets, or what somebody else says."""
_TURNS_TO_REFUSE = pattern(
    r"(?:(?P<but>\bbut\b).{0,300}"
    r"|[,—–-] (?:yet|though|although|however|while|whereas)\b(?!,)[^,;]{0,160})\Z"
)

# What a sentence that does not refuse may do.

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
"""Says what would be needed, where to look, how it is done in general, or offers help."""
_REMARK = pattern(
    r"\W*(?:(?:\w+, )?it(?: is|'s) (?:also )?(?:important|worth|crucial|essential)|for example"
    r"|for instance|suppose|if)\b"
    r"|.{0,200}(?:\bnot|n't) (?:yet )?(?:been )?(?:yet )?(?:released|announced|published|filed)\b"
)
"""A remark, a made-up case, or that the world does not know yet."""
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
"""How a sentence starts that answers all the same."""
_TOLD = pattern(r"\b(?:i (?:can (?:tell|inform)(?! you how)|found|did find)|here (?:is|are))\b")
_INNER_TURN = pattern(
    r"(?:[,;—–-]\s*(?:but|however|yet|though|although|nevertheless"
    r"|so(?! (?:i|we|no)\b))| but (?:i|it))\b"
)
_RESULT = re.compile(
    r"[$€£]\s?\d|\d\s?%(?<!100%)(?<!100\s%)|≈"
    r"|=\s{0,3}-?\d[\d,.]{0,30}(?:\s(?:million|billion))?\s{0,3}\Z"
)
"""A quantity that answers: money, a share, or what a calculation comes to."""
_FIGURE = re.compile(r"[$€£]\s?\d|\d\s?%|\d[.,]\d")
_DIGIT = re.compile(r"\d")
_COMMA = re.compile(",")


@dataclass(frozen=True, slots=True)
class RefusalMatch:
    """Words of the answer that a rule reads as a refusal, with their offsets in it.

    `decides` is False where the refusal is said in passing, or is overruled because the answer
    goes on to answer: then `overruled_by` is where it does.
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
        """It goes on to answer, after a refusal before it or in it."""
        if self.refuses:
            return self._answers_within()
        if _TOLD.search(self.text):
            return True
        if self.found or self.advises or _REMARK.match(self.text):
            return False
        if "would" not in self.text and _RESULT.search(self.text):
            return True
        return _TURN.match(self.text) is not None and not self._is_general

    @property
    def is_preamble(self) -> bool:
        """It says nothing yet: an apology, a heading, what is needed, what the source is on."""
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
    """Where the answer says that it does not answer; it refuses when any of them decides.

    Three places decide: the whole answer ("N/A"), its opening (after apologies, headings and what
    would be needed) and its close. A refusal is overruled by a later sentence or clause that
    answers: one that turns ("However, ..."), concludes ("Therefore, ...") or states a result, and
    neither refuses again nor sends the reader elsewhere. What the answer quotes is not its own
    words. A blank answer refuses, by the rule "empty answer".

    >>> [found.words for found in find_refusals("Sorry, the report does not give the fee.")]
    ['report does not give']
    >>> [found.decides for found in find_refusals("The report does not give the fee, but it was $5.")]
    [False]
    """
    whole = _whole(answer)
    if whole is not None:
        return (whole,)
    text = answer.replace("’", "'").replace("ʼ", "'")
    lowered = text.lower()
    if not any(cue in lowered for cue in _CUES):
        return ()
    blotted = _QUOTED.sub(_blank, text)
    sentences = tuple(_sentences(blotted))
    if not any(sentence.found for sentence in sentences):
        return ()
    return tuple(_judged(answer, sentences))


def _whole(answer: str) -> RefusalMatch | None:
    """The answer as one refusal: blank, a word for none, or in another language."""
    stripped = answer.strip()
    if not stripped:
        return RefusalMatch(EMPTY, "", 0, 0)
    # Nothing longer can match, and on a long run of dots the pattern would take its time.
    if len(stripped) <= 60 and NO_ANSWER.words.fullmatch(stripped):
        start = answer.index(stripped)
        return RefusalMatch(NO_ANSWER.name, stripped, start, start + len(stripped))
    foreign = OTHER_LANGUAGES.words.match(answer)
    if foreign is not None:
        return RefusalMatch(OTHER_LANGUAGES.name, foreign[0], foreign.start(), foreign.end())
    return None


def _blank(quoted: re.Match[str]) -> str:
    """The quotation with its words blotted out and its length kept."""
    return re.sub(r"\w", "_", quoted[0])


def _sentences(text: str) -> Iterator[_Sentence]:
    """The sentences, cut once more after a colon and a semicolon."""
    for offset, part in _read_parts(text):
        for start, end in sentence_spans(part):
            for colon in _CLAUSE_END.finditer(part, start, end):
                yield _sentence(part[start : colon.start() + 1], offset + start)
                start = colon.end()
            yield _sentence(part[start:end], offset + start)


def _read_parts(text: str) -> Iterator[tuple[int, str]]:
    """The text; of a very long one its two ends, where a refusal would stand."""
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
    """The negations; a bare "not" counts at the start only: "data not found is error 404"."""
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
    """The words go on with a capital: "I Can't Tell You Why" is a song."""
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
    """A clause before the refusal answers: "It was Ada Lind, but the text does not say when"."""
    turn = _TURNS_TO_REFUSE.search(sentence, 0, start)
    if turn is None:
        return False
    clause = sentence[: turn.start()].rstrip(" ,–—-")[:CLAUSE_READ]
    if rule.closes and turn["but"] and not _FIGURE.search(clause):
        return False
    return not SAYS_NO_ANSWER.match(clause)


def _subject(rule: Rule, sentence: str, start: int) -> int | None:
    """Where the subject of the words starts that stand at `start`; None if it is another one."""
    begin = max(0, start - SUBJECT_WITHIN)
    if rule.nouns is not None:
        at = _noun_in_clause(rule.nouns, sentence[begin:start])
        return None if at is None else begin + at
    if rule.speaker:
        speaker = _SPEAKER.search(sentence, begin, start)
        return None if speaker is None else speaker.start()
    return start


def _noun_in_clause(nouns: frozenset[str], before: str) -> int | None:
    """Where the first of the nouns stands in the clause that is open at the end."""
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
    """Just after the last comma and blank before `end`, or 0."""
    return text.rfind(", ", 0, end) + 2 if ", " in text[:end] else 0


def _judged(answer: str, sentences: Sequence[_Sentence]) -> Iterator[RefusalMatch]:
    """Every refusal found, with whether it decides, and if not, what overrules it."""
    overruled_by = _overruled_by(answer, sentences)
    deciding = _deciding(sentences, overruled_by)
    for index, sentence in enumerate(sentences):
        decides = index == deciding
        by = None if decides else overruled_by[index]
        for found in sentence.found:
            words = answer[found.start : found.end]
            yield RefusalMatch(found.rule.name, words, found.start, found.end, decides, by)


def _overruled_by(answer: str, sentences: Sequence[_Sentence]) -> tuple[str | None, ...]:
    """For each sentence, the first from there on that answers."""
    nearest: str | None = None
    overruled_by: list[str | None] = []
    for sentence in reversed(sentences):
        if sentence.answers:
            nearest = answer[sentence.start : sentence.start + len(sentence.text)]
        overruled_by.append(nearest)
    return tuple(reversed(overruled_by))


def _deciding(sentences: Sequence[_Sentence], overruled_by: Sequence[str | None]) -> int | None:
    """The sentence by which the answer refuses, if it does."""
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
    """It refuses, and does not say yes or no to the question first."""
    return sentence.closes or (sentence.refuses and not _YES_NO.match(sentence.text))


def _closing(sentences: Sequence[_Sentence], overruled_by: Sequence[str | None]) -> int | None:
    """The last sentence that closes on a refusal, with nothing but advice after it."""
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
    """The phrases by which seed 002 takes an answer for a don't-know; none: it is an answer.

    Substrings of the lower-cased, trimmed answer; the words of short answers only where it has
    fewer than 10 characters. Source: seed 002, section 11.

    >>> uncertainty_phrases("Sorry, I don't know."), uncertainty_phrases("None.")
    (("i don't know",), ('none',))
    """
    lowered = answer.lower().strip()
    phrases = [phrase for phrase in UNCERTAINTY_PHRASES if phrase in lowered]
    if len(lowered) < 10:
        phrases += [word for word in SHORT_ANSWERS if word in lowered and word not in phrases]
    return tuple(phrases)
