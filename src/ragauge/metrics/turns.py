"""Whether the turns of a conversation fit each other: contradictions, and follow-ups answered about another thing.

In a run these are scored once a conversation, at its last turn, and undefined at the other turns.
"""

import itertools
import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from ragauge.conversations.transcript import Transcript, Turn
from ragauge.features.refusals import refusal_of
from ragauge.language.facts.alignment import align
from ragauge.language.facts.differences import Difference, facts_of, keys_of, likeness
from ragauge.language.facts.reader import Fact, Statement, read
from ragauge.language.stop_words import is_content_word
from ragauge.language.text import excerpt
from ragauge.language.words import words
from ragauge.metric import metric
from ragauge.score import Score

MAX_SHOWN = 20
MAX_COMPARED = 50
"""Most earlier answers that a turn is compared with, so that time grows with the number of turns."""
MAX_STATEMENTS = 100
"""Most statements of an answer that are compared."""
MIN_ALIKE = 0.5
"""The likeness of two statements from which their details are compared."""
YES_OR_NO = re.compile(r"\s*(?:(yes|ja|sí|si|oui|sim)|no|nein|non|não)\b[\s,.:;!]*", re.IGNORECASE)
OF_VALUES = ("number", "date", "value", "unit", "currency", "period")
LEAST_ALIKE = {
    **dict.fromkeys((*OF_VALUES, "opposite"), MIN_ALIKE),
    **{"negation": 0.61, "entity": 0.8},
}
"""The likeness of two statements from which a difference of a kind is a contradiction; of other kinds it is none."""
MAX_SHORT, MIN_SHARED = 2, 3
"""Most statements of an answer that as a whole is the answer to its question; words that two such turns about one thing share."""
OF_MEASURE = frozenset(
    word[:5]
    for word in words(
        "long time high tall big large old much many far deep heavy wide again sure really exactly "
        "just check checking confirm remind earlier said hello please then dann alors entonces donc "
        "lang lange zeit hoch groß alt viel viele weit tief schwer breit noch nochmal sicher genau "
        "longtemps temps haut grand vieux beaucoup loin encore sûr exactement tiempo alto grande "
        "mucho cuánto lejos otra vez seguro exactamente"
    )
)
"""Beginnings of words that say of a question how it asks, and not what about: "How long …?", "again"."""
JOINING = re.compile(
    r"\W*(?:and|but|so|or|then|what about|how about|und|aber|also|oder|dann|was ist mit|et|mais|alors|ou|y|pero"
    r"|entonces|o)\b",
    re.IGNORECASE,
)
"""How a follow-up begins that may name another thing: `And the Nova 8?`"""
CONCLUDING = frozenset(words("so then also dann alors donc entonces"))
"""Words that a question about what was said begins with: `So I need no ticket?`"""
PRONOUNS = frozenset(
    words(
        "it its they them their he him his she her this that these those one ones there er sie es "
        "ihn ihm ihr ihre sein seine dies diese dieser dieses das dort il elle ils elles le la les "
        "lui leur ce cela ça y él ella ellos ellas lo esto eso allí"
    )
)
SPOKEN_OF = PRONOUNS - {*words("one ones la le les lo das dies")}
"""Words of a question about what was said before: `Does it cover labour?`"""
SAME = frozenset(
    words(
        "also too same both well likewise either neither auch ebenso gleich gleiche gleichen beide "
        "aussi même mêmes également también mismo misma igual tampoco"
    )
)
"""Words of an answer that says of another thing what was said before."""
SOUGHT = frozenset(
    words(
        "who whom whose which where wo où dónde wer wen wem welche welcher welches qui quel quelle quién quiénes cuál qué"
    )
)
"""Words of questions whose answer is a name."""


