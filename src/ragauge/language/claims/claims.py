"""Claims: a subject, an assertive verb and an object, found in English text by rules."""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from ragauge.language.characters import plain_signs
from ragauge.language.claims import lexicon
from ragauge.language.text import SpanSet
from ragauge.language.words import MONTHS


class Claim(NamedTuple):
    """A subject, an assertive verb and an object, as written in the text."""

    text: str
    start: int
    end: int
    subject: str
    verb: str
    object: str


_LETTER = r"[\w\u0300-\u036f]"
_TOKEN = re.compile(rf"[0-9]+(?:[,.][0-9]+)+|{_LETTER}+(?:[-'.&/]{_LETTER}+)*|[^\w\s]")
# A single character class at the start keeps the search fast.
_STOP = re.compile(r"[.!?;\n](?:(?<=[;\n])|(?![\w.!?,]))")
_SHORT = (
    *("Dr", "Mr", "Mrs", "Ms", "St", "Prof", "Jr", "Sr", "Inc", "Co", "Corp", "Ltd", "No", "vs"),
    *("Gen", "Sen", "Rep", "Lt", "Mt"),
)
_ABBREVIATION = re.compile(rf"\b(?:[A-Z]|{'|'.join(_SHORT)})$")
_MAX_PHRASE = 8


def is_pronoun(word: str) -> bool:
    """Whether the word is a pronoun; `US` and `WHO` are names.

    >>> is_pronoun("us"), is_pronoun("US")
    (True, False)
    """
    return word.lower() in lexicon.PRONOUNS and word not in lexicon.ACRONYMS


def claims(text: str, stated: SpanSet | None = None) -> tuple[Claim, ...]:
    """The claims of the text in order, without those whose object is only an amount or a date, of which `stated` has the spans.

    A claim is an assertive verb (from a list) between a subject phrase and an object phrase; `X was built by Y` has the subject Y.
    Hedged statements (may, could, suggest, seem, possibly, if …), questions, negations (two words close together cannot support a
    "not") and statements about pronouns, which name nothing to look for, are not claims.

    >>> [(one.subject, one.verb, one.object) for one in claims("The bridge was built by Ann Lee.")]
    [('Ann Lee', 'built', 'bridge')]
    """
    plain = plain_signs(text)
    found: list[Claim] = []
    start = 0
    for stop in _STOP.finditer(plain):
        mark, end = stop[0], stop.start()
        if mark == "." and _ABBREVIATION.search(plain, max(start, end - 8), end):
            continue
        if mark != "?":
            found += _Sentence(text, plain, start, end).claims(stated)
        start = end + 1
    if start < len(text):
        found += _Sentence(text, plain, start, len(text)).claims(stated)
    return tuple(found)


