"""The part that each sentence of an answer plays: it refuses, answers, or is idle, as advice and headings are."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ragauge.language.refusals.polarity import Found, clause_start, found_in, has, plays, role
from ragauge.language.text import sentence_spans

LONGEST = 2_000
"""Characters in which the rules are looked for together; of 43,437 sentences in answers, two were longer."""
_CLAUSE_END = re.compile(r"[:;]\s+")
_DIGIT = re.compile(r"\d")
_NAME = re.compile(r"[a-z,] [A-Z]")
_LONG_GAP = re.compile(r"(?<=\s{10})\s+")


@dataclass(frozen=True)
class Sentence:
    """A sentence of an answer, the refusals in it, and whether a heading like "Answer:" precedes."""

    start: int
    text: str
    found: tuple[Found, ...]
    follows_heading: bool = False

    @cached_property
    def own(self) -> tuple[Found, ...]:
        """The refusals that count as such, and not only where the question asks for something."""
        return tuple(each for each in self.found if each.rule.counts != "if asked for")

    @cached_property
    def certain(self) -> tuple[Found, ...]:
        """The refusals without the gaps, which refuse only where nothing answers."""
        return tuple(each for each in self.found if not each.rule.is_gap)

    @cached_property
    def refuses(self) -> bool:
        return any(each.rule.counts != "alone" and not each.is_aside for each in self.certain)

    @cached_property
    def says_yes_or_no(self) -> bool:
        return plays("yes_no", self.text)

    @property
    def opens(self) -> bool:
        """Whether it refuses without first answering yes or no."""
        if self.says_yes_or_no:
            return any(
                self._closes_by(each) and not self.text[each.end :].lstrip().startswith("that ")
                for each in self.certain
            )
        return self.refuses

    @property
    def closes(self) -> bool:
        """Whether it refuses even after inputs or remarks."""
        return any(self._closes_by(each) for each in self.certain)

    @cached_property
    def concludes(self) -> bool:
        """Whether it refuses as the conclusion of the answer."""
        if not self.certain:
            return False
        last = max(self.certain, key=lambda each: each.start)
        return (
            self.follows_heading
            or last.rule.counts == "always"
            or plays("concludes", self.text)
            or has("concludes_within", self.text[: last.end])
            or has("without", self.text, last.end)
            or has("the_answer", self.text)
        )

    @property
    def is_caveat(self) -> bool:
        """Whether what it cannot tell is a detail of an answer: "I cannot verify this"."""
        closing = [each for each in self.certain if self._closes_by(each)]
        return bool(closing) and all(
            each.rule.counts != "always"
            and (has("verifies", self.text[: each.end]) or plays("subsidiary", self.text, each.end))
            for each in closing
        )

    @property
    def makes_up(self) -> bool:
        """Whether it says that its figures are made up."""
        return any(
            each.rule.kind == "made-up figures" and not each.is_aside for each in self.certain
        )

    @cached_property
    def supposes(self) -> bool:
        return has("supposes", self.text)

    @cached_property
    def advises(self) -> bool:
        return has("advice", self.text)

    @cached_property
    def prepares(self) -> bool:
        """Whether it gives a method, an example, or the question again, and no answer."""
        return self.supposes or plays("method", self.text) or plays("idle_opening", self.text)

    @cached_property
    def speaks_of_source(self) -> bool:
        return has("source", self.text)

    @cached_property
    def states_a_conclusion(self) -> bool:
        """Whether it answers with yes or no, a conclusion, or the result of a calculation."""
        if self.text.rstrip().endswith(("?", ":")):
            return False
        if self.refuses or self.advises:
            return self.says_yes_or_no
        return plays("yes_no_or_conclusion", self.text) or has("calculated", self.text)

    @cached_property
    def answers(self) -> bool:
        """Whether it answers, after a refusal before it or in it."""
        if self.refuses:
            return self.answers_after(self.certain)
        if has("announces", self.text):
            return not self._is_general
        states = "would" not in self.text and has("amount", self.text)
        if not states and not plays("turn", self.text):  # first, since most sentences do neither
            return False
        if self.own or self.advises or plays("idle_opening", self.text):
            return False
        if plays("only_elsewhere", self.text) and "therefore" not in self.text:
            return False
        return states or not self._is_general

    @cached_property
    def is_idle(self) -> bool:
        """Whether it neither answers nor refuses: an apology, a heading, a question, advice, a remark, what a source is about."""
        if self.certain:
            return all(each.rule.counts == "alone" and not each.is_aside for each in self.certain)
        if self.advises or self.supposes:
            return True
        if plays("yes_no", self.text.rstrip()):
            return False
        return (
            role("idle_whole").fullmatch(self.text) is not None or self.prepares or self._is_general
        )

    @property
    def gaps(self) -> tuple[Found, ...]:
        """The refusals that count where nothing else answers; none if the sentence itself answers."""
        if self.says_yes_or_no or not self.own or self.answers_after(self.certain or self.own):
            return ()
        return tuple(each for each in self.own if not each.is_aside)

    @cached_property
    def accompanies(self) -> bool:
        """Whether it leaves room for a gap: it is idle, refuses itself, or says what a source is about."""
        if self.says_yes_or_no or self.answers or any(each.is_aside for each in self.own):
            return False
        if self.own:
            return bool(self.gaps)
        return self.is_idle or self.describes_source

    @property
    def describes_source(self) -> bool:
        return not has("statement", self.text) and plays("describes", self.text)

    def names_source_beside(self, gap: Found) -> bool:
        """Whether it names a source other than as what is missing."""
        lead = self.text[: clause_start(self.text, gap.start)]
        return has("source", self.text[gap.end :]) or has("source", lead)

    @property
    def _is_general(self) -> bool:
        if _DIGIT.search(self.text):
            return False
        if has("general", self.text) or plays("method", self.text):
            return True
        return has("habit", self.text) and not _NAME.search(self.text)

    def _closes_by(self, found: Found) -> bool:
        if found.is_aside:
            return False
        return found.rule.closes or (found.rule.counts != "alone" and self.concludes)

    def answers_after(self, refusals: Sequence[Found]) -> bool:
        """Whether a clause after the refusals answers: "It is not given, but it was $5"."""
        last = max(each.end for each in refusals)
        turn = role("inner_turn").search(self.text, last)
        if turn is not None:
            end = turn.end()
        elif plays("concedes", self.text) and "," in self.text[last:]:
            end = self.text.index(",", last) + 1
        else:
            return False
        if has("advice", self.text, end):
            return False
        is_weak = (turn is not None and turn[0].endswith("only")) or has(
            "on_contents", self.text, end
        )
        return not is_weak or _DIGIT.search(self.text, end) is not None


def without_long_gaps(text: str) -> str:
    """The text with null characters behind the first ten spaces of a run; positions stay the same.

    Some patterns try every way to divide the spaces between two words, which takes hours for thousands of spaces.
    """
    return _LONG_GAP.sub(lambda gap: "\0" * len(gap[0]), text)


def read_sentences(text: str, offset: int, *, with_question: bool) -> Iterator[Sentence]:
    """The sentences of the text, also split after colons and semicolons."""
    follows_heading = False
    spans: list[tuple[int, int]] = []
    for start, end in sentence_spans(text):
        for colon in _CLAUSE_END.finditer(text, start, end):
            spans.append((start, colon.start() + 1))
            start = colon.end()
        spans.append((start, end))
    for start, end in spans:
        part = without_long_gaps(text[start:end])
        found = tuple(  # a very long sentence is read in pieces, so that reading takes linear time
            replace(each, start=begin + each.start, end=begin + each.end)
            for begin in range(0, len(part), LONGEST)
            for each in found_in(part[begin : begin + LONGEST], with_question=with_question)
        )
        yield Sentence(offset + start, part, found, follows_heading)
        heading = role("heads_conclusion")
        follows_heading = len(part) <= 100 and heading.fullmatch(part) is not None
