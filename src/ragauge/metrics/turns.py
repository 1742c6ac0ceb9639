"""Whether the turns of a conversation fit each other: contradictions, and follow-ups answered about another thing.

In a run these are scored once a conversation, at its last turn, and undefined at the other turns.
"""

import itertools
from collections.abc import Sequence, Set

from ragauge.conversations.transcript import Transcript
from ragauge.features.contradictions import (
    JOINING,
    OF_MEASURE,
    PRONOUNS,
    SOUGHT,
    Contradiction,
    Said,
    contradictions,
)
from ragauge.features.texts import refusal_of
from ragauge.language.facts.differences import facts_of, keys_of
from ragauge.language.facts.facts import Fact
from ragauge.language.facts.reader import Statement, read
from ragauge.language.text import excerpt
from ragauge.language.words import words
from ragauge.metric import metric
from ragauge.score import Score

MAX_SHOWN = 20
MAX_COMPARED = 50
"""Most earlier answers that a turn is compared with, so that time grows with the number of turns."""
SAME = frozenset(
    words(
        "also too same both well likewise either neither auch ebenso gleich gleiche gleichen beide "
        "aussi même mêmes également también mismo misma igual tampoco"
    )
)
"""Words of an answer that says of another thing what was said before."""


@metric(version=15)
def consistency(dialogue: Transcript) -> Score:
    """Share of the system's turns, from the second on, that contradict none of its earlier answers.

    In [0, 1]. Two claims are compared if they are about one thing: at least half of what the later one is about was asked or said in
    the earlier turn, and its question names nothing new. Of short answers less needs to be the same. They contradict each other in a number, date or version, a name that
    was asked for, a negation, an opposite, a price for "free", or another yes or no. What the system takes back openly, what holds
    since something changed ("now", "then") or on a condition, multiples of a value and values that the user or a tool gives are no
    contradiction, nor is the answer to a question for another thing ("And for students?") or to an order ("Move it to Thursday."). The 50 answers before a turn are
    compared. Undefined in a conversation with fewer than two answers.

    Source: our own. Of 41 contradictions in transcripts written after its rules version 14 found 11, with 4 false alarms in 31 other conversations;
    this version finds 13, with 1. Of 823 turns of MTRAG, which people approved, it calls 2 one.

    >>> import ragauge as rg
    >>> fee = "The fee of the hut is ${} a year."
    >>> chat = [("Fee?", fee.format(60)), ("Sure?", fee.format(70))]
    >>> messages = [m for q, a in chat for m in ({"role": "user", "content": q}, {"role": "assistant", "content": a})]
    >>> score = rg.score("consistency", messages=messages)
    >>> score.value, score.evidence["contradictions"][0]["says"]
    (0.0, '$70 per year')
    """
    turns = [turn for turn in dialogue.turns() if turn.answer]
    if len(turns) < 2:
        return Score.undefined("the system answers fewer than two times")
    said: list[Said] = []
    found: list[Contradiction] = []
    for turn in turns:
        before = said[-MAX_COMPARED:]
        said.append(Said.of(turn, before))
        new = [*contradictions(said[-1], before)]
        if said[-1].may_change:  # what was said before holds no more
            outdated = {each.in_turn for each in new}
            said = [each for each in said if each.number not in outdated]
        else:
            found += new
    n_apart = len({each.turn for each in found})
    evidence = {
        "contradictions": [each._asdict() for each in found[:MAX_SHOWN]],
        "n_turns": len(turns) - 1,
    }
    return Score(1 - n_apart / (len(turns) - 1), evidence=evidence)


