"""What a refusal in a sentence is said of, and whether it is the speaker's own: subjects, asides, reported speech."""

import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from typing import Any, Literal, TypeAlias

from ragauge.language.any_case import AnyCase

Counts: TypeAlias = Literal[
    "opening",
    "at the end",
    "always",
    "alone",
    "if nothing answers",
    "beside a source",
    "if asked for",
]
"""Where a wording refuses: as the opening; at the end too; there whatever precedes; if the answer says nothing else; if no
sentence answers; if moreover the answer speaks of a source; if the question asks for what is missing."""

GAPS = ("if nothing answers", "beside a source", "if asked for")
SPEAKER = "speaker"
_WORD = re.compile("[a-z]+")
_NEGATIONS = ("<not>", "<cannot>", "<is_not>")


@dataclass(frozen=True)
class Rule:
    """A row of the table: wordings of one kind of refusal. Words of `subject` must precede in the same clause.

    `is_negated`: all begin with a negation. `signs`: a sentence without any of these words is not searched. Wordings of
    another language (`is_foreign`) have none; they are searched where the sentence has words of one.
    """

    kind: str
    lines: tuple[str, ...]
    is_negated: bool
    example: str
    signs: frozenset[str] = frozenset()
    counts: Counts = "opening"
    subject: str | None = None
    is_foreign: bool = False

    @cached_property
    def words(self) -> AnyCase:
        return _compiled(self.lines)

    @cached_property
    def subject_words(self) -> AnyCase:
        return _compiled((rf"\b(?:{self.subject})\b",))

    @property
    def closes(self) -> bool:
        return self.counts in ("at the end", "always")

    @property
    def is_gap(self) -> bool:
        """Whether answers use such words too, so that it refuses only where nothing answers."""
        return self.counts in GAPS


@cache
def rules() -> tuple[Rule, ...]:
    """The rows of the table; patterns are compiled at their first use."""
    found: list[Rule] = []
    for row in _table()["rows"]:
        fields = {name: value for name, value in row.items() if name not in ("words", "signs")}
        lines: list[str] = row["words"].split("\n")
        # The patterns that begin with a negation are much quicker to find than the others.
        negated = tuple(line for line in lines if line.startswith(_NEGATIONS))
        others = tuple(line for line in lines if line not in negated)
        if negated:
            found.append(Rule(lines=negated, is_negated=True, signs=_signs("<not>"), **fields))
        if others:
            signs = _signs("" if row.get("is_foreign") else row["signs"])
            found.append(Rule(lines=others, is_negated=False, signs=signs, **fields))
    return tuple(found)


@cache
def _all_signs() -> frozenset[str]:
    return frozenset(sign for rule in rules() for sign in rule.signs)


@cache
def role(name: str) -> AnyCase:
    """The pattern of a role that a sentence, or what surrounds a refusal in it, can play."""
    return _compiled(_table()["roles"][name].split("\n"))


def plays(name: str, text: str, start: int = 0) -> bool:
    """Whether the text has the role from its beginning on."""
    return role(name).match(text, start) is not None


def has(name: str, text: str, start: int = 0) -> bool:
    """Whether the text has the role somewhere."""
    return role(name).search(text, start) is not None


@cache
def _table() -> dict[str, Any]:
    text = (resources.files("ragauge.language.refusals") / "refusals.toml").read_text("utf-8")
    return tomllib.loads(text)


@cache
def _signs(text: str) -> frozenset[str]:
    """The words, with those of the named lists among them."""
    known = _table()["signs"]
    words = (known[word[1:-1]] if word.startswith("<") else word for word in text.split())
    return frozenset(" ".join(words).split())


@cache
def _part(name: str) -> str:
    """A named part of the patterns: nouns with their plurals, the words of a class, or a pattern."""
    given = _table()
    if nouns := given["nouns"].get(name):
        nouns = re.sub(r"([^aeiou\s])y(?!\S)", r"\1(?:y|ies)", nouns)
        nouns = re.sub(r"(s|x|ch)(?!\S)", r"\1(?:es)?", nouns)
        return "|".join(
            noun if noun.endswith((")", ")?")) else f"{noun}s?" for noun in nouns.split()
        )
    words = given["classes"].get(name)
    return given["parts"][name] if words is None else "|".join(words.split())


