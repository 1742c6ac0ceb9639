"""Where the words of a refusal answer the question: "Because the data were missing" answers why."""

from collections.abc import Sequence
from itertools import pairwise

from ragauge.language.content_words import is_content_word
from ragauge.language.refusals.asked import has_number_for, has_value_for, is_a_short_answer
from ragauge.language.refusals.question import Asked, is_time
from ragauge.language.refusals.sentences import Sentence
from ragauge.language.refusals.words import (
    ASKABLE,
    FACT,
    GIVEN,
    HELD,
    HELP,
    HOLD,
    SAID,
    SAY,
    SHOW,
    SOURCE,
    TELLS,
    TOLD,
    WORK_OUT,
    pattern,
)
from ragauge.language.stems import stemmed

_WHY = pattern(r"\bwhy\b")
_BECAUSE = pattern(r"\W*(?:because|since|due to|for lack of|owing to|there (?:was|were))\b(?! i\b)")
_THEN_BECAUSE = pattern(r"(?:(?!(?:i|we)\b)[^,;:]){1,80}?\bbecause\b")
_BECAUSE_OF = pattern(r"\w (?:because|since|due to|owing to)\b")
"""It repeats what could not be done, and says why."""
_MOST = 0.6
"""The share of the question's words by which a sentence speaks of what it asks."""
_IS_STATED = pattern(
    r"\W*(?:[^ ,;:]+ ){0,4}?(?:it(?:'s| is)|is|are|was|were|does|do|has|can|should)(?: not|n't)?\b"
)
"""A clause with a verb, unlike a heading."""
_GAPS_IN_THINGS = ("no information", "missing", "facts not given", "not given")
"""Names of rules for gaps, which answer a question about gaps: "No data on income are available"."""
_WANTS_EXAMPLE = pattern(
    r"\b(?:examples?|illustrat\w+|hypothetical\w*|suppos\w+|imagin\w+|assum\w+|if|say|made up|invent\w*|fiction\w*|fake)\b"
)
"""It asks for figures that are made up."""
_POINTS = pattern(
    r"\b(?:it|they|these|those|that|this|which|copies)(?:'s|'re| is| are| can be| may be) (?:[a-z]+ ){0,2}?"
    r"(?:on|in|at|under|inside|from|via|through|behind|near)\b"
)
_WHAT_IS_MISSING = pattern(
    r"\W*(?:what|which)\b[^?.;,]{0,60}\b(?:missing|lack(?:s|ing)?|omit(?:s|ted)?|left out|leaves? out|undisclosed"
    r"|(?:not|n't) (?:[a-z]+ly )?(?:disclosed?|provided?|cover(?:ed)?|included?|mention(?:ed)?|contain(?:ed)?|specif(?:y|ied)"
    r"|report(?:ed)?|stated?|address(?:ed)?))\b"
)
"""It asks what a source does not tell, so that what it does not tell is the answer."""
_ASKS_FOR_LACKS = pattern(
    r"\b(?:limitations\b|limitation of\b|limits of\b|weakness|shortcoming|drawback|caveats?\b|flaws?\b|deficienc|critici[sz]|problems? (?:with|of|in)\b)"
)
"""It asks what is wrong with something, so that "the follow-up was too short to tell" answers."""
_ASKS_WHAT_IS_SAID = pattern(
    r"\W*what (?:do|does|did|has|have) (?:the |these |those |its |his |her |their )?(?!you\b)[a-z' -]{1,60}? (?:conclude|say|said|argue|claim|reply|answer|recommend|decide|find|warn|admit|testify)\b"
)
_SAYS_THAT = pattern(
    r"\W*(?:the [a-z]+|[a-z]+) (?:(?:also|both|all|finally|then|therefore) )?(?:conclud\w+|sa(?:y|ys|id)|argue[sd]?|claim(?:s|ed)?|repl(?:y|ies|ied)|answer(?:s|ed)?|recommend(?:s|ed)?"
    r"|decide[sd]?|finds?|found|warn(?:s|ed)?|admit(?:s|ted)?|testif(?:y|ies|ied)) that\b"
)
"""Somebody says what looks like a refusal: "They conclude that there is not enough evidence"."""
_SO_IT_SHOULD = pattern(
    r"[^.;:]{0,120}?,? (?:so|therefore|hence) (?!(?:i|we|that|this|there|no)\b)(?:the )?[a-z]+ (?:should|must|may|can|is|are|was|were)\b"
    r"(?!(?:n't|[^.;:]{0,60}?(?:\bnot|n't)\b| (?:un|im|in|hard|difficult)[a-z]*\b))[^.;:]*"
)
"""What follows from a lack in the world: "There are no studies, so it should be used only if needed"."""
_THERE = pattern(r"\W*there (?:is|are|was|were)\b")
_CONCLUDES = pattern(r"\W*(?:therefore|thus|hence|so|overall|consequently)\b")
_SAME_BEGINNING = 5
"""Letters; words of one family begin with the same."""
_CLAUSE = pattern(r"[,;:.!?]| (?:so|but|because|since|as|although|though|hence|therefore)\b")
"""The end of a clause."""
_OF_REFUSALS = pattern(
    rf"{SOURCE}|{FACT}|{ASKABLE}|{SAY}|{SAID}|{HOLD}|{HELD}|{SHOW}|{TELLS}|{TOLD}|{GIVEN}|{WORK_OUT}|{HELP}"
    r"|find|found|know|known|see|sure|able|unable|possible|impossible|exact|specific|explicit|precise|actual|enough|sufficient"
    r"|row|rows|column|line|lines|field|cell|broken|spelled|spelt|split|separate|separately|here|there|empty|left|blank|absent|omitted|silent|cut|off|copy|need|needed|required|provided|missing|given|part|question|answer|available|unclear|unknown"
)
"""Words that refusals have whatever is missing."""
_IS_VALUE = pattern(
    r"\W*(?:(?:by|in|on|at|from|between|about|around|roughly|approximately|within|up to|until|since) )?[$€£]?\d"
)
"""It begins with a number, as an answer without a verb does: "By 31 July."."""
_ONLY_A_NUMBER = pattern(
    r"\W*(?:(?:about|around|roughly|approximately) )?[$€£]?\d[\d.,]*%?(?: ?(?:%|[°a-z]+))?\W*\Z"
)
_OF_MANY = pattern(
    r"\W*\d+(?: [a-z]+)? (?:of|out of)\b|\W*\d[\d.]*[.:)]? [^\d]{0,40}\b(?:is|are|was|were)(?:n't| not)\b"
)
"""It counts what is missing: "2 of the 3 figures"; or denies the number's own line."""
_ON_A_SOURCE = pattern(
    rf"\A\W*(?:(?:the|this|that|these|your) )?(?:[a-z]+ )?{SOURCE}\b|\b(?:is|are|was|were) (?:[a-z]+ly )?{TOLD}\b"
)
"""It says what a source does, or what is told somewhere."""
_TELLS_TO = pattern(
    r"\W*(?!(?:please|see|refer|contact|check|consult|ask|call|visit|look)\b)[a-z]+ [a-z]+"
)
"""It may be an instruction, which answers "how": "Log in and choose New Report"."""
_REST = pattern(
    r"\W*(?:and |but |however, )?(?:the (?=second|third|fourth|fifth|last|others?|rest|remaining|remainder)|(?=other )(?!other (?:than|hand)))([a-z]+)\b"
)
"""The beginning of a sentence on what is left of several."""
_DENIES = pattern(
    r"(?:mention|disclos|specif|report|stat|provid|contain|includ|list|discuss|evidence|indicat|break|address|cover"
    r"|say|name|tell|give|show)"
)
"""The beginnings of verbs with which a question asks what a source tells."""


