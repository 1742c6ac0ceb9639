"""The wording of refusals: words for the parts of a refusal, and the rules built from them.

Most rules match right after a negation ("does not | provide the fee") and require a subject: a noun
of a given set in the same clause, or the speaker. Others match anywhere. In patterns, `_` or a space
matches a run of whitespace; case is ignored.
"""

import re
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Rule:
    """One wording of a refusal. Rules with the same name are variants.

    `after`: the words follow a negation, or a negation of ability. Without it, they match anywhere,
    but only in a sentence that contains one of the lower-case `cues`: searching for these first is a
    hundred times faster. `nouns`: one of them must precede in the same clause. `speaker`: "I" or "we"
    must precede directly, or nothing, as in "Unable to answer". `closes`: it also refuses at the end
    of an answer, where other rules match an afterthought. `alone`: it refuses only if the answer
    contains nothing else.
    """

    name: str
    words: re.Pattern[str]
    after: Literal["negation", "inability"] | None = None
    cues: tuple[str, ...] = ()
    nouns: frozenset[str] | None = None
    speaker: bool = False
    closes: bool = False
    alone: bool = False


def pattern(text: str) -> re.Pattern[str]:
    """The compiled pattern: case is ignored, and a space or `_` matches a run of whitespace.

    >>> bool(pattern("no_(?:idea|clue)").search("I have NO  idea"))
    True
    """
    return re.compile(re.sub("[ _]", r"\\s+", text), re.IGNORECASE)


def _any(words: str) -> str:
    """A pattern for any one of the words; `_` joins the words of a phrase."""
    return f"(?:{'|'.join(words.split())})"


def _cues(words: str) -> tuple[str, ...]:
    """The words; `_` is a space."""
    return tuple(word.replace("_", " ") for word in words.split())


def _plurals(words: str) -> str:
    """The words, each with its plural."""
    return " ".join(f"{word} {_plural(word)}" for word in words.split())


def _plural(word: str) -> str:
    if re.search("[^aeiou]y$", word):
        return f"{word[:-1]}ies"
    return f"{word}{'es' if re.search('(?:s|x|ch)$', word) else 's'}"


# Nouns. A document's purpose is to inform, so any missing content is a refusal; terms and works have
# other purposes ("the policy does not cover hail"), and refuse only by what they do not state.

_PAPERS = (
    _plurals(
        "context document passage text filing excerpt extract report article statement 10-k 10k "
        "10-q 10q 8-k 8k material source snippet result paragraph section sheet spreadsheet table "
        "page transcript chunk record file handbook manual guide guideline brochure leaflet "
        "catalogue catalog database note minute bulletin biography article release newsletter "
        "memo memorandum faq appendix footnote disclosure registry ledger chart diagram graph "
        "figure dataset encyclopedia wiki website webpage site entry listing log profile review "
        "study paper survey summary overview prospectus presentation slide column corpus archive "
        "abstract instruction readme index recipe specification "
        "letter email invoice receipt agenda certificate diary journal blog newspaper magazine"
    )
    + " contents documentation question prompt query information info data details facts evidence"
    " knowledge provided supplied attached retrieved quoted"
)
_TERMS_AND_WORKS = (
    _plurals(
        "policy contract agreement lease clause plan license licence warranty regulation statute "
        "book chapter story novel essay"
    )
    + " terms rules conditions"
)
_FACTS = (
    _plurals(
        "detail figure number value answer breakdown record fact statistic specific explanation "
        "description document source amount item metric"
    )
    + " information info data mention reference context discussion disclosure text evidence"
)
_FINDINGS = "result results data evidence facts study survey review provided"
PAPERS = frozenset(_PAPERS.split())
TERMS_AND_WORKS = frozenset(_TERMS_AND_WORKS.split())
FACTS = frozenset(_FACTS.split())
FINDINGS = frozenset(_FINDINGS.split())
"""Documents that show something about the world: "the results do not show growth" answers."""

_PAPER = _any(_PAPERS)
_SOURCE = _any(f"{_PAPERS} {_TERMS_AND_WORKS}")
_FACT = _any(_FACTS)

# Verbs in their form after a negation: "does not _", "has not _", "is not _".

