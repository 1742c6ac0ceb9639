"""Where the words of a refusal answer the question: "Because the data were missing" answers why."""

from collections.abc import Sequence

from ragauge.language.content_words import is_content_word
from ragauge.language.refusal_question import Asked
from ragauge.language.refusal_sentences import Sentence
from ragauge.language.refusal_words import pattern
from ragauge.language.stems import stemmed

_WHY = pattern(r"\bwhy\b")
_BECAUSE = pattern(r"\W*(?:because|since|due to|for lack of|owing to|there (?:was|were))\b(?! i\b)")
_THEN_BECAUSE = pattern(r"(?:(?!(?:i|we)\b)[^,;:]){1,80}?\bbecause\b")
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


def answers_the_question(sentence: Sentence, asked: Asked) -> bool:
    """Whether what looks like a refusal answers this very question.

    "Because the data were missing" answers why; "The report contains no evidence of fraud" answers
    whether it contains any.
    """
    if sentence.makes_up and _WANTS_EXAMPLE.search(asked.text):
        return True
    if _WHY.search(asked.text) and _gives_a_reason(sentence):
        return True
    if asked.is_on_absence and not any(found.rule.closes for found in sentence.certain):
        return all(found.rule.name in _GAPS_IN_THINGS for found in sentence.certain)
    if not asked.is_yes_no:
        return False
    question = asked.text[: asked.text.find("?")] if "?" in asked.text else asked.text
    told = {found[0].lower() for found in _DENIES.finditer(question)}
    wanted = frozenset(word.stem for word in stemmed(question) if is_content_word(word.lowered))
    return len(wanted & frozenset(word.stem for word in stemmed(sentence.text))) >= 0.6 * len(
        wanted
    ) and any(
        beginning
        in sentence.text[found.start - sentence.start : found.end - sentence.start].lower()
        for beginning in told
        for found in sentence.found
        if not found.rule.closes
    )