@metric(version=2)
def carried_context(dialogue: Transcript) -> Score:
    """Share of the follow-ups that are answered about the thing that they refer to.

    In [0, 1]. A follow-up is a question, from the second turn on, that needs what was said before: it has a pronoun ("it",
    "they", "that one") or begins with "And" or "What about", in English, German, French and Spanish. Its answer is about
    another thing if it names another model or version than the question ("Nova 7" for "And the Nova 8?"); if to "And
    Vesta?" it does not name Vesta and states only values that were stated before; or if to a question with a pronoun it begins
    with a name that nothing said before has and shares no content word or number with the turn before, unless the question
    asks for a name ("who", "which"). Refusals do not count. Undefined without
    such a follow-up.

    Source: our own. Of 15 answers about another thing in 166 transcripts of our own, judged before, it finds 12, and calls
    2 other follow-ups one; of 257 of MTRAG it calls none.

    >>> import ragauge as rg
    >>> chat = [("Who wrote Emma?", "Jane Austen wrote Emma."), ("When did it appear?", "Moby Dick appeared in 1851.")]
    >>> messages = [m for q, a in chat for m in ({"role": "user", "content": q}, {"role": "assistant", "content": a})]
    >>> score = rg.score("carried_context", messages=messages)
    >>> score.value, score.evidence["not_carried"][0]["answers_about"]
    (0.0, 'Moby Dick')
    """
    n, apart = 0, list[dict[str, object]]()
    known: set[str] = set()
    before: Set[str] = frozenset()
    for turn in dialogue.turns():
        asked, said = read(turn.question or ""), read(turn.answer or "")
        spoken = words((turn.question or "").lower())
        goes_on = JOINING.match(turn.question or "")
        has_pronoun = not PRONOUNS.isdisjoint(spoken)
        is_follow_up = known and said and (goes_on or has_pronoun)
        if is_follow_up and refusal_of(turn.answer or "", turn.question) is None:
            n += 1
            other = _known_alone(asked, said, known) if goes_on else ""
            known |= _things(asked)
            # "And the first man?" may ask for any name.
            is_sought = not has_pronoun or not SOUGHT.isdisjoint(spoken)
            if other := other or _other_thing(asked, said, known, before, is_sought=is_sought):
                question = excerpt(turn.question or "", 200)
                apart.append({"turn": turn.number, "question": question, "answers_about": other})
        before = _things(asked) | _things(said)
        known |= before
    if not n:
        return Score.undefined("no question refers to what was said before")
    return Score(1 - len(apart) / n, evidence={"not_carried": apart[:MAX_SHOWN], "n_follow_ups": n})


def _things(statements: Sequence[Statement]) -> set[str]:
    """The content words, names and facts of a text."""
    return {*keys_of(statements), *map(_value_of, facts_of(statements))}


def _value_of(fact: Fact) -> str:
    return fact.text.lower() if fact.kind == "date" else f"{fact.value} {fact.unit}"


def _known_alone(asked: Sequence[Statement], said: Sequence[Statement], known: Set[str]) -> str:
    """The answer to "And X?" if it has no X and all its facts are those of an earlier one; else empty."""
    facts = {*map(_value_of, facts_of(said))}
    is_alike = not SAME.isdisjoint(token.text for each in said for token in each.tokens)
    new = _things(asked) - known - OF_MEASURE
    is_other = facts and facts <= known and new and not is_alike and not new & _things(said)
    return excerpt(said[0].text, 80) if is_other else ""


def _other_thing(
    asked: Sequence[Statement],
    said: Sequence[Statement],
    known: Set[str],
    before: Set[str],
    *,
    is_sought: bool,
) -> str:
    """The name of what an answer is about, if the question does not refer to it; else empty."""
    ours, theirs = (
        [fact for fact in facts_of(each) if fact.kind == "code"] for each in (said, asked)
    )
    if ours and theirs and not {fact.value for fact in ours} & {fact.value for fact in theirs}:
        heads = {str(fact.value[0]) for fact in theirs if isinstance(fact.value, tuple)}
        for fact in ours:
            if isinstance(fact.value, tuple) and str(fact.value[0]) in heads:
                return fact.text
        return ""
    first = said[0]
    names = [*itertools.takewhile(lambda word: word.is_name, first.words)]
    tokens = {token.text for each in asked for token in each.tokens}
    if not names or any(word.text.lower() in tokens for word in names):
        return ""
    if is_sought or {word.key for word in names} & known or _things(said) & before:
        return ""
    return first.text[names[0].start - first.start : names[-1].end - first.start]
