"""What is read in texts once for all metrics: sentences, words, keywords, quantities, dates, the index of contexts."""

from collections.abc import Sequence
from typing import Annotated, Literal

from ragauge.language.claims.context_index import ContextIndex
from ragauge.language.dates.dates import dates
from ragauge.language.dates.parts import Date
from ragauge.language.keywords import Extractor, keywords
from ragauge.language.numbers.numbers import quantities, quantities_of_context
from ragauge.language.numbers.quantity import Quantity
from ragauge.language.refusals.refusals import RefusalMatch, find_refusals
from ragauge.language.sentences import Splitter, split_sentences
from ragauge.language.words import Words, words_of
from ragauge.metric import feature
from ragauge.score import Score
from ragauge.setting import Renamed


@feature
def answer_sentences(answer: str, *, splitter: Splitter = "rules") -> tuple[str, ...]:
    """The answer's sentences, in order; see `split_sentences`."""
    return split_sentences(answer, splitter)


@feature
def reference_sentences(reference: str, *, splitter: Splitter = "rules") -> tuple[str, ...]:
    """The reference's sentences, in order; see `split_sentences`."""
    return split_sentences(reference, splitter)


@feature
def answer_keywords(answer: str, *, extractor: Extractor = "default") -> frozenset[str]:
    """The answer's keywords; see `keywords`."""
    return keywords(answer, extractor)


@feature
def reference_keywords(reference: str, *, extractor: Extractor = "default") -> frozenset[str]:
    """The reference's keywords; see `keywords`."""
    return keywords(reference, extractor)


@feature
def answer_dates(answer: str) -> tuple[Date, ...]:
    """The dates and times in the answer."""
    return dates(answer)


@feature
def reference_dates(reference: str) -> tuple[Date, ...]:
    """The dates and times in the reference."""
    return dates(reference)


@feature
def context_dates(contexts: Sequence[str]) -> tuple[tuple[Date, ...], ...]:
    """The dates and times in each context."""
    return tuple(map(dates, contexts))


@feature
def question_quantities(question: str) -> tuple[Quantity, ...]:
    """The quantities in the question."""
    return quantities(question)


@feature
def answer_quantities(answer: str, answer_dates: Sequence[Date]) -> tuple[Quantity, ...]:
    """The quantities in the answer."""
    return quantities(answer, answer_dates)


@feature
def reference_quantities(reference: str, reference_dates: Sequence[Date]) -> tuple[Quantity, ...]:
    """The quantities in the reference."""
    return quantities(reference, reference_dates)


@feature
def context_quantities(
    contexts: Sequence[str], context_dates: Sequence[Sequence[Date]]
) -> tuple[tuple[Quantity, ...], ...]:
    """The quantities in each context; `7/10` and `7 out of 10` count as each other, too."""
    return tuple(map(quantities_of_context, contexts, context_dates))


@feature
def passage_words(contexts: Sequence[str]) -> tuple[Words, ...]:
    """The words of each context."""
    return tuple(map(words_of, contexts))


@feature
def context_index(
    contexts: Sequence[str],
    passage_words: Sequence[Words],
    context_quantities: Sequence[Sequence[Quantity]],
    context_dates: Sequence[Sequence[Date]],
) -> ContextIndex:
    """The index of the contexts, in which anchors are looked up."""
    return ContextIndex(contexts, passage_words, context_quantities, context_dates)


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
