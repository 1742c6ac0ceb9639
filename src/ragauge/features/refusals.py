"""Refusals in answers."""

from collections.abc import Sequence
from typing import Annotated, Literal

from ragauge.language.refusals.refusals import RefusalMatch, find_refusals
from ragauge.metric import feature
from ragauge.score import Score
from ragauge.setting import Renamed

Phrases = Annotated[Literal["default", "graphrag"], Renamed({"seed-002": "graphrag"})]
"""How refusals are found: by our own rules, or by the phrases of the suite graphrag."""


@feature
def refusals(answer: str, question: str | None = None) -> tuple[RefusalMatch, ...]:
    """The refusals in the answer; see `find_refusals`."""
    return find_refusals(answer, question)


def refusal_of(text: str, question: str | None = None) -> RefusalMatch | None:
    """The refusal that decides, if the text refuses."""
    return next((found for found in find_refusals(text, question) if found.decides), None)


@feature
def is_answerable(answerable: bool | None, references: Sequence[str] | None) -> bool | None:
    """Whether the question has an answer: by the sample, or else by its references.

    It has none if all references refuse, as "The documents do not say" does; those without a letter or digit do not count.
    None if nothing says it: without a reference.
    """
    if answerable is not None:
        return answerable
    given = [text for text in references or () if any(map(str.isalnum, text))]
    return any(refusal_of(text) is None for text in given) if given else None


@feature
def expected_answers(
    references: Sequence[str] | None, is_answerable: bool | None
) -> Sequence[str] | Score:
    """The references; none where the question has no answer. Missing or undefined without references."""
    if is_answerable is False:
        return ()
    if references is None:
        return Score.missing("the sample has no references")
    return references or Score.undefined("the sample's list of references is empty")
