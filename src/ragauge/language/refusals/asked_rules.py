"""Signs of a refusal in what is said of the very thing that the question asks for.

"The vitamins are cut off" says little by itself, and refuses if the question asks for vitamins. Every
rule here has `asked`: `refusal_asked` weighs what it finds against the question.
"""

from ragauge.language.refusals.words import (
    HELD,
    PAPER,
    PAPERS,
    SAID,
    SOME,
    TELLS,
    TERMS_AND_WORKS,
    TOLD,
    Rule,
    any_of,
    cues_of,
    pattern,
)

_ABSENT = any_of(
    "missing absent blank empty left_out left_off cut_off cropped torn redacted blacked_out illegible "
    "unreadable unnamed withheld skipped unmentioned unstated undisclosed unspecified "
    "untold unreported unlisted undated omitted truncated smudged blurred tbc tbd "
    "confidential to_be_(?:confirmed|announced|determined) an?_(?:gap|blank) elsewhere"
)
_TOLD = any_of(
    "provided given listed shown printed reproduced attached included supplied present contained available covered "
    "displayed presented quoted visible legible readable filled_in reported noted addressed stated"
)
_ABSENT_CUES = cues_of(
    "missing absent blank empty left_o cut_off cropped torn redacted blacked illegible unreadable unnamed "
    "anonymous withheld skipped unmentioned unstated undisclosed unspecified untold "
    "confidential unreported unlisted undated omitted truncated smudged blurred tbc tbd nowhere to_be_ a_gap a_blank elsewhere"
)
_IS = (
    r"(?:\b(?:is|are|was|were|be|been|remains?|stays?|left|goes?|went|comes?|came|seems?|appears?|has|have|had|got"
    r"|gets?)|'s)(?: (?:[a-z]+ly|just|still|all|also|both|only|been|quite))? "
)
_END = r"(?=\s*(?:[.,;:!?)\]–—-]|\Z)|\s+(?:in|from|on|at|of|here|there|to|by|as|for|so|and|because|since|throughout|below|above)\b)"
_TRACE = any_of(
    "entry entries line count figure figures number value word trace percentage hint "
    "row column breakdown claim detail details split rating score"
)

ASKED_RULES = (
    Rule(
        "not given, though asked for",
        pattern(
            rf"(?: (?:[a-z]+ly|be|been|itself|anywhere|ever|also|yet)){{0,3}} (?:{_TOLD}|{TOLD}|{HELD}|{SAID}"
            r"|there|here|among|in (?:the|it|them|this|these)|on (?:the|it|them|this)|part of|noted|credited|uploaded|shared|entered|loaded|posted"
            rf"|revealed|separated|broken|spelled|spelt|kept|made out)\b(?! (?:for|in|from|by|to) {SOME})"
        ),
        after="negation",
        gap=True,
        asked=True,
    ),
    Rule(
        "not given, though asked for",
        pattern(
            rf"(?:{_IS}|[:(\[–—]|\A\W*|\b(?:it|that|this|them))\s*{_ABSENT}{_END}|\b(?:is|are|was|were|has|have|gets?) nowhere\b"
            rf"|\b(?:stripped|removed|deleted|dropped|lost|struck) from (?:[a-z]+ ){{1,3}}?{PAPER}\b"
            rf"|\b(?:has|have|bears?|carr(?:y|ies)|gets?) no (?:name|date|price|number|figure|year|title|value)\b|\bno {_TRACE}\b|\bwithout (?:(?:an?|any|the|its) {_TRACE}|(?:(?:ever|even|actually|also) )?(?:saying|naming|telling|giving|stating|specifying|mentioning|listing|explaining|quantifying|(?:putting|attaching) (?:an?|any|the) (?:[a-z]+ )?(?:number|figure|name|date|price|value)))\b"
        ),
        cues=(
            *_ABSENT_CUES,
            "no ",
            "without ",
            *cues_of("stripped_from removed_from deleted_from dropped_from lost_from struck_from"),
        ),
        gap=True,
        asked=True,
    ),
    Rule(
        "not given, though asked for",
        pattern(r"\b(?:is|are|was|were|does|do|did|has|have)(?: not|n't)(?:\W*\Z|(?=, and\b))"),
        cues=("not", "n't"),
        gap=True,
        asked=True,
    ),
    Rule(
        "not given, though asked for",
        pattern(
            rf"\A\W*neither (?:of (?:them|these|those|the [a-z]+) )?{TELLS}\b"
            r"|\b(?:i|we)(?: can| could|'ve)? (?:have|see|find|found|got|was given|were given)\b[^.;]{1,160}?,? but (?:not|no)\b[^,;.]{1,60}\W*\Z"
            rf"|\b(?:has|have|lists?|names?|gives?|shows?) [^.;]{{1,120}}?,? but none (?:for|of|on|about|from)\b"
            rf"|\b(?:it|they) {TELLS} no [a-z]+"
        ),
        cues=cues_of("neither but_no it_ they_"),
        gap=True,
        asked=True,
    ),
    Rule(
        "another part, though asked for",
        pattern(
            r"\b(?:precedes?|predates?|(?:starts?|begins?|ends?|stops?|comes?|appears?|follows?|sits?|would be|has been moved)"
            r" (?:only )?(?:later|earlier|on the next|on another|in another|off its|off the|outside|beyond)|lies? (?:outside|beyond|off))\b"
        ),
        cues=cues_of("precede predate later earlier on_the_next another off_ outside beyond"),
        nouns=None,
        gap=True,
        asked=True,
    ),
)
"""Rules that count only where the question asks for what they are said of."""

