"""Refusals by what a source does not tell, and by facts that are missing."""

from ragauge.language.refusals.words import (
    ASKABLE,
    ASKED,
    FACT,
    FACTS,
    FINDINGS,
    HELD,
    HOLD,
    HOW,
    NEGATION_CUES,
    NOT,
    PAPER,
    PAPERS,
    SAID,
    SAY,
    SHOW,
    SOME,
    SOURCE,
    TELLS,
    TERMS_AND_WORKS,
    WHAT,
    WORK_OUT,
    Rule,
    cues_of,
    pattern,
)

SOURCE_RULES = (
    Rule(
        "source is silent",
        pattern(
            rf"{HOW}(?:(?:{SAY}(?:s|es)?|{HOLD})\b(?! that\b(?! {FACT}\b))|{SHOW}(?: {WHAT}|(?=\s*(?:[.,;]|\Z)))"
            rf"|(?:allow|permit|enable) (?:us|me|one|you) to {WORK_OUT}\b"
            r"|(?:relate|related|pertain|relevant) to (?:the|this|your|what) (?:question|query|topic|you)\b"
            rf"|(?:help|let) (?:us|me|one|you)? ?(?:to )?(?:with|here|{WORK_OUT})\b)"
        ),
        after="negation",
        nouns=PAPERS,
    ),
    Rule(
        "source is silent",
        pattern(rf"{HOW}(?:show|present|report)\b(?! (?:that|an?|any)\b)"),
        after="negation",
        nouns=PAPERS - FINDINGS,
    ),
    Rule(
        "source is silent",
        pattern(rf"{HOW}(?:{SAY}s?\b(?! that\b)|{HOLD} (?:[a-z]+ ){{0,2}}?{FACT}\b)"),
        after="negation",
        nouns=TERMS_AND_WORKS,
    ),
    Rule(
        "source is silent",
        pattern(
            r"\b(?:(?:unrelated|irrelevant) to (?:the|this|your|what) (?:question|query|topic|you)"
            r"|lacks?|omits?|ends? (?:abruptly|before)|cuts off|breaks? off|leaves? (?:it|this|that )?open"
            r"|ha(?:s|ve) nothing to do with|stops? (?:short of|before)|skips?|passes over|keeps? (?:silent|quiet|mum)|are of no (?:use|help)"
            r"|(?:is|are|be) of (?:no|little) (?:use|help)|(?:is|are|was|were|been"
            r"|be) (?:cut off|truncated|silent|mute|mum|insufficient(?! (?:to|for) (?:support|convict|prove|justify|reject))|incomplete|inconclusive|inadequate|too (?:vague|limited|general|short)))\b"
        ),
        cues=cues_of(
            "lack omit abruptly cut truncated silent related unrelated irrelevant incomplete insufficient "
            "leave keep mute vague inconclusive inadequate too_ nothing_to ends end_ breaks stop skip passes no_ little"
        ),
        nouns=PAPERS | TERMS_AND_WORKS,
    ),
    Rule(
        "source is silent",
        pattern(
            rf"\b(?:(?:credits?|identif(?:y|ies)|{TELLS}) (?:no one|nobody)|{TELLS} (?:no (?!(?:more|less|fewer|longer|such)\b)[a-z]+|neither|none|nothing)"
            r"|(?:says?|reveals?|shows?|tells? (?:me|us|you)) nothing"
            rf"|(?:has|have|shows?) no (?:[a-z-]+ ){{0,2}}?{FACT}|no (?:have|say|give|contain|mention)|falls? short)\b"
        ),
        cues=cues_of("no_ neither none nothing short nobody"),
        nouns=PAPERS,
    ),
    Rule(
        "source is silent",
        pattern(
            r"\b(?:leaves? (?:[^ ,;.]+ ){0,4}?(?:out|blank|empty|unsaid|unnamed|open|un(?:mentioned|stated|specified|answered|addressed|explained|told|defined"
            r"|disclosed|quantified|settled|identified|resolved))"
            r"|keeps? (?:[^ ,;.]+ ){1,4}(?:anonymous|secret|vague|open)"
            r"|names? neither)\b"
        ),
        cues=cues_of("leave keep neither"),
        nouns=PAPERS | frozenset(("author", "reporter", "writer")),
    ),
    Rule(
        "source is silent",
        pattern(
            r"\A\W*(?:but |and |yet )?(?:it|they)(?:'s|'re| is| are| remains?| stays?| keeps?) (?:completely |entirely |also )?"
            r"(?:silent|mum|mute|quiet|vague) (?:on|about|as to|regarding|concerning|when it comes to)\b"
        ),
        cues=cues_of("silent mum_ mute quiet vague"),
    ),
    Rule(
        "nothing in the source",
        pattern(
            rf"\b(?:(?:nothing|none|neither|nowhere)\b[^,;:]{{0,60}}?\b{SOURCE}|no {PAPER})\b"
            rf"[^,;:]{{0,40}}?\b(?:{SAY}|{HOLD}|{SHOW})(?:s|es)?\b"
            rf"|\bnothing\b[^,;:]{{0,60}}? (?:is|are|was|were) {SAID}\b"
            r"|\b(?:there(?:'s| is| was)|found|find|see) nothing (?:in|within) (?:[^ ,;]+ ){0,4}?"
            rf"{SOURCE}\b"
            r"|\bnothing (?:there|here|in (?:it|there|here|them))\b"
            rf"|\b(?:none|nothing|nowhere)\b[^,;:]{{0,60}}? (?:is|are|was|were) "
            rf"(?:of (?:use|help)|useful|helpful|relevant|given|{SAID})\b(?! to \w)"
            rf"|\bnowhere (?:in|on) (?:[^ ,;]+ ){{0,4}}?{SOURCE}\b"
            r"|\bneither [^,;:.]{1,80}? (?:appears?|occurs?|figures|features?|shows? up|comes? up) (?:anywhere )?(?:in|on|among)"
            rf" (?:[^ ,;]+ ){{0,4}}?{SOURCE}\b"
        ),
        cues=cues_of("nothing none neither nowhere no_"),
    ),
    Rule(
        "not stated",
        pattern(
            rf"{HOW}(?:(?:explicitly|specifically|directly|clearly|separately){HOW}"
            rf"(?:{SAY}|{HOLD}|{SHOW} {WHAT})\b|(?:specify|disclose|break_(?:down|out))"
            rf" (?:an? |its |{WHAT})"
            rf"|(?:mentioned|specified|stated|indicated|disclosed)(?: {ASKED}|\W*\Z))"
        ),
        after="negation",
    ),
    Rule(
        "not stated",
        pattern(
            r"\b(?:but|although|though|however|yet),? it (?:is|was)(?: not|n't) "
            r"(?:specified|stated|mentioned|disclosed|indicated|said) (?:who|which|when|where|what|how|why|whether|if)\b"
        ),
        cues=NEGATION_CUES,
        closes=True,
    ),
    Rule(
        "not stated",
        pattern(rf"\A\W*(?:\w+, )?(?:it|they) (?:{NOT}{HOW}(?:{SAY}|provide)|not {SAY})\b"),
        cues=NEGATION_CUES,
    ),
    Rule(
        "not in the source",
        pattern(
            rf"{HOW}(?:{SAID}\b[^,;]{{0,60}}? (?:in|by|within|from|on) (?:[^ ,;]+ ){{0,6}}?"
            rf"{SOURCE}|{HELD}\b[^,;]{{0,60}}? (?:in|by|within|from|on) (?:[^ ,;]+ ){{0,6}}?"
            rf"{PAPER})\b"
        ),
        after="negation",
    ),
    Rule(
        "not in the source",
        pattern(
            rf"\A\W*not (?:{SAID}[^,;]{{0,60}}? |{HELD}[^,;]{{0,60}}? )?"
            rf"(?:in|by|within|from|on) (?:[^ ,;]+ ){{0,6}}?{SOURCE}\b"
        ),
        cues=("not",),
    ),
    Rule(
        "facts not given",
        pattern(
            rf"{HOW}(?:(?:{SAID}|{HELD})\b(?! (?:for|in|from|by|to) {SOME})|in (?:the|there|here|it|this|these|them|any) |(?:in )?(?:there|here)\b|among )"
        ),
        after="negation",
        nouns=FACTS,
    ),
    Rule(
        "facts not given",
        pattern(
            r"\b(?:(?:is|are|appears?(?: to be)?|seems?(?: to be)?) (?:missing|absent|omitted|lacking"
            r"|unavailable|wanting|nowhere to be (?:seen|found))"
            r"|(?:is|are|was|were|has been|have been) (?:missing|absent|omitted|left (?:out|blank)|lacking|unavailable)"
            rf" (?:from|of|in) (?:[^ ,;]+ ){{0,6}}?{SOURCE})\b"
        ),
        cues=cues_of("missing absent omitted left_ lacking unavailable wanting nowhere"),
        nouns=FACTS | PAPERS,
    ),
    Rule(
        "facts not given",
        pattern(
            r"(?:\b(?:is|are|falls?|lies?|goes)|'s) (?:outside|beyond) (?:of )?(?:the )?"
            rf"(?:scope|reach|what|{SOURCE})\b|\bis out of reach\b"
        ),
        cues=("outside", "beyond", "out of reach"),
    ),
    Rule(
        "no information",
        pattern(
            r"\A\W*nothing (?:about|on|regarding)\b|\b(?:(?:there(?: is| are| was| were|'s| seems to be| appears to be)|contains?|holds?"
            r"|provides?|includes?|gives?|has|have|had|found|find|makes?|offers?|shows?"
            r"|returned|yielded|with) no (?:[a-z-]+ ){0,3}?"
            r"(?:information|info|data|details|mention|reference|breakdown|explanation|description"
            r"|discussion|disclosure|records?|context|results|entry|entries)"
            r"|(?:there(?: is| was|'s)|found|find|see|have|turned up) nothing"
            r" (?:about|on|regarding|relevant|for)"
            rf"|there(?: is| was|'s) no (?:clear |direct )?(?:indication|hint|word|clue)"
            rf" (?:(?:of|as to|about|on) )?(?:of )?(?:the|{ASKED})"
            r"|(?:came up|come up) empty|(?:turned|brought|dug) up (?:nothing|only)|(?:came|come) away with nothing|nothing (?:came|comes|turned) up)\b"
            r"|\bno (?:mention|reference)(?: whatsoever| at all)? (?:is|was) made\b"
            rf"|\bno (?:[a-z-]+ ){{0,2}}?(?:{FACT}|{PAPER}|match|matches)"
            rf" (?:[^,;:]{{0,60}} )?(?:(?:is|are|was|were|be|been){HOW}(?:{SAID}|{HELD})"
            r"|appears? in|exists? in)\b"
            r"|\A\W*no (?:[a-z-]+ ){0,2}?(?:information|info|data|details|mention|results|answer)"
            rf" (?:about|on|regarding|for|in|of|to|found|{SAID}|{HELD})\b"
            r"(?![^,;:]{0,60}? (?:is|are|was|were|gets?|will be) (?:shared|sold|collected|stored|kept|retained"
            r"|transferred|transmitted|disclosed to|lost)\b)"
        ),
        cues=cues_of("no_ nothing empty"),
    ),
    Rule(
        "no information",
        pattern(
            r"\bthere (?:(?:is|are|has been|have been) no (?:[a-z]+ ){0,2}?(?:announcements?|release date"
            r"|confirmation)\b|(?:is|are|was|were|(?:does|do)(?: not|n't) (?:appear|seem) to be)"
            rf"(?: not|n't)? (?:any|enough) (?:[a-z-]+ ){{0,3}}?{FACT}\b|(?:is|are)(?: not|n't) (?:(?:the|such|that) )?(?:[a-z-]+ )?(?:information|informations|info|data|details?)\b)"
            r"|\b(?:is|are|remains?) (?:currently|presently|still|as yet) (?:unknown|unclear|unannounced)\b"
        ),
        cues=cues_of("there currently presently still as_yet"),
    ),
    Rule(
        "not in the source",
        pattern(
            rf"{HOW}(?:appear|figure|feature|occur|come up|show up) (?:anywhere )?(?:in|within|on|among)"
            rf" (?:[^ ,;]+ ){{0,4}}?{SOURCE}\b"
            rf"|{HOW}(?:part of|among|one of) (?:[^ ,;]+ ){{0,4}}?{SOURCE}\b"
        ),
        after="negation",
    ),
    Rule(
        "not stated",
        pattern(
            rf"\A\W*(?:\w+, )?(?:it|they) {NOT}{HOW}(?:{HOLD}|give) (?:[^ ,;.]+ ){{0,5}}?(?:{FACT}|{PAPER}|{ASKABLE})\b"
        ),
        cues=NEGATION_CUES,
    ),
)
