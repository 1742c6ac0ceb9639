"""Where a turn of the system contradicts an earlier one: claims are paired by what they are about, and their facts compared.

Two claims are about one thing if at least half of what the later one is about was asked or said in the earlier turn. They are not if
the later question names something new, or if a place, a condition or another adjective sets the two apart.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise, product
from typing import NamedTuple

from ragauge.conversations.transcript import Turn
from ragauge.language.dates.parts import Date
from ragauge.language.facts.differences import (
    LIKELY,
    contradiction,
    facts_of,
    is_equal,
    is_same,
    keys_of,
)
from ragauge.language.facts.facts import Fact
from ragauge.language.facts.reader import PREFIX, Statement, Word, read
from ragauge.language.facts.vocabulary import vocabulary
from ragauge.language.numbers.units import MONEY, are_of_other_kinds
from ragauge.language.references.contradictions import ASKS_YES_OR_NO
from ragauge.language.refusals.refusals import find_refusals
from ragauge.language.stems import stem
from ragauge.language.stop_words import FUNCTION_WORDS
from ragauge.language.text import excerpt
from ragauge.language.words import words

MAX_STATEMENTS = 100
"""Most statements of an answer that are compared."""
MAX_RESULT = 5_000
"""Most characters of what the tools of a turn returned that are read."""
MAX_TEXT = 200
"""Most characters of a claim that are shown."""
MIN_KNOWN = 0.5
"""The share of what a claim is about that the earlier turn has, from which the two are compared."""
MIN_KNOWN_OF_NAME = 0.6
"""The same for names."""
MIN_KNOWN_OF_ALL = 0.25
"""The same where a claim has all that the earlier one is about."""
MAX_PAIRS = 8
"""Most pairs of claims of two turns that are few; the more there are, the more of them differ by chance."""
MAX_WORDS = 8
"""Most words of a follow-up; a longer question is one by itself."""
YES_OR_NO = re.compile(
    r"\s*(?:(yes|ja|sí|si|oui|sim)|no|nein|non|não)\s*(?:[.,:;!–—-]\s*|$)", re.IGNORECASE
)
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
REFERRING = PRONOUNS - {*words("one ones la le les lo das there")}
"""Words at the beginning of a statement that is about the thing of the one before."""
SOUGHT = frozenset(
    words(
        "who whom whose which where wo où dónde wer wen wem welche welcher welches qui quel quelle quién quiénes cuál qué"
    )
)
"""Words of questions whose answer is a name."""
OF_MEASURE = frozenset(
    word[:PREFIX]
    for word in words(
        "long time high tall big large old much many far deep heavy wide again sure really exactly "
        "just check checking confirm remind earlier said hello please then dann alors entonces donc "
        "lang lange zeit hoch groß alt viel viele weit tief schwer breit noch nochmal sicher genau "
        "longtemps temps haut grand vieux beaucoup loin encore sûr exactement tiempo alto grande "
        "mucho cuánto lejos otra vez seguro exactamente"
    )
)
"""Beginnings of words that say of a question how it asks, and not what about: "How long …?", "again"."""
TELL_APART = words(
    "next other another others together below above under over front back without alone"
)
OF_NOTHING = OF_MEASURE | {
    stem(word)[:PREFIX]
    for word in (FUNCTION_WORDS - {*TELL_APART})
    | {*words("time sorry afraid take name cost price pay charge correct")}
}
"""Keys of words that do not say what a sentence is about, or say it by the kind of value that it states."""
CHANGED = frozenset(
    words(
        "longer later sooner now again otherwise instead extended changed moved updated jetzt nun wieder sonst maintenant ahora"
    )
)
CONDITION = frozenset(words("then dann alors entonces"))
"""Words of a statement that holds since something changed; the beginning of one that holds for what the user said."""
ORDER = re.compile(r"\W*(\w+) (?:it|them|this|that|the|my|an?|me|one)\b", re.IGNORECASE)
"""How a message begins after whose verb what was said may hold no more: `Move it to Thursday.`"""
CORRECTION = re.compile(
    r"\b(?:(?:was|were) (?:wrong|mistaken)|my mistake|correction|misspoke|let me correct|i meant|geirrt|vertan|trompé|equivoqu)",
    re.IGNORECASE,
)
"""How the system takes back openly what it said."""
ASIDE = frozenset(words("without ohne sans sin"))
"""Negations that deny only what follows them: `Yes, it works without a key.`"""
FRONT = frozenset(words("in on at by for with from under during within outside"))
"""Words that a statement begins with that holds somewhere, at some time or with something."""
SUBORDINATE = frozenset(words("when while although because to"))


class Contradiction(NamedTuple):
    """What a turn says, the earlier turn that says something else, what that is, and the kind."""

    turn: int
    says: str
    in_turn: int
    said: str
    kind: str


@dataclass(frozen=True, slots=True)
class _Claim:
    """A clause of an answer, or a question with the yes or no that it got.

    `about`: the topics of its words and facts, and of what a pronoun refers to; `is_stated`: on no condition; `sides`: its sides of
    pairs of opposites, of which the words are `turning`; `values`, `names`: its facts, and names and first word, that are new.
    """

    clause: Statement
    text: str
    about: Set[str]
    is_denied: bool
    is_stated: bool
    sides: Set[tuple[int, int]]
    turning: Set[str]
    values: Sequence[Fact] = ()
    names: Sequence[Word] = ()

    @classmethod
    def of(cls, clause: Statement, spoken_of: Set[str] = frozenset()) -> "_Claim":
        known, tokens = vocabulary(), [token.text for token in clause.tokens]
        sides = {side for word in clause.words for side in word.opposites}
        ((free, side),) = known.opposites["free"]
        if any(fact.unit in MONEY and fact.value for fact in clause.facts):
            sides.add((free, 1 - side))
        denials = [token for token in tokens if token in known.negations - ASIDE]
        return cls(
            clause,
            excerpt(clause.text.strip(), MAX_TEXT),
            topics([clause]) | spoken_of,
            len(denials) % 2 == 1,
            "if" not in clause.scopes and SUBORDINATE.isdisjoint(tokens[:2]),
            sides,
            {word.key for word in clause.words if word.opposites},
        )

    def opposes(self, other: "_Claim") -> bool:
        """Whether the two have words of one pair of opposites on different sides."""
        return any((pair, 1 - side) in other.sides for pair, side in self.sides)


@dataclass(frozen=True, slots=True)
class Said:
    """A turn as it is compared: what is asked, and what the answer claims.

    `asks_about`: the topics of the question; `topic`: and of what it refers to; `new`: those that nobody named before; `spoken`,
    `facts`: what question and answer have; `reply`: the question with its yes or no, said or meant (None: it asks for neither);
    `is_follow_up`: "And the next?"; `is_for_another`: and names something new; `may_change`: what was said may hold no more after it.
    """

    number: int
    asked: Sequence[Statement]
    asks_about: Set[str]
    topic: Set[str]
    new: Set[str]
    spoken: Set[str]
    facts: Sequence[Fact]
    claims: Sequence[_Claim]
    reply: _Claim | None
    begins_with_reply: bool
    is_follow_up: bool
    is_for_another: bool
    may_change: bool
    asks_for_a_name: bool

    @classmethod
    def of(cls, turn: Turn, before: "Sequence[Said]") -> "Said":
        """The turn after these."""
        question, answer = turn.question or "", turn.answer or ""
        start = YES_OR_NO.match(answer)
        rest = re.sub("[;:] ", ". ", answer[start.end() if start else 0 :])
        is_silent = CORRECTION.search(answer) or any(each.decides for each in find_refusals(answer))
        claims = [] if is_silent else [*_claims(read(rest)[:MAX_STATEMENTS])]
        asked, said, begins = read(question), read(answer), words(question.lower())
        own, asked_facts = topics(asked), facts_of(asked)
        spoken = frozenset[str]().union(*(each.spoken for each in before))
        stated = [fact for each in before for fact in each.facts]
        adds = any(not _is_among(fact, stated) for fact in asked_facts)
        given = [] if start and start[1] else asked_facts
        stated += given
        results = " ".join((call.result or "")[:MAX_RESULT] for call in turn.calls)[:MAX_RESULT]
        given = [*given, *facts_of(read(results))]
        is_short = "?" in question and len(begins) < 4 and not ASKS_YES_OR_NO.match(question)
        is_joined = JOINING.match(question) or is_short
        is_follow_up = (
            bool(is_joined) and len(begins) <= MAX_WORDS and CONCLUDING.isdisjoint(begins[:1])
        )
        refers = is_joined or len(own) < 2
        order, reply = ORDER.match(question), None
        if asked and (start or (claims and ASKS_YES_OR_NO.match(asked[-1].text))):
            claim = _Claim.of(asked[-1], own)
            is_no = start[1] is None if start else claims[0].is_denied != claims[0].opposes(claim)
            text = f"{'no' if is_no else 'yes'} to {claim.text}"
            reply = replace(claim, text=text, is_denied=claim.is_denied != is_no)
        return cls(
            turn.number,
            asked,
            own,
            own | before[-1].topic if refers and before else own,
            own - spoken,
            topics(said) | own,
            facts_of((*said, *asked)),
            [_with_news(claim, stated, given, spoken | own, begins) for claim in claims],
            reply,
            start is not None,
            is_follow_up,
            is_follow_up and (adds or bool(own - spoken)),
            "?" not in question
            and (" just " in question or bool(order and order[1].lower() not in FUNCTION_WORDS)),
            not SOUGHT.isdisjoint(begins) or begins[:1] == ["what"],
        )


def _with_news(
    claim: _Claim,
    stated: Sequence[Fact],
    given: Sequence[Fact],
    spoken: Set[str],
    asked: Sequence[str],
) -> _Claim:
    """The claim with the values and names that nobody stated before, no tool gave, and that are not what is asked about: `In D?`"""
    values = [
        fact
        for fact in claim.clause.facts
        if not _is_among(fact, stated)
        and not any(is_same(fact, each) for each in given)
        and not (isinstance(fact.value, tuple) and fact.value[1].lower() in asked)
    ]
    names = [
        word
        for word in claim.clause.words
        if word.text[0].isupper()
        and (word.is_name or word.start == claim.clause.start)
        and word.key not in spoken | OF_NOTHING
    ]
    return replace(claim, values=values, names=names)


def contradictions(said: Said, before: Sequence[Said]) -> Iterator[Contradiction]:
    """What a turn says otherwise than one of those before it."""
    between: Set[str] = frozenset()
    for other in () if said.is_for_another else reversed(before):
        pairs = [_Pair(said, other, claim, between) for claim in said.claims]
        found = [each for pair in pairs for each in (*pair.values(), *pair.names(), *pair.senses())]
        if said.reply and said.begins_with_reply:
            found += _Pair(
                replace(said, asks_about=frozenset()), other, said.reply, between
            ).senses()
        between |= other.new
        for kind, says, denied in dict.fromkeys(found):
            yield Contradiction(said.number, says, other.number, denied, kind)


@dataclass(frozen=True, slots=True)
class _Pair:
    """A claim of a turn, and an earlier turn."""

    said: Said
    other: Said
    claim: _Claim
    between: Set[str]

    @property
    def are_few(self) -> bool:
        """Whether so few claims are compared that what they share is no coincidence."""
        return len(self.said.claims) * len(self.other.claims) <= MAX_PAIRS

    def values(self) -> Iterator[tuple[str, str, str]]:
        """Amounts, dates and versions where the earlier turn has one other, of which they are no multiple."""
        clause, other = self.claim.clause, self.other
        names = {word.key for word in clause.words if word.is_name}
        for fact, theirs in product(self.claim.values, other.claims):
            value = next((each for each in theirs.clause.facts if _differ(fact, each)), None)
            factors = [
                each for each in (*clause.facts, *facts_of(self.said.asked)) if each is not fact
            ]
            others = [each for each in other.facts if _differ(fact, each)]
            if (
                value is None
                or sum(
                    any(_differ(own, each) for each in theirs.clause.facts) for own in clause.facts
                )
                > 1
                or (len(others) > 1 and not self.are_few)
                or not names <= theirs.about | other.topic
                or any(_is_product(fact, value, each) for each in factors)
            ):
                continue
            about, told = self.claim.about - {_topic(fact)}, theirs.about - {_topic(value)}
            least = MIN_KNOWN_OF_ALL if self.are_few and told and told <= about else MIN_KNOWN
            least = 1 if len(others) > 1 else least
            if self.share(about, told, theirs.clause) >= least:
                yield _differ(fact, value), fact.shown, value.shown

    def senses(self) -> Iterator[tuple[str, str, str]]:
        """The claim itself, where it denies what the earlier turn says, or a word of it has the opposite sense."""
        claim, reply = self.claim, self.other.reply
        for theirs in (*self.other.claims, *([reply] if reply else [])):
            opposite = claim.opposes(theirs)
            if (
                (claim.is_denied != theirs.is_denied) == opposite
                or not (claim.is_stated and theirs.is_stated)
                or claim.about.isdisjoint(theirs.about)
                or not (opposite or theirs is reply or _is_turned(claim.clause, theirs.clause))
            ):
                continue
            turning = (claim.turning | theirs.turning) if opposite else frozenset[str]()
            if self.said.asks_for_a_name:
                turning |= {word.key for word in claim.names}
            ours, its = claim.about - turning, theirs.about - turning
            told = (
                its | self.other.claims[0].about if theirs is reply and self.other.claims else its
            )
            share = self.share(ours, told, theirs.clause) if ours & its else 0
            is_all = share == 1 and 2 * len(ours & its) >= len(its)
            few = self.are_few and len(ours & its) > 1
            if is_all or ((its <= ours or few) and share >= MIN_KNOWN):
                kind = "opposite" if opposite else "negation"
                kind = "answer" if claim is self.said.reply and theirs is reply else kind
                yield kind, claim.text, theirs.text
                return

    def names(self) -> Iterator[tuple[str, str, str]]:
        """A name where the earlier turn was asked for one, and has another."""
        ours, other = self.claim.names, self.other
        asked = other.asks_about
        about = self.claim.about - {word.key for word in ours}
        known = about | self.said.topic if self.said.asks_for_a_name and self.are_few else about
        if (
            not ours
            or self.said.is_follow_up
            or not other.asks_for_a_name
            or 2 * len(asked & known) < len(asked)
        ):
            return
        for theirs in other.claims[:1]:
            lost = [word for word in theirs.names if word.key not in self.said.spoken | other.topic]
            if lost and self.share(about, theirs.about, theirs.clause) >= MIN_KNOWN_OF_NAME:
                yield "entity", ours[0].text, lost[0].text

    def share(self, ours: Set[str], theirs: Set[str], clause: Statement) -> float:
        """The share of what a claim is about that the earlier turn has; 0 if it is about another thing.

        A claim without words of its own is about what its question is about.
        """
        said, other, own = self.said, self.other, self.claim.clause
        has_words = any(each[0] != "#" for each in ours)
        about = ours if has_words else ours | said.topic
        known = other.topic | (theirs if has_words else ours)
        heads, their_heads = (_modifiers(each) for each in ([own], [clause, *other.asked]))
        taken_up, missing = theirs & other.new, about - known
        is_another = (
            (missing and not has_words)
            or not (said.asks_about.isdisjoint(missing) or (self.are_few and theirs <= ours))
            or (taken_up and taken_up.isdisjoint(about | said.topic))
            or any(
                modifier not in known and their_heads.get(head, modifier) not in (modifier, *about)
                for head, modifier in heads.items()
            )
            or _asks_for_another(facts_of(said.asked), other)
            or not self.between.isdisjoint(
                word.key for word in own.words if word.is_name or word.start == own.start
            )
            # `In the annex there is none.`
            or (own.tokens[0].text in FRONT and {word.key for word in own.words[:1]} & missing)
        )
        return 0 if is_another or not about else len(about & known) / len(about)


def topics(statements: Sequence[Statement]) -> Set[str]:
    """What statements are about: the keys of their words, and `#` with each date, place and version."""
    facts = {_topic(fact) for fact in facts_of(statements) if fact.kind != "amount"}
    return (keys_of(statements) - OF_NOTHING) | facts


def _topic(fact: Fact) -> str:
    value = sorted(fact.value.parts.items()) if isinstance(fact.value, Date) else fact.value
    return f"#{fact.kind} {value}"


def _claims(statements: Iterable[Statement]) -> Iterator[_Claim]:
    """The claims of an answer that hold without a change or condition; one with a pronoun is about what the statement before it is."""
    last: Set[str] = frozenset()
    for statement in statements:
        tokens = [token.text for token in statement.tokens]
        spoken_of = frozenset[str]() if REFERRING.isdisjoint(tokens) else last
        last = topics([statement]) | spoken_of
        if CHANGED.isdisjoint(tokens) and CONDITION.isdisjoint(tokens[:2]):
            yield from (_Claim.of(clause, spoken_of) for clause in _clauses(statement))


def _clauses(statement: Statement) -> Iterator[Statement]:
    """The parts of a statement between commas that have a few words; one with a condition is a single clause."""
    start = statement.start
    for token in statement.tokens:
        if token.text in ",–" and "if" not in statement.scopes:
            parts = [statement.part(start, token.end), statement.part(token.end, statement.end)]
            if all(len(each.tokens) > 3 and each.keys - OF_NOTHING for each in parts):
                yield parts[0]
                start = token.end
    yield statement.part(start, statement.end)


def _differ(one: Fact, other: Fact) -> str:
    """The kind of the contradiction between two facts; empty for one that is only likely, two of a class, such as colours, and for `$5` and `5 hours`."""
    kind = "" if is_same(one, other) else contradiction(one, other)
    # $20 a month is $200 a year.
    is_rate = kind == "number" and one.per and other.per and one.per != other.per
    is_of_another = kind == "unit" and are_of_other_kinds(one.unit, other.unit)
    return "" if kind in (LIKELY, "member") or is_rate or is_of_another else kind


def _is_among(fact: Fact, others: Iterable[Fact]) -> bool:
    """Whether a fact was stated, with a unit or without one in both."""
    return any(is_same(fact, each) and bool(fact.unit) == bool(each.unit) for each in others)


def _is_turned(one: Statement, other: Statement) -> bool:
    """Whether a negation stands near a word or fact of one statement and not of the other."""
    senses = {word.key: word.is_negated for word in one.words}
    return any(
        senses.get(word.key, word.is_negated) != word.is_negated for word in other.words
    ) or any(
        fact.is_negated != each.is_negated and is_same(fact, each)
        for fact, each in product(one.facts, other.facts)
    )


def _is_product(fact: Fact, value: Fact, by: Fact) -> bool:
    """Whether one of two amounts is a multiple of the other: `460 euros` for `four nights` at `115 euros`."""
    amounts = [each.value for each in (fact, value, by) if isinstance(each.value, Decimal)]
    if len(amounts) < 3:
        return False
    one, other, times = amounts
    return one == other * times or other == one * times


def _asks_for_another(asked: Sequence[Fact], other: Said) -> bool:
    """Whether a question has another number, date or code in the place of the earlier question's: `Item 7?` after `Item 6?`."""
    before = facts_of(other.asked)
    return any(
        contradiction(fact, each)
        or (fact.kind == each.kind == "amount" and fact.unit == each.unit)  # 3,901 rounds 3,900
        for fact in asked
        if not any(is_equal(fact, each) for each in before)
        for each in before
    )


def _modifiers(statements: Iterable[Statement]) -> Mapping[str, str]:
    """By word, the one right before it: `small` of `the small plan`."""
    return {
        word.key: before.key
        for statement in statements
        for before, word in pairwise(statement.words)
        if word.start - before.end == 1 and before.key not in OF_NOTHING and before.text.islower()
    }