def points_elsewhere(sentences: Sequence[Sentence], asked: Asked) -> bool:
    """Whether the question asks where to find something, and a sentence names the place."""
    return asked.seeks_place and any(
        not each.found and _POINTS.search(each.text) is not None for each in sentences
    )


def explains_an_answer(sentences: Sequence[Sentence], index: int, asked: Asked) -> bool:
    """Whether the sentence is the reason of an answer: "It is not recommended: there is not enough data"."""
    before = sentences[index - 1] if index else None
    return (
        asked.is_yes_no
        and before is not None
        and before.text.endswith(":")
        and not before.found
        and not before.speaks_of_source
        and _IS_STATED.match(before.text) is not None
    )


def answered_before(sentences: Sequence[Sentence], index: int, asked: Asked) -> bool:
    """Whether an earlier sentence states most of what the question asks, so that a detail is what is missing."""
    if sentences[index].concludes or sentences[index].is_by_speaker or not asked.content:
        return False
    return any(
        not (each.found or each.speaks_of_source or each.prepares or each.accompanies_gap)
        and len(asked.content & _stems(each)) >= _MOST * len(asked.content)
        for each in sentences[:index]
    )


def is_on_a_further_detail(sentences: Sequence[Sentence], index: int, asked: Asked) -> bool:
    """Whether the sentence misses what the question does not ask for, after one that answers.

    "It opens at 10 on Sundays. I couldn't find the closing time" answers when it opens.
    """
    refusing = sentences[index]
    if refusing.concludes or refusing.makes_up or asked.is_yes_no:
        return False
    if any(found.rule.name == "refers elsewhere" for found in refusing.found):
        return False
    label = sentences[index - 1].text if index and sentences[index - 1].text.endswith(":") else ""
    if _CONCLUDES.match(label):
        return False
    missing = _missing(refusing, label)
    if missing & asked.specific:
        return False
    known = {stem[:_SAME_BEGINNING] for stem in asked.content | asked.kind}
    new = {stem for stem in missing if stem[:_SAME_BEGINNING] not in known}
    if not new or len(new) < len(missing & asked.content):
        return False
    if missing & asked.content and any(f" {words} " in refusing.text for words in asked.phrases):
        return False
    is_typed = asked.wants_number or bool(asked.kind)
    for each in sentences[:index]:
        if each.found or each.prepares or each.supposes or each.speaks_of_source:
            continue
        if _ON_A_SOURCE.search(each.text):
            continue
        if each.text.endswith((":", "?")) or (
            each.accompanies_gap and not _TELLS_TO.match(each.text)
        ):
            continue
        shared = asked.content & _stems(each)
        if is_typed and _IS_VALUE.match(each.text) and not missing & asked.content:
            return True
        if is_typed and not has_value_for(each, asked):
            if len(shared) >= _MOST * len(asked.content):
                return True
        elif shared or (not is_typed and _qualifies(refusing, asked)):
            return True
    return False


