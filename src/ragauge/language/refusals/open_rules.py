"""Refusals by a speaker who has nothing to answer with, or who leaves the question open."""

from ragauge.language.refusals.words import (
    ASKED,
    FACT,
    HOW,
    PAPER,
    PAPERS,
    RESULT,
    RESULTS,
    WORK_OUT,
    Rule,
    cues_of,
    pattern,
)

_OPEN = r"(?:open|unanswered|unresolved|undetermined|undecided|unsettled|blank|uncalculated|unobtainable)"
_UNABLE = (
    r"(?:uncomputable|uncomputed|uncalculated|unanswerable|unknowable|undeterminable|unascertainable|unobtainable|uncalculable"
    r"|incalculable|indeterminate|indeterminable)"
)

_HAS_NOTHING = (
    Rule(
        "has nothing",
        pattern(
            r"\b(?:i|we)(?:'ve|'d)?(?: (?:am|have|had|can|could|also|still|just|[a-z]+ly)){0,3}"
            r" (?:have|got|hold|possess|see|saw|find|found|(?:was|were) (?:given|sent)|spot) (?:(?:got|here) )?"
            r"(?:nothing (?:to|for|on|about|here|there|in|that)\b|neither\b|none of|no (?:[a-z-]+ ){0,3}?"
            rf"(?:{FACT}|{PAPER}|rules?|signs?|trace|way|year|date|name|number|such [a-z]+)\b)"
            rf"|\b(?:i|we)'ve (?:nothing|neither|none|no (?:[a-z-]+ ){{0,3}}?(?:{FACT}|{PAPER}))\b"
            r"|\A\W*(?:have|got) (?:neither|none|nothing)\b"
            r"|\b(?:i|we)(?:'ve)? (?:have|see|saw|find|found|got)\b[^.;]{1,120}?,? but (?:nothing|none) (?:on|about|for|regarding|concerning)\b"
        ),
        cues=cues_of(
            "nothing neither none_of have_no got_no hold_no possess_no see_no saw_no find_no"
        )
        + cues_of("found_no given_no sent_no spot_no 've_no have_none got_none have_got but_n"),
        closes=True,
    ),
    Rule(
        "has nothing",
        pattern(
            r"\b(?:i'm|i am|we are|we're) missing (?:the|an?|both|all|some|any|[a-z]+ of)\b"
            r"|\bi (?:come|came) (?:away |up )(?:empty|short|empty-handed|with nothing)\b"
            r"|\b(?:i|we) (?:lack|miss) (?:the|an?|any|both|all|those|these)\b"
        ),
        cues=cues_of("missing come_ came_ lack_ miss_"),
        closes=True,
    ),
    Rule(
        "has nothing",
        pattern(
            rf"{HOW}(?:have|possess|hold|got|see)\b(?: (?!to\b)[^,.;:]{{1,80}}? (?:in front of me|at hand"
            r"|to hand|here|available|with me|on file|anywhere)\b| (?:an?|any|the|that|those|these|enough"
            rf"|his|her|its|their)? ?(?:[^ ,.;:]+ ){{0,5}}?{PAPER}\b|\W*(?:\Z|[:,]))"
        ),
        after="negation",
        speaker=True,
    ),
    Rule(
        "has nothing",
        pattern(
            r"\bno (?:[a-z]+ )?(?:context|documents?|files?|excerpts?|filings?|texts?|pages?|sources?"
            r"|passages?|attachments?|evidence) (?:came|comes?|was|were|is|are|has been|have been)"
            r" (?:with|provided|attached|supplied|given|sent|uploaded|retrieved|included|shared|in)\b"
            r"|\bmy (?:knowledge|memory|information|data)\b[^.;:]{0,60}? (?:is|are)(?: not|n't)"
            r" (?:reliable|good|detailed|current|recent|precise)\b"
        ),
        cues=cues_of("no_ my_"),
        gap=True,
    ),
    Rule(
        "has something else",
        pattern(
            r"\b(?:what|all|the only thing) (?:i|we)(?: (?:do|would|still|really|actually))?(?: not|n't)?"
            r" ?(?:don't |do not |can't |cannot |was |were )?"
            r"(?:have(?! to\b)|need|see|lack|miss|got|handed|given|supplied|sent)(?: (?:not|isn't|is not))?\b"
            r"[^.;:]{0,40}(?::| is\b)"
            r"|\ball (?:i|we) (?:can|could) (?:make out|see|tell|say|offer|give|find) (?:is|are)\b"
            r"|\bwhat (?:i|we)(?:'ve| have)(?: been)? (?:received|got|given|sent) (?:is|are)\b"
            rf"|\b(?:only|it would take|it takes) (?:the|an?) (?:[a-z]+ ){{0,3}}?{PAPER}\b[^.;]{{0,20}}"
            rf" (?:would|could|can|will|to {WORK_OUT}|for)\b"
            rf"|\b(?:could|can|would) only [^,.;]{{1,40}} with (?:the|an?) (?:[a-z]+ )?{PAPER}\b"
        ),
        cues=cues_of("what_i what_we all_i all_we thing_ only_ take_ takes_"),
        gap=True,
    ),
)