_SAY = _any(
    "mention(?:ed)? specify specified state(?:d)? disclosed? discuss(?:ed)? address(?:ed)? say "
    "describe explain(?:ed)? clarify identify identified refer_to reference touch_on elaborate "
    "define indicate(?:d)? tell name make_(?:it_)?clear record go_into comment_on speak_(?:to|of) "
    "answer_(?:the|this|your)"
)
_HOLD = _any(
    "provided?(?!_for) contain(?:ed)? included? list(?:ed)? offer(?:ed)? supply furnish "
    "detail(?:ed)? outlined? cover(?:ed)? break_down break_out break_it_down broken_down report_on "
    "separate given? have(?!_to) seem_to_\\w+ appear_to_\\w+"
)
_SHOW = _any("show reveal(?:ed)? present report suggest")
_SAID = _any(
    "mentioned specified disclosed stated reported indicated discussed described explained "
    "addressed identified clear evident answered named recorded said"
)
_HELD = _any(
    "provided available given included found listed present contained shown detailed presented "
    "outlined visible broken_down broken_out covered supplied part_of"
)
_TELLS = _any(
    "provides? contains? includes? gives? offers? mentions? states? makes? lists? names? cites? "
    "specif(?:y|ies) reports?"
)
_WORK_OUT = _any(
    "determined? calculated? computed? answer(?:ed)? ascertain(?:ed)? establish(?:ed)? "
    "assess(?:ed)? infer(?:red)? derived? concluded? evaluated? deduced? estimated? identify "
    "confirm(?:ed)? verify verified tell say judged? compared? quantify "
    "quantified obtain(?:ed)? analyzed? extract(?:ed)? pinpoint(?:ed)? discern(?:ed)? gauged? "
    "predict(?:ed)? provided? given? offer(?:ed)? work(?:ed)?_out draw_any draw_a make_an? state"
)
_HELP = _any(
    "access retrieve browse fetch view search assist help(?!_(?:but|[a-z]+ing)) speculate comment "
    "disclose recall read"
)
_HOW = (
    r"(?:, (?:however|though|unfortunately|therefore),)?"
    r"(?: (?:(?!only)[a-z]+ly|also|yet|even|itself|alone|be|been|in fact)){0,4} "
)
_WHAT = (
    r"(?:any(?:thing)?|specific|exact|enough|sufficient|explicit|information|info|data|details?|figures?"
    r"|wh[a-z]+|how|if|this|it|such|the (?:exact|specific|amount|number|total|reason|date|name"
    r"|value|figure))\b"
)
_MEANS = (
    r"(?:[^ ,;.]+ ){0,4}?(?:access|information|info|data|knowledge|details|ability|capability"
    r"|capabilities|records?|figures?|numbers?|context|documents?|statements?|means|enough|sufficient"
    r"|specifics|insight|updates?|filings?|answer)"
)
_ASKED = r"(?:who|what|when|where|which|why|how|whether|if)\b"

NEGATION = re.compile(
    r"(?:not|n't)\b(?:\s+(?:be\s+|been\s+)?able\s+to\b)?"
    r"|unable\s+to\b|never\b|dont\b|fails?\s+to\b"
)
"""Searched in lower-case text, without the words before it: that is much faster."""
BEFORE_NEGATION = re.compile(
    r"(?:\b(?:(?P<ability>can|could|ca)|do|does|did|has|have|had|is|are|was|were|am|would|will)\s*"
    r"(?:(?<=\s)(?:also|still|yet)\s)?|'(?:s|re|m)\s|(?P<nothing>\W|\A))\Z"
)
"""An auxiliary, or nothing that is part of the same word: "kn" is not followed by a "not"."""
NEGATION_CUES = _cues("not n't dont never fail unable")
"""Every sentence with a negation contains one of them."""
_NOT = (
    r"(?:(?:do|does|did|has|have|had|is|are|was|were|can|could|would|will)(?: not|n't)"
    r"|cannot|never|fails?_to)"
)

