"""Where the rules match in one sentence of an answer: negations, subjects, asides."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragauge.language.refusals.rules import RULES, SAYS_NO_ANSWER
from ragauge.language.refusals.words import (
    BEFORE_NEGATION,
    NEGATION,
    NEGATION_CUES,
    PAPER,
    RESULT,
    Rule,
    pattern,
)
from ragauge.language.text import Span
from ragauge.language.word_beginnings import LENGTH, beginnings_of, word_beginnings

_AFTER_NEGATION = tuple(rule for rule in RULES if rule.after)
_AFTER_NEGATION_UNASKED = tuple(rule for rule in _AFTER_NEGATION if not rule.asked)
_ANYWHERE = tuple(rule for rule in RULES if not rule.after)
_LETTERS = re.compile("[a-z]+")
_INSIDE_WORDS = ("n't", "nt", "t ", "not", "able")
"""Beginnings of the cues that may start inside a word."""


def _beginning(cue: str) -> str | None:
    """The first letters of the cue's first word, None if it may start inside a word."""
    letters = _LETTERS.match(cue)
    if letters is None or cue.startswith(_INSIDE_WORDS):
        return None
    is_whole = letters.end() < len(cue)
    return letters[0][:LENGTH] if is_whole or letters.end() >= LENGTH else None


def _first_inside(cue: str) -> str:
    """Letters that the text must contain if it has the cue."""
    return next((letters for letters in _INSIDE_WORDS if cue.startswith(letters)), cue)


def _by_beginning() -> dict[str | None, list[str]]:
    cues: dict[str | None, list[str]] = {}
    for cue in sorted({*NEGATION_CUES, *(cue for rule in RULES for cue in rule.cues)}):
        cues.setdefault(_beginning(cue), []).append(cue)
    return cues


_CUES = _by_beginning()
"""The cues by the letters that are looked up first: much faster than searching for each."""
_UNSURE = {
    letters: tuple(cue for cue in _CUES[None] if _first_inside(cue) == letters)
    for letters in dict.fromkeys(map(_first_inside, _CUES[None]))
}
"""The cues that may start inside a word, by letters that each of them contains."""
_RULES_BY_CUE: dict[str, list[int]] = {}
"""For each cue, the places in `_ANYWHERE` of the rules that have it."""
for _at, _rule in enumerate(_ANYWHERE):
    for _cue in _rule.cues:
        _RULES_BY_CUE.setdefault(_cue, []).append(_at)
AUXILIARY_WITHIN = 20
"""Characters before a negation, enough for "would therefore "."""
SUBJECT_WITHIN = 160
"""Characters before a negation that are searched for its subject."""
CLAUSE_READ = 400
"""Characters read of the clause before "but"."""

