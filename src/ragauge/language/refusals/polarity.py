"""What a refusal in a sentence is said of, and whether it is the speaker's own: subjects, asides, reported speech."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ragauge.language.refusals.table import SPEAKER, Rule, has, role, rules

SUBJECT_WITHIN = 160
"""Characters before a refusal that are searched for its subject."""
CLAUSE_READ = 400
"""Characters read of the clause before "but"."""


@dataclass(frozen=True, slots=True)
class Found:
    """A rule's words in a sentence, with their offsets in it. `is_aside`: said by others, on a condition, or in passing."""

    rule: Rule
    start: int
    end: int
    is_aside: bool


def found_in(sentence: str, *, with_question: bool) -> tuple[Found, ...]:
    """The refusals in the sentence: the first of each rule, without gaps whose words another one has too."""
    if not has("signs", sentence):
        return ()
    condition = role("condition").match(sentence)
    begin = condition.end() if condition else 0
    negations = [negation.start() for negation in role("negation").finditer(sentence, begin)]
    found: list[Found] = []
    for rule in rules():
        if rule.needs is not None and not has(rule.needs, sentence):
            continue
        if with_question or rule.counts != "if asked for":
            starts = (rule.words.match(sentence, at) for at in negations)
            matches = (
                filter(None, starts) if rule.is_negated else rule.words.finditer(sentence, begin)
            )
            each = _first(rule, sentence, matches)
            found += () if each is None else (each,)
    return tuple(_without_overlaps(found))


def _first(rule: Rule, sentence: str, matches: Iterable[re.Match[str]]) -> Found | None:
    """The first of the rule's matches that has the subject which the rule needs."""
    for at, words in enumerate(matches):
        if not at and not _names_subject(rule, sentence):
            return None
        start = _subject(rule, sentence, words.start())
        if start is not None and not _is_title(rule, words[0], sentence):
            return Found(rule, start, words.end(), _is_aside(rule, sentence, start, words.end()))
    return None


def _names_subject(rule: Rule, sentence: str) -> bool:
    """Whether the rule's subject is anywhere in the sentence; else no match needs to look for it before itself."""
    return rule.subject in (None, SPEAKER) or rule.subject_words.search(sentence) is not None


def _without_overlaps(found: list[Found]) -> Iterator[Found]:
    kept: list[Found] = []
    for each in sorted(found, key=lambda it: (_need(it.rule), it.start - it.end)):
        overlaps = (
            each.start < other.end and other.start < each.end
            for other in kept
            if (each.rule.counts == other.rule.counts)
            or not other.rule.is_gap
            or each.rule.counts != "if asked for"
        )
        if not (each.rule.is_gap and any(overlaps)):
            kept.append(each)
            yield each


def _need(rule: Rule) -> int:
    return (
        ("if nothing answers", "beside a source", "if asked for").index(rule.counts) + 1
        if rule.is_gap
        else 0
    )


def _is_title(rule: Rule, words: str, sentence: str) -> bool:
    """Whether all its words have capitals: "I Can't Tell You Why" is a song."""
    if rule.subject != SPEAKER or sentence.isupper():
        return False
    return words.rpartition(" ")[2][:1].isupper()


def _subject(rule: Rule, sentence: str, start: int) -> int | None:
    """Where the subject of the words at `start` starts; None if it is not the one that the rule needs."""
    if rule.subject is None:
        return start
    begin = max(0, start - SUBJECT_WITHIN)
    if rule.subject == SPEAKER:
        speaker = role("speaker").search(sentence, begin, start)
        return None if speaker is None else speaker.start()
    before = sentence[begin:start]
    if role("relative").search(before):
        return None
    before = role("inserted").sub(lambda inserted: " " * len(inserted[0]), before)
    clause = clause_start(before, len(before))
    if clause and role("same_subject").match(before, clause):
        clause = clause_start(before, clause - 2)
    noun = rule.subject_words.search(before, clause)
    return None if noun is None else begin + noun.start()


def clause_start(text: str, end: int) -> int:
    """The position after the last comma and space before `end`, or 0."""
    at = text.rfind(", ", 0, end)
    return at + 2 if at >= 0 else 0


def _is_aside(rule: Rule, sentence: str, start: int, end: int) -> bool:
    if role("aside_before").search(sentence, 0, start) or role("aside_opening").match(
        sentence, 0, start
    ):
        return True
    if role("aside_after").search(sentence, start, end + 40) or _answers_first(
        rule, sentence, start
    ):
        return True
    if rule.counts == "if asked for":
        return sentence[:start].rstrip().endswith(" and")  # "is in the mucosa and not in the nodes"
    return rule.is_gap and _follows_statement(sentence, start)


def _answers_first(rule: Rule, sentence: str, start: int) -> bool:
    """Whether a clause before the refusal answers: "It was Ada Lind, but the text does not say when"."""
    turn = role("turns_to_refuse").search(sentence, 0, start)
    if turn is None or role("concludes_within").search(sentence, turn.start() + 1, start):
        return False
    clause = sentence[: turn.start()].rstrip(" ,–—-")[:CLAUSE_READ]
    is_but = "but" in turn[0][:5].lower()
    if is_but and role("guesses").match(clause):
        return True
    if rule.closes and is_but and not role("figure").search(clause):
        return False
    return not role("says_no_answer").match(clause)


def _follows_statement(sentence: str, start: int) -> bool:
    """Whether another clause with a verb precedes, not on a source: "She won it, and the time is not given"."""
    lead = sentence[: clause_start(sentence, start)][:CLAUSE_READ]
    if not lead or role("source").search(lead) or role("depends").match(lead):
        return False
    return role("states").search(lead) is not None