RULES = (
    Rule(
        "source is silent",
        pattern(
            rf"{_HOW}(?:(?:{_SAY}s?|{_HOLD})\b(?! that\b)|{_SHOW}(?: {_WHAT}|(?=\s*(?:[.,;]|\Z)))"
            rf"|(?:allow|permit|enable) (?:us|me|one|you) to {_WORK_OUT}\b"
            r"|(?:relate|related|pertain|relevant) to (?:the|this|your) (?:question|query|topic)\b)"
        ),
        after="negation",
        nouns=PAPERS,
    ),
    Rule(
        "source is silent",
        pattern(rf"{_HOW}(?:show|present|report)\b(?! (?:that|an?|any)\b)"),
        after="negation",
        nouns=PAPERS - FINDINGS,
    ),
    Rule(
        "source is silent",
        pattern(rf"{_HOW}(?:{_SAY}s?\b(?! that\b)|{_HOLD} (?:[a-z]+ ){{0,2}}?{_FACT}\b)"),
        after="negation",
        nouns=TERMS_AND_WORKS,
    ),
    Rule(
        "source is silent",
        pattern(
            r"\b(?:(?:unrelated|irrelevant) to (?:the|this|your) (?:question|query|topic)"
            r"|lacks?|omits?|ends? abruptly|cuts off|leaves? (?:it )?open|(?:is|are|was|were|been"
            r"|be) (?:cut off|truncated|silent|insufficient|incomplete))\b"
        ),
        cues=_cues(
            "lack omit abruptly cut truncated silent related irrelevant incomplete insufficient "
            "leave"
        ),
        nouns=PAPERS | TERMS_AND_WORKS,
    ),
    Rule(
        "source is silent",
        pattern(
            rf"\b{_TELLS} (?:no (?!(?:more|less|fewer|longer|such)\b)[a-z]|neither|none|nothing)"
        ),
        cues=_cues("no_ neither none nothing"),
        nouns=PAPERS,
    ),
    Rule(
        "nothing in the source",
        pattern(
            rf"\b(?:(?:nothing|none|neither|nowhere)\b[^,;:]{{0,60}}?\b{_SOURCE}|no {_PAPER})\b"
            rf"[^,;:]{{0,40}}?\b(?:{_SAY}|{_HOLD}|{_SHOW})(?:s|es)?\b"
            rf"|\bnothing\b[^,;:]{{0,60}}? (?:is|are|was|were) {_SAID}\b"
            r"|\b(?:there(?:'s| is| was)|found|find|see) nothing (?:in|within) (?:[^ ,;]+ ){0,4}?"
            rf"{_SOURCE}\b"
        ),
        cues=_cues("nothing none neither nowhere no_"),
    ),
    Rule(
        "not stated",
        pattern(
            rf"{_HOW}(?:(?:explicitly|specifically|directly|clearly|separately){_HOW}"
            rf"(?:{_SAY}|{_HOLD}|{_SHOW} {_WHAT})\b|(?:specify|disclose|break_(?:down|out))"
            rf" (?:an? |its |{_WHAT})"
            rf"|(?:mentioned|specified|stated|indicated|disclosed)(?: {_ASKED}|\W*\Z))"
        ),
        after="negation",
    ),
    Rule(
        "not stated",
        pattern(rf"\A\W*(?:\w+, )?(?:it|they) {_NOT}{_HOW}(?:{_SAY}|provide)\b"),
        cues=NEGATION_CUES,
    ),
    Rule(
        "not in the source",
        pattern(
            rf"{_HOW}(?:{_SAID}\b[^,;]{{0,60}}? (?:in|by|within|from|on) (?:[^ ,;]+ ){{0,6}}?"
            rf"{_SOURCE}|{_HELD}\b[^,;]{{0,60}}? (?:in|by|within|from|on) (?:[^ ,;]+ ){{0,6}}?"
            rf"{_PAPER})\b"
        ),
        after="negation",
    ),
    Rule(
        "not in the source",
        pattern(
            rf"\A\W*not (?:{_SAID}[^,;]{{0,60}}? |{_HELD}[^,;]{{0,60}}? )?"
            rf"(?:in|by|within|from|on) (?:[^ ,;]+ ){{0,6}}?{_SOURCE}\b"
        ),
        cues=("not",),
    ),
    Rule(
        "facts not given",
        pattern(rf"{_HOW}(?:(?:{_SAID}|{_HELD})\b|in the )"),
        after="negation",
        nouns=FACTS,
    ),
    Rule(
        "facts not given",
        pattern(
            r"\b(?:(?:is|are|appears?(?: to be)?|seems?(?: to be)?) (?:missing|absent|omitted)"
            r"|(?:is|are|was|were) (?:missing|absent|omitted|left out)"
            rf" (?:from|of|in) (?:[^ ,;]+ ){{0,6}}?{_SOURCE})\b"
        ),
        cues=_cues("missing absent omitted left_out"),
        nouns=FACTS | PAPERS,
    ),
    Rule(
        "facts not given",
        pattern(
            r"(?:\b(?:is|are|falls?|lies?|goes)|'s) (?:outside|beyond) (?:of )?(?:the )?"
            rf"(?:scope|what|{_SOURCE})\b"
        ),
        cues=("outside", "beyond"),
    ),
    Rule(
        "no information",
        pattern(
            r"\b(?:(?:there(?: is| are| was| were|'s| seems to be| appears to be)|contains?|holds?"
            r"|provides?|includes?|gives?|has|have|had|found|find|makes?|offers?|shows?"
            r"|returned|yielded|with) no (?:[a-z-]+ ){0,3}?"
            r"(?:information|info|data|details|mention|reference|breakdown|explanation|description"
            r"|discussion|disclosure|records?|context|results|entry|entries)"
            r"|(?:there(?: is| was|'s)|found|find|see|have) nothing (?:about|on|regarding))\b"
            rf"|\bno (?:[a-z-]+ ){{0,2}}?(?:{_FACT}|{_PAPER}|match|matches)"
            rf" (?:[^,;:]{{0,60}} )?(?:(?:is|are|was|were|be|been){_HOW}(?:{_SAID}|{_HELD})"
            r"|appears? in|exists? in)\b"
            r"|\A\W*no (?:[a-z-]+ ){0,2}?(?:information|info|data|details|mention|results|answer)"
            rf" (?:about|on|regarding|for|in|of|to|found|{_SAID}|{_HELD})\b"
        ),
        cues=_cues("no_ nothing"),
    ),
    Rule(
        "no information",
        pattern(
            r"\bthere (?:is|are|was|were|(?:does|do)(?: not|n't) (?:appear|seem) to be)"
            rf"(?: not|n't)? (?:any|enough) (?:[a-z-]+ ){{0,3}}?{_FACT}\b"
        ),
        cues=("there",),
    ),
    Rule(
        "cannot be determined",
        pattern(rf"(?: [a-z]+(?<!be)){{0,2}}? be{_HOW}(?!estimated|predicted){_WORK_OUT}\b"),
        after="inability",
        closes=True,
    ),
    Rule(
        "cannot be determined",
        pattern(
            rf"\b(?:(?:not|n't) (?:be )?(?:[a-z]+ ){{0,2}}?possible (?:for \w+ )?to"
            rf"{_HOW}(?:{_WORK_OUT}|find)"
            rf"|impossible (?:for \w+ )?to{_HOW}(?:{_WORK_OUT}|know)"
            r"|(?:no way|there(?:'s| is) no) (?:(?:of|to) )?"
            r"(?:know|tell|determine|knowing|telling|determining)"
            r"|(?:conclusion|determination|assessment|comparison|calculation|judgment) (?:[a-z]+ )?"
            r"(?:cannot|can't|could not) be (?:made|drawn|performed)"
            rf"|no (?:[a-z]+ )?[a-z]+ can be (?:made|drawn|{_WORK_OUT})"
            r"|unanswerable|not answerable)\b"
        ),
        cues=_cues("possible no_ unanswerable answerable can_be be_made be_drawn"),
        closes=True,
    ),
    Rule(
        "cannot be determined",
        pattern(
            r"\b(?:without [^;:]{0,100}?\b(?:difficult|hard|challenging) (?:for \w+ )?to"
            rf"{_HOW}(?:{_WORK_OUT}|know)"
            r"|(?:difficult|hard|challenging) (?:for \w+ )?to"
            rf"{_HOW}(?:{_WORK_OUT}|know)\b[^;:]{{0,100}}? without)\b"
        ),
        cues=("without",),
    ),
    Rule(
        "cannot answer",
        pattern(rf"{_HOW}(?:{_WORK_OUT}|{_HELP})\b"),
        after="inability",
        speaker=True,
        closes=True,
    ),
    Rule(
        "not enough",
        pattern(
            rf"\b(?:(?:insufficient|inadequate|not enough|not sufficient"
            rf"|(?:not|n't) (?:[a-z]+ ){{0,2}}(?:enough|sufficient|adequate))"
            rf" (?:[a-z]+ ){{0,2}}?{_FACT}\b(?! (?:led|caused|made|forced|meant)\b)"
            rf"|(?:insufficient|inadequate|not enough|not sufficient) to {_WORK_OUT})\b"
        ),
        cues=_cues("enough sufficient adequate"),
        closes=True,
    ),
    Rule(
        "no access",
        pattern(
            rf"{_HOW}(?:(?:have|possess|given|provided) {_MEANS}|equipped|programmed|trained)\b"
        ),
        after="negation",
        speaker=True,
    ),
    Rule(
        "no access",
        pattern(rf"\b(?:i|we)(?: [a-z]+ly| also)? (?:lack|have no|no longer have) {_MEANS}\b"),
        cues=_cues("lack no_"),
    ),
    Rule(
        "no access",
        pattern(
            r"\bas of (?:my|the) (?:last|latest|current|most recent|knowledge|training)\b"
            rf"[^;:]{{0,200}}?(?:not|n't){_HOW}"
            r"(?:published|released|reported|announced|filed|disclosed)\b"
        ),
        cues=("as of",),
    ),
    Rule(
        "not found",
        pattern(
            rf"{_HOW}(?:locate\b|find [^,;]{{0,60}}? (?:in|within) (?:[^ ,;]+ ){{0,4}}?{_PAPER}\b"
            r"|(?:find|see) (?:any|the|an?|that|this|it|what|who|where|when|specific"
            r"|enough|information|mention|relevant|further|details|data|[a-z]+ing)\b)"
        ),
        after="negation",
        speaker=True,
    ),
    Rule(
        "does not know",
        pattern(
            r"(?:(?<=\bdo\x20not)|(?<=\bdon't)|(?<=\bdont)|(?<=\bcannot))"
            rf"{_HOW}(?:know\b(?=\s*(?:[^\w\s]|\Z))"
            r"|know (?:the|that|this|it|what|who|when|where|which|why|whether|if|about|enough"
            r"|based|from|because|as|since|for|anything|of|how (?:many|much|long|often|old|far))\b)"
        ),
        after="negation",
        speaker=True,
    ),
    Rule(
        "does not know",
        pattern(
            r"(?:(?<!but\x20)|(?<=sorry\x20but\x20)|(?<=sorry,\x20but\x20))\b(?:i am|i'm)"
            r" (?:[a-z]+ )?not (?:[a-z]+ )?(?:sure|certain|aware|familiar)\b"
            r"|\bi have no (?:idea|clue|knowledge)\b|\A\W*(?:not sure|no (?:idea|clue))\b"
            r"|\bi wish i knew\b"
            r"|\bit(?: is|'s| remains|(?= isn't)) (?:[a-z]+ )?"
            r"(?:unclear|unknown|(?:not|isn't) (?:[a-z]+ly )?(?:clear|known))"
            rf" (?:from|in|based|{_ASKED})"
            r"|\banswer (?:[^ ,;]+ ){0,5}?(?:is|remains) (?:unknown|unclear|not (?:known|clear))\b"
        ),
        cues=_cues("sure certain aware familiar idea clue know knew clear"),
    ),
    Rule(
        "no information",
        pattern(
            r"\bthere (?:is|are|exists?) no (?:definite|definitive|clear|single|simple) answer\b"
        ),
        cues=("answer",),
        alone=True,
    ),
    Rule(
        "asks for more",
        pattern(
            r"\A\W*(?:(?:i'm |i am )?sorry,? (?:but )?)?"
            r"(?:(?:please|could you|can you|would you|kindly) (?:please )?(?:provide|share"
            r"|supply|specify|clarify|upload|attach|paste|rephrase|tell)"
            r"|if you (?:can |could |would |are able to )?(?:provide|share|supply)"
            r"|(?:to [^,;]{1,60}, )?(?:i|we)(?: would| will|'d)? (?:need|require)"
            r" (?:access|more|additional|further|the|to (?:know|see|look|review|check))"
            r"|(?:additional|more|further) (?:information|data|context|details) (?:[^ ,;]+ ){0,6}?"
            r"(?:is|are|would be) (?:needed|required|necessary)"
            r"|(?:your|the|this) question is (?:[a-z]+ )?(?:ambiguous|unclear|vague|incomplete))\b"
        ),
        cues=_cues("please an_you ould_you if_you kindly need require question_is"),
        alone=True,
    ),
)
"""Rules for every sentence of the answer, outside quotations."""

