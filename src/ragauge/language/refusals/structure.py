"""Refusals by the structure of the whole answer, in whatever words: who lacks what, and that nothing else answers.

Three structures count, only with a question that wants a value:

- The speaker opens with what it lacks ("Your repository is invisible to me"), and all else is general or advice.
- A sentence denies that a source has the number, time or name that is asked for, and no sentence gives one.
- A sentence says what would be needed for the number, time or name that is asked for, and no sentence gives one.
"""

from collections.abc import Sequence

from ragauge.language.refusals.asked import has_value_for
from ragauge.language.refusals.no_value import CONSTANTS
from ragauge.language.refusals.question import Asked
from ragauge.language.refusals.sentences import Sentence
from ragauge.language.refusals.words import ASKABLE, FACT, SOURCE, pattern
from ragauge.language.stems import stemmed
from ragauge.language.word_beginnings import first_letters, may_match

LACKED_BY_SPEAKER = "lacked by the speaker"
LACKED_BY_SOURCE = "lacked by the source"
MORE_IS_NEEDED = "more is needed"

_SPEAKER = pattern(r"\b(?:i|i'm|i've|i'd|me|my|mine)\b")
_NEGATIVE = pattern(
    r"\b(?:not|no|none|never|nothing|neither|nor|nowhere|nobody|without|lacks?|lacking|beyond|outside|cannot|unable|hidden"
    r"|invisible|inaccessible|unavailable|unknown|missing|absent|blank|blanked|blacked|empty|illegible|unreadable|redacted|gone|silent"
    r"|out of (?:reach|range|sight|bounds|scope)|off limits|inaccessible|too (?:recent|new|short|thin)"
    r"|un(?:named|stated|told|said|specified|mentioned|answered|recorded|reported|listed))\b|n't\b"
)
_NEGATIVE_NEEDS = first_letters(
    "not no none never nothing neither nor nowhere nobody without lack lacks lacking beyond outside cannot unable hidden invisible"
    " inaccessible unavailable unknown missing absent blank blanked blacked empty illegible unreadable redacted gone silent unnamed"
    " unstated untold unsaid unspecified unmentioned unanswered unrecorded unreported unlisted t out off too"
)
_DOES_MORE = pattern(r"\b(?:but|however|though|although|still|yet|believe|think|guess|recall)\b")
"""The speaker goes on to answer, perhaps unsure."""
_TURNS = pattern(r"\W*(?:however|but|nevertheless|nonetheless|that said|still|as of)\b")
_GENERAL = pattern(
    r"\b(?:usually|typically|generally|normally|commonly|often|traditionally|as a rule|in general|tends? to|most|many|vary|varies"
    r"|will (?:have|show|tell|list|settle|know|be able)|should (?:have|be able|know|list|show)|has (?:the|an?)|have (?:the|an?)|would have)\b"
)
_THERE = pattern(
    r"\b(?:there|here|in (?:none|neither|any|either|it|them|this|that|those|these)|(?:none|neither|any|every one|all) of (?:them|these|those|the)"
    r"|by (?:any|none|the))\b|\A\W*(?:it|they) (?:does|do|did)\b"
)
_NEEDS = pattern(
    r"\b(?:would|will|must|has to|have to|needs? to)(?: (?:first|also|have to|need to))* be (?:needed|required|necessary|attached|provided"
    r"|supplied|shared|uploaded|known|consulted)\b"
    r"|\b(?:i|we|one|you)(?:'d| would) (?:also |first )?(?:need|require)\b"
)
_ASKS_NEEDS = pattern(r"\b(?:needs?|needed|requires?|required|necessary|must)\b")
_ZERO = pattern(rf"\W*(?:no|none of the) (?!(?:{FACT}|{ASKABLE}|{SOURCE})\b)")
"""How a count begins that is zero: "No patients dropped out of the study"."""
_WHICH = pattern(rf"\bwhich (?!{SOURCE}\b)[a-z]+")
_OF_THAT = pattern(r"\b(?:that|it|this|which one|so far)\W*\Z")
"""It ends with a pronoun for what is asked: "The extract doesn't reveal that"."""
_TELLS_OF_SOURCE = pattern(r"\b(?:say|says|said|state|mention|report|tell|write|wrote)\b")
"""The question is on what a source says, so that "nothing" answers it."""