class _Sentence:
    """The tokens of the sentence at start:end of a text, and the claims among them."""

    def __init__(self, text: str, plain: str, start: int, end: int) -> None:
        self.text = text
        self.plain = plain
        self.start, self.end = start, end
        self.words: list[str] = []
        for piece in plain[start:end].split():
            self.words += [piece] if piece.isalnum() else _TOKEN.findall(piece)
        self.lowered = list(map(str.lower, self.words))

    @cached_property
    def _starts(self) -> list[int]:
        """Where each word begins; only whitespace is between two. Computed only for sentences with a claim."""
        starts: list[int] = []
        end = self.start
        for word in self.words:
            starts.append(self.plain.find(word, end))
            end = starts[-1] + len(word)
        return starts

    def _span(self, first: int, last: int) -> tuple[int, int]:
        """The span in the text of the words from `first` to `last`."""
        return self._starts[first], self._starts[last] + len(self.words[last])

    def claims(self, stated: SpanSet | None) -> Iterator[Claim]:
        lowered = self.lowered
        is_hedged, subject = False, None
        for at in [at for at, word in enumerate(lowered) if word in lexicon.TURNS]:
            word = lowered[at]
            if word in lexicon.HEDGES and not (word == "may" and self._is_name(at)):
                is_hedged = True
            elif word == ":" or (word == "but" and is_hedged):
                is_hedged, subject = False, None
            elif word in lexicon.VERBS and not is_hedged:
                before, is_passive = self._before(at)
                if before is None:
                    continue
                subject = self._subject(before, subject)
                object = self._object(at, is_passive) if subject else None
                if not (subject and object):
                    continue
                if stated and all(  # only an amount or a date: `330 metres tall`
                    stated.covers(*self._span(each, each))
                    or (each != object[0] and lowered[each] in lexicon.MEASURED)
                    for each in object
                ):
                    continue
                start, end = self._span(min(subject[0], at), object[-1])
                spans = [self._span(each[0], each[-1]) for each in (subject, object)]
                if "by" in lowered[at + 1 : object[0]]:
                    spans.reverse()
                doer, done_to = (self.text[slice(*span)] for span in spans)
                yield Claim(self.text[start:end], start, end, doer, self.words[at], done_to)

    def _before(self, at: int) -> tuple[int | None, bool]:
        """Where the subject should end, and whether the verb is passive; None if it is negated, or a noun or participle of the same form."""
        word, is_passive, before = self.lowered[at], False, at - 1
        while before >= max(0, at - _MAX_PHRASE):
            each = self.lowered[before]
            if each in lexicon.NEGATIONS or each.endswith("n't") or each == "to":
                return None, False
            if each in lexicon.AUXILIARIES:
                is_passive |= each in lexicon.BE
            elif not self._is_adverb(before):
                break
            before -= 1
        following = self.lowered[at + 1] if at + 1 < len(self.lowered) else ""
        previous = self.lowered[at - 1] if at else ""
        if following in ("not", "never", "no", "of") or self._is_name(at):
            is_verb = False
        elif word in lexicon.HAVE or (word in lexicon.COPULAS and word in lexicon.BE):
            is_verb = before == at - 1 or previous not in lexicon.AUXILIARIES
        elif word in lexicon.ASSERTIVE or word not in lexicon.BARE:
            is_verb = previous not in lexicon.BEFORE_NOUNS
        elif at - 1 > before:
            is_verb = not {"did", "does", "do", "will"}.isdisjoint(self.lowered[before + 1 : at])
        else:
            noun = self.lowered[before] if before >= 0 else ""
            is_verb = noun.endswith("s") and not noun.endswith(("ss", "us", "is")) and len(noun) > 3
        return before if is_verb else None, is_passive

    def _subject(self, end: int, last: Sequence[int] | None) -> Sequence[int] | None:
        """The positions of the subject phrase that ends at `end`."""
        if end < 0:
            return None
        # An aside may follow the subject: `Google, which makes phones, released …`.
        is_aside = last is not None and self.words[last[-1] + 1 : last[-1] + 2] == [","]
        if self.lowered[end] in ("and", "or") or (self.lowered[end] == "," and is_aside):
            return last
        if self.lowered[end] == "," and "by" in self.lowered[end + 2 : end + 3]:
            end -= 1  # `Tesla, founded by …`
        if self.lowered[end] in lexicon.RELATIVES and end and self._is_pronoun(end):
            end -= 1
            end -= end > 0 and self.words[end] == ","
        start = end + 1
        while start > 0 and end - start + 1 < _MAX_PHRASE and self._is_in_phrase(start - 1):
            start -= 1
        if start > end or self.lowered[start] in lexicon.POINTING:
            return None
        is_after = start > 0 and self.lowered[start - 1] in lexicon.PREPOSITIONS
        start += is_after and self.lowered[start] in MONTHS  # `In May Acme …`
        while start <= end and self._is_leading(start):
            start += 1
        return None if start > end or self._is_pronoun(end) else range(start, end + 1)

    def _object(self, at: int, is_passive: bool) -> Sequence[int] | None:
        """The positions of the object phrase after the verb at `at`; of the agent for a passive."""
        word, start, n = self.lowered[at], at + 1, len(self.words)
        while start < n and self._is_adverb(start):
            start += 1
        if start >= n:
            return None
        following = self.lowered[start]
        takes_none = is_passive or word in lexicon.NO_OBJECT
        if (following == "by" and word in lexicon.PARTICIPLES) or (
            word in lexicon.PLACED and following in lexicon.PLACED[word].split()
        ):
            start += 1
        elif (
            following in lexicon.PREPOSITIONS
            or following in lexicon.IDIOMS.get(word, "")
            or (takes_none and word not in lexicon.NAMING and word not in lexicon.LINKING)
        ):
            return None
        starts_noun = (
            following in lexicon.DETERMINERS
            or following in lexicon.COUNTS
            or following[0].isdigit()
            or "".join(self.words[start : start + 1])[:1].isupper()
        )
        if not starts_noun and (
            word in lexicon.COPULAS or (word in lexicon.HAVE and not following.endswith("s"))
        ):
            return None
        while start < n and (self._is_leading(start) or self.words[start] in "$€£%"):
            start += 1
        end = start
        if 0 < start < n and self.lowered[start] in lexicon.PARTICIPLES:
            end += self._is_leading(start - 1)  # `the reclaimed land`
        while end < n and end - start < _MAX_PHRASE and self._is_in_phrase(end):
            end += 1
        while end > start and (self._is_adverb(end - 1) or self.lowered[end - 1] == "of"):
            end -= 1
        return None if start >= end or self._is_pronoun(end - 1) else range(start, end)

    def _is_in_phrase(self, at: int) -> bool:
        word = self.lowered[at]
        if word not in lexicon.STOPPING:
            return word[0].isalnum()
        if word in lexicon.STOPPING_WORDS:
            return word == "who" and not self._is_pronoun(at)  # the WHO
        if word in lexicon.STOPPING_VERBS:
            return self._is_name(at)
        return at > 0 and len(self.lowered[at - 1]) == 1  # `J. K. Rowling`

    def _is_pronoun(self, at: int) -> bool:
        word = self.words[at].partition("'")[0]
        is_shouted = (
            word.lower() in lexicon.PRONOUNS and self.plain[self.start : self.end].isupper()
        )
        return is_shouted or is_pronoun(word)

    def _is_name(self, at: int) -> bool:
        """Whether a capital shows that the word is not a verb: `the United States`."""
        return at > 0 and self.words[at][0].isupper()

    def _is_leading(self, at: int) -> bool:
        """Whether the word before a noun need not be looked up: an article, a number …"""
        word = self.lowered[at]
        return (
            word in lexicon.LEADING
            or word[:1].isdigit()
            or (word.endswith("ly") and self._is_adverb(at))
        )

    def _is_adverb(self, at: int) -> bool:
        word = self.lowered[at]
        return word in lexicon.ADVERBS or (
            word.endswith("ly") and len(word) > 4 and not self._is_name(at)
        )