NO_ANSWER = Rule(
    "no answer",
    pattern(
        r"(?:(?:final )?answer:|unfortunately,?|sorry,?)?[\s\"'(\[]*(?:n/a|n\.a\.?|null"
        r"|(?-i:NaN|nan)|unknown|undetermined|unanswerable|unsure|unclear|idk|cannot answer"
        r"|cannot be determined|not sure"
        rf"|(?:(?:information|data|details|answer) )?not (?:applicable|known|{_SAID}|{_HELD})"
        r"|not enough (?:information|data|context|details?)"
        r"|no (?:answer|response|information|data|idea|clue)"
        r"(?: (?:found|available|provided|given))?"
        r"|insufficient (?:information|data|context)|[-–—.?…*_]+)[\s\"')\].!]*"
    ),
)
"""The whole answer is a word or sign for "none"."""

OTHER_LANGUAGES = Rule(
    "does not know, in another language",
    pattern(
        r"\W*(?:das weiß ich (?:leider )?nicht|ich weiß (?:es |das |die Antwort )?(?:leider )?nicht"
        r"|je ne (?:le )?sais pas|no (?:lo )?sé|non lo so|(?:eu )?não sei|(?:я )?не знаю"
        r"|(?:我)?不知道|(?:我)?(?:无法|無法)(?:回答|确定|確定)|(?:分|わ)かりません|不明です"
        r"|모르겠습니다)(?![a-zà-ÿ])"
    ),
)
"""The answer opens with a plain "I do not know" in another language."""

