"""Weak signs of a refusal: the source tells something else than what is asked, or is another one.

As in `refusal_gap_rules`, every rule here has `gap`: it refuses only if no other sentence answers.
"""

from ragauge.language.refusals.words import (
    PAPER,
    PAPERS,
    SOURCE,
    TERMS_AND_WORKS,
    Rule,
    cues_of,
    pattern,
)

ELSEWHERE_RULES = (
    Rule(
        "told something else",
        pattern(
            r"\b(?:only|just|merely|solely) (?:covers?|concerns?|describes?|discuss(?:es)?|lists?|treats?"
            r"|deals? with|names?|gives?|contains?|includes?|address(?:es)?|mentions?|says?|states?|tells?"
            r"|shows?|reports?|quotes?|goes|has|have|talks?|explains?|refers?|offers?|points?)\b"
        ),
        cues=cues_of("only_ just_ merely_ solely_"),
        nouns=PAPERS,
        gap=True,
        near_source=True,
    ),
    Rule(
        "told something else",
        pattern(
            r"\b(?:gives?|told|states?|mentions?|lists?|names?|says?|see|have|shows?|covers?|reports?|describes?|contains?|includes?)"
            r" [^,;.]{1,60}(?:(?:,| but|, but|, and) not (?:the|its|his|her|their|any|an|for|when|who|how|what"
            r"|where|why|[a-z]+ing)|,? but no(?! (?:longer|more|less|fewer)))\b"
        ),
        cues=cues_of(",_not but_not and_not but_no_"),
        nouns=PAPERS | {"i", "we"},
        gap=True,
    ),
    Rule(
        "told something else",
        pattern(
            r"\b(?:covers?|concerns?|describes?|discuss(?:es)?|lists?|treats?|goes|runs|deals? with|names?"
            r"|about|gives?|contains?|includes?|addresses)\b"
            r"[^.;]{0,80}\b(?:only|solely|exclusively|merely)(?=\W|\Z)"
        ),
        cues=cues_of("only solely exclusively merely"),
        nouns=PAPERS,
        gap=True,
        near_source=True,
    ),
    Rule(
        "told something else",
        pattern(
            r"(?:\bnot|n't) (?:something|anything|information|an? (?:detail|thing|point|topic|subject|fact))"
            rf" (?:that )?(?:the|this|these|my|our) (?:[a-z]+ ){{0,2}}?{PAPER}\b"
        ),
        cues=cues_of("t_something t_anything t_information t_a_ t_an_"),
        gap=True,
    ),
    Rule(
        "another source",
        pattern(
            r"\b(?:is|are|was|were|seems?|appears?|concerns?|covers?|refers?|relates?|pertains?"
            r"|belongs?|deals?|describes?|discuss(?:es)?|treats?|comes?)\b[^.;]{0,80}?"
            r"\b(?:wrong|an? (?:[a-z]+ )?different|another)\b|\bpredates?\b"
        ),
        cues=cues_of("wrong different another predate"),
        nouns=PAPERS | TERMS_AND_WORKS,
        gap=True,
    ),
    Rule(
        "another source",
        pattern(
            r"\b(?:is|are|was|were|concerns?|covers?|refers?|relates?|pertains?|deals?|describes?"
            r"|discuss(?:es)?|treats?)\b[^.;]{0,80}?(?:, not |\(not |\bnot (?:the|for|on|about|of)\b"
            r"|\brather than\b|\binstead of\b)"
        ),
        cues=cues_of(",_not (not not_the not_for not_on not_about not_of rather_than instead_of"),
        nouns=PAPERS | TERMS_AND_WORKS,
        gap=True,
        near_source=True,
    ),
    Rule(
        "another source",
        pattern(
            r"\b(?:is|are) (?:limited|restricted|confined) to\b"
            r"|\b(?:postpones?|defers?|leaves?|delegates?|refers?) [^,;]{1,60}?"
            r" (?:to (?:another|an?|the|its|our|schedule|annex|appendix|section)|open)\b"
        ),
        cues=cues_of("limited_to restricted_to confined_to postpone defer leave delegate refer"),
        nouns=PAPERS | TERMS_AND_WORKS,
        gap=True,
    ),
    Rule(
        "another source",
        pattern(
            r"\b(?:ends|stops|ended|stopped) (?:at|with)\b"
            r"|\bonly (?:go(?:es)?|runs?|reach(?:es)?|extends?|covers?)(?: up)? (?:to|until|till|through)\b"
        ),
        cues=cues_of("ends_ stops_ ended_ stopped_ only_"),
        nouns=PAPERS | TERMS_AND_WORKS,
        gap=True,
        near_source=True,
    ),
    Rule(
        "another source",
        pattern(
            r"\A\W*(?:but |and |however, )?(?:it|they|that|this) (?:just |simply |then |already )?(?:ends?|stops?|ended|stopped"
            r"|breaks? off|broke off|cuts? off) (?:abruptly )?(?:before|short of|at|with|just before|right before)\b"
        ),
        cues=cues_of("ends_ end_ stops_ stop_ ended_ stopped_ break broke cut"),
        gap=True,
        near_source=True,
    ),
    Rule(
        "another source",
        pattern(
            r"(?:\A|[,:;–—] ?)\W*(?:(?:this is|that's|it's|these are|those are|they are|it is) )?"
            rf"(?:the )?wrong (?:[a-z]+ )?(?:{SOURCE}|ones?|files?|version|upload)\b"
        ),
        cues=("wrong",),
        gap=True,
        near_source=True,
    ),
    Rule(
        "another source",
        pattern(
            r"\b(?:it|they|these|those|all|both|hits?|chunks?)(?: (?:[a-z-]+ ){0,4}| )"
            r"(?:is|are|concern|cover|discuss|treat|deal with) (?:(?:all|only|just|mostly) )?"
            r"(?:about |on |for |from )?(?:an? (?:[a-z]+ )?(?:different|other)|another|other|the wrong)\b"
        ),
        cues=cues_of("different_ other_ another_ the_wrong"),
        gap=True,
        near_source=True,
    ),
)
