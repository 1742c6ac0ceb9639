"""Weak signs of a refusal: something is not there, in words that answers use too.

"The price is not shown" refuses by itself, and so does "Flood is left out" after "The guide describes
fire and theft", yet not after "The premium is $5". Every rule here has `gap`: it refuses only if no
other sentence answers. Most have `near_source`: the answer must also speak of a source or of what the
speaker was given ("The guide", "the pages", "I was sent").
"""

from ragauge.language.refusals.elsewhere_rules import ELSEWHERE_RULES
from ragauge.language.refusals.words import (
    ASKABLE,
    ASKABLES,
    ASKED,
    DOCUMENTS,
    FACT,
    FACTS,
    GIVEN,
    HELD,
    HOLD,
    HOW,
    IS_NOT,
    NEGATION_CUES,
    NOT,
    PAPER,
    PASSIVE,
    SAID,
    SAY,
    SHOW,
    SOURCE,
    THERE,
    TOLD,
    Rule,
    cues_of,
    pattern,
)

_END = r"(?=\s*(?:[.,;:!?)\]–—-]|\Z))"
_BE = r"(?:is|are|was|were|has been|have been|gets?|got|comes?|came)"

_NOT_TOLD = (
    Rule(
        "not told",
        pattern(rf"{IS_NOT}{HOW}{TOLD}\b(?! (?:as|to)\b)"),
        after="negation",
        gap=True,
    ),
    Rule(
        "not told",
        pattern(rf"{PASSIVE}{HOW}(?:{TOLD}|{SAID})\b(?! (?:as|to)\b)"),
        after="negation",
        gap=True,
        near_source=True,
    ),
    Rule(
        "not told",
        pattern(
            r"\b(?:remains?|stays?) (?:an? )?(?:mystery|riddle|secret|unsaid|untold)\b"
            r"(?=\W*\Z| (?:to me|from|after|in))"
            rf"|\b{ASKED}[^,;:]{{1,80}} (?:is|are|remains|stays) (?:an? |left )?"
            r"(?:mystery|open|unsaid|untold|unanswered|unexplained)\b"
        ),
        cues=cues_of("mystery riddle secret unsaid untold unanswered unexplained _open"),
        gap=True,
    ),
    Rule(
        "not told",
        pattern(
            r"\b(?:nothing|little|no [a-z]+|none of what) (?:that )?(?:i|we)"
            r" (?:retrieved|found|have|got|see|(?:was|were) (?:given|handed|sent)|read)\b"
        ),
        cues=cues_of("nothing little_ no_ none_of"),
        gap=True,
    ),
    Rule(
        "not told",
        pattern(
            r"\bat no point (?:does|do|is|are|did|was|were)\b[^,;]{0,40}?"
            rf"\b(?:author|writer|reporter|{SOURCE}|{SAID}|{TOLD})\b"
        ),
        cues=("at no point",),
        gap=True,
    ),
    Rule(
        "not told",
        pattern(
            rf"\b(?:is|are|was|were|gets?|goes) never (?:[a-z]+ly )?(?:expressed|voiced|given|revealed|{SAID}|{TOLD})\b"
            rf"|\bnone of (?:them|these|those|the (?:[a-z]+ ){{1,3}}?)(?: ?)(?:speaks? to|turns? to|(?:{SAY}|{HOLD}|{SHOW})s?|specifies|identifies)\b"
        ),
        cues=cues_of("never_ none_of"),
        gap=True,
        near_source=True,
    ),
    Rule(
        "not told",
        pattern(
            r",? (?:so|and so|hence|thus|therefore),? (?:it|they|this|that) (?:cannot|can't|can not|does not|doesn't)"
            r" (?:tell|inform) (?:us|me|you)\b"
        ),
        cues=NEGATION_CUES,
        gap=True,
        near_source=True,
    ),
    Rule(
        "not told",
        pattern(
            rf",? (?:so|and so|hence|thus|therefore),? (?:the|its|their|his|her) [^,;.]{{1,60}} (?:is|are|remains?)"
            rf" (?:not known|unknown|undetermined|unclear){_END}"
        ),
        cues=cues_of("not_known unknown undetermined unclear"),
        closes=True,
    ),
    Rule(
        "not a word",
        pattern(
            r"(?:\A|[,:;?–—] ?)\W*(?:but |and |yet )?(?:not an? (?:single )?(?:word|hint|line|mention|trace)"
            r"|no (?:word|hint|trace|clue|mention|such [a-z]+))"
            rf"(?: (?:on|about|of|as to|regarding|who|in|from|here|there)\b|{_END})"
            r"|\b(?:gets?|receives?|finds?) no mention\b"
        ),
        cues=cues_of("not_a no_word no_hint no_trace no_clue no_mention no_such"),
        gap=True,
        near_source=True,
    ),
    Rule(
        "mentioned, not told",
        pattern(
            rf"\A\W*(?:it|they|(?:the|this) (?:[a-z]+ )?{SOURCE}) (?:also |only |just )?(?:mentions?|refers?|alludes?|says?|describes?|uses?|cites?|notes?)\b"
            rf"[^.;]{{1,120}}?,? (?:but|yet|though|although|and)(?: it| they)? {NOT}{HOW}(?:{SAY}|{HOLD}|give)\b"
            r"|\b(?:mentioned|referred to|alluded to|used|cited|quoted|discussed|noted|touched on|hinted at)\b[^.;,]{0,60},? "
            rf"(?:but|yet|though|although)(?: (?:it|they))?(?: is| are| was| were)? (?:not|never|nowhere){HOW}(?:{TOLD}|{SAID}|{GIVEN}|{HELD})\b"
        ),
        cues=cues_of(
            "mention refer allud says_ say_ describe use cite note quote discuss touched hinted"
        ),
        gap=True,
    ),
    Rule(
        "not a word",
        pattern(
            r"\A\W*(?:but |and |yet )?(?:there(?:'s| is) )?(?:nothing|no word|not a word|zero|no mention)"
            r" (?:at all |whatsoever )?(?:on|about|of|as to|regarding|concerning) [^,;:.]{1,80}\W*\Z"
        ),
        cues=cues_of("nothing no_word not_a_word zero no_mention"),
        gap=True,
        near_source=True,
    ),
    Rule(
        "not a word",
        pattern(r"\A\W*(?:nothing|silence|no word|not a word|zilch)(?: at all| whatsoever)?\W*\Z"),
        cues=cues_of("nothing silence no_word not_a_word zilch"),
        gap=True,
        near_source=True,
    ),
    Rule(
        "not a word",
        pattern(
            r"\A\W*as (?:to|for) [^,]{1,60}, (?:no (?:word|hint|mention|line)|not an? (?:word|line|hint))\b"
        ),
        cues=cues_of("as_to as_for"),
        gap=True,
    ),
)