def follows_what_is_asked(sentences: Sequence[Sentence], index: int, asked: Asked) -> bool:
    """Whether the sentence misses something else, after one that gives what is asked and little more.

    "Peter Holm. I found nothing on his term" answers who; so does "The gross margin was 31%. Overheads are not
    shown, so I can't say what was left" where the gross margin is asked.
    """
    missing = _missing(sentences[index])
    if index and asked.wants_number and _ONLY_A_NUMBER.match(sentences[0].text):
        return not sentences[index].makes_up
    if not missing or missing & asked.content or sentences[index].makes_up or not asked.wants_value:
        return False
    if is_a_short_answer(sentences[0], asked) and index:
        return not asked.wants_number or has_number_for(sentences[0], asked)
    things = frozenset(stem for stem in asked.thing if not is_time(stem))
    return bool(things) and any(
        asked.wants_number
        and things <= _stems(each)
        and has_number_for(each, asked)
        and not (each.found or each.prepares or each.supposes or each.advises)
        for each in sentences[:index]
    )


def is_on_the_rest(sentences: Sequence[Sentence], index: int, asked: Asked) -> bool:
    """Whether the sentence misses the rest of what an earlier one gives: "Two are named: Ida and Per. The third is not"."""
    rest = _REST.match(sentences[index].text)
    if rest is None or stemmed(rest[1])[0].stem in asked.content:
        return False
    return any(
        has_value_for(each, asked) and not (each.found or each.prepares or each.supposes)
        for each in sentences[:index]
    )


def gives_the_other_part(sentences: Sequence[Sentence], index: int, asked: Asked) -> bool:
    """Whether the sentence misses one of two things that the question joins by "and", and another tells of the other.

    "Remote work is allowed. Travel isn't covered" answers a question on remote work and travel.
    """
    ours = _stems(sentences[index])
    others = [pair - ours for pair in asked.joined]
    wanted = {stem for other in others if len(other) == 1 for stem in other}
    return bool(wanted) and any(
        not wanted.isdisjoint(_stems(each))
        and not (each.found or each.prepares or each.supposes or each.advises)
        and not _ON_A_SOURCE.search(each.text)
        for at, each in enumerate(sentences)
        if at != index
    )


def tells_only_something_else(sentences: Sequence[Sentence], asked: Asked) -> int | None:
    """The index of an opening refusal of all that is asked, if what follows speaks of a source and of nothing asked.

    "I could not find the half-life. The monograph does give the dose (5 mg)" refuses.
    """
    index = next((i for i, each in enumerate(sentences) if not each.is_preamble), None)
    if index is None or not sentences[index].refuses or not asked.wants_value or not asked.content:
        return None
    if len(asked.content & _stems(sentences[index])) < _MOST * len(asked.content):
        return None
    after = sentences[index + 1 :]
    tells = [each for each in after if each.answers or each.states_a_conclusion]
    is_other = all(
        _GIVES_INSTEAD.match(each.text) and not asked.content & _stems(each) for each in tells
    )
    return index if tells and is_other and not sentences[index].answers else None


_GIVES_INSTEAD = pattern(
    rf"\W*(?:however, |but |instead,? )?(?:(?:the|this|that|your) (?:[a-z]+ )?{SOURCE}|it|they) (?:(?:do|does|only|just|merely|instead|however) )*"
    r"(?:gives?|lists?|mentions?|provides?|states?|reports?|contains?|shows?|describes?|names?|covers?)\b"
)
"""What a source tells in place of what is asked."""


