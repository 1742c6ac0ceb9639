"""Whether an answer names the reference only beside another answer: `Jupiter, ahead of Saturn` for `Saturn`."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragauge.language.references.compared_text import ARTICLES, ComparedText, read_text
from ragauge.language.stems import Word

MAX_REFERENCE = 5
"""Words; a longer reference is no name."""
MAX_PLACES = 8
"""An answer that names the reference more often is taken to give it."""
NEAR = 60
"""Characters before the reference that are looked at."""
LEAST_RESTATED = 0.5
"""The share of the question's content words in the clause that answers it."""
ANY_RESTATED = 0.01
_OPENS = re.compile(
    r"[\s\"'*(]{0,8}(?:the\s|(?:it|this|that)\s(?:was|is)\s(?:[a-z]+\sby\s)?)?", re.IGNORECASE
)
_ARTICLE = r"(?:(?:the|a|an|king|queen|president|sir)\s+)?\Z"
_KIN = r"husband|wife|widow|widower|son|daughter|father|mother|brother|sister|uncle|aunt|nephew|niece|cousin"
_BESIDE = re.compile(
    rf"\b(?:ahead\s+of|followed\s+by|narrowly\s+ahead\s+of|border\s+with|(?:{_KIN})\s+of)\s+{_ARTICLE}",
    re.IGNORECASE,
)
_IN_OFFICE = re.compile(
    rf"\b(?:who\s+(?:succeeded|replaced|took\s+over\s+from)|succeeding|replacing)\s+{_ARTICLE}",
    re.IGNORECASE,
)
_BEATEN = re.compile(
    rf"\b(?:beat|beats|beating|defeated|defeats|defeating)\s+{_ARTICLE}", re.IGNORECASE
)
_COMES_AFTER = re.compile(
    r"\s+(?:followed\s+(?:him|her|it|them)|(?:is|was|are|were|came|comes)\s+(?:only\s+)?(?:the\s+)?(?:second|third))\b",
    re.IGNORECASE,
)
_ASKS_LATER = re.compile(
    r"\b(?:second|third|fourth|fifth|next|after|follow\w*|runners?|last|least)\b", re.IGNORECASE
)
_ASKS_EARLIER = re.compile(
    r"\b(?:second|third|runner|before|previous|previously|former|formerly|prior|predecessor|first|original|originally|last)\b",
    re.IGNORECASE,
)
_ASKS_WINNER = re.compile(r"\b(?:won|win|wins|winner|winners|champions?|victor)\b", re.IGNORECASE)
_CONCEDES = re.compile(
    r"(?:while|whilst|although|though|even\s+though|unlike|despite)\b", re.IGNORECASE
)
_BUT = re.compile(r",?\s+but\s", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?](?=\s|\Z)|;|\n")


Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Reply:
    """An answer, what its question says, and the words of it that could be another answer."""

    question: str
    asked: frozenset[str]
    answer: str
    words: Sequence[Word]
    others: Sequence[Word]

    def restated(self, part: Span) -> float:
        """The share of the question's content words in a part of the answer."""
        there = {word.stem for word in self.words if part[0] <= word.start < part[1]}
        return len(self.asked & there) / len(self.asked) if self.asked else 0.0

    def other(self, part: Span) -> str | None:
        """The first words in a part of the answer that could be another answer."""
        within = [word for word in self.others if part[0] <= word.start < part[1]]
        if not within:
            return None
        last = within[0]
        for word in within[1:]:
            if self.answer[last.end : word.start] != " ":
                break
            last = word
        return self.answer[within[0].start : last.end]