_LEAVES_OPEN = (
    Rule(
        "leaves it open",
        pattern(
            r"\bi(?:'m| am| must| have to| will|'ll)? (?:leave|leaving) [^,;.]{1,40} (?:unanswered|open|blank)\b"
            r"|\b(?:leave|leaving) (?:this|it|that|you|your question|the (?:[a-z]+ ){0,2}?"
            r"(?:question|answer|ratio|matter|figure|field|point|issue|blank))"
            rf" (?:[a-z]+ ){{0,3}}?(?:{_OPEN}|without|there)\b"
        ),
        cues=cues_of("leave leaving"),
        closes=True,
    ),
    Rule(
        "leaves it open",
        pattern(
            r"\b(?:question|query|matter|answer|issue|point|it|this|that|which)"
            r"(?: (?:has to|must|will|would|should|therefore|thus|hence|consequently)){0,2}"
            rf" (?:remains?|stays?|goes?|be left|is left|left) (?:[a-z]+ly )?(?:an? )?(?:{_OPEN}|mystery)\b"
            rf"|\b{RESULT}[^,;:.]{{0,60}} (?:remains?|stays?|is|are|goes?) (?:left )?(?:[a-z]+ly )?"
            rf"(?:{_UNABLE}|{_OPEN})\b"
        ),
        cues=cues_of(
            "unan unre unde unse unob unco unkno unas unca open blank mystery indeterm incalc"
        ),
        closes=True,
    ),
    Rule(
        "leaves it open",
        pattern(
            r"\b(?:i'm|i am|we are|we're) (?:[a-z]+ )?(?:stuck|stumped|at a loss|out of luck|in the dark"
            r"|none the wiser|forced to (?:stop|leave|end|give up))\b"
            r"|\b(?:i|we) (?:drew|draw) a blank\b"
            r"|\bi (?:must|have to|need to|shall|will|can only) (?:stop|leave it|end|give up|pass)\b"
            r"|\bstop (?:here|there|at this point)\b[^.;]{0,40}\bwithout\b"
            r"|\b(?:my|the) (?:search|trail|sources?) (?:ends?|runs? (?:dry|out)|draws? a blank)\b"
        ),
        cues=cues_of("stuck stumped loss luck in_the_dark forced_to wiser a_blank i_must i_have_to")
        + cues_of("i_need_to i_shall i_will i_can_only stop_ trail search_ source"),
        closes=True,
    ),
    Rule(
        "leaves it open",
        pattern(
            r"\bcan(?:'t|not| not) be (?:of (?:any |much )?(?:help|use|service|assistance)"
            r"|more (?:specific|precise|exact|definite))\b"
            r"|\bi (?:can't|cannot|can not) go (?:further|beyond|any further)\b"
        ),
        cues=cues_of("be_of be_more go_"),
        closes=True,
    ),
    Rule(
        "no result",
        pattern(
            r"\A\W*(?:so|hence|thus|therefore|consequently)?\W*no (?:[a-z]+ )?"
            r"(?:answer|result|figure|number|verdict|conclusion|value)"
            r"(?: (?:available|then|here|from (?:it|me|this|that|here)|possible(?: [a-z ]{1,40})?))?\W*\Z"
            r"|[,;–—] (?:so|hence|thus|therefore|and so|consequently),? (?:there is |there's )?"
            rf"no (?:[a-z]+ )?{RESULT}(?: (?:possible|available|from (?:me|it|this|that|here)))?\W*\Z"
            rf"|\bno (?:[a-z]+ )?(?:{RESULT}|basis) (?:possible|available"
            r"|can be (?:given|had|stated|made|offered))\b"
        ),
        cues=("no ",),
        closes=True,
    ),
    Rule(
        "no result",
        pattern(
            r"\bany(?:one|body)'s guess (?:from|given|based|on the)\b"
            rf"|\b(?:from|given|on|based on|{ASKED})[^,;:]{{1,80}},? [^,;:]{{0,60}}any(?:one|body)'s guess\b"
            r"|\b(?:it|that|this)(?:'s| is) any(?:one|body)'s guess\b"
        ),
        cues=cues_of("anyone's_guess anybody's_guess"),
        closes=True,
    ),
)