def _compiled(lines: Sequence[str]) -> AnyCase:
    return AnyCase("|".join(map(_expanded, lines)))


def _expanded(text: str) -> str:
    """The pattern in the notation of `re`."""
    while named := re.search(r"<([a-z][a-z_]*)>", text):
        text = f"{text[: named.start()]}({_part(named[1])}){text[named.end() :]}"
    text = re.sub(r"(?<!\\)\((?!\?)", "(?:", text.replace("~", "[^,;:]{0,60}?"))
    return re.sub("[ _]", r"\\s+", re.sub(r"[ _]\?", r"\\s*", text))


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
    words = set(_WORD.findall(sentence.lower()))
    is_foreign = has("foreign", sentence)
    if not is_foreign and words.isdisjoint(_all_signs()):
        return ()
    tried = [
        rule
        for rule in rules()
        if (is_foreign if rule.is_foreign else not words.isdisjoint(rule.signs))
    ]
    if not tried:
        return ()
    condition = role("condition").match(sentence)
    begin = condition.end() if condition else 0
    negations = [negation.start() for negation in role("negation").finditer(sentence, begin)]
    found: list[Found] = []
    for rule in tried:
        if with_question or rule.counts != "if asked for":
            starts = (rule.words.match(sentence, at) for at in negations)
            matches = (
                filter(None, starts) if rule.is_negated else rule.words.finditer(sentence, begin)
            )
            if each := _first(rule, sentence, matches):
                found.append(each)
    kept: list[Found] = []
    for each in sorted(found, key=lambda it: (_need(it.rule), it.start - it.end)):
        overlaps = any(
            each.start < other.end and other.start < each.end
            for other in kept
            if each.rule.counts == other.rule.counts
            or not other.rule.is_gap
            or each.rule.counts != "if asked for"
        )
        if not (each.rule.is_gap and overlaps):
            kept.append(each)
    return tuple(kept)


def _first(rule: Rule, sentence: str, matches: Iterable[re.Match[str]]) -> Found | None:
    """The first of the rule's matches that has the subject which the rule needs."""
    for at, words in enumerate(matches):
        is_noun = rule.subject not in (None, SPEAKER)
        if not at and is_noun and not rule.subject_words.search(sentence):
            return None  # no match needs to look for it before itself
        start = _subject(rule, sentence, words.start())
        is_title = (  # "I Can't Tell You Why" is a song
            rule.subject == SPEAKER
            and sentence[words.start() : words.end()].rpartition(" ")[2][:1].isupper()
            and not sentence.isupper()
        )
        if start is not None and not is_title:
            return Found(rule, start, words.end(), _is_aside(rule, sentence, start, words.end()))
    return None


def _need(rule: Rule) -> int:
    return GAPS.index(rule.counts) + 1 if rule.is_gap else 0


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
    for inserted in role("inserted").finditer(before):
        blank = " " * len(inserted[0])
        before = before[: inserted.start()] + blank + before[inserted.end() :]
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
    if (
        role("aside_before").search(sentence, 0, start)
        or role("aside_opening").match(sentence, 0, start)
        or role("aside_after").search(sentence, start, end + 40)
        or _answers_first(rule, sentence, start)
    ):
        return True
    if rule.counts == "if asked for":
        return sentence[:start].rstrip().endswith(" and")  # "is in the mucosa and not in the nodes"
    clause = clause_start(sentence, start)
    if not (rule.is_gap or (rule.counts == "opening" and sentence.startswith("and ", clause))):
        return False
    # Another clause with a verb, not on a source: "She won it, and the time is not given".
    lead = sentence[:clause][:CLAUSE_READ]
    if not lead or role("source").search(lead) or role("depends").match(lead):
        return False
    return role("states").search(lead) is not None


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
