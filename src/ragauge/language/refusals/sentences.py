"""The part that each sentence of an answer plays: it refuses, answers, prepares or adds advice."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ragauge.language.refusals.matching import (
    CONCEDES,
    FIGURE,
    INNER_CONCLUSION,
    Found,
    lead_of,
    speaks_of_source,
)
from ragauge.language.refusals.rules import ABOUT_THE_SOURCE
from ragauge.language.refusals.sentence_kinds import (
    A_MEASURE,
    ABBREVIATION_OPEN,
    ADVICE,
    ADVICE_NEEDS,
    ALWAYS_CONCLUDE,
    AMBIGUOUS,
    AND,
    ANNOUNCES_ANSWER,
    ANSWERS_YES_OR_CONCLUDES,
    BACK_TO_FACTS,
    BEFORE_RESULT,
    BY_SPEAKER,
    CALCULATED,
    COMMA,
    CONCLUDES,
    DEFINITION,
    DEFINITION_NEEDS,
    DESCRIBES,
    DIGIT,
    GAPS_OF_WHAT_IS_ASKED,
    GENERAL_HABIT,
    GENERALITY,
    GREETING,
    IN_GENERAL,
    INNER_TURN,
    IS_NO_MEASURE,
    IS_THEREFORE,
    LOOKED,
    MADE_UP,
    METHOD,
    NAME,
    NEVER_TOLD,
    ON_CONTENTS,
    ONLY_ELSEWHERE,
    PAPER_OR_THEY,
    REMARK,
    RESULT,
    STATEMENT,
    SUBSIDIARY,
    SUPPOSES,
    THE_ANSWER,
    THE_QUESTION,
    THEREFORE,
    TURN,
    VERIFIES,
    WITHOUT,
    YES_NO,
)
from ragauge.language.word_beginnings import may_match


@dataclass(frozen=True)
class Sentence:
    """A sentence of an answer, what the rules find in it, and whether a heading like "Answer:" precedes.

    `if_asked` is what the rules find that count only if the question asks for it.
    """

    start: int
    text: str
    found: tuple[Found, ...]
    if_asked: tuple[Found, ...] = ()
    follows_heading: bool = False

    @property
    def opens(self) -> bool:
        """Whether it refuses without first answering yes or no."""
        if YES_NO.match(self.text):
            return any(self._closes_by(found) and not self._denies(found) for found in self.certain)
        return self.refuses or self.closes

    @property
    def closes(self) -> bool:
        """Whether it refuses even after inputs or remarks."""
        return any(self._closes_by(found) for found in self.certain)

    @property
    def refuses(self) -> bool:
        return any(not (found.rule.alone or found.is_aside) for found in self.certain)

    @cached_property
    def certain(self) -> tuple[Found, ...]:
        """What is found without the gaps, which refuse only where nothing answers."""
        return tuple(found for found in self.found if not found.rule.gap)

    @property
    def concludes(self) -> bool:
        """Whether it refuses as the conclusion of the answer."""
        if not self.certain:
            return False
        last = max(self.certain, key=lambda found: found.start)
        return (
            self.follows_heading
            or last.rule.name in ALWAYS_CONCLUDE
            or CONCLUDES.match(self.text) is not None
            or INNER_CONCLUSION.search(self.text, 0, last.end - self.start) is not None
            or WITHOUT.search(self.text, last.end - self.start) is not None
            or THE_ANSWER.search(self.text) is not None
            or ABBREVIATION_OPEN.match(self.text) is not None
        )

    @property
    def closes_for_certain(self) -> bool:
        """Whether it concludes that the question as such cannot be answered."""
        return self.concludes and any(found.rule.closes for found in self.certain)

    @property
    def is_by_speaker(self) -> bool:
        """Whether the speaker says that it cannot or will not answer: "I cannot say who won"."""
        return any(
            self._closes_by(found) and BY_SPEAKER.search(self.text[: found.end - self.start])
            for found in self.certain
        )

    @property
    def is_caveat(self) -> bool:
        """Whether what it cannot tell is a detail of an answer: "I cannot verify this"."""
        closing = [found for found in self.certain if self._closes_by(found)]
        return bool(closing) and all(
            found.rule.name not in ALWAYS_CONCLUDE
            and (
                VERIFIES.search(self.text[: found.end - self.start]) is not None
                or SUBSIDIARY.match(self.text, found.end - self.start)
            )
            for found in closing
        )

    @property
    def makes_up(self) -> bool:
        """Whether it says that its figures are made up."""
        return any(each.rule.name == MADE_UP and not each.is_aside for each in self.certain)

    @property
    def supposes(self) -> bool:
        return SUPPOSES.search(self.text) is not None

    @property
    def returns_to_facts(self) -> bool:
        return BACK_TO_FACTS.match(self.text) is not None

    @cached_property
    def advises(self) -> bool:
        return may_match(self.text, ADVICE_NEEDS) and ADVICE.search(self.text) is not None

    @property
    def states_a_figure(self) -> bool:
        return FIGURE.search(self.text) is not None and not self.advises

    @property
    def states_a_number(self) -> bool:
        return DIGIT.search(self.text) is not None

    @property
    def is_vague(self) -> bool:
        """Whether it states no number and no name, no conclusion and no yes or no."""
        if self.found or self.answers or self.states_a_conclusion or self.states_a_number:
            return False
        return NAME.search(self.text) is None

    @cached_property
    def states_a_conclusion(self) -> bool:
        """Whether it answers with yes or no, a conclusion, or the result of a calculation."""
        if self.text.rstrip().endswith(("?", ":")):
            return False
        if self.refuses or self.advises:
            return YES_NO.match(self.text) is not None
        return (
            ANSWERS_YES_OR_CONCLUDES.match(self.text) is not None
            or (may_match(self.text, A_MEASURE) and IS_NO_MEASURE.match(self.text) is not None)
            or (
                any([sign in self.text for sign in BEFORE_RESULT])  # noqa: C419, a list is faster
                and CALCULATED.search(self.text) is not None
            )
        )

    @cached_property
    def answers(self) -> bool:
        """Whether it answers, after a refusal before it or in it."""
        if self.refuses:
            return self._answers_within()
        if ANNOUNCES_ANSWER.search(self.text):
            return not self._is_general
        if self.found or self.advises or REMARK.match(self.text):
            return False
        if may_match(self.text, THEREFORE) and IS_THEREFORE.search(self.text):
            return True
        if ONLY_ELSEWHERE.match(self.text):
            return False
        if "would" not in self.text and RESULT.search(self.text):
            return True
        return TURN.match(self.text) is not None and not self._is_general

    @property
    def is_preamble(self) -> bool:
        """Whether it is introductory: an apology, a heading, what is needed, what the source is about."""
        if any(found.is_aside or not found.rule.alone for found in self.certain):
            return False
        if self.certain or self.advises:
            return True
        if YES_NO.fullmatch(self.text.rstrip()):
            return False
        kinds = (
            GREETING.fullmatch,
            LOOKED.match,
            THE_QUESTION.match,
            AMBIGUOUS.match,
            METHOD.match,
        )
        return (
            any(kind(self.text) for kind in kinds)
            or self._defines
            or (
                may_match(self.text, PAPER_OR_THEY)
                and ABOUT_THE_SOURCE.match(self.text) is not None
            )
        )

    @property
    def is_afterthought(self) -> bool:
        """Whether it may follow a closing refusal: another refusal, advice, thanks, a general remark."""
        if self.certain or self.advises or self.supposes:
            return True
        return bool(
            REMARK.match(self.text)
            or GREETING.fullmatch(self.text)
            or self.text.rstrip().endswith("?")
            or self._is_general
            or self._describes_source
            or IN_GENERAL.match(self.text)
        )

    @property
    def gaps(self) -> tuple[Found, ...]:
        """The refusals that count where nothing else answers; none if the sentence itself answers."""
        if not self.found or YES_NO.match(self.text) or self._answers_within():
            return ()
        return tuple(each for each in self.found if not each.is_aside)

    @property
    def asked_gaps(self) -> tuple[Found, ...]:
        """The refusals that count where the question asks for what is missing, unless it answers itself."""
        by_itself = (each for each in self.found if each.rule.name in GAPS_OF_WHAT_IS_ASKED)
        gaps = tuple(
            each
            for each in (*self.if_asked, *by_itself)
            if not each.is_aside
            and not AND.search(self.text, 0, each.start - self.start)
            and not self._denies_a_deed(each)
        )
        if not gaps or YES_NO.match(self.text) or self._answers_after(gaps):
            return ()
        return gaps

    @property
    def asked_refusals(self) -> tuple[Found, ...]:
        """The refusals that count where the question asks for what they name, unless it answers itself."""
        found = tuple(each for each in self.certain if not each.is_aside and not each.rule.alone)
        if not found or YES_NO.match(self.text) or self._answers_after(found):
            return ()
        return found

    @property
    def refuses_something(self) -> bool:
        """Whether it says that something is missing, be it the answer or not."""
        return bool(self.asked_refusals or self.asked_gaps)

    @property
    def answers_yes_or_no(self) -> bool:
        return YES_NO.match(self.text) is not None

    @property
    def prepares(self) -> bool:
        """Whether it gives a method or the question again, and no answer."""
        kinds = (METHOD.match, THE_QUESTION.match)
        return self.supposes or self._defines or any(kind(self.text) for kind in kinds)

    @property
    def restates_question(self) -> bool:
        return THE_QUESTION.match(self.text) is not None

    @property
    def tells_something_else(self) -> bool:
        """Whether it only says what the source has instead."""
        return any(
            found.rule.name in ("told something else", "another source") for found in self.gaps
        )

    @property
    def gives_method(self) -> bool:
        """Whether it gives a formula or a definition without figures."""
        is_formula = "=" in self.text and METHOD.match(self.text) is not None
        return is_formula or self._defines

    @property
    def speaks_of_source(self) -> bool:
        return speaks_of_source(self.text)

    def names_source_beside(self, gap: Found) -> bool:
        """Whether it names a source other than as what is missing."""
        start, end = gap.start - self.start, gap.end - self.start
        return speaks_of_source(self.text[end:]) or speaks_of_source(lead_of(self.text, start))

    @property
    def accompanies_gap(self) -> bool:
        """Whether it answers nothing: it prepares, refuses, advises, asks, or says what a source is about."""
        if YES_NO.match(self.text) or self.answers or any(found.is_aside for found in self.found):
            return False
        if self.found:
            return bool(self.gaps)
        return self.is_preamble or self.is_afterthought or self._describes_source

    @property
    def _describes_source(self) -> bool:
        return not STATEMENT.search(self.text) and DESCRIBES.match(self.text) is not None

    @cached_property
    def _defines(self) -> bool:
        return may_match(self.text, DEFINITION_NEEDS) and DEFINITION.match(self.text) is not None

    @property
    def _is_general(self) -> bool:
        if DIGIT.search(self.text):
            return False
        if GENERALITY.search(self.text) or self._defines:
            return True
        return bool(GENERAL_HABIT.search(self.text)) and not NAME.search(self.text)

    def _denies_a_deed(self, gap: Found) -> bool:
        """Whether it says that something was never done, other than that it is never told."""
        words = self.text[gap.start - self.start : gap.end - self.start]
        return "never" in words and NEVER_TOLD.search(words) is None

    def _closes_by(self, found: Found) -> bool:
        if found.is_aside:
            return False
        return found.rule.closes or (not found.rule.alone and self.concludes)

    def _denies(self, found: Found) -> bool:
        """Whether it denies a claim: "No, we can't say that it has"."""
        return self.text[found.end - self.start :].lstrip().startswith("that ")

    def _answers_within(self) -> bool:
        return self._answers_after(self.certain or self.found)

    def _answers_after(self, refusals: Sequence[Found]) -> bool:
        """Whether a clause after the refusals answers: "It is not given, but it was $5"."""
        last = max(found.end for found in refusals) - self.start
        turn = INNER_TURN.search(self.text, last)
        if turn is None and CONCEDES.match(self.text):
            turn = COMMA.search(self.text, last)
        if turn is None or ADVICE.search(self.text, turn.end()):
            return False
        if turn[0].endswith("only") and not DIGIT.search(self.text, turn.end()):
            return False
        return (
            not ON_CONTENTS.search(self.text, turn.end())
            or DIGIT.search(self.text, turn.end()) is not None
        )