_MADE_UP = (
    r"(?:(?:only|just|merely|purely|simply|an?|for) )*(?:illustrative|illustrations?|hypothetical|placeholders?"
    r"|(?:made-up|invented|fictitious|example) (?:figures?|numbers?|values?|example)|examples? (?:only|and)|an example\W)"
)

_SHY_OF = PAPERS | TERMS_AND_WORKS | {"author", "writer", "reporter", "it", "they"}

IDIOM_RULES = (
    Rule(
        "source keeps quiet",
        pattern(
            r"\b(?:dodges?(?= (?:the|this|that|any|your)\b|\W*\Z)|sidesteps?|evades?|ducks|skirts|steers? clear of|gloss(?:es)? over|sh(?:y|ies) away from"
            r"|manages? to avoid|never gets? (?:a)?round to|never gets? to|keeps? (?:its|their|his|her) (?:own )?counsel"
            r"|keeps? [^,;.]{0,40}?to (?:itself|themselves)|gives? nothing away|(?:makes?|takes?) no (?:claim|position|stand|statement)"
            r"|neither confirms? nor den(?:y|ies)|(?:is|are) left to (?:the|our|your|my)(?: reader's)? imagination|(?:is|are) (?:an? )?blind spots?\b"
            r"|(?:jumps?|skips?|leaps?) (?:straight |right |directly )?(?:from|to|over)"
            r"|leaves? (?:it|that|this|us|me|you|[^,;.]{1,40}?)"
            r" (?:at that|in the dark|guessing|to (?:the|our|your|my) imagination)"
            r"|(?:is|are|remains?|stays?) (?:[a-z]+ )?(?:coy|evasive|cagey|tight-lipped|uninformative|reticent|noncommittal))\b"
        ),
        cues=cues_of(
            "dodge sidestep evade ducks skirts steer gloss shy shies manage never_get counsel itself themselves "
            "nothing_away no_claim no_position no_stand confirm at_that in_the_dark guessing imagination blind jump skip leap coy "
            "cagey tight-lipped uninformative reticent noncommittal evasive"
        ),
        nouns=_SHY_OF,
        gap=True,
    ),
    Rule(
        "beyond the speaker",
        pattern(
            r"\b(?:eludes?|escapes?) me\b|\bbeyond (?:me\b|what (?:i|we) can|what can be done)"
            r"|\b(?:your|anybody's|anyone's) guess is as good as mine\b"
            r"|\A\W*(?:(?:i|we) )?(?:couldn't|could not|can't|cannot|can not) (?:say|tell)(?: you)?\W*\Z"
            r"|\bout of thin air\b|\btrail (?:goes|went|gets|runs|ran) (?:cold|dry)\b"
            r"|\bthere(?:'s| is) (?:little|nothing|not much) (?:that )?(?:i|we) (?:can|could) (?:offer|say|tell|give|add|do)\b"
            r"|\bas an? (?:[a-z]+ ){0,2}model,? (?:with no|without)\b"
            r"|\b(?:did not|didn't|does not|doesn't|would not|wouldn't|will not|won't|failed to) (?:load|upload|come through)\b"
            r"|\b(?:i|we)(?:'ve| have)(?: got)? (?:nothing|little) (?:[a-z]+ )?to go (?:by|on)\b"
            r"|\bi (?:can |could )?(?:therefore |thus |hence )?(?:can |could )?go no further\b"
            r"|\b(?:do not|don't|cannot|can't|does not|doesn't|won't|will not) (?:come|get) through to me\b"
            r"|\b(?:i(?:'m| am)|we(?:'re| are)) left (?:in the dark|guessing|without (?:an?|any|the) (?:answer|figure|number|name|date))\b"
            r"|\b(?:is|are)(?: not|n't) (?:something|numbers|figures|things|facts|details|ones?) (?:that )?(?:i|we) (?:can|could|know|have|hold|am able)\b"
            r"|\b(?:is|are)(?: not|n't) something (?:these|the|this|those|any|my|our) [a-z]+(?: [a-z]+)? (?:reveals?|tells?|shows?|gives?|discloses?|covers?|says?|mentions?)\b"
        ),
        cues=cues_of(
            "eludes escapes elude_me escape_me beyond guess_is couldn't could_not can't cannot can_not out_of_my thin_air "
            "to_go_by to_go_on no_further through_to_me trail there's_ there_is_ model load come_through left_in left_guessing left_without t_something t_numbers "
            "t_figures t_things t_facts t_details t_one"
        ),
        closes=True,
    ),
    Rule(
        "beyond the speaker",
        pattern(
            r"\bout of my (?:sight|view|reach|depth)\b"
            r"|\b(?:will|would|must|has to|have to) (?:have to )?wait(?: (?:until|till|for)\b|\W*\Z)"
        ),
        cues=cues_of("out_of_my wait"),
        closes=True,
    ),
    Rule(
        "made-up figures",
        pattern(
            r"\b(?:figures?|numbers?|values?|inputs?|amounts?) (?:[^ ,;.]+ ){0,6}?(?:is|are|was|were) (?:[a-z]+ ){0,3}?"
            r"(?:made-up|made up(?! of\b)|invented|fictitious|assumed|examples?(?! of\b))\b"
            rf"|\b(?:figures?|numbers?|values?|inputs?|calculation|computation|example|this|these|those|above|that) (?:is|are|was|were) "
            rf"(?:[a-z]+ ){{0,2}}?{_MADE_UP}(?=\W|\Z)"
            rf"|\b(?:i|we)(?:'ll| will|'ve| have|'m| am)? (?:now )?(?:assumed?|used?|using|made up|invent(?:ed)?|pick(?:ed)?)\b[^;.]{{0,160}}?"
            rf"\b(?:placeholders?|made-up|fictitious|hypothetical|illustrative)\b"
            r"|\b(?:not|n't) (?:the )?(?:real|actual) (?:figures?|numbers?|values?|data|results?)\b|, not (?:[^ ,;.]+ )?actual\b"
            r"|\b(?:need|have|has) to (?:take|use|get|find|insert|obtain|put in|fill in|look up|plug in) (?:the|its|their) (?:real|actual) (?:figures?|numbers?|values?|data)\b"
        ),
        cues=cues_of(
            "example made-up made_up fictitious hypothetical placeholder illustrat invented assumed real_ actual_"
        ),
        closes=True,
    ),
    Rule(
        "refers elsewhere",
        pattern(
            r"\A\W*(?:for|as to|as for|regarding|on) [^,;.]{1,80},? (?:you'd|you would|you will|you'll|one would|you) (?:have|need)"
            r" to (?:look|check|consult|see|refer|turn|go|ask|contact|read)\b"
            r"|\b(?:would|will) (?:have|need) to be (?:requested|obtained|checked|looked up|asked|sought|taken|sourced|looked for)\b"
        ),
        cues=cues_of(
            "you'd_ you_would you_will you'll one_would you_have you_need would_have would_need will_have will_need"
        ),
        gap=True,
        near_source=True,
    ),
    Rule(
        "not shared",
        pattern(
            r"\b(?:you|which was|that was) (?:have not|haven't|did not|didn't|not) (?:yet )?"
            r"(?:share|upload|send|sent|provide|attach|include|paste|supply|supplie|give|told|tell|said|specifie|specify|mention|stated?)(?:d|ed|n)?(?! by\b)\b"
            rf"|\bma(?:ke|de) it in(?:to)? (?:[a-z]+ ){{1,3}}?(?:{PAPER}|pdf|scan|prompt)\b"
        ),
        cues=cues_of("you_ha you_did which_was_not that_was_not make_it_in made_it_in"),
        gap=True,
    ),
)
"""Idioms for a source that keeps quiet and a speaker who cannot tell."""
