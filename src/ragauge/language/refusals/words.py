"""Words for the parts of a refusal, and the form of the rules built from them.

Most rules match right after a negation ("does not | provide the fee") and require a subject: a noun
of a given set in the same clause, or the speaker. Others match anywhere. In patterns, `_` or a space
matches a run of whitespace; case is ignored.
"""

import re
from dataclasses import dataclass
from typing import Literal

from ragauge.language.late_pattern import LatePattern

_SPACE = re.compile("[ _]")


@dataclass(frozen=True, slots=True)
class Rule:
    """One wording of a refusal. Rules with the same name are variants.

    `after`: the words follow a negation, or a negation of ability. Without it, they match anywhere,
    but only in a sentence that contains one of the lower-case `cues`: searching for these first is a
    hundred times faster. `nouns`: one of them must precede in the same clause. `speaker`: "I" or "we"
    must precede directly, or nothing, as in "Unable to answer". `closes`: it also refuses at the end
    of an answer, where other rules match an afterthought unless they conclude ("Therefore, ..."). `alone`: it refuses only if the answer
    contains nothing else. `gap`: it refuses only if no other sentence answers; `near_source`: and if
    the answer speaks of a source; `asked`: and if its sentence speaks of what the question asks for.
    """

    name: str
    words: LatePattern
    after: Literal["negation", "inability"] | None = None
    cues: tuple[str, ...] = ()
    nouns: frozenset[str] | None = None
    speaker: bool = False
    closes: bool = False
    alone: bool = False
    gap: bool = False
    near_source: bool = False
    asked: bool = False


def pattern(text: str) -> LatePattern:
    """The pattern, compiled at its first use: case is ignored, and a space or `_` matches a run of whitespace.

    >>> bool(pattern("no_(?:idea|clue)").search("I have NO  idea"))
    True
    """
    return LatePattern(_SPACE.sub(r"\\s+", text), re.IGNORECASE)


_LONG_GAP = re.compile(r"(?<=\s{10})\s+")
_MAY_BE_LONG_GAP = re.compile(r"\s{11}")


def without_long_gaps(text: str) -> str:
    """The text with null characters behind the first ten spaces of a run; positions stay the same.

    Some rules try every way to divide the spaces between two words, which takes hours for thousands of spaces.

    >>> without_long_gaps("no" + 12 * " " + "idea")
    'no          \\x00\\x00idea'
    """
    if not _MAY_BE_LONG_GAP.search(text):
        return text
    return _LONG_GAP.sub(lambda gap: "\0" * len(gap[0]), text)


def any_of(words: str) -> str:
    """A pattern for any one of the words; `_` joins the words of a phrase."""
    return f"(?:{'|'.join(words.split())})"


def cues_of(words: str) -> tuple[str, ...]:
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

_PAPER_WORDS = (
    _plurals(
        "context document passage text filing excerpt extract report article statement 10-k 10k "
        "10-q 10q 8-k 8k material source snippet result paragraph section sheet spreadsheet table "
        "page transcript chunk record file handbook manual guide guideline brochure leaflet "
        "docs interview catalogue catalog database note minute bulletin biography article release newsletter "
        "memo memorandum faq appendix footnote disclosure registry ledger chart diagram graph "
        "search figure dataset encyclopedia wiki website webpage site entry listing log profile review "
        "study paper survey summary overview prospectus presentation slide column corpus archive "
        "abstract instruction readme index recipe specification "
        "letter email invoice receipt agenda certificate diary journal blog newspaper magazine "
        "description exhibit thread ticket schedule fragment dispatch provision label pamphlet copy upload "
        "hit deed piece announcement annex attachment supplement datasheet factsheet obituary programme questionnaire card caption timetable itinerary"
    )
    + " contents documentation question prompt query information info data details facts evidence"
    " knowledge provided supplied attached retrieved quoted"
)
_TERM_WORDS = (
    _plurals(
        "policy contract agreement lease clause plan license licence warranty regulation statute "
        "book chapter story novel essay nda charter bylaw"
    )
    + " terms rules conditions"
)
_FACT_WORDS = (
    _plurals(
        "detail figure number value answer breakdown record fact statistic specific explanation "
        "description document source amount item metric"
    )
    + " information informations info data mention reference context discussion disclosure text evidence line"
)
_FINDING_WORDS = "result results data evidence facts study survey review provided"
_ASKABLE_WORDS = (
    _plurals(
        "date name price cost year place location reason rate percentage title author time address "
        "period duration size weight age cause total sum count share limit deadline fee colour color "
        "section formula direction model version part dose dosage yield margin ratio"
    )
    + " rule rules limits answer"
)
PAPERS = frozenset(_PAPER_WORDS.split())
TERMS_AND_WORKS = frozenset(_TERM_WORDS.split())
FACTS = frozenset(_FACT_WORDS.split())
FINDINGS = frozenset(_FINDING_WORDS.split())
"""Documents that show something about the world: "the results do not show growth" answers."""