EMPTY = "empty answer"
"""The name of the rule for a blank answer."""

ABOUT_THE_SOURCE = pattern(
    rf"\W*(?:the|this|these|your)\b[^,;:]{{0,60}}?\b{_PAPER}\b[^,;:]{{0,60}}?\b(?:describes?"
    r"|discuss(?:es)?|talks? about|deals? with|covers?|focus(?:es)? on|(?:is|are) about"
    r"|provides? (?:[a-z]+ )?(?:information|details|data|an overview)|relates? to|pertains? to)\b"
)
"""The beginning of a sentence that only says what the source is about."""

_LEAD = r"\W*(?:(?:[a-z]+|(?:based on|according to|as|in|from|for|per)\b[^,;]{0,120}), )?+"
_IS_A_NUMBER = r"(?: [a-z]+)? (?:is|are|was|were) (?:about |around |[a-z]+ly )?[$€£]?\d"

SAYS_NO_ANSWER = pattern(
    rf"{_LEAD}(?:(?:unfortunately)?\W*\Z|sorry\b|(?:i |my )?apolog|(?:i )?regret|thank|there\b\D*\Z"
    r"|(?:i|we)\b(?!(?:'m| am)?(?: [a-z]+ly)? (?:think|believe|guess|sure|certain)\b)"
    rf"|(?:(?!(?:is|are|was|were)\b)[^ ,;]+ ){{0,5}}?{_PAPER}\b(?!'s|{_IS_A_NUMBER})"
    r"|.{0,300}?(?:\b(?:you|your|question|query|request|needs?|needed|requires?|depends? on|formula"
    r"|mentions?|discuss(?:es|ed)?|refers? to|talks? about|(?:is|are) (?:defined|calculated))\b"
    r"|\b(?:would|could|might)\b\D*\Z|\b(?:mentioned|described|reported|disclosed)\W*\Z"
    rf"|\b(?:{_SAID}|{_HELD}) (?:[^ ,;]+ ){{0,6}}?{_SOURCE}\b))"
)
"""A clause before "but" that does not answer: an apology, a need, what the source is about."""