@metric(version=9)
def consistency(dialogue: Transcript) -> Score:
    """Share of the system's turns, from the second on, that contradict none of its earlier answers.

    In [0, 1]. A turn contradicts an earlier one where one detail of a like statement differs: a number, unit, date, name,
    role, "not", opposite, by the same comparison as in `correct`; where it says yes for no to the same question; and where
    short answers to a question with the same words, or to one that concludes ("So …?"), have two values of one kind. A
    question for another thing ("And for students?") is compared with no answer that does not name it, unless it goes on about
    what was spoken of ("Does it cover labour?"): then what the turn says of the new thing is left out. The 50 answers
    before a turn are compared. Undefined in a conversation with fewer than two answers.

    Source: our own. Of 31 contradictions in 126 transcripts of our own, judged before, it finds 18 and calls no other turn one; of
    45 that nobody had looked at it finds 2, with one false alarm; of 823 turns of MTRAG, which people approved, it calls none.

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
    said = [_Said.of(turn) for turn in turns]
    contradictions: list[dict[str, object]] = []
    n_apart = 0
    for at, turn in enumerate(said[1:], 1):
        found = list(_contradictions(turn, said[max(0, at - MAX_COMPARED) : at]))
        n_apart += bool(found)
        contradictions += found
    evidence = {"contradictions": contradictions[:MAX_SHOWN], "n_turns": len(turns) - 1}
    return Score(1 - n_apart / (len(turns) - 1), evidence=evidence)


@dataclass(frozen=True, slots=True)
class _Said:
    """A turn as it is compared: its statements, and the words and facts of its question and answer.

    `says_yes` is None of an answer that begins with neither yes nor no; `concludes`: the question ("So …?") or the answer
    is about what was said before; `topic`: what the question asks about; `named`: of that, what is another thing.
    """

    number: int
    answer: str
    says_yes: bool | None
    statements: Sequence[Statement]
    concludes: bool
    asked_facts: Set[str]
    topic: Set[str]
    named: Set[str]
    words: Set[str]

    @classmethod
    def of(cls, turn: Turn) -> "_Said":
        given, question = turn.answer or "", turn.question or ""
        start = YES_OR_NO.match(given)
        answer = given[start.end() if start else 0 :].replace("; ", ". ")
        is_refused = refusal_of(given, question) is not None
        statements = [] if is_refused else [each for each in read(answer) if "?" not in each.text]
        asked = read(question)
        facts = {fact.text for fact in facts_of(asked)}
        topic = {key for key in keys_of(asked) if key not in OF_MEASURE} | facts
        says_yes = start[1] is not None if start else None
        said = _content_words(question) | _content_words(answer)
        concludes = start is not None or not CONCLUDING.isdisjoint(words(question.lower())[:1])
        named = {word.key for each in asked for word in each.words if word.is_name} | facts
        if SPOKEN_OF.isdisjoint(words(question.lower())):
            named |= topic
        return cls(turn.number, answer, says_yes, statements, concludes, facts, topic, named, said)


def _content_words(text: str) -> Set[str]:
    """The words of a text that say something, their stems, and its facts."""
    facts = {fact.text for fact in facts_of(read(text))}
    return (
        {each for each in words(text.lower()) if is_content_word(each)}
        | keys_of(read(text))
        | facts
    )


def _contradictions(turn: _Said, before: Sequence[_Said]) -> Iterator[dict[str, object]]:
    """What a turn says otherwise than an earlier answer about the same: in yes or no, in a value, in a like statement."""
    for other in before:
        if {turn.says_yes, other.says_yes} == {True, False} and turn.topic == other.topic != set():
            says, said = ("yes" if each.says_yes else "no" for each in (turn, other))
            yield _contradiction(turn, other, says, said, "answer")
            continue
        new = turn.topic - other.words
        if not turn.concludes and new & turn.named:
            continue  # another thing was asked for
        differ = list(_in_statements(turn, other, new))
        is_same = turn.topic <= other.words and turn.topic & other.topic
        is_like = turn.concludes and len(turn.words & other.words) >= MIN_SHARED
        if max(len(turn.statements), len(other.statements)) <= MAX_SHORT and (is_same or is_like):
            found = align(turn.answer, other.answer).differences
            differ += [each for each in found if each.kind in (*OF_VALUES, "version")]
        for each in dict.fromkeys(differ):
            assert each.found and each.expected
            says, said = each.found.text, each.expected.text
            is_asked = each.kind in ("date", "version") and says in turn.asked_facts
            is_stated = each.kind in OF_VALUES and any(says in one.answer for one in before)
            if not is_asked and not is_stated:
                yield _contradiction(turn, other, says, said, each.kind)


def _in_statements(turn: _Said, other: _Said, new: Set[str]) -> Iterator[Difference]:
    """Details of a turn's statements that differ from the most alike statement of the other."""
    for statement in turn.statements[:MAX_STATEMENTS]:
        alike, partner = _most_alike(statement, other.statements[:MAX_STATEMENTS])
        differ = align(statement.text, partner.text).differences if partner else ()
        kinds = {each.kind for each in differ}
        if kinds & {"member", "version"} or ("negation" in kinds and kinds != {"negation"}):
            continue  # two things: "included in Plus" and "not included in Basic"
        asked = new & {*statement.keys, *(fact.text for fact in statement.facts)}
        for each in differ:
            says = each.found.text.lower() if each.found else ""
            if alike >= LEAST_ALIKE.get(each.kind, 2) and all(key in says for key in asked):
                yield each


def _contradiction(turn: _Said, other: _Said, says: str, said: str, kind: str) -> dict[str, object]:
    return {"turn": turn.number, "says": says, "in_turn": other.number, "said": said, "kind": kind}


def _most_alike(
    statement: Statement, others: Sequence[Statement]
) -> tuple[float, Statement | None]:
    """The statement that shares most words and facts with this one; None if none shares half of them."""
    best: tuple[float, Statement | None] = (0.0, None)
    for other in others:
        n = len(statement.keys) + len(other.keys) + len(statement.facts) + len(other.facts)
        most = len(statement.keys & other.keys) + min(len(statement.facts), len(other.facts))
        if 2 * most >= max(MIN_ALIKE, best[0]) * n and statement.keys & other.keys:
            alike = likeness(statement, other)
            best = max(best, (alike, other), key=lambda each: each[0])
    return best if best[0] >= MIN_ALIKE else (0.0, None)


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

    Source: our own. Of 13 answers about another thing in 126 transcripts of our own, judged before, it finds 10, and calls
    one other of 186 follow-ups one; of 257 of MTRAG it calls none.

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
