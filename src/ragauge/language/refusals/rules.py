"""The rules that find the wording of refusals."""

from ragauge.language.refusals.asked_rules import ASKED_RULES, IDIOM_RULES
from ragauge.language.refusals.gap_rules import GAP_RULES
from ragauge.language.refusals.open_rules import OPEN_RULES
from ragauge.language.refusals.source_rules import SOURCE_RULES
from ragauge.language.refusals.speaker_rules import SPEAKER_RULES
from ragauge.language.refusals.words import HELD, PAPER, SAID, SOURCE, Rule, pattern

RULES = (*SOURCE_RULES, *SPEAKER_RULES, *OPEN_RULES, *IDIOM_RULES, *GAP_RULES, *ASKED_RULES)
"""Rules for every sentence of the answer, outside quotations."""

_NO_ANSWER = (
    r"[\s\"'(\[]*(?:n/a|n\.a\.?|null|(?-i:NaN|nan)|unknown|undetermined|unanswerable|unsure|unclear|idk"
    r"|cannot answer|cannot be determined|not sure"
    rf"|(?:(?:information|data|details|answer) )?not (?:applicable|known|{SAID}|{HELD})"
    r"|not enough (?:information|data|context|details?)"
    r"|(?:there is )?no (?:answer|response|information|info|data|idea|clue|luck)(?: (?:found|available|provided|given))?"
    r"|no\x5f?answer|cannotanswer|nicht (?:angegeben|bekannt|genannt|erwähnt|vorhanden)|unbekannt|keine (?:angaben?|informationen?|antwort)"
    r"|(?:non|pas) (?:indiqué|précisé|mentionné|spécifié|connu)e?s?|inconnue?s?|pas (?:d'informations?|de réponse)|desconocid[oa]"
    r"|no (?:especificad|indicad|mencionad|disponible)[a-z]*|sin (?:información|datos|respuesta)|未知|没有答案|沒有答案"
    r"|insufficient (?:information|data|context)|unavailable|indeterminable|[-–—.?…*_]+)[\s\"')\].!]*"
)
NO_ANSWER = Rule(
    "no answer",
    pattern(
        rf"(?:(?:final )?answer:|(?:[a-z]+ ){{0,3}}[a-z]+:(?=\s*(?:n/a|not |unknown|no data))|unfortunately,?|sorry,?)?{_NO_ANSWER}"
    ),
)
"""The whole answer is a word or sign for "none"."""

LAST_LINE = Rule(
    "no answer",
    pattern(
        r"(?:\W*(?:(?:my|the|final) ){0,2}(?:answer|conclusion|result|verdict)\b[^:=\n]{0,60}[:=]"
        rf"|[^:=\n]{{1,60}}=){_NO_ANSWER}"
    ),
)
"""The last line gives a word or sign for "none" as the result: "DPO = N/A"."""

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
    rf"\W*(?:the|this|these|your)\b[^,;:]{{0,60}}?\b{PAPER}\b[^,;:]{{0,60}}?\b(?:describes?"
    r"|discuss(?:es)?|talks? about|deals? with|covers?|focus(?:es)? on|(?:is|are) about"
    r"|provides? (?:[a-z]+ )?(?:information|details|data|an overview)|relates? to|pertains? to"
    r"|(?:is|are) (?:only |all |limited )?(?:about|on|to|from|for)|consists? of|contains? only|only contains?)\b"
    r"|\W*(?:they|these|all of (?:them|these))(?:'re| are) (?:all |only |mostly |just )?(?:about|on|from|for)\b"
)
"""The beginning of a sentence that only says what the source is about."""

# The look-ahead with a back-reference keeps the match, as a possessive quantifier would, which Python
# 3.11.2 gets wrong after a group.
_LEAD = (
    r"\W*(?=(?P<lead>(?:(?:[a-z]+|(?:based on|according to|as|in|from|for|per)\b[^,;]{0,120}), )?))"
    r"(?P=lead)"
)
_IS_A_NUMBER = r"(?: [a-z]+)? (?:is|are|was|were) (?:about |around |[a-z]+ly )?[$€£]?\d"

SAYS_NO_ANSWER = pattern(
    rf"{_LEAD}(?:(?:unfortunately)?\W*\Z|sorry\b|(?:i |my )?apolog|(?:i )?regret|thank|there\b\D*\Z"
    r"|(?:i|we)\b(?!(?:'m| am)?(?: [a-z]+ly)? (?:think|believe|guess|sure|certain)\b)"
    rf"|(?:(?!(?:is|are|was|were)\b)[^ ,;]+ ){{0,5}}?{PAPER}\b(?!'s|{_IS_A_NUMBER})"
    r"|.{0,300}?(?:\b(?:you|your|question|query|request|needs?|needed|requires?|depends? on|formula"
    r"|mentions?|discuss(?:es|ed)?|refers? to|talks? about|(?:is|are) (?:defined|calculated))\b"
    r"|\b(?:would|could|might)\b\D*\Z|\b(?:mentioned|described|reported|disclosed)\W*\Z"
    rf"|\b(?:{SAID}|{HELD}) (?:[^ ,;]+ ){{0,6}}?{SOURCE}\b))"
)
"""A clause before "but" that does not answer: an apology, a need, what the source is about."""