def lacked(sentences: Sequence[Sentence], asked: Asked) -> tuple[int, str] | None:
    """The index of the sentence that says what is lacked, and by whom; None if the answer does not refuse so."""
    if not asked.wants_value or asked.seeks_place or len(sentences) > MAX_SENTENCES:
        return None
    if not any(map(_is_negative, sentences)):
        return None
    if any(each.answers_yes_or_no or each.states_a_conclusion for each in sentences):
        return None
    index = _lacked_by_speaker(sentences, asked)
    if index is not None:
        return index, LACKED_BY_SPEAKER
    index = _lacked_by_source(sentences, asked)
    if index is not None:
        return index, LACKED_BY_SOURCE
    index = _needs_more(sentences, asked)
    return None if index is None else (index, MORE_IS_NEEDED)


MAX_SENTENCES = 40
"""Longer answers are left to the other rules: what speaks of so much answers somewhere."""


def _is_negative(sentence: Sentence) -> bool:
    text = sentence.text
    return may_match(text, _NEGATIVE_NEEDS) and _NEGATIVE.search(text) is not None


def _lacked_by_speaker(sentences: Sequence[Sentence], asked: Asked) -> int | None:
    for index, each in enumerate(sentences[:2]):
        if (
            _is_negative(each)
            and _SPEAKER.search(each.text)
            and not _DOES_MORE.search(each.text)
            and len(sentences) > 1
            and all(_is_general(other, asked) for other in sentences if other is not each)
        ):
            return index
    return None


def _is_general(sentence: Sentence, asked: Asked) -> bool:
    """Whether it gives advice, an offer or what is usual, and not what is asked."""
    if _TURNS.match(sentence.text):
        return False
    if sentence.advises or _GENERAL.search(sentence.text) or sentence.text.rstrip().endswith("?"):
        return True
    return sentence.is_preamble or (sentence.is_afterthought and not has_value_for(sentence, asked))


def _lacked_by_source(sentences: Sequence[Sentence], asked: Asked) -> int | None:
    is_typed = asked.wants_number or asked.kind or _WHICH.search(asked.text)
    if not is_typed or "why" in asked.phrases or _TELLS_OF_SOURCE.search(asked.text):
        return None
    for index, each in enumerate(sentences):
        others = [other for other in sentences if other is not each]
        if (
            _denies_what_is_asked(each, asked)
            and any(other.speaks_of_source for other in sentences)
            and all(_is_beside(other, asked) for other in others)
        ):
            return index
    return None


def _needs_more(sentences: Sequence[Sentence], asked: Asked) -> int | None:
    if not (asked.wants_number or asked.kind) or "why" in asked.phrases:
        return None
    index = next((at for at, each in enumerate(sentences) if _NEEDS.search(each.text)), None)
    if index is None or _ASKS_NEEDS.search(asked.text):
        return None
    is_given = any(
        each.answers or (has_value_for(each, asked, CONSTANTS) and not each.supposes)
        for each in sentences
    )
    return None if is_given else index


def _denies_what_is_asked(sentence: Sentence, asked: Asked) -> bool:
    if not _is_negative(sentence) or _DOES_MORE.match(sentence.text):
        return False
    if has_value_for(sentence, asked) or (asked.wants_number and _ZERO.match(sentence.text)):
        return False
    stems = {word.stem for word in stemmed(sentence.text)}
    names_it = not stems.isdisjoint(asked.thing | asked.kind) or _OF_THAT.search(sentence.text)
    return bool(names_it) and (
        sentence.speaks_of_source or _THERE.search(sentence.text) is not None
    )


def _is_beside(sentence: Sentence, asked: Asked) -> bool:
    """Whether it gives nothing that is asked: it prepares, gives advice, or has no value of the kind."""
    if sentence.prepares or sentence.advises:
        return True
    return not (sentence.answers or has_value_for(sentence, asked))
