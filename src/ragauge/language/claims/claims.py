"""Claims: a subject, an assertive verb and an object, found in English text by rules.

A claim is an assertive verb (from a list) between a subject phrase and an object phrase.
`X was built by Y` is a claim with the subject Y; `X is a Y`, `X was born in Y` and `X has two Ys` are
claims too. Hedged statements (may, could, suggest, seem, possibly, if …), questions, negations (two
words close together cannot support a "not") and statements about pronouns, which name nothing to look
for, are not claims.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from ragauge.language.characters import plain_signs
from ragauge.language.claims.words import (
    ACRONYMS,
    ADVERBS,
    ASSERTIVE,
    AUXILIARIES,
    BARE,
    BE,
    COPULAS,
    COUNTS,
    DETERMINERS,
    HAVE,
    HEDGES,
    IDIOMS,
    LEADING,
    LINKING,
    MEASURED,
    MONTHS,
    NAMING,
    NEGATIONS,
    NO_OBJECT,
    PARTICIPLES,
    PLACED,
    POINTING,
    PREPOSITIONS,
    PRONOUNS,
    RELATIVES,
    STOPPING,
    STOPPING_VERBS,
    STOPPING_WORDS,
    TURNS,
    VERBS,
)
from ragauge.language.dates.parts import Date
from ragauge.language.numbers.quantity import Quantity


class Claim(NamedTuple):
    """A subject, an assertive verb and an object, as written in the text."""

    text: str
    start: int
    end: int
    subject: str
    verb: str
    object: str


class Stated:
    """The positions of the quantities and dates of a text."""

    def __init__(self, stated: Iterable[Quantity | Date]) -> None:
        self._stated = stated

    @cached_property
    def _spans(self) -> tuple[list[int], list[int]]:
        """The starts, sorted, and the furthest end of all spans up to each."""
        spans = sorted([(each.start, each.end) for each in self._stated])
        return [start for start, _ in spans], list(accumulate((end for _, end in spans), max))

    def covers(self, start: int, end: int) -> bool:
        """Whether a quantity or date covers start:end."""
        starts, ends = self._spans
        last = bisect_right(starts, start)
        return last > 0 and end <= ends[last - 1]


_LETTER = r"[\w\u0300-\u036f]"
_TOKEN = re.compile(rf"[0-9]+(?:[,.][0-9]+)+|{_LETTER}+(?:[-'.&/]{_LETTER}+)*|[^\w\s]")
# A single character class at the start keeps the search fast.
_STOP = re.compile(r"[.!?;\n](?:(?<=[;\n])|(?![\w.!?,]))")
_SHORT = (
    *("Dr", "Mr", "Mrs", "Ms", "St", "Prof", "Jr", "Sr", "Inc", "Co", "Corp", "Ltd", "No", "vs"),
    *("Gen", "Sen", "Rep", "Lt", "Mt"),
)
_ABBREVIATION = re.compile(rf"\b(?:[A-Z]|{'|'.join(_SHORT)})$")
_SHORT_ENDS = frozenset(word[-2:] for word in _SHORT)
"""The last two letters of these abbreviations; checked first, because it is fast."""
_MAX_PHRASE = 8


def is_pronoun(word: str) -> bool:
    """Whether the word is a pronoun; `US` and `WHO` are names.

    >>> is_pronoun("us"), is_pronoun("US")
    (True, False)
    """
    return word.lower() in PRONOUNS and word not in ACRONYMS


def claims(text: str, stated: Stated | None = None) -> tuple[Claim, ...]:
    """The claims of the text in order, without those whose object is only one of the `stated` ones.

    >>> [(one.subject, one.verb, one.object) for one in claims("The bridge was built by Ann Lee.")]
    [('Ann Lee', 'built', 'bridge')]
    """
    plain = plain_signs(text)
    found: list[Claim] = []
    start = 0
    for stop in _STOP.finditer(plain):
        mark, end = stop[0], stop.start()
        if (
            mark == "."
            and (plain[end - 2 : end] in _SHORT_ENDS or plain[end - 1 : end].isupper())
            and _ABBREVIATION.search(plain, max(start, end - 8), end)
        ):
            continue
        if mark != "?":
            found += _Sentence(text, plain, start, end).claims(stated)
        start = end + 1
    if start < len(text):
        found += _Sentence(text, plain, start, len(text)).claims(stated)
    return tuple(found)


def _tokens(sentence: str) -> list[str]:
    """The words, numbers and single signs of a sentence, in order."""
    tokens: list[str] = []
    for piece in sentence.split():
        if piece.isalnum():
            tokens.append(piece)
        else:
            tokens += _TOKEN.findall(piece)
    return tokens


def _starts(words: Sequence[str], plain: str, start: int) -> list[int]:
    """Where each word of a sentence that begins at `start` begins; only whitespace is between two words."""
    starts: list[int] = []
    for word in words:
        start = plain.find(word, start)
        starts.append(start)
        start += len(word)
    return starts


class _Sentence:
    """The tokens of the sentence at start:end of a text, and the claims among them."""

    def __init__(self, text: str, plain: str, start: int, end: int) -> None:
        self.text = text
        self.plain = plain
        self.start, self.end = start, end
        self.words = _tokens(plain[start:end])
        self.lowered = list(map(str.lower, self.words))
        self._starts: list[int] = []

    def _span(self, first: int, last: int) -> tuple[int, int]:
        """The span in the text of the words from `first` to `last`."""
        if not self._starts:  # computed only for sentences with a claim
            self._starts = _starts(self.words, self.plain, self.start)
        return self._starts[first], self._starts[last] + len(self.words[last])

    @cached_property
    def is_shouted(self) -> bool:
        """Whether the whole sentence is in capitals."""
        return self.plain[self.start : self.end].isupper()

    def claims(self, stated: Stated | None) -> Iterator[Claim]:
        lowered = self.lowered
        hedged_until = subject = None
        for at in [at for at, word in enumerate(lowered) if word in TURNS]:
            word = lowered[at]
            if word in HEDGES and not (word == "may" and at and self._is_name(at)):
                hedged_until = at
            elif word == ":" or (word == "but" and hedged_until is not None):
                hedged_until = subject = None
            elif word in VERBS and hedged_until is None:
                before, is_passive = self._skip_auxiliaries(at)
                if before is None or not self._is_verb(at, before):
                    continue
                subject = self._subject(before, subject)
                object = self._object(at, is_passive) if subject else None
                if subject and object and not (stated and self._is_amount(object, stated)):
                    yield self._claim(subject, at, object)

    def _is_amount(self, places: Sequence[int], stated: Stated) -> bool:
        """Whether the phrase is only an amount or a date: `330 metres tall`."""
        first = places[0]
        if not stated.covers(*self._span(first, first)):
            return False
        return all(
            self.lowered[at] in MEASURED or stated.covers(*self._span(at, at)) for at in places[1:]
        )

    def _claim(self, subject: Sequence[int], at: int, object: Sequence[int]) -> Claim:
        doer, done_to = (subject, object)
        if "by" in self.lowered[at + 1 : object[0]]:
            doer, done_to = object, subject
        start, end = self._span(min(subject[0], at), object[-1])
        verb = self.words[at]
        phrases = self._phrase(doer), verb, self._phrase(done_to)
        return Claim(self.text[start:end], start, end, *phrases)

    def _phrase(self, places: Sequence[int]) -> str:
        start, end = self._span(places[0], places[-1])
        return self.text[start:end]

    def _skip_auxiliaries(self, at: int) -> tuple[int | None, bool]:
        """The position where the subject should end (None for a negated verb), and whether it is passive."""
        is_passive = False
        before = at - 1
        while before >= max(0, at - _MAX_PHRASE):
            word = self.lowered[before]
            if word in NEGATIONS or word.endswith("n't") or word == "to":
                return None, False
            if word in AUXILIARIES:
                is_passive |= word in BE
            elif not self._is_adverb(before):
                break
            before -= 1
        return before, is_passive

    def _is_verb(self, at: int, before: int) -> bool:
        """Whether the word at `at` is a verb here, not a noun or participle of the same form."""
        word = self.lowered[at]
        following = self.lowered[at + 1] if at + 1 < len(self.lowered) else ""
        if following in ("not", "never", "no", "of") or self._is_name(at):
            return False
        if word in HAVE or (word in COPULAS and word in BE):
            return before == at - 1 or self.lowered[at - 1] not in AUXILIARIES
        if word in BARE and word not in ASSERTIVE:
            if at - 1 > before:
                return bool({"did", "does", "do", "will"} & set(self.lowered[before + 1 : at]))
            noun = self.lowered[before] if before >= 0 else ""
            return noun.endswith("s") and not noun.endswith(("ss", "us", "is")) and len(noun) > 3
        previous = self.lowered[at - 1] if at else ""
        return previous not in DETERMINERS and previous not in PREPOSITIONS and previous != "of"

    def _subject(self, end: int, last: Sequence[int] | None) -> Sequence[int] | None:
        """The positions of the subject phrase that ends at `end`."""
        if end < 0:
            return None
        if self.lowered[end] in ("and", "or") or (
            self.lowered[end] == "," and self._is_aside(last)
        ):
            return last
        if self.lowered[end] == "," and "by" in self.lowered[end + 2 : end + 3]:
            end -= 1  # `Tesla, founded by …`
        if self.lowered[end] in RELATIVES and end and self._is_pronoun(end):
            end -= 1
            end -= end > 0 and self.words[end] == ","
        start = end + 1
        while start > 0 and end - start + 1 < _MAX_PHRASE and self._is_in_phrase(start - 1):
            start -= 1
        if start > end or self.lowered[start] in POINTING:
            return None
        if start and self.lowered[start - 1] in PREPOSITIONS and self.lowered[start] in MONTHS:
            start += 1  # `In May Acme …`
        while start <= end and self._is_leading(start):
            start += 1
        return self._named(range(start, end + 1))

    def _is_aside(self, last: Sequence[int] | None) -> bool:
        """Whether an aside follows the subject: `Google, which makes phones, released …`."""
        return last is not None and self.words[last[-1] + 1 : last[-1] + 2] == [","]

    def _object(self, at: int, is_passive: bool) -> Sequence[int] | None:
        """The positions of the object phrase after the verb at `at`; of the agent for a passive."""
        word = self.lowered[at]
        start = at + 1
        while start < len(self.words) and self._is_adverb(start):
            start += 1
        if start >= len(self.words):
            return None
        following = self.lowered[start]
        if (following == "by" and word in PARTICIPLES) or (
            word in PLACED and following in PLACED[word].split()
        ):
            start += 1
        elif (
            following in PREPOSITIONS
            or following in IDIOMS.get(word, "")
            or ((is_passive or word in NO_OBJECT) and word not in NAMING and word not in LINKING)
        ):
            return None
        if word in COPULAS and not self._starts_noun(start):
            return None
        if word in HAVE and not (self._starts_noun(start) or following[-1:] == "s"):
            return None
        return self._noun_phrase(start)

    def _noun_phrase(self, start: int) -> Sequence[int] | None:
        while start < len(self.words) and (self._is_leading(start) or self.words[start] in "$€£%"):
            start += 1
        end = start
        if (
            0 < start < len(self.words)
            and self.lowered[start] in PARTICIPLES
            and self._is_leading(start - 1)
        ):
            end += 1  # `the reclaimed land`
        while end < len(self.words) and end - start < _MAX_PHRASE and self._is_in_phrase(end):
            end += 1
        while end > start and (self._is_adverb(end - 1) or self.lowered[end - 1] == "of"):
            end -= 1
        return self._named(range(start, end))

    def _is_in_phrase(self, at: int) -> bool:
        word = self.lowered[at]
        if word not in STOPPING:
            return word[0].isalnum()
        if word in STOPPING_WORDS:
            return word == "who" and not self._is_pronoun(at)  # the WHO
        if word in STOPPING_VERBS:
            return self._is_name(at)
        return at > 0 and len(self.lowered[at - 1]) == 1  # `J. K. Rowling`

    def _is_pronoun(self, at: int) -> bool:
        if self.lowered[at].partition("'")[0] not in PRONOUNS:
            return False
        return self.is_shouted or is_pronoun(self.words[at].partition("'")[0])

    def _is_name(self, at: int) -> bool:
        """Whether a capital shows that the word is not a verb: `the United States`."""
        return at > 0 and self.words[at][0].isupper()

    def _is_leading(self, at: int) -> bool:
        """Whether the word before a noun need not be looked up: an article, a number …"""
        word = self.lowered[at]
        if word in LEADING or word[:1].isdigit():
            return True
        return word.endswith("ly") and self._is_adverb(at)

    def _is_adverb(self, at: int) -> bool:
        word = self.lowered[at]
        return word in ADVERBS or (word.endswith("ly") and len(word) > 4 and not self._is_name(at))

    def _starts_noun(self, at: int) -> bool:
        word = self.words[at]
        return (
            self.lowered[at] in DETERMINERS
            or word[:1].isupper()
            or word[:1].isdigit()
            or word.lower() in COUNTS
        )

    def _named(self, places: Sequence[int]) -> Sequence[int] | None:
        """The positions; None if they are empty or end in a pronoun."""
        if not places or self._is_pronoun(places[-1]):
            return None
        return places