_NOT_GIVEN = (
    Rule(
        "not given",
        pattern(rf"{HOW}[a-z]+"),
        after="negation",
        nouns=DOCUMENTS,
        gap=True,
        near_source=True,
    ),
    Rule(
        "not given",
        pattern(
            rf"{HOW}(?!(?:think|believe|like|love|mean|agree|want|need|care|mind|recommend|drink|eat|watch"
            r"|have (?:any )?(?:personal|physical|feelings|opinions|emotions))\b)"
            r"[a-z]+"
        ),
        after="negation",
        speaker=True,
        gap=True,
        near_source=True,
    ),
    Rule(
        "not given",
        pattern(
            rf"{HOW}have (?!(?:to|been|had|got to|(?:any |an? )?(?:doubts?|problems?|personal|physical|feelings?|opinions?|emotions?|need))\b)[a-z]+"
        ),
        after="negation",
        speaker=True,
        gap=True,
    ),
    Rule(
        "not given",
        pattern(rf"{IS_NOT}{HOW}{GIVEN}(?:{_END}| {THERE})"),
        after="negation",
        nouns=ASKABLES | FACTS,
        gap=True,
    ),
    Rule(
        "not given",
        pattern(rf"{HOW}(?:(?:{GIVEN} )?{THERE}|(?:{GIVEN}|come up|turn up|appear){_END})"),
        after="negation",
        gap=True,
        near_source=True,
    ),
    Rule(
        "not given",
        pattern(
            rf"{IS_NOT}{HOW}(?:(?:{TOLD}|covered|listed|shown|addressed|reproduced|printed) here\b"
            rf"|(?:reproduced|quoted|legible|readable|enclosed|attached|appended|excerpted|scanned|transcribed|digiti[sz]ed){_END})"
        ),
        after="negation",
        gap=True,
    ),
    Rule(
        "not given",
        pattern(rf"{HOW}in (?:the|this|that|these|those|my|our) (?:[a-z-]+ ){{0,2}}?{PAPER}\b"),
        after="negation",
        gap=True,
        near_source=True,
    ),
    Rule(
        "not given",
        pattern(
            r"(?:\b(?:is|are|lies?|falls?|goes)|'s) (?:well |far )?(?:beyond|outside|past) (?:of )?"
            rf"(?:(?:the|this|that|these|those|my|our) (?:[a-z]+ )?{PAPER}|what (?:i|we))\b"
        ),
        cues=cues_of("beyond outside past"),
        gap=True,
    ),
    Rule(
        "not given",
        pattern(rf"{HOW}(?:(?:one )?(?:among|on|in|of|part of) (?:them|it|these|those|there)\b)"),
        after="negation",
        gap=True,
        near_source=True,
    ),
    Rule(
        "not given",
        pattern(
            rf"\bno (?:[a-z0-9-]+ ){{0,3}}?(?:{ASKABLE}|{FACT}|{PAPER}) (?:[^ ,;:]+ ){{0,8}}?"
            rf"{_BE}{HOW}(?:{SAID}|{HELD}|{TOLD}|{GIVEN}|with|in)\b(?! (?:by|until|to|before)\b)"
            rf"|\A\W*no (?:[a-z-]+ ){{1,4}}(?:of any kind|whatsoever|at all|anywhere){_END}"
            rf"|\A\W*no [^,.;:]{{0,40}}\b{PAPER}, (?:hence |so |thus )?no [^,.;:]{{1,60}}\W*\Z"
        ),
        cues=("no ",),
        gap=True,
    ),
    Rule(
        "not given",
        pattern(
            rf"\A\W*no (?:(?:[a-z-]+ ){{0,2}}[a-z-]+{_END}"
            r"|[^,.;:]{1,60}, (?:hence |so |thus )?no [^,.;:]{1,60}\W*\Z)"
            rf"|\bno [^,.;:]{{1,60}} (?:is|are|was|were) (?:{TOLD}|{SAID}|{GIVEN})\b"
            r"|\bthere(?:'s| is| are) (?:no (?!further\b)[a-z-]+|none|nothing)\b(?! further\b)"
        ),
        cues=cues_of("no_ there's_n there_is_n there_are_n"),
        gap=True,
        near_source=True,
    ),
    Rule(
        "not given",
        pattern(
            r"\b(?:neither|none|nothing)\b[^,;:.]{0,60}? (?:is|are|was|were|has been|have been)"
            rf"{HOW}(?:{TOLD}|{SAID}|{GIVEN}|there|here)\b(?! to \w)"
            r"|\b(?:nothing|none)\b[^,;:.]{0,60}? (?:turned|turns|came|comes|shows|showed) up\b"
        ),
        cues=cues_of("neither none nothing"),
        gap=True,
        near_source=True,
    ),
    Rule(
        "not given",
        pattern(
            rf"(?<=[a-z]) not (?:{SAID}|{TOLD}|{GIVEN}) (?:in|on|by) (?:[a-z]+ ){{0,2}}?{PAPER}\b"
            rf"|\A\W*not (?:known|clear|{SAID}|{GIVEN})(?: (?:from|on the basis of|based on|in)\b[^,;]*)?\W*\Z"
            rf"|\A\W*(?:{FACT}|{ASKABLE}) not [a-z]+\W*\Z"
        ),
        cues=("not ",),
        gap=True,
    ),
)