DOCUMENTS = frozenset(
    _plurals(
        "context document passage text filing excerpt extract report article statement source snippet "
        "paragraph section sheet table page transcript chunk file handbook manual guide guideline brochure "
        "leaflet docs interview catalogue minute bulletin newsletter memo appendix footnote chart wiki entry listing paper "
        "summary overview prospectus abstract description exhibit thread fragment dispatch provision copy"
    ).split()
)
"""What can only inform, so that anything it does not do is a gap."""

PAPER = any_of(_PAPER_WORDS)
TERM_OR_WORK = any_of(_TERM_WORDS)
SOURCE = any_of(f"{_PAPER_WORDS} {_TERM_WORDS}")
FACT = any_of(_FACT_WORDS)
ASKABLES = frozenset(_ASKABLE_WORDS.split())
"""What questions ask for."""
ASKABLE = any_of(_ASKABLE_WORDS)
_RESULT_WORDS = (
    "answer ratio figure number value result margin amount percentage total average change growth "
    "calculation computation expression equation formula question rate sum conclusion comparison verdict"
)
RESULT = any_of(_RESULT_WORDS)
"""What an answer comes to."""
RESULTS = frozenset(
    f"{_RESULT_WORDS} ratios figures values numbers years difference date name price cost content contents "
    "minutes reason motive subsidiary whether who what when where which why how".split()
)

# Verbs in their form after a negation: "does not _", "has not _", "is not _".

SAY = any_of(
    "mention(?:ed)? specify specified state(?:d)? disclosed? discuss(?:ed)? address(?:ed)? say "
    "describe explain(?:ed)? clarify identif(?:y|ied|ies) refer_to reference touch_on elaborate "
    "define indicate(?:d)? tell name make_(?:it_)?clear record go_into comment_on speak_(?:to|of) "
    "answer_(?:the|this|your) give_away stretch_to bring_up touch(?:_(?:on|upon))? quantify quote spell_out set_out lay_(?:out|down) "
    "deal_with puts?_(?:an?|any|the) go_(?:that|so)_far settle"
)
HOLD = any_of(
    "provided?(?!_for) contain(?:ed)? included? list(?:ed)? offer(?:ed)? supply furnish "
    "detail(?:ed)? outlined? cover(?:ed)? break_down break_out break_it_down broken_down report_on "
    "separate return(?:ed)? yield(?:ed)? turn(?:ed)?_up itemized? reproduced? print(?:ed)? given? have(?!_to|_been) seem_to_\\w+ appear_to_\\w+"
)
SHOW = any_of("show reveal(?:ed)? present report suggest")
SAID = any_of(
    "mentioned specified disclosed stated reported indicated discussed described explained "
    "addressed identified clear evident answered named recorded said spelled_out spelt_out"
)
HELD = any_of(
    "provided available given included found listed present contained shown detailed presented "
    "outlined visible itemized reproduced broken_down broken_out covered supplied part_of"
)
TOLD = any_of(
    "described discussed mentioned stated specified disclosed explained touched_(?:on|upon) dealt_with "
    "spelled_out spelt_out laid_(?:down|out) set_(?:out|forth) quantified detailed elaborated(?:_on)? clarified "
    "indicated spoken_of talked_about gone_into brought_up taken_up expanded_on commented_on divulged "
    "enumerated named_(?:in|here|there)"
)
"""Participles of telling."""
GIVEN = any_of(
    "provided given listed shown printed reproduced attached included supplied present contained available "
    "covered displayed presented quoted visible legible readable retrieved enclosed filled_in produced sent "
    "published reported recorded identified named noted documented addressed released stated found"
)
"""What is said of goods, people and texts alike."""
THERE = (
    r"(?:(?:there|here|anywhere)\b|(?:in|on|among|within|by|of|from) (?:it|them|these|those|this|that|any|either"
    r"|here|there|what|the (?:text|list|copy|pages?|extracts?|excerpts?|passages?|documents?|materials?))\b)"
)
TELLS = any_of(
    "provides? contains? includes? gives? offers? mentions? states? makes? lists? names? cites? "
    "specif(?:y|ies) reports?"
)
WORK_OUT = any_of(
    "determined? calculated? computed? answer(?:ed)? ascertain(?:ed)? establish(?:ed)? "
    "assess(?:ed)? infer(?:red)? derived? concluded? evaluated? deduced? estimated? identify "
    "confirm(?:ed)? verify verified tell say judged? compared? quantify "
    "quantified obtain(?:ed)? analyzed? extract(?:ed)? pinpoint(?:ed)? discern(?:ed)? gauged? "
    "predict(?:ed)? stated provided? given? offer(?:ed)? work(?:ed)?_out draw_any draw_a make_an? state "
    "complete(?:d)? carr(?:y|ied)_out perform(?:ed)? gleaned? reach(?:ed)?_an? arrive(?:d)?_at figured?_out "
    "resolved? settled?_the pin(?:ned)?_down arrived_at reconstruct(?:ed)? isolated? traced? produced?_an? "
    "generated?_an? respond replied reply guess name(?!_names)"
)
HELP = any_of(
    "access retrieve browse fetch view search assist help(?!_(?:but|[a-z]+ing)) speculate comment "
    "disclose recall read look_up look_at look_into look_that_up look_it_up open check pull_up consult "
    "find_out go_online connect_to do_(?:that|this|so|the|it) go_(?:further|on|beyond|any) be_of_(?:any_|more_|further_|much_)?(?:help|use|assistance) "
    "be_(?:any_|more_|of_)*(?:help|helpful|certain|sure)"
)
HOW = (
    r"(?:, (?:however|though|unfortunately|therefore),)?"
    r"(?: (?:(?!only)[a-z]+ly|also|yet|even|just|there|itself|alone|be|been|in fact)){0,4} "
)
WHAT = (
    r"(?:any(?:thing)?|specific|exact|enough|sufficient|explicit|information|info|data|details?|figures?"
    r"|wh[a-z]+|how|if|this|it|such|the (?:exact|specific|amount|number|total|reason|date|name"
    r"|value|figure))\b"
)
MEANS = (
    r"(?:[^ ,;.]+ ){0,5}?(?:access|information|info|data|knowledge|details|ability|capability"
    r"|capabilities|records?|figures?|numbers?|context|documents?|statements?|means|enough|sufficient"
    r"|specifics|insight|updates?|filings?|answer|reports?|sheets?|10-?[kq]|basis|way of (?:know|tell)ing"
    r"|what (?:i|we|is|it) (?:need|takes?|would)[a-z]*)"
)
SOME = (
    r"(?:(?:about|around|nearly|almost|only|roughly|over) )?(?:some|many|most|several|half|an? (?:few|quarter|third|minority"
    r"|majority)|\d[\d.,]*(?: )?(?:%|percent\b|per cent\b|of\b|out of\b))"
)
"""A part of the cases: "not available for 12% of the patients" is a finding."""
ASKED = r"(?:who|what|when|where|which|why|how|whether|if)\b"

