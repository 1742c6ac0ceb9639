"""The part that each sentence of an answer plays: it refuses, answers, prepares or adds advice."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragauge.language.refusal_matching import (
    CONCEDES,
    FIGURE,
    INNER_CONCLUSION,
    ApplicableRules,
    Found,
    found_in,
    lead_of,
    speaks_of_source,
)
from ragauge.language.refusal_rules import ABOUT_THE_SOURCE
from ragauge.language.refusal_words import (
    FACT,
    SOURCE,
    TOLD,
    WORK_OUT,
    pattern,
    without_long_gaps,
)
from ragauge.language.text import sentence_spans

LONGEST = 2_000
"""Characters in which the rules are looked for together; of 43,437 sentences in answers, two were longer."""
_CLAUSE_END = re.compile(r"[:;]\s+")
_YES_NO = pattern(
    r"\W*(?:(?:yes|no)[,.]|(?:(?:unfortunately|sorry),? )?not (?:yet|really|quite|necessarily|exactly|at all|any ?more|directly|very|much|often)[,.;:]"
    r"|unfortunately,? (?:not|no)[,.;:]|(?:very )?(?:possibly|probably|likely|perhaps|maybe|presumably|apparently)[,.;:])"
)
_GREETING = pattern(
    r"(?:\W*(?:i'm |i am )?(?:sorry|unfortunately|regrettably|i apologi[sz]e|my apologies|thanks?"
    r"|hello|hi|great question|good question|that's an? \w+ question|you've got me)\b.*"
    # Ends with a colon or exclamation mark: the first behind the last word, which keeps the search linear.
    r"|(?:.*\w)?[^\w:!\n]*[:!]\W*|\W*)"
)
_LOOKED = pattern(
    r"\W*(?:i|we)(?:'ve| have)? (?:just )?(?:looked|searched|checked|reviewed|read|gone|went|examined"
    r"|analy[sz]ed|scanned|tried)\b"
)
"""What the speaker did before it answers."""
_THE_QUESTION = pattern(
    r"\W*(?:the|this|your) (?:question|query|request|prompt)"
    r" (?:asks?|is|was|concerns?|refers?|relates?|pertains?|requires?|wants?|seeks?)\b"
    r"|\W*(?:you(?:'re| are|'ve| have)? (?:ask(?:s|ed|ing)?|want(?:ed)?|look(?:ing)?)"
    r"|the (?:user|asker) |what is (?:being )?asked|we (?:are|were) asked|i (?:am|was) asked)\b"
)
"""It only repeats the question."""
_AMBIGUOUS = pattern(
    r"\W*(?:[^,;]{1,80}, )?there (?:are|were|have been) [^.;]{1,80}?\b(?:named|called|titled|entitled"
    r"|(?:with|by|of|under|share) (?:the|that|this|a similar) (?:same )?(?:name|title)|versions|meanings)\b"
)
"""Several things have the name that was asked for."""
_DEFINITION = pattern(
    r".{0,120}\b(?:is|are|equals?|as)\b[^.=\d]{1,80}\b(?:minus|divided by|less|plus|over|times)\b[^\d]*\Z"
    r"|.{0,120}\b(?:divides?|subtracts?)\b[^\d]{1,80}\b(?:by|from)\b[^\d]*\Z"
    r"|.{0,120}\b(?:is|are|measures?) (?:[a-z]+ ){0,4}?"
    r"(?:metric|measure|ratio|indicator|formula)s?\b"
)
_METHOD = pattern(
    r"\D{1,80}=(?:\D|100\b|365\b|360\b|\b[12]\b){1,200}\Z"
    r"|\W*the [^,;.\d]{1,60} (?:tells?|shows?|measures?|indicates?|reflects?|represents?)"
    r" (?:you |us )?(?:how|what|whether|if)\b"
    r"|\W*the [^,;.\d]{1,60} is \([^\d]{1,200}\) ?[/÷]"
    r"|\D{1,120}\b(?:requires?|needs?|depends? on|(?:is|are) (?:needed|required|necessary))\b\D*\Z"
)
"""A formula without numbers, what a ratio shows, or what the answer requires."""
_ADVICE = re.compile(
    r"\b(?:you (?:can|could|may|might|should|would|will|need|must)\b|one (?:would|could|can|should"
    r"|may|must|might)\b|[Pp]lease\b|(?:I|we)(?: would|'d) (?:recommend|suggest|need|be|require)"
    r"|(?:I|we)(?: will|'ll| can| could) (?:do my best|help|assist|try|gladly|be|explain|guide"
    r"|show|tell you how|walk|describe|outline|offer|provide|suggest)|refer to|recommend|suggest"
    r"|available (?:in|on|from|through|at|via)|would (?:contain|include|provide|need)|should be"
    r"|(?:can|could|may|might|would|will) (?:\w+ly |also )?be (?:\w+ly |also )?(?:found|obtained"
    r"|accessed|available|disclosed|included|needed|required|necessary|calculated|located)"
    r"|(?:is|are) (?:typically|usually|generally|often|normally|commonly) (?:found|reported"
    r"|disclosed|included|calculated|available|defined|listed|provided|shown|computed)"
    r"|is calculated|formula|[Ww]ould you like|[Ii]nvestors|[Aa]nalysts?"
    r"|[Ii]f you (?:can|could|have|provide|need|would|want|wish|are able|are looking|share|give"
    r"|paste|upload|send|tell|let)"
    r"|here(?:'s| is) (?:how|what you)|^\W*(?:[Aa]sk|[Cc]all|[Cc]ontact|[Rr]efer to|[Ss]ee|[Ss]end|[Ss]peak to|[Ll]ook (?:in|at|up)|[Tt]ake a look|[Oo]therwise, take|[Ss]wap|[Uu]pload|[Pp]aste)\b|[Pp]erhaps the|call (?:an?|your|the)\b"
    r"|feel free|let me know|happy to|glad to|[Oo]nce you|[Cc](?:an|ould) you|[Cc]heck"
    r"|[Cc]onsult|[Vv]isit|[Mm]aybe try"
    r"|[Tt]o (?:calculate|determine|answer|find|assess|evaluate|compute|obtain|get)\b.{0,200}?"
    r"\b(?:need|require|would)|it(?:'s| is| would be) (?:best|advisable))"
)
"""Advice: what would be needed, where to look, how to do it in general, or an offer of help."""
_REMARK = pattern(
    r"\W*(?:(?:\w+, )?it(?: is|'s) (?:also )?(?:important|worth|crucial|essential)|for example"
    r"|for instance|as an example|suppose|if)\b"
    r"|.{0,200}(?:\bnot|n't) (?:yet )?(?:been )?(?:yet )?(?:released|announced|published|filed)\b"
)
"""A remark, a hypothetical case, or a fact that is not public yet."""
_SUPPOSES = pattern(
    r"\b(?:suppose|let's (?:say|assume|imagine|pretend)|let us (?:say|assume|imagine)"
    r"|(?:if )?(?:we|you) (?:assume|suppose|imagine)|assume that|imagine|hypothetical(?:ly)?"
    r"|illustrat(?:e|ion|ive)|made-up|fictitious|placeholder|example (?:figures|numbers|values)"
    r"|some (?:[a-z]+ )?(?:observations|insights|background|pointers|guidance)"
    r"|here(?:'s| is) (?:how|an example)|the (?:general )?(?:steps|method|approach) (?:is|are|would))\b"
    r"|\A\W*say (?:an?|the|that|it|its|your|their)\b|, say,? (?=[$€£]?\d)|\bif (?:its|the|their|[a-z]+'s) [^,;]{1,60}? (?:were|was) (?:[$€£]?\d)"
)
"""From here on the figures are examples, observations, or the steps of a method."""
_BACK_TO_FACTS = pattern(
    r"\W*(?:however|but|in (?:reality|fact)|actually|according to|from memory|to my knowledge|as of)\b"
)
_ONLY_ELSEWHERE = pattern(
    r"\W*(?:it|they|instead|rather|the|this|these|that|those|all|only|there)\b.{0,100}?"
    r"\b(?:only|merely|just|instead|deals? with|concerns?|pertains? to|relates? to|focus(?:es)? on"
    r"|(?:is|are) (?:about|limited to|from|for)|covers?|discuss(?:es)?|touch(?:es)? on|describes?)\b"
)
"""What a source has instead of the answer: "It only gives the revenue, which is $5"."""
_GENERALITY = pattern(
    r"\b(?:would|in general|general (?:information|overview|guidance|trends?|idea|factors?)|insights?"
    r"|observations?|factors|steps|tips|(?:metric|measure|ratio|indicator) (?:is|that|of))\b"
)
_GENERAL_HABIT = pattern(
    r"\b(?:generally|common(?:ly)?|typical(?:ly)?|usual(?:ly)?|normally|often"
    r"|(?:can|could|may|might) (?:influence|affect|vary|depend|impact|differ))\b"
)
"""General, unless a name follows: "It is usually in May" answers."""
_IN_GENERAL = pattern(r"\W*(?:in general|as a general|generally|typically|usually|as a rule)\b")
_NAME = re.compile(r"[a-z,] [A-Z]")
_TURN = pattern(
    r"\W*(?:however|but|that said|with that said|having said that|nevertheless|nonetheless|still"
    r"|yet|despite|although|therefore|thus|so|hence|in conclusion|as of (?:my|the)"
    r"|to my knowledge|based on (?:my|general|historical|available|what)"
    r"|generally speaking|assuming|the answer|it follows|from memory)\b"
)
"""The beginning of a sentence that answers after all."""
_CONCLUDES = pattern(
    r"\W*(?:therefore|thus|hence|so|consequently|accordingly|as such|as a result|in conclusion"
    r"|because of (?:this|that)|in summary|in short|overall|to conclude|for (?:this|that|these|those) reasons?|ultimately"
    r"|(?:my |the )?(?:final )?(?:answer|conclusion|verdict|result)\W*:"
    r"|(?:since|because|as|given that|given|due to|with no|absent)\b.{1,200},"
    r"|with\b[^,]{1,80} (?:missing|blank|blanks|lacking|unknown|absent|gone)\b[^,]{0,40},"
    r"|(?:on|from) (?:that|this|these|those) [a-z]+,? (?:i|we|it|the|no|one)\b"
    r"|without\b.{1,100}(?:,| (?:i|we|it|the|an?|no|one)\b))"
)
"""The beginning of a sentence that draws a conclusion from the ones before it."""
_GAPS_OF_WHAT_IS_ASKED = (
    "not told",
    "missing",
    "source keeps quiet",
    "not shared",
    "refers elsewhere",
)
"""Names of rules for gaps that need no source where the question asks for what is missing."""
_AND = pattern(r"\band\s*\Z")
"""Before a second predicate: "is in the mucosa and is not present in lymph nodes"."""
_WITHOUT = pattern(
    r"\bwithout (?:(?:access to|knowing|seeing|having) )?(?:the|an?|any|this|that|its|more)\b"
)
_ALWAYS_CONCLUDE = ("declines", "would be a guess", "made-up figures")
"""Names of rules that refuse whatever comes before."""
MADE_UP = "made-up figures"
"""The name of the rule for figures that the speaker invented."""
_ABBREVIATION_OPEN = re.compile(
    r"\W*(?:[Tt]he |[Ii]ts )?[A-Z][A-Z/&]{1,6}s? (?:for \S+ )?(?:cannot|can't|can not|could not|couldn't) be [^.;,]{1,60}\W{0,3}\Z"
)
"""A ratio by its abbreviation, and no more: "DIO can't be computed."."""
_BY_SPEAKER = pattern(r"\b(?:i|we)\b")
_HEADS_CONCLUSION = pattern(
    r"(?:\A|.*\n)\W*(?:(?:final|my|the) )?(?:answer|conclusion|verdict|result|summary)\W*"
)
_SUBSIDIARY = pattern(
    r"\W*(?:why|how (?:much|far)|(?:on|about|for) (?:the |its |their )?(?:reasons?|causes?|details?|background)|(?:for|of) (?:certain|sure)"
    r"|(?:this|that|it|these|those)?\W*(?:against|independently|with certainty|in real time)"
    r"|(?:this|that|it|these|those)(?: (?:figure|number|date|claim)s?)?\W*\Z)"
)
"""What a caveat to an answer cannot tell: why, how much of it, or whether it is still so."""
_VERIFIES = pattern(r"\b(?:verify|confirm|double-check)\Z")
"""What cannot be verified has been stated."""
_THE_ANSWER = pattern(
    rf"\b(?:(?:the|this|your|that) question|an? (?:[a-z]+ )?answer|{FACT} (?:that (?:is|are) )?"
    rf"(?:needed|required|necessary|to (?:answer|{WORK_OUT})))\b"
)
"""A refusal of the whole question, and not of a detail."""
_ANNOUNCES_ANSWER = pattern(
    r"\b(?:i (?:can (?:tell|inform)(?! you how)|found|did find)|here (?:is|are)(?! (?:how|what you)))\b"
)
_INNER_TURN = pattern(
    r"(?:[,;—–-]\s*(?:but|only|however|yet|though|although|nevertheless"
    r"|(?:which|that|this) (?:means|implies|suggests|indicates|shows)|meaning"
    r"|so (?:it|they|there|that|this|he|she|the [a-z]+) (?:probably|presumably|likely|most likely|apparently)\b"
    r"|(?:(?:somewhere|something) )?(?:around|about|roughly) [$€£]?\d[\d.,]*"
    r"|(?:perhaps|maybe|probably|possibly|i (?:think|believe|guess|suppose))\b(?! (?:because|since|due|as)\b)(?=[^,;.]*(?:\d|\b(?-i:[A-Z])))"
    r"|so(?! (?:[^,;.]{0,60}?(?:\bnot|n't|\bcannot|\bimpossible|\bunknown|\bunclear|\bmissing)\b|i|we|no|one|it is of no|the answer (?:has|must|stays|remains|will|would)|your question|the question|this question)\b))| but (?:i|it))\b"
)
_ANSWERS_YES_OR_CONCLUDES = pattern(
    r"\W*(?:yes|no)[,.]|\W*(?:therefore|thus|hence|so|overall|in conclusion|the answer is)\b(?!,? (?:neither|none|nothing)\b)"
    r"|.{0,200}(?:\bnot|n't)\b[^.;]{0,60}?\b(?:relevant|meaningful|useful|applicable)"
    r" (?:metric|ratio|measure|indicator)\b"
)
_RESULT = re.compile(
    r"[$€£]\s?\d|\d\s?%(?<!100%)(?<!100\s%)|≈"
    r"|=\s{0,3}-?\d[\d,.]{0,30}(?:\s(?:million|billion))?\s{0,3}\.?\Z"
)
"""A quantity that answers: money, a percentage, or the result of a calculation."""
_CALCULATED = re.compile(
    r"(?:[-+*/×÷][^=\n]{0,200}=|≈|\bis therefore|\bis thus|\bcomes to|\bworks out (?:at|to))\s{0,3}[$€£]?-?\d[\d,.]{0,30}"
    r"\s?(?:%|x|times|million|billion|days)?\s{0,3}\.?\s{0,3}\Z"
)
"""It ends with the result of a calculation."""
_IS_THEREFORE = re.compile(r"\b(?:therefore|thus|hence)\b.{0,40}\d")
_ON_CONTENTS = pattern(rf"\b(?:is|are) (?:[a-z]+ly )?{TOLD}\b")
"""What a source tells instead: "though cleaning is described"."""
_DESCRIBES = pattern(
    rf"[^,;:]{{0,80}}?(?:\b(?:{SOURCE}|they|it|all of (?:it|them)|these|those|both)\b|\b(?:i|we)\b)"
    r"[^;:]{0,80}?\b(?:describes?|discuss(?:es)?|talks?|deals?|covers?|focus(?:es)?|concerns?|treats?|address(?:es)?"
    r"|lists?|contains?|consists?|has|have|gives?|tells? (?:us|me|you)?|reports?|sets?|shows?|mentions?|names?|describes?"
    r"|speaks?|promises?|announces?|hints?|alludes?|touch(?:es)?|relates?|pertains?|refers?|points?|is|are|says? (?:how|what|where|when|who|why)|stops?|ends?|starts?|begins?|see|got|can see|explains?|quotes?|offers?|breaks?|presents?|includes?|provides?|supplies)\b"
    rf"|.{{0,80}}\b(?:takes? up|fills?|makes? up|occup(?:y|ies)|dominates?) (?:the|this|that|our|my) (?:[a-z]+ ){{0,2}}?{SOURCE}\b"
    r"|.{0,80}\b(?:needs?|requires?|i'd need|(?:would|must) be needed|there(?:'s| is| are) (?:something|an? (?:section|entry|chapter|note|list|page|table|paragraph)|[a-z]+ on))\b"
)
"""What a source is about, what the speaker has, or what is needed."""
_STATEMENT = pattern(
    r"[$€£]\s?\d|\d\s?%|\d[.,]\d|\b(?:says?|states?|shows?|reports?|mentions?|tells? (?:us|me|you)|explains?|confirms?|notes?|indicates?) (?:that|it|he|she|they)\b"
    r"|\b(?:is|are|was|were) (?:an?|the|[A-Z0-9])|\bnot\b|n't\b"
)
"""What a source says about the world."""
_DIGIT = re.compile(r"\d")
_COMMA = re.compile(",")


@dataclass(frozen=True, slots=True)
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
        if _YES_NO.match(self.text):
            return any(self._closes_by(found) and not self._denies(found) for found in self.certain)
        return self.refuses or self.closes

    @property
    def closes(self) -> bool:
        """Whether it refuses even after inputs or remarks."""
        return any(self._closes_by(found) for found in self.certain)

    @property
    def refuses(self) -> bool:
        return any(not (found.rule.alone or found.is_aside) for found in self.certain)

    @property
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
            or last.rule.name in _ALWAYS_CONCLUDE
            or _CONCLUDES.match(self.text) is not None
            or INNER_CONCLUSION.search(self.text, 0, last.end - self.start) is not None
            or _WITHOUT.search(self.text, last.end - self.start) is not None
            or _THE_ANSWER.search(self.text) is not None
            or _ABBREVIATION_OPEN.match(self.text) is not None
        )

    @property
    def closes_for_certain(self) -> bool:
        """Whether it concludes that the question as such cannot be answered."""
        return self.concludes and any(found.rule.closes for found in self.certain)

    @property
    def is_by_speaker(self) -> bool:
        """Whether the speaker says that it cannot or will not answer: "I cannot say who won"."""
        return any(
            self._closes_by(found) and _BY_SPEAKER.search(self.text[: found.end - self.start])
            for found in self.certain
        )

    @property
    def is_caveat(self) -> bool:
        """Whether what it cannot tell is a detail of an answer: "I cannot verify this"."""
        closing = [found for found in self.certain if self._closes_by(found)]
        return bool(closing) and all(
            found.rule.name not in _ALWAYS_CONCLUDE
            and (
                _VERIFIES.search(self.text[: found.end - self.start]) is not None
                or _SUBSIDIARY.match(self.text, found.end - self.start)
            )
            for found in closing
        )

    @property
    def makes_up(self) -> bool:
        """Whether it says that its figures are made up."""
        return any(each.rule.name == MADE_UP and not each.is_aside for each in self.certain)

    @property
    def supposes(self) -> bool:
        return _SUPPOSES.search(self.text) is not None

    @property
    def returns_to_facts(self) -> bool:
        return _BACK_TO_FACTS.match(self.text) is not None

    @property
    def advises(self) -> bool:
        return _ADVICE.search(self.text) is not None

    @property
    def states_a_figure(self) -> bool:
        return FIGURE.search(self.text) is not None and not self.advises

    @property
    def states_a_number(self) -> bool:
        return _DIGIT.search(self.text) is not None

    @property
    def is_vague(self) -> bool:
        """Whether it states no number and no name, no conclusion and no yes or no."""
        if self.found or self.answers or self.states_a_conclusion or self.states_a_number:
            return False
        return _NAME.search(self.text) is None

    @property
    def states_a_conclusion(self) -> bool:
        """Whether it answers with yes or no, a conclusion, or the result of a calculation."""
        if self.text.rstrip().endswith(("?", ":")):
            return False
        if self.refuses or self.advises:
            return _YES_NO.match(self.text) is not None
        return bool(_ANSWERS_YES_OR_CONCLUDES.match(self.text) or _CALCULATED.search(self.text))

    @property
    def answers(self) -> bool:
        """Whether it answers, after a refusal before it or in it."""
        if self.refuses:
            return self._answers_within()
        if _ANNOUNCES_ANSWER.search(self.text):
            return not self._is_general
        if self.found or self.advises or _REMARK.match(self.text):
            return False
        if _IS_THEREFORE.search(self.text):
            return True
        if _ONLY_ELSEWHERE.match(self.text):
            return False
        if "would" not in self.text and _RESULT.search(self.text):
            return True
        return _TURN.match(self.text) is not None and not self._is_general

    @property
    def is_preamble(self) -> bool:
        """Whether it is introductory: an apology, a heading, what is needed, what the source is about."""
        if any(found.is_aside or not found.rule.alone for found in self.certain):
            return False
        if self.certain or self.advises:
            return True
        if _YES_NO.fullmatch(self.text.rstrip()):
            return False
        kinds = (
            _GREETING.fullmatch,
            _LOOKED.match,
            _THE_QUESTION.match,
            _AMBIGUOUS.match,
            _METHOD.match,
            _DEFINITION.match,
            ABOUT_THE_SOURCE.match,
        )
        return any(kind(self.text) for kind in kinds)

    @property
    def is_afterthought(self) -> bool:
        """Whether it may follow a closing refusal: another refusal, advice, thanks, a general remark."""
        if self.certain or self.advises or self.supposes:
            return True
        return bool(
            _REMARK.match(self.text)
            or _GREETING.fullmatch(self.text)
            or self.text.rstrip().endswith("?")
            or self._is_general
            or self._describes_source
            or _IN_GENERAL.match(self.text)
        )

    @property
    def gaps(self) -> tuple[Found, ...]:
        """The refusals that count where nothing else answers; none if the sentence itself answers."""
        if not self.found or _YES_NO.match(self.text) or self._answers_within():
            return ()
        return tuple(each for each in self.found if not each.is_aside)

    @property
    def asked_gaps(self) -> tuple[Found, ...]:
        """The refusals that count where the question asks for what is missing, unless it answers itself."""
        by_itself = (each for each in self.found if each.rule.name in _GAPS_OF_WHAT_IS_ASKED)
        gaps = tuple(
            each
            for each in (*self.if_asked, *by_itself)
            if not each.is_aside
            and not _AND.search(self.text, 0, each.start - self.start)
            and "never" not in self.text[each.start - self.start : each.end - self.start]
        )
        if not gaps or _YES_NO.match(self.text) or self._answers_after(gaps):
            return ()
        return gaps

    @property
    def asked_refusals(self) -> tuple[Found, ...]:
        """The refusals that count where the question asks for what they name, unless it answers itself."""
        found = tuple(each for each in self.certain if not each.is_aside and not each.rule.alone)
        if not found or _YES_NO.match(self.text) or self._answers_after(found):
            return ()
        return found

    @property
    def refuses_something(self) -> bool:
        """Whether it says that something is missing, be it the answer or not."""
        return bool(self.asked_refusals or self.asked_gaps)

    @property
    def answers_yes_or_no(self) -> bool:
        return _YES_NO.match(self.text) is not None

    @property
    def prepares(self) -> bool:
        """Whether it gives a method or the question again, and no answer."""
        kinds = (_METHOD.match, _DEFINITION.match, _THE_QUESTION.match)
        return self.supposes or any(kind(self.text) for kind in kinds)

    @property
    def tells_something_else(self) -> bool:
        """Whether it only says what the source has instead."""
        return any(
            found.rule.name in ("told something else", "another source") for found in self.gaps
        )

    @property
    def gives_method(self) -> bool:
        """Whether it gives a formula or a definition without figures."""
        is_formula = "=" in self.text and _METHOD.match(self.text) is not None
        return is_formula or _DEFINITION.match(self.text) is not None

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
        if _YES_NO.match(self.text) or self.answers or any(found.is_aside for found in self.found):
            return False
        if self.found:
            return bool(self.gaps)
        return self.is_preamble or self.is_afterthought or self._describes_source

    @property
    def _describes_source(self) -> bool:
        return _DESCRIBES.match(self.text) is not None and not _STATEMENT.search(self.text)

    @property
    def _is_general(self) -> bool:
        if _DIGIT.search(self.text):
            return False
        if _GENERALITY.search(self.text) or _DEFINITION.match(self.text):
            return True
        return bool(_GENERAL_HABIT.search(self.text)) and not _NAME.search(self.text)

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
        turn = _INNER_TURN.search(self.text, last)
        if turn is None and CONCEDES.match(self.text):
            turn = _COMMA.search(self.text, last)
        if turn is None or _ADVICE.search(self.text, turn.end()):
            return False
        if turn[0].endswith("only") and not _DIGIT.search(self.text, turn.end()):
            return False
        return (
            not _ON_CONTENTS.search(self.text, turn.end())
            or _DIGIT.search(self.text, turn.end()) is not None
        )


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
        follows_heading = len(part) <= 100 and _HEADS_CONCLUSION.fullmatch(part) is not None


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