_INABILITY = re.compile("able|position|fail|^can|^couldn")
_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_INSERTED = pattern(r", (?:which|dated|for|including|titled|as)\b[^,;:]*,")
_SAME_SUBJECT = pattern(
    r"(?:but|and|although|though|yet|which)(?: (?:it|they|this|that))?"
    r"(?: [a-z]+ly| also| still)?\s*\Z"
)
_PRONOUN = pattern(r"(?:it|they)(?: [a-z]+ly| also| still)?\s*\Z")
CONCEDES = pattern(r"\W*(?:although|while|though|even though|despite)\b")
_RELATIVE = pattern(
    r"(?:(?<!\bon\x20)(?<!\babout\x20)(?<!\bregarding\x20)(?<!\bof\x20)\bthat|\bwho)"
    r"(?: (?:i|we|you|he|she|they))?\s*\Z"
)
_SPEAKER = pattern(
    r"(?:\b(?:i|we)\b[^;:.]{0,160}? and(?: (?:so|hence|thus|therefore|consequently|accordingly))?|\b(?:i|we)(?:'m|'ve|'d|'re)?(?: (?:am|are|was|were|have|had|will|would|may|might))?"
    r"(?: (?:[a-z]+ly|also|still|just|do|therefore|thus|hence))*|\ban ai(?: [a-z]+){0,3} and|\A\W*)\s*\Z"
)
_CONDITION = pattern(r"\W*(?:if|unless|in case|when|whenever)\b(?! you\b)[^,]*")
_ASIDE = pattern(
    r"(?:\([^)]{0,200}|\b(?:even if|unless)\b[^,;]{0,200}"
    r"|\b(?:says|said|states|stated|argue[sd]|claim(?:s|ed)|wrote|writes|conclude[sd]|agreed|replied"
    r"|held|ruled|decided|admit(?:s|ted)|testified|insist(?:s|ed)|told [^,;]{1,40}?)(?: that| not to)\b(?:(?! but | and )[^,;]){0,120}"
    r"|\b(?:says|said|states|stated|wrote|writes|replied|testified|told [^,;]{1,40}?) (?:that )?(?:he|she|they)\b[^,;]{0,60})\Z"
)
"""In brackets, or a statement of somebody else."""
_ATTRIBUTED = pattern(
    rf"\W*according to (?:the |its |their |an? )?(?!(?:[a-z]+ )?{PAPER}\b)[^,]{{1,60}},"
    r"|\W*that (?:the|he|she|they|no|an?|its|their|his|her|there)\b(?! (?:is|are|was)\b)"
)
"""What a person or a company says: "According to the auditor, ...", or "That the data were insufficient"."""
_EXPLAINS = pattern(
    rf"\W*(?!(?:i|we|it|this|that|there|here|one|you|because|since|the (?:[a-z]+ )?(?:answer|question|{RESULT}|{PAPER}))\b)"
    r"(?:(?!(?:not|no|cannot|never|neither|unclear|unknown|impossible|hard|difficult|missing|would|could|depends|needs?|requires?"
    rf"|incomplete|open|i|we|so|{PAPER})\b|n't\b)[^,;:]){{1,160}}?\b(?:because|since|if|unless|in case) "
)
"""A fact about the world, then why or on what condition: "The court dismissed it because the claimant had provided no documents"."""
_WHERE = pattern(
    r"\b(?!(?:is|was)\b)[a-z]+ (?:where|wherever|whenever) (?:(?:the|its|their|no|some|all) )?[a-z]+ \Z"
)
"""The condition of a fact: "It cannot be used where labels are missing"."""
_ANY_OTHER = pattern(r"(?:not|n't) [a-z]+ any other\b")
"""What is missing comes on top of what is there: "does not list any other securities"."""
_NOT_MEANINGFUL = pattern(
    r"(?:not|n't) be (?:meaningfully|sensibly) [a-z]+,? (?:because|since|as|when|if)\b"
)
"""That a ratio says nothing about such a company answers: "cannot be meaningfully calculated since it has no debt"."""
_DEPENDS = pattern(r"\W*(?:whether|if|it|that|this)\b.{0,120}\bdepends? on\b")
"""It says on what the answer depends, and so states nothing."""
_AFTER_YES = pattern(r"\W*yes\b.{0,200} (?:and|but|though|although|while|yet) (?:i|we)?\W*")
"""What follows "Yes" and a conjunction is a detail: "Yes, once, and I have no details on the fee"."""
_SUPPOSES_AN_ANSWER = pattern(
    r"\W*(?:(?:i (?:think|believe|guess|suspect|suppose|would say|would guess)|my (?:best )?guess (?:is|would be)) (?!you\b)"
    r"|(?:probably|possibly|perhaps|maybe|presumably|likely) )[^,;]{3,}"
)
"""An answer that the speaker is not sure of: "I think it was Ada Lind, but I can't be sure"."""
_WHOSE = re.compile(r"\bwhose\b[^,;]{0,60}$", re.IGNORECASE)
"""A detail of what the answer names: "A foundation whose owners are not disclosed"."""
_SAID_BY = pattern(
    rf"\W*(?!(?:i|we|it)\b|(?:the|this|your) (?:[a-z]+ ){{0,2}}?{PAPER}\b)[^,;:]{{1,60}}? (?:said|argued|claimed|admitted|insisted"
    r"|explained|warned) (?:the|its|their|his|her|there|no|an?|it|they)\b"
)
"""What somebody said: "The agency said the data were not sufficient"."""
_IMPERSONAL = pattern(
    r"it (?:is|was|remains) (?:[a-z]+ )?(?:unknown|unclear|not (?:[a-z]+ )?(?:known|clear))\b"
)
_TURNS_TO_REFUSE = pattern(
    r"(?:(?P<but>\bbut\b).{0,300}"
    r"|[,—–-] (?:yet|(?:even )?though|although|however|while|whereas)\b(?!,)[^,;]{0,160})\Z"
)