IS_NOT = r"(?:(?<=\bis\x20not)|(?<=\bare\x20not)|(?<=\bisn't)|(?<=\baren't))"
"""Directly before: "is not" in the present tense, as of a text."""
PASSIVE = (
    rf"(?:{IS_NOT}|(?<=\bwas\x20not)|(?<=\bwere\x20not)|(?<=\bwasn't)|(?<=\bweren't)"
    r"|(?= (?:[a-z]+ )?be(?:en)?\b))"
)
"""Directly before or after: a form of "be"."""

NEGATION = re.compile(
    r"(?:not|n't)\b(?:\s+(?:be\s+|been\s+)?able\s+to\b|\s+in\s+a\s+position\s+to\b)?"
    r"|unable\s+to\b|in\s+no\s+position\s+to\b|never\b|(?:do|did|does|is|ca|could)nt\b"
    r"|fail(?:s|ed)?\s+to\b"
)
"""Searched in lower-case text, without the words before it: that is much faster."""
BEFORE_NEGATION = re.compile(
    r"(?:\b(?:(?P<ability>can|could|ca)|do|does|did|has|have|had|is|are|was|were|am|would|will|wo)\s*"
    r"(?:(?<=\s)(?:also|still|yet|therefore|thus|hence|simply|just|really)\s)?|'(?:s|re|m)\s(?:(?:therefore|thus|also|just|simply)\s)?|(?P<nothing>\W|\A))\Z"
)
"""An auxiliary, or nothing that is part of the same word: "kn" is not followed by a "not"."""
NEGATION_CUES = cues_of("not n't dont didnt doesnt isnt cant couldnt never fail unable no_position")
"""Every sentence with a negation contains one of them."""
NOT = (
    r"(?:(?:do|does|did|has|have|had|is|are|was|were|can|could|would|will)(?: not|n't)"
    r"|cannot|never|fails?_to)"
)
