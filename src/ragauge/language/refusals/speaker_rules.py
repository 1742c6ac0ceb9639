"""Refusals by what cannot be worked out, and by what the speaker cannot do or does not know."""

from ragauge.language.refusals.words import (
    ASKED,
    FACT,
    HELP,
    HOW,
    MEANS,
    PAPER,
    WORK_OUT,
    Rule,
    any_of,
    cues_of,
    pattern,
)

_CONCLUSION = any_of(
    "answer conclusion determination assessment comparison calculation judgment estimate"
)
_FOUND_CUES = cues_of("find see locate let's found_no saw_no located_no spotted_no")

SPEAKER_RULES = (
    Rule(
        "cannot be determined",
        pattern(rf"(?: [a-z]+(?<!be)){{0,2}}? be{HOW}(?!estimated|predicted){WORK_OUT}\b"),
        after="inability",
        closes=True,
    ),
    Rule(
        "cannot be determined",
        pattern(
            rf"(?:\bnot|n't) (?:be )?(?:[a-z]+ ){{0,2}}?(?:possible|feasible) (?:for \w+ )?to"
            rf"{HOW}(?:{WORK_OUT}|find|settle|produce|get|fill)\b"
            rf"|(?<!was\x20)(?<!were\x20)\bimpossible (?:for \w+ )?to{HOW}(?:{WORK_OUT}|know)\b"
            rf"|\b{_CONCLUSION} (?:is|would be|seems)(?: not|n't)(?: [a-z]+ly)? (?:possible|feasible)\b"
            rf"|\b{_CONCLUSION} (?:is|would be) impossible\b"
            rf"|\bno (?:[a-z]+ )?{_CONCLUSION} (?:is|would be|seems) (?:possible|feasible)\b"
        ),
        cues=cues_of("possible impossible feasible infeasible"),
        closes=True,
    ),
    Rule(
        "cannot be determined",
        pattern(
            r"\b(?:no way|there(?:'s| is) no) (?:(?:of|to) )?"
            r"(?:know|tell|determine|knowing|telling|determining)\b"
            rf"|\bno (?:[a-z]+ )?[a-z]+ can be (?!given|offered|provided|stated)(?:made|drawn|{WORK_OUT})\b"
            rf"|\bno (?:[a-z]+ )?{_CONCLUSION} can be (?:given|offered|provided|stated)\b"
            rf"|\bno (?:[a-z]+ )?basis (?:for (?:an?|the|any) {_CONCLUSION}"
            r"|(?:for|on which) (?:answering|determining|calculating|computing|comparing|judging)"
            rf"|(?:on which )?to{HOW}{WORK_OUT})\b"
        ),
        cues=cues_of("no_way there's_no there_is_no can_be basis"),
        closes=True,
    ),
    Rule(
        "cannot be determined",
        pattern(
            rf"\b(?:so|thus|therefore|hence|consequently),? {ASKED}[^,;:]{{1,100}}? (?:is|remains)"
            r" (?:unknown|unclear)\b"
            rf"|\b{_CONCLUSION} (?:[a-z]+ )?(?:cannot|can't|could not) be (?:made|drawn|performed)\b"
            rf"|\bone (?:cannot|can't|can not){HOW}(?:tell|say|determine|know|infer|be (?:certain|sure))\b"
            r"|\bremains? (?:[a-z]+ )?(?:undetermined|unanswered|unresolved|open)\b"
            r"|\b(?:unanswerable|not answerable)\b"
            rf"|\b(?:is|are|was)(?: not|n't) (?:something|anything|a question|one) (?:that |which )?(?:can|could|may) be {WORK_OUT}\b"
            r"|\A\W*without\b[^.;]{1,100}, [^,;.]{1,60} (?:is|are|remains?) (?:[a-z]+ )?(?:unclear|unknown|not (?:clear|known))\b"
        ),
        cues=cues_of(
            "unknown unclear answerable unanswerable be_made be_drawn be_performed one_can"
        )
        + cues_of(
            "undetermined unanswered unresolved open t_something t_anything t_a_question t_one without"
        ),
        closes=True,
    ),
    Rule(
        "cannot be determined",
        pattern(
            r"\b(?:without [^;:]{0,100}?\b(?:difficult|hard|challenging) (?:for \w+ )?to"
            rf"{HOW}(?:{WORK_OUT}|know)"
            r"|(?:difficult|hard|challenging) (?:for \w+ )?to"
            rf"{HOW}(?:{WORK_OUT}|know)\b[^;:]{{0,100}}? without)\b"
        ),
        cues=("without",),
    ),
    Rule(
        "cannot be determined",
        pattern(
            r"\A\W*(?:(?:it|that)(?:'s| is) )?(?:still )?(?:hard|difficult|impossible|(?:far |much )?too (?:early|soon)) to"
            r" (?:say|tell|know|judge)(?=\W*\Z|[.,;:–—]| (?:yet|now|at this|from))"
        ),
        cues=cues_of("hard_to difficult_to impossible_to early_to soon_to"),
    ),
    Rule(
        "cannot be determined",
        pattern(
            r"\A\W*(?:that|this|it) (?:cannot|can't|can not) be (?:settled|decided|resolved|established|known)(?=\W*\Z|[.,;:–—])"
            r"|\b(?:therefore|thus|hence|so|consequently)\b[^.;]{1,60} (?:remains?|stays?) un(?:identified|named|known|specified|stated|reported)\b"
            r"|\b(?:is|are) (?:[a-z]+ )?not to be (?:had|obtained|gleaned|learned|got)\b"
        ),
        cues=cues_of(
            "be_settled be_decided be_resolved be_established be_known remains_un remain_un stays_un not_to_be"
        ),
        closes=True,
    ),
    Rule(
        "cannot answer",
        pattern(rf"{HOW}(?:{WORK_OUT}|{HELP})\b"),
        after="inability",
        speaker=True,
        closes=True,
    ),
    Rule(
        "cannot answer",
        pattern(
            r"\bi(?:'m| am)?(?: (?:therefore|thus|also|simply|currently|still|really|just))*"
            r" (?:cannot|can not|can't|could not|couldn't|unable to|not able to)"
            r"(?: (?:[a-z]+ly|also|even|just))*"
            r" (?!(?:believe|wait|agree|imagine|help|stand|go|get|complain|stress|emphasi[sz]e|overstate"
            r"|recommend|live|stop|thank|but|be|have|verify|confirm|guarantee|find|see|locate|say that)\b)"
            r"(?-i:[a-z])[a-z]+\b"
        ),
        cues=(*cues_of("unable able"), "i can", "i could", "can't", "couldn't", "cannot"),
        closes=True,
    ),
    Rule(
        "cannot be determined",
        pattern(
            r"\b(?:determining|calculating|computing|drawing|answering|finding|assessing|establishing"
            r"|comparing|identifying)\b[^.;]{0,100}\b(?:is|would be|becomes|proves)"
            r" (?:impossible|not possible|infeasible|not feasible)\b"
        ),
        cues=cues_of("possible impossible feasible infeasible"),
        closes=True,
    ),
    Rule(
        "not enough",
        pattern(
            rf"\b(?:(?:insufficient|inadequate|not enough|not sufficient"
            rf"|(?:not|n't) (?:[a-z]+ ){{0,2}}(?:enough|sufficient|adequate))"
            rf" (?:[a-z]+ ){{0,2}}?{FACT}\b(?! (?:led|caused|made|forced|meant)\b"
            r"| (?:to|for) (?:recommend|support|reject|convict|charge|prosecute|prove|justify|suggest)[a-z]*\b)"
            rf"|(?:insufficient|inadequate|(?:not|n't)(?: [a-z]+ly)? (?:enough|sufficient|adequate)) (?:to {WORK_OUT}|for (?:an?|determin|calculat|answer)[a-z]*))\b"
            rf"|\btoo (?:little|few|vague|thin|scant|sparse|short)\b[^.;]{{0,40}}? (?:to (?:go on|{WORK_OUT})\b|(?:here|{PAPER})\b)"
            r"|\A\W*(?:that|this|it|which) (?:is|was|'s)(?:n't| not|,? however, not) (?:enough|sufficient)\b"
        ),
        cues=cues_of("enough sufficient insufficient adequate inadequate too_"),
        closes=True,
    ),
    Rule(
        "no access",
        pattern(
            rf"{HOW}(?:(?:have|possess|given|provided|got|hold) {MEANS}"
            r"|equipped|programmed|trained|designed to)\b"
        ),
        after="negation",
        speaker=True,
    ),
    Rule(
        "no access",
        pattern(rf"{HOW}(?:hooked up|connected|linked|wired|plugged in|tied) ?(?:in)?to\b"),
        after="negation",
        speaker=True,
    ),
    Rule(
        "cannot answer",
        pattern(
            r"\b(?:is|are)(?: not|n't) (?:something|anything|a thing|things) (?:that )?(?:i|we)(?:'m| am| are|'re)? (?:can|could|able)\b"
        ),
        cues=cues_of("t_something t_anything t_a_thing t_things"),
        closes=True,
    ),
    Rule(
        "no access",
        pattern(
            rf"\b(?:i|we)(?: [a-z]+ly| also| therefore)? (?:lack|have no|no longer have) {MEANS}\b"
            rf"|\b(?:i|we)'ve (?:got )?no {MEANS}\b|\b(?:i|we)(?:'ve| have)(?: got)? nothing (?:on|about|regarding)\b"
            r"|\b(?:beyond|outside)(?: of)? my"
            r" (?:[a-z]+ )?(?:abilit|capabilit|scope|knowledge|reach|expertise|remit|training)"
            r"|\bmy (?:capabilit(?:y|ies)|abilit(?:y|ies)) (?:does|do)(?: not|n't)\b"
            r"|\b(?:which|that) (?:i|we) (?:(?:do|did|was|were|have|am)(?: not|n't)|lack|never) (?:been )?(?:have|possess|given|got|get|seen|see|handed|sent|received?|supplied)\b"
            r"|\bmy (?:training|knowledge|data|information)(?: (?:data|base|cut-?off|set))?"
            r" (?:ends?|stops?|only|was cut off|is (?:limited|cut off|current)|goes (?:only )?(?:up )?to"
            r"|extends (?:only )?(?:up )?to|does(?: not|n't) (?:include|cover|extend|go|reach))\b"
        ),
        cues=cues_of("lack never_ no_ nothing_ beyond_ outside_ my_ which_ that_"),
    ),
    Rule(
        "no access",
        pattern(
            r"\A\W*(?:the|this) (?:model|assistant|bot|chatbot|ai|system) (?:do|does|did)(?: not|n't)"
            rf" (?:have|know|possess)\b[^,;]{{0,60}}?\b(?:{FACT}|access|{ASKED})"
        ),
        cues=cues_of("not_have n't_have not_know n't_know not_possess n't_possess"),
    ),
    Rule(
        "no access",
        pattern(
            r"\bas of (?:my|the) (?:last|latest|current|most recent|knowledge|training)\b"
            rf"[^;:]{{0,200}}?(?:not|n't){HOW}"
            r"(?:published|released|reported|announced|filed|disclosed)\b"
        ),
        cues=("as of",),
    ),
    Rule(
        "not found",
        pattern(
            rf"{HOW}(?:locate\b|find [^,;]{{0,60}}? (?:in|within) (?:[^ ,;]+ ){{0,4}}?{PAPER}\b"
            r"|(?:find|see) (?:out|any|anything|the|an?|that|this|it|what|who|where|when|which|how|why"
            r"|specific|enough|information|mention|relevant|further|details|data|[a-z]+ing)\b)"
        ),
        after="negation",
        speaker=True,
    ),
    Rule(
        "not found",
        pattern(
            r"\b(?:i|we)(?:'ve| have)? (?:searched|looked|checked|read|went through|gone through|reviewed|scanned)\b[^.;]{0,100}?"
            r"\b(?:but|and|yet) (?:i |we )?(?:(?:did(?: not|n't)|could(?: not|n't)) (?:find|see|locate)"
            r"|(?:found|saw|located|spotted) (?:none|nothing|no [a-z]+))\b"
            r"|\blet's (?:try|talk about|change|move on to) (?:a |an)?(?:different|another|something)\b"
        ),
        cues=_FOUND_CUES,
    ),
    Rule(
        "declines",
        pattern(
            r"\b(?:(?:i|we)(?: must| have to| will|'ll| would|'d|'m going to| am going to)?"
            r" (?:(?:respectfully|politely) )?(?:decline|refuse|refrain|pass on|rather not|prefer not)"
            r"|(?:i'm|i am|we are|we're)(?: really| simply)? (?:not (?:comfortable|allowed|permitted"
            r"|at liberty|willing|going to (?:answer|guess|speculate))|reluctant|hesitant)"
            r"|(?:that's|that is|this is|it's|it is) (?:not|n't) something"
            r" (?:(?:i|we) (?:can|could|am|are)|the [a-z]+ (?:goes|covers|mentions|discusses|addresses|says))"
            r"|(?:i'm|i am) (?:going to )?have to stop here|(?:i|we) (?:have|need|had) to stop here"
            r"|(?:i|we) can only (?:guess|speculate)"
            r"|one (?:can|could) only (?:guess|speculate)"
            r"|(?:i|we) (?:would|do)(?: not|n't) (?:want|wish|like) to (?:guess|speculate))\b"
        ),
        cues=cues_of(
            "decline refuse refrain pass_on rather_not prefer_not comfortable allowed permitted liberty "
            "willing going_to reluctant hesitant something to_stop guess speculate"
        ),
        closes=True,
    ),
    Rule(
        "asks what is meant",
        pattern(
            r"\b(?:which|who|what) (?:[a-z]+ ){0,6}?you(?:'re| are| were)?"
            r" (?:mean|meant|asking (?:about|for)|referring to|refer to|talking about|interested in)\b"
        ),
        cues=cues_of("you_ you're"),
        closes=True,
    ),
    Rule(
        "would be a guess",
        pattern(
            r"\b(?:would|could|might) (?:(?:only|just|merely|purely|thus|therefore|then|so) )?be"
            r" (?:(?:an?|pure|mere|sheer|only|just|no more than|nothing but|purely) ){0,3}"
            r"(?:guess|guessing|guesswork|speculation|speculative|speculating|conjecture)\b"
        ),
        cues=cues_of("guess specul conjecture"),
        closes=True,
    ),
    Rule(
        "does not know",
        pattern(
            r"(?:(?<=\bdo\x20not)|(?<=\bdon't)|(?<=\bdont)|(?<=\bcannot))"
            rf"{HOW}(?:know\b(?=\s*(?:[^\w\s]|\Z))"
            r"|(?:recall|remember)\b(?: (?:exactly|the|that|this|it|what|who|when|where|which|why|whether|if"
            r"|any|how|his|her|its|their|your|offhand)\b|(?=\s*(?:[^\w\s]|\Z)))"
            r"|know (?:the|that|this|it|what|who|when|where|which|why|whether|if|about|enough|any|much"
            r"|based|from|because|as|since|for|anything|of|how (?:many|much|long|often|old|far))\b)"
        ),
        after="negation",
        speaker=True,
    ),
    Rule(
        "does not know",
        pattern(
            r"(?:(?<!but\x20)|(?<=sorry\x20but\x20)|(?<=sorry,\x20but\x20))\b(?:i am|i'm|im)"
            r" (?:[a-z]+ )?not (?:[a-z]+ )?(?:sure|certain|aware|familiar)\b"
            r"|\bi(?: [a-z]+ly)? have(?: [a-z]+ly)? no (?:idea|clue|knowledge|recollection|memory)\b"
            r"|\bi(?: have|'ve)(?: never| not|n't) (?:ever )?(?:heard|seen|read|come across|encountered)\b"
            r"|\A(?:\W*(?:hm+|um+|uh|oh|ah|well|honestly|sorry|sadly|unfortunately|actually|really)\b)*"
            r"\W*(?:not (?:really |quite |entirely )?sure|no (?:idea|clue)|beats me|dunno|i dunno)\b"
            r"|\b(?:i'm|i am|im) (?:unsure|unaware|uncertain|unfamiliar|clueless|at a loss|stumped)\b"
            r"|\bhard to say\W*\Z|\bunclear to (?:me|us)\b"
            r"|\bthere(?:'s| is)(?: not|n't) an? (?:[a-z]+ ){0,2}?answer\b"
            r"|\b(?:i|we) (?:wouldn't|would not) know\b|\bi haven't (?:a|the) (?:clue|idea|faintest|foggiest)"
            r"|\bi (?:can't|cannot|can not|don't|do not) (?:[a-z]+ly )?(?:remember|recall)\b"
            r"|\bi wish i knew\b"
            r"|\bit(?: is|'s| remains|(?= isn't)) (?:[a-z]+ )?"
            r"(?:unclear|unknown|(?:not|isn't) (?:[a-z]+ly )?(?:clear|known))"
            rf" (?:from|in|based|{ASKED})"
            r"|\banswer (?:[^ ,;]+ ){0,5}?(?:is|remains) (?:unknown|unclear|not (?:known|clear))\b"
        ),
        cues=cues_of(
            "sure unsure certain uncertain aware unaware familiar unfamiliar idea clue know unknown knew clear unclear never i_have i've no_ beats dunno loss stumped hard remember recall haven't"
        ),
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
        "would answer with more",
        pattern(
            r"\bif you (?:can |could |would |are able to )?(?:provide|share|supply|send|upload|attach|paste|give)\b"
            r"[^.;]{1,120}?,? (?:i|we)(?: can|'ll| will| could|'d| would)(?: be (?:able|happy|glad) to| gladly| then| try to)*"
            rf" (?:{WORK_OUT}|complete|finish|do) (?:the|this|that|it|your)\b(?![^.;]*\b(?:too|also|as well)\b)"
        ),
        cues=("if you ",),
        closes=True,
    ),
    Rule(
        "asks for more",
        pattern(
            r"\A\W*(?:(?:i'm |i am )?sorry,? (?:but )?)?"
            r"(?:(?:please|could you|can you|would you|kindly) (?:please )?(?:provide|share"
            r"|supply|specify|clarify|upload|attach|paste|rephrase|tell)"
            r"|if you (?:can |could |would |are able to )?(?:provide|share|supply)"
            r"|(?:to [^,;]{1,60},? )?(?:i|we)(?: would| will|'d)? (?:need|require|have to (?:see|have|know))"
            r" (?:access|more|additional|further|the|a|an|both|to (?:know|see|look|review|check|have))"
            r"|you(?:'d| would| will|'ll)? (?:have|need) to (?:ask|contact)\b|(?:answering|determining|calculating|computing|finding) [^,;]{1,60} would"
            r" (?:take|need|require)"
            r"|(?:additional|more|further) (?:information|data|context|details|documents?|evidence"
            r"|documentation|figures|sources?) (?:[^ ,;]+ ){0,6}?"
            r"(?:is|are|would be) (?:needed|required|necessary)"
            r"|(?:your|the|this) question is (?:[a-z]+ )?(?:ambiguous|unclear|vague|incomplete))\b"
        ),
        cues=cues_of(
            "please can_you could_you would_you if_you kindly need require question_is have_to would_take necessary"
        ),
        alone=True,
    ),
)