_STATES = pattern(
    r"\b(?:is|are|was|were|has|have|had|did|does|do|will|can|could|would|may|must|[a-z]{2,}ed)\b"
)
"""A finite verb, or what looks like one."""
_SOURCE = pattern(
    rf"\b(?:(?:the|this|that|these|those|your|our|my|its|each|any|all|no|of|from|in|as|text|on) (?:[a-z0-9-]+ ){{0,2}}?(?!material\b){PAPER}"
    rf"|(?:the|this) [a-z-]+ (?:says|states|mentions|notes|tells|refers)|{PAPER} (?:provided|retrieved|supplied|given|i|we)|(?:shown|given|sent|handed|supplied|available|provided) to me|inputs?|needed|required|needs|requires|you(?:'re| are) (?:asking|looking)|you (?:gave|sent|asked|shared|uploaded|provided|want|need)|your question"
    r"|(?:i|we) (?:have|had|got|was given|were given|was sent|checked|searched|looked|see|read|went|can see|could see|found)"
    r"|(?:i|we)'ve (?:got|read|checked|seen|searched|looked))\b"
)

INNER_CONCLUSION = pattern(
    r"(?:[,;—–-]|\band) ?(?:and )?so\b|\b(?:therefore|thus|hence|consequently)\b"
    r"|\bwhich (?:means|implies)\b"
)
"""The beginning of a clause that concludes from the one before it."""
FIGURE = re.compile(r"[$€£]\s?\d|\d\s?%|\d[.,]\d")
"""Money, a percentage, or a number with a separator."""


@dataclass(frozen=True, slots=True)
class ApplicableRules:
    """The rules whose cues an answer contains; `negation_cues` is empty if it has no negation."""

    negation_cues: tuple[str, ...]
    anywhere: tuple[tuple[Rule, tuple[str, ...]], ...]
    after_negation: tuple[Rule, ...]

    def __bool__(self) -> bool:
        return bool(self.negation_cues or self.anywhere)


@dataclass(frozen=True, slots=True)
class _Negation:
    start: int
    end: int
    denies_ability: bool


@dataclass(frozen=True, slots=True)
class Found:
    """A rule's words in a sentence, with their offsets in the answer."""

    rule: Rule
    start: int
    end: int
    is_aside: bool


def applicable_rules(text: str, *, with_question: bool = False) -> ApplicableRules:
    """The rules that can match in the text, so that each sentence is searched for these only.

    Those that need the question count only `with_question`.
    """
    lowered = text.lower()
    beginnings = beginnings_of(text)
    if beginnings is None:
        beginnings = word_beginnings(lowered)
    likely = [cue for letters in beginnings & _CUES.keys() for cue in _CUES[letters]]
    likely += [cue for letters, cues in _UNSURE.items() if letters in lowered for cue in cues]
    present = frozenset([cue for cue in likely if cue in lowered])
    if not present:
        return _NOTHING_APPLIES
    cues_of_rule: dict[int, list[str]] = {}
    for cue in sorted(present):
        for at in _RULES_BY_CUE.get(cue, ()):
            cues_of_rule.setdefault(at, []).append(cue)
    return ApplicableRules(
        tuple(cue for cue in NEGATION_CUES if cue in present),
        tuple(
            (_ANYWHERE[at], tuple(cues_of_rule[at]))
            for at in sorted(cues_of_rule)
            if with_question or not _ANYWHERE[at].asked
        ),
        _AFTER_NEGATION if with_question else _AFTER_NEGATION_UNASKED,
    )


_NOTHING_APPLIES = ApplicableRules((), (), ())


def found_in(sentence: str, offset: int, rules: ApplicableRules) -> tuple[Found, ...]:
    """What the rules find in the sentence, which starts at `offset` in the answer."""
    lowered = sentence.lower()
    condition = _CONDITION.match(sentence)
    begin = condition.end() if condition else 0
    spans: list[tuple[Rule, Iterator[Span]]] = []
    if _has_any(lowered, rules.negation_cues):
        same_length = lowered if len(lowered) == len(sentence) else sentence
        negations = tuple(_negations(same_length, begin))
        if negations:
            spans += [(rule, _after(rule, sentence, negations)) for rule in rules.after_negation]
    spans += [
        (rule, _anywhere(rule, sentence, begin))
        for rule, cues in rules.anywhere
        if _has_any(lowered, cues)
    ]
    found = (_found(rule, each, sentence, offset) for rule, each in spans)
    return tuple(_without_overlaps([each for each in found if each is not None]))