_MISSING = (
    Rule(
        "missing",
        pattern(
            r"(?:\b(?:is|are|was|were|seems?|appears?|has been|have been|remains?|goes)|'s)"
            r"(?: (?:just|simply|also|all|both|still|completely|entirely|unfortunately))?"
            r" (?:missing|absent|omitted|left out|left blank|skipped|lacking|unstated|unspecified"
            r"|unmentioned|undisclosed|unnamed|unreported|undated|nowhere (?:to be )?(?:seen|found|in))\b"
            r"|\A\W*(?:missing|absent|omitted)\b|\bwhat(?:'s| is) missing\b"
            r"|\bleaves? (?:the|its|this|that|[a-z]+'s) [^.;,]{1,40} (?:empty|blank|open)\b"
        ),
        cues=cues_of(
            "missing absent omitted left_out left_blank skipped lacking unstated unspecified leave"
        )
        + cues_of("unmentioned undisclosed unnamed unreported undated nowhere"),
        gap=True,
        near_source=True,
    ),
    Rule(
        "missing",
        pattern(
            r"\b(?:is|are|remains?|stays?|seems?)(?: not|n't)? (?:[a-z]+ )?(?:unknown|unclear|known|clear)"
            rf" (?:from|on the basis of|given|based on|after reading) (?:[^ ,;]+ ){{0,6}}?(?:{PAPER}|inputs?)\b"
        ),
        cues=cues_of("known_ unknown_ clear_ unclear_"),
        gap=True,
    ),
    Rule(
        "missing",
        pattern(
            r"\A\W*(?:unknown|unclear)(?: (?:from|on the basis of|based on|in)\b[^,;]*)?\W*\Z"
            rf"|\A\W*(?:{FACT}|{ASKABLE}) (?:unavailable|missing|lacking|unknown|absent)\W*\Z"
        ),
        cues=cues_of("unknown unclear unavailable missing lacking absent"),
        gap=True,
    ),
)

GAP_RULES = (*_NOT_TOLD, *_NOT_GIVEN, *_MISSING, *ELSEWHERE_RULES)
"""Rules for what is missing, in words that answers use too."""
