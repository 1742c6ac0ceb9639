"""Questions that documents ask themselves: before their answers, and in headings."""

import re
from collections.abc import Iterator

from ragauge.documents.passage import Passage
from ragauge.language.refusals.asked import asked_by
from ragauge.questions import english_words as en
from ragauge.questions.english import is_good
from ragauge.questions.evidence import Place
from ragauge.questions.question import Draft, Source
from ragauge.questions.sentences import plain

BULLET = re.compile(r"[ \t]*(?:[-*•+]|\d{1,3}[.)])[ \t]+\S")
QUESTION_AND_ANSWER = re.compile(
    r"^(?:\*\*)?(?:Q[:.]\s*)?([A-Z][^\n?]{12,150}\?)(?:\*\*)?\s*\n+\s*(?:A[:.]\s*)?(?!Q[:.])([A-Z][^\n]{8,400}?[.!])(?=\s|$)",
    re.MULTILINE,
)
MAX_PARAGRAPH = 80
ASKING = re.compile(
    r"(?:What|Who|Which|When|Where|Why|How|Is|Are|Can|Do|Does|May|Must|Should|Was|Did)\b"
)
HOW_TO = re.compile(r"How to ([^?:]+)")
FITTING = [
    ("What(?:’s|'s| is| are) ", r"\b(?:is|are|was|were) (?:an?|the)\b"),
    ("(?![WH])", r"\b(?i:yes|no|not|can|cannot|may|must|should|need)\b|n[’']t\b"),
    ("How (?:can|do|should) (?:I|we|you) ", r"\b(?:you|your|by|to)\b"),
    ("How ", r"^(?!(?:Yes|No)\b)"),
    ("", r"^(?!(?:you )?(?i:see|refer to|please see) )(?!.*:\s*\d+\.$)"),
]
"""How a question begins, and what its answer must have."""


def asked_in(passage: Passage, *, is_first: bool) -> Iterator[Draft]:
    """The questions of a document itself: before their answers, and in the heading of a first passage."""
    asked = [
        (found[1], found[2], Source(passage, *found.span(2)), "question and answer")
        for found in QUESTION_AND_ANSWER.finditer(passage.text)
    ]
    heading = plain(passage.heading.split(" > ")[-1])
    if how_to := HOW_TO.fullmatch(heading):
        heading, answer = f"How do you {how_to[1]}?", passage.text.rstrip()
    else:
        answer, _, more = passage.text.partition("\n\n")
        answer = "" if BULLET.match(answer) or BULLET.match(more) else answer.rstrip()
    is_short = len(answer.split()) <= MAX_PARAGRAPH and answer.endswith((".", "!"))
    if is_first and is_short and heading.endswith("?"):
        asked.append((heading, answer, Source(passage, 0, len(answer)), "heading"))
    for question, answer, source, pattern in asked:
        # `I` and `my` are the reader.
        own = re.sub(r"\b(?:I|[Mm]y|me|we|our)\b", "you", question.rstrip("?"))
        if (
            ASKING.match(question)
            and is_good(own)
            and _is_answered(question, plain(answer), passage)
        ):
            yield Draft(
                plain(question), (plain(answer),), (source,), "single fact", pattern, "", 11.0
            )


def _is_answered(question: str, answer: str, passage: Passage) -> bool:
    """Whether a paragraph speaks of what a heading asks, and in a form that fits it."""
    words, is_typed = set(en.content_words(question)), asked_by(question).is_typed
    shared = words.intersection(en.content_words(answer))
    is_near = 2 * len(shared) >= min(4, len(words)) or answer.startswith(("Yes", "No"))
    # `Open the settings` tells you what to do.
    told = f"you {answer}" if en.form_of(answer.split(" ")[0].lower()) == "base" else answer
    return (
        is_near
        and len(words) > 2
        and all(re.search(fit, told) for begin, fit in FITTING if re.match(begin, question))
        and not en.points_outside(answer)
        and (not is_typed or Place(passage, answer, frozenset()).gives_value(question))
    )
