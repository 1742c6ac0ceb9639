"""The sentences of answers and references."""

from ragauge.language.sentences import Splitter, split_sentences
from ragauge.metric import feature


@feature
def answer_sentences(answer: str, *, splitter: Splitter = "rules") -> tuple[str, ...]:
    """The answer's sentences, in order; see `split_sentences`.

    >>> answer_sentences("It is $5. [1]")
    ('It is $5.',)
    """
    return split_sentences(answer, splitter)


@feature
def reference_sentences(reference: str, *, splitter: Splitter = "rules") -> tuple[str, ...]:
    """The reference's sentences, in order; see `split_sentences`.

    >>> reference_sentences("Dr. Lee pays. Why?")
    ('Dr. Lee pays.', 'Why?')
    """
    return split_sentences(reference, splitter)