_WILL_NOT_INVENT = (
    Rule(
        "will not invent",
        pattern(
            r"\bi(?:'d| would| might| could)(?: (?:only|just|merely|simply))* be (?:making|inventing"
            r"|guessing|speculating|misleading|fabricating|improvising|extrapolating|gambling|lying"
            r"|bluffing|conjecturing|assuming)\b"
        ),
        cues=cues_of("'d_be 'd_only_be 'd_just_be would_be might_be could_be only_be just_be"),
        closes=True,
    ),
    Rule(
        "will not invent",
        pattern(
            r"\bi (?:won't|will not|shouldn't|should not|must not|mustn't|wouldn't|would not|don't want to"
            r"|do not want to|refuse to|am not going to|'m not going to|can't|cannot|dare not)(?: [a-z]+ly)?"
            r" (?:guess|speculate|extrapolate|invent|make (?:one |it |things |something |anything |up |its )"
            r"|fabricate|improvise|venture|hazard|put forward|infer|assume|offer (?:one|a guess)|conjecture"
            r"|carry)\b"
        ),
        cues=cues_of(
            "i_won't i_will_not i_should i_must i_would i_don't_want i_do_not_want refuse_to"
        )
        + cues_of("not_going_to i_can't i_cannot dare_not"),
        closes=True,
    ),
    Rule(
        "would be a guess",
        pattern(
            r"\b(?:would|could|might|seems?|is|'s) (?:be )?(?:only |just |merely |purely |really )?"
            r"(?:nothing (?:more than|but)|no more than|an? (?:[a-z]+ )?|pure|mere|sheer)"
            r"(?: (?:an?|pure|mere|sheer))? ?(?:guess|guesswork|speculation|conjecture|invention)\b"
            r"|\bany [a-z]+ (?:i|we) (?:gave|named|offered|quoted|stated|put forward) would\b"
        ),
        cues=cues_of("guess speculation conjecture invention any_"),
        closes=True,
    ),
    Rule(
        "declines",
        pattern(
            r"\b(?:would|it's|it is|it'd) (?:be )?(?:reckless|irresponsible|wrong|unsafe|misleading|dishonest"
            r"|unwise|rash)(?: (?:of|for) me)? (?:of me )?(?:to|if i)\b"
            r"|\b(?:not|n't) (?:be |seem )?(?:prudent|responsible|appropriate|right|wise|honest|fair)(?: (?:for|of) me)? (?:of me )?"
            r"(?:to (?:state|name|give|offer|guess|say|answer|put|claim|quote)|if i)\b"
            r"|\bnot something (?:to (?:improvise|guess)|(?:i|we) (?:can|could|am|would|know|have))\b"
            r"|\bsomething (?:i|we) (?:can't|cannot|can not|am unable|couldn't)\b"
            r"|\bi(?:'d| would)(?: (?:really|very much))? (?:love|like|be (?:glad|happy)|have liked)"
            r"(?: to [^,.;:]{1,40})?, but\b|\bwish i could\b"
        ),
        cues=cues_of(
            "d_be_wrong reckless irresponsible be_wrong prudent responsible appropriate right wise honest fair unsafe misleading dishonest unwise rash something_"
        )
        + cues_of("'d_love 'd_like would_love would_like be_glad be_happy have_liked wish_i"),
        closes=True,
    ),
)

_CANNOT = (
    Rule(
        "cannot be determined",
        pattern(
            rf"(?: be)?{HOW}(?:made|surmised|gathered|formed|named|had|found|seen|done|finished|filled|shown"
            r"|supplied|settled|put|drawn|told|decided|read(?: off)?|answered|built|closed|worked)\b"
        ),
        after="inability",
        nouns=RESULTS,
        closes=True,
    ),
    Rule(
        "cannot be determined",
        pattern(
            rf"{HOW}(?:obtainable|ascertainable|computable|calculable|determinable|derivable|inferable"
            r"|inferrable|answerable|knowable|retrievable|deducible|verifiable)\b"
            rf"|{HOW}(?:possible|feasible)(?: for [a-z]+)? (?:to|for){HOW}(?:{WORK_OUT}|find|know|settle"
            r"|compute|get|produce|form|make|fill)\b"
        ),
        after="negation",
        closes=True,
    ),
    Rule(
        "cannot be determined",
        pattern(
            rf"\bno way (?:to|of) (?:[a-z]+ )?(?:{WORK_OUT}|produc|get(?:ting)? (?:to|at|from)|deriv|obtain"
            r"|settl|find(?:ing)? (?:out|it|the|that))"
        ),
        cues=("no way",),
        closes=True,
    ),
    Rule(
        "cannot be determined",
        pattern(
            r"\b(?:does|do|did)(?: not|n't) (?:permit|allow|support|enable|warrant|justify)"
            r" (?:an?|any|the|me|us|my|one) ?(?:[a-z]+ )?(?:answer|response|reply|conclusion|calculation"
            rf"|computation|determination|estimate|to{HOW})\b"
        ),
        cues=cues_of("n't_ not_permit not_allow not_support not_enable not_warrant not_justify"),
        closes=True,
    ),
    Rule(
        "cannot be determined",
        pattern(
            r"\b(?:cannot|can't|can not) (?:settle|resolve|decide|answer|supply)"
            rf" (?:the|this|that|your|{ASKED})\b(?= question|[^,;]*{ASKED}|[^,;]*\W*\Z)"
        ),
        cues=cues_of("t_settle t_resolve t_decide t_answer t_supply"),
        nouns=PAPERS | {"i", "we"},
        closes=True,
    ),
)

OPEN_RULES = (*_HAS_NOTHING, *_LEAVES_OPEN, *_WILL_NOT_INVENT, *_CANNOT)
"""Rules for a speaker who has nothing to answer with, or who leaves the question open."""
