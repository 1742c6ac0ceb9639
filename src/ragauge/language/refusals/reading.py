"""Reads an answer into sentences, each with what the rules of refusals find in it."""

import re
from collections.abc import Iterator, Sequence

from ragauge.language.refusals.matching import ApplicableRules, Found, found_in
from ragauge.language.refusals.sentence_kinds import HEADS_CONCLUSION
from ragauge.language.refusals.sentences import Sentence
from ragauge.language.refusals.words import without_long_gaps
from ragauge.language.text import sentence_spans

LONGEST = 2_000
"""Characters in which the rules are looked for together; of 43,437 sentences in answers, two were longer."""
_CLAUSE_END = re.compile(r"[:;]\s+")


def read_sentences(text: str, offset: int, rules: ApplicableRules) -> Iterator[Sentence]:
    """The sentences of the text, also split after colons and semicolons."""
    follows_heading = False
    for start, end in _spans(text):
        part = without_long_gaps(text[start:end])
        found = _found_in_pieces(part, offset + start, rules)
        yield Sentence(
            offset + start,
            part,
            tuple(each for each in found if not each.rule.asked),
            tuple(each for each in found if each.rule.asked),
            follows_heading,
        )
        follows_heading = len(part) <= 100 and HEADS_CONCLUSION.fullmatch(part) is not None


def _spans(text: str) -> Iterator[tuple[int, int]]:
    for start, end in sentence_spans(text):
        begin = start
        for colon in _CLAUSE_END.finditer(text, start, end):
            yield begin, colon.start() + 1
            begin = colon.end()
        yield begin, end


def _found_in_pieces(sentence: str, offset: int, rules: ApplicableRules) -> Sequence[Found]:
    """What the rules find in the sentence, each at its first place."""
    if len(sentence) <= LONGEST:
        return found_in(sentence, offset, rules)
    first: dict[int, Found] = {}
    for at, piece in _pieces(sentence):
        for found in found_in(piece, offset + at, rules):
            first.setdefault(id(found.rule), found)
    return tuple(first.values())


def _pieces(sentence: str) -> Iterator[tuple[int, str]]:
    """The sentence in pieces with their offsets: many rules look from each of their words to its end."""
    begin = 0
    while len(sentence) - begin > LONGEST:
        space = sentence.rfind(" ", begin + LONGEST // 2, begin + LONGEST)
        end = begin + LONGEST if space < 0 else space
        yield begin, sentence[begin:end]
        begin = end
    yield begin, sentence[begin:]