def _qualifies(sentence: Sentence, asked: Asked) -> bool:
    """Whether it puts a word of its own before a word of the question: "late symptoms"."""
    words = stemmed(sentence.text)
    return any(
        word.stem in asked.content
        and before.stem not in asked.content
        and is_content_word(before.lowered)
        and not _OF_REFUSALS.fullmatch(before.lowered)
        for before, word in pairwise(words)
    )


def _missing(sentence: Sentence, label: str = "") -> frozenset[str]:
    """The stems that name what the sentence misses: those of the clause of the refusal, without its own words."""
    found = sentence.found or sentence.if_asked
    if not found:
        return frozenset()
    last = max(found, key=lambda each: each.end)
    start, end = last.start - sentence.start, last.end - sentence.start
    clause = _CLAUSE.search(sentence.text, end)
    before = max((each.end() for each in _CLAUSE.finditer(sentence.text, 0, start)), default=0)
    named = sentence.text[before : clause.start() if clause else None]
    return frozenset(
        word.stem
        for word in stemmed(f"{label} {named}")
        if is_content_word(word.lowered)
        and not word.lowered.endswith("ly")
        and not _OF_REFUSALS.fullmatch(word.lowered)
    )


def _gives_a_reason(sentence: Sentence) -> bool:
    """Whether it says because of what, and refuses nothing before that."""
    if _BECAUSE.match(sentence.text):
        return True
    because = _THEN_BECAUSE.match(sentence.text)
    return because is not None and all(
        found.start - sentence.start >= because.end() for found in sentence.certain
    )


def _stems(sentence: Sentence) -> frozenset[str]:
    return frozenset(word.stem for word in stemmed(sentence.text))


def _names_a_lack(sentence: Sentence, asked: Asked) -> bool:
    """Whether something is missing in the world, as limitations are: "The follow-up was too short to tell"."""
    missing = _missing(sentence)
    is_refusing = sentence.is_by_speaker or sentence.speaks_of_source
    return bool(missing) and not (is_refusing or missing & asked.content)


def _says_it_of_others(sentence: Sentence) -> bool:
    """Whether all that looks like a refusal is what somebody says, and that is no source."""
    says = _SAYS_THAT.match(sentence.text)
    return says is not None and all(
        found.start - sentence.start >= says.end() for found in sentence.found
    )


def _draws_a_consequence(sentence: Sentence) -> bool:
    """Whether it misses something in the world and says what follows: "so it should be used only if needed"."""
    is_in_world = not sentence.speaks_of_source or _THERE.match(sentence.text)
    if sentence.is_by_speaker or not (is_in_world and sentence.found):
        return False
    last = max(found.end for found in sentence.found)
    return _SO_IT_SHOULD.match(sentence.text, last - sentence.start) is not None


def answers_the_question(sentence: Sentence, asked: Asked) -> bool:
    """Whether what looks like a refusal answers this very question.

    "Because the data were missing" answers why; "The report contains no evidence of fraud" answers
    whether it contains any.
    """
    if asked.wants_number and _IS_VALUE.match(sentence.text) and has_number_for(sentence, asked):
        return not sentence.is_by_speaker and not _OF_MANY.match(sentence.text)
    if sentence.makes_up and _WANTS_EXAMPLE.search(asked.text):
        return True
    if _ASKS_WHAT_IS_SAID.match(asked.text) and _says_it_of_others(sentence):
        return True
    if _WHY.search(asked.text) and _gives_a_reason(sentence):
        return True
    if asked.is_on_absence and _WHY.search(asked.text) and _BECAUSE_OF.search(sentence.text):
        return not sentence.is_by_speaker
    if _WHAT_IS_MISSING.match(asked.text) and _missing(sentence) - asked.content:
        return True
    if _ASKS_FOR_LACKS.search(asked.text) and _names_a_lack(sentence, asked):
        return True
    if asked.is_on_absence and not any(found.rule.closes for found in sentence.certain):
        return all(found.rule.name in _GAPS_IN_THINGS for found in sentence.certain)
    if not asked.is_yes_no:
        return False
    if _draws_a_consequence(sentence):
        return True
    question = asked.text[: asked.text.find("?")] if "?" in asked.text else asked.text
    told = {found[0].lower() for found in _DENIES.finditer(question)}
    wanted = frozenset(word.stem for word in stemmed(question) if is_content_word(word.lowered))
    return len(wanted & frozenset(word.stem for word in stemmed(sentence.text))) >= 0.6 * len(
        wanted
    ) and any(
        beginning
        in sentence.text[found.start - sentence.start : found.end - sentence.start]
        .lower()
        .rpartition(",")[2]
        for beginning in told
        for found in sentence.found
        if not found.rule.closes
    )
