"""By which words a sentence of an answer advises, prepares, supposes, concludes, answers or speaks of a source."""

import re

from ragauge.language.refusals.words import FACT, PAPERS, SOURCE, TOLD, WORK_OUT, pattern
from ragauge.language.word_beginnings import first_letters

YES_NO = pattern(
    r"\W*(?:(?:yes|no)[,.]|(?:(?:unfortunately|sorry),? )?not (?:yet|really|quite|necessarily|exactly|at all|any ?more|directly|very|much|often)[,.;:]"
    r"|unfortunately,? (?:not|no)[,.;:]|(?:very )?(?:possibly|probably|likely|perhaps|maybe|presumably|apparently)[,.;:])"
)
GREETING = pattern(
    r"(?:\W*(?:i'm |i am )?(?:sorry|unfortunately|regrettably|i apologi[sz]e|my apologies|thanks?"
    r"|hello|hi|great question|good question|that's an? \w+ question|you've got me)\b.*"
    # Ends with a colon or exclamation mark: the first behind the last word, which keeps the search linear.
    r"|(?:.*\w)?[^\w:!\n]*[:!]\W*|\W*)"
)
LOOKED = pattern(
    r"\W*(?:i|we)(?:'ve| have)? (?:just )?(?:looked|searched|checked|reviewed|read|gone|went|examined"
    r"|analy[sz]ed|scanned|tried)\b"
)
"""What the speaker did before it answers."""
THE_QUESTION = pattern(
    r"\W*(?:the|this|your) (?:question|query|request|prompt)"
    r" (?:asks?|is|was|concerns?|refers?|relates?|pertains?|requires?|wants?|seeks?|calls? for)\b"
    r"|\W*(?:question|what is (?:wanted|sought|needed))(?: is\b|:)"
    r"|\W*(?:you(?:'re| are|'ve| have)? (?:ask(?:s|ed|ing)?|want(?:ed)?|look(?:ing)?)"
    r"|the (?:user|asker) |what is (?:being )?asked|we (?:are|were) asked|i (?:am|was) asked)\b"
)
"""It only repeats the question."""
AMBIGUOUS = pattern(
    r"\W*(?:[^,;]{1,80}, )?there (?:are|were|have been) [^.;]{1,80}?\b(?:named|called|titled|entitled"
    r"|(?:with|by|of|under|share) (?:the|that|this|a similar) (?:same )?(?:name|title)|versions|meanings)\b"
)
"""Several things have the name that was asked for."""
DEFINITION = pattern(
    r".{0,120}\b(?:is|are|equals?|as)\b[^.=\d]{1,80}\b(?:minus|divided by|less|plus|over|times)\b[^\d]*\Z"
    r"|.{0,120}\b(?:divides?|subtracts?)\b[^\d]{1,80}\b(?:by|from)\b[^\d]*\Z"
    r"|.{0,120}\b(?:is|are|measures?) (?:[a-z]+ ){0,4}?"
    r"(?:metric|measure|ratio|indicator|formula)s?\b"
)
DEFINITION_NEEDS = first_letters(
    "minus divided less plus over times divides subtracts metric measure ratio indicator formula"
)
METHOD = pattern(
    r"\D{1,80}=(?:\D|100\b|365\b|360\b|\b[12]\b){1,200}\Z"
    r"|\W*the [^,;.\d]{1,60} (?:tells?|shows?|measures?|indicates?|reflects?|represents?)"
    r" (?:you |us )?(?:how|what|whether|if)\b"
    r"|\W*the [^,;.\d]{1,60} is \([^\d]{1,200}\) ?[/÷]"
    r"|\D{1,120}\b(?:requires?|needs?|depends? on|(?:is|are) (?:needed|required|necessary))\b\D*\Z"
)
"""A formula without numbers, what a ratio shows, or what the answer requires."""
ADVICE = re.compile(
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
ADVICE_NEEDS = first_letters(
    "can could may might should would will need must require please d ll refer recommend suggest available typically usually generally"
    " often normally commonly calculated formula investors analysts if here ask call contact see send speak look take otherwise swap"
    " upload paste perhaps feel let happy glad once check consult visit maybe best advisable"
)
"""Advice: what would be needed, where to look, how to do it in general, or an offer of help."""
REMARK = pattern(
    r"\W*(?:(?:\w+, )?it(?: is|'s) (?:also )?(?:important|worth|crucial|essential)|for example"
    r"|for instance|as an example|suppose|if)\b"
    r"|.{0,200}(?:\bnot|n't) (?:yet )?(?:been )?(?:yet )?(?:released|announced|published|filed)\b"
)
"""A remark, a hypothetical case, or a fact that is not public yet."""
SUPPOSES = pattern(
    r"\b(?:suppose|let's (?:say|assume|imagine|pretend)|let us (?:say|assume|imagine)"
    r"|(?:if )?(?:we|you) (?:assume|suppose|imagine)|assume that|imagine|hypothetical(?:ly)?"
    r"|illustrat(?:e|ion|ive)|pretend|arbitrary (?:numbers?|figures?|values?)|made-up|fictitious|placeholder|example (?:figures|numbers|values)"
    r"|some (?:[a-z]+ )?(?:observations|insights|background|pointers|guidance)"
    r"|here(?:'s| is) (?:how|an example)|the (?:general )?(?:steps|method|approach) (?:is|are|would))\b"
    r"|\bfor (?:instance|example),? (?:an?|if|say|take)\b|\bif (?:you|we|one|an? [a-z]+) (?:had|has|have|spent|sold|earned|paid|made|were)\b(?=[^.;]*\d)"
    r"|\bif [^,;.]{1,80}, (?:it|this|that) would be [$€£]?\d"
    r"|\bwith (?=[^.;]*\d)[^.;]{1,80}, (?:you|we|one)(?:'d| would) get\b"
    r"|\A\W*say (?:an?|the|that|it|its|your|their)\b|, say,? (?=[$€£]?\d)|\bif (?:its|the|their|[a-z]+'s) [^,;]{1,60}? (?:were|was) (?:[$€£]?\d)"
)
"""From here on the figures are examples, observations, or the steps of a method."""
BACK_TO_FACTS = pattern(
    r"\W*(?:however|but|in (?:reality|fact)|actually|according to|from memory|to my knowledge|as of)\b"
)
ONLY_ELSEWHERE = pattern(
    r"\W*(?:it|they|instead|rather|the|this|these|that|those|all|only|there)\b.{0,100}?"
    r"\b(?:only|merely|just|instead|deals? with|concerns?|pertains? to|relates? to|focus(?:es)? on"
    r"|(?:is|are) (?:about|limited to|from|for)|covers?|discuss(?:es)?|touch(?:es)? on|describes?)\b"
)
"""What a source has instead of the answer: "It only gives the revenue, which is $5"."""
GENERALITY = pattern(
    r"\b(?:would|in general|general (?:information|overview|guidance|trends?|idea|factors?)|insights?"
    r"|observations?|factors|steps|tips|(?:metric|measure|ratio|indicator) (?:is|that|of))\b"
)
GENERAL_HABIT = pattern(
    r"\b(?:generally|common(?:ly)?|typical(?:ly)?|usual(?:ly)?|normally|often"
    r"|(?:can|could|may|might) (?:influence|affect|vary|depend|impact|differ))\b"
)
"""General, unless a name follows: "It is usually in May" answers."""
IN_GENERAL = pattern(r"\W*(?:in general|as a general|generally|typically|usually|as a rule)\b")
NAME = re.compile(r"[a-z,] [A-Z]")
TURN = pattern(
    r"\W*(?:however|but|that said|with that said|having said that|nevertheless|nonetheless|still"
    r"|yet|despite|although|therefore|thus|so|hence|in conclusion|as of (?:my|the)"
    r"|to my knowledge|based on (?:my|general|historical|available|what)"
    r"|generally speaking|assuming|the answer|it follows|from memory"
    r"|(?!(?:i|we|you|nobody|none|who|to)\b)(?:the )?[a-z]+ (?:[a-z]+ )?(?:suspects?|believes?|assumes?|blames?)"
    r"|(?:it|this|that|he|she|they)(?:'s| is| was| were| are| may| might| could| must)?(?: have| been| be)* (?:probably|most likely|presumably|perhaps))\b"
)
"""The beginning of a sentence that answers after all."""
CONCLUDES = pattern(
    r"\W*(?:therefore|thus|hence|so|consequently|accordingly|as such|as a result|in conclusion"
    r"|because of (?:this|that)|in summary|in short|overall|to conclude|for (?:this|that|these|those) reasons?|ultimately"
    r"|(?:my |the )?(?:final )?(?:answer|conclusion|verdict|result)\W*:"
    r"|(?:since|because|as|given that|given|due to|with no|absent)\b.{1,200},"
    r"|with\b[^,]{1,80} (?:missing|blank|blanks|lacking|unknown|absent|gone)\b[^,]{0,40},"
    r"|(?:on|from) (?:that|this|these|those) [a-z]+,? (?:i|we|it|the|no|one)\b"
    r"|without\b.{1,100}(?:,| (?:i|we|it|the|an?|no|one)\b))"
)
"""The beginning of a sentence that draws a conclusion from the ones before it."""
GAPS_OF_WHAT_IS_ASKED = (
    "not told",
    "missing",
    "source keeps quiet",
    "not shared",
    "refers elsewhere",
)
"""Names of rules for gaps that need no source where the question asks for what is missing."""
AND = pattern(r"\band\s*\Z")
"""Before a second predicate: "is in the mucosa and is not present in lymph nodes"."""
WITHOUT = pattern(
    r"\bwithout (?:(?:access to|knowing|seeing|having) )?(?:the|an?|any|this|that|its|more)\b"
)
ALWAYS_CONCLUDE = ("declines", "would be a guess", "made-up figures")
"""Names of rules that refuse whatever comes before."""
MADE_UP = "made-up figures"
"""The name of the rule for figures that the speaker invented."""
ABBREVIATION_OPEN = re.compile(
    r"\W*(?:[Tt]he |[Ii]ts )?[A-Z][A-Z/&]{1,6}s? (?:for \S+ )?(?:cannot|can't|can not|could not|couldn't) be [^.;,]{1,60}\W{0,3}\Z"
)
"""A ratio by its abbreviation, and no more: "DIO can't be computed."."""
BY_SPEAKER = pattern(r"\b(?:i|we)\b")
HEADS_CONCLUSION = pattern(
    r"(?:\A|.*\n)\W*(?:(?:final|my|the) )?(?:answer|conclusion|verdict|result|summary)\W*"
)
SUBSIDIARY = pattern(
    r"\W*(?:why|how (?:much|far)|(?:on|about|for) (?:the |its |their )?(?:reasons?|causes?|details?|background)|(?:for|of) (?:certain|sure)"
    r"|(?:this|that|it|these|those)?\W*(?:against|independently|with certainty|in real time)"
    r"|(?:this|that|it|these|those)(?: (?:figure|number|date|claim)s?)?\W*\Z)"
)
"""What a caveat to an answer cannot tell: why, how much of it, or whether it is still so."""
VERIFIES = pattern(r"\b(?:verify|confirm|check|double-check)\Z")
"""What cannot be verified has been stated."""
THE_ANSWER = pattern(
    rf"\b(?:(?:the|this|your|that) question|an? (?:[a-z]+ )?answer|{FACT} (?:that (?:is|are) )?"
    rf"(?:needed|required|necessary|to (?:answer|{WORK_OUT})))\b"
)
"""A refusal of the whole question, and not of a detail."""
ANNOUNCES_ANSWER = pattern(
    r"\b(?:i (?:can (?:tell|inform)(?! you how)|found|did find)|here (?:is|are)(?! (?:how|what you)))\b"
)
INNER_TURN = pattern(
    r"(?:[,;—–-]\s*(?:but|only|however|yet|though|although|nevertheless"
    r"|(?:which|that|this) (?:means|implies|suggests|indicates|shows)|meaning"
    r"|(?!(?:i|we|nobody|none)\b)(?:[a-z]+ ){1,3}(?:suspects?|suspected|believes?|assumes?|estimates?|blames?)\b"
    r"|so (?:it|they|there|that|this|he|she|the [a-z]+) (?:probably|presumably|likely|most likely|apparently)\b"
    r"|(?:(?:somewhere|something) )?(?:around|about|roughly) [$€£]?\d[\d.,]*"
    r"|(?:perhaps|maybe|probably|possibly|i (?:think|believe|guess|suppose))\b(?! (?:because|since|due|as)\b)(?=[^,;.]*(?:\d|\b(?-i:[A-Z])))"
    r"|so(?! (?:[^,;.]{0,60}?(?:\bnot|n't|\bcannot|\bimpossible|\bunknown|\bunclear|\bmissing)\b|i|we|no|one|it is of no|the answer (?:has|must|stays|remains|will|would)|your question|the question|this question)\b))| but (?:i|it))\b"
)
ANSWERS_YES_OR_CONCLUDES = pattern(
    r"\W*(?:yes|no)[,.]|\W*(?:therefore|thus|hence|so|overall|in conclusion|the answer is)\b(?!,? (?:neither|none|nothing)\b)"
)
IS_NO_MEASURE = pattern(
    r".{0,200}(?:\bnot|n't)\b[^.;]{0,60}?\b(?:relevant|meaningful|useful|applicable)"
    r" (?:metric|ratio|measure|indicator)\b"
)
"""That a ratio says nothing about such a company answers."""
A_MEASURE = first_letters("metric ratio measure indicator")
RESULT = re.compile(
    r"[$€£]\s?\d|\d\s?%(?<!100%)(?<!100\s%)|≈"
    r"|=\s{0,3}-?\d[\d,.]{0,30}(?:\s(?:million|billion))?\s{0,3}\.?\Z"
)
"""A quantity that answers: money, a percentage, or the result of a calculation."""
CALCULATED = re.compile(
    r"(?:[-+*/×÷][^=\n]{0,200}=|≈|\bis therefore|\bis thus|\bcomes to|\bworks out (?:at|to))\s{0,3}[$€£]?-?\d[\d,.]{0,30}"
    r"\s?(?:%|x|times|million|billion|days)?\s{0,3}\.?\s{0,3}\Z"
)
"""It ends with the result of a calculation."""
BEFORE_RESULT = ("=", "≈", "is therefore", "is thus", "comes to", "works out")
"""One of these is before the result."""
IS_THEREFORE = re.compile(r"\b(?:therefore|thus|hence)\b.{0,40}\d")
THEREFORE = first_letters("therefore thus hence")
ON_CONTENTS = pattern(rf"\b(?:is|are) (?:[a-z]+ly )?{TOLD}\b")
"""What a source tells instead: "though cleaning is described"."""
DESCRIBES = pattern(
    rf"[^,;:]{{0,80}}?(?:\b(?:{SOURCE}|they|it|all of (?:it|them)|these|those|both)\b|\b(?:i|we)\b)"
    r"[^;:]{0,80}?\b(?:describes?|discuss(?:es)?|talks?|deals?|covers?|focus(?:es)?|concerns?|treats?|address(?:es)?"
    r"|lists?|contains?|consists?|has|have|gives?|tells? (?:us|me|you)?|reports?|sets?|shows?|mentions?|names?|describes?"
    r"|speaks?|promises?|announces?|hints?|alludes?|touch(?:es)?|relates?|pertains?|refers?|points?|is|are|says? (?:how|what|where|when|who|why)|stops?|ends?|starts?|begins?|see|got|can see|explains?|quotes?|offers?|breaks?|presents?|includes?|provides?|supplies)\b"
    rf"|.{{0,80}}\b(?:takes? up|fills?|makes? up|occup(?:y|ies)|dominates?) (?:the|this|that|our|my) (?:[a-z]+ ){{0,2}}?{SOURCE}\b"
    r"|.{0,80}\b(?:needs?|requires?|i'd need|(?:would|must) be needed|there(?:'s| is| are) (?:something|an? (?:section|entry|chapter|note|list|page|table|paragraph)|[a-z]+ on))\b"
)
"""What a source is about, what the speaker has, or what is needed."""
STATEMENT = pattern(
    r"[$€£]\s?\d|\d\s?%|\d[.,]\d|\b(?:says?|states?|shows?|reports?|mentions?|tells? (?:us|me|you)|explains?|confirms?|notes?|indicates?) (?:that|it|he|she|they)\b"
    r"|\b(?:is|are|was|were) (?:an?|the|[A-Z0-9])|\bnot\b|n't\b"
)
"""What a source says about the world."""
DIGIT = re.compile(r"\d")
COMMA = re.compile(",")
NEVER_TOLD = pattern(
    r"\bnever (?:[a-z]+ly )?(?:given|named|stated|mentioned|identified|specified|disclosed|revealed|told|said|spelled out)\b"
)
"""What a source never tells, unlike what never happened."""
PAPER_OR_THEY = first_letters(" ".join(PAPERS)) | first_letters("they these all")
"""The subject of a sentence that only says what the source is about."""