def _by_need(found: Found) -> tuple[bool, bool, bool, int]:
    """Refusals that need least first, of equal ones the longest."""
    return found.rule.asked, found.rule.gap, found.rule.near_source, found.start - found.end


def _without_overlaps(found: Sequence[Found]) -> Iterator[Found]:
    """All but the gaps whose words another refusal has too, or a gap that needs less.

    A gap that needs the question is kept beside others.
    """
    kept: list[Found] = []
    for each in sorted(found, key=_by_need):
        overlaps = (
            each.start < other.end and other.start < each.end
            for other in kept
            if each.rule.asked == other.rule.asked or not other.rule.gap
        )
        if not (each.rule.gap and any(overlaps)):
            kept.append(each)
            yield each


def _has_any(lowered: str, cues: Sequence[str]) -> bool:
    # A loop: twice as fast as any() of a generator.
    for cue in cues:  # noqa: SIM110
        if cue in lowered:
            return True
    return False


def _negations(lowered: str, begin: int) -> Iterator[_Negation]:
    """The negations; a "not" without a verb counts only at the start: "data not found is error 404"."""
    for words in NEGATION.finditer(lowered, begin):
        back = max(0, words.start() - AUXILIARY_WITHIN)
        before = BEFORE_NEGATION.search(lowered[back : words.start()])
        if before is None or (words[0] == "not" and before["nothing"] and words.start() > 2):
            continue
        denies_ability = bool(before["ability"]) or _INABILITY.search(words[0]) is not None
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


def _found(rule: Rule, spans: Iterator[Span], sentence: str, offset: int) -> Found | None:
    """The first of the spans that has the subject it needs."""
    for start, end in spans:
        subject = _subject(rule, sentence, start)
        if subject is not None:
            is_aside = (
                _ASIDE.search(sentence, 0, start) is not None
                or _ATTRIBUTED.match(sentence) is not None
                or _answers_first(rule, sentence, subject)
                or _ANY_OTHER.search(sentence, subject, end + 20) is not None
                or _AFTER_YES.fullmatch(sentence, 0, subject) is not None
                or _NOT_MEANINGFUL.search(sentence, subject, end + 20) is not None
                or _WHOSE.search(sentence, 0, subject) is not None
                or _SAID_BY.match(sentence, 0, start) is not None
                or _EXPLAINS.match(sentence, 0, start) is not None
                or _WHERE.search(sentence, 0, start) is not None
                or (
                    (rule.gap or _IMPERSONAL.match(sentence, start) is not None)
                    and not rule.asked
                    and _follows_statement(sentence, subject)
                )
            )
            return Found(rule, offset + subject, offset + end, is_aside)
    return None


def _answers_first(rule: Rule, sentence: str, start: int) -> bool:
    """Whether a clause before the refusal answers: "It was Ada Lind, but the text does not say when"."""
    turn = _TURNS_TO_REFUSE.search(sentence, 0, start)
    if turn is None:
        return False
    if INNER_CONCLUSION.search(sentence, turn.end("but") if turn["but"] else turn.start(), start):
        return False
    clause = sentence[: turn.start()].rstrip(" ,–—-")[:CLAUSE_READ]
    if turn["but"] and _SUPPOSES_AN_ANSWER.match(clause):
        return True
    if rule.closes and turn["but"] and not FIGURE.search(clause):
        return False
    return not SAYS_NO_ANSWER.match(clause)


def _follows_statement(sentence: str, start: int) -> bool:
    """Whether another clause with its own verb, not about a source, precedes: "She won it, and the time is not given"."""
    lead = lead_of(sentence, start)
    if not lead or speaks_of_source(lead) or _DEPENDS.match(lead):
        return False
    return _STATES.search(lead) is not None


def lead_of(sentence: str, start: int) -> str:
    """The clauses before the one that contains `start`."""
    return sentence[: _clause_start(sentence, start)][:CLAUSE_READ]


def speaks_of_source(text: str) -> bool:
    """Whether it names a source, or what the speaker has, was given or was asked."""
    return _SOURCE.search(text) is not None


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
        begin = earlier if CONCEDES.match(before, earlier) else begin
    words = _WORD.finditer(before, begin)
    return next((word.start() for word in words if word[0].lower() in nouns), None)


def _clause_start(text: str, end: int) -> int:
    """The position after the last comma and space before `end`, or 0."""
    at = text.rfind(", ", 0, end)
    return at + 2 if at >= 0 else 0