def named_beside(
    question: str, asked: ComparedText, expected: ComparedText, answer: str, given: ComparedText
) -> str | None:
    """What the answer gives instead, if wherever it names the reference it is beside that.

    Beside: behind `ahead of`, `the wife of` and the like, unless the question asks for that; before `followed
    her`; or in a clause with `while` or before `but` that restates less of the question than the other clause.

    >>> from ragauge.language.references.compared_text import read_text
    >>> asked, expected = read_text("What is the capital of Australia?"), read_text("Canberra")
    >>> for answer in ("Canberra is large, but the capital is Sydney.", "The capital is Canberra, but Sydney is larger."):
    ...     named_beside("What is the capital of Australia?", asked, expected, answer, read_text(answer))
    'Sydney'
    """
    places = _places(expected, given)
    if not 0 < len(places) <= MAX_PLACES:
        return None
    known = asked.stems | expected.stems
    kind = str.isdigit if answer[places[0][0]].isdigit() else str.isupper
    others = [word for word in given.content if word.stem not in known and kind(answer[word.start])]
    contents = frozenset(word.stem for word in asked.content)
    reply = _Reply(question, contents, answer, given.words, others)
    found = [_other_at(reply, place) if others else None for place in places]
    return found[0] if all(found) else None


def _places(expected: ComparedText, given: ComparedText) -> list[Span]:
    """The spans of the reference in the answer, word for word; none of a long one."""
    wanted = [word.lowered for word in expected.words if word.lowered not in ARTICLES]
    if not 0 < len(wanted) <= MAX_REFERENCE:
        return []
    words = [word for word in given.words if word.lowered not in ARTICLES]
    n = len(wanted)
    return [
        (word.start, words[at + n - 1].end)
        for at, word in enumerate(words)
        if word.lowered == wanted[0] and [each.lowered for each in words[at : at + n]] == wanted
    ]


def _other_at(reply: _Reply, place: Span) -> str | None:
    """What the answer gives instead, where it names the reference at `place` only beside that."""
    sentence = _sentence(reply.answer, place)
    for main, least in _clauses_beside(reply, sentence, place):
        if (other := reply.other(main)) and reply.restated(main) >= least:
            return other
    return None


def _clauses_beside(reply: _Reply, sentence: Span, place: Span) -> Iterator[tuple[Span, float]]:
    """The clauses beside which the reference may be named, and how much of the question they must restate."""
    start, end = place
    before = reply.answer[max(sentence[0], start - NEAR) : start]
    relation = _relation(reply, before)
    if relation is not None:
        main = (sentence[0], start - len(before) + relation)
        # `Roger Moore, who took over from …` restates nothing, and is the answer all the same.
        is_all = bool(reply.others) and _OPENS.fullmatch(reply.answer, 0, reply.others[0].start)
        yield main, 0.0 if is_all and main[0] == 0 else ANY_RESTATED
    after = _COMES_AFTER.match(reply.answer, end)
    if after and not _is_asked(reply, after[0]):
        yield (0, start), LEAST_RESTATED
    for conceded, main in _concessions(reply.answer, sentence, place):
        if reply.restated(conceded) < reply.restated(main):
            yield main, LEAST_RESTATED


def _relation(reply: _Reply, before: str) -> int | None:
    """Where the words begin that put what follows beside what is named before them, unless the question has them."""
    found = None if _ASKS_LATER.search(reply.question) else _BESIDE.search(before)
    if not found and not _ASKS_EARLIER.search(reply.question):
        found = _IN_OFFICE.search(before)
    if not found and _ASKS_WINNER.search(reply.question):
        found = _BEATEN.search(before)
    return None if not found or _is_asked(reply, found[0]) else found.start()


def _is_asked(reply: _Reply, words: str) -> bool:
    return any(word.stem in reply.asked for word in read_text(words).words)


def _concessions(answer: str, sentence: Span, place: Span) -> Iterator[tuple[Span, Span]]:
    """The clause that concedes something of the reference, and the clause that answers."""
    first, last = sentence
    if _CONCEDES.match(answer, first, last):
        comma = answer.find(", ", place[1], last)
        if comma >= 0:
            yield (first, comma), (comma, last)
    elif but := _BUT.search(answer, place[1], last):
        yield (first, but.start()), (but.end(), last)


def _sentence(answer: str, place: Span) -> Span:
    """The sentence around a place, without spaces before it."""
    first = 0
    for end in _SENTENCE_END.finditer(answer, 0, place[0]):
        first = end.end()
    first += len(answer[first:]) - len(answer[first:].lstrip())
    found = _SENTENCE_END.search(answer, place[1])
    return first, found.start() if found else len(answer)
